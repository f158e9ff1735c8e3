//! Linear equations between numbers, as facts that epochs hand on. What an equation is says
//! [`equation`](crate::equation).

use std::collections::BTreeMap;

use icsched_smt::Term;

use crate::equation::{Equation, Rest, common, with_names};
use crate::fact_state::{FactState, Statement};
use crate::join::Join;
use crate::kind::Kind;
use crate::place::Place;
use crate::renaming::Renaming;
use crate::shape::Shape;
use crate::widening::WideningStep;

impl Shape {
    /// Places in memory that its equations say are equal, in groups of two or more.
    pub(crate) fn equal_numbers(&self) -> Vec<Vec<Place>> {
        let mut groups: BTreeMap<Rest, Vec<Place>> = BTreeMap::new();
        for equation in &self.equations {
            let Some((place, rest)) = equation.solved() else { continue };
            let minus_one = u64::MAX >> (64 - equation.width);
            let other = match rest {
                (_, ref rest, 0) if rest.len() == 1 && rest[0].1 == minus_one => Some(rest[0].0),
                _ => None,
            };
            let is_word = |place: &Place| matches!(place, Place::Memory(_, _, size) if 8 * size == equation.width);
            let group = groups.entry(rest).or_default();
            group.extend([Some(place), other.filter(|_| group.is_empty())].into_iter().flatten().filter(is_word));
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    }
}

/// Which sums of numbers are constant.
pub struct Equations;

impl Kind for Equations {
    type Facts = Vec<Equation>;
    type Change = Vec<Equation>;

    fn join(join: &mut Join<'_>) {
        let [in_a, in_b] =
            [&join.a, &join.b].map(|side| side.in_join(|names| Self::renamed(&side.shape.equations, names)));
        join.found.equations = common(&in_a, &in_b);
    }

    fn holds(shape: &Shape, other: &Shape) -> bool {
        other.equations.iter().all(|equation| shape.equations.contains(equation))
    }

    fn are_well_formed(equations: &Vec<Equation>, _: &dyn Fn(Place) -> Option<u32>) -> bool {
        equations.iter().all(|equation| [32, 64].contains(&equation.width))
    }

    fn takes_part(equations: &Vec<Equation>, step: &WideningStep<'_>) -> bool {
        matches!(step, WideningStep::Remainders) && !equations.is_empty()
    }

    /// Leaves out equations of remainders that are not among those of `before`.
    fn widen(shape: &mut Shape, before: &Shape, _: &mut WideningStep<'_>) {
        shape.equations.retain(|equation| {
            let is_whole = equation.terms.iter().any(|(_, by)| by & 1 == 1);
            is_whole || before.equations.contains(equation)
        });
    }

    fn retain(equations: &mut Vec<Equation>, keep: &mut dyn FnMut(Place) -> bool) {
        *equations = with_names(equations, |place| keep(place).then_some(place));
    }

    fn renamed(equations: &Vec<Equation>, names: &Renaming<'_>) -> Vec<Equation> {
        with_names(equations, |place| names.place(place))
    }

    fn places(equations: &Vec<Equation>) -> Vec<Place> {
        equations.iter().flat_map(|equation| equation.terms.iter().map(|&(place, _)| place)).collect()
    }

    fn to_terms(equations: &Vec<Equation>, state: &mut dyn FactState) {
        for equation in equations {
            let terms = equation.terms.iter().map(|&(place, _)| state.number(place, equation.width));
            let terms = terms.collect::<Option<Vec<Term>>>();
            let condition = terms.map(|terms| equation.holds(state.pool(), &terms));
            let words = |name: &dyn Fn(Place) -> String| {
                let names: Vec<String> =
                    equation.terms.iter().map(|&(place, by)| format!("{by} * {}", name(place))).collect();
                format!("{} is {}", names.join(" + "), equation.constant)
            };
            state.say(Statement::of(condition, &words));
        }
    }

    fn log(equations: &Vec<Equation>) {
        for equation in equations {
            tracing::trace!(kind = "equations", ?equation.terms, equation.constant, equation.width, "a fact");
        }
    }

    /// All of them: there are few.
    fn change_to(_: &Vec<Equation>, others: &Vec<Equation>) -> Vec<Equation> {
        others.clone()
    }

    fn changed(_: &Vec<Equation>, change: Vec<Equation>) -> Vec<Equation> {
        change
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;
    use crate::place::Node;

    fn place(n: u64) -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), 4 * n, 4)
    }

    /// The equation with these coefficients.
    fn sum(factors: &[i64], constant: i64) -> Equation {
        let word = |n: i64| n.cast_unsigned() & u64::from(u32::MAX);
        let terms = (0..).map(place).zip(factors.iter().map(|&by| word(by))).filter(|&(_, by)| by != 0);
        Equation { width: 32, terms: terms.collect(), constant: word(constant) }
    }

    #[test]
    fn equal_numbers_are_found_by_what_they_are_equal_to() {
        let equal =
            |equations: &[Equation]| Shape { equations: equations.to_vec(), ..Shape::default() }.equal_numbers();
        assert_eq!(equal(&[sum(&[1, 0, -1], 0), sum(&[0, 1, -1], 0)]), [[place(0), place(2), place(1)]]);
        assert_eq!(equal(&[sum(&[1, 0, 3], 5), sum(&[0, 1, 3], 5)]), [[place(0), place(1)]]);
        assert!(equal(&[sum(&[1, 0, 3], 5), sum(&[0, 1, 3], 4)]).is_empty());
    }
}
