//! One source file: its structs, variables, tables of functions, and what its functions may call.

use icsched_ir::{Const, FuncId, Operand};

use super::library::{Base, Containers};
use super::random::Random;
use super::world::{Kind, Member, Pointee, World};

/// What all units share.
pub(super) struct Shared {
    pub(super) base: Base,
    /// `struct context`, the first argument of nearly every function.
    pub(super) context: usize,
}

/// A group of units that use one set of containers and one interface.
pub(super) struct Group {
    pub(super) containers: Containers,
    /// `struct object { const struct operations *operations; long references; }`, at the start of what implements it.
    pub(super) object: usize,
    /// Functions in a table of operations: `void *(object *, context *, void *)`.
    pub(super) methods: u64,
    /// Functions of the units before, for the next ones to call.
    pub(super) exported: Vec<FuncId>,
    /// Structs of the units before, and the functions that make them.
    pub(super) makers: Vec<(usize, FuncId)>,
}

/// A function whose body is random.
pub(super) struct Task {
    pub(super) id: FuncId,
    /// What its parameters really point to, where that is more than their types tell.
    pub(super) downcast: Option<usize>,
}

/// A source file.
pub(super) struct Unit {
    /// Its own structs.
    pub(super) records: Vec<usize>,
    /// A function that makes a struct, for each.
    pub(super) makers: Vec<(usize, FuncId)>,
    /// Variables that hold a pointer.
    pub(super) variables: Vec<(Operand, Pointee)>,
    /// Containers in static storage.
    pub(super) statics: Vec<(Operand, Pointee)>,
    pub(super) visitors: Vec<FuncId>,
    /// A table of `struct command { const char *name; long (*run)(context *, void *); long flags; }`.
    pub(super) commands: Operand,
    pub(super) literals: Vec<Const>,
    /// Other functions of this unit, and some of units before.
    pub(super) callees: Vec<FuncId>,
    /// All functions to write.
    pub(super) tasks: Vec<Task>,
}

/// Bytes of one command.
pub(super) const COMMAND: u64 = 24;
/// Commands of one unit.
pub(super) const COMMANDS: u64 = 8;
/// Other functions of one unit.
const ROUTINES: usize = 44;

impl Shared {
    pub(super) fn write(world: &mut World) -> Self {
        let base = Base::write(world);
        let context = world.records.len();
        let pointer = Member::Pointer;
        world.record(&[
            pointer(Pointee::Record(context)),
            pointer(Pointee::Any),
            Member::Int,
            pointer(Pointee::Bytes),
            pointer(Pointee::Visitor),
            pointer(Pointee::Any),
            Member::Word,
            Member::Int,
            Member::Pointers(Pointee::Any, 8),
        ]);
        Self { base, context }
    }
}

impl Group {
    pub(super) fn write(world: &mut World, base: Base, number: usize, methods: u64) -> Self {
        let containers = Containers::write(world, base, number);
        let object = world.record(&[Member::Pointer(Pointee::Any), Member::Word]);
        Self { containers, object, methods, exported: Vec::new(), makers: Vec::new() }
    }
}

impl Unit {
    /// The struct that goes by the name of `void` here. It implements the interface.
    pub(super) fn opaque(&self) -> usize {
        self.records[0]
    }

    /// Declares everything; the bodies of [`Unit::tasks`] are still to be written.
    pub(super) fn declare(
        world: &mut World,
        random: &mut Random,
        shared: &Shared,
        group: &mut Group,
        n: usize,
    ) -> Self {
        let records = records(world, random, shared, group);
        let context = Kind::record(shared.context);
        let variables = (0..8)
            .map(|i| {
                let pointee = match i {
                    0 => Pointee::Record(group.containers.list),
                    1 => Pointee::Record(group.containers.table),
                    2 => Pointee::Any,
                    3 => Pointee::Record(group.object),
                    _ => Pointee::Record(*random.pick(&records)),
                };
                (world.variable(format!("variable_{n}_{i}"), 8), pointee)
            })
            .collect();
        let c = &group.containers;
        let statics = [c.list, c.list, c.table, c.vector, c.buffer].into_iter().zip(0..).map(|(record, i)| {
            let size = world.records[record].size;
            (world.variable(format!("static_{n}_{i}"), size), Pointee::Record(record))
        });
        let statics = statics.collect();
        let literals: Vec<Const> = (0..40).map(|i| world.literal(&format!("text {i} of unit {n}"))).collect();
        let mut tasks = Vec::new();
        let makers: Vec<_> = records
            .iter()
            .map(|&r| (r, world.routine(format!("make_{n}_{r}"), &[context], Some(Kind::record(r)))))
            .collect();
        let method = [Kind::record(group.object), context, Kind::ANY];
        for &(record, id) in &makers {
            let operations = implements(world, record, group.object).then(|| {
                let table = (0..group.methods).map(|slot| {
                    let id = world.routine(format!("method_{n}_{record}_{slot}"), &method, Some(Kind::ANY));
                    world.signature_mut(id).used = true;
                    tasks.push(Task { id, downcast: Some(record) });
                    (8 * slot, Const::Func(id))
                });
                let table = table.collect();
                world.table(format!("operations_{n}_{record}"), 8 * group.methods, table)
            });
            super::body::write_maker(world, shared, id, record, operations);
        }
        let visitors =
            declare_all(world, &mut tasks, 4, &format!("visit_{n}"), &[Kind::ANY, Kind::ANY], Some(Kind::ANY));
        let command = [context, Kind::ANY];
        let runs = declare_all(world, &mut tasks, COMMANDS as usize, &format!("run_{n}"), &command, Some(Kind::Word));
        let commands = commands(world, &literals, &runs, n);
        for task in &mut tasks {
            let first = world.signature(task.id).params[0];
            if first == Kind::ANY {
                task.downcast = Some(records[0]);
            }
        }
        let mut callees: Vec<FuncId> =
            (0..8.min(group.exported.len())).map(|_| *random.pick(&group.exported)).collect();
        for i in 0..ROUTINES {
            let (params, result) = signature(random, shared, group, &records);
            let id = world.routine(format!("routine_{n}_{i}"), &params, result);
            tasks.push(Task { id, downcast: None });
            callees.push(id);
            if random.chance(15) {
                group.exported.push(id);
            }
        }
        group.makers.extend(&makers);
        Self { records, makers, variables, statics, visitors, commands, literals, callees, tasks }
    }
}

