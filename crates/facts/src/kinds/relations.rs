//! Which numbers places hold together, where these are few: finite relations, as facts that epochs hand on. What is
//! said of each place alone, or of two, forgets that a buffer is full while the thread that empties it is at that
//! buffer. A relation keeps the combinations that there are (disjunctive completion; Cousot and Cousot, Systematic
//! design of program analysis frameworks, 1979), as rows of a table whose columns are numbers: what a place holds, what
//! remains of a counter that is divided by a small constant, or how far two counters are apart that the program
//! compares; and, of places by which threads are told apart, whether they hold an address.
//!
//! A table has few columns, few rows, and few numbers in each column. Where there are more, columns are left out, and
//! never come back, as nobody says what they hold; so tables get larger only so often.

use std::collections::BTreeSet;

use icsched_smt::{Term, TermPool};

use crate::bounds::Bounds;
use crate::budgets::BUDGETS;
use crate::fact_state::{FactState, Statement};
use crate::join::{Join, Side};
use crate::kind::Kind;
use crate::place::{Held, Node, Place};
use crate::relation::{Column, Relation};
use crate::renaming::Renaming;
use crate::shape::Shape;
use crate::widening::{Idle, WideningStep};

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

impl Relation {
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

impl Shape {
    /// Places by which it is known which thread is which, and what they may hold: handles, what a thread was started
    /// with, and registers of threads that were started with nothing that is of use; one of those that hold the same.
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
}

/// Which numbers places hold together; `None` where nobody looks for that.
pub struct Relations;

impl Kind for Relations {
    type Facts = Option<Relation>;
    type Change = Option<Relation>;

    fn are_well_formed(relation: &Option<Relation>, _: &dyn Fn(Place) -> Option<u32>) -> bool {
        relation.as_ref().is_none_or(|relation| {
            let is_column = |column: &Column| (1..=64).contains(&column.width) && column.modulus != Some(0);
            relation.columns.iter().all(is_column)
                && relation.rows.iter().all(|row| row.len() == relation.columns.len())
        })
    }

    /// Which rows there are in one or the other. What is constant in both, but not the same, is a column, and so is of
    /// places by which threads are told apart whether they hold what they may.
    fn join(join: &mut Join<'_>) {
        let (Some(x), Some(y)) = (&join.a.shape.relations, &join.b.shape.relations) else { return };
        let columns_of = |side: &Side<'_>, relation: &Relation| {
            side.in_join(|names| relation.columns.iter().filter_map(|column| column.renamed(names)).collect::<Vec<_>>())
        };
        let known: BTreeSet<Column> = columns_of(&join.a, x).into_iter().chain(columns_of(&join.b, y)).collect();
        let apart = join.apart.iter().map(|&(place, width)| Column::at(place, width));
        let held = |(place, choices): (Place, &[Held])| {
            choices.iter().map(|&held| Column::identity(place, held)).collect::<Vec<Column>>()
        };
        let identities = join.found.identities().into_iter().flat_map(held);
        let apart: Vec<Column> = apart.chain(identities).filter(|column| !known.contains(column)).collect();
        let (mut columns, mut sources) = (Vec::new(), Vec::new());
        for column in known.into_iter().chain(apart).take(BUDGETS.candidate_columns) {
            let in_a = join.a.own(|names| column.renamed(names));
            let in_b = join.b.own(|names| column.renamed(names));
            let (Some(in_a), Some(in_b)) = (in_a, in_b) else { continue };
            if let (Some(of_a), Some(of_b)) = (x.source(join.a.shape, in_a), y.source(join.b.shape, in_b)) {
                columns.push(column);
                sources.push((of_a, of_b));
            }
        }
        let in_a = x.rows.iter().map(|row| sources.iter().map(|(source, _)| source.of(row)).collect());
        let in_b = y.rows.iter().map(|row| sources.iter().map(|(_, source)| source.of(row)).collect());
        let rows: BTreeSet<Vec<u64>> = in_a.chain(in_b).collect();
        join.found.relations = Some(Relation::new(&columns, &rows));
    }

