//! Bytes of objects that are numbers: many lie next to each other, so they are kept by pages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Node;

/// Bytes of a page.
const SIZE: u64 = 64;

/// What is known of consecutive bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Page {
    /// One bit for each byte that is known.
    known: u64,
    /// Zero where it is not.
    bytes: [u8; SIZE as usize],
}

impl Page {
    const EMPTY: Self = Self { known: 0, bytes: [0; SIZE as usize] };

    fn set(&mut self, at: u64, byte: u8) {
        self.known |= 1 << at;
        self.bytes[at as usize] = byte;
    }

    fn clear(&mut self, at: u64) {
        self.known &= !(1 << at);
        self.bytes[at as usize] = 0;
    }

    const fn knows(&self, at: u64) -> bool {
        self.known >> at & 1 == 1
    }

    /// The bytes that are known, from the start of the page.
    fn iter(&self) -> impl Iterator<Item = (u64, u8)> {
        (0..SIZE).filter(|&at| self.knows(at)).map(|at| (at, self.bytes[at as usize]))
    }

    /// What both know and say the same of; and one bit for each byte of which they say something else.
    fn common(&self, other: &Self) -> (Self, u64) {
        let both = self.known & other.known;
        if both == self.known && self.bytes == other.bytes {
            return (*self, 0);
        }
        let (mut common, mut differ) = (Self::EMPTY, 0);
        for at in (0..SIZE).filter(|at| both >> at & 1 == 1) {
            if self.bytes[at as usize] == other.bytes[at as usize] {
                common.set(at, self.bytes[at as usize]);
            } else {
                differ |= 1 << at;
            }
        }
        (common, differ)
    }
}

/// A page as files have it: which bytes are known, and these.
#[derive(Serialize, Deserialize)]
struct Spelled(u64, Vec<u8>);

impl Serialize for Page {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Spelled(self.known, self.iter().map(|(_, byte)| byte).collect()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Page {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spelled(known, bytes) = Spelled::deserialize(deserializer)?;
        let mut page = Self::EMPTY;
        for (at, byte) in (0..SIZE).filter(|at| known >> at & 1 == 1).zip(bytes) {
            page.set(at, byte);
        }
        Ok(page)
    }
}

/// Bytes of objects, by node and offset, ascending. No page is empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Bytes {
    pages: BTreeMap<(Node, u64), Page>,
}

impl Bytes {
    /// The pages, by node and number.
    pub const fn pages(&self) -> &BTreeMap<(Node, u64), Page> {
        &self.pages
    }

    /// Those of pages, none of which is empty.
    pub const fn of_pages(pages: BTreeMap<(Node, u64), Page>) -> Self {
        Self { pages }
    }

