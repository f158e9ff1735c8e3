//! 256 bytes of memory, some of which may be symbolic.

use std::rc::Rc;

use super::object::Pages;
use crate::domain::{Domain, MemoryByte};

/// Bytes per page.
pub(super) const PAGE: usize = 256;

/// A page; where `shadow` has a byte, it counts and `data` does not.
pub(super) struct Page<D: Domain> {
    pub(super) data: [u8; PAGE],
    pub(super) shadow: Option<Box<[Option<D::Byte>; PAGE]>>,
}

impl<D: Domain> Clone for Page<D> {
    fn clone(&self) -> Self {
        Self { data: self.data, shadow: self.shadow.clone() }
    }
}

impl<D: Domain> Page<D> {
    pub(super) const fn zero() -> Self {
        Self { data: [0; PAGE], shadow: None }
    }

    pub(super) fn get(&self, at: usize) -> MemoryByte<D::Byte> {
        match self.shadow.as_ref().and_then(|s| s[at].as_ref()) {
            Some(byte) => MemoryByte::Symbolic(byte.clone()),
            None => MemoryByte::Constant(self.data[at]),
        }
    }

    pub(super) fn set(&mut self, at: usize, byte: MemoryByte<D::Byte>) {
        match byte {
            MemoryByte::Constant(byte) => {
                self.data[at] = byte;
                if let Some(shadow) = &mut self.shadow {
                    shadow[at] = None;
                }
            }
            MemoryByte::Symbolic(byte) => {
                let shadow = self.shadow.get_or_insert_with(|| Box::new([const { None }; PAGE]));
                shadow[at] = Some(byte);
            }
        }
    }
}

/// Writes constant bytes into pages that have no symbolic ones there.
pub(super) fn fill<D: Domain>(pages: &mut Pages<D>, mut offset: u64, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let (index, at) = position(offset);
        let Some(page) = pages.get_mut(index) else { return };
        let (now, rest) = bytes.split_at(bytes.len().min(PAGE - at));
        Rc::make_mut(page).data[at..at + now.len()].copy_from_slice(now);
        offset += now.len() as u64;
        bytes = rest;
    }
}

/// Page and position in it of a byte offset inside an object.
#[inline]
pub(super) fn position(offset: u64) -> (usize, usize) {
    let offset = usize::try_from(offset).expect("offsets inside objects fit");
    (offset / PAGE, offset % PAGE)
}
