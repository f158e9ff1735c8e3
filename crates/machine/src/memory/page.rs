//! The bytes of an object: pages that exist once something was written to them.

use std::rc::Rc;

use super::tree::Tree;
use super::undefined::{PAGE, Undefined, Written};
use crate::budgets::BUDGETS;
use crate::values::{MemoryByte, Values};

/// Pages below a node of the tree of an object's pages.
const FANOUT: usize = 16;

/// Bytes of a small object's only page.
const TINY: usize = 64;

/// Bytes of a word that is compared.
const WORD: usize = 8;

/// The symbolic bytes of a page: which ones, and they in order.
#[derive(Clone)]
pub(super) struct Shadow<B> {
    mask: [u64; PAGE / 64],
    bytes: Vec<B>,
}

impl<B: Clone> Shadow<B> {
    const fn empty() -> Self {
        Self { mask: [0; PAGE / 64], bytes: Vec::new() }
    }

    fn has(&self, at: usize) -> bool {
        self.mask[at / 64] >> (at % 64) & 1 != 0
    }

    /// Symbolic bytes before a position.
    fn rank(&self, at: usize) -> usize {
        let whole: u32 = self.mask[..at / 64].iter().map(|m| m.count_ones()).sum();
        let part = self.mask[at / 64] & ((1 << (at % 64)) - 1);
        (whole + part.count_ones()) as usize
    }

    fn get(&self, at: usize) -> Option<&B> {
        self.has(at).then(|| &self.bytes[self.rank(at)])
    }

    fn set(&mut self, at: usize, byte: B) {
        let rank = self.rank(at);
        if self.has(at) {
            self.bytes[rank] = byte;
        } else {
            self.bytes.insert(rank, byte);
            self.mask[at / 64] |= 1 << (at % 64);
        }
    }

    fn clear(&mut self, at: usize) {
        if self.has(at) {
            self.bytes.remove(self.rank(at));
            self.mask[at / 64] &= !(1 << (at % 64));
        }
    }

    /// Whether any of these bytes is symbolic.
    #[inline]
    fn any(&self, at: usize, n: usize) -> bool {
        (at..at + n).any(|i| self.has(i))
    }
}

/// A page; a byte that the shadow has counts there and not in `data`. What each access looks at comes first.
#[repr(C)]
pub(super) struct Page<D: Values, const N: usize> {
    /// What was never written, if anything.
    undefined: Option<Box<Undefined>>,
    shadow: Option<Box<Shadow<D::Byte>>>,
    data: [u8; N],
}

impl<D: Values, const N: usize> Clone for Page<D, N> {
    fn clone(&self) -> Self {
        Self { data: self.data, shadow: self.shadow.clone(), undefined: self.undefined.clone() }
    }
}

impl<D: Values, const N: usize> Page<D, N> {
    fn new(fresh: bool) -> Self {
        Self::of_size(N, fresh)
    }

    /// A page of which the object has only so many bytes.
    fn of_size(size: usize, fresh: bool) -> Self {
        let undefined = (fresh && size > 0).then(|| Box::new(Undefined::all(size)));
        Self { data: [0; N], shadow: None, undefined }
    }
}

/// A page of any size, for reading.
pub(super) struct View<'a, D: Values> {
    data: &'a [u8],
    shadow: Option<&'a Shadow<D::Byte>>,
    written: Written<'a>,
}

/// A page of any size, for writing.
pub(super) struct ViewMut<'a, D: Values> {
    data: &'a mut [u8],
    /// `None` where no byte can be symbolic.
    shadow: Option<&'a mut Option<Box<Shadow<D::Byte>>>>,
    undefined: &'a mut Option<Box<Undefined>>,
}

impl<'a, D: Values> View<'a, D> {
    #[inline]
    fn of<const N: usize>(page: &'a Page<D, N>) -> Self {
        Self { data: &page.data, shadow: page.shadow.as_deref(), written: Written::of(&page.undefined) }
    }

    /// A page that may be absent; undefined bytes are zeros.
    fn or_zeros<const N: usize>(page: Option<&'a Page<D, N>>) -> Self {
        page.map_or(View { data: &ABSENT[..N], shadow: None, written: Written::All }, View::of)
    }