    /// How many there are. O(pages).
    pub fn len(&self) -> usize {
        self.pages.values().map(|page| page.known.count_ones() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// One of them.
    pub fn get(&self, node: Node, at: u64) -> Option<u8> {
        let page = self.pages.get(&(node, at / SIZE))?;
        page.knows(at % SIZE).then(|| page.bytes[(at % SIZE) as usize])
    }

    /// Sets one.
    pub fn insert(&mut self, node: Node, at: u64, byte: u8) {
        self.pages.entry((node, at / SIZE)).or_insert(Page::EMPTY).set(at % SIZE, byte);
    }

    /// Forgets one.
    pub fn remove(&mut self, node: Node, at: u64) {
        let key = (node, at / SIZE);
        if let Some(page) = self.pages.get_mut(&key) {
            page.clear(at % SIZE);
            if page.known == 0 {
                self.pages.remove(&key);
            }
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (Node, u64, u8)> {
        self.pages
            .iter()
            .flat_map(|(&(node, number), page)| page.iter().map(move |(at, b)| (node, number * SIZE + at, b)))
    }

    /// Those of one object.
    pub fn of(&self, node: Node) -> impl Iterator<Item = (u64, u8)> {
        let pages = self.pages.range((node, 0)..=(node, u64::MAX));
        pages.flat_map(|(&(_, number), page)| page.iter().map(move |(at, byte)| (number * SIZE + at, byte)))
    }

    /// The objects that they are in, ascending, some more than once.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.pages.keys().map(|&(node, _)| node)
    }

    /// Keeps some.
    pub fn retain(&mut self, mut keep: impl FnMut(Node, u64) -> bool) {
        self.pages.retain(|&(node, number), page| {
            for at in (0..SIZE).filter(|&at| page.knows(at)).collect::<Vec<_>>() {
                if !keep(node, number * SIZE + at) {
                    page.clear(at);
                }
            }
            page.known != 0
        });
    }

    /// Takes what the bytes of two objects have in common as those of a node; where they say something else is told.
    pub(super) fn insert_common(
        &mut self,
        node: Node,
        a: (&Self, Node),
        b: (&Self, Node),
        mut differs: impl FnMut(u64),
    ) {
        for (&(_, number), page) in a.0.pages.range((a.1, 0)..=(a.1, u64::MAX)) {
            let Some(other) = b.0.pages.get(&(b.1, number)) else { continue };
            let (common, different) = page.common(other);
            if common.known != 0 {
                self.pages.insert((node, number), common);
            }
            (0..SIZE).filter(|at| different >> at & 1 == 1).for_each(|at| differs(number * SIZE + at));
        }
    }

    /// How many places of two objects hold the same byte.
    pub(super) fn count_common(a: (&Self, Node), b: (&Self, Node)) -> usize {
        let pages = a.0.pages.range((a.1, 0)..=(a.1, u64::MAX));
        let common = |(&(_, number), page): (&(Node, u64), &Page)| {
            b.0.pages.get(&(b.1, number)).map_or(0, |other| page.common(other).0.known.count_ones() as usize)
        };
        pages.map(common).sum()
    }

    /// The same with other nodes, of which no two are the same one.
    pub(super) fn renamed(&self, node: impl Fn(Node) -> Node) -> Self {
        Self { pages: self.pages.iter().map(|(&(of, number), &page)| ((node(of), number), page)).collect() }
    }

    /// The objects of which these and others are not the same bytes, some more than once.
    pub(super) fn changed<'a>(&'a self, others: &'a Self) -> impl Iterator<Item = Node> + 'a {
        let own = self.pages.iter().filter(|(key, page)| others.pages.get(key) != Some(page));
        let other = others.pages.keys().filter(|key| !self.pages.contains_key(key));
        own.map(|(key, _)| key).chain(other).map(|&(node, _)| node)
    }
}

impl FromIterator<((Node, u64), u8)> for Bytes {
    fn from_iter<I: IntoIterator<Item = ((Node, u64), u8)>>(all: I) -> Self {
        let mut bytes = Self::default();
        all.into_iter().for_each(|((node, at), byte)| bytes.insert(node, at, byte));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;

    fn node(n: usize) -> Node {
        Node::Global(GlobalId::from_index(n))
    }

    fn bytes(all: &[(usize, u64, u8)]) -> Bytes {
        all.iter().map(|&(n, at, byte)| ((node(n), at), byte)).collect()
    }

    #[test]
    fn bytes_come_back_in_order() {
        let all = bytes(&[(1, 200, 3), (0, 63, 1), (1, 0, 2), (0, 64, 9)]);
        let listed: Vec<_> = all.iter().collect();
        assert_eq!(listed, [(node(0), 63, 1), (node(0), 64, 9), (node(1), 0, 2), (node(1), 200, 3)]);
        assert_eq!((all.len(), all.get(node(0), 64), all.get(node(0), 65)), (4, Some(9), None));
        assert_eq!(all.of(node(1)).collect::<Vec<_>>(), [(0, 2), (200, 3)]);
    }

    #[test]
    fn what_is_forgotten_leaves_nothing_behind() {
        let mut all = bytes(&[(0, 5, 1), (0, 6, 2)]);
        all.remove(node(0), 5);
        assert_eq!(all, bytes(&[(0, 6, 2)]));
        all.retain(|_, at| at != 6);
        assert_eq!((all.is_empty(), all), (true, Bytes::default()));
    }

    #[test]
    fn what_two_have_in_common() {
        let (a, b) = (bytes(&[(0, 1, 1), (0, 2, 2), (0, 3, 3)]), bytes(&[(1, 1, 1), (1, 2, 7), (1, 70, 3)]));
        let (mut common, mut different) = (Bytes::default(), Vec::new());
        common.insert_common(node(2), (&a, node(0)), (&b, node(1)), |at| different.push(at));
        assert_eq!((common, different), (bytes(&[(2, 1, 1)]), vec![2]));
        assert_eq!(Bytes::count_common((&a, node(0)), (&b, node(1))), 1);
        assert_eq!(a.changed(&b).collect::<Vec<_>>(), [node(0), node(1), node(1)]);
    }
}
