//! Which numbers places hold together, where these are few: finite relations, as facts that epochs hand on. What is said of each place
//! alone, or of two, forgets that a buffer is full while the thread that empties it is at that buffer. A relation keeps the combinations that
//! there are (disjunctive completion; Cousot and Cousot, Systematic design of program analysis frameworks, 1979), as rows of a table
//! whose columns are numbers: what a place holds, what remains of a counter that is divided by a small constant, or how far two counters are
//! apart that the program compares; and, of places by which threads are told apart, whether they hold an address.
//!
//! A table has few columns, few rows, and few numbers in each column. Where there are more, columns are left out, and never come back, as
//! nobody says what they hold; so tables get larger only so often.

use std::collections::BTreeSet;

use icsched_smt::{BinOp, CmpOp, Term, TermPool};
use serde::{Deserialize, Serialize};

use super::{Bounds, Held, Meet, Node, Place, Shape, moved};

/// Most numbers in one column.
pub(super) const MAX_VALUES: usize = 8;

/// Most columns of one table, [identities](Column::is) among them.
const MAX_COLUMNS: usize = MAX_NUMBERS + MAX_IDENTITIES;

/// Most columns that are numbers, at the end of one path.
pub const MAX_NUMBERS: usize = 32;

/// Most columns that are [identities](Column::is), at the end of one path.
pub const MAX_IDENTITIES: usize = 24;

/// Most rows of one table.
const MAX_ROWS: usize = 64;

/// Columns that are looked at where two shapes meet.
const MAX_CANDIDATES: usize = 128;

/// A number that a table says something of.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Column {
    /// Where it is.
    pub place: Place,
    /// Not the number itself, but how much more it is than that of another place, as words, which wrap.
    pub less: Option<Place>,
    /// Bits of the place.
    pub width: u8,
    /// Not the number, but what remains when it is divided by this, as one without a sign.
    pub modulus: Option<u8>,
    /// Not the number, but whether it is this constant: 1 or 0.
    pub is: Option<Held>,
}

impl Column {
    /// The number at a place.
    pub const fn at(place: Place, width: u8) -> Self {
        Self { place, less: None, width, modulus: None, is: None }
    }

    /// Whether a place of 64 bits holds a constant.
    pub const fn identity(place: Place, held: Held) -> Self {
        Self { is: Some(held), ..Self::at(place, 64) }
    }

    /// The places that it is about.
    pub fn places(self) -> impl Iterator<Item = Place> {
        std::iter::once(self.place).chain(self.less)
    }

    /// The same of places that have other names, or none.
    fn moved(self, name: impl Fn(Place) -> Option<Place>) -> Option<Self> {
        let less = match self.less {
            Some(less) => Some(name(less)?),
            None => None,
        };
        let is = match self.is {
            Some(Held::Address(node, offset)) => match name(Place::Memory(node, 0, 1))? {
                Place::Memory(node, ..) => Some(Held::Address(node, offset)),
                Place::Register(..) => None,
            },
            other => other,
        };
        Some(Self { place: name(self.place)?, less, is, ..self })
    }

    /// What the column says of a number, and that of the other place, if there is one, or the constant that it may be.
    pub fn of(self, pool: &mut TermPool, number: Term, less: Option<Term>) -> Term {
        if let (Some(_), Some(constant)) = (self.is, less) {
            return pool.cmp(CmpOp::Eq, number, constant);
        }
        let number = less.map_or(number, |less| pool.binary(BinOp::Sub, number, less));
        let Some(modulus) = self.modulus else { return number };
        let modulus = pool.constant(self.width.into(), modulus.into());
        pool.binary(BinOp::URem, number, modulus)
    }

    fn of_constant(self, bits: u64) -> u64 {
        self.modulus.map_or(bits, |modulus| bits % u64::from(modulus))
    }
}

/// A table: there is a row that holds in all of its columns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Combinations {
    /// Ascending.
    columns: Vec<Column>,
    /// A number for each column.
    rows: BTreeSet<Vec<u64>>,
}

impl Default for Combinations {
    /// The table that says nothing.
    fn default() -> Self {
        Self { columns: Vec::new(), rows: [Vec::new()].into() }
    }
}