    /// Whether a word of both pages is the same: symbolic bytes are all alike.
    fn is_same_word(&self, other: &Self, at: usize, is_same: &mut dyn FnMut(u64, u64) -> bool) -> bool {
        if let (Some(a), Some(b)) = (self.plain(at, WORD), other.plain(at, WORD)) {
            let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a word is eight bytes"));
            return is_same(number(a), number(b));
        }
        let byte = |view: &Self, at| view.shadow.is_none_or(|s| !s.has(at)).then(|| view.data[at]);
        (at..at + WORD).all(|at| byte(self, at) == byte(other, at))
    }

    fn get(&self, at: usize) -> MemoryByte<D::Byte> {
        match self.shadow.and_then(|s| s.get(at)) {
            Some(byte) => MemoryByte::Symbolic(byte.clone()),
            None => MemoryByte::Constant(self.data[at]),
        }
    }

    /// Bytes that are all constant and all in this page; whether they are defined is not asked.
    #[inline]
    fn plain(&self, at: usize, n: usize) -> Option<&'a [u8]> {
        let bytes = self.data.get(at..at + n)?;
        if D::SYMBOLIC && self.shadow.is_some_and(|s| s.any(at, n)) {
            return None;
        }
        Some(bytes)
    }
}

impl<'a, D: Values> ViewMut<'a, D> {
    #[inline]
    fn of<const N: usize>(page: &'a mut Page<D, N>) -> Self {
        Self { data: &mut page.data, shadow: Some(&mut page.shadow), undefined: &mut page.undefined }
    }

    /// Writes a byte, which is defined then.
    fn set(&mut self, at: usize, byte: MemoryByte<D::Byte>) {
        Undefined::define(self.undefined, at, 1);
        match byte {
            MemoryByte::Constant(byte) => {
                self.data[at] = byte;
                if let Some(Some(shadow)) = &mut self.shadow {
                    shadow.clear(at);
                }
            }
            MemoryByte::Symbolic(byte) => {
                let shadow = self.shadow.as_mut().expect("only a domain with symbolic bytes has one to write");
                shadow.get_or_insert_with(|| Box::new(Shadow::empty())).set(at, byte);
            }
        }
    }

    /// Writes constant bytes inside this page; false if they reach beyond it.
    #[inline]
    fn fill(&mut self, at: usize, bytes: &[u8]) -> bool {
        let Some(target) = self.data.get_mut(at..at + bytes.len()) else { return false };
        target.copy_from_slice(bytes);
        if self.undefined.is_some() {
            Undefined::define(self.undefined, at, bytes.len());
        }
        if D::SYMBOLIC
            && let Some(Some(shadow)) = &mut self.shadow
        {
            (at..at + bytes.len()).for_each(|i| shadow.clear(i));
        }
        true
    }
}

/// All bytes of an object. A page that was never written is absent and reads as zeros, but for that of a small object;
/// the last one may reach beyond the end.
pub(super) struct Pages<D: Values> {
    form: Form<D>,
    /// Whether bytes that were never written are undefined.
    fresh: bool,
}

enum Form<D: Values> {
    /// In the object itself.
    Tiny(Page<D, TINY>),
    One(Option<Rc<Page<D, PAGE>>>),
    Many(Tree<Page<D, PAGE>, FANOUT>),
    /// In a domain whose states do not fork, and whose bytes are constants: exactly the object's bytes.
    Flat(Vec<u8>, Option<Box<Undefined>>),
}

impl<D: Values> Clone for Pages<D> {
    fn clone(&self) -> Self {
        let form = match &self.form {
            Form::Tiny(page) => Form::Tiny(page.clone()),
            Form::One(page) => Form::One(page.clone()),
            Form::Many(pages) => Form::Many(pages.clone()),
            Form::Flat(bytes, undefined) => Form::Flat(bytes.clone(), undefined.clone()),
        };
        Self { form, fresh: self.fresh }
    }
}

impl<D: Values> Default for Pages<D> {
    fn default() -> Self {
        Self { form: Form::Tiny(Page::new(false)), fresh: false }
    }
}

