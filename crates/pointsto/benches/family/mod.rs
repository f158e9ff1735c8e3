//! Programs of any size that are shaped like real C, for measuring the points-to solve without LLVM.
//!
//! A program is a number of *units* (source files) in *groups* (libraries). Each unit has its own structs that point to
//! one another, constructors, variables, string literals, a table of commands, tables of operations for the structs
//! that implement its group's interface, visitors, and functions with random bodies. A body is written by the types of
//! the pointers in scope: it reads and writes members, calls functions, methods and commands, walks lists, follows
//! chains, copies structs, fills out-parameters, and gets objects back out of containers that hold `void` pointers.
//! Containers are written once a group, so that what units put in gets mixed, as it does in real programs.
//!
//! The mixture of instructions is that of `SQLite` after mem2reg (in this IR, percent of instructions and terminators):
//! address 17, load of a number 9, of a pointer 7, call 8 (2 in 100 of them indirect), store 5, branch 11, jump 12,
//! comparison 9; 70 a function. `tests/generated.rs` holds it to that.
//!
//! The code is to be analysed, not to be executed. One seed and size give one program.

mod body;
mod code;
mod library;
mod random;
mod statement;
mod unit;
mod world;

use icsched_ir::{FuncId, Operand, Program};

use self::body::Body;
use self::code::null;
use self::random::Random;
use self::unit::{Group, Shared, Unit};
use self::world::{Kind, World};

/// Instructions of a unit, more or less.
const UNIT: usize = 5_000;
/// Units of a group.
const GROUP: usize = 16;

/// A program of about `instructions` (at least one unit's) instructions and terminators. O(its size).
pub(crate) fn program(instructions: usize, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut world = World::default();
    let shared = Shared::write(&mut world);
    let units = instructions.div_ceil(UNIT).max(1);
    let mut groups: Vec<Group> = Vec::new();
    let mut starts = Vec::new();
    for n in 0..units {
        if n % GROUP == 0 {
            let methods = 4 + random.below(5) as u64;
            groups.push(Group::write(&mut world, shared.base, n / GROUP, methods));
        }
        // A unit in six belongs to an earlier group, so that groups are no islands.
        let last = groups.len() - 1;
        let group = if random.chance(16) { random.below(groups.len()) } else { last };
        let group = &mut groups[group];
        let unit = Unit::declare(&mut world, &mut random, &shared, group, n);
        let goal = instructions * (n + 1) / units;
        write_bodies(&mut world, &mut random, &shared, group, &unit, goal);
        starts.push(write_start(&mut world, &mut random, &shared, group, &unit, n));
    }
    write_main(&mut world, &shared, &starts);
    world.program.name = format!("family-{instructions}-{seed}");
    world.program
}

/// Writes all functions of the unit, so long that the program has `goal` instructions then.
fn write_bodies(world: &mut World, random: &mut Random, shared: &Shared, group: &Group, unit: &Unit, goal: usize) {
    for (i, task) in unit.tasks.iter().enumerate() {
        let mean = goal.saturating_sub(world.written) / (unit.tasks.len() - i);
        let length = 8 + random.below(2 * mean + 1).saturating_sub(16);
        Body::open(world, random, shared, group, unit, task.id).write(task.downcast, length);
    }
}

/// Writes the function that calls whatever the rest of the unit does not call.
fn write_start(
    world: &mut World,
    random: &mut Random,
    shared: &Shared,
    group: &Group,
    unit: &Unit,
    n: usize,
) -> FuncId {
    let id = world.routine(format!("start_{n}"), &[Kind::record(shared.context)], None);
    let roots: Vec<FuncId> = unit.tasks.iter().map(|t| t.id).filter(|&f| !world.signature(f).used).collect();
    Body::open(world, random, shared, group, unit, id).write_calls(&roots);
    id
}

fn write_main(world: &mut World, shared: &Shared, starts: &[FuncId]) {
    let id = world.routine("main".into(), &[], Some(Kind::Word));
    let size = world.records[shared.context].size;
    let mut code = world.open(id);
    let context: Operand = code.local(size);
    code.store_field(context, 0, null());
    for &start in starts {
        code.call(start, vec![context]);
    }
    code.give(&[code::word(0)]);
    world.close(id, code);
    world.program.main = Some(id);
}
