//! Bytes of objects that are numbers, by pages: most objects are known byte for byte, and few bytes differ from one
//! shape to the next.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::place::Node;

/// Bytes of a page: as many as a word has bits.
pub(crate) const PAGE: u64 = 64;

/// Pages of all objects that are read for one epoch: a gigabyte. Protects from a file that says in one line that all
/// memory is known; see `a_file_cannot_ask_for_all_memory`.
const MOST_PAGES: u64 = 1 << 24;

/// A byte of an object.
type At = (Node, u64);

/// Numbers in memory, byte by byte.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Bytes(BTreeMap<At, Page>);

/// Bytes that begin at a multiple of [`PAGE`]: which of them are known, and what they are. The others are 0.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Page {
    known: u64,
    values: [u8; PAGE as usize],
}

impl Page {
    const EMPTY: Self = Self { known: 0, values: [0; PAGE as usize] };

    /// The bytes that are known, as they are written.
    fn digits(&self) -> String {
        match self.values.iter().all(|&byte| byte == 0) {
            true => String::new(),
            false => self.bytes().map(|(_, byte)| format!("{byte:02x}")).collect(),
        }
    }

    /// The page of which these bytes are known.
    fn of_digits(known: u64, digits: &str) -> Option<Self> {
        let mut page = Self { known, ..Self::EMPTY };
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if digits.is_empty() {
            return Some(page);
        }
        if !is_hex || digits.len() != 2 * known.count_ones() as usize {
            return None;
        }
        for (bit, at) in ones(known).zip((0..).step_by(2)) {
            page.values[bit as usize] = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
        }
        Some(page)
    }

    fn bytes(&self) -> impl Iterator<Item = (u64, u8)> + '_ {
        ones(self.known).map(|bit| (bit, self.values[bit as usize]))
    }

    fn keep(&mut self, known: u64) {
        ones(self.known & !known).for_each(|bit| self.values[bit as usize] = 0);
        self.known &= known;
    }

    /// Which bytes are known in both, and are not the same.
    fn different(&self, other: &Self) -> u64 {
        let both = self.known & other.known;
        if self.values == other.values {
            return 0;
        }
        ones(both).filter(|&bit| self.values[bit as usize] != other.values[bit as usize]).map(|bit| 1 << bit).sum()
    }
}

/// The bits that are set, ascending.
fn ones(mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| u64::from(bits.trailing_zeros()))?;
        bits &= bits - 1;
        Some(bit)
    })
}

/// The page of a byte, and where in it the byte is.
const fn place((node, at): At) -> (At, u64) {
    ((node, at & !(PAGE - 1)), at & (PAGE - 1))
}

impl Bytes {
    /// The number in a byte, if it is one.
    pub fn get(&self, at: &At) -> Option<u8> {
        let (page, bit) = place(*at);
        let page = self.0.get(&page)?;
        (page.known >> bit & 1 == 1).then(|| page.values[bit as usize])
    }

    /// Says what a byte holds.
    pub fn insert(&mut self, at: At, byte: u8) {
        let (page, bit) = place(at);
        let page = self.0.entry(page).or_insert(Page::EMPTY);
        page.known |= 1 << bit;
        page.values[bit as usize] = byte;
    }

    /// Says what some bytes of one word hold, from a multiple of four on.
    pub(crate) fn insert_word(&mut self, at: At, bytes: &[Option<u8>]) {
        let (page, bit) = place(at);
        if bytes.iter().any(Option::is_some) {
            let page = self.0.entry(page).or_insert(Page::EMPTY);
            for (bit, byte) in (bit..).zip(bytes) {
                if let Some(byte) = *byte {
                    page.known |= 1 << bit;
                    page.values[bit as usize] = byte;
                }
            }
        }
    }

