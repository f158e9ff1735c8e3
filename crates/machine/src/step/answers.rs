//! What inputs are in the concrete domain, where models ask for them as in the symbolic one.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

/// What inputs are in a run of the concrete domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answers {
    /// Numbers that follow from this one and the names of inputs.
    Seed(u64),
    /// These.
    Given(Arc<GivenInputs>),
}

/// Inputs by name; the others are 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GivenInputs {
    /// Numbers: `open#2`. A byte that a call gives has a name of its own: `getrandom[3]`.
    pub numbers: BTreeMap<String, u64>,
    /// Contents of symbolic files, and `stdin`.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Answers {
    /// The number of this name.
    pub(super) fn number(&self, name: &str, bits: u32) -> u64 {
        match self {
            Self::Seed(seed) => answer(*seed, name, bits),
            Self::Given(given) => given.numbers.get(name).map_or(0, |number| number & (u64::MAX >> (64 - bits))),
        }
    }

    /// A byte that a call gives.
    pub(super) fn byte(&self, name: &str, index: u64) -> u8 {
        match self {
            Self::Seed(seed) => answer(*seed, name, 8).wrapping_add(index).to_le_bytes()[0],
            Self::Given(given) => {
                given.numbers.get(&format!("{name}[{index}]")).map_or(0, |number| number.to_le_bytes()[0])
            }
        }
    }

    /// A byte of a symbolic file.
    pub(super) fn byte_of_file(&self, name: &str, index: u64) -> u8 {
        match self {
            Self::Seed(_) => 0,
            Self::Given(given) => {
                let content = given.files.get(name);
                let at = usize::try_from(index).ok();
                content.and_then(|bytes| bytes.get(at?)).copied().unwrap_or(0)
            }
        }
    }
}

/// The input of this name that follows from a number: often one that is small, or the largest.
pub fn answer(seed: u64, name: &str, bits: u32) -> u64 {
    let mut hash = rustc_hash::FxHasher::default();
    (seed, name).hash(&mut hash);
    let number = hash.finish();
    let mask = u64::MAX >> (64 - bits);
    match number >> 62 {
        0 => number & 1,
        1 => mask,
        2 => number & 15 & mask,
        _ => number & mask,
    }
}
