//! The kinds of facts, each in a file of its own, and the loops over them in the order of the [table](crate::table).

pub(crate) mod bounds;
pub(crate) mod choices;
pub(crate) mod differences;
pub(crate) mod elements;
pub(crate) mod equations;
pub(crate) mod handles;
pub(crate) mod limits;
pub(crate) mod relations;
pub(crate) mod ring_offsets;

use serde::{Deserialize, Serialize};

use crate::fact_state::FactState;
use crate::join::Join;
use crate::kind::Kind;
use crate::place::Place;
use crate::renaming::Renaming;
use crate::shape::Shape;
use crate::table::kinds_of_facts;
use crate::widening::{Idle, WideningStep};

/// Makes the loops over kinds.
macro_rules! loops {
    ($($(#[$doc:meta])* $name:ident: $facts:ty as $kind:ty,)*) => {
        /// How the facts of all kinds differ from those of another shape.
        #[derive(Serialize, Deserialize)]
        pub(crate) struct KindsChange {
            $($name: <$kind as Kind>::Change,)*
        }

        impl Shape {
            /// What both shapes say; in order, as what one kind says may follow from another one.
            pub(crate) fn join_kinds(join: &mut Join<'_>) {
                $(<$kind as Kind>::join(join);)*
            }

            /// Whether this shape says all that another one says of any kind.
            pub(crate) fn holds_kinds(&self, other: &Self) -> bool {
                $(<$kind as Kind>::holds(self, other))&&*
            }

            /// Whether the facts of all kinds have the form that they should have.
            pub(crate) fn kinds_are_well_formed(&self, width: &dyn Fn(Place) -> Option<u32>) -> bool {
                $(<$kind as Kind>::are_well_formed(&self.$name, width))&&*
            }

            /// Whether any kind takes part in a step of widening.
            pub(crate) fn takes_part(&self, step: &WideningStep<'_>) -> bool {
                $(<$kind as Kind>::takes_part(&self.$name, step))||*
            }

            /// Widens the kinds that take part; `before` has the same names for objects.
            pub(crate) fn widen_kinds(&mut self, before: &Self, step: &mut WideningStep<'_>) {
                $(if <$kind as Kind>::takes_part(&self.$name, step) {
                    <$kind as Kind>::widen(self, before, step);
                })*
            }

            /// Gives up what is known of numbers that decide nothing.
            pub(crate) fn forget_idle_kinds(&mut self, idle: &Idle<'_>) {
                $(<$kind as Kind>::forget_idle(self, idle);)*
            }

            /// Keeps the facts all of whose places are kept.
            pub(crate) fn retain_kinds(&mut self, keep: &mut dyn FnMut(Place) -> bool) {
                $(<$kind as Kind>::retain(&mut self.$name, keep);)*
            }

            /// The facts of another shape with other names; what is no such fact is as it is.
            pub(crate) fn with_kinds_of(self, other: &Self, names: &Renaming<'_>) -> Self {
                Self { $($name: <$kind as Kind>::renamed(&other.$name, names),)* ..self }
            }

            /// The places that facts of any kind are about.
            pub(crate) fn places_of_kinds(&self) -> Vec<Place> {
                let mut all = Vec::new();
                $(all.extend(<$kind as Kind>::places(&self.$name));)*
                all
            }

            /// [Says](FactState::say) the facts of all kinds to a state, one after the other.
            pub fn to_terms(&self, state: &mut dyn FactState) {
                $(<$kind as Kind>::to_terms(&self.$name, state);)*
            }

            /// Writes all kinds to the log.
            pub(crate) fn log_kinds(&self) {
                $(<$kind as Kind>::log(&self.$name);)*
            }

            /// How the facts of all kinds differ in another shape.
            pub(crate) fn change_of_kinds(&self, other: &Self) -> KindsChange {
                KindsChange { $($name: <$kind as Kind>::change_to(&self.$name, &other.$name),)* }
            }

            /// The same with other facts of all kinds.
            pub(crate) fn with_change_of_kinds(self, change: KindsChange) -> Self {
                Self { $($name: <$kind as Kind>::changed(&self.$name, change.$name),)* ..self }
            }
        }
    };
}

kinds_of_facts!(loops);