/// The condition that numbers are those of a row, in order.
pub fn among(pool: &mut TermPool, numbers: &[Term], rows: &BTreeSet<Vec<u64>>) -> Term {
    let mut any = Vec::new();
    for row in rows {
        let same = |(&number, &bits): (&Term, &u64)| {
            let constant = pool.constant(pool.width(number), bits);
            pool.cmp(CmpOp::Eq, number, constant)
        };
        let all: Vec<Term> = numbers.iter().zip(row).map(same).collect();
        any.push(pool.and_all(&all));
    }
    pool.or_all(&any)
}

/// Where the numbers of a column are found in the rows of another table.
enum Source {
    Constant(u64),
    /// In a column; of these numbers only the lower bits.
    Column(usize, u64, Column),
    /// One number less the other, of so many bits.
    Difference(Box<Source>, Box<Source>, u8),
}

impl Source {
    fn of(&self, row: &[u64]) -> u64 {
        match self {
            Self::Constant(bits) => *bits,
            Self::Column(at, mask, wanted) => wanted.of_constant(row[*at] & mask),
            Self::Difference(number, less, width) => {
                number.of(row).wrapping_sub(less.of(row)) & (u64::MAX >> (64 - width))
            }
        }
    }
}

impl Combinations {
    /// A table of these columns, and rows of as many numbers in their order; within the limits. O(rows * columns^2).
    pub fn new(columns: &[Column], rows: &BTreeSet<Vec<u64>>) -> Self {
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_unstable_by_key(|&at| columns[at]);
        Self {
            columns: order.iter().map(|&at| columns[at]).collect(),
            rows: rows.iter().map(|row| order.iter().map(|&at| row[at]).collect()).collect(),
        }
        .limited()
    }

    /// The columns, ascending.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The combinations, each a number for each column.
    pub const fn rows(&self) -> &BTreeSet<Vec<u64>> {
        &self.rows
    }

    /// The combinations.
    pub fn into_rows(self) -> BTreeSet<Vec<u64>> {
        self.rows
    }

    /// How many combinations there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none: no state is as the table says.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The condition that numbers, those of each column's places and of the constants that these may be, are those of a row.
    pub fn hold(&self, pool: &mut TermPool, numbers: &[(Term, Option<Term>)]) -> Term {
        let of = |(column, &(number, less)): (&Column, &(Term, Option<Term>))| column.of(pool, number, less);
        let numbers: Vec<Term> = self.columns.iter().zip(numbers).map(of).collect();
        among(pool, &numbers, &self.rows)
    }

    /// Keeps the columns of some places.
    pub fn retain(&mut self, mut keep: impl FnMut(Column) -> bool) {
        let kept: Vec<usize> = (0..self.columns.len()).filter(|&at| keep(self.columns[at])).collect();
        if kept.len() < self.columns.len() {
            *self = self.projected(&kept);
        }
    }

    fn projected(&self, kept: &[usize]) -> Self {
        Self {
            columns: kept.iter().map(|&at| self.columns[at]).collect(),
            rows: self.rows.iter().map(|row| kept.iter().map(|&at| row[at]).collect()).collect(),
        }
    }

    /// The same of places that have other names, or none.
    pub(super) fn moved(&self, name: impl Fn(Place) -> Option<Place>) -> Self {
        let mut kept = self.clone();
        kept.retain(|column| column.moved(&name).is_some());
        let columns: Vec<Column> = kept.columns.iter().filter_map(|column| column.moved(&name)).collect();
        Self::new(&columns, &kept.rows)
    }

    /// Without the columns that are too many, or have too many numbers; while there are too many rows, without those that make the most of
    /// them.
    fn limited(mut self) -> Self {
        let values = |at: usize| self.rows.iter().map(|row| row[at]).collect::<BTreeSet<u64>>().len();
        let few: BTreeSet<Column> =
            (0..self.columns.len()).filter(|&at| values(at) <= MAX_VALUES).map(|at| self.columns[at]).collect();
        self.retain(|column| few.contains(&column));
        while self.rows.len() > MAX_ROWS || self.columns.len() > MAX_COLUMNS {
            let without = |at: usize| {
                let kept: Vec<usize> = (0..self.columns.len()).filter(|&other| other != at).collect();
                self.projected(&kept)
            };
            let smaller = (0..self.columns.len()).rev().map(without).min_by_key(Self::len);
            self = smaller.expect("there are columns");
        }
        self
    }