/// What absent pages hold.
const ABSENT: &[u8; PAGE] = &[0; PAGE];

impl<D: Values> Pages<D> {
    /// Zeros; undefined ones if `fresh`.
    pub(super) fn new(size: u64, fresh: bool) -> Self {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let form = if size <= TINY {
            Form::Tiny(Page::of_size(size, fresh))
        } else if !D::SYMBOLIC && size <= BUDGETS.flat_object_bytes {
            Form::Flat(vec![0; size], fresh.then(|| Box::new(Undefined::all(size))))
        } else if size <= PAGE {
            Form::One(None)
        } else {
            Form::Many(Tree::default())
        };
        Self { form, fresh }
    }

    /// The page of an offset inside the object and the position in it.
    #[inline]
    fn page(&self, offset: usize) -> (View<'_, D>, usize) {
        let page = match &self.form {
            Form::Flat(bytes, undefined) => {
                return (View { data: bytes, shadow: None, written: Written::of(undefined) }, offset);
            }
            Form::Tiny(page) => return (View::of(page), offset),
            Form::Many(pages) => pages.get(offset / PAGE).map(View::of),
            Form::One(page) => page.as_deref().map(View::of),
        };
        let written = if self.fresh { Written::Nothing } else { Written::All };
        (page.unwrap_or(View { data: ABSENT, shadow: None, written }), offset % PAGE)
    }

    /// The page of an offset inside the object and the position in it.
    #[inline]
    fn page_mut(&mut self, offset: usize) -> (ViewMut<'_, D>, usize) {
        let fresh = self.fresh;
        let page = match &mut self.form {
            Form::Flat(bytes, undefined) => return (ViewMut { data: bytes, shadow: None, undefined }, offset),
            Form::Tiny(page) => return (ViewMut::of(page), offset),
            Form::Many(pages) => ViewMut::of(pages.get_or_make(offset / PAGE, || Page::new(fresh))),
            Form::One(page) => ViewMut::of(Rc::make_mut(page.get_or_insert_with(|| Rc::new(Page::new(fresh))))),
        };
        (page, offset % PAGE)
    }

    /// The undefined bits of a byte inside the object.
    pub(super) fn undefined(&self, offset: u64) -> u8 {
        let (page, at) = self.page(index(offset));
        page.written.undefined(at)
    }

    /// Sets the undefined bits of a byte inside the object.
    pub(super) fn set_undefined(&mut self, offset: u64, mask: u8) {
        if self.undefined(offset) != mask {
            let (page, at) = self.page_mut(index(offset));
            Undefined::set(page.undefined, page.data.len(), at, mask);
        }
    }

    /// Whether any of `n` bytes inside the object is undefined.
    pub(super) fn any_undefined(&self, mut offset: u64, n: u64) -> bool {
        let end = offset + n;
        while offset < end {
            let (page, at) = self.page(index(offset));
            let now = (page.data.len() - at).min(index(end - offset));
            if page.written.touches(at, now) {
                return true;
            }
            offset += now as u64;
        }
        false
    }

    /// One byte inside the object.
    pub(super) fn get(&self, offset: u64) -> MemoryByte<D::Byte> {
        let (page, at) = self.page(index(offset));
        page.get(at)
    }

    /// Writes a byte inside the object.
    pub(super) fn set(&mut self, offset: u64, byte: MemoryByte<D::Byte>) {
        let (mut page, at) = self.page_mut(index(offset));
        page.set(at, byte);
    }

    /// `N` bytes inside the object if they are constant, defined and in one page.
    #[inline]
    pub(super) fn read<const N: usize>(&self, offset: u64) -> Option<[u8; N]> {
        let (page, at) = self.page(offset as usize);
        if page.written.touches(at, N) {
            return None;
        }
        page.plain(at, N)?.try_into().ok()
    }

    /// Writes `N` constant bytes inside the object; false, and nothing done, if they are not in one page.
    #[inline]
    pub(super) fn write<const N: usize>(&mut self, offset: u64, bytes: [u8; N]) -> bool {
        let (mut page, at) = self.page_mut(offset as usize);
        page.fill(at, &bytes)
    }

