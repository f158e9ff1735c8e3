//! Addresses and pointers of a state that began in the middle of the program.
//!
//! An address is a number with its object's id in its upper half. Here such numbers are recognised, so that what is
//! compared is printed as a place. In addition to C, `p points into O` says that `p` is an address in `O` or right
//! behind it, and `p->x inside O` that all of `p->x` is in it; their negations have `outside`. What is only compared
//! with one end of an object is `below` or `beyond` it.

use icsched_smt::{BinOp, CmpOp, Node, Term};

use super::text::{Level, Text};
use super::{Anchor, Loaded, Object, Others, Printer};
use crate::bounds::bound;
use icsched_machine::memory::{ObjectId, UNKNOWN_SIZE, address};

/// Longest access in bytes.
const LONGEST_ACCESS: u64 = 16;

/// A comparison of a place with an end of an object.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Edge {
    place: String,
    object: String,
    is_end: bool,
    outside: bool,
}

/// A sum of 64 bits.
struct Sum {
    addends: Vec<Term>,
    constant: u64,
}

impl Edge {
    fn relation(&self) -> &'static str {
        match (self.outside, self.is_end) {
            (true, false) => "below",
            (true, true) => "beyond",
            (false, false) => "not below",
            (false, true) => "not beyond",
        }
    }

    fn text(&self, relation: &str) -> String {
        format!("{} {relation} {}", self.place, self.object)
    }
}

