//! The table in which a pool finds its terms.
//!
//! Most terms that a search of paths makes are there already, so this is where its time goes. A slot has enough of a
//! node's hash that hardly another node is looked at, and growing looks at none.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use crate::terms::node::Node;

/// Nodes, each once, by number.
#[derive(Clone, Default, Debug)]
pub(crate) struct Interned {
    nodes: Vec<Node>,
    /// Of each node some of its hash, and its number.
    slots: HashTable<(u32, u32)>,
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
        let hash = (FxBuildHasher.hash_one(node) >> 32) as u32;
        let nodes = &self.nodes;
        let is_it = |&(of, number): &(u32, u32)| of == hash && nodes[number as usize] == node;
        match self.slots.entry(spread(hash), is_it, |&(of, _)| spread(of)) {
            Entry::Occupied(found) => (found.get().1 as usize, false),
            Entry::Vacant(free) => {
                let number = self.nodes.len();
                free.insert((hash, number as u32));
                self.nodes.push(node);
                (number, true)
            }
        }
    }
}

/// A hash of 64 bits, of which the table takes the upper ones and the lower ones.
const fn spread(hash: u32) -> u64 {
    (hash as u64) << 32 | hash as u64
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
