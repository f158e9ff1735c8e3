//! Threads: waiting, waking, switching, ending, deadlock (Bergan 2.5, figures 2.11 and 2.13).
//!
//! A thread that waits stays at the call that waits, so that its calling context says where; being woken completes the
//! call.

use std::rc::Rc;

use icsched_ir::{CallStack, EntityId, FuncId, Origin, ProgramPoint, Type};

use super::Machine;
use super::context::Cx;
use crate::code::Code;
use crate::domain::Domain;
use crate::memory::Death;
use crate::observe::Observer;
use crate::scheduler::SchedulingPoint;
use crate::state::{Startup, State};
use crate::stop::{BlockedThread, PathEnd, Stop};
use crate::thread::{Thread, ThreadId, ThreadStatus};

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
        let frames = &self.thread(thread).frames;
        let is_model = |i: usize| code.functions[frames[i].func].origin == Origin::Model;
        let first_model = (0..frames.len()).rev().take_while(|&i| is_model(i)).last();
        let (named, len) = match first_model {
            Some(0) => (0, 1),
            Some(i) => (i, i),
            None => (frames.len().saturating_sub(1), frames.len()),
        };
        let operation = frames.get(named).map(|f| self.program().functions[f.func].name.clone()).unwrap_or_default();
        let stack = frames[..len].iter().map(|f| code.point(f.func, f.pc)).collect();
        ProgramCall { operation, stack: CallStack(stack) }
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

    /// The thread that has waited longest among those for which `wanted` holds.
    fn first_waiter(&self, wanted: impl Fn(u64, bool) -> bool) -> Option<ThreadId> {
        let waiting = self.threads.iter().filter_map(|t| match t.status {
            ThreadStatus::Waiting { queue, timed, since } if wanted(queue, timed) => Some((since, t.id)),
            ThreadStatus::Waiting { .. } | ThreadStatus::Enabled | ThreadStatus::Finished => None,
        });
        waiting.min().map(|(_, id)| id)
    }
}

impl<D: Domain> Machine<D> {
    /// Lets the scheduler choose the thread that goes on.
    pub(super) fn reschedule<O: Observer>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        why: SchedulingPoint,
    ) -> Result<(), Stop<D>> {
        state.since_switch = 0;
        state.atomics_since_switch = 0;
        state.spin = Default::default();
        if !state.threads.iter().any(|t| t.is_enabled()) && !self.unstick(state, observer)? {
            return Ok(());
        }
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

    /// Lets the oldest timed wait run out; false if there is none.
    pub(super) fn end_timed_wait(&mut self, state: &mut State<D>) -> bool {
        let waiter = state.first_waiter(|_, timed| timed);
        if let Some(waiter) = waiter {
            self.wake(state, waiter, 1);
        }
        waiter.is_some()
    }

    /// No thread is enabled: a timed wait runs out, or the process ends, or it is a deadlock. False when the current
    /// thread has been set to go on.
    fn unstick<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<bool, Stop<D>> {
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
            if O::ENABLED {
                observer.switch(ThreadId::MAIN);
            }
            self.start_exit(state, observer, D::constant(0))?;
            return Ok(false);
        }
        let blocked = state.live_threads().map(|t| self.blocked(state, t)).collect();
        Err(Stop::End(Box::new(PathEnd::Deadlock { blocked })))
    }

    fn blocked(&self, state: &State<D>, thread: &Thread<D>) -> BlockedThread {
        let call = state.program_call(&self.code, thread.id);
        let queue = match thread.status {
            ThreadStatus::Waiting { queue, .. } => queue,
            ThreadStatus::Enabled | ThreadStatus::Finished => 0,
        };
        let holder = state.holder(queue);
        BlockedThread { thread: thread.id, queue, stack: call.stack, operation: call.operation, holder }
    }

    /// The current thread waits on a queue.
    pub(super) fn wait<O: Observer>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        queue: u64,
        timed: bool,
    ) -> Result<(), Stop<D>> {
        let since = state.next_wait;
        state.next_wait += 1;
        state.thread_mut(state.current).status = ThreadStatus::Waiting { queue, timed, since };
        self.reschedule(state, observer, SchedulingPoint::Blocked)
    }

    /// Wakes the first waiter of a queue, or all of them.
    pub(super) fn notify(&mut self, state: &mut State<D>, queue: u64, all: bool) {
        while let Some(waiter) = state.first_waiter(|q, _| q == queue) {
            self.wake(state, waiter, 0);
            if !all {
                return;
            }
        }
    }

    /// Wakes the thread of a slot, if it waits.
    pub(super) fn notify_slot(&mut self, state: &mut State<D>, slot: u32) {
        if let Some(id) = state.thread_of_slot(slot)
            && matches!(state.thread(id).status, ThreadStatus::Waiting { .. })
        {
            self.wake(state, id, 0);
        }
    }

    /// Completes a thread's wait with this result.
    fn wake(&mut self, state: &mut State<D>, id: ThreadId, result: u64) {
        let code = self.code.clone();
        let thread = state.thread_mut(id);
        thread.status = ThreadStatus::Enabled;
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
    pub(super) fn create_thread<O: Observer>(
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
        let creator = std::mem::replace(&mut state.current, id);
        state.threads.push(Rc::new(Thread::new(id, slot, globals)));
        let mut cx = self.cx(state, observer);
        let pushed = cx.call_with(start, &[(arg.clone(), Type::Ptr)]);
        if pushed.is_ok() && O::ENABLED {
            cx.announce(None, by);
        }
        state.current = creator;
        if pushed.is_err() {
            state.threads.pop();
        }
        pushed.map(|()| id)
    }

    /// Ends the current thread: its activations are dropped, its locals and thread-locals die.
    pub(super) fn end_thread<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        let mut cx = self.cx(state, observer);
        while !cx.thread.frames.is_empty() {
            cx.pop_frame();
        }
        cx.end();
        if O::ENABLED {
            observer.thread_end(state.current);
        }
        self.reschedule(state, observer, SchedulingPoint::Ended)
    }
}

impl<D: Domain, O: Observer> Cx<'_, D, O> {
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