    /// Where the numbers of a column are, of which a shape may say that they are constant.
    fn source(&self, shape: &Shape, wanted: Column) -> Option<Source> {
        if let Some(bits) = constant(shape, wanted) {
            return Some(Source::Constant(bits));
        }
        if let Some(less) = wanted.less.filter(|_| !self.columns.contains(&wanted)) {
            // Both numbers are known, or in columns.
            let of = |place: Place| self.source(shape, Column::at(place, wanted.width)).map(Box::new);
            return Some(Source::Difference(of(wanted.place)?, of(less)?, wanted.width));
        }
        let says = |column: &Column| {
            column.width == wanted.width
                && column.less == wanted.less
                && column.is == wanted.is
                && (column.modulus == wanted.modulus || column.modulus.is_none())
        };
        let at = |place: Place| self.columns.iter().position(move |column| column.place == place && says(column));
        if let Some(at) = at(wanted.place) {
            return Some(Source::Column(at, u64::MAX, wanted));
        }
        // A number of 64 bits whose upper half is 0 may be taken for one of 32.
        let Place::Memory(node, offset, 4) = wanted.place else { return None };
        let whole = Place::Memory(node, offset, 8);
        let at = self.columns.iter().position(|&column| column == Column::at(whole, 64))?;
        Some(Source::Column(at, u32::MAX.into(), wanted))
    }
}

/// What a column is of a constant.
fn constant(shape: &Shape, column: Column) -> Option<u64> {
    if let Some(held) = column.is {
        return match shape.choices_of(column.place)?.as_slice() {
            [only] => Some(u64::from(*only == held)),
            choices => (!choices.contains(&held)).then_some(0),
        };
    }
    if let Some(less) = column.less {
        let apart = shape.difference_of((column.place, less));
        let apart = apart.filter(|bounds| bounds.width == column.width && bounds.least == bounds.greatest)?;
        return Some(apart.least.cast_unsigned() & (u64::MAX >> (64 - apart.width)));
    }
    let bounds = shape.bounds_of(column.place).filter(|b| b.width == column.width && b.least == b.greatest)?;
    let bits = bounds.least.cast_unsigned() & (u64::MAX >> (64 - bounds.width));
    Some(column.of_constant(bits))
}

impl Bounds {
    /// How many numbers there are above the least of them, if these are bounds on both sides.
    pub fn span(self) -> Option<u64> {
        (self.least <= self.greatest).then(|| self.greatest.abs_diff(self.least))
    }
}

impl Shape {
    /// Places by which it is known which thread is which, and what they may hold: handles, what a thread was started with, and registers of
    /// threads that were started with nothing that is of use; one of those that hold the same.
    pub fn identities(&self) -> Vec<(Place, &[Held])> {
        let has_block = |thread: u32| {
            let (first, last) =
                (Place::Memory(Node::Thread(thread), 0, 0), Place::Memory(Node::Thread(thread), u64::MAX, 0));
            self.choices.range(first..=last).next().is_some()
        };
        let tells = |place: &Place, choices: &[Held]| match *place {
            Place::Memory(Node::Thread(_), ..) => true,
            Place::Memory(..) => choices.iter().any(|held| matches!(held, Held::Address(Node::Thread(_), _))),
            Place::Register(thread, ..) => !has_block(thread),
        };
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for (&place, choices) in self.choices.iter().filter(|(place, choices)| tells(place, choices)) {
            let is_new = match self.held(place) {
                Some((_, Held::Same(number))) => seen.insert(number),
                _ => true,
            };
            if is_new {
                found.push((place, choices.as_slice()));
            }
        }
        found
    }

