//! Loads and stores of any values through any addresses.

use icsched_ir::{CastOp, IntPredicate, Type};
use smallvec::smallvec;

use super::bytes::{join, split};
use super::indeterminate;
use super::operations::select;
use crate::domain::{Domain, Target, Targets};
use crate::memory::{Heap, Inside, MemoryFault};
use crate::stop::{DecisionKind, ErrorKind, Stop};
use crate::trace::{Region, Regions};

/// Reads a constant word, if the access is plain.
#[inline]
pub(super) fn read_word<D: Domain>(heap: &Heap<D>, address: u64, ty: Type) -> Option<u64> {
    match ty {
        Type::Int(32) | Type::F32 => heap.read_plain::<4>(address).map(|b| u64::from(u32::from_le_bytes(b))),
        Type::Int(64) | Type::Ptr | Type::F64 => heap.read_plain::<8>(address).map(u64::from_le_bytes),
        Type::Int(8) => heap.read_plain::<1>(address).map(|b| u64::from(b[0])),
        Type::Int(16) => heap.read_plain::<2>(address).map(|b| u64::from(u16::from_le_bytes(b))),
        Type::Int(_) => None,
    }
}

/// Writes a constant word, if the access is plain.
#[inline]
pub(super) fn write_word<D: Domain>(heap: &mut Heap<D>, address: u64, ty: Type, value: u64) -> bool {
    match ty {
        Type::Int(32) | Type::F32 => heap.write_plain(address, (value as u32).to_le_bytes()),
        Type::Int(64) | Type::Ptr | Type::F64 => heap.write_plain(address, value.to_le_bytes()),
        Type::Int(8) => heap.write_plain(address, [value as u8]),
        Type::Int(16) => heap.write_plain(address, (value as u16).to_le_bytes()),
        Type::Int(_) => false,
    }
}

/// The places an access of `n` bytes touches, checked. There are none where it is an error behind which the path goes
/// on, but for one in the slack behind an object.
pub(super) fn targets<D: Domain>(
    domain: &mut D,
    heap: &Heap<D>,
    path: &D::Path,
    address: &D::Value,
    n: u64,
    write: bool,
) -> Result<Targets<D::Value>, Stop<D>> {
    match valid_targets(domain, heap, path, address, n, write) {
        Err(Stop::Fault { kind, message }) => {
            heap.forgive(MemoryFault { kind, message })?;
            let whole = D::as_constant(address).and_then(|bits| heap.inside(bits, n, write));
            let whole = whole.filter(|inside| inside.skipped == 0 && inside.len == n);
            let target =
                |inside: Inside| Target { guard: None, object: inside.object, offset: D::constant(inside.offset) };
            Ok(whole.map(target).into_iter().collect())
        }
        other => other,
    }
}

fn valid_targets<D: Domain>(
    domain: &mut D,
    heap: &Heap<D>,
    path: &D::Path,
    address: &D::Value,
    n: u64,
    write: bool,
) -> Result<Targets<D::Value>, Stop<D>> {
    let Some(bits) = D::as_constant(address) else {
        let targets = domain.resolve(path, heap, address, n)?;
        for target in &targets {
            require_usable(domain, heap, path, target, write)?;
        }
        return Ok(targets);
    };
    let (object, offset) = heap.check(bits, n, write)?;
    let target = Target { guard: None, object, offset: D::constant(offset) };
    require_usable(domain, heap, path, &target, false)?;
    Ok(smallvec![target])
}

/// Tells of an access that may be outside of an object whose size depends on inputs, where paths go on behind errors.
/// The object has memory there, so nothing else comes of it. `n` is the number of bytes, `least` as many or less of
/// them.
pub(super) fn suspect<D: Domain>(
    domain: &mut D,
    heap: &Heap<D>,
    path: &D::Path,
    address: &D::Value,
    (n, least): (&D::Value, u64),
    write: bool,
) -> Result<(), Stop<D>> {
    if !heap.continues() {
        return Ok(());
    }
    let word = Type::Int(64);
    for Target { guard, object, offset } in targets(domain, heap, path, address, least, write)? {
        let Some(asked) = heap.object(object).and_then(|o| o.asked.clone()) else { continue };
        let end = super::operations::add(domain, &offset, n)?;
        let mut inside = super::operations::int_compare(domain, IntPredicate::Ule, word, &end, &asked);
        if let Some(guard) = guard {
            let elsewhere = domain.not(&guard);
            inside = select(domain, Type::Int(1), &elsewhere, &D::constant(1), &inside);
        }
        let error = |domain: &D| {
            let [offset, n, asked] = [&offset, n, &asked].map(|value| domain.describe(value));
            (ErrorKind::OutOfBounds, heap.asked_message(object, (&offset, &n), &asked, write))
        };
        match domain.suspects(&inside) {
            Some(false) => {}
            Some(true) => {
                let (kind, message) = error(domain);
                heap.forgive(MemoryFault { kind, message })?;
            }
            None => return Err(Stop::Suspect { condition: inside, error: Box::new(error(domain)) }),
        }
    }
    Ok(())
}

/// A target must be defined, and for a write not constant.
fn require_usable<D: Domain>(
    domain: &mut D,
    heap: &Heap<D>,
    path: &D::Path,
    target: &Target<D::Value>,
    write: bool,
) -> Result<(), Stop<D>> {
    let Some(object) = heap.object(target.object) else { return Ok(()) };
    if object.external {
        let what = format!("access to the {}, which is declared but not defined", heap.describe_object(target.object));
        return Err(Stop::Unsupported { what });
    }
    if !(write && object.constant) {
        return Ok(());
    }
    let message = format!("write to constant {}", heap.describe_object(target.object));
    if let Some(guard) = &target.guard {
        let elsewhere = domain.not(guard);
        match domain.decide(path, &elsewhere, heap.decides(DecisionKind::InBounds)) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(stop) => return Err(super::operations::explain(stop, ErrorKind::WriteToConstant, &message)),
        }
    }
    Err(Stop::Fault { kind: ErrorKind::WriteToConstant, message })
}

