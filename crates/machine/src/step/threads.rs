//! Threads: waiting, waking, switching, ending, deadlock (Bergan 2.5, figures 2.11 and 2.13).
//!
//! A thread that waits stays at the call that waits, so that its calling context says where; being woken completes the
//! call.

use std::rc::Rc;

use icsched_ir::{
    BinOp, CallStack, EntityId, FuncId, IntPredicate, Origin, ProgramPoint, Type, modelled_function, source_name,
};

use super::context::{Cx, decide};
use super::{Machine, Switching, operations};
use crate::budgets::BUDGETS;
use crate::code::Code;
use crate::domain::Domain;
use crate::memory::Death;
use crate::observe::Observer;
use crate::scheduler::SchedulingPoint;
use crate::state::{Startup, State};
use crate::stop::{BlockedThread, DecisionKind, PathEnd, Stop};
use crate::thread::{Frame, FrameId, Thread, ThreadId, ThreadStatus};

/// What an instruction takes on the run's clock: about what it takes to interpret it, so that a thread that works
/// while another one sleeps does as much work as the user waits for.
const NANOSECONDS_PER_INSTRUCTION: u64 = 10;

/// The deadline of a wait that runs out only when nothing else can happen.
const NO_DEADLINE: u64 = u64::MAX;

/// The program's call that led a thread into the models.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramCall {
    /// The library function that was called, or the innermost function of the program when no model is running.
    pub operation: String,
    /// The calling context, its last entry the program's call.
    pub stack: CallStack,
}

impl<D: Domain> State<D> {
    /// The innermost call by which `thread` went from the program into a model. In a thread that only runs models,
    /// its bottom frame counts as the call.
    pub fn program_call(&self, code: &Code, thread: ThreadId) -> ProgramCall {
        let (function, stack) = self.program_call_of(code, thread);
        let called = function.map_or("", |function| self.program().functions[function].library_name());
        let operation = source_name(modelled_function(called)).into_owned();
        ProgramCall { operation, stack }
    }

    /// The same, with the function that was called.
    pub(super) fn program_call_of(&self, code: &Code, thread: ThreadId) -> (Option<FuncId>, CallStack) {
        let frames = &self.thread(thread).frames;
        let is_model = |i: usize| code.functions[frames[i].func].origin == Origin::Model;
        let first_model = (0..frames.len()).rev().take_while(|&i| is_model(i)).last();
        let (named, len) = match first_model {
            Some(0) => (0, 1),
            Some(i) => (i, i),
            None => (frames.len().saturating_sub(1), frames.len()),
        };
        let stack = frames[..len].iter().map(|f| code.point(f.func, f.pc)).collect();
        (frames.get(named).map(|f| f.func), CallStack(stack))
    }

    /// The activation of the library function that a thread is in and that the program has called.
    pub(super) fn library_call(&self, code: &Code, thread: ThreadId) -> Option<FrameId> {
        let is_model = |frame: &&Frame| code.functions[frame.func].origin == Origin::Model;
        self.thread(thread).frames.iter().rev().take_while(is_model).last().map(|frame| frame.id)
    }

    /// The innermost point of the program itself in the current thread: what heap objects are attributed to.
    pub(crate) fn program_point(&self, code: &Code) -> Option<ProgramPoint> {
        let frames = &self.current_thread().frames;
        let own = frames.iter().rev().find(|f| code.functions[f.func].origin == Origin::Program);
        own.or(frames.last()).map(|f| code.point(f.func, f.pc))
    }

    /// The thread that was given this slot, if it lives.
    fn thread_of_slot(&self, slot: u32) -> Option<ThreadId> {
        self.live_threads().find(|t| t.slot == slot).map(|t| t.id)
    }

