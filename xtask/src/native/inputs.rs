//! Arguments to try: small numbers, a text, and what the printed constraints compare with.

use std::collections::BTreeSet;

use super::schedule::Enumeration;

/// Most arguments lists that are tried for one result.
const MOST: usize = 40;

/// Values that are always tried, most useful first.
const ALWAYS: [&str; 8] = ["0", "1", "2", "3", "5", "-1", "x", "100"];

/// All combinations of values for the arguments `@`, or as many as there is room for; others stay as they are.
pub(super) fn inputs(pattern: &[String], result: &Enumeration) -> Vec<Vec<String>> {
    let symbolic = pattern.iter().filter(|argument| is_symbolic(argument)).count();
    let values = values(result);
    let room = match symbolic {
        0 | 1 => MOST,
        2 => 6,
        3 => 3,
        _ => 2,
    };
    let values: Vec<String> = values.into_iter().take(room).collect();
    let mut lists: Vec<Vec<String>> = vec![Vec::new()];
    for argument in pattern {
        let choices = if is_symbolic(argument) { values.clone() } else { vec![argument.replace("@@", "@")] };
        let extended = |list: &Vec<String>| {
            let with = |choice: &String| list.iter().chain([choice]).cloned().collect();
            choices.iter().map(with).collect::<Vec<_>>()
        };
        lists = lists.iter().flat_map(extended).collect();
    }
    lists.truncate(MOST);
    lists
}

/// Whether an argument of `icsched enumerate` is an input: `@` or `@N`.
pub(super) fn is_symbolic(argument: &str) -> bool {
    argument.strip_prefix('@').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
}

/// Values to try: in turn one that constraints speak of and one of the usual ones.
fn values(result: &Enumeration) -> Vec<String> {
    let mut spoken = BTreeSet::new();
    let schedules = result.epochs.first().map(|epoch| epoch.schedules.as_slice()).unwrap_or_default();
    for schedule in schedules {
        spoken.extend(mentioned(&schedule.constraint));
    }
    let mut usual = ALWAYS.iter().map(|&value| value.to_owned());
    let mut values: Vec<String> = usual.by_ref().take(3).collect();
    let mut spoken = spoken.into_iter();
    loop {
        let pair = [spoken.next(), usual.next()];
        if pair.iter().all(Option::is_none) {
            return values;
        }
        for value in pair.into_iter().flatten() {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
}

/// Numbers in a constraint with their neighbours, and texts that begin with its characters.
fn mentioned(constraint: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let words = constraint.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    for number in words.filter_map(|word| word.parse::<i64>().ok()).filter(|number| number.abs() < 100_000) {
        found.extend([number - 1, number, number + 1].map(|number| number.to_string()));
    }
    let mut quoted = constraint.split('\'').skip(1).step_by(2);
    found.extend(quoted.by_ref().filter(|text| text.len() == 1).map(str::to_owned));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_constraints_speak_of() {
        let found = mentioned("atoi(argv[1]) > 10 && argv[2][0] == 'q'");
        for value in ["9", "10", "11", "q"] {
            assert!(found.contains(value), "{value} in {found:?}");
        }
    }

    #[test]
    fn arguments_that_are_inputs() {
        assert!(
            is_symbolic("@") && is_symbolic("@12") && !is_symbolic("@@") && !is_symbolic("@a") && !is_symbolic("3")
        );
        let result = Enumeration { complete: true, epochs: Vec::new(), errors: Vec::new() };
        let lists = inputs(&["@@x".to_owned(), "@".to_owned()], &result);
        assert_eq!(lists.len(), ALWAYS.len());
        assert_eq!(lists[0], ["@x", "0"]);
        assert_eq!(inputs(&[], &result), [Vec::<String>::new()]);
    }
}
