//! Combinations of numbers: finite relations, as tables.

use std::collections::BTreeSet;

use icsched_smt::{BinOp, CmpOp, Term, TermPool};
use serde::{Deserialize, Serialize};

use crate::budgets::BUDGETS;
use crate::place::{Held, Place};
use crate::renaming::Renaming;

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

    /// The same with other names.
    pub(crate) fn renamed(self, names: &Renaming<'_>) -> Option<Self> {
        let less = match self.less {
            Some(less) => Some(names.place(less)?),
            None => None,
        };
        let is = match self.is {
            Some(held) => Some(names.held(held)?),
            None => None,
        };
        Some(Self { place: names.place(self.place)?, less, is, ..self })
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

    pub(crate) fn of_constant(self, bits: u64) -> u64 {
        self.modulus.map_or(bits, |modulus| bits % u64::from(modulus))
    }
}

/// A table: there is a row that holds in all of its columns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Relation {
    /// Ascending.
    pub(crate) columns: Vec<Column>,
    /// A number for each column.
    pub(crate) rows: BTreeSet<Vec<u64>>,
}

impl Default for Relation {
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

impl Relation {
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

    /// The condition that numbers, those of each column's places and of the constants that these may be, are those of a
    /// row.
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

    /// The same with other names, without columns that have none.
    pub(crate) fn with_names(&self, names: &Renaming<'_>) -> Self {
        let mut kept = self.clone();
        kept.retain(|column| column.renamed(names).is_some());
        let columns: Vec<Column> = kept.columns.iter().filter_map(|column| column.renamed(names)).collect();
        Self::new(&columns, &kept.rows)
    }

    /// Without the columns that are too many, or have too many numbers; while there are too many rows, without those
    /// that make the most of them.
    fn limited(mut self) -> Self {
        let values = |at: usize| self.rows.iter().map(|row| row[at]).collect::<BTreeSet<u64>>().len();
        let few: BTreeSet<Column> = (0..self.columns.len())
            .filter(|&at| values(at) <= BUDGETS.column_values)
            .map(|at| self.columns[at])
            .collect();
        self.retain(|column| few.contains(&column));
        while self.rows.len() > BUDGETS.rows || self.columns.len() > BUDGETS.number_columns + BUDGETS.identity_columns {
            let without = |at: usize| {
                let kept: Vec<usize> = (0..self.columns.len()).filter(|&other| other != at).collect();
                self.projected(&kept)
            };
            let smaller = (0..self.columns.len()).rev().map(without).min_by_key(Self::len);
            self = smaller.expect("there are columns");
        }
        self
    }
}
