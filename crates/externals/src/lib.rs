//! What icsched knows about the functions of the C library and of POSIX: one row per function.
//!
//! A function that has no row and no definition is unknown: calling it is an error that names it. A row says how the
//! function is dealt with ([`Kind`]), whether it synchronises, whether it returns, and what it does with the pointers
//! it is given. A function of kind [`Kind::Model`] is defined in `runtime-models/`, and its C code is what is executed;
//! its row only spares an analysis from looking inside.
//!
//! The table has one file per area under `rows/`. A row's effects are a short text: one letter per parameter, `.` if
//! more may follow, and after `>` what the result is:
//!
//! | letter | argument | | result | |
//! | --- | --- | --- | --- | --- |
//! | `-` | not a pointer, or not followed | | `n` | a new object |
//! | `r`, `w`, `b` | object is read, written, both | | `s` | an object of the library |
//! | `k` | the pointer is kept after the return | | `0`..`9` | points into the object of that argument |
//! | `f` | object is freed | | none | not a pointer |
//! | `c` | function is called, now or later | | | |
//! | `p` | a pointer is stored in it: to a new object, or from another argument | | | |
//!
//! | `d`, `o` | its bytes are read, written; none of them is part of a pointer | | | |
//!
//! `:` instead of `.`: the further arguments are `d`. What is reachable from an argument's object is affected like the
//! object itself.

mod row;
mod rows;

use std::sync::LazyLock;

pub use row::{ArgEffect, Initialised, Kind, ResultEffect, Row};

/// All rows, sorted by name.
pub fn rows() -> &'static [Row] {
    static SORTED: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let mut all: Vec<Row> = rows::ALL.iter().flat_map(|part| part.iter().copied()).collect();
        all.sort_by_key(|row| row.name);
        all
    });
    &SORTED
}

/// The row of a function; takes O(log n).
pub fn lookup(name: &str) -> Option<&'static Row> {
    let rows = rows();
    rows.binary_search_by_key(&name, |row| row.name).ok().map(|index| &rows[index])
}

/// What a variable of the C library holds before the first instruction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StartValue {
    /// The address of the environment's strings.
    Environment,
    /// `argv[0]`, or a part of it.
    ProgramName,
}

/// Whether the engine gives the global variable of this name its value, and which.
pub fn set_at_start(global: &str) -> Option<StartValue> {
    match global {
        "environ" | "__environ" => Some(StartValue::Environment),
        "program_invocation_name" | "__progname_full" | "program_invocation_short_name" | "__progname" => {
            Some(StartValue::ProgramName)
        }
        _ => None,
    }
}

/// Whether a function of this name and number of parameters is known neither to synchronise nor to call back.
pub fn known_not_to_synchronise(name: &str, parameters: usize) -> bool {
    let calls_back = |row: &Row| (0..parameters).any(|i| row.argument(i) == ArgEffect::Calls);
    lookup(name).is_some_and(|row| !row.synchronises && !calls_back(row))
}

/// What is missing of a function that is known and not modelled, as part of a sentence.
pub fn missing(name: &str) -> Option<&'static str> {
    match lookup(name)?.kind {
        Kind::Unmodelled { note } => Some(note),
        Kind::Model { .. } | Kind::Pure | Kind::Input | Kind::Sink => None,
    }
}

/// What a library function gives one after the other, if programs call it in a loop for all of them.
pub fn reads_pieces(name: &str) -> Option<&'static str> {
    match modelled_pieces(name) {
        "getopt" | "getopt_long" | "getopt_long_only" => Some("options"),
        "fgets" | "getline" | "getdelim" => Some("lines"),
        "strtok" | "strtok_r" | "strsep" => Some("words"),
        _ => None,
    }
}

/// Without what newer headers put in front of a name or behind it.
fn modelled_pieces(name: &str) -> &str {
    let name = name.strip_prefix("__posix_").or_else(|| name.strip_prefix("__")).unwrap_or(name);
    name.strip_suffix("_chk").or_else(|| name.strip_suffix("_unlocked")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for pair in rows().windows(2) {
            assert!(pair[0].name < pair[1].name, "{} has two rows", pair[1].name);
        }
    }

    #[test]
    fn effects_are_well_formed() {
        for row in rows() {
            let (parameters, result) = row.effects.split_once('>').unwrap_or((row.effects, "n"));
            let named = parameters.strip_suffix(['.', ':']).unwrap_or(parameters);
            assert!(named.bytes().all(|letter| b"-rwdobkfcp".contains(&letter)), "{}: {}", row.name, row.effects);
            assert!(matches!(result.as_bytes(), [b'n' | b's' | b'0'..=b'9']), "{}: {}", row.name, row.effects);
            if let ResultEffect::Argument(index) = row.result() {
                assert!(index < row.parameters(), "{} returns an argument it does not have", row.name);
            }
        }
    }

    #[test]
    fn other_names_of_a_function_do_the_same() {
        // `__f_chk` has further arguments that are numbers.
        let without_numbers = |row: &Row| row.effects.replace('-', "");
        let mut pairs = 0;
        for row in rows() {
            // `assert` asks, `__assert` is what it calls to fail.
            let Some(plain) = row.name.strip_prefix("__").filter(|&plain| plain != "assert") else { continue };
            if let Some(other) = lookup(plain.strip_suffix("_chk").unwrap_or(plain)) {
                assert_eq!(without_numbers(row), without_numbers(other), "{} and {}", row.name, other.name);
                pairs += 1;
            }
        }
        assert!(pairs > 0, "the table has functions of two names");
    }

    #[test]
    fn the_letters_mean_what_the_table_says() {
        let copy = lookup("memcpy").expect("a row");
        assert_eq!(copy.kind, Kind::Model { file: "string" });
        assert_eq!([copy.argument(0), copy.argument(1)], [ArgEffect::Writes, ArgEffect::Reads]);
        assert_eq!([copy.argument(2), copy.argument(3)], [ArgEffect::Value, ArgEffect::ReadsWrites]);
        assert_eq!(copy.result(), ResultEffect::Argument(0));
        assert_eq!(copy.parameters(), 3);
        let print = lookup("printf").expect("a row");
        assert!(print.is_variadic() && !print.synchronises);
        assert_eq!(print.parameters(), 1);
        assert_eq!([print.argument(0), print.argument(5)], [ArgEffect::ReadsBytes; 2]);
        assert_eq!(lookup("malloc").expect("a row").result(), ResultEffect::Fresh);
        assert!(lookup("exit").expect("a row").no_return);
        assert!(lookup("pthread_mutex_lock").expect("a row").synchronises);
        let init = lookup("pthread_mutex_init").expect("a row");
        assert!(init.initialises == Some(Initialised::Free) && !init.synchronises);
        assert_eq!(lookup("no_such_function"), None);
        assert_eq!(missing("fork"), Some("there is one process only"));
        assert_eq!(missing("malloc"), None);
    }
}
