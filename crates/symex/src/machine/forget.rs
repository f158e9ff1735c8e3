//! Where a path comes to what is replaced ([`crate::abstraction`]).

use std::rc::Rc;

use icsched_ir::{Definitions, Expressions, Operand, ProgramPoint, Type, ValueId};

use super::Machine;
use crate::abstraction::Passage;
use crate::code::Code;
use crate::domain::Domain;
use crate::observation::Observed;
use crate::observe::Observer;
use crate::state::State;
use crate::stop::Stop;

impl<D: Domain> Machine<D> {
    /// Control comes to a loop that is replaced: what its header's parameters are and what it may write is forgotten.
    pub(super) fn forget_loop<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        let point = self.cx(state, observer).point();
        let program = self.program.clone();
        let block = &program.functions[point.func].blocks[point.block];
        self.forget(state, observer, (point, None), &block.params)
    }

    /// A recursion that is replaced calls itself: what the call returns and may write is forgotten.
    pub(super) fn forget_call<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        let point = self.cx(state, observer).point();
        let program = self.program.clone();
        let block = &program.functions[point.func].blocks[point.block];
        let results = block.insts.get(point.inst as usize).map_or(&[][..], |call| &call.results);
        self.forget(state, observer, (point, Some(point.inst)), results)
    }

    fn forget<O: Observer>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        (point, call): (ProgramPoint, Option<u32>),
        values: &[ValueId],
    ) -> Result<(), Stop<D>> {
        observer.begin(state, &self.code);
        let thread = state.current;
        let program = self.program.clone();
        let ProgramPoint { func, block, .. } = point;
        let function = &program.functions[func];
        let count = Rc::make_mut(&mut state.passages).entry((thread, func, block, call)).or_insert(0);
        let passage = Passage { thread, func, block, call, occurrence: *count };
        *count += 1;
        let insts = &function.blocks[block].insts;
        let loc = call.and_then(|inst| insts[inst as usize].loc).or_else(|| insts.iter().find_map(|i| i.loc));
        let loc = loc.or(function.loc);
        let place = loc.map_or_else(|| function.name.clone(), |loc| program.describe_loc(loc));
        let definitions = Definitions::new(function);
        let names = Expressions::new(&program, function, &definitions);
        let named = |&value: &ValueId| {
            let name = names.operand(Operand::Value(value));
            (value, function.values[value].ty, format!("{name} past {place}"))
        };
        let unknown: Vec<(ValueId, Type, String)> = values.iter().map(named).collect();
        let values = self.domain.forget_values(passage, &unknown);
        self.observe(state, Observed::Loop(passage));
        let State { threads, heap, path, .. } = &mut *state;
        let activation = &threads[thread.0 as usize];
        let base = activation.frames.last().map_or(0, |frame| frame.base as usize);
        let registers = activation.registers.get(base..base + function.values.len()).unwrap_or_default();
        let regions = self.domain.forget_memory(heap, path, passage, &place, registers);
        let mut cx = self.cx(state, observer);
        for ((value, ..), unknown) in unknown.iter().zip(values) {
            cx.set(Code::slot(*value), unknown);
        }
        if O::ENABLED {
            let frame = cx.frame().id;
            cx.observer.forget(frame, call, regions.into());
        }
        cx.advance();
        Ok(())
    }
}
