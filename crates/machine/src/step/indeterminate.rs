//! What an instruction that has failed does after all, where the path goes on behind errors: see [`crate::memory`].

use icsched_ir::{BinOp, Type};
use smallvec::SmallVec;

use super::bytes::{Bytes, exactly, join, split};
use super::context::resize;
use super::operations;
use crate::budgets::BUDGETS;
use crate::domain::{Domain, MemoryByte, Target, Targets};
use crate::memory::{Heap, Inside, MemoryFault, address};
use crate::stop::Stop;
use crate::trace::Regions;

/// Collects what is wrong with an instruction; gives it back where the path ends with it.
pub(super) fn forgive<D: Domain>(heap: &Heap<D>, stop: Stop<D>) -> Result<(), Stop<D>> {
    match stop {
        Stop::Fault { kind, message } => Ok(heap.forgive(MemoryFault { kind, message })?),
        other => Err(other),
    }
}

/// A load of which not every byte is inside of an object.
pub(super) fn load<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    path: &D::Path,
    at: &D::Value,
    ty: Type,
) -> Result<(D::Value, Regions), Stop<D>> {
    let (bytes, regions) = read(domain, heap, path, at, ty.bytes().into())?;
    let whole = Type::Int(u8::try_from(ty.bytes() * 8).expect("at most eight bytes"));
    let value = join(domain, &bytes);
    Ok((resize(domain, &value, whole, ty)?, regions))
}

/// A store of which not every byte is inside of an object: the others are lost.
pub(super) fn store<D: Domain>(domain: &mut D, heap: &mut Heap<D>, at: &D::Value, value: &D::Value, n: u32) -> Regions {
    let bytes = split(domain, value, n);
    write(domain, heap, at, &bytes)
}

/// Reads bytes of which not every one is inside of an object.
pub(super) fn read<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    path: &D::Path,
    at: &D::Value,
    n: u64,
) -> Result<(Bytes<D>, Regions), Stop<D>> {
    let inside = D::as_constant(at).and_then(|bits| heap.inside(bits, n, false));
    let (front, len) = inside.map_or((n, 0), |inside| (inside.skipped, inside.len));
    if n - len > BUDGETS.indeterminate_bytes {
        let what = format!("a read of {n} bytes, of which {len} are inside of an object");
        return Err(Stop::Unsupported { what });
    }
    let mut bytes = unknown_bytes(domain, heap, path, at, (0, front))?;
    let mut regions = Regions::new();
    if let Some(Inside { object, offset, len, .. }) = inside {
        bytes.extend(heap.bytes(domain, path, object, offset, len));
        regions = exactly(object, offset, len);
    }
    bytes.extend(unknown_bytes(domain, heap, path, at, (front + len, n))?);
    Ok((bytes, regions))
}

/// Writes bytes of which not every one is inside of an object: the others are lost.
pub(super) fn write<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    at: &D::Value,
    bytes: &[MemoryByte<D::Byte>],
) -> Regions {
    let inside = D::as_constant(at).and_then(|bits| heap.inside(bits, bytes.len() as u64, true));
    let Some(Inside { object, offset, skipped, len }) = inside else { return Regions::new() };
    let [from, to] = [skipped, skipped + len].map(|at| usize::try_from(at).expect("less than there are bytes"));
    heap.set_bytes(domain, object, offset, &bytes[from..to]);
    exactly(object, offset, len)
}

/// Indeterminate bytes between two distances from an address.
fn unknown_bytes<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    path: &D::Path,
    at: &D::Value,
    (start, end): (u64, u64),
) -> Result<Bytes<D>, Stop<D>> {
    let mut bytes = Bytes::<D>::new();
    for first in (start..end).step_by(8) {
        let n = (end - first).min(8);
        let here = operations::add(domain, at, &D::constant(first))?;
        let place = domain.describe_place(path, heap, &here);
        let name = heap.indeterminate_name(&place, &here, n);
        let n = u32::try_from(n).expect("at most eight");
        let value = domain.indeterminate(&name, 8 * n);
        heap.note_read(&value);
        bytes.extend(split(domain, &value, n));
    }
    Ok(bytes)
}

/// Where a path goes on behind errors, bytes that were never written hold an indeterminate value from the first time on
/// that they are read. They still count as not written.
pub(super) fn fill_in<D: Domain>(domain: &mut D, heap: &mut Heap<D>, found: &Targets<D::Value>, n: u64) {
    if !D::SYMBOLIC || !heap.continues() {
        return;
    }
    for Target { object, offset, .. } in found {
        let Some(offset) = D::as_constant(offset) else { continue };
        let mask = heap.undefined_bits(*object, offset, n);
        if mask == 0 {
            continue;
        }
        let here = address(*object, offset);
        let place = heap.name_of(here);
        let name = heap.indeterminate_name(&place, &D::constant(here), n);
        let n = u32::try_from(n).expect("at most eight");
        let value = domain.indeterminate(&name, 8 * n);
        let unknown: SmallVec<[_; 8]> = split(domain, &value, n);
        for ((byte, at), mask) in unknown.into_iter().zip(offset..).zip(mask.to_le_bytes()) {
            fill_in_byte(domain, heap, (*object, at), byte, mask);
        }
        heap.set_undefined_bits(*object, offset, n.into(), mask);
    }
}

/// The same of one byte, of which some bits were not written; not if it was filled in before.
fn fill_in_byte<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    (object, at): (crate::memory::ObjectId, u64),
    unknown: MemoryByte<D::Byte>,
    mask: u8,
) {
    let Some(MemoryByte::Constant(held)) = heap.held_byte(object, at) else { return };
    let byte = match mask {
        0 => return,
        0xFF => unknown,
        _ => {
            let unknown = join(domain, &[unknown]);
            let bits =
                |domain: &mut D, op, a: &D::Value, b: u8| domain.binary(op, Type::Int(8), a, &D::constant(b.into()));
            let Ok(open) = bits(domain, BinOp::And, &unknown, mask) else { return };
            let Ok(value) = bits(domain, BinOp::Or, &open, held & !mask) else { return };
            split(domain, &value, 1).pop().unwrap_or(MemoryByte::Constant(held))
        }
    };
    heap.set_bytes(domain, object, at, &[byte]);
}

/// The result of an operation that has failed.
pub(super) fn result<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    stop: Stop<D>,
    (place, operand): (&str, &D::Value),
    ty: Type,
) -> Result<D::Value, Stop<D>> {
    forgive(heap, stop)?;
    let name = heap.indeterminate_name(place, operand, ty.bytes().into());
    let value = domain.indeterminate(&name, ty.bits());
    heap.note_read(&value);
    Ok(value)
}
