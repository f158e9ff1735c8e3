//! Where a path comes to what is replaced ([`crate::abstraction`]).

use std::rc::Rc;

use icsched_ir::{
    BlockId, Callee, Definitions, EntityId, Expressions, FuncId, IntPredicate, Op, Operand, Origin, ProgramPoint, Type,
    ValueId,
};

use super::Machine;
use super::context::decide;
use crate::abstraction::{LoopLimits, Passage, Replaced};
use crate::code::Code;
use crate::domain::{Domain, Forgot};
use crate::memory::Heap;
use crate::observation::Observed;
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{DecisionKind, PathEnd, Stop};
use crate::trace::Repeatable;

impl<D: Domain> Machine<D> {
    /// Control comes to a loop that is replaced: what its header's parameters are and what it may write is forgotten.
    pub(super) fn forget_loop<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
    ) -> Result<(), Stop<D>> {
        let point = self.cx(state, observer).point();
        let program = self.program.clone();
        let block = &program.functions[point.func].blocks[point.block];
        let limits = self.loop_limits(state, point)?;
        let repeatable = self.repeatable(state, point, &block.params)?;
        self.forget(state, observer, (point, Replaced::Loop, &limits), &block.params, repeatable);
        self.cx(state, observer).advance();
        Ok(())
    }

    /// The current thread, which has gone round a replaced loop, begins another iteration of it.
    pub fn begin_iteration(&self, state: &mut State<D>) {
        if let Some(frame) = state.thread_mut(state.current).frames.last_mut() {
            frame.pc += 1;
        }
    }

    /// How the loop at a header goes on at most, if inputs say so, and it matters.
    fn loop_limits(&mut self, state: &mut State<D>, point: ProgramPoint) -> Result<LoopLimits, Stop<D>> {
        let passage = next(state, (point, Replaced::Loop));
        let (registers, heap, path) = arrived(state, passage, self.program.functions[point.func].values.len());
        let Some((condition, limits)) = self.domain.loop_limits(heap, path, passage, registers) else {
            return Ok(LoopLimits::default());
        };
        let holds = decide(&mut self.domain, &state.path, &condition, DecisionKind::Rounds)?;
        Ok(if holds { limits } else { LoopLimits::default() })
    }

    /// What a loop depends on that leaves the same as the first one that began with the same. What it leaves has a name
    /// of its own where it began with something else: that this is the same here is taken for granted, for there are no
    /// inputs for which it is not.
    fn repeatable(
        &mut self,
        state: &mut State<D>,
        point: ProgramPoint,
        values: &[ValueId],
    ) -> Result<Option<Repeatable>, Stop<D>> {
        let passage = next(state, (point, Replaced::Loop));
        let (registers, heap, path) = arrived(state, passage, self.program.functions[point.func].values.len());
        let found = self.domain.first_time(heap, path, passage, registers);
        let Some(first) = found.as_ref().map(|found| found.first).filter(|&first| first != passage) else {
            return Ok(found);
        };
        let named = self.named(point, passage, values);
        let (own, others) = (self.domain.forget_values(passage, &named), self.domain.forget_values(first, &named));
        for ((_, ty, _), (own, other)) in named.iter().zip(own.iter().zip(&others)) {
            let Some(ty) = u8::try_from(ty.bits()).ok().filter(|&bits| bits <= 64).map(Type::Int) else { continue };
            let same = self.domain.int_compare(IntPredicate::Eq, ty, own, other);
            if !decide(&mut self.domain, &state.path, &same, DecisionKind::Assume)? {
                return Err(Stop::End(Box::new(PathEnd::Infeasible)));
            }
        }
        Ok(found)
    }

    /// A recursion that is replaced calls one of its functions: what the call returns and may write is forgotten.
    pub(super) fn forget_call<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        func: FuncId,
    ) -> Result<(), Stop<D>> {
        let point = self.cx(state, observer).point();
        if !self.passes_call(state, point)? {
            return self.look_into(state, observer, point, func);
        }
        let program = self.program.clone();
        let block = &program.functions[point.func].blocks[point.block];
        let results = block.insts.get(point.inst as usize).map_or(&[][..], |call| &call.results);
        self.forget(state, observer, (point, Replaced::Call(point.inst), &LoopLimits::default()), results, None);
        self.cx(state, observer).advance();
        Ok(())
    }

    /// Whether a call is passed over; it is looked into at most once on a path.
    fn passes_call(&mut self, state: &mut State<D>, point: ProgramPoint) -> Result<bool, Stop<D>> {
        let ProgramPoint { func, inst, .. } = point;
        let is_inside = state.current_thread().frames.iter().any(|frame| frame.is_any);
        if is_inside || !self.options.marks.abstractions.looks_into(func) {
            return Ok(true);
        }
        let passage = Passage { what: Replaced::Question(inst), ..next(state, (point, Replaced::Call(inst))) };
        let question = (ValueId::from_index(0), Type::Int(1), format!("passing {}", self.place(point, passage.what)));
        let unknown = self.domain.forget_values(passage, &[question]);
        let Some(passes) = unknown.first() else { return Ok(true) };
        let passes = decide(&mut self.domain, &state.path, passes, DecisionKind::PassesCall)?;
        self.observe(state, Observed::Loop(passage));
        Ok(passes)
    }

    /// Enters some activation of a function: with any arguments, and where what the call may write is forgotten.
    fn look_into<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        point: ProgramPoint,
        func: FuncId,
    ) -> Result<(), Stop<D>> {
        self.forget(state, observer, (point, Replaced::Call(point.inst), &LoopLimits::default()), &[], None);
        let mut cx = self.cx(state, observer);
        cx.push_frame(func)?;
        if let Some(frame) = cx.thread.frames.last_mut() {
            frame.is_any = true;
        }
        cx.entered();
        let entry = ProgramPoint { func, block: BlockId::from_index(0), inst: 0 };
        let program = self.program.clone();
        let params = &program.functions[func].params;
        let passage = pass(state, (entry, Replaced::Activation));
        let unknown = self.unknown(state, (entry, passage, passage), params);
        self.set_all(state, observer, params, unknown);
        Ok(())
    }

    fn forget<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        at: (ProgramPoint, Replaced, &LoopLimits),
        values: &[ValueId],
        repeatable: Option<Repeatable>,
    ) {
        observer.begin(state, &self.code);
        // What the code writes is computed from the registers as control comes to it.
        let passage = pass(state, (at.0, at.1));
        let place = self.place(at.0, at.1);
        let count = self.program.functions[passage.func].values.len();
        let first = repeatable.as_ref().map_or(passage, |repeatable| repeatable.first);
        let unknown = self.unknown(state, (at.0, passage, first), values);
        let (registers, heap, path) = arrived(state, passage, count);
        let Forgot { regions, counters, mut uses } =
            self.domain.forget_memory(heap, path, (passage, first), &place, (registers, at.2));
        uses.repeatable = repeatable;
        self.set_all(state, observer, values, unknown);
        let (moved, positions): (Vec<ValueId>, Vec<D::Value>) = counters.into_iter().unzip();
        self.set_all(state, observer, &moved, positions);
        if O::ENABLED {
            let cx = self.cx(state, observer);
            let frame = cx.frame().id;
            let call = match at.1 {
                Replaced::Call(inst) => Some(inst),
                Replaced::Loop | Replaced::Question(_) | Replaced::Activation => None,
            };
            cx.observer.forget(frame, call, regions.into(), moved.into(), uses);
        }
    }

    /// Values that nobody knows for registers of the innermost activation: the same as the first time that they were.
    fn unknown(
        &mut self,
        state: &mut State<D>,
        (point, passage, first): (ProgramPoint, Passage, Passage),
        values: &[ValueId],
    ) -> Vec<D::Value> {
        let unknown = self.named(point, passage, values);
        if passage == first {
            self.observe(state, Observed::Loop(passage));
        }
        self.domain.forget_values(first, &unknown)
    }

    /// Registers with their types and what they are called where what they hold was replaced.
    fn named(&self, point: ProgramPoint, passage: Passage, values: &[ValueId]) -> Vec<(ValueId, Type, String)> {
        let function = &self.program.functions[point.func];
        let place = self.place(point, passage.what);
        let definitions = Definitions::new(function);
        let names = Expressions::new(&self.program, function, &definitions);
        let word = if passage.what == Replaced::Activation { "inside" } else { "past" };
        let named = |&value: &ValueId| {
            let name = names.name(Operand::Value(value));
            (value, function.values[value].ty, format!("{name} {word} {place}"))
        };
        values.iter().map(named).collect()
    }

    fn set_all<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        registers: &[ValueId],
        values: Vec<D::Value>,
    ) {
        let mut cx = self.cx(state, observer);
        for (&register, value) in registers.iter().zip(values) {
            cx.set(Code::slot(register), value);
        }
    }

    /// A place in the source for people; of a loop that reads options or lines, what it reads.
    fn place(&self, point: ProgramPoint, what: Replaced) -> String {
        if what == Replaced::Loop
            && let Some(read) = self.is_read_by_loop(point)
        {
            return read.to_owned();
        }
        let function = &self.program.functions[point.func];
        let insts = &function.blocks[point.block].insts;
        let own = insts.get(point.inst as usize).and_then(|inst| inst.loc);
        let loc = own.or_else(|| insts.iter().find_map(|i| i.loc)).or(function.loc);
        loc.map_or_else(|| function.name.clone(), |loc| self.program.describe_loc(loc))
    }
}