impl Printer<'_> {
    fn as_sum(&self, t: Term) -> Option<Sum> {
        if self.pool.width(t) != 64 {
            return None;
        }
        let mut sum = Sum { addends: Vec::new(), constant: 0 };
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            match *self.pool.node(t) {
                Node::Binary(BinOp::Add, a, b) => work.extend([b, a]),
                Node::Const { bits, .. } => sum.constant = sum.constant.wrapping_add(bits as u64),
                _ => sum.addends.push(t),
            }
        }
        Some(sum)
    }

    /// The object whose address is subtracted in a sum.
    fn subtracted(&self, sum: &Sum) -> Option<Object> {
        self.places?.object(sum.constant.wrapping_neg()).filter(|_| !sum.addends.is_empty())
    }

    /// What is at an address that is a sum, as an lvalue; `start` bytes are added.
    fn lvalue(&self, addends: &[Term], start: i64) -> Option<String> {
        let places = self.places?;
        let found = addends.iter().position(|&t| places.lvalue(Anchor::Pointer(t), None, 0).is_some());
        let Some(found) = found else { return self.lvalue_at(Anchor::Nothing, addends, start) };
        let mut rest = addends.to_vec();
        let pointer = rest.remove(found);
        self.lvalue_at(Anchor::Pointer(pointer), &rest, start)
    }

    fn lvalue_at(&self, anchor: Anchor, addends: &[Term], start: i64) -> Option<String> {
        let places = self.places?;
        let (index, scale) = match *addends {
            [] => return places.lvalue(anchor, None, start),
            [only] => match *self.pool.node(only) {
                Node::Binary(BinOp::Mul, x, scale) => match self.pool.as_const(scale) {
                    Some(scale) if scale.cast_signed() > 0 => (self.integer(x), i128::from(scale)),
                    _ => (self.integer(only), 1),
                },
                _ => (self.integer(only), 1),
            },
            _ => (self.sum_of(addends, 64), 1),
        };
        places.lvalue(anchor, Some((&index.text.into_text(), scale)), start)
    }

    /// The name of a value that memory held in the initial state, if it is no symbol of its own, to be read as a C
    /// type.
    pub(super) fn loaded(&self, value: Term, ty: &str) -> Option<Text> {
        let places = self.places?;
        let place = match places.loaded(value)? {
            Loaded::At(at) => places.lvalue(Anchor::Address(at), None, 0)?,
            Loaded::Behind(at) => {
                let sum = self.as_sum(at)?;
                match places.object(sum.constant) {
                    Some(_) => self.lvalue_at(Anchor::Address(sum.constant), &sum.addends, 0)?,
                    None => self.lvalue(&sum.addends, sum.constant.cast_signed())?,
                }
            }
        };
        self.remember(&place, ty, None);
        Some(if place.starts_with('*') { Text::unary(place) } else { Text::atom(&place) })
    }

    /// The place at an offset of an object, and what the program calls the object, if it is one behind a pointer.
    pub(crate) fn place_in(&self, id: ObjectId, offset: Term) -> Option<(String, Option<String>)> {
        let object = self.places?.object(address(id, 0))?;
        let sum = self.as_sum(offset)?;
        let behind = id.initial_number();
        let place = match self.subtracted(&sum) {
            Some(other) => self.lvalue(&sum.addends, other.asked.checked_neg()?),
            None => self.lvalue_at(Anchor::Root(behind?), &sum.addends, sum.constant.cast_signed()),
        };
        Some((place?, behind.map(|_| object.name)))
    }

    /// Comparisons that say where a pointer points.
    pub(super) fn pointer_condition(&self, t: Term, holds: bool) -> Option<Text> {
        let Node::Cmp(op, a, b) = *self.pool.node(t) else { return None };
        if !self.has_pointers.get() {
            return None;
        }
        if op == CmpOp::Eq {
            let (term, constant) = if self.pool.as_const(a).is_some() { (b, a) } else { (a, b) };
            return self.points_to(term, self.pool.as_const(constant)?, holds);
        }
        if let Some(edge) = self.edge(t, holds) {
            return Some(self.relation(edge.text(edge.relation())));
        }
        let (x, _, bound) = bound(self.pool, t, holds).filter(|(_, is_signed, _)| !is_signed)?;
        let sum = self.as_sum(x)?;
        let object = self.subtracted(&sum)?;
        let most = u64::try_from(if bound.upper == bound.strict { bound.value - 1 } else { bound.value }).ok()?;
        let start = object.asked.checked_neg()?;
        if most == object.size {
            let relation = if bound.upper { "points into" } else { "points outside" };
            let place = self.address_text(&sum.addends, start);
            return Some(self.relation(format!("{place} {relation} {}", object.name)));
        }
        if most > object.size || most + LONGEST_ACCESS < object.size {
            return None;
        }
        let relation = if bound.upper { "inside" } else { "outside" };
        let place = self.lvalue(&sum.addends, start)?;
        Some(self.relation(format!("{place} {relation} {}", object.name)))
    }

    fn address_text(&self, addends: &[Term], start: i64) -> String {
        match *addends {
            [only] if start == 0 => self.integer(only).text.inside(Level::Equality),
            _ => match self.lvalue(addends, start) {
                Some(place) => format!("&{place}"),
                None => self.sum_of(addends, 64).text.inside(Level::Equality),
            },
        }
    }

    /// A term is a constant that is an address or the number of an object.
    fn points_to(&self, term: Term, constant: u64, holds: bool) -> Option<Text> {
        let places = self.places?;
        if let Node::Extract { arg, hi: 63, lo: 32 } = *self.pool.node(term) {
            let id = u32::try_from(constant).ok()?;
            let sum = self.as_sum(arg)?;
            let pointer = self.address_text(&sum.addends, sum.constant.cast_signed());
            if id == 0 {
                let where_to = if holds { "nowhere" } else { "somewhere" };
                return Some(self.relation(format!("{pointer} points {where_to}")));
            }
            let object = places.object(address(ObjectId(id), 0))?;
            let relation = if holds { "points into" } else { "points outside" };
            return Some(self.relation(format!("{pointer} {relation} {}", object.name)));
        }
        if self.pool.width(term) != 64 {
            return None;
        }
        let sum = self.as_sum(term)?;
        if self.subtracted(&sum).is_some() {
            let (name, operator) = (places.name(constant.wrapping_sub(sum.constant))?, if holds { "==" } else { "!=" });
            return Some(self.relation(format!("{} {operator} {name}", self.address_text(&sum.addends, 0))));
        }
        let pointer = || self.integer(term).text;
        let compared =
            |equal: bool, with: Text| Text::infix(Level::Equality, pointer(), if equal { "==" } else { "!=" }, with);
        let into = |is_into: bool, object: &str| {
            let relation = if is_into { "points into" } else { "points outside" };
            self.relation(format!("{} {relation} {object}", pointer().into_text()))
        };
        Some(match places.others(term, constant)? {
            Others::Nowhere => compared(!holds, Text::atom("0")),
            Others::One(other) => compared(!holds, self.address(&other).text),
            Others::Within(object) => into(!holds, &object),
            Others::Several => into(holds, "an object of its own"),
        })
    }

    /// A comparison of a place with an end of an object of unknown size.
    pub(super) fn edge(&self, t: Term, holds: bool) -> Option<Edge> {
        let places = self.places?;
        let Node::Cmp(CmpOp::Slt | CmpOp::Sle, a, b) = *self.pool.node(t) else { return None };
        let end_in = |t: Term| {
            let sum = self.as_sum(t)?;
            let [symbol] = sum.addends[..] else { return None };
            places.extent(symbol)
        };
        let (extent, offset, offset_is_less) = match (end_in(a), end_in(b)) {
            (Some(extent), None) => (extent, b, !holds),
            (None, Some(extent)) => (extent, a, holds),
            _ => return None,
        };
        let sum = self.as_sum(offset)?;
        let place = match self.subtracted(&sum) {
            Some(object) => self.lvalue(&sum.addends, object.asked.checked_neg()?),
            None => self.lvalue_at(Anchor::Root(extent.root), &sum.addends, sum.constant.cast_signed()),
        };
        let outside = offset_is_less != extent.is_end;
        Some(Edge { place: place?, object: extent.name, is_end: extent.is_end, outside })
    }

    /// Appends a comparison with an end of an object: with the one of the other end it says `inside` in a conjunction
    /// and `outside` in a disjunction. `edges` are those before it, with the positions of their texts.
    pub(super) fn append_edge(
        &self,
        edge: Edge,
        conjunction: bool,
        edges: &mut Vec<(usize, Edge)>,
        texts: &mut Vec<Text>,
    ) {
        let twin = Edge { is_end: !edge.is_end, ..edge.clone() };
        if edge.outside != conjunction
            && let Some((at, _)) = edges.iter().find(|(_, other)| *other == twin)
        {
            texts[*at] = self.relation(edge.text(if conjunction { "inside" } else { "outside" }));
            return;
        }
        texts.push(self.relation(edge.text(edge.relation())));
        edges.push((texts.len() - 1, edge));
    }

    /// Drops what is said of the alignment of offsets beside that they are inside of an object.
    pub(super) fn drop_alignments(&self, literals: &mut Vec<(Term, bool)>, conjunction: bool) {
        if self.places.is_none() {
            return;
        }
        let inside = |&(t, holds): &(Term, bool)| {
            let (x, is_signed, bound) = bound(self.pool, t, holds)?;
            let is_meant = !is_signed && bound.upper == conjunction;
            is_meant.then_some(x).filter(|&x| self.as_sum(x).is_some_and(|sum| self.subtracted(&sum).is_some()))
        };
        let offsets: Vec<Term> = literals.iter().filter_map(inside).collect();
        literals.retain(|&(t, holds)| match *self.pool.node(t) {
            Node::Cmp(CmpOp::Eq, a, b) if holds == conjunction => {
                let slice = if self.pool.as_const(a).is_some() { b } else { a };
                !matches!(*self.pool.node(slice), Node::Extract { arg, lo: 0, .. } if offsets.contains(&arg))
            }
            _ => true,
        });
    }

    /// Whether a condition that an access asked for only says that an object of unknown size is large enough.
    pub(super) fn says_nothing(&self, t: Term) -> bool {
        let bound = || bound(self.pool, t, true).filter(|(_, is_signed, bound)| !is_signed && bound.upper);
        self.of_accesses
            && bound().is_some_and(|(_, _, bound)| {
                let most = if bound.strict { bound.value - 1 } else { bound.value };
                let size = i128::from(UNKNOWN_SIZE);
                (size - i128::from(LONGEST_ACCESS)..size).contains(&most)
            })
    }
}
