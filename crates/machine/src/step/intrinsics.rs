//! The operations of the engine that models call; what each means is said at [`Intrinsic`].

use std::rc::Rc;

use icsched_ir::{IntPredicate, Intrinsic, MAX_OBJECT, ProgramPoint, Type, source_text, too_large};

use super::context::Cx;
use super::events::Named;
use super::indeterminate::forgive;
use super::{Machine, SyncObjects, operations, startup};
use crate::budgets::BUDGETS;
use crate::domain::Domain;
use crate::memory::{ADDRESS_SPACE, AddressClass, Death, Family, ObjectKind, address, classify};
use crate::names::any_between;
use crate::observe::Observer;
use crate::scheduler::SchedulingPoint;
use crate::state::State;
use crate::stop::{DecisionKind, ErrorKind, PathEnd, Stop};
use crate::thread::FrameId;
use crate::trace::{EventMode, EventObject, SyncEvent};

/// What an intrinsic leaves to do.
pub(super) enum Done<D: Domain> {
    /// It returns this (nothing, if its type is `void`).
    Value(D::Value),
    /// Control has been dealt with.
    Moved,
}

impl<D: Domain> Machine<D> {
    /// Executes the intrinsic that the current thread is at.
    pub(super) fn intrinsic<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        intrinsic: Intrinsic,
    ) -> Result<(), Stop<D>> {
        let place = if O::ENABLED { state.current_frame().zip(state.point(&self.code)) } else { None };
        let done = if intrinsic.is_host() || intrinsic.is_input() {
            self.outside(state, observer, intrinsic).map(Done::Value)
        } else {
            self.inside(state, observer, intrinsic)
        };
        // What ends the path was executed too: the wait that completes a deadlock is synchronisation.
        if matches!(done, Ok(_) | Err(Stop::End(_))) {
            Self::report(observer, place, intrinsic);
        }
        if let Done::Value(value) = done? {
            let mut cx = self.cx(state, observer);
            if let Some(&slot) = cx.current_call().results.first() {
                cx.set(slot, value);
            }
            cx.advance();
        }
        if intrinsic == Intrinsic::Yield || intrinsic == Intrinsic::Pause {
            return self.pass(state, observer, intrinsic);
        }
        Ok(())
    }

    fn report<O: Observer<D>>(observer: &mut O, place: Option<(FrameId, ProgramPoint)>, intrinsic: Intrinsic) {
        let plain = matches!(
            intrinsic,
            Intrinsic::MemCopy
                | Intrinsic::MemMove
                | Intrinsic::MemSet
                | Intrinsic::StackSave
                | Intrinsic::StackRestore
                | Intrinsic::Known
                | Intrinsic::Handle
                | Intrinsic::Leave
        );
        if let Some((frame, point)) = place
            && !plain
        {
            observer.intrinsic(frame, point.inst, intrinsic);
        }
    }

    /// A scheduling point, behind the call.
    fn pass<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        intrinsic: Intrinsic,
    ) -> Result<(), Stop<D>> {
        let thread = state.thread_mut(state.current);
        thread.yields = thread.yields.saturating_add(1);
        let why = if intrinsic == Intrinsic::Yield { SchedulingPoint::Yield } else { SchedulingPoint::Pause };
        state.pauses = if why == SchedulingPoint::Pause { state.pauses + 1 } else { 0 };
        if state.pauses >= BUDGETS.pauses {
            state.pauses = 0;
            self.end_timed_wait(state);
        }
        self.reschedule(state, observer, why)
    }

    #[allow(clippy::too_many_lines, reason = "a flat table of intrinsics")]
    fn inside<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        intrinsic: Intrinsic,
    ) -> Result<Done<D>, Stop<D>> {
        let none = Done::Value(D::constant(0));
        let mut cx = self.cx(state, observer);
        let args = &cx.current_call().args;
        Ok(match intrinsic {
            Intrinsic::Yield | Intrinsic::Pause => none,
            Intrinsic::Wait | Intrinsic::WaitTimed => {
                let queue = cx.sync_address(args[0])?;
                let deadline = match args.get(1) {
                    Some(&deadline) => Some(cx.constant(deadline, DecisionKind::Concretise)?),
                    None => None,
                };
                self.wait(state, observer, queue, deadline)?;
                Done::Moved
            }
            Intrinsic::NotifyOne | Intrinsic::NotifyAll => {
                let queue = cx.sync_address(args[0])?;
                self.notify(state, &queue, intrinsic == Intrinsic::NotifyAll)?;
                none
            }
            Intrinsic::NotifyThread => {
                let slot = cx.constant(args[0], DecisionKind::Concretise)?;
                Done::Value(D::constant(u64::from(self.notify_slot(state, slot as u32))))
            }
            Intrinsic::Interrupt | Intrinsic::Resume | Intrinsic::Clock if D::SYMBOLIC => {
                return Err(Stop::Unsupported { what: format!("`{}` in the symbolic domain", intrinsic.name()) });
            }
            Intrinsic::Interrupt => {
                let (slot, handler) = (cx.constant(args[0], DecisionKind::Concretise)?, cx.callee(args[1])?);
                let interrupted = self.interrupt(state, slot as u32, handler);
                Done::Value(D::constant(u64::from(interrupted)))
            }
            Intrinsic::Resume => {
                cx.pop_frame();
                Done::Moved
            }
            Intrinsic::ThreadCreate => {
                let (start, arg) = (cx.callee(args[0])?, cx.get(args[1]));
                let slot = cx.constant(args[2], DecisionKind::Concretise)? as u32;
                let id = self.create_thread(state, observer, start, &arg, slot)?;
                if state.record_events {
                    state.events.push(SyncEvent::Create { parent: state.current, child: id });
                }
                Done::Value(D::constant(u64::from(id.0)))
            }
            Intrinsic::ThreadSelf => Done::Value(D::constant(u64::from(cx.thread.slot))),
            Intrinsic::Clock => {
                let busy = cx.constant(args[0], DecisionKind::Concretise)? != 0;
                Done::Value(D::constant(if busy { state.busy_time() } else { state.clock() }))
            }
            Intrinsic::ThreadExit => {
                self.end_thread(state, observer)?;
                Done::Moved
            }
            Intrinsic::Acquire => {
                let lock = cx.sync_address(args[0])?;
                cx.thread.locks.push(lock);
                none
            }
            Intrinsic::Release => {
                let lock = cx.sync_address(args[0])?;
                release(state, &lock);
                none
            }
            Intrinsic::NotHeld => none,
            Intrinsic::Leave => {
                let left = cx.get(args[0]);
                if self.leave(state, observer, &left)? { Done::Moved } else { none }
            }
            Intrinsic::BarrierInit => {
                let (barrier, count) = (cx.sync_address(args[0])?, cx.get(args[1]));
                if let (Some(barrier), Some(count)) = (D::as_constant(&barrier), D::as_constant(&count)) {
                    Rc::make_mut(&mut state.barriers).insert(barrier, count);
                }
                none
            }
            Intrinsic::BarrierArrive => {
                cx.sync_address(args[0])?;
                none
            }
            Intrinsic::Event | Intrinsic::Order => {
                let object = cx.event_object(args[0])?;
                let shared = cx.constant(args[1], DecisionKind::Concretise)? != 0;
                let mode = if shared { EventMode::Shared } else { EventMode::Exclusive };
                self.event(state, intrinsic, object, mode);
                none
            }
            Intrinsic::Malloc if D::as_constant(&cx.get(args[0])).is_none() && !cx.domain.checks_memory() => {
                let bytes = cx.get(args[0]);
                let zeroed = cx.constant(args[1], DecisionKind::Concretise)? & 0xFFFF_FFFF != 0;
                if !cx.options.allocations_succeed && !cx.may_be_allocated(args[0])? {
                    return Ok(none);
                }
                let at = state.program_point(&self.code);
                let site = self.domain.allocation_site(&state.stack(&self.code, state.current));
                let object = self.domain.allocate_unsized(&mut state.heap, (at, site), zeroed);
                if let Some(object) = object {
                    state.heap.set_site(object, site);
                    state.heap.set_allocated_at(object, at);
                    state.heap.set_asked(object, &bytes);
                }
                Done::Value(D::constant(object.map_or(0, |object| address(object, 0))))
            }
            Intrinsic::Malloc => {
                if !cx.may_be_allocated(args[0])? {
                    return Ok(none);
                }
                let bytes = cx.constant(args[0], DecisionKind::Concretise)?;
                let zeroed = cx.constant(args[1], DecisionKind::Concretise)? & 0xFFFF_FFFF != 0;
                let at = state.program_point(&self.code);
                let object = match zeroed {
                    true => state.heap.allocate(ObjectKind::Heap, bytes, at),
                    false => state.heap.allocate_undefined(ObjectKind::Heap, bytes, at),
                };
                if D::SYMBOLIC {
                    let site = self.domain.allocation_site(&state.stack(&self.code, state.current));
                    state.heap.set_site(object, site);
                }
                if O::ENABLED {
                    let by = state.current_frame().zip(state.point(&self.code)).map(|(f, p)| (f, p.inst));
                    observer.allocate(object, ObjectKind::Heap, by);
                }
                Done::Value(D::constant(address(object, 0)))
            }
            Intrinsic::Free | Intrinsic::CheckFamily if cx.is_unchecked(args[0]) => none,
            Intrinsic::Free => {
                match cx.constant(args[0], DecisionKind::Other) {
                    Ok(bits) => self.free(state, bits).or_else(|stop| forgive(&state.heap, stop))?,
                    Err(stop) => forgive(cx.heap, stop)?,
                }
                none
            }
            Intrinsic::SetFamily => {
                let (bits, family) = cx.family(args[0], args[1])?;
                if let AddressClass::Object(id, 0) = classify(bits) {
                    cx.heap.set_family(id, family);
                }
                none
            }
            Intrinsic::CheckFamily => {
                let (bits, family) = cx.family(args[0], args[1])?;
                cx.check_family(bits, family).or_else(|stop| forgive(cx.heap, stop))?;
                none
            }
            Intrinsic::ObjectSize => Done::Value(D::constant(cx.object_size(args[0])?)),
            Intrinsic::Room => Done::Value(D::constant(cx.room(args[0])?)),
            Intrinsic::MemCopy | Intrinsic::MemMove => {
                let (to, from) = (cx.get(args[0]), cx.get(args[1]));
                cx.copy_some(&to, &from, args[2], intrinsic == Intrinsic::MemMove)?;
                none
            }
            Intrinsic::MemSet => {
                let (to, byte) = (cx.get(args[0]), cx.get(args[1]));
                cx.fill_word(&to, &byte, args[2])?;
                none
            }
            Intrinsic::Destructor => {
                let index = cx.constant(args[0], DecisionKind::Concretise)? as usize;
                let found = self.program.destructors.get(index);
                Done::Value(D::constant(found.map_or(0, |&func| crate::memory::function_address(func))))
            }
            Intrinsic::Exit => return Err(startup::exit_with(&cx.get(args[0]))),
            Intrinsic::StackSave => Done::Value(D::constant(cx.thread.stack_objects.len() as u64)),
            Intrinsic::StackRestore => {
                let mark = cx.constant(args[0], DecisionKind::Concretise)?;
                cx.cut_stack(usize::try_from(mark).unwrap_or(usize::MAX));
                none
            }
            Intrinsic::SaveContext => {
                cx.save_context(args[0])?;
                none
            }
            Intrinsic::RestoreContext => {
                self.jump(state, observer)?;
                Done::Moved
            }
            Intrinsic::Abort => {
                let stack = state.program_call(&self.code, state.current).stack;
                return Err(Stop::End(Box::new(PathEnd::Abort { stack })));
            }
            Intrinsic::AssertFail => {
                let expression = cx.text(args[0])?;
                let stack = state.program_call(&self.code, state.current).stack;
                return Err(Stop::End(Box::new(PathEnd::AssertFailed { expression, stack })));
            }
            Intrinsic::Error => {
                let message = cx.text(args[0])?;
                return Err(Stop::Fault { kind: ErrorKind::Model, message });
            }
            Intrinsic::Unsupported => {
                let what = source_text(&cx.text(args[0])?).into_owned();
                return Err(Stop::Unsupported { what });
            }
            Intrinsic::IsSymbolicDomain => {
                Done::Value(D::constant(u64::from(D::SYMBOLIC || cx.options.answers.is_some())))
            }
            Intrinsic::IsExact => Done::Value(D::constant(u64::from(cx.options.exact))),
            Intrinsic::MayFail => {
                let name = cx.text(args[0])?;
                let most =
                    if D::SYMBOLIC || cx.options.answers.is_some() { self.most_failures(state, &name) } else { 0 };
                Done::Value(D::constant(u64::from(most)))
            }
            Intrinsic::IsSymbolic => {
                let known = D::as_constant(&cx.get(args[0])).is_some();
                Done::Value(D::constant(u64::from(!known && !cx.options.exact)))
            }
            Intrinsic::IsUnknown => {
                let known = D::as_constant(&cx.get(args[0])).is_some();
                Done::Value(D::constant(u64::from(!known && cx.domain.has_invariants())))
            }
            Intrinsic::AnySymbolic | Intrinsic::StringSymbolic if cx.options.exact => Done::Value(D::constant(0)),
            Intrinsic::AnySymbolic => Done::Value(D::constant(u64::from(cx.any_symbolic(args[0], args[1])?))),
            Intrinsic::StringSymbolic => Done::Value(D::constant(u64::from(cx.is_string_symbolic(args[0])?))),
            Intrinsic::StringEnd => {
                let room = cx.constant(args[1], DecisionKind::Concretise)?;
                Done::Value(D::constant(cx.string_end(args[0], room)?))
            }
            Intrinsic::HasNul => {
                let n = cx.constant(args[1], DecisionKind::Concretise)?;
                Done::Value(cx.has_nul(args[0], n)?)
            }
            Intrinsic::Select => {
                let (c, a, b) = (cx.get(args[0]), cx.get(args[1]), cx.get(args[2]));
                let word = Type::Int(64);
                let condition = operations::int_compare(cx.domain, IntPredicate::Ne, word, &c, &D::constant(0));
                Done::Value(operations::select(cx.domain, word, &condition, &a, &b))
            }
            Intrinsic::Math => {
                let function = cx.constant(args[0], DecisionKind::Concretise)?;
                let (a, b) =
                    (cx.constant(args[1], DecisionKind::Concretise)?, cx.constant(args[2], DecisionKind::Concretise)?);
                let Some(bits) = crate::libm::call(function, a, b) else {
                    return Err(Stop::Unsupported { what: format!("libm function {function}") });
                };
                Done::Value(D::constant(bits))
            }
            Intrinsic::Known => {
                self.known(state, observer)?;
                none
            }
            Intrinsic::Handle => {
                let handle = cx.get(args[0]);
                Done::Value(self.handle(state, &handle)?)
            }
            Intrinsic::Assume => {
                cx.assume(args[0], Type::Int(32))?;
                none
            }
            other => return Err(Stop::Unsupported { what: format!("`{}`", other.name()) }),
        })
    }

    /// How many calls may fail on a path, if one of this function may that the program makes here.
    fn most_failures(&self, state: &State<D>, function: &str) -> u32 {
        let program = &self.program;
        let at = state.program_point(&self.code).and_then(|point| {
            let block = &program.functions[point.func].blocks[point.block];
            block.insts.get(point.inst as usize)?.loc
        });
        let place = at.map(|loc| (&*program.files[program.locs[loc].file], program.locs[loc].line));
        self.options.failures.most_at(function, place)
    }

    /// A node of the schedule, or one more object that it is ordered on.
    fn event(&mut self, state: &mut State<D>, intrinsic: Intrinsic, object: Named, mode: EventMode) {
        if !state.record_events {
            return;
        }
        if intrinsic == Intrinsic::Order {
            state.events.push(SyncEvent::Order { thread: state.current, object: object.0, mode });
            return;
        }
        self.record_call(state, object, mode);
    }

    fn free(&mut self, state: &mut State<D>, bits: u64) -> Result<(), Stop<D>> {
        use crate::memory::AddressClass::{Function, Null, Object, Other};
        if bits == 0 {
            return Ok(());
        }
        let name = || state.heap.name_of(bits);
        let invalid = |message: String| Err(Stop::Fault { kind: ErrorKind::InvalidFree, message });
        let (id, offset) = match classify(bits) {
            Object(id, offset) => (id, offset),
            Null | Function(_) | Other => return invalid(format!("free of {}, which is not an object", name())),
        };
        let Some(object) = state.heap.object(id) else { return invalid(format!("free of {}", name())) };
        if let Some((Death::Freed, _)) = object.death() {
            let message = format!("free of {}", state.heap.describe_object(id));
            return Err(Stop::Fault { kind: ErrorKind::DoubleFree, message });
        }
        // Nobody knows what it is: a pointer of the initial state that is freed is taken to be one that may be.
        if matches!(object.kind, ObjectKind::Initial(_)) && object.is_alive() {
            let at = state.program_point(&self.code);
            state.heap.kill(id, Death::Freed, at);
            return Ok(());
        }
        if object.kind != ObjectKind::Heap || !object.is_alive() {
            return invalid(format!("free of {}, which malloc did not return", state.heap.describe_object(id)));
        }
        if offset != 0 {
            let what = state.heap.describe_object(id);
            return invalid(format!("free of a pointer to offset {offset} of {what}"));
        }
        let at = state.program_point(&self.code);
        state.heap.kill(id, Death::Freed, at);
        Ok(())
    }
}

