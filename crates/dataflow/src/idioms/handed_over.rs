//! Registers that hold what threads were [handed](crate::patterns::handover) when they were created.
//!
//! Two threads hold the same in them, or something different, and numbers are between known bounds.

use icsched_ir::{Op, ProgramPoint};
use icsched_pointsto::InstanceId;

use super::idiom::{Idiom, Inputs, Invariants, Threads};
use crate::budgets::BUDGETS;
use crate::code::is_plain;
use crate::expr::ExprId;
use crate::patterns::handover::{Handed, Limits};
use crate::place::{Base, address};
use crate::reaching::walk::Walk;
use crate::state::{Range, Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// The registers of a thread that hold one thing that it was handed.
struct Held {
    start: InstanceId,
    /// Offset and bytes.
    field: (i64, u32),
    handed: Handed,
    registers: Vec<ExprId>,
}

/// Finds what registers hold of what threads were handed. Threads with several ways down their stacks are left out.
#[derive(Default)]
pub(crate) struct HandedOver;

impl Idiom for HandedOver {
    fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>, found: &mut Invariants) {
        let mut all: Vec<Vec<Held>> = Vec::new();
        for (walks, thread) in threads.walks.iter().zip(&threads.context.threads) {
            let (held, ranges) = match &walks[..] {
                [walk] => handed_to(inputs, walk, &thread.stack.0),
                _ => Default::default(),
            };
            all.push(held);
            found.ranges.push(ranges);
        }
        for (a, one) in all.iter().enumerate() {
            for (b, other) in all.iter().enumerate().skip(a + 1) {
                for held in one {
                    let same = |h: &&Held| h.start == held.start && h.field == held.field;
                    let Some(there) = other.iter().find(same) else { continue };
                    let kind = match held.handed {
                        Handed::Same => RelationKind::Equal,
                        Handed::Own(_) => RelationKind::Distinct,
                    };
                    let relation = |x: ExprId, y: ExprId| Relation { kind, a: (a, x), b: (b, y) };
                    let (first, second) = (held.registers[0], there.registers[0]);
                    found.relations.extend(there.registers.iter().map(|&y| relation(first, y)));
                    found.relations.extend(held.registers[1..].iter().map(|&x| relation(x, second)));
                }
            }
        }
    }
}

/// The registers of a thread that hold what it was handed, and what numbers are between.
fn handed_to(inputs: &mut Inputs<'_, '_, '_>, walk: &Walk, points: &[ProgramPoint]) -> (Vec<Held>, Vec<Range>) {
    let creations = std::rc::Rc::clone(&inputs.reaching.view.creations);
    let starts = |i: &InstanceId| creations.all.iter().any(|c| c.starts.contains(i));
    let (mut held, mut ranges): (Vec<Held>, Vec<Range>) = (Vec::new(), Vec::new());
    let Some(depth) = walk.chain.iter().position(starts) else { return (held, ranges) };
    let start = walk.chain[depth];
    let Some(handover) = inputs.handovers.handover(inputs.reaching, start) else { return (held, ranges) };
    let function = &inputs.reaching.view.program.functions[inputs.reaching.view.points_to.instances()[start].func];
    let Some(&param) = function.params.first() else { return (held, ranges) };
    let frame = FrameIndex::try_from(depth).expect("stacks are short");
    let own = Symbol::new(frame, param);
    let argument = walk.solutions[depth].register(param);
    let argument = argument.unwrap_or_else(|| inputs.reaching.view.pool.symbol(own, function.values[param].ty.bits()));
    let mut between = |value: ExprId, limits: Limits| {
        ranges.push(Range { value, start: limits.start, bound: limits.bound });
    };
    if let Some(limits) = handover.argument {
        between(argument, limits);
    }
    let (base, first) = address(&inputs.reaching.view.pool, argument).unwrap_or((Base::Symbol(own), 0));
    for ((solution, &point), frame) in walk.solutions.iter().zip(points).zip(0..).skip(depth) {
        let structure = inputs.reaching.view.structure(point.func);
        let mut solver = inputs.reaching.resume(solution);
        let body = &solver.function.blocks;
        let loads =
            body.iter().flat_map(|(_, block)| &block.insts).filter_map(|inst| match (&inst.op, &inst.results[..]) {
                (Op::Load { address, access }, &[result]) if is_plain(*access) => Some((*address, result)),
                _ => None,
            });
        for (address, result) in loads {
            let data = &solver.function.values[result];
            let bytes = data.ty.bytes();
            let is_defined = structure.is_defined_at(result, point.block, point.inst as usize);
            let Some(place) = solver.place(address, bytes).filter(|p| is_defined && p.base == base) else {
                continue;
            };
            let at = (place.offset.wrapping_sub(first), bytes);
            let Some(field) = handover.fields.iter().find(|f| (f.offset, f.bytes) == at) else { continue };
            if data.ty.bits() != 8 * bytes {
                continue;
            }
            let width = data.ty.bits();
            let known = solution.register(result);
            let e = known.unwrap_or_else(|| solver.view.pool.symbol(Symbol::new(frame, result), width));
            let entry = match held.iter().position(|h| h.field == at) {
                Some(entry) => entry,
                None => {
                    held.push(Held { start, field: at, handed: field.handed.clone(), registers: Vec::new() });
                    held.len() - 1
                }
            };
            let registers = &mut held[entry].registers;
            if registers.len() < BUDGETS.handed_registers && !registers.contains(&e) {
                registers.push(e);
                if let Handed::Own(Some(limits)) = field.handed {
                    between(e, limits);
                }
            }
        }
    }
    (held, ranges)
}
