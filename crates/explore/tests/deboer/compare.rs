//! What it means that two runs agree.

use std::collections::BTreeMap;

use icsched_ir::{BlockId, Op, Program};
use icsched_machine::PathEnd;
use icsched_symbolic::trace::{Regions, Trace, TraceEvent};

use crate::deboer::runs::Finish;

/// How far two runs could be compared.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Agreement {
    /// They agree in all respects.
    Full,
    /// The symbolic domain gave up, and said so.
    Refused,
}

/// Whether a symbolic run, with its terms evaluated, and the concrete run of the same input agree.
pub(crate) fn agree(program: &Program, symbolic: &Finish, concrete: &Finish) -> Result<Agreement, String> {
    if let PathEnd::Unsupported { what, .. } = &symbolic.end {
        if let PathEnd::Unsupported { what: other, .. } = &concrete.end {
            return if what == other { Ok(Agreement::Refused) } else { Err(format!("refused: {what}, but {other}")) };
        }
        return Ok(Agreement::Refused);
    }
    if matches!((&symbolic.end, &concrete.end), (PathEnd::Limit(_), PathEnd::Limit(_))) {
        return Ok(Agreement::Refused);
    }
    ends(&symbolic.end, &concrete.end)?;
    traces(program, &symbolic.trace, &concrete.trace)?;
    if symbolic.memory.len() != concrete.memory.len() {
        return Err(format!("{} live objects, but {}", symbolic.memory.len(), concrete.memory.len()));
    }
    for ((id, bytes), (other, expected)) in symbolic.memory.iter().zip(&concrete.memory) {
        if id != other {
            return Err(format!("object {id:?} is live, but {other:?}"));
        }
        if let Some(at) = (0..bytes.len().max(expected.len())).find(|&i| bytes.get(i) != expected.get(i)) {
            let (is, was) = (bytes.get(at), expected.get(at));
            return Err(format!(
                "byte {at} of object {id:?} is {is:x?} in the symbolic run, {was:x?} in the concrete one"
            ));
        }
    }
    Ok(Agreement::Full)
}

fn ends(symbolic: &PathEnd, concrete: &PathEnd) -> Result<(), String> {
    let same = match (symbolic, concrete) {
        (PathEnd::Exit { status: None }, PathEnd::Exit { .. }) => true,
        (PathEnd::Error(a), PathEnd::Error(b)) => a.kind == b.kind && a.stack == b.stack,
        (a, b) => a == b,
    };
    if same { Ok(()) } else { Err(format!("the symbolic run ends in {symbolic:?}, the concrete one in {concrete:?}")) }
}

/// The symbolic trace is the end of the concrete one (it may have begun later), and covers what was accessed.
fn traces(program: &Program, symbolic: &Trace, concrete: &Trace) -> Result<(), String> {
    let blocks = blocks(symbolic);
    let events = symbolic.events.iter().zip(&blocks);
    let mut events = events.filter(|(e, _)| !matches!(e, TraceEvent::Decision { .. })).rev().peekable();
    let mut expected = concrete.events.iter().rev().peekable();
    while let Some((event, block)) = events.next() {
        let other = expected.peek();
        if other.is_some_and(|other| same(event, other)) {
            expected.next();
            continue;
        }
        if moves_some(program, symbolic, event, *block) {
            continue;
        }
        // A compare-exchange that may fail writes what it read where it does; a concrete one writes nothing.
        let is_exchange = |load: &TraceEvent| {
            matches!((event, load),
            (TraceEvent::Store { frame, inst, .. }, TraceEvent::Load { frame: f, inst: i, .. }) if (frame, inst) == (f, i))
        };
        if !events.peek().is_some_and(|(load, _)| is_exchange(load)) {
            return Err(format!("the symbolic run does {event:?}, the concrete one {other:?}"));
        }
    }
    Ok(())
}

/// The block that each event is in.
fn blocks(trace: &Trace) -> Vec<Option<BlockId>> {
    let mut at = BTreeMap::new();
    let block = |event: &TraceEvent| match event {
        TraceEvent::Block { frame, block, .. } => at.insert(*frame, *block),
        TraceEvent::Load { frame, .. } | TraceEvent::Store { frame, .. } => at.get(frame).copied(),
        _ => None,
    };
    trace.events.iter().map(block).collect()
}

/// Whether an event is a copy of as many bytes as a value says, which may be none.
fn moves_some(program: &Program, trace: &Trace, event: &TraceEvent, block: Option<BlockId>) -> bool {
    let (TraceEvent::Load { frame, inst, regions } | TraceEvent::Store { frame, inst, regions }) = event else {
        return false;
    };
    let function = &program.functions[trace.frames[frame].func];
    let op = block.and_then(|block| function.blocks[block].insts.get(*inst as usize)).map(|inst| &inst.op);
    let is_of_value = match op {
        Some(Op::MemCopy { bytes, .. } | Op::MemSet { bytes, .. }) => bytes.value().is_some(),
        _ => false,
    };
    is_of_value && regions.iter().all(|region| !region.exact)
}

fn same(event: &TraceEvent, expected: &TraceEvent) -> bool {
    match (event, expected) {
        // A string is read up to the first NUL that is certain.
        (TraceEvent::Load { frame, inst, regions }, TraceEvent::Load { frame: f, inst: i, regions: accessed }) => {
            (frame, inst) == (f, i) && covers(regions, accessed, false)
        }
        (TraceEvent::Store { frame, inst, regions }, TraceEvent::Store { frame: f, inst: i, regions: accessed }) => {
            (frame, inst) == (f, i) && covers(regions, accessed, true)
        }
        (a, b) => a == b,
    }
}

fn covers(regions: &Regions, accessed: &Regions, write: bool) -> bool {
    accessed.iter().all(|a| {
        regions.iter().any(|r| {
            let inside = r.start <= a.start && a.start + a.len <= r.start + r.len;
            r.object == a.object && inside && (!(write && r.exact) || (r.start, r.len) == (a.start, a.len))
        })
    })
}