    fn holds(shape: &Shape, other: &Shape) -> bool {
        let Some(told) = &other.relations else { return true };
        let Some(known) = &shape.relations else { return false };
        let sources: Option<Vec<Source>> = told.columns.iter().map(|&column| known.source(shape, column)).collect();
        let Some(sources) = sources else { return false };
        let row = |row: &Vec<u64>| sources.iter().map(|source| source.of(row)).collect::<Vec<u64>>();
        known.rows.iter().all(|of| told.rows.contains(&row(of)))
    }

    fn takes_part(relation: &Option<Relation>, step: &WideningStep<'_>) -> bool {
        matches!(step, WideningStep::Counters) && relation.is_some()
    }

    /// Leaves out columns that have got more numbers than there were `before`, if the bounds of the place allow more
    /// than a column may have: they count up.
    fn widen(shape: &mut Shape, before: &Shape, _: &mut WideningStep<'_>) {
        let Some(mut all) = shape.relations.take() else { return };
        let grows = |at: usize, column: Column| {
            let bounds = match column.less {
                Some(less) => shape.difference_of((column.place, less)),
                None => shape.bounds_of(column.place),
            };
            let span = bounds.and_then(Bounds::span);
            let has_few = column.modulus.is_some()
                || column.is.is_some()
                || span.is_some_and(|span| span < BUDGETS.column_values as u64);
            let known = before.relations.as_ref().and_then(|known| {
                let source = known.source(before, column)?;
                Some(known.rows.iter().map(|row| source.of(row)).collect::<BTreeSet<u64>>())
            });
            let is_again = known.as_ref().is_some_and(|known| known.len() > 1);
            !has_few && is_again && all.rows.iter().any(|row| known.iter().all(|known| !known.contains(&row[at])))
        };
        let growing: BTreeSet<Column> =
            (0..).zip(&all.columns).filter(|&(at, &column)| grows(at, column)).map(|(_, &column)| column).collect();
        all.retain(|column| !growing.contains(&column));
        shape.relations = Some(all);
    }

    fn forget_idle(shape: &mut Shape, idle: &Idle<'_>) {
        if let Some(mut all) = shape.relations.take() {
            all.retain(|column| !column.places().any(|place| idle.contains(shape, place)));
            shape.relations = Some(all);
        }
    }

    fn retain(relation: &mut Option<Relation>, keep: &mut dyn FnMut(Place) -> bool) {
        relation.iter_mut().for_each(|all| all.retain(|column| column.places().all(&mut *keep)));
    }

    fn renamed(relation: &Option<Relation>, names: &Renaming<'_>) -> Option<Relation> {
        relation.as_ref().map(|all| all.with_names(names))
    }

    fn places(relation: &Option<Relation>) -> Vec<Place> {
        relation.iter().flat_map(|all| all.columns()).flat_map(|column| column.places()).collect()
    }

    /// The columns of which something is not there are left out.
    fn to_terms(relation: &Option<Relation>, state: &mut dyn FactState) {
        let Some(all) = relation else { return };
        let (mut kept, mut terms) = (all.clone(), Vec::new());
        kept.retain(|column| {
            let held: Option<Vec<Term>> = column.places().map(|place| state.number(place, column.width)).collect();
            let is_right = |pool: &TermPool, term: &Term| pool.width(*term) == u32::from(column.width);
            let Some(mut held) = held.filter(|held| held.iter().all(|term| is_right(state.pool(), term))) else {
                return false;
            };
            if let Some(constant) = column.is {
                let Some(bits) = state.constant(constant) else { return false };
                held.push(state.pool().constant(64, bits));
            }
            terms.push((held[0], held.get(1).copied()));
            true
        });
        let holds = kept.hold(state.pool(), &terms);
        let words = |name: &dyn Fn(Place) -> String| {
            let names: Vec<String> = all.columns().iter().flat_map(|column| column.places()).map(name).collect();
            format!("one of {} rows is in {}", all.len(), names.join(", "))
        };
        let is_partial = kept.columns.len() < all.columns.len();
        state.say(Statement { is_partial, ..Statement::of(Some(holds), &words) });
    }