/// Takes a lock from whoever holds it, the current thread first.
fn release<D: Domain>(state: &mut State<D>, lock: &D::Value) {
    let holds = |state: &State<D>, id| state.thread(id).locks.contains(lock);
    let owner = if holds(state, state.current) { Some(state.current) } else { state.holder(lock) };
    let Some(owner) = owner else { return };
    let locks = &mut state.thread_mut(owner).locks;
    if let Some(at) = locks.iter().rposition(|l| l == lock) {
        locks.remove(at);
    }
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// The address of an object of synchronisation: a constant, except in runs that begin in the middle of the program
    /// and may leave open which object it is.
    fn sync_address(&mut self, slot: crate::code::Slot) -> Result<D::Value, Stop<D>> {
        let value = self.get(slot);
        if self.domain.keeps_addresses() {
            return Ok(self.domain.expand(&value));
        }
        Ok(D::constant(super::context::concrete(self.domain, self.path, &value, DecisionKind::SyncAddress)?))
    }

    /// What a node is ordered on, and its name.
    fn event_object(&mut self, slot: crate::code::Slot) -> Result<Named, Stop<D>> {
        let at = self.get(slot);
        let named = |at| (EventObject::At(at), None);
        if let Some(at) = D::as_constant(&at) {
            return Ok(named(at));
        }
        if self.options.objects == SyncObjects::Described {
            let value = self.sync_address(slot)?;
            return Ok(match D::as_constant(&value) {
                Some(at) => named(at),
                None => (EventObject::At(0), Some(self.domain.describe(&value))),
            });
        }
        let is_open = self.options.objects == SyncObjects::Candidates;
        let Some(ranges) = is_open.then(|| self.lock_candidates(&at)).flatten() else {
            let at = self.constant(slot, DecisionKind::SyncAddress)?;
            return Ok(named(at));
        };
        let name = |&(first, last): &(u64, u64)| match first == last {
            true => self.heap.name_of(first),
            false => any_between(&self.heap.name_of(first), &self.heap.name_of(last)),
        };
        let names: Vec<String> = ranges.iter().map(name).collect();
        Ok((EventObject::AnyOf(ranges.into()), Some(names.join(" or "))))
    }

    /// What an object of synchronisation may be; which thread it is has to be decided.
    fn lock_candidates(&mut self, at: &D::Value) -> Option<Vec<(u64, u64)>> {
        let ranges = self.domain.candidates(self.path, self.heap, at)?;
        let is_thread = |&(first, _): &(u64, u64)| match classify(first) {
            AddressClass::Object(object, _) => self.heap.is_thread_table(object),
            _ => true,
        };
        (!ranges.iter().any(is_thread)).then_some(ranges)
    }

    /// Whether an address is one that nobody knows: then an object that is freed there stays, since only errors could
    /// tell, and these are taken not to happen. An address that inputs choose among known ones is known.
    fn is_unchecked(&self, address: crate::code::Slot) -> bool {
        let address = self.get(address);
        let is_known = self.domain.knows_objects() && !self.domain.is_unknown(&address);
        D::as_constant(&address).is_none() && !self.domain.checks_memory() && !is_known
    }

    fn family(&mut self, address: crate::code::Slot, number: crate::code::Slot) -> Result<(u64, Family), Stop<D>> {
        let bits = self.constant(address, DecisionKind::Other)?;
        Ok((bits, Family::of(self.constant(number, DecisionKind::Concretise)?)))
    }

    /// What the wrong function frees; what is no heap object is for `free` to find.
    fn check_family(&self, bits: u64, family: Family) -> Result<(), Stop<D>> {
        let AddressClass::Object(id, 0) = classify(bits) else { return Ok(()) };
        let Some(object) = self.heap.object(id) else { return Ok(()) };
        if object.kind != ObjectKind::Heap || !object.is_alive() || object.family == family {
            return Ok(());
        }
        let (what, (made, frees)) = (self.heap.describe_object(id), object.family.names());
        let message = format!("{} of {what}, which is from {made}: {frees} frees it", family.names().1);
        Err(Stop::Fault { kind: ErrorKind::InvalidFree, message })
    }

    /// Whether there may be an object of this size. One that no process can have is none; one that a process may have
    /// and the engine cannot is not supported.
    fn may_be_allocated(&mut self, size: crate::code::Slot) -> Result<bool, Stop<D>> {
        let bytes = self.get(size);
        if self.is_at_most(&bytes, MAX_OBJECT)? {
            return Ok(true);
        }
        if self.is_at_most(&bytes, ADDRESS_SPACE)? {
            return Err(Stop::Unsupported { what: too_large("an object", D::as_constant(&bytes)) });
        }
        Ok(false)
    }

    /// Whether an unsigned number is at most this, for which inputs may have to decide.
    fn is_at_most(&mut self, number: &D::Value, most: u64) -> Result<bool, Stop<D>> {
        let most = D::constant(most);
        let holds = operations::int_compare(self.domain, IntPredicate::Ule, Type::Int(64), number, &most);
        super::context::decide(self.domain, self.path, &holds, DecisionKind::Other)
    }

    fn object_size(&mut self, slot: crate::code::Slot) -> Result<u64, Stop<D>> {
        let bits = self.constant(slot, DecisionKind::Other)?;
        let (id, offset) = match self.heap.check(bits, 0, false) {
            Ok(place) => place,
            Err(fault) => return Ok(self.heap.forgive(fault).map(|()| 0)?),
        };
        if offset != 0 {
            let message = format!("{} is not the start of an object", self.heap.name_of(bits));
            forgive(self.heap, Stop::Fault { kind: ErrorKind::InvalidFree, message })?;
            return Ok(0);
        }
        // Whoever copies so much copies more than there is, which nobody knows anything of.
        if self.heap.object(id).is_some_and(|o| o.initial_number().is_some()) {
            self.domain.is_of_unknown_size(id);
        }
        Ok(self.heap.object(id).map_or(0, |o| o.size))
    }

    fn room(&mut self, slot: crate::code::Slot) -> Result<u64, Stop<D>> {
        if self.is_unknown(slot) {
            let rooms = self.rooms(slot)?;
            for &(object, _) in &rooms {
                self.domain.is_of_unknown_size(object);
            }
            return Ok(rooms.iter().map(|r| r.1).min().unwrap_or(0).min(BUDGETS.unknown_room));
        }
        let bits = self.constant(slot, DecisionKind::Other)?;
        let crate::memory::AddressClass::Object(id, offset) = classify(bits) else { return Ok(0) };
        if self.heap.object(id).is_some_and(|o| o.initial_number().is_some()) && self.domain.is_of_unknown_size(id) {
            return Ok(BUDGETS.unknown_room);
        }
        let live = self.heap.object(id).filter(|o| o.is_alive());
        Ok(live.map_or(0, |o| u64::try_from(offset).ok().and_then(|at| o.size.checked_sub(at)).unwrap_or(0)))
    }

    /// `memset` whose byte is an `int`.
    fn fill_word(&mut self, to: &D::Value, byte: &D::Value, n: crate::code::Slot) -> Result<(), Stop<D>> {
        let byte = super::context::resize(self.domain, byte, Type::Int(32), Type::Int(8))?;
        self.fill_some(to, &byte, n)
    }

    fn any_symbolic(&mut self, from: crate::code::Slot, n: crate::code::Slot) -> Result<bool, Stop<D>> {
        let n = self.constant(n, DecisionKind::Concretise)?;
        let from = self.get(from);
        let bytes = self.read(&from, n)?;
        Ok(bytes.iter().any(|b| matches!(b, crate::domain::MemoryByte::Symbolic(_))))
    }

    /// Takes the first argument of the current call to be true. A call without arguments assumes nothing.
    pub(super) fn assume_argument(&mut self) -> Result<(), Stop<D>> {
        let call = self.current_call();
        match (call.args.first(), call.arg_types.first()) {
            (Some(&slot), Some(&ty)) => self.assume(slot, ty),
            _ => Ok(()),
        }
    }

    fn assume(&mut self, slot: crate::code::Slot, ty: Type) -> Result<(), Stop<D>> {
        let value = self.get(slot);
        let zero = D::constant(0);
        let condition = operations::int_compare(self.domain, IntPredicate::Ne, ty, &value, &zero);
        if super::context::decide(self.domain, self.path, &condition, DecisionKind::Assume)? {
            return Ok(());
        }
        Err(Stop::End(Box::new(PathEnd::Infeasible)))
    }
}
