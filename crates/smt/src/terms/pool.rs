//! The pool that owns all terms: hash-consing, and what is known about each term from its construction.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::terms::bits::mask;
use crate::terms::hardness;
use crate::terms::node::{MAX_WIDTH, Node, Sort, SymbolId, Term};
use crate::terms::range::Range;
use crate::terms::range_rules::range_of;
use crate::terms::table::{Facts, TermTable};

/// Owner of terms. Terms are simplified when they are made and equal terms are shared; nothing is freed before the
/// pool.
///
/// Single-threaded and cheap to create: one per job. What a constructor returns depends only on the structure of its
/// operands, never on what else the pool holds: operands of commutative operators are ordered by a hash of their
/// structure, so two pools that build the same terms in different orders print and export the same.
///
/// # Panics
///
/// All constructors panic on operands of the wrong sort or width: that is a bug of the caller, as a wrong index is.
#[derive(Debug)]
pub struct TermPool {
    /// Distinguishes pools, so that a solver notices when it is handed terms of another one.
    identity: u64,
    table: TermTable,
    /// Shared with the pools that it was forked from, until one of them has more.
    names: Arc<IndexSet<Arc<str>, FxBuildHasher>>,
    /// Symbol sets of the terms that were asked about and of their operands, not of every term: a checksum over n bytes
    /// has n subterms with up to n symbols each.
    pub(super) symbols: RefCell<FxHashMap<Term, Arc<[Term]>>>,
    /// Nesting of rewrites that follow chains of operands; bounded so that no term can exhaust the stack.
    pub(crate) rewrite_depth: u32,
    /// Symbols that were read from a file, and that nobody has asked for by name since.
    unclaimed: FxHashSet<Term>,
}

static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(0);

impl Default for TermPool {
    fn default() -> Self {
        Self::new()
    }
}

impl TermPool {
    /// An empty pool.
    pub fn new() -> Self {
        TermPool {
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
            table: TermTable::default(),
            names: Arc::default(),
            symbols: RefCell::default(),
            rewrite_depth: 0,
            unclaimed: FxHashSet::default(),
        }
    }

    /// A pool of its own that has the same terms under the same handles: what is made in one of them from now on is not
    /// in the other. O(number of terms), and little for each.
    #[must_use]
    pub fn fork(&self) -> Self {
        TermPool { table: self.table.clone(), names: Arc::clone(&self.names), ..Self::new() }
    }

    /// Number of terms made so far; every [`Term::index`] is below it.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether no term has been made yet.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// A number no other pool of this process has; says nothing else.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// The sort of a term.
    pub fn sort(&self, t: Term) -> Sort {
        match self.width(t) {
            0 => Sort::Array,
            width => Sort::Bv(width),
        }
    }

    /// Width in bits; 0 for arrays.
    #[inline]
    pub fn width(&self, t: Term) -> u32 {
        self.table.width(t)
    }

    /// The node behind a handle, for printers and walkers.
    #[inline]
    pub fn node(&self, t: Term) -> &Node {
        self.table.node(t)
    }

    /// Whether a float operator occurs anywhere in the term.
    pub fn has_float(&self, t: Term) -> bool {
        self.facts(t).has_float
    }

    /// Whether a term is a product, a quotient or a remainder of two numbers that both are no constants.
    pub fn is_product(&self, t: Term) -> bool {
        hardness::multiplies_unknowns(&self.table, self.node(t))
    }

    /// Whether solvers need long to reason about the term: there are products, quotients or remainders of unknowns in
    /// it, or quotients and remainders by constants of each other. O(1).
    pub fn is_hard(&self, t: Term) -> bool {
        hardness::is_hard(self.facts(t).hardness)
    }

    /// Whether a node is the quotient or the remainder of an unknown by a constant that is no power of two.
    pub(crate) fn divides_by_constant(&self, node: &Node) -> bool {
        hardness::divides_by_constant(&self.table, node)
    }

    /// Bounds `(least, greatest)` of the value as an unsigned number, known from the shape of the term alone (of the
    /// zero extension of a byte: 0 and 255). The bounds need not be reached.
    pub fn unsigned_range(&self, t: Term) -> (u128, u128) {
        let range = self.range(t);
        (range.min, range.max)
    }

