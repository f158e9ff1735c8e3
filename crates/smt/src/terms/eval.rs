//! Evaluation of terms under a model. Shares the arithmetic with constant folding, but no code with Z3: a model that Z3
//! returns is believed only when the constraints evaluate to true here.

use rustc_hash::FxHashMap;

use crate::terms::bits::{self, mask, signed};
use crate::terms::float;
use crate::terms::model::{Model, ModelValue};
use crate::terms::node::{Node, Term};
use crate::terms::pool::TermPool;

/// Values of the terms evaluated so far under one model, to be shared between evaluations.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    values: FxHashMap<Term, u128>,
}

impl Evaluation {
    /// Number of values remembered.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no value is remembered.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of a term, if it was evaluated.
    pub fn value(&self, t: Term) -> Option<u128> {
        self.values.get(&t).copied()
    }
}

impl TermPool {
    /// The value of a bit vector of up to 64 bits (the low 64 bits of a wider one) under a model.
    ///
    /// # Panics
    ///
    /// For an array term.
    pub fn eval(&self, t: Term, model: &Model) -> u64 {
        self.eval_with(t, model, &mut Evaluation::default()) as u64
    }

    /// Whether a `Bv(1)` holds under a model.
    pub fn eval_bool(&self, t: Term, model: &Model) -> bool {
        self.eval(t, model) & 1 == 1
    }

    /// The value of a bit vector under a model, using and extending what `known` holds for this same model and pool.
    ///
    /// Linear in the part of the term's graph not evaluated yet; a `select` adds the length of its chain of stores.
    pub fn eval_with(&self, t: Term, model: &Model, known: &mut Evaluation) -> u128 {
        assert!(self.width(t) > 0, "the value of an array is not a number");
        if let Some(bits) = self.as_const_wide(t) {
            return bits;
        }
        let mut work = vec![t];
        while let Some(&next) = work.last() {
            if known.values.contains_key(&next) {
                work.pop();
                continue;
            }
            let (node, waiting) = (*self.node(next), work.len());
            let is_open = |&c: &Term| self.as_const_wide(c).is_none() && !known.values.contains_key(&c);
            work.extend(node.children().filter(is_open));
            if work.len() == waiting {
                let get = |c| self.as_const_wide(c).unwrap_or_else(|| known.values[&c]);
                let value = self.value_of(node, model, get);
                known.values.insert(next, value);
                work.pop();
            }
        }
        known.values[&t]
    }

    /// The value of a node whose operands have values; 0 for arrays, which are read where they are selected from.
    pub(crate) fn value_of(&self, node: Node, model: &Model, get: impl Fn(Term) -> u128) -> u128 {
        match node {
            Node::Const { bits, .. } => bits,
            Node::Symbol { id, width } => match model.get_sized(self.name(id), width) {
                Some(ModelValue::Bv { bits, .. }) => *bits,
                Some(ModelValue::Array(_)) | None => 0,
            },
            Node::ArraySymbol { .. } | Node::ConstArray { .. } | Node::Store(..) => 0,
            Node::Not(a) => !get(a) & mask(self.width(a)),
            Node::Binary(op, a, b) => bits::binary(op, self.width(a), get(a), get(b)),
            Node::Cmp(op, a, b) => u128::from(bits::compare(op, self.width(a), get(a), get(b))),
            Node::Ite(c, a, b) => {
                if get(c) == 1 {
                    get(a)
                } else {
                    get(b)
                }
            }
            Node::ZExt { arg, .. } => get(arg),
            Node::SExt { arg, width } => signed(self.width(arg), get(arg)) as u128 & mask(width),
            Node::Extract { arg, hi, lo } => get(arg) >> lo & mask(hi - lo + 1),
            Node::Concat(a, b) => get(a) << self.width(b) | get(b),
            Node::Select(array, index) => self.element(array, get(index), model, get),
            Node::FpUnary(op, a) => float::evaluate(op, self.width(a), get(a), get(a)),
            Node::FpBinary(op, a, b) => float::evaluate(op, self.width(a), get(a), get(b)),
        }
    }

    /// The element of an array at an index.
    fn element(&self, mut array: Term, index: u128, model: &Model, get: impl Fn(Term) -> u128) -> u128 {
        loop {
            match *self.node(array) {
                Node::Store(older, at, value) => {
                    if get(at) == index {
                        return get(value);
                    }
                    array = older;
                }
                Node::Ite(c, a, b) => array = if get(c) == 1 { a } else { b },
                Node::ConstArray { byte } => return u128::from(byte),
                Node::ArraySymbol { id } => {
                    return match model.get_sized(self.name(id), 0) {
                        Some(ModelValue::Array(value)) => u128::from(value.get(index as u64)),
                        Some(ModelValue::Bv { .. }) | None => 0,
                    };
                }
                _ => unreachable!("not an array: {array:?}"),
            }
        }
    }
}
