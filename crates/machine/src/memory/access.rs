//! Reading and writing bytes of objects.

use smallvec::SmallVec;

use super::object::Content;
use super::{ADDRESS_SPACE, Death, Heap, MemoryFault, Object, ObjectId, layout};
use crate::budgets::BUDGETS;
use crate::stop::ErrorKind;
use crate::values::{MemoryByte, Values};

/// Bytes of one object.
pub(crate) type Bytes<D> = SmallVec<[MemoryByte<<D as Values>::Byte>; 8]>;

/// What was written to an object.
pub struct SinceMade<B> {
    /// Whether other bytes are undefined; else they are zero.
    pub is_else_undefined: bool,
    /// Bytes with their offsets, ascending.
    pub bytes: Vec<(u64, MemoryByte<B>)>,
}

impl<D: Values> Heap<D> {
    /// The object and offset that a constant address points to, if `n` bytes may be accessed there.
    pub fn check(&self, address: u64, n: u64, write: bool) -> Result<(ObjectId, u64), MemoryFault> {
        let (id, offset) = match layout::classify(address) {
            layout::AddressClass::Object(id, offset) => (id, offset),
            layout::AddressClass::Null => return Err(self.null(address, write)),
            layout::AddressClass::Function(_) | layout::AddressClass::Other => {
                return Err(fault(
                    ErrorKind::WildPointer,
                    format!("{} of {n} bytes at the address of code", verb(write)),
                ));
            }
        };
        self.check_object(id, offset, n, write)?;
        Ok((id, offset as u64))
    }

    /// Whether `n` bytes at a constant offset of an object may be accessed.
    pub fn check_object(&self, id: ObjectId, offset: i64, n: u64, write: bool) -> Result<&Object<D>, MemoryFault> {
        let Some(object) = self.object(id) else {
            let message = format!(
                "{} of {n} bytes through a pointer to nothing ({:#x})",
                verb(write),
                layout::address(id, offset as u64)
            );
            return Err(fault(ErrorKind::WildPointer, message));
        };
        self.check_alive(id, write)?;
        if offset < 0 || (offset as u64).saturating_add(n) > object.size {
            return Err(fault(ErrorKind::OutOfBounds, self.bounds_message(id, &offset, n, write)));
        }
        if write && object.constant {
            return Err(fault(ErrorKind::WriteToConstant, format!("write to constant {}", self.describe_object(id))));
        }
        Ok(object)
    }

    /// Whether an object may be accessed at all.
    pub fn check_alive(&self, id: ObjectId, write: bool) -> Result<(), MemoryFault> {
        let Some((cause, _)) = self.object(id).and_then(Object::death) else { return Ok(()) };
        let kind = match cause {
            Death::Freed => ErrorKind::UseAfterFree,
            Death::Returned | Death::ThreadEnded => ErrorKind::UseAfterReturn,
        };
        Err(fault(kind, format!("{} of {}", verb(write), self.describe_object(id))))
    }

    /// The sentence for an access out of bounds; `offset` may be anything that prints.
    pub fn bounds_message(&self, id: ObjectId, offset: &dyn std::fmt::Display, n: u64, write: bool) -> String {
        let offset = shortened(offset.to_string());
        let accessed = count(n);
        let (object, has) = (self.describe_object(id), self.size_text(id));
        format!("{} of {accessed} at offset {offset} of {object}, which {has}", verb(write))
    }

    /// The same for as many bytes as an input says, where there is room for so many.
    pub(crate) fn room_message(&self, id: ObjectId, offset: u64, room: u64, write: bool) -> String {
        let (object, has) = (self.describe_object(id), self.size_text(id));
        format!("{} of more than {} at offset {offset} of {object}, which {has}", verb(write), count(room))
    }

    /// The same where it is known how the program gets there: `place`, and what it calls the object.
    pub fn outside_message(&self, id: ObjectId, place: &str, object: Option<&str>, n: u64) -> String {
        let object = object.map_or_else(|| self.describe_object(id), |name| format!("`{name}`"));
        let place = shortened(place.to_owned());
        format!("access of {} at `{place}`, outside of {object}, which {}", count(n), self.size_text(id))
    }

    /// The same of an object whose size depends on inputs.
    pub(crate) fn asked_message(&self, id: ObjectId, (offset, n): (&str, &str), asked: &str, write: bool) -> String {
        let [offset, n, asked] = [offset, n, asked].map(|text| cut(text.to_owned(), BUDGETS.size_text));
        let (object, s) = (self.describe_object(id), if n == "1" { "" } else { "s" });
        format!("{} of {n} byte{s} at offset {offset} of {object}, which has {asked} bytes", verb(write))
    }

