//! Copying and filling as many bytes as a value says that is no constant.
//!
//! 1. Between objects of which nobody knows where they end, the number need not be known: what is written is a range.
//! 2. Where addresses are constant and objects end, the number is asked to fit first - that it doesn't is one error,
//!    not one for each number - and what it may reach is written where it does.
//! 3. Else each number is tried.

use icsched_ir::{BinOp, IntPredicate, Type};

use super::access::targets;
use super::bytes::{Bytes, join, split};
use super::context::{Cx, decide};
use super::indeterminate::forgive;
use super::operations::{self, select};
use crate::budgets::BUDGETS;
use crate::code::Slot;
use crate::domain::{Domain, MemoryByte, Target, Targets};
use crate::memory::{AddressClass, Heap, ObjectId, UNKNOWN_SIZE, classify};
use crate::observe::Observer;
use crate::stop::{DecisionKind, ErrorKind, Stop};
use crate::trace::{Region, Regions};

/// Bytes from a constant address on.
#[derive(Copy, Clone)]
struct Place {
    object: ObjectId,
    offset: u64,
    /// How many there are up to the object's end.
    room: u64,
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// `memcpy` or `memmove` of as many bytes as a register says.
    pub(super) fn copy_some(
        &mut self,
        to: &D::Value,
        from: &D::Value,
        n: Slot,
        may_overlap: bool,
    ) -> Result<(), Stop<D>> {
        if let Some(many) = self.unknown_length(n)
            && (self.copy_unsized(to, from, &many)? || self.copy_fitting(to, from, &many, may_overlap)?)
        {
            return Ok(());
        }
        let n = self.constant(n, DecisionKind::Concretise)?;
        self.copy(to, from, n, may_overlap)
    }

    /// `memset` of as many bytes as a register says.
    pub(super) fn fill_some(&mut self, to: &D::Value, byte: &D::Value, n: Slot) -> Result<(), Stop<D>> {
        if let Some(many) = self.unknown_length(n) {
            let byte = split(self.domain, byte, 1).pop().unwrap_or(MemoryByte::Constant(0));
            if self.fill_unsized(to, &byte, &many)? || self.fill_fitting(to, &byte, &many)? {
                return Ok(());
            }
        }
        let n = self.constant(n, DecisionKind::Concretise)?;
        self.fill(to, byte, n)
    }

    /// A number of bytes that is no constant.
    fn unknown_length(&mut self, n: Slot) -> Option<D::Value> {
        let n = self.get(n);
        let n = self.domain.expand(&n);
        D::as_constant(&n).is_none().then_some(n)
    }

    fn copy_unsized(&mut self, to: &D::Value, from: &D::Value, many: &D::Value) -> Result<bool, Stop<D>> {
        let Some(targets) = self.unsized_targets(to, true)? else { return Ok(false) };
        let Some(sources) = self.unsized_targets(from, false)? else { return Ok(false) };
        self.suspect(to, many, 1, true)?;
        self.suspect(from, many, 1, false)?;
        // Everything is read before anything is written.
        let read: Vec<_> = sources.iter().map(|s| self.heap.array(self.domain, s.object)).collect();
        let mut done = true;
        for target in &targets {
            let Some(mut array) = self.heap.array(self.domain, target.object) else { continue };
            for (source, read) in sources.iter().zip(&read) {
                let Some(read) = read else { continue };
                let guard = self.both(target.guard.as_ref(), source.guard.as_ref())?;
                let from = (read, &source.offset);
                done &= self.domain.array_copy(&mut array, &target.offset, from, many, guard.as_ref());
            }
            if done {
                self.heap.set_array(target.object, array);
            }
        }
        if done {
            self.loaded(anywhere_in(self.heap, &sources));
            self.stored(anywhere_in(self.heap, &targets));
        }
        Ok(done)
    }

    fn fill_unsized(&mut self, to: &D::Value, byte: &MemoryByte<D::Byte>, many: &D::Value) -> Result<bool, Stop<D>> {
        let Some(targets) = self.unsized_targets(to, true)? else { return Ok(false) };
        self.suspect(to, many, 1, true)?;
        let mut done = true;
        for target in &targets {
            let Some(mut array) = self.heap.array(self.domain, target.object) else { continue };
            done &= self.domain.array_fill(&mut array, &target.offset, byte, many, target.guard.as_ref());
            if done {
                self.heap.set_array(target.object, array);
            }
        }
        if done {
            self.stored(anywhere_in(self.heap, &targets));
        }
        Ok(done)
    }

    /// Where an access is of an unknown number of bytes and nobody asks whether it is inside of an object; none if one
    /// has a size, which the number must fit then.
    fn unsized_targets(&mut self, at: &D::Value, write: bool) -> Result<Option<Targets<D::Value>>, Stop<D>> {
        if self.domain.checks_memory() || self.place(at, write).is_some_and(|place| place.room < UNKNOWN_SIZE) {
            return Ok(None);
        }
        let found = targets(self.domain, self.heap, self.path, at, 1, write)?;
        let has_size = |t: &Target<D::Value>| self.heap.object(t.object).is_none_or(|o| o.size != UNKNOWN_SIZE);
        Ok((!found.iter().any(has_size)).then_some(found))
    }

    fn both(&mut self, a: Option<&D::Value>, b: Option<&D::Value>) -> Result<Option<D::Value>, Stop<D>> {
        Ok(match (a, b) {
            (Some(a), Some(b)) => Some(operations::binary(self.domain, self.path, BinOp::And, Type::Int(1), a, b)?),
            (a, b) => a.or(b).cloned(),
        })
    }

