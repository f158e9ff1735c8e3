//! Accesses to ranges of bytes: `memcpy`, `memset`, strings.

use icsched_ir::{BinOp, IntPredicate, Type, visible};

use super::access::{regions, targets};
use super::bytes::{Bytes, exactly, join, split};
use super::context::{Cx, decide, resize};
use super::indeterminate::{self, forgive};
use super::operations::{self, select};
use crate::budgets::BUDGETS;
use crate::code::Slot;
use crate::domain::{Domain, MemoryByte, Target, Targets};
use crate::memory::{ObjectId, UNKNOWN_SIZE, address};
use crate::observe::Observer;
use crate::stop::{DecisionKind, ErrorKind, Stop};

fn few_enough<D: Domain>(n: u64) -> Result<(), Stop<D>> {
    let what = || format!("writing {n} bytes at once of which not all are constant");
    if n > BUDGETS.symbolic_copy_bytes { Err(Stop::Unsupported { what: what() }) } else { Ok(()) }
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// `memcpy`, or `memmove` with `may_overlap`. Nothing is accessed for no bytes.
    pub(super) fn copy(&mut self, to: &D::Value, from: &D::Value, n: u64, may_overlap: bool) -> Result<(), Stop<D>> {
        if n == 0 {
            return Ok(());
        }
        self.suspect(to, &D::constant(n), n, true)?;
        self.suspect(from, &D::constant(n), n, false)?;
        // Both sides are checked before anything is written.
        let target = targets(self.domain, self.heap, self.path, to, n, true)?;
        let source = targets(self.domain, self.heap, self.path, from, n, false)?;
        if !may_overlap {
            for (t, s) in target.iter().flat_map(|t| source.iter().map(move |s| (t, s))) {
                self.require_apart(t, s, n).or_else(|stop| forgive(self.heap, stop))?;
            }
        }
        if let (Some((to, at)), Some((from, start))) = (one_place::<D>(&target), one_place::<D>(&source))
            && self.heap.copy_plain(to, at, from, start, n)
        {
            self.loaded(exactly(from, start, n));
            self.stored(exactly(to, at, n));
            return Ok(());
        }
        few_enough(n)?;
        let bytes = self.read(from, n)?;
        self.write(to, &bytes)
    }

    /// [`access::suspect`](super::access::suspect) of so many bytes, which are at least `least`.
    pub(super) fn suspect(&mut self, at: &D::Value, n: &D::Value, least: u64, write: bool) -> Result<(), Stop<D>> {
        super::access::suspect(self.domain, self.heap, self.path, at, (n, least), write)
    }

    /// Ranges of `n` bytes are one or do not overlap.
    fn require_apart(&mut self, to: &Target<D::Value>, from: &Target<D::Value>, n: u64) -> Result<(), Stop<D>> {
        if to.object != from.object || self.domain.are_same_or_apart(&to.offset, &from.offset, n) {
            return Ok(());
        }
        let (word, bit) = (Type::Int(64), Type::Int(1));
        let (a, b) = (&to.offset, &from.offset);
        // With `n - 1` added, the distances that are too small are those below `2 * n - 1`.
        let distance = operations::binary(self.domain, self.path, BinOp::Sub, word, a, b)?;
        let moved = operations::add(self.domain, &distance, &D::constant(n - 1))?;
        let same = operations::int_compare(self.domain, IntPredicate::Eq, word, a, b);
        let far = operations::int_compare(self.domain, IntPredicate::Ugt, word, &moved, &D::constant(2 * (n - 1)));
        let mut apart = operations::binary(self.domain, self.path, BinOp::Or, bit, &same, &far)?;
        for guard in [&to.guard, &from.guard].into_iter().flatten() {
            let elsewhere = self.domain.not(guard);
            apart = operations::binary(self.domain, self.path, BinOp::Or, bit, &elsewhere, &apart)?;
        }
        let message = || {
            let name = |t: &Target<D::Value>| match D::as_constant(&t.offset) {
                Some(offset) => self.heap.name_of(address(t.object, offset)),
                None => self.heap.describe_object(t.object),
            };
            format!("memcpy of {n} bytes from {} to {}, which overlap", name(from), name(to))
        };
        match decide(self.domain, self.path, &apart, self.heap.decides(DecisionKind::InBounds)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stop::Fault { kind: ErrorKind::Overlap, message: message() }),
            Err(stop) => Err(operations::explain(stop, ErrorKind::Overlap, &message())),
        }
    }

    /// `memset`.
    pub(super) fn fill(&mut self, to: &D::Value, byte: &D::Value, n: u64) -> Result<(), Stop<D>> {
        if n == 0 {
            return Ok(());
        }
        self.suspect(to, &D::constant(n), n, true)?;
        let byte = split(self.domain, byte, 1);
        if let (Some(_), [MemoryByte::Constant(byte)]) = (D::as_constant(to), byte.as_slice()) {
            let target = targets(self.domain, self.heap, self.path, to, n, true)?;
            if let Some((object, at)) = one_place::<D>(&target)
                && self.heap.fill_plain(object, at, *byte, n)
            {
                self.stored(exactly(object, at, n));
                return Ok(());
            }
        }
        few_enough(n)?;
        let bytes: Bytes<D> = byte.iter().cycle().take(usize::try_from(n).unwrap_or(usize::MAX)).cloned().collect();
        self.write(to, &bytes)
    }

    /// Reads `n` bytes.
    pub(super) fn read(&mut self, from: &D::Value, n: u64) -> Result<Bytes<D>, Stop<D>> {
        if n == 0 {
            return Ok(Vec::new());
        }
        let found = targets(self.domain, self.heap, self.path, from, n, false)?;
        if found.is_empty() {
            let (bytes, regions) = indeterminate::read(self.domain, self.heap, self.path, from, n)?;
            self.loaded(regions);
            return Ok(bytes);
        }
        let covered = regions(self.domain, self.heap, &found, n);
        let mut result: Bytes<D> = Vec::new();
        for target in found.iter().rev() {
            let here = self.read_target(target, n)?;
            result = match &target.guard {
                Some(guard) if !result.is_empty() => {
                    here.iter().zip(&result).map(|(a, b)| self.choose(guard, a, b)).collect()
                }
                _ => here,
            };
        }
        self.loaded(covered);
        Ok(result)
    }

    fn read_target(&mut self, target: &Target<D::Value>, n: u64) -> Result<Bytes<D>, Stop<D>> {
        if let Some(offset) = D::as_constant(&target.offset) {
            return Ok(self.heap.bytes(self.domain, self.path, target.object, offset, n).into_vec());
        }
        let size = self.heap.object(target.object).map_or(0, |o| o.size);
        let mut bytes = Vec::new();
        let Some(array) = self.heap.array(self.domain, target.object) else {
            bytes.resize(usize::try_from(n).unwrap_or(usize::MAX), MemoryByte::Constant(0));
            return Ok(bytes);
        };
        for i in (0..n).step_by(8) {
            let offset = operations::add(self.domain, &target.offset, &D::constant(i))?;
            let part = u32::try_from((n - i).min(8)).expect("at most eight");
            let value = self.domain.array_load(self.path, &array, size, &offset, part, false);
            bytes.extend(split(self.domain, &value, part));
        }
        Ok(bytes)
    }

    fn choose(&mut self, guard: &D::Value, a: &MemoryByte<D::Byte>, b: &MemoryByte<D::Byte>) -> MemoryByte<D::Byte> {
        let (a, b) = (join(self.domain, std::slice::from_ref(a)), join(self.domain, std::slice::from_ref(b)));
        let value = select(self.domain, Type::Int(8), guard, &a, &b);
        split(self.domain, &value, 1).pop().unwrap_or(MemoryByte::Constant(0))
    }

    /// Writes bytes.
    pub(super) fn write(&mut self, to: &D::Value, bytes: &[MemoryByte<D::Byte>]) -> Result<(), Stop<D>> {
        let n = bytes.len() as u64;
        if n == 0 {
            return Ok(());
        }
        let found = targets(self.domain, self.heap, self.path, to, n, true)?;
        if found.is_empty() {
            let regions = indeterminate::write(self.domain, self.heap, to, bytes);
            self.stored(regions);
            return Ok(());
        }
        let covered = regions(self.domain, self.heap, &found, n);
        for target in &found {
            match (D::as_constant(&target.offset), &target.guard) {
                (Some(offset), None) => self.heap.set_bytes(self.domain, target.object, offset, bytes),
                (Some(offset), Some(guard)) => {
                    let old = self.heap.bytes(self.domain, self.path, target.object, offset, n);
                    let new: Bytes<D> = bytes.iter().zip(&old).map(|(a, b)| self.choose(guard, a, b)).collect();
                    self.heap.set_bytes(self.domain, target.object, offset, &new);
                }
                (None, _) => self.write_array(target, bytes)?,
            }
        }
        self.stored(covered);
        Ok(())
    }

    fn write_array(&mut self, target: &Target<D::Value>, bytes: &[MemoryByte<D::Byte>]) -> Result<(), Stop<D>> {
        let offsets = (0..bytes.len() as u64).step_by(8);
        let offsets = offsets.map(|i| super::operations::add(self.domain, &target.offset, &D::constant(i)));
        let offsets: Vec<D::Value> = offsets.collect::<Result<_, _>>()?;
        let Some(array) = self.heap.array_mut(self.domain, target.object) else { return Ok(()) };
        for (part, offset) in bytes.chunks(8).zip(&offsets) {
            let value = join(self.domain, part);
            let n = u32::try_from(part.len()).expect("at most eight");
            self.domain.array_store(array, offset, &value, n, target.guard.as_ref());
        }
        Ok(())
    }

    /// Where a string begins; nowhere if that is an error behind which the path goes on.
    fn text_at(&self, bits: u64) -> Result<Option<(ObjectId, u64)>, Stop<D>> {
        match self.heap.check(bits, 1, false) {
            Ok(place) => Ok(Some(place)),
            Err(fault) => Ok(self.heap.forgive(fault).map(|()| None)?),
        }
    }

    /// The bytes of the string at an address, up to and including its first constant NUL, or to the end of the
    /// object (`terminated` is false then).
    pub(super) fn string(&mut self, slot: Slot) -> Result<(Bytes<D>, bool), Stop<D>> {
        let bits = self.constant(slot, DecisionKind::Other)?;
        let Some((object, start)) = self.text_at(bits)? else { return Ok((Vec::new(), true)) };
        let size = self.heap.object(object).map_or(0, |o| o.size);
        let most = if size == UNKNOWN_SIZE { BUDGETS.unknown_string_bytes } else { BUDGETS.string_bytes };
        let mut bytes: Bytes<D> = Vec::new();
        let mut terminated = false;
        for offset in start..size.min(start + most) {
            let byte = self.heap.byte(self.domain, self.path, object, offset);
            terminated = matches!(byte, MemoryByte::Constant(0));
            bytes.push(byte);
            if terminated {
                break;
            }
        }
        self.loaded(exactly(object, start, bytes.len() as u64));
        Ok((bytes, terminated))
    }

    /// A string as text, for names and messages; symbolic bytes show as `?`.
    pub(super) fn text(&mut self, slot: Slot) -> Result<String, Stop<D>> {
        Ok(visible(&String::from_utf8_lossy(&self.path_bytes(slot)?.0)).into_owned())
    }

    /// Whether a value is none that anybody knows: of a state in the middle of the program, or what a replaced loop has
    /// left.
    pub(super) fn is_unknown(&self, slot: Slot) -> bool {
        self.domain.has_invariants()
            && D::as_constant(&self.get(slot)).is_none()
            && self.domain.is_unknown(&self.get(slot))
    }

    /// Lets an object hold anything: one of unknown size that was allocated and not written; which one, if it is one.
    pub(super) fn forgets(&mut self, to: Slot) -> Option<ObjectId> {
        let to = D::as_constant(&self.get(to)).map(crate::memory::classify);
        let Some(crate::memory::AddressClass::Object(id, 0)) = to else { return None };
        self.domain.forget_contents(self.heap, id).then_some(id)
    }

    /// The objects that an unknown pointer may be in, with the room behind it in each; null is not among them.
    pub(super) fn rooms(&mut self, slot: Slot) -> Result<Vec<(ObjectId, u64)>, Stop<D>> {
        let pointer = self.get(slot);
        let found = targets(self.domain, self.heap, self.path, &pointer, 1, false)?;
        let room = |target: &Target<D::Value>| {
            let size = self.heap.object(target.object).map_or(0, |o| o.size);
            (target.object, size.saturating_sub(D::as_constant(&target.offset).unwrap_or(0)))
        };
        Ok(found.iter().map(room).collect())
    }

    /// Whether a string has a byte that is no constant, up to its first constant NUL. Nothing behind the first such
    /// byte is looked at.
    pub(super) fn is_string_symbolic(&mut self, slot: Slot) -> Result<bool, Stop<D>> {
        if self.is_unknown(slot) {
            return Ok(true);
        }
        let bits = self.constant(slot, DecisionKind::Other)?;
        // Models look for the room of what is not constant, and there is none.
        let Some((object, start)) = self.text_at(bits)? else { return Ok(true) };
        let size = self.heap.object(object).map_or(0, |o| o.size);
        let end = size.min(start + BUDGETS.string_bytes);
        let mut symbolic = false;
        let mut at = start;
        while at < end {
            match self.heap.byte(self.domain, self.path, object, at) {
                MemoryByte::Constant(0) => break,
                MemoryByte::Constant(_) => {}
                MemoryByte::Symbolic(_) => symbolic = true,
            }
            at += 1;
            if symbolic {
                break;
            }
        }
        self.loaded(exactly(object, start, at - start));
        Ok(symbolic)
    }

    /// How many of `room` bytes come before the first constant NUL. Nobody knows where an unknown pointer's is.
    pub(super) fn string_end(&mut self, slot: Slot, room: u64) -> Result<u64, Stop<D>> {
        if room == 0 || self.is_unknown(slot) {
            return Ok(room);
        }
        let bits = self.constant(slot, DecisionKind::Other)?;
        let Some((object, start)) = self.text_at(bits)? else { return Ok(0) };
        let is_end =
            |at: &u64| matches!(self.heap.byte(self.domain, self.path, object, start + at), MemoryByte::Constant(0));
        let end = (0..room).find(is_end).unwrap_or(room);
        self.loaded(exactly(object, start, room.min(end + 1)));
        Ok(end)
    }

    /// Whether one of some bytes is NUL.
    pub(super) fn has_nul(&mut self, slot: Slot, n: u64) -> Result<D::Value, Stop<D>> {
        let from = self.get(slot);
        let bytes = self.read(&from, n)?;
        let mut any = D::constant(0);
        for byte in &bytes {
            let byte = join(self.domain, std::slice::from_ref(byte));
            let is_nul = operations::int_compare(self.domain, IntPredicate::Eq, Type::Int(8), &byte, &D::constant(0));
            any = operations::binary(self.domain, self.path, BinOp::Or, Type::Int(1), &any, &is_nul)?;
        }
        resize(self.domain, &any, Type::Int(1), Type::Int(32))
    }

    /// A string without its NUL, and whether all of it is constant.
    pub(super) fn path_bytes(&mut self, slot: Slot) -> Result<(Vec<u8>, bool), Stop<D>> {
        let (bytes, terminated) = self.string(slot)?;
        let end = bytes.len() - usize::from(terminated);
        let known = bytes.iter().all(|b| matches!(b, MemoryByte::Constant(_)));
        let plain = |b: &MemoryByte<D::Byte>| match b {
            MemoryByte::Constant(b) => *b,
            MemoryByte::Symbolic(_) => b'?',
        };
        Ok((bytes[..end].iter().map(plain).collect(), known))
    }
}

/// The object and constant offset of an access that has but one.
fn one_place<D: Domain>(targets: &Targets<D::Value>) -> Option<(ObjectId, u64)> {
    match targets.as_slice() {
        [Target { guard: None, object, offset }] => Some((*object, D::as_constant(offset)?)),
        _ => None,
    }
}