    /// The constant of `width` bits with the low `width` bits of `bits`.
    pub fn constant(&mut self, width: u32, bits: u64) -> Term {
        self.constant_wide(width, u128::from(bits))
    }

    /// The constant of `width` bits with the low `width` bits of `bits`.
    pub fn constant_wide(&mut self, width: u32, bits: u128) -> Term {
        check_width(width);
        self.intern(Node::Const { width, bits: bits & mask(width) })
    }

    /// The truth value as a `Bv(1)`.
    pub fn bool(&mut self, b: bool) -> Term {
        self.constant(1, u64::from(b))
    }

    /// The value of a constant that fits 64 bits.
    #[inline]
    pub fn as_const(&self, t: Term) -> Option<u64> {
        self.as_const_wide(t).and_then(|bits| u64::try_from(bits).ok())
    }

    /// The value of a constant.
    #[inline]
    pub fn as_const_wide(&self, t: Term) -> Option<u128> {
        self.table.as_const_wide(t)
    }

    /// Whether the term is the constant true.
    pub fn is_true(&self, t: Term) -> bool {
        matches!(*self.node(t), Node::Const { width: 1, bits: 1 })
    }

    /// Whether the term is the constant false.
    pub fn is_false(&self, t: Term) -> bool {
        matches!(*self.node(t), Node::Const { width: 1, bits: 0 })
    }

    /// The bit-vector symbol with this name and width: the same term each time.
    ///
    /// Name and width together identify a symbol; the same name with another width, or as an array, is a different
    /// symbol with a value of its own. Better avoided: readers can't tell them apart.
    pub fn symbol(&mut self, name: &str, width: u32) -> Term {
        check_width(width);
        let id = self.name_id(name);
        let symbol = self.intern(Node::Symbol { id, width });
        if !self.unclaimed.is_empty() {
            self.unclaimed.remove(&symbol);
        }
        symbol
    }

    /// The same for what is read from a file.
    pub(super) fn imported_symbol(&mut self, name: &str, width: u32) -> Term {
        check_width(width);
        let before = self.len();
        let id = self.name_id(name);
        let symbol = self.intern(Node::Symbol { id, width });
        if symbol.index() >= before {
            self.unclaimed.insert(symbol);
        }
        symbol
    }

    /// The same for an array symbol.
    pub(super) fn imported_array_symbol(&mut self, name: &str) -> Term {
        let before = self.len();
        let symbol = self.array_symbol(name);
        if symbol.index() >= before {
            self.unclaimed.insert(symbol);
        }
        symbol
    }

    /// Whether a symbol is known from a file only: nobody else has asked for it by name.
    pub fn is_unclaimed(&self, symbol: Term) -> bool {
        self.unclaimed.contains(&symbol)
    }

    /// The array symbol with this name: 2^64 unconstrained bytes.
    pub fn array_symbol(&mut self, name: &str) -> Term {
        let id = self.name_id(name);
        let symbol = self.intern(Node::ArraySymbol { id });
        if !self.unclaimed.is_empty() {
            self.unclaimed.remove(&symbol);
        }
        symbol
    }

    /// The name of a symbol or array symbol; `None` for other terms.
    pub fn symbol_name(&self, t: Term) -> Option<&str> {
        match *self.node(t) {
            Node::Symbol { id, .. } | Node::ArraySymbol { id } => Some(self.name(id)),
            _ => None,
        }
    }

    /// The name behind a symbol's id.
    pub fn name(&self, id: SymbolId) -> &str {
        &self.names[id.0 as usize]
    }

    fn name_id(&mut self, name: &str) -> SymbolId {
        let index = match self.names.get_index_of(name) {
            Some(index) => index,
            None => Arc::make_mut(&mut self.names).insert_full(name.into()).0,
        };
        SymbolId(u32::try_from(index).expect("fewer than 2^32 symbols fit in memory"))
    }

    #[inline]
    pub(crate) fn facts(&self, t: Term) -> &Facts {
        self.table.facts(t)
    }