    /// Says what some words of eight bytes of an object hold, from multiples of eight on, ascending.
    pub(crate) fn insert_words(&mut self, node: Node, words: &[(u64, u64)]) {
        for of_page in words.chunk_by(|a, b| place((node, a.0)).0 == place((node, b.0)).0) {
            let page = self.0.entry(place((node, of_page[0].0)).0).or_insert(Page::EMPTY);
            for &(at, word) in of_page {
                let (_, bit) = place((node, at));
                page.known |= 0xff << bit;
                page.values[bit as usize..bit as usize + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    /// Forgets a byte.
    pub fn remove(&mut self, at: &At) {
        let (page, bit) = place(*at);
        if let Some(found) = self.0.get_mut(&page) {
            found.keep(!(1 << bit));
            if found.known == 0 {
                self.0.remove(&page);
            }
        }
    }

    /// Keeps some bytes.
    pub fn retain(&mut self, mut keep: impl FnMut(At, u8) -> bool) {
        self.0.retain(|&(node, start), page| {
            let kept = page.bytes().filter(|&(bit, byte)| keep((node, start + bit), byte)).map(|(bit, _)| 1 << bit);
            let known = kept.sum();
            page.keep(known);
            known != 0
        });
    }

    /// Keeps the bytes of each page of an object whose bits are set in what `keep` says of the page with its number.
    pub(crate) fn retain_pages(&mut self, mut keep: impl FnMut(Node, u64) -> u64) {
        self.0.retain(|&(node, start), page| {
            page.keep(keep(node, start / PAGE));
            page.known != 0
        });
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (At, u8)> + '_ {
        let of_page = |(&(node, start), page): (&At, &Page)| page_bytes(node, start, *page);
        self.0.iter().flat_map(of_page)
    }

    /// By pages of 64 bytes, ascending: the object, where the page begins in it, a bit for each byte that is known, and
    /// the bytes.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (Node, u64, u64, &[u8; PAGE as usize])> {
        self.0.iter().map(|(&(node, start), page)| (node, start, page.known, &page.values))
    }

    /// Runs of bytes that are known: the object, where the run begins, and how long it is, at most 64 bytes. Ascending.
    pub fn runs(&self) -> impl Iterator<Item = (Node, u64, u64)> + '_ {
        self.0.iter().flat_map(|(&(node, start), page)| {
            let mut left = page.known;
            std::iter::from_fn(move || {
                let first = (left != 0).then(|| left.trailing_zeros())?;
                let len = (!(left >> first)).trailing_zeros();
                left &= !(u64::MAX >> (64 - len) << first);
                Some((node, start + u64::from(first), u64::from(len)))
            })
        })
    }

    /// Those of an object, ascending.
    pub fn of(&self, node: Node) -> impl Iterator<Item = (u64, u8)> + '_ {
        self.0.range(all(node)).flat_map(|(&(_, start), page)| page.bytes().map(move |(bit, byte)| (start + bit, byte)))
    }

    /// The objects, ascending, each as often as it has pages.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.0.keys().map(|&(node, _)| node)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.values().map(|page| page.known.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is known in both of an object `a` here and `b` there becomes known of `node` in `met`. Calls `differ` for
    /// the bytes of which it is not the same.
    pub(crate) fn join(
        &self,
        other: &Self,
        (a, b, node): (Node, Node, Node),
        met: &mut Self,
        mut differ: impl FnMut(u64),
    ) {
        for (&(_, start), here) in self.0.range(all(a)) {
            let Some(there) = other.0.get(&(b, start)) else { continue };
            let different = here.different(there);
            let mut page = *here;
            page.keep(there.known & !different);
            if page.known != 0 {
                met.0.insert((node, start), page);
            }
            ones(different).for_each(|bit| differ(start + bit));
        }
    }

    /// How many bytes of an object `a` here and `b` there are the same.
    pub(crate) fn common(&self, other: &Self, a: Node, b: Node) -> usize {
        let pages = self.0.range(all(a)).filter_map(|(&(_, start), here)| Some((here, other.0.get(&(b, start))?)));
        pages.map(|(here, there)| (here.known & there.known & !here.different(there)).count_ones() as usize).sum()
    }

    /// The same of other objects, of which no two are the same one; objects without a name are left out.
    pub(crate) fn renamed(&self, name: impl Fn(Node) -> Option<Node>) -> Self {
        Self(self.0.iter().filter_map(|(&(node, start), &page)| Some(((name(node)?, start), page))).collect())
    }

    /// Bytes that are another one in `to`, or not known there, or only there.
    pub fn changes<'a>(&'a self, to: &'a Self) -> impl Iterator<Item = (At, Option<u8>)> + 'a {
        let is_same = |key: &At, page: &Page, other: &Self| other.0.get(key) == Some(page);
        let old = self.0.iter().filter(move |(key, page)| !is_same(key, page, to));
        let lost = old.flat_map(|(&(node, start), page)| page_bytes(node, start, *page));
        let lost = lost.map(|(at, _)| at).filter(|at| to.get(at).is_none()).map(|at| (at, None));
        let new = to.0.iter().filter(move |(key, page)| !is_same(key, page, self));
        let new = new.flat_map(|(&(node, start), page)| page_bytes(node, start, *page));
        lost.chain(new.filter(|(at, byte)| self.get(at) != Some(*byte)).map(|(at, byte)| (at, Some(byte))))
    }
}

fn page_bytes(node: Node, start: u64, page: Page) -> impl Iterator<Item = (At, u8)> {
    ones(page.known).map(move |bit| ((node, start + bit), page.values[bit as usize]))
}

const fn all(node: Node) -> std::ops::RangeInclusive<At> {
    (node, 0)..=(node, u64::MAX)
}

impl Extend<(At, u8)> for Bytes {
    fn extend<I: IntoIterator<Item = (At, u8)>>(&mut self, bytes: I) {
        bytes.into_iter().for_each(|(at, byte)| self.insert(at, byte));
    }
}

impl FromIterator<(At, u8)> for Bytes {
    fn from_iter<I: IntoIterator<Item = (At, u8)>>(bytes: I) -> Self {
        let mut new = Self::default();
        new.extend(bytes);
        new
    }
}

/// Equal pages one behind the other, as they are written.
#[derive(Serialize, Deserialize)]
struct Run {
    node: Node,
    start: u64,
    /// How many pages.
    pages: u64,
    /// A bit for each byte of a page that is known.
    known: u64,
    /// These bytes, two hexadecimal digits each; empty if all are 0.
    bytes: String,
}

/// As runs of equal pages: large arrays of zeros take one line.
impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs: Vec<Run> = Vec::new();
        let mut last: Option<Page> = None;
        for (&(node, start), page) in &self.0 {
            let before = runs.last_mut().filter(|run| {
                last == Some(*page) && run.node == node && run.start.checked_add(run.pages * PAGE) == Some(start)
            });
            match before {
                Some(run) => run.pages += 1,
                None => runs.push(Run { node, start, pages: 1, known: page.known, bytes: page.digits() }),
            }
            last = Some(*page);
        }
        serializer.collect_seq(runs)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (mut new, mut left) = (BTreeMap::new(), MOST_PAGES);
        for Run { node, start, pages, known, bytes } in Vec::<Run>::deserialize(deserializer)? {
            let page = Page::of_digits(known, &bytes).ok_or_else(|| D::Error::custom("bytes that are none"))?;
            let is_there = start.is_multiple_of(PAGE) && known != 0 && pages <= left;
            let end = pages.checked_mul(PAGE).and_then(|len| start.checked_add(len)).filter(|_| is_there);
            let end = end.ok_or_else(|| D::Error::custom("bytes where none can be"))?;
            left -= pages;
            new.extend((start..end).step_by(PAGE as usize).map(|at| ((node, at), page)));
        }
        Ok(Self(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Node = Node::Heap(1);
    const B: Node = Node::Heap(2);

    fn bytes(node: Node, known: &[(u64, u8)]) -> Bytes {
        known.iter().map(|&(at, byte)| ((node, at), byte)).collect()
    }

    #[test]
    fn equal_pages_are_written_once() {
        let zeros = (0..1 << 16).map(|at| ((A, at), 0));
        let found: Bytes = zeros.chain(bytes(B, &[(3, 7), (63, 0), (64, 9)]).iter()).collect();
        let text = serde_json::to_string(&found).expect("plain data");
        assert!(text.len() < 300, "{text}");
        assert_eq!(serde_json::from_str::<Bytes>(&text).expect("as written"), found);
        for wrong in
            [text.replace("0700", "07"), text.replace("0700", "07é"), text.replace("\"start\":0", "\"start\":3")]
        {
            assert_ne!(wrong, text);
            assert!(serde_json::from_str::<Bytes>(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_cannot_ask_for_all_memory() {
        let of = |runs: &[(u64, u64)]| {
            let run = |(start, pages): &(u64, u64)| {
                format!(r#"{{"node":{{"Heap":1}},"start":{start},"pages":{pages},"known":1,"bytes":""}}"#)
            };
            let runs: Vec<String> = runs.iter().map(run).collect();
            serde_json::from_str::<Bytes>(&format!("[{}]", runs.join(",")))
        };
        assert!(of(&[(0, 3), (64 * 3, 2)]).is_ok());
        assert!(of(&[(0, u64::MAX)]).is_err() && of(&[(0, MOST_PAGES + 1)]).is_err());
        assert!(of(&[(0, 3), (64 * 3, MOST_PAGES - 2)]).is_err(), "all of them count");
    }

    #[test]
    fn what_is_not_known_leaves_no_trace() {
        let mut found = bytes(A, &[(3, 7), (63, 8), (64, 9), (700, 0)]);
        assert_eq!((found.len(), found.get(&(A, 64)), found.get(&(A, 65))), (4, Some(9), None));
        found.remove(&(A, 64));
        found.remove(&(A, 65));
        assert_eq!(found, bytes(A, &[(3, 7), (63, 8), (700, 0)]));
        found.retain(|(_, at), byte| at != 3 && byte != 0);
        assert_eq!(found, bytes(A, &[(63, 8)]));
        assert_eq!(found.iter().collect::<Vec<_>>(), [((A, 63), 8)]);
        found.insert((A, 64), 9);
        found.retain_pages(|_, page| if page == 0 { 1 << 63 } else { !1 });
        assert_eq!(found, bytes(A, &[(63, 8)]));
    }

    #[test]
    fn runs_are_all_bytes_in_one_page() {
        let mut found: Bytes = (61..200).map(|at| ((A, at), 1)).collect();
        found.remove(&(A, 130));
        found.insert((B, 5), 0);
        let runs: Vec<_> = found.runs().collect();
        assert_eq!(runs, [(A, 61, 3), (A, 64, 64), (A, 128, 2), (A, 131, 61), (A, 192, 8), (B, 5, 1)]);
    }

    #[test]
    fn a_meet_keeps_what_is_the_same_and_tells_what_differs() {
        let (here, there) =
            (bytes(A, &[(1, 1), (2, 2), (3, 3), (80, 4)]), bytes(B, &[(1, 1), (2, 5), (4, 3), (200, 4)]));
        let (mut met, mut differ) = (Bytes::default(), Vec::new());
        here.join(&there, (A, B, Node::Heap(0)), &mut met, |at| differ.push(at));
        assert_eq!((met, differ), (bytes(Node::Heap(0), &[(1, 1)]), vec![2]));
    }

    #[test]
    fn changes_are_what_is_lost_new_or_another_one() {
        let (from, to) = (bytes(A, &[(1, 1), (2, 2), (3, 3)]), bytes(A, &[(1, 1), (2, 5), (90, 6)]));
        let changes: Vec<_> = from.changes(&to).map(|((_, at), byte)| (at, byte)).collect();
        assert_eq!(changes, [(3, None), (2, Some(5)), (90, Some(6))]);
    }
}