    /// `n` bytes inside the object if they are constant; whether they are defined is not asked.
    pub(super) fn read_run(&self, mut offset: u64, n: u64) -> Option<Vec<u8>> {
        let n = usize::try_from(n).ok()?;
        let mut bytes = Vec::with_capacity(n);
        while bytes.len() < n {
            let (page, at) = self.page(index(offset));
            let now = (n - bytes.len()).min(page.data.len() - at);
            bytes.extend_from_slice(page.plain(at, now)?);
            offset += now as u64;
        }
        Some(bytes)
    }

    /// The offset of the first word of eight bytes that is not the same in an object of the same size, by `is_same` of
    /// both. Symbolic bytes are all alike, and undefined ones are zeros. With `skips_shared` only what was written
    /// since one of the objects was cloned is compared.
    pub(super) fn differing(
        &self,
        other: &Self,
        skips_shared: bool,
        is_same: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Option<u64> {
        let mut found = None;
        let mut page = |first: usize, old: View<'_, D>, new: View<'_, D>| {
            let words = 0..old.data.len() / WORD;
            let differs = words.map(|word| word * WORD).find(|&at| !old.is_same_word(&new, at, is_same));
            found = differs.map(|at| (first + at) as u64);
            differs.is_none()
        };
        match (&self.form, &other.form) {
            (Form::Tiny(a), Form::Tiny(b)) => {
                page(0, View::of(a), View::of(b));
            }
            (Form::One(a), Form::One(b)) if !(skips_shared && is_shared(a, b)) => {
                page(0, View::or_zeros(a.as_deref()), View::or_zeros(b.as_deref()));
            }
            (Form::Many(a), Form::Many(b)) => {
                a.compare(b, skips_shared, &mut |index, a, b| page(index * PAGE, View::or_zeros(a), View::or_zeros(b)));
            }
            (Form::One(_), Form::One(_)) => {}
            _ => return Some(0),
        }
        found
    }

    /// The word of eight bytes at a multiple of eight, if it is constant.
    pub(super) fn word(&self, offset: u64) -> Option<u64> {
        let (page, at) = self.page(index(offset));
        Some(u64::from_le_bytes(page.plain(at, WORD)?.try_into().ok()?))
    }

    /// Whether bytes that were never written are undefined.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// The bytes below `size` that are not what they were when the object was made, undefined or zero: ascending, with
    /// their offsets. `None` if there are more than `most`. O(size).
    pub(super) fn written(&self, size: u64, most: usize) -> Option<Vec<(u64, MemoryByte<D::Byte>)>> {
        let mut found = Vec::new();
        let mut offset = 0;
        while offset < size {
            let (page, at) = self.page(index(offset));
            let now = (page.data.len() - at).min(index(size - offset));
            let is_untouched = match self.fresh {
                true => matches!(page.written, Written::Nothing),
                false => page.shadow.is_none() && page.data[at..at + now].iter().all(|&byte| byte == 0),
            };
            let is_written = |at: usize| match self.fresh {
                true => page.written.undefined(at) == 0,
                false => page.data[at] != 0 || page.shadow.is_some_and(|shadow| shadow.has(at)),
            };
            if !is_untouched {
                let written = (offset..).zip(at..at + now).filter(|&(_, at)| is_written(at));
                found.extend(written.map(|(offset, at)| (offset, page.get(at))));
                if found.len() > most {
                    return None;
                }
            }
            offset += now as u64;
        }
        Some(found)
    }

    /// Writes constant bytes inside the object.
    pub(super) fn write_run(&mut self, mut offset: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (mut page, at) = self.page_mut(index(offset));
            let (now, rest) = bytes.split_at(bytes.len().min(page.data.len() - at));
            let written = page.fill(at, now);
            debug_assert!(written, "the object has these bytes");
            offset += now.len() as u64;
            bytes = rest;
        }
    }
}

/// Whether both are one page, or none.
fn is_shared<T>(a: &Option<Rc<T>>, b: &Option<Rc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).expect("offsets inside objects fit")
}
