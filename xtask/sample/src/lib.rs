//! Which part of the long tests runs: all of it, or the sample that `./scripts/test` takes.
//!
//! A test over many seeds or generated cases asks [`of`] how many to take. A test over named programs asks [`has`], or
//! takes the names of the lowest [`rank`]. The answers depend on nothing but these names and the environment variable
//! [`VARIABLE`], so a sample is the same each time.

use std::env;

/// The environment variable that says how much runs: `sample`, or `all` as without the variable.
pub const VARIABLE: &str = "ICSCHED_TESTS";

/// Whether tests run on a sample.
///
/// # Panics
/// The variable has another value than `sample` and `all`.
#[must_use]
pub fn is_on() -> bool {
    match env::var_os(VARIABLE) {
        None => false,
        Some(value) if value == "all" => false,
        Some(value) if value == "sample" => true,
        Some(other) => panic!("{VARIABLE} is `sample` or `all`, not {}", other.display()),
    }
}

/// How many there are of something: `sample` in a sample, else `all`.
#[must_use]
pub fn of<T>(sample: T, all: T) -> T {
    if is_on() { sample } else { all }
}

/// Whether what has this name runs: one of `one_in` names in a sample, else every one.
#[must_use]
pub fn has(name: &str, one_in: u64) -> bool {
    !is_on() || rank(name).is_multiple_of(one_in)
}

/// A number that depends on the name alone (64-bit FNV-1a, with its bits mixed). Samples take names of low ranks.
#[must_use]
pub fn rank(name: &str) -> u64 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_never_changes() {
        assert_eq!(rank("a"), 0x2ef7_d131_6eb8_6f71);
        assert_eq!(rank("epochs/rings/two_belts.c"), 0x6e7b_7697_4499_91d8);
    }

    #[test]
    fn ranks_are_spread() {
        let even = (0..1000).filter(|number: &u32| rank(&format!("program {number}")).is_multiple_of(2)).count();
        assert!((450..550).contains(&even), "{even}");
    }
}
