//! What a path has asked about numbers.

use std::collections::BTreeSet;

use icsched_smt::{CmpOp, Node, Ranges, Term, TermPool};
use icsched_symbolic::trace::{Trace, TraceEvent};

use crate::budgets::BUDGETS;

/// The conditions that a path has decided.
pub(super) fn decided(trace: &Trace) -> Vec<Term> {
    let of = |event: &TraceEvent| match event {
        TraceEvent::Decision { decision, .. } => Some(decision.condition),
        _ => None,
    };
    let mut found: Vec<Term> = trace.events.iter().filter_map(of).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// That a number which is not a constant has not got there yet, if it is on one side of it: loops often count until a
/// number is equal to another one.
pub(super) fn not_passed(pool: &mut TermPool, condition: Term, sure: &mut Ranges) -> Option<Term> {
    let Node::Not(inner) = *pool.node(condition) else { return None };
    let Node::Cmp(CmpOp::Eq, a, b) = *pool.node(inner) else { return None };
    let (number, constant) = if pool.as_const(a).is_some() { (b, a) } else { (a, b) };
    let width = pool.width(number);
    let bits = pool.as_const(constant).filter(|_| matches!(width, 32 | 64))?;
    let limit = i128::from((bits << (64 - width)).cast_signed() >> (64 - width));
    match sure.signed(pool, number) {
        (_, greatest) if greatest <= limit => Some(pool.cmp(CmpOp::Slt, number, constant)),
        (least, _) if least >= limit => Some(pool.cmp(CmpOp::Slt, constant, number)),
        _ => None,
    }
}

/// The constants that a path has compared numbers with, which the program may have read, and their neighbours.
pub(super) fn compared_with(pool: &TermPool, trace: &Trace) -> Vec<i64> {
    let mut found = BTreeSet::new();
    for condition in decided(trace) {
        let inner = if let Node::Not(inner) = *pool.node(condition) { inner } else { condition };
        let Node::Cmp(_, a, b) = *pool.node(inner) else { continue };
        let width = pool.width(a);
        if !matches!(width, 32 | 64) {
            continue;
        }
        for constant in [a, b].into_iter().filter_map(|of| pool.as_const(of)) {
            let number = (constant << (64 - width)).cast_signed() >> (64 - width);
            found.extend([number.saturating_sub(1), number, number.saturating_add(1)]);
        }
        if found.len() >= BUDGETS.compared_constants {
            break;
        }
    }
    found.into_iter().collect()
}
