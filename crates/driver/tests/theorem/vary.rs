//! States that take a given path: a recorded state with what the solver says written into it.

use std::rc::Rc;

use icsched_explore::explore::PathOutcome;
use icsched_machine::code::Code;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::{MemoryByte, ObjectKind, State, ThreadStatus};
use icsched_smt::{Evaluation, Term};
use icsched_symbolic::symbolic::InitialObjects as _;
use icsched_symbolic::symbolic::{SymValue, SymbolSource, SymbolicDomain};

use icsched_dataflow::Symbol;

use crate::common::recorded::Recorded;
use crate::common::relation::Relation;
use crate::theorem::lockstep::Machines;

/// A state at the context that satisfies a path's constraints as the solver's model does; `None` if none is found.
pub(crate) fn state(
    machines: &mut Machines,
    recorded: &Recorded,
    initial: &State<SymbolicDomain>,
    outcome: &PathOutcome,
) -> Option<Recorded> {
    let constraints = outcome.state.path.constraints();
    let model = machines.symbolic.domain.model_of(constraints).ok()??;
    let domain = &machines.symbolic.domain;
    let mut relation = Relation::new(recorded, initial);
    relation.expose(domain, &outcome.state).ok()?;
    let mut varied = recorded.clone();
    let mut symbols: Vec<Term> = Vec::new();
    for &constraint in constraints {
        symbols.extend_from_slice(&domain.pool.symbols_of(constraint));
    }
    symbols.sort_unstable();
    symbols.dedup();
    for symbol in symbols {
        let width = domain.pool.width(symbol);
        let value = domain.pool.eval_with(symbol, &model, &mut Evaluation::default()) as u64;
        let value = if width == 64 { relation.untranslate(value)? } else { value };
        match domain.source_of(symbol)? {
            SymbolSource::Register { thread, symbol } => set_register(&mut varied, thread, symbol, value)?,
            SymbolSource::Memory { root, offset } => {
                let Some(base) = relation.base(domain, root).ok()? else { continue };
                let at = base.wrapping_add(relation.value(domain, &offset).ok()?);
                write(&mut varied, at, value, width / 8)?;
            }
            // What is divided would have to be found that gives the value.
            SymbolSource::Quotient { .. } => return None,
            SymbolSource::ExtentStart { .. }
            | SymbolSource::ExtentEnd { .. }
            | SymbolSource::WaitStart { .. }
            | SymbolSource::NoThread { .. } => {}
        }
    }
    let dependent = dependents(machines, &varied, initial)?;
    for (thread, symbol, value) in dependent {
        set_register(&mut varied, thread, symbol, value)?;
    }
    Some(varied)
}

fn set_register(recorded: &mut Recorded, thread: usize, symbol: Symbol, value: u64) -> Option<()> {
    symbol.own_register()?;
    let slot = recorded.slot(thread, symbol)?;
    let id = recorded.views[thread].thread;
    *Rc::make_mut(&mut recorded.state.threads[id.index()]).registers.get_mut(slot)? = value;
    Some(())
}

fn write(recorded: &mut Recorded, at: u64, value: u64, bytes: u32) -> Option<()> {
    let (object, offset) = recorded.state.heap.check(at, u64::from(bytes), true).ok()?;
    // A thread-local variable that was not made yet has no place of its own.
    if let ObjectKind::Global(global) = recorded.state.heap.object(object)?.kind
        && recorded.state.program().globals[global].thread_local
    {
        return None;
    }
    let bytes: Vec<_> = value.to_le_bytes().iter().take(bytes as usize).map(|&b| MemoryByte::Constant(b)).collect();
    recorded.state.heap.set_bytes(&mut ConcreteDomain, object, offset, &bytes);
    Some(())
}

/// Registers that facts say hold something, with that; memory that they say holds something must hold it already.
fn dependents(
    machines: &Machines,
    varied: &Recorded,
    initial: &State<SymbolicDomain>,
) -> Option<Vec<(usize, Symbol, u64)>> {
    let domain = &machines.symbolic.domain;
    let mut relation = Relation::new(varied, initial);
    relation.expose(domain, initial).ok()?;
    let mut found = Vec::new();
    for (index, thread) in initial.threads.iter().enumerate() {
        if matches!(thread.status, ThreadStatus::Waiting { .. }) {
            let queue = relation.value(domain, &thread.queue).ok()?;
            (relation.untranslate(queue)? == varied.thread(index).queue).then_some(())?;
        }
        for (frame, depth) in thread.frames.iter().zip(0..) {
            let point = machines.symbolic.code.point(frame.func, frame.pc);
            for value in Code::live_before(&machines.symbolic.program, point) {
                let held = thread.registers[frame.base as usize + Code::slot(value) as usize];
                if let SymValue::Term(t) = held {
                    let bits = relation.eval(domain, t).ok()?;
                    found.push((index, Symbol::new(depth, value), relation.untranslate(bits)?));
                }
            }
        }
    }
    for (_, id, _) in relation.objects().collect::<Vec<_>>() {
        let Some(root) = initial.heap.root_number(id) else { continue };
        let Some(base) = relation.base(domain, root).ok()? else { continue };
        for (at, byte) in domain.known_of_root(root) {
            let expected = match byte {
                MemoryByte::Constant(byte) => u64::from(byte),
                MemoryByte::Symbolic(t) => relation.eval(domain, t).ok()?,
            };
            (crate::common::recorded::word(&varied.state, base.wrapping_add(at), 1) == Some(expected)).then_some(())?;
        }
    }
    Some(found)
}