    pub(crate) fn range(&self, t: Term) -> Range {
        self.table.range(t)
    }

    /// Key by which operands of commutative operators are ordered.
    pub(crate) fn order(&self, t: Term) -> (u64, Term) {
        (self.facts(t).structure, t)
    }

    /// The two terms in canonical order, a constant last.
    pub(crate) fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |t| (self.as_const_wide(t).is_some(), self.order(t));
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    /// The shared term for a node, as it is.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        let (term, is_new) = self.table.insert(node);
        if is_new {
            let facts = self.compute_facts(&node);
            self.table.add_facts(facts);
        }
        term
    }

    fn compute_facts(&mut self, node: &Node) -> Facts {
        let own_float = matches!(node, Node::FpUnary(..) | Node::FpBinary(..));
        let width = self.node_width(node);
        let range = range_of(&self.table, node);
        Facts {
            structure: self.structure_of(node),
            range: (range != Range::full(width)).then(|| self.table.add_range(range)),
            width: u8::try_from(width).expect("no term is wider than 128 bits"),
            has_float: own_float || node.children().any(|c| self.facts(c).has_float),
            hardness: hardness::of_node(&self.table, node),
        }
    }

    fn node_width(&self, node: &Node) -> u32 {
        match *node {
            Node::Const { width, .. } | Node::Symbol { width, .. } => width,
            Node::ZExt { width, .. } | Node::SExt { width, .. } => width,
            Node::ArraySymbol { .. } | Node::ConstArray { .. } | Node::Store(..) => 0,
            Node::Not(a) | Node::Binary(_, a, _) | Node::Ite(_, a, _) => self.width(a),
            Node::Cmp(..) => 1,
            Node::Extract { hi, lo, .. } => hi - lo + 1,
            Node::Concat(a, b) => self.width(a) + self.width(b),
            Node::Select(..) => 8,
            Node::FpUnary(op, a) | Node::FpBinary(op, a, _) => op.result_width(self.width(a)),
        }
    }

    fn structure_of(&self, node: &Node) -> u64 {
        let mut hash = Mixer(0);
        match *node {
            Node::Const { width, bits } => {
                hash.add(1).add(u64::from(width)).add(bits as u64).add((bits >> 64) as u64);
            }
            Node::Symbol { id, width } => hash.add(2).add(u64::from(width)).add_text(self.name(id)),
            Node::ArraySymbol { id } => hash.add(3).add_text(self.name(id)),
            Node::ConstArray { byte } => _ = hash.add(4).add(u64::from(byte)),
            Node::Not(_) => _ = hash.add(5),
            Node::Binary(op, ..) => _ = hash.add(6).add(op as u64),
            Node::Cmp(op, ..) => _ = hash.add(7).add(op as u64),
            Node::Ite(..) => _ = hash.add(8),
            Node::ZExt { width, .. } => _ = hash.add(9).add(u64::from(width)),
            Node::SExt { width, .. } => _ = hash.add(10).add(u64::from(width)),
            Node::Extract { hi, lo, .. } => _ = hash.add(11).add(u64::from(hi)).add(u64::from(lo)),
            Node::Concat(..) => _ = hash.add(12),
            Node::Select(..) => _ = hash.add(13),
            Node::Store(..) => _ = hash.add(14),
            Node::FpUnary(op, _) | Node::FpBinary(op, ..) => hash.add(15).add_text(&format!("{op:?}")),
        }
        for child in node.children() {
            hash.add(self.facts(child).structure);
        }
        hash.0
    }
}

pub(crate) fn check_width(width: u32) {
    assert!((1..=MAX_WIDTH).contains(&width), "bit vectors have 1 to {MAX_WIDTH} bits, not {width}");
}

/// A small stable hash (the finaliser of SplitMix64 after each word); the same on every host and in every release.
struct Mixer(u64);

impl Mixer {
    fn add(&mut self, word: u64) -> &mut Self {
        let mut x = (self.0.rotate_left(5) ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = x ^ (x >> 31);
        self
    }

    fn add_text(&mut self, text: &str) {
        for chunk in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
        self.add(text.len() as u64);
    }
}
