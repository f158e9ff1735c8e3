//! What to say of a place that the user named and the program does not have.

use icsched_dataflow::StackError;
use icsched_ir::{Origin, Program};

use crate::error::DriverError;

/// Names that are suggested, at most.
const MAX_SUGGESTIONS: usize = 5;
/// Letters that may differ between a name and what is suggested for it.
const MAX_DISTANCE: usize = 2;

/// A `--thread` that is at no place of the program.
pub(crate) fn no_place(program: &Program, place: &str, error: &StackError) -> DriverError {
    let help = match error {
        StackError::NoFunction(name) => similar(program, name).map(|names| format!("did you mean {names}?")),
        StackError::NoCode { place, next: None } => files(program, place),
        StackError::NoCode { .. }
        | StackError::Malformed(_)
        | StackError::NoInstruction { .. }
        | StackError::NoCall { .. }
        | StackError::Ambiguous { .. } => None,
    };
    DriverError::NotFound {
        message: format!("--thread {place}: {error}"),
        help: help.unwrap_or_else(|| {
            "a thread is `FILE:LINE`, `FUNCTION`, `FUNCTION+K` or a stack like `main>work@file.c:12`".to_owned()
        }),
    }
}

/// The program's functions with code whose names are like this one.
fn similar(program: &Program, name: &str) -> Option<String> {
    let wanted = name.to_lowercase();
    let with_code = program.functions.values().filter(|f| f.origin == Origin::Program && !f.is_declaration());
    let mut found: Vec<(usize, &str)> = with_code
        .filter_map(|f| {
            let known = f.name.to_lowercase();
            let is_part = wanted.len() > 2 && known.contains(&wanted);
            let distance = distance(&known, &wanted);
            (is_part || distance <= MAX_DISTANCE.min(wanted.len() / 2)).then_some((distance, f.name.as_str()))
        })
        .collect();
    found.sort_unstable();
    found.truncate(MAX_SUGGESTIONS);
    let names: Vec<String> = found.iter().map(|(_, name)| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// Letters that must be put in, taken out or changed to get from one name to the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The files of the program's functions, if the one that was named is none of them.
fn files(program: &Program, place: &str) -> Option<String> {
    let (file, _) = place.rsplit_once('@').map_or(place, |(_, place)| place).rsplit_once(':')?;
    let of_program = program.functions.values().filter(|f| f.origin == Origin::Program);
    let mut known: Vec<&str> =
        of_program.filter_map(|f| Some(program.files[program.locs[f.loc?].file].as_str())).collect();
    known.sort_unstable();
    known.dedup();
    if known.iter().any(|path| *path == file || path.ends_with(&format!("/{file}"))) {
        return None;
    }
    let more = if known.len() > MAX_SUGGESTIONS { ", ..." } else { "" };
    known.truncate(MAX_SUGGESTIONS);
    Some(match known.len() {
        0 => "the program was compiled without `-g`: name a function, or `FUNCTION+K`".to_owned(),
        _ => format!("the program's files with code are {}{more}", known.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_count_letters() {
        assert_eq!(distance("worker", "worker"), 0);
        assert_eq!(distance("wroker", "worker"), 2);
        assert_eq!(distance("work", "worker"), 2);
        assert_eq!(distance("", "abc"), 3);
    }
}
