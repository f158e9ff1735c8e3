//! What may hold at the beginning of each round, because it does at that of the first one.

use icsched_ir::{Const, Operand, Type};
use icsched_smt::{CmpOp, Term, TermPool};

use super::measure::Pair;
use super::scope::{Kind, Scope};

/// Conditions on numbers that begin as constants, each of the first and of the second round: they are no smaller, or no
/// larger, or not zero.
pub(super) fn invariants(scope: &Scope<'_>, pool: &mut TermPool, pair: &Pair<'_>) -> Vec<(Term, Term)> {
    let mut found = Vec::new();
    for (at, &param) in scope.parameters().iter().enumerate() {
        let ty = scope.function.values[param].ty;
        let (Type::Int(2..), Some(start)) = (ty, start(scope, at)) else { continue };
        let (Some(first), Some(second)) = (pair.first.begins.get(at), pair.step.state(at)) else { continue };
        let start = pool.constant(ty.bits(), start);
        let zero = pool.constant(ty.bits(), 0);
        let mut add = |condition: &dyn Fn(&mut TermPool, Term) -> Term| {
            let holds = condition(pool, start);
            if pool.is_true(holds) {
                found.push((condition(pool, first.bits), condition(pool, second.bits)));
            }
        };
        add(&|pool, t| pool.cmp(CmpOp::Sle, start, t));
        add(&|pool, t| pool.cmp(CmpOp::Ule, start, t));
        add(&|pool, t| pool.cmp(CmpOp::Sle, t, start));
        add(&|pool, t| pool.cmp(CmpOp::Ule, t, start));
        add(&|pool, t| pool.cmp(CmpOp::Slt, zero, t));
        add(&|pool, t| pool.ne(t, zero));
    }
    found
}

/// The constant that a parameter of the header is where control comes to the loop.
fn start(scope: &Scope<'_>, at: usize) -> Option<u64> {
    let Kind::Loop(id) = scope.kind else { return None };
    let l = scope.structure.loops.get(id);
    let outside = scope.structure.cfg.predecessors(l.header).iter().filter(|&&from| !l.contains(from));
    let edges = outside.flat_map(|&from| scope.function.blocks[from].terminator.edges());
    let mut passed = edges.filter(|edge| edge.target == l.header).map(|edge| edge.args[at]);
    let first = passed.next()?;
    match first {
        Operand::Const(Const::Bits { bits, .. }) if passed.all(|other| other == first) => Some(bits),
        _ => None,
    }
}