    fn size_text(&self, id: ObjectId) -> String {
        let Some(object) = self.object(id) else { return "is not there".to_owned() };
        match () {
            () if object.external => "is declared but defined nowhere".to_owned(),
            () if object.initial_number().is_some() && object.size == super::UNKNOWN_SIZE => {
                "has an unknown size".to_owned()
            }
            () => format!("has {}", count(object.size)),
        }
    }

    fn null(&self, address: u64, write: bool) -> MemoryFault {
        let message = match address {
            0 => format!("{} through a null pointer", verb(write)),
            1..ADDRESS_SPACE => format!("{} through a null pointer plus {address:#x}", verb(write)),
            _ => format!("{} through a null pointer minus {:#x}", verb(write), address.wrapping_neg()),
        };
        fault(ErrorKind::NullPointer, message)
    }

    /// Reads `N` constant bytes, if everything about the access is plain. The machine's fast path.
    #[inline]
    pub fn read_plain<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let (id, offset) = layout::split(address);
        let object = self.objects.get(id.index())?;
        let offset = offset as u64;
        if offset.checked_add(N as u64)? > object.size || object.external {
            return None;
        }
        match &object.content {
            Content::Bytes(pages) => pages.read(offset),
            Content::Array(_) | Content::Both(_) | Content::Dead(_) => None,
        }
    }

    /// Writes `N` constant bytes, if everything about the access is plain. The machine's fast path.
    #[inline]
    pub(crate) fn write_plain<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> bool {
        let (id, offset) = layout::split(address);
        let Some(object) = self.objects.get_mut(id.index()) else { return false };
        let offset = offset as u64;
        let Some(end) = offset.checked_add(N as u64) else { return false };
        if end > object.size || object.constant || object.external {
            return false;
        }
        match &mut object.content {
            Content::Bytes(pages) => pages.write(offset, bytes),
            Content::Array(_) | Content::Both(_) | Content::Dead(_) => false,
        }
    }

    /// One byte of a live object, inside its bounds.
    pub fn byte(&self, domain: &mut D, path: &D::Path, id: ObjectId, offset: u64) -> MemoryByte<D::Byte> {
        let Some(object) = self.object(id) else { return MemoryByte::Constant(0) };
        match &object.content {
            Content::Bytes(pages) => pages.get(offset),
            Content::Both(both) => both.0.get(offset),
            Content::Dead(_) => MemoryByte::Constant(0),
            Content::Array(array) => {
                let value = domain.array_load(path, array, object.size, &D::constant(offset), 1, false);
                domain.split_bytes(&value, 1).pop().unwrap_or(MemoryByte::Constant(0))
            }
        }
    }

    /// What a byte of a live object holds, be it written or not, unless the object was written at an offset that
    /// depends on inputs.
    pub(crate) fn held_byte(&self, id: ObjectId, offset: u64) -> Option<MemoryByte<D::Byte>> {
        Some(self.object(id)?.content.pages()?.get(offset))
    }

    /// Eight bytes of a live object, inside its bounds, if they are defined, constant, and in one page.
    pub fn read_word(&self, id: ObjectId, offset: u64) -> Option<u64> {
        self.object(id)?.content.pages()?.read::<8>(offset).map(u64::from_le_bytes)
    }

    /// `n` bytes of a live object, inside its bounds.
    pub fn bytes(&self, domain: &mut D, path: &D::Path, id: ObjectId, offset: u64, n: u64) -> Bytes<D> {
        let Some(Object { content: Content::Array(array), size, .. }) = self.object(id) else {
            return (0..n).map(|i| self.byte(domain, path, id, offset + i)).collect();
        };
        let mut bytes: Bytes<D> = SmallVec::new();
        while (bytes.len() as u64) < n {
            let at = offset + bytes.len() as u64;
            let many = domain.array_unit(array, at, offset + n - at);
            let value = domain.array_load(path, array, *size, &D::constant(at), many, false);
            bytes.extend(domain.split_bytes(&value, many));
        }
        bytes
    }

    /// Writes bytes into a live object, inside its bounds. The caller has checked that it may be written.
    pub fn set_bytes(&mut self, domain: &mut D, id: ObjectId, offset: u64, bytes: &[MemoryByte<D::Byte>]) {
        let Some(object) = self.object_mut(id) else { return };
        if let Content::Both(both) = &mut object.content {
            object.content = Content::Bytes(std::mem::take(&mut both.0));
        }
        match &mut object.content {
            Content::Both(_) | Content::Dead(_) => {}
            Content::Bytes(pages) => {
                for (byte, i) in bytes.iter().zip(offset..) {
                    pages.set(i, byte.clone());
                }
            }
            Content::Array(array) => {
                for (part, i) in bytes.chunks(8).zip((offset..).step_by(8)) {
                    let value = domain.join_bytes(part);
                    let n = u32::try_from(part.len()).expect("at most eight");
                    domain.array_store(array, &D::constant(i), &value, n, None);
                }
            }
        }
    }

    /// An object's contents as an array, for an access at a symbolic offset. Kept until the next write.
    pub fn array(&mut self, domain: &mut D, id: ObjectId) -> Option<D::Array> {
        let object = self.object(id)?;
        match &object.content {
            Content::Array(array) => Some(array.clone()),
            Content::Both(both) => Some(both.1.clone()),
            Content::Dead(_) => None,
            Content::Bytes(pages) => {
                let all: Vec<_> = (0..object.size + u64::from(object.slack)).map(|i| pages.get(i)).collect();
                let array = domain.array_from_bytes(&all);
                let object = self.object_mut(id)?;
                if let Content::Bytes(pages) = &mut object.content {
                    object.content = Content::Both(Box::new((std::mem::take(pages), array.clone())));
                }
                Some(array)
            }
        }
    }

    /// Replaces an object's contents after a write at a symbolic offset.
    pub fn set_array(&mut self, id: ObjectId, array: D::Array) {
        if let Some(object) = self.object_mut(id).filter(|object| object.is_alive()) {
            object.content = Content::Array(array);
        }
    }

    /// An object's contents as an array, which from now on they are.
    pub fn array_mut(&mut self, domain: &mut D, id: ObjectId) -> Option<&mut D::Array> {
        if !self.is_array(id) {
            let array = self.array(domain, id)?;
            self.set_array(id, array);
        }
        match &mut self.object_mut(id)?.content {
            Content::Array(array) => Some(array),
            Content::Bytes(_) | Content::Both(_) | Content::Dead(_) => None,
        }
    }

    /// Whether the object was written at a symbolic offset, so that even accesses at constant offsets go through the
    /// array.
    pub fn is_array(&self, id: ObjectId) -> bool {
        self.object(id).is_some_and(|o| matches!(o.content, Content::Array(_)))
    }
}

