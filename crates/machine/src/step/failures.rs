//! Calls of library functions that may fail.

use serde::{Deserialize, Serialize};

/// A library function whose calls may fail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MayFail {
    /// Its name, or `all`.
    pub function: String,
    /// The calls that may: those at this line of a file, which is named by the end of its path. `None`: all of them.
    pub at: Option<(String, u32)>,
}

/// Which calls may fail, and how many.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failures {
    /// Those that may.
    pub of: Vec<MayFail>,
    /// At most so many on one path.
    pub most: u32,
}

impl Default for Failures {
    fn default() -> Self {
        Self { of: Vec::new(), most: 1 }
    }
}

impl Failures {
    /// How many calls may fail on a path, if one of this function may at this place.
    pub(super) fn most_at(&self, function: &str, place: Option<(&str, u32)>) -> u32 {
        let is_here = |(file, line): &(String, u32)| {
            place.is_some_and(|(own, at)| at == *line && std::path::Path::new(own).ends_with(file))
        };
        let is_it = |may: &MayFail| may.function == function || may.function == "all";
        let may = self.of.iter().any(|may| is_it(may) && may.at.as_ref().is_none_or(is_here));
        if may { self.most } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_named_by_function_and_line() {
        let at = Some(("pool.c".to_owned(), 7));
        let of = vec![MayFail { function: "malloc".to_owned(), at }, MayFail { function: "open".to_owned(), at: None }];
        let failures = Failures { of, most: 2 };
        assert_eq!(failures.most_at("malloc", Some(("/src/pool.c", 7))), 2);
        assert_eq!(failures.most_at("malloc", Some(("/src/pool.c", 8))), 0);
        assert_eq!(failures.most_at("malloc", Some(("/src/spool.c", 7))), 0);
        assert_eq!(failures.most_at("malloc", None), 0);
        assert_eq!(failures.most_at("open", None), 2);
        assert_eq!(failures.most_at("calloc", Some(("pool.c", 7))), 0);
    }
}
