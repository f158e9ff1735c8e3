//! The definitions that must reach one thread of a context.

use std::collections::BTreeMap;

use icsched_ir::{Program, ValueId};

use crate::expr::{ExprId, ExprPool};
use crate::place::Place;
use crate::symbol::Symbol;

/// What a place holds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlaceDefinition {
    /// The place.
    pub place: Place,
    /// What it holds.
    pub value: ExprId,
    /// No other thread may write there while this one is where it is, race or not.
    pub conflict_free: bool,
}

/// What must hold when a thread is at a context. The symbols are registers of the context's frames.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Definitions {
    /// Whether some way leads to the context, as far as the analysis sees. If not, nothing is said.
    pub is_reached: bool,
    /// `R_local`: per frame, oldest first, the registers that are defined there and are more than symbols of their own;
    /// ascending.
    pub registers: Vec<BTreeMap<ValueId, ExprId>>,
    /// `R_heap`, ascending.
    pub places: Vec<PlaceDefinition>,
}

impl Definitions {
    /// Keeps what holds in both.
    pub(super) fn join(&mut self, other: &Definitions) {
        for (own, other) in self.registers.iter_mut().zip(&other.registers) {
            own.retain(|value, e| other.get(value) == Some(e));
        }
        self.places.retain_mut(|own| {
            let same = other.places.iter().find(|p| p.place == own.place && p.value == own.value);
            own.conflict_free &= same.is_some_and(|p| p.conflict_free);
            same.is_some()
        });
    }

    /// One line per definition: `v3#0 = 5`, `[queue+8:4] = v3#0`.
    pub fn describe(&self, program: &Program, pool: &ExprPool) -> Vec<String> {
        let mut lines = Vec::new();
        for (registers, frame) in self.registers.iter().zip(0..) {
            for (&value, &e) in registers {
                lines.push(format!("{} = {}", Symbol::new(frame, value), pool.describe(program, e)));
            }
        }
        for PlaceDefinition { place, value, .. } in &self.places {
            lines.push(format!("[{}] = {}", place.describe(program, pool), pool.describe(program, *value)));
        }
        lines
    }
}