impl<D: Values> Heap<D> {
    /// Copies constant bytes between checked ranges, as `memmove` does; false (and nothing done) when some byte may not
    /// be constant.
    pub(crate) fn copy_plain(&mut self, to: ObjectId, at: u64, from: ObjectId, start: u64, n: u64) -> bool {
        let Some(bytes) = self.plain_bytes(from, start, n) else { return false };
        let undefined = self.undefined_bytes(from, start, n);
        let done = self.write_run(to, at, &bytes);
        if let Some(masks) = undefined.filter(|_| done) {
            self.set_undefined_bytes(to, at, &masks);
        }
        done
    }

    /// Fills a checked range with a constant byte; false (and nothing done) when some byte may not be constant.
    pub(crate) fn fill_plain(&mut self, to: ObjectId, at: u64, byte: u8, n: u64) -> bool {
        let Ok(len) = usize::try_from(n) else { return false };
        self.write_run(to, at, &vec![byte; len])
    }

    /// What was written to an object since it was made, if all of it was at constant offsets, and in at most so many
    /// bytes. O(size of the object).
    pub fn written_since_made(&self, id: ObjectId, most: usize) -> Option<SinceMade<D::Byte>> {
        let object = self.object(id).filter(|o| !o.external)?;
        let pages = object.content.pages()?;
        Some(SinceMade { is_else_undefined: pages.is_fresh(), bytes: pages.written(object.size, most)? })
    }

    fn plain_bytes(&self, id: ObjectId, start: u64, n: u64) -> Option<Vec<u8>> {
        let object = self.object(id).filter(|o| !o.external)?;
        object.content.pages()?.read_run(start, n)
    }

    fn write_run(&mut self, id: ObjectId, at: u64, bytes: &[u8]) -> bool {
        let Some(object) = self.object_mut(id).filter(|o| !o.external) else { return false };
        let Content::Bytes(pages) = &mut object.content else { return false };
        pages.write_run(at, bytes);
        true
    }
}

fn count(bytes: u64) -> String {
    format!("{bytes} byte{}", if bytes == 1 { "" } else { "s" })
}

fn verb(write: bool) -> &'static str {
    if write { "write" } else { "read" }
}

fn shortened(offset: String) -> String {
    cut(offset, BUDGETS.offset_text)
}

fn cut(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}

fn fault(kind: ErrorKind, message: String) -> MemoryFault {
    MemoryFault { kind, message }
}