    /// Leaves out columns that have got more numbers than there were `before`, where all that is known now was known, too, if the bounds of
    /// the place allow more than a column may have: they count up.
    pub fn settle_combinations(&mut self, before: &Self) {
        let Some(mut all) = self.combinations.take() else { return };
        let before = before.numbered_as(self);
        let grows = |at: usize, column: Column| {
            let bounds = match column.less {
                Some(less) => self.difference_of((column.place, less)),
                None => self.bounds_of(column.place),
            };
            let span = bounds.and_then(Bounds::span);
            let has_few =
                column.modulus.is_some() || column.is.is_some() || span.is_some_and(|span| span < MAX_VALUES as u64);
            let known = before.combinations.as_ref().and_then(|known| {
                let source = known.source(&before, column)?;
                Some(known.rows.iter().map(|row| source.of(row)).collect::<BTreeSet<u64>>())
            });
            let is_again = known.as_ref().is_some_and(|known| known.len() > 1);
            !has_few && is_again && all.rows.iter().any(|row| known.iter().all(|known| !known.contains(&row[at])))
        };
        let growing: BTreeSet<Column> =
            (0..).zip(&all.columns).filter(|&(at, &column)| grows(at, column)).map(|(_, &column)| column).collect();
        all.retain(|column| !growing.contains(&column));
        self.combinations = Some(all);
    }

    /// Whether the table of another shape says nothing that this one does not say.
    pub(super) fn says_combinations_of(&self, other: &Self) -> bool {
        let Some(told) = &other.combinations else { return true };
        let Some(known) = &self.combinations else { return false };
        let sources: Option<Vec<Source>> = told.columns.iter().map(|&column| known.source(self, column)).collect();
        let Some(sources) = sources else { return false };
        let row = |row: &Vec<u64>| sources.iter().map(|source| source.of(row)).collect::<Vec<u64>>();
        known.rows.iter().all(|of| told.rows.contains(&row(of)))
    }
}