    fn log(relation: &Option<Relation>) {
        if let Some(all) = relation {
            tracing::debug!(kind = "relations", columns = ?all.columns(), rows = ?all.rows(), "a fact");
        }
    }

    fn change_to(_: &Option<Relation>, others: &Option<Relation>) -> Option<Relation> {
        others.clone()
    }

    fn changed(_: &Option<Relation>, change: Option<Relation>) -> Option<Relation> {
        change
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;
    use crate::place::Node;

    fn place(at: u64) -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), at, 4)
    }

    /// Numbers of 32 bits one after the other, with a table that says nothing.
    fn numbers(all: &[u32]) -> Shape {
        let mut shape = Shape { relations: Some(Relation::default()), ..Shape::default() };
        for (at, number) in (0..).step_by(4).zip(all) {
            let bytes: Vec<Option<u8>> = number.to_le_bytes().map(Some).into();
            shape.bytes.insert_word((Node::Global(GlobalId::from_index(0)), at), &bytes);
        }
        shape
    }

    fn table(shape: &Shape) -> (Vec<Column>, Vec<Vec<u64>>) {
        let found = shape.relations.clone().expect("there is a table");
        (found.columns, found.rows.into_iter().collect())
    }

    fn whole(at: u64) -> Column {
        Column::at(place(at), 32)
    }

    #[test]
    fn numbers_that_change_together_are_rows() {
        let met = numbers(&[0, 7, 1]).join(&numbers(&[1, 7, 0]));
        assert_eq!(table(&met), (vec![whole(0), whole(8)], vec![vec![0, 1], vec![1, 0]]));
        let more = met.join(&numbers(&[2, 7, 2]));
        assert_eq!(table(&more).1, [vec![0, 1], vec![1, 0], vec![2, 2]]);
        assert!(Relations::holds(&met, &more) && !Relations::holds(&more, &met));
        assert_eq!(met.canonical(), met);
        // Of what is not known in one of them nothing is known in both.
        let unknown = Shape { relations: Some(Relation::default()), ..Shape::default() };
        assert_eq!(met.join(&unknown).relations, unknown.relations);
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
            Shape { words, relations: Some(Relation::default()), ..Shape::default() }
        };
        let met = state([1, 2]).join(&state([2, 1]));
        let (columns, rows) = table(&met);
        assert_eq!((columns.len(), rows.len()), (8, 2));
        let own = Column::identity(Place::Memory(handles, 0, 8), Held::Address(Node::Thread(1), 0));
        let argument = Column::identity(Place::Memory(Node::Thread(1), 40, 8), Held::Address(first, 0));
        let at = |column: Column| columns.iter().position(|&known| known == column).expect("it is a column");
        assert!(rows.iter().all(|row| row[at(own)] == row[at(argument)]));
        assert_eq!(met.canonical(), met);
        assert!(Relations::holds(&state([1, 2]), &met));
        // What may be anything is no column.
        let unknown = Shape { relations: Some(Relation::default()), ..Shape::default() };
        assert!(met.join(&unknown).relations.is_some_and(|all| all.columns().is_empty()));
    }

    #[test]
    fn a_counter_keeps_its_remainder() {
        let counter = |n: u32| {
            let even = Column { modulus: Some(2), ..whole(0) };
            let rows = [vec![u64::from(n % 2)]].into();
            Shape { relations: Some(Relation::new(&[even], &rows)), ..numbers(&[n, n % 2]) }
        };
        let all = (1..20).fold(counter(0), |known, n| known.join(&counter(n)));
        let even = Column { modulus: Some(2), ..whole(0) };
        assert_eq!(table(&all), (vec![even, whole(4)], vec![vec![0, 0], vec![1, 1]]));
    }

    #[test]
    fn tables_stay_small() {
        let apart = |n: u32| numbers(&[n & 1, n >> 1 & 1, n >> 2 & 1, n >> 3 & 1, n >> 4 & 1, n >> 5 & 1, n >> 6]);
        let all = (1..128).fold(apart(0), |known, n| known.join(&apart(n)));
        let (columns, rows) = table(&all);
        assert_eq!((columns.len(), rows.len()), (6, 64));
    }
}
