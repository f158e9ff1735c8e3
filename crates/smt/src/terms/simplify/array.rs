//! Arrays of bytes: reads through writes that provably hit or miss.

use crate::terms::node::{Node, Sort, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    /// The array whose elements all equal `byte`.
    pub fn const_array(&mut self, byte: u8) -> Term {
        self.intern(Node::ConstArray { byte })
    }

    /// The `Bv(8)` element at a 64-bit index.
    ///
    /// Walks back over stores that provably miss the index: linear in their number.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        self.check_access(array, index);
        let mut array = array;
        loop {
            match *self.node(array) {
                Node::ConstArray { byte } => return self.constant(8, u64::from(byte)),
                Node::Store(_, at, value) if at == index => return value,
                Node::Store(older, at, _) if self.differ(at, index) => array = older,
                Node::Ite(_, x, y) if x == y => array = x,
                _ => return self.intern(Node::Select(array, index)),
            }
        }
    }

    /// The array with the element at a 64-bit index replaced by a `Bv(8)`.
    pub fn store(&mut self, array: Term, index: Term, byte: Term) -> Term {
        self.check_access(array, index);
        assert_eq!(self.width(byte), 8, "elements are bytes");
        if *self.node(byte) == Node::Select(array, index) {
            return array;
        }
        match *self.node(array) {
            Node::ConstArray { byte: all } if self.as_const_wide(byte) == Some(u128::from(all)) => array,
            Node::Store(older, at, _) if at == index => self.store(older, index, byte),
            _ => self.intern(Node::Store(array, index, byte)),
        }
    }

    fn check_access(&self, array: Term, index: Term) {
        assert_eq!(self.sort(array), Sort::Array, "an array to read or write");
        assert_eq!(self.width(index), 64, "indices have 64 bits");
    }

    /// Whether two indices differ under every assignment, as far as their shapes tell.
    fn differ(&self, a: Term, b: Term) -> bool {
        let (x, y) = (self.range(a), self.range(b));
        x.max < y.min || y.max < x.min || self.constant_difference(a, b).is_some_and(|d| d != 0)
    }
}