impl Meet<'_> {
    /// Which combinations there are in one or the other. What is constant in both, but not the same, is a column, and so is of places by which
    /// threads are told apart whether they hold what they may.
    pub(super) fn combinations(&mut self) {
        let (Some(x), Some(y)) = (&self.a.combinations, &self.b.combinations) else { return };
        let of_a = |column: &Column| column.moved(|place| moved(place, |n| self.of_a.get(&n).copied()));
        let of_b = |column: &Column| column.moved(|place| moved(place, |n| self.of_b.get(&n).copied()));
        let known: BTreeSet<Column> =
            x.columns.iter().filter_map(of_a).chain(y.columns.iter().filter_map(of_b)).collect();
        let apart = self.apart.iter().map(|&(place, width)| Column::at(place, width));
        let held = |(place, choices): (Place, &[Held])| {
            choices.iter().map(|&held| Column::identity(place, held)).collect::<Vec<Column>>()
        };
        let identities = self.found.identities().into_iter().flat_map(held);
        let apart: Vec<Column> = apart.chain(identities).filter(|column| !known.contains(column)).collect();
        let (mut columns, mut sources) = (Vec::new(), Vec::new());
        for column in known.into_iter().chain(apart).take(MAX_CANDIDATES) {
            let in_a = column.moved(|place| moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.0)));
            let in_b = column.moved(|place| moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.1)));
            let (Some(in_a), Some(in_b)) = (in_a, in_b) else { continue };
            if let (Some(of_a), Some(of_b)) = (x.source(self.a, in_a), y.source(self.b, in_b)) {
                columns.push(column);
                sources.push((of_a, of_b));
            }
        }
        let in_a = x.rows.iter().map(|row| sources.iter().map(|(source, _)| source.of(row)).collect());
        let in_b = y.rows.iter().map(|row| sources.iter().map(|(_, source)| source.of(row)).collect());
        let rows: BTreeSet<Vec<u64>> = in_a.chain(in_b).collect();
        self.found.combinations = Some(Combinations::new(&columns, &rows));
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::super::Node;
    use super::*;

    fn place(at: u64) -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), at, 4)
    }

    /// Numbers of 32 bits one after the other, with a table that says nothing.
    fn numbers(all: &[u32]) -> Shape {
        let mut shape = Shape { combinations: Some(Combinations::default()), ..Shape::default() };
        for (at, number) in (0..).step_by(4).zip(all) {
            let bytes: Vec<Option<u8>> = number.to_le_bytes().map(Some).into();
            shape.bytes.insert_word((Node::Global(GlobalId::from_index(0)), at), &bytes);
        }
        shape
    }

    fn table(shape: &Shape) -> (Vec<Column>, Vec<Vec<u64>>) {
        let found = shape.combinations.clone().expect("there is a table");
        (found.columns, found.rows.into_iter().collect())
    }

    fn whole(at: u64) -> Column {
        Column::at(place(at), 32)
    }

    #[test]
    fn numbers_that_change_together_are_rows() {
        let met = numbers(&[0, 7, 1]).meet(&numbers(&[1, 7, 0]));
        assert_eq!(table(&met), (vec![whole(0), whole(8)], vec![vec![0, 1], vec![1, 0]]));
        let more = met.meet(&numbers(&[2, 7, 2]));
        assert_eq!(table(&more).1, [vec![0, 1], vec![1, 0], vec![2, 2]]);
        assert!(met.says_combinations_of(&more) && !more.says_combinations_of(&met));
        assert_eq!(met.canonical(), met);
        // Of what is not known in one of them nothing is known in both.
        let unknown = Shape { combinations: Some(Combinations::default()), ..Shape::default() };
        assert_eq!(met.meet(&unknown).combinations, unknown.combinations);
    }

    #[test]
    fn which_thread_is_which_is_a_row() {
        let (handles, first) = (Node::Global(GlobalId::from_index(1)), Node::Global(GlobalId::from_index(2)));
        let address = |node: Node, at: i64| (8, Held::Address(node, at));
        // Two threads, each with an element of its own, and their handles.
        let state = |threads: [u32; 2]| {
            let handle = |(at, &thread): (u64, &u32)| ((handles, at), address(Node::Thread(thread), 0));
            let started = |(at, &thread): (u64, &u32)| ((Node::Thread(thread), 40), address(first, at.cast_signed()));
            let of = || (0..).step_by(8).zip(&threads);
            let words = of().map(handle).chain(of().map(started)).collect();
            Shape { words, combinations: Some(Combinations::default()), ..Shape::default() }
        };
        let met = state([1, 2]).meet(&state([2, 1]));
        let (columns, rows) = table(&met);
        assert_eq!((columns.len(), rows.len()), (8, 2));
        let own = Column::identity(Place::Memory(handles, 0, 8), Held::Address(Node::Thread(1), 0));
        let argument = Column::identity(Place::Memory(Node::Thread(1), 40, 8), Held::Address(first, 0));
        let at = |column: Column| columns.iter().position(|&known| known == column).expect("it is a column");
        assert!(rows.iter().all(|row| row[at(own)] == row[at(argument)]));
        assert_eq!(met.canonical(), met);
        assert!(state([1, 2]).says_combinations_of(&met));
        // What may be anything is no column.
        let unknown = Shape { combinations: Some(Combinations::default()), ..Shape::default() };
        assert!(met.meet(&unknown).combinations.is_some_and(|all| all.columns().is_empty()));
    }

    #[test]
    fn a_counter_keeps_its_remainder() {
        let counter = |n: u32| {
            let even = Column { modulus: Some(2), ..whole(0) };
            let rows = [vec![u64::from(n % 2)]].into();
            Shape { combinations: Some(Combinations::new(&[even], &rows)), ..numbers(&[n, n % 2]) }
        };
        let all = (1..20).fold(counter(0), |known, n| known.meet(&counter(n)));
        let even = Column { modulus: Some(2), ..whole(0) };
        assert_eq!(table(&all), (vec![even, whole(4)], vec![vec![0, 0], vec![1, 1]]));
    }

    #[test]
    fn tables_stay_small() {
        let apart = |n: u32| numbers(&[n & 1, n >> 1 & 1, n >> 2 & 1, n >> 3 & 1, n >> 4 & 1, n >> 5 & 1, n >> 6]);
        let all = (1..128).fold(apart(0), |known, n| known.meet(&apart(n)));
        let (columns, rows) = table(&all);
        assert_eq!((columns.len(), rows.len()), (6, 64));
    }
}