    fn copy_fitting(
        &mut self,
        to: &D::Value,
        from: &D::Value,
        many: &D::Value,
        may_overlap: bool,
    ) -> Result<bool, Stop<D>> {
        let (Some(target), Some(source)) = (self.place(to, true), self.place(from, false)) else { return Ok(false) };
        if target.object == source.object && !may_overlap {
            return Ok(false);
        }
        let room = target.room.min(source.room);
        let Some(most) = self.fitting(many, room) else { return Ok(false) };
        self.require_room(many, target, true)?;
        self.require_room(many, source, false)?;
        let new = self.heap.bytes(self.domain, self.path, source.object, source.offset, most);
        self.loaded(region(source, most));
        self.write_first(target, &new, many);
        Ok(true)
    }

    fn fill_fitting(&mut self, to: &D::Value, byte: &MemoryByte<D::Byte>, many: &D::Value) -> Result<bool, Stop<D>> {
        let Some(target) = self.place(to, true) else { return Ok(false) };
        let Some(most) = self.fitting(many, target.room) else { return Ok(false) };
        self.require_room(many, target, true)?;
        let new: Bytes<D> = (0..most).map(|_| byte.clone()).collect();
        self.write_first(target, &new, many);
        Ok(true)
    }

    /// How many bytes are written at most of a number that must not be greater than some room, unless these are too
    /// many pieces.
    fn fitting(&self, many: &D::Value, room: u64) -> Option<u64> {
        let (least, greatest) = self.domain.least_and_greatest(many)?;
        let most = room.min(u64::try_from(greatest).unwrap_or(u64::MAX));
        let is_limited = room < UNKNOWN_SIZE || least >= 0;
        (is_limited && most.div_ceil(self.piece(many)) <= BUDGETS.conditional_pieces).then_some(most)
    }

    /// The number of bytes is a multiple of so many.
    fn piece(&self, many: &D::Value) -> u64 {
        [8, 4, 2].into_iter().find(|&piece| self.domain.is_multiple_of(many, piece)).unwrap_or(1)
    }

    fn require_room(&mut self, many: &D::Value, place: Place, write: bool) -> Result<(), Stop<D>> {
        if place.room >= UNKNOWN_SIZE {
            return Ok(());
        }
        let room = D::constant(place.room);
        let fits = operations::int_compare(self.domain, IntPredicate::Ule, Type::Int(64), many, &room);
        let message = || self.heap.room_message(place.object, place.offset, place.room, write);
        match decide(self.domain, self.path, &fits, self.heap.decides(DecisionKind::InBounds)) {
            Ok(true) => Ok(()),
            // What fits is copied or filled.
            Ok(false) => forgive(self.heap, Stop::Fault { kind: ErrorKind::OutOfBounds, message: message() }),
            Err(stop) => Err(operations::explain(stop, ErrorKind::OutOfBounds, &message())),
        }
    }

    /// Writes as many of some bytes as a value says.
    fn write_first(&mut self, to: Place, new: &[MemoryByte<D::Byte>], many: &D::Value) {
        let piece = self.piece(many);
        let least = self.domain.least_and_greatest(many).map_or(0, |(least, _)| least);
        let old = self.heap.bytes(self.domain, self.path, to.object, to.offset, new.len() as u64);
        let mut bytes: Bytes<D> = Vec::with_capacity(new.len());
        for (new, old) in new.chunks(piece as usize).zip(old.chunks(piece as usize)) {
            let at = bytes.len() as u64;
            if i128::from(at) + new.len() as i128 <= least {
                bytes.extend_from_slice(new);
                continue;
            }
            let written =
                operations::int_compare(self.domain, IntPredicate::Ult, Type::Int(64), &D::constant(at), many);
            let n = u8::try_from(new.len()).expect("at most eight");
            let (a, b) = (join(self.domain, new), join(self.domain, old));
            let value = select(self.domain, Type::Int(8 * n), &written, &a, &b);
            bytes.extend(split(self.domain, &value, n.into()));
        }
        self.heap.set_bytes(self.domain, to.object, to.offset, &bytes);
        self.stored(region(to, bytes.len() as u64));
    }

    /// Where a constant address is, unless any access there is an error, or there is no room behind it.
    fn place(&self, at: &D::Value, write: bool) -> Option<Place> {
        let AddressClass::Object(object, offset) = classify(D::as_constant(at)?) else { return None };
        let held = self.heap.check_object(object, offset, 1, write).ok().filter(|held| !held.external)?;
        let offset = u64::try_from(offset).ok()?;
        // Behind an error what there is counts.
        let slack = if self.heap.recovers() { u64::from(held.slack) } else { 0 };
        let room = if held.size == UNKNOWN_SIZE { UNKNOWN_SIZE } else { held.size + slack - offset };
        Some(Place { object, offset, room })
    }
}
/// All of the objects, for the trace.
fn anywhere_in<D: Domain>(heap: &Heap<D>, targets: &Targets<D::Value>) -> Regions {
    let size = |object| heap.object(object).map_or(0, |o| o.size);
    let region = |t: &Target<D::Value>| Region { object: t.object, start: 0, len: size(t.object), exact: false };
    targets.iter().map(region).collect()
}

/// Some of the first `most` bytes from a place on, for the trace.
fn region(place: Place, most: u64) -> Regions {
    smallvec::smallvec![Region { object: place.object, start: place.offset, len: most, exact: false }]
}