/// What the targets cover, for the trace.
pub(super) fn regions<D: Domain>(domain: &D, heap: &Heap<D>, targets: &Targets<D::Value>, n: u64) -> Regions {
    let region = |t: &Target<D::Value>| match D::as_constant(&t.offset) {
        Some(start) => Region { object: t.object, start, len: n, exact: t.guard.is_none() },
        None => {
            let size = heap.object(t.object).map_or(0, |o| o.size);
            let (least, greatest) = domain.least_and_greatest(&t.offset).unwrap_or((0, size.into()));
            let inside = |at: i128| u64::try_from(at.max(0)).unwrap_or(u64::MAX).min(size);
            let (start, end) = (inside(least), inside(greatest.saturating_add(n.into())));
            Region { object: t.object, start, len: end - start, exact: false }
        }
    };
    targets.iter().map(region).collect()
}

/// Whether a load may read a byte that was never written.
pub(super) fn may_be_undefined<D: Domain>(
    domain: &mut D,
    heap: &Heap<D>,
    path: &D::Path,
    address: &D::Value,
    ty: Type,
) -> Result<bool, Stop<D>> {
    let n = u64::from(ty.bytes());
    let found = targets(domain, heap, path, address, n, false)?;
    Ok(found.iter().any(|target| match D::as_constant(&target.offset) {
        Some(offset) => heap.undefined_bits(target.object, offset, n) != 0,
        None => heap.undefined_runs(target.object, 0).is_none(),
    }))
}

/// [`icsched_ir::Op::Load`] of any value.
pub(super) fn load<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    path: &D::Path,
    address: &D::Value,
    ty: Type,
) -> Result<(D::Value, Regions), Stop<D>> {
    let n = ty.bytes();
    let found = targets(domain, heap, path, address, u64::from(n), false)?;
    if found.is_empty() {
        return indeterminate::load(domain, heap, path, address, ty);
    }
    indeterminate::fill_in(domain, heap, &found, u64::from(n));
    let covered = regions(domain, heap, &found, u64::from(n));
    let whole = Type::Int(u8::try_from(n * 8).expect("at most eight bytes"));
    let mut value: Option<D::Value> = None;
    for target in found.iter().rev() {
        let here = load_word(domain, heap, path, target, n, ty == Type::Ptr)?;
        value = Some(match (&target.guard, value) {
            (Some(guard), Some(other)) => select(domain, whole, guard, &here, &other),
            (_, _) => here,
        });
    }
    let value = value.ok_or_else(|| Stop::Unsupported { what: "a load from nowhere".to_owned() })?;
    if D::as_constant(&value).is_none()
        && found.iter().all(|t| heap.contents_of(t.object).is_some_and(|array| domain.is_initial(array)))
    {
        domain.loaded(address, &value);
    }
    let value = if ty.bits() == n * 8 { value } else { super::context::resize(domain, &value, whole, ty)? };
    Ok((value, covered))
}

fn load_word<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    path: &D::Path,
    target: &Target<D::Value>,
    n: u32,
    pointer: bool,
) -> Result<D::Value, Stop<D>> {
    let id = target.object;
    Ok(match D::as_constant(&target.offset) {
        Some(offset) if !heap.is_array(id) => {
            let bytes = heap.bytes(domain, path, id, offset, u64::from(n));
            join(domain, &bytes)
        }
        _ => match heap.array(domain, id) {
            Some(array) => {
                let size = heap.object(id).map_or(0, |o| o.size);
                if pointer {
                    domain.array_ask(path, &array, size, &target.offset, n)?;
                }
                domain.array_load(path, &array, size, &target.offset, n, pointer)
            }
            None => D::constant(0),
        },
    })
}

/// [`icsched_ir::Op::Store`] of any value.
pub(super) fn store<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    path: &D::Path,
    address: &D::Value,
    value: &D::Value,
    ty: Type,
) -> Result<Regions, Stop<D>> {
    let n = ty.bytes();
    let found = targets(domain, heap, path, address, u64::from(n), true)?;
    if found.is_empty() {
        return Ok(indeterminate::store(domain, heap, address, value, n));
    }
    let covered = regions(domain, heap, &found, u64::from(n));
    let whole = Type::Int(u8::try_from(n * 8).expect("at most eight bytes"));
    let value = match D::as_constant(value) {
        None if ty.bits() != n * 8 => domain.cast(CastOp::ZExt, ty, whole, value)?,
        _ => value.clone(),
    };
    for target in &found {
        store_word(domain, heap, path, target, &value, n);
    }
    Ok(covered)
}

fn store_word<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    path: &D::Path,
    target: &Target<D::Value>,
    value: &D::Value,
    n: u32,
) {
    let id = target.object;
    match D::as_constant(&target.offset) {
        Some(offset) if !heap.is_array(id) => {
            let value = match &target.guard {
                None => value.clone(),
                Some(guard) => {
                    let bytes = heap.bytes(domain, path, id, offset, u64::from(n));
                    let old = join(domain, &bytes);
                    let ty = Type::Int(u8::try_from(n * 8).expect("at most eight bytes"));
                    select(domain, ty, guard, value, &old)
                }
            };
            let bytes = split(domain, &value, n);
            heap.set_bytes(domain, id, offset, &bytes);
        }
        _ => {
            if let Some(array) = heap.array_mut(domain, id) {
                domain.array_store(array, &target.offset, value, n, target.guard.as_ref());
            }
        }
    }
}
