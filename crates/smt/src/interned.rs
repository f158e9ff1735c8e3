//! The table in which a pool finds its terms. Most of what a search of paths does to terms is to make some that are there already, so
//! this is where its time goes: a slot says enough of a node that hardly another one is looked at, and growing looks at none.

use std::hash::BuildHasher as _;

use rustc_hash::FxBuildHasher;

use crate::node::Node;

/// Slots of a table that has any.
const LEAST: usize = 64;

/// Nodes, each once, by number.
#[derive(Clone, Default, Debug)]
pub(crate) struct Interned {
    nodes: Vec<Node>,
    /// 0 if it is free, else 32 bits of a node's hash, and its number and one. A node is in the first free slot from the one on that its
    /// hash says. As many as a power of two, and at most half of them in use.
    slots: Vec<u64>,
}

impl Interned {
    pub(crate) const fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline]
    pub(crate) fn get(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    /// The number of a node, and whether it is new.
    pub(crate) fn insert(&mut self, node: Node) -> (usize, bool) {
        if 2 * self.nodes.len() >= self.slots.len() {
            self.grow();
        }
        let hash = hash(&node);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                let number = self.nodes.len();
                self.slots[at] = u64::from(hash) << 32 | (number as u64 + 1);
                self.nodes.push(node);
                return (number, true);
            }
            let number = (slot as u32).wrapping_sub(1) as usize;
            if (slot >> 32) as u32 == hash && self.nodes[number] == node {
                return (number, false);
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let slots = (2 * self.slots.len()).max(LEAST);
        let before = std::mem::replace(&mut self.slots, vec![0; slots]);
        for slot in before.into_iter().filter(|&slot| slot != 0) {
            let mut at = (slot >> 32) as usize & (slots - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (slots - 1);
            }
            self.slots[at] = slot;
        }
    }
}

fn hash(node: &Node) -> u32 {
    let hash = FxBuildHasher.hash_one(node);
    (hash ^ hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_keep_their_numbers_while_the_table_grows() {
        let node = |bits| Node::Const { width: 64, bits };
        let mut interned = Interned::default();
        for bits in 0..1000 {
            assert_eq!(interned.insert(node(bits)), (bits as usize, true));
        }
        for bits in 0..1000 {
            assert_eq!(interned.insert(node(bits)), (bits as usize, false));
            assert_eq!(interned.get(bits as usize), &node(bits));
        }
        assert_eq!(interned.clone().insert(node(1000)), (1000, true));
        assert_eq!(interned.len(), 1000);
    }
}