impl<D: Domain> Machine<D> {
    /// What a loop of the program reads piece by piece, if its own calls say so.
    fn is_read_by_loop(&self, header: ProgramPoint) -> Option<&'static str> {
        let function = &self.program.functions[header.func];
        let replaced = self.options.marks.abstractions.loops.get(&(header.func, header.block))?;
        let insts = replaced.blocks.iter().flat_map(|&block| &function.blocks[block].insts);
        let called = insts.filter_map(|inst| match inst.op {
            Op::Call { callee: Callee::Direct(callee), .. } => Some(&self.program.functions[callee]),
            _ => None,
        });
        let models = called.filter(|callee| callee.origin == Origin::Model && function.origin == Origin::Program);
        models.into_iter().find_map(|callee| icsched_externals::reads_pieces(callee.library_name()))
    }
}

/// The current thread comes to something that is replaced.
fn pass<D: Domain>(state: &mut State<D>, at: (ProgramPoint, Replaced)) -> Passage {
    let passage = next(state, at);
    let Passage { thread, func, block, what, occurrence } = passage;
    Rc::make_mut(&mut state.passages).insert((thread, func, block, what), occurrence + 1);
    passage
}

/// The next time that the current thread comes to something that is replaced.
fn next<D: Domain>(state: &State<D>, (ProgramPoint { func, block, .. }, what): (ProgramPoint, Replaced)) -> Passage {
    let occurrence = count(state, (func, block, what));
    Passage { thread: state.current, func, block, what, occurrence }
}

/// The registers of the activation that has come to something, `count` of them, with memory and the path.
fn arrived<D: Domain>(
    state: &mut State<D>,
    passage: Passage,
    count: usize,
) -> (&[D::Value], &mut Heap<D>, &mut D::Path) {
    let State { threads, heap, path, .. } = state;
    let activation = &threads[passage.thread.0 as usize];
    let base = activation.frames.last().map_or(0, |frame| frame.base as usize);
    (activation.registers.get(base..base + count).unwrap_or_default(), heap, path)
}

/// How often the current thread has come to something that is replaced.
fn count<D: Domain>(state: &State<D>, (func, block, what): (FuncId, BlockId, Replaced)) -> u32 {
    state.passages.get(&(state.current, func, block, what)).copied().unwrap_or(0)
}
