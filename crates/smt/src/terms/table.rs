//! The table of a pool's terms: their nodes, and what is computed once for each when it is made.

use std::num::NonZeroU32;

use crate::terms::interned::Interned;
use crate::terms::node::{Node, Term};
use crate::terms::range::Range;

/// What is computed once per term. Small, as it is looked at more often than anything else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Hash of the structure (operators, constants, symbol names), the same in every pool.
    pub(crate) structure: u64,
    /// Which of the table's ranges bounds the value read as an unsigned number; none if it may be any of its width.
    pub(super) range: Option<RangeId>,
    /// Width in bits; 0 for arrays.
    pub(super) width: u8,
    /// Whether a float operator occurs in the term.
    pub(super) has_float: bool,
    /// How hard it is to reason about the term: see the module `hardness`.
    pub(super) hardness: u8,
}

/// Number of a range in its table, from 1 on.
pub(super) type RangeId = NonZeroU32;

/// Nodes and facts by index of the term. Grows only.
#[derive(Clone, Default, Debug)]
pub(super) struct TermTable {
    nodes: Interned,
    facts: Vec<Facts>,
    /// Those that facts name.
    ranges: Vec<Range>,
}

impl TermTable {
    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline]
    pub(super) fn node(&self, t: Term) -> &Node {
        self.nodes.get(t.index())
    }

    #[inline]
    pub(super) fn facts(&self, t: Term) -> &Facts {
        &self.facts[t.index()]
    }

    /// Width in bits; 0 for arrays.
    #[inline]
    pub(super) fn width(&self, t: Term) -> u32 {
        u32::from(self.facts(t).width)
    }

    /// The value of a constant.
    #[inline]
    pub(super) fn as_const_wide(&self, t: Term) -> Option<u128> {
        match *self.node(t) {
            Node::Const { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// Bounds of the value read as an unsigned number.
    pub(super) fn range(&self, t: Term) -> Range {
        let Facts { range, width, .. } = *self.facts(t);
        range.map_or_else(|| Range::full(width.into()), |range| self.ranges[range.get() as usize - 1])
    }

    /// The term of a node, and whether it is new: then its facts have to be added next.
    pub(super) fn insert(&mut self, node: Node) -> (Term, bool) {
        let (index, is_new) = self.nodes.insert(node);
        (Term(u32::try_from(index).expect("fewer than 2^32 terms fit in memory")), is_new)
    }

    /// Adds the facts of the newest term.
    pub(super) fn add_facts(&mut self, facts: Facts) {
        self.facts.push(facts);
    }

    /// Keeps a range that is not all of its width.
    pub(super) fn add_range(&mut self, range: Range) -> RangeId {
        self.ranges.push(range);
        let count = u32::try_from(self.ranges.len()).ok().and_then(RangeId::new);
        count.expect("fewer than 2^32 ranges fit in memory")
    }
}