/// Declares functions that a table or a callback uses.
fn declare_all(
    world: &mut World,
    tasks: &mut Vec<Task>,
    count: usize,
    name: &str,
    params: &[Kind],
    result: Option<Kind>,
) -> Vec<FuncId> {
    (0..count)
        .map(|i| {
            let id = world.routine(format!("{name}_{i}"), params, result);
            world.signature_mut(id).used = true;
            tasks.push(Task { id, downcast: None });
            id
        })
        .collect()
}

fn commands(world: &mut World, literals: &[Const], runs: &[FuncId], n: usize) -> Operand {
    let rows = runs.iter().zip(literals).zip(0..).flat_map(|((&run, &name), row)| {
        let start = row * COMMAND;
        [(start, name), (start + 8, Const::Func(run))]
    });
    let rows = rows.collect();
    world.table(format!("commands_{n}"), COMMANDS * COMMAND, rows)
}

/// Whether the struct starts with an object.
pub(super) fn implements(world: &World, record: usize, object: usize) -> bool {
    world.records[record].members.first().is_some_and(|&(_, member)| member == Member::Inline(object))
}

fn records(world: &mut World, random: &mut Random, shared: &Shared, group: &Group) -> Vec<usize> {
    let first = world.records.len();
    let count = 5 + random.below(4);
    for i in 0..count {
        let own = |random: &mut Random| Pointee::Record(first + random.below(count));
        let mut members = Vec::new();
        if i % 3 == 0 {
            members.push(Member::Inline(group.object));
        }
        for _ in 0..4 + random.below(9) {
            let c = &group.containers;
            members.push(match random.weighted(&[24, 34, 20, 6, 4, 8, 5, 3, 2, 2, 2, 2, 1]) {
                0 => Member::Word,
                1 => Member::Int,
                2 => Member::Pointer(own(random)),
                3 if !group.makers.is_empty() => Member::Pointer(Pointee::Record(random.pick(&group.makers).0)),
                3 | 4 => Member::Pointer(Pointee::Any),
                5 => Member::Pointer(Pointee::Bytes),
                6 => Member::Pointer(Pointee::Record(group.object)),
                7 => Member::Pointer(Pointee::Record(shared.context)),
                8 => Member::Inline(c.list),
                9 => Member::Inline(*random.pick(&[c.table, c.vector, c.buffer])),
                10 => Member::Pointers(own(random), 4),
                11 => Member::Pointer(Pointee::Record(c.node)),
                _ => Member::Pointer(Pointee::Visitor),
            });
        }
        world.record(&members);
    }
    (first..first + count).collect()
}

fn signature(random: &mut Random, shared: &Shared, group: &Group, records: &[usize]) -> (Vec<Kind>, Option<Kind>) {
    let mut params = vec![Kind::record(shared.context)];
    for _ in 0..random.below(4) {
        let record = *random.pick(records);
        params.push(match random.weighted(&[50, 20, 12, 8, 5, 5]) {
            0 => Kind::record(record),
            1 => Kind::Word,
            2 => Kind::BYTES,
            3 => Kind::record(group.object),
            4 => Kind::Pointer(Pointee::Slot(record)),
            _ => Kind::ANY,
        });
    }
    let result = match random.weighted(&[30, 35, 30, 5]) {
        0 => None,
        1 => Some(Kind::Word),
        2 => Some(Kind::record(*random.pick(records))),
        _ => Some(Kind::ANY),
    };
    (params, result)
}
