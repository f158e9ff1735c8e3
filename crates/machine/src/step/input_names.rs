//! Names of inputs: `x`, `x#2`, `x#3`, ... in the order of their reads on one path.
//!
//! Where something else is called `x` the first one is `x#1`: an argument or a file named on the command line, or, in
//! a run that begins in the middle of the program, what the variable `x` held there. Symbols of one name would be one.

use std::rc::Rc;

use super::{Machine, Options};
use crate::domain::Domain;
use crate::state::State;

/// Inputs that `main` gets.
const OF_MAIN: [&str; 3] = ["argc", "argv", "stdin"];

impl<D: Domain> State<D> {
    /// `name`, `name#2`, `name#3`, ... on one path.
    pub fn unique_input_name(&mut self, name: &str) -> String {
        let count = Rc::make_mut(&mut self.input_counts).entry(name.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 { name.to_owned() } else { format!("{name}#{count}") }
    }
}

impl<D: Domain> Machine<D> {
    /// The name of the next input that the program calls so.
    pub(super) fn next_input_name(&mut self, state: &mut State<D>, name: &str) -> String {
        let unique = state.unique_input_name(name);
        let first = first_identifier(name);
        let is_taken = is_of_command_line(&self.options, name, first)
            || (!self.domain.knows_objects() && self.variable_names.contains(&self.program, first));
        if unique == name && is_taken { format!("{name}#1") } else { unique }
    }
}

fn is_of_command_line(options: &Options, name: &str, first: &str) -> bool {
    let is_byte_of = |file: &str| name.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with('['));
    OF_MAIN.contains(&first) || options.symbolic_files.iter().any(|(file, _)| is_byte_of(file))
}

/// The variable that a C expression begins with.
fn first_identifier(expression: &str) -> &str {
    let start = expression.trim_start_matches(['*', '(']);
    let end = start.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(start.len());
    &start[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_begin_with_a_variable() {
        for (expression, variable) in [("x", "x"), ("s.field[2]", "s"), ("*p", "p"), ("(*p)[1]", "p"), ("q->n", "q")] {
            assert_eq!(first_identifier(expression), variable);
        }
        assert_eq!(first_identifier(""), "");
    }

    #[test]
    fn inputs_of_the_command_line_keep_their_names() {
        let options = Options { symbolic_files: vec![("data.txt".to_owned(), 4)], ..Options::default() };
        for (name, is_taken) in [("argc", true), ("argv[1]", true), ("data.txt[0]", true), ("data.txt2", false)] {
            assert_eq!(is_of_command_line(&options, name, first_identifier(name)), is_taken, "{name}");
        }
    }
}