    /// The timed wait that runs out first, with its deadline.
    fn first_deadline(&self) -> Option<(u64, ThreadId)> {
        let waiting = self.live_threads().filter_map(|t| match t.status {
            ThreadStatus::Waiting { deadline: Some(deadline), since, .. } => Some((deadline, since, t.id)),
            ThreadStatus::Waiting { deadline: None, .. }
            | ThreadStatus::Enabled
            | ThreadStatus::AtMarker
            | ThreadStatus::Finished
            | ThreadStatus::Left
            | ThreadStatus::Endless => None,
        });
        waiting.min().map(|(deadline, _, id)| (deadline, id))
    }

    /// Nanoseconds that the thread instructions took so far.
    pub fn busy_time(&self) -> u64 {
        self.instructions.saturating_mul(NANOSECONDS_PER_INSTRUCTION)
    }

    /// Nanoseconds since the start of the run, waits included.
    pub fn clock(&self) -> u64 {
        self.busy_time().saturating_add(self.waited)
    }

    /// Instructions until the earliest deadline.
    pub(super) fn until_deadline(&self) -> u64 {
        self.next_deadline.saturating_sub(self.clock()).div_ceil(NANOSECONDS_PER_INSTRUCTION)
    }
}

impl<D: Domain> Machine<D> {
    /// Lets the scheduler choose the thread that goes on.
    pub(super) fn reschedule<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        why: SchedulingPoint,
    ) -> Result<(), Stop<D>> {
        state.since_switch = 0;
        state.atomics_since_switch = 0;
        state.spin = Default::default();
        self.end_due_waits(state);
        if !state.live_threads().any(Thread::is_enabled) && !self.unstick(state, observer)? {
            return Ok(());
        }
        state.switching = self.is_choice(state, why);
        let next = self.scheduler.choose(state, why);
        debug_assert!(state.thread(next).is_enabled(), "schedulers choose enabled threads");
        if next != state.current {
            state.thread_mut(state.current).yields = 0;
            state.current = next;
            if O::ENABLED {
                observer.switch(next);
            }
        }
        Ok(())
    }

    /// Whether it is to be chosen from outside which thread goes on.
    fn is_choice(&self, state: &State<D>, why: SchedulingPoint) -> bool {
        let asked = match (self.options.switching, why) {
            (Switching::Scheduler, _) | (_, SchedulingPoint::Fairness | SchedulingPoint::Pause) => false,
            (_, SchedulingPoint::Blocked | SchedulingPoint::Ended) => true,
            (Switching::Blocking, SchedulingPoint::Yield | SchedulingPoint::Exit) => false,
            (Switching::Everywhere, SchedulingPoint::Yield | SchedulingPoint::Exit) => true,
        };
        asked && state.live_threads().filter(|t| t.is_enabled()).count() > 1
    }

    /// Lets the timed wait with the earliest deadline run out, however late that is; false if there is none.
    pub(super) fn end_timed_wait(&mut self, state: &mut State<D>) -> bool {
        let Some((deadline, waiter)) = state.first_deadline() else { return false };
        if deadline != NO_DEADLINE {
            state.waited = state.waited.max(deadline.saturating_sub(state.busy_time()));
        }
        self.wake(state, waiter, 1);
        true
    }

    /// Lets all timed waits run out whose deadline has come; whether there was one.
    pub(super) fn end_due_waits(&mut self, state: &mut State<D>) -> bool {
        let mut any = false;
        while state.next_deadline <= state.clock() {
            match state.first_deadline() {
                Some((deadline, waiter)) if deadline <= state.clock() => {
                    self.wake(state, waiter, 1);
                    any = true;
                }
                other => state.next_deadline = other.map_or(NO_DEADLINE, |(deadline, _)| deadline),
            }
        }
        any
    }

    /// No thread is enabled: markers are passed, the epoch ends, a timed wait runs out, the process ends, or it is a
    /// deadlock. False when the current thread has been set to go on.
    fn unstick<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<bool, Stop<D>> {
        if state.live_threads().any(|t| t.status == ThreadStatus::AtMarker) {
            if self.pass_late(state, observer) {
                return Ok(true);
            }
            self.fold(state);
            return Err(Stop::End(Box::new(PathEnd::Epoch)));
        }
        if self.end_timed_wait(state) {
            return Ok(true);
        }
        if state.live_threads().next().is_none() {
            // The last thread has ended: as if by exit(0), on behalf of the main thread.
            state.current = ThreadId::MAIN;
            if state.startup == Startup::Exit {
                return Err(Stop::End(Box::new(PathEnd::Exit { status: Some(0) })));
            }
            state.thread_mut(ThreadId::MAIN).status = ThreadStatus::Enabled;
            state.live = Rc::new(vec![ThreadId::MAIN]);
            if O::ENABLED {
                observer.switch(ThreadId::MAIN);
            }
            self.start_exit(state, observer, D::constant(0))?;
            return Ok(false);
        }
        if state.live_threads().any(|t| t.status == ThreadStatus::Left) {
            return Err(Stop::End(Box::new(PathEnd::LeftContext)));
        }
        if self.look_at_endless(state) {
            return Ok(true);
        }
        let is_endless = |t: &&Thread<D>| t.status == ThreadStatus::Endless;
        let loops: Vec<_> =
            state.live_threads().filter(is_endless).map(|t| (t.id, state.stack(&self.code, t.id))).collect();
        let waiting = state.live_threads().filter(|t| !is_endless(t));
        let blocked = waiting.map(|t| self.blocked(state, t)).collect();
        Err(Stop::End(Box::new(match loops.is_empty() {
            true => PathEnd::Deadlock { blocked },
            false => PathEnd::Endless { loops, blocked },
        })))
    }

    /// The current thread goes round for ever, as far as memory stays as it is: others go on.
    pub fn goes_round_for_ever<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
    ) -> Result<(), Stop<D>> {
        let now = state.instructions;
        let thread = state.thread_mut(state.current);
        thread.status = ThreadStatus::Endless;
        thread.endless = (now, thread.endless.1 + 1);
        self.reschedule(state, observer, SchedulingPoint::Blocked)
    }

    /// All threads that could go on repeat themselves, and nothing that they read changes any more.
    pub(super) fn all_go_round_for_ever<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
    ) -> Result<(), Stop<D>> {
        let enabled: Vec<ThreadId> = state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
        let now = state.instructions;
        for id in enabled {
            let thread = state.thread_mut(id);
            thread.status = ThreadStatus::Endless;
            thread.endless = (now, BUDGETS.endless_looks);
        }
        self.reschedule(state, observer, SchedulingPoint::Blocked)
    }

    /// Lets threads that go round for ever look again at what others may have changed meanwhile: without data races
    /// that is nothing, but who polls a variable without synchronisation leaves the loop then.
    fn look_at_endless(&self, state: &mut State<D>) -> bool {
        let now = state.instructions;
        let may_leave = |t: &&Thread<D>| {
            t.status == ThreadStatus::Endless && t.endless.0 + 1 < now && t.endless.1 < BUDGETS.endless_looks
        };
        let found: Vec<ThreadId> = state.live_threads().filter(may_leave).map(|t| t.id).collect();
        for &id in &found {
            state.thread_mut(id).status = ThreadStatus::Enabled;
        }
        !found.is_empty()
    }

    fn blocked(&self, state: &State<D>, thread: &Thread<D>) -> BlockedThread {
        let call = state.program_call(&self.code, thread.id);
        let waits = matches!(thread.status, ThreadStatus::Waiting { .. });
        let queue = D::as_constant(&thread.queue).filter(|_| waits).unwrap_or(0);
        let holder = if waits { state.holder(&thread.queue) } else { None };
        BlockedThread { thread: thread.id, queue, stack: call.stack, operation: call.operation, holder }
    }

    /// Others go on while the current thread is at a marker.
    pub(crate) fn stops_at_marker<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
    ) -> Result<(), Stop<D>> {
        self.reschedule(state, observer, SchedulingPoint::Blocked)
    }

    /// The current thread waits on a queue.
    pub(super) fn wait<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        queue: D::Value,
        deadline: Option<u64>,
    ) -> Result<(), Stop<D>> {
        let since = state.next_wait;
        state.next_wait += 1;
        let thread = state.thread_mut(state.current);
        thread.status = ThreadStatus::Waiting { deadline, since };
        thread.queue = queue;
        state.next_deadline = state.next_deadline.min(deadline.unwrap_or(NO_DEADLINE));
        state.pauses = 0;
        self.reschedule(state, observer, SchedulingPoint::Blocked)
    }

    /// Wakes the first waiter of a queue, or all of them. Which those are is asked where addresses of queues are not
    /// constant: the cases of Bergan 2.5.2, one after the other. Nothing is changed before the last question is
    /// answered.
    pub(super) fn notify(&mut self, state: &mut State<D>, queue: &D::Value, all: bool) -> Result<(), Stop<D>> {
        let waiters = state.waiters();
        let mut woken = Vec::new();
        for &waiter in &waiters {
            let mut is_next = self.is_in(state, waiter, queue);
            if !all {
                let first = self.is_first(state, waiter, &waiters, queue)?;
                is_next = and(&mut self.domain, &state.path, &is_next, &first)?;
            }
            if decide(&mut self.domain, &state.path, &is_next, DecisionKind::Wake)? {
                woken.push(waiter);
                if !all {
                    break;
                }
            }
        }
        for waiter in woken {
            self.wake(state, waiter, 0);
        }
        Ok(())
    }

    /// Whether a waiting thread is in this queue.
    fn is_in(&mut self, state: &State<D>, waiter: ThreadId, queue: &D::Value) -> D::Value {
        let own = &state.thread(waiter).queue;
        operations::int_compare(&mut self.domain, IntPredicate::Eq, Type::Ptr, own, queue)
    }

    /// Whether no thread that waits in this queue since before the initial state has waited there longer.
    fn is_first(
        &mut self,
        state: &State<D>,
        waiter: ThreadId,
        waiters: &[ThreadId],
        queue: &D::Value,
    ) -> Result<D::Value, Stop<D>> {
        let mut first = D::constant(1);
        let Some(own) = state.thread(waiter).timestamp.clone() else { return Ok(first) };
        for &other in waiters.iter().filter(|&&other| other != waiter) {
            let Some(since) = state.thread(other).timestamp.clone() else { continue };
            let before = operations::int_compare(&mut self.domain, IntPredicate::Slt, Type::Int(64), &own, &since);
            let elsewhere = self.is_in(state, other, queue);
            let elsewhere =
                operations::int_compare(&mut self.domain, IntPredicate::Eq, Type::Int(1), &elsewhere, &D::constant(0));
            let fits = operations::binary(&mut self.domain, &state.path, BinOp::Or, Type::Int(1), &elsewhere, &before)?;
            first = and(&mut self.domain, &state.path, &first, &fits)?;
        }
        Ok(first)
    }

    /// Wakes the thread of a slot, if it waits; whether it did.
    pub(super) fn notify_slot(&mut self, state: &mut State<D>, slot: u32) -> bool {
        let waits = |id: &ThreadId| matches!(state.thread(*id).status, ThreadStatus::Waiting { .. });
        let waiter = state.thread_of_slot(slot).filter(waits);
        if let Some(id) = waiter {
            self.wake(state, id, 0);
        }
        waiter.is_some()
    }

    /// Has the thread of a slot call a function as soon as it executes the program itself, unless it cannot run or is
    /// the current one; whether it will.
    pub(super) fn interrupt(&mut self, state: &mut State<D>, slot: u32, handler: FuncId) -> bool {
        let current = state.current;
        let Some(id) = state.thread_of_slot(slot).filter(|&id| id != current) else { return false };
        let enabled = state.thread(id).is_enabled();
        if enabled {
            state.thread_mut(id).interrupt = Some(handler);
        }
        enabled
    }

    /// Whether the current thread executes the program itself, and not a model, which may not be interrupted.
    pub fn is_in_program(&self, state: &State<D>) -> bool {
        state.current_thread().top().is_some_and(|f| self.code.functions[f.func].origin == Origin::Program)
    }

    /// Starts what the current thread was interrupted for.
    pub(super) fn start_interrupt<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
    ) -> Result<(), Stop<D>> {
        match state.thread_mut(state.current).interrupt.take() {
            Some(handler) => {
                let mut cx = self.cx(state, observer);
                cx.call_with(handler, &[])?;
                if O::ENABLED {
                    cx.announce(None, None);
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Completes a thread's wait with this result.
    fn wake(&mut self, state: &mut State<D>, id: ThreadId, result: u64) {
        let code = self.code.clone();
        let thread = state.thread_mut(id);
        thread.status = ThreadStatus::Enabled;
        thread.timestamp = None;
        let Some(frame) = thread.frames.last_mut() else { return };
        let function = &code.functions[frame.func];
        if let crate::code::Instr::Call { call } = function.instrs[frame.pc as usize]
            && let Some(&slot) = function.calls[call as usize].results.first()
        {
            thread.registers[frame.base as usize + slot as usize] = D::constant(result);
        }
        frame.pc += 1;
    }

    /// Makes a thread that runs `start(arg)`; the caller goes on.
    pub(super) fn create_thread<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        start: FuncId,
        arg: &D::Value,
        slot: u32,
    ) -> Result<ThreadId, Stop<D>> {
        let id = ThreadId(u32::try_from(state.threads.len()).expect("threads are few"));
        let globals = state.program().globals.len();
        let by = state.current_frame().zip(state.point(&self.code)).map(|(f, p)| (f, p.inst));
        if self.code.functions[start].is_declaration() {
            let what = format!("a thread that runs `{}`, which is not defined", state.program().functions[start].name);
            return Err(Stop::Unsupported { what });
        }
        let mut callers = state.current_thread().frames.iter().rev();
        let from = callers.find(|f| self.code.functions[f.func].origin == Origin::Program).map(|f| f.id);
        let creator = std::mem::replace(&mut state.current, id);
        let mut created = Thread::new(id, slot, globals);
        created.creator = from;
        state.threads.push(Rc::new(created));
        let mut cx = self.cx(state, observer);
        let pushed = cx.call_with(start, &[(arg.clone(), Type::Ptr)]);
        if pushed.is_ok() && O::ENABLED {
            cx.announce(None, by);
        }
        state.current = creator;
        match pushed {
            Ok(()) => Rc::make_mut(&mut state.live).push(id),
            Err(_) => drop(state.threads.pop()),
        }
        pushed.map(|()| id)
    }

    /// Ends the current thread: its activations are dropped, its locals and thread-locals die.
    pub(super) fn end_thread<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        let mut cx = self.cx(state, observer);
        while !cx.thread.frames.is_empty() {
            cx.pop_frame();
        }
        cx.end();
        let ended = state.current;
        Rc::make_mut(&mut state.live).retain(|&id| id != ended);
        if O::ENABLED {
            observer.thread_end(state.current);
        }
        self.reschedule(state, observer, SchedulingPoint::Ended)
    }
}

impl<D: Domain> Machine<D> {
    /// The oldest known activation of the current thread returns to nobody knows where.
    pub(super) fn leave_context<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
    ) -> Result<(), Stop<D>> {
        state.thread_mut(state.current).status = ThreadStatus::Left;
        self.reschedule(state, observer, SchedulingPoint::Ended)
    }
}

/// `a && b`.
fn and<D: Domain>(domain: &mut D, path: &D::Path, a: &D::Value, b: &D::Value) -> Result<D::Value, Stop<D>> {
    operations::binary(domain, path, BinOp::And, Type::Int(1), a, b)
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    fn end(&mut self) {
        self.thread.status = ThreadStatus::Finished;
        let locals = std::mem::take(&mut self.thread.thread_locals);
        for object in locals.iter().flatten() {
            self.heap.kill(*object, Death::ThreadEnded, None);
        }
        // A main thread that comes back to run exit handlers has fresh ones.
        let program: &icsched_ir::Program = self.heap.program();
        self.thread.thread_locals = Rc::new(vec![None; program.globals.next_id().index()]);
    }
}
