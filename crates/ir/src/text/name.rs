//! Names of functions and globals, and lists, as text.

use std::fmt;

use super::constant::Quoted;
use super::lexer::is_word;
use crate::entity::{FuncId, GlobalId};
use crate::program::Program;

/// `@name` of a function, also of one that does not exist.
pub(super) struct FunctionName<'a>(pub(super) &'a Program, pub(super) FuncId);

impl fmt::Display for FunctionName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.functions.get(self.1) {
            Some(function) => write!(f, "{}", Symbol(&function.name)),
            None => write!(f, "@\"no {}\"", self.1),
        }
    }
}

/// `@name` of a global, also of one that does not exist.
pub(super) struct GlobalName<'a>(pub(super) &'a Program, pub(super) GlobalId);

impl fmt::Display for GlobalName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.globals.get(self.1) {
            Some(global) => write!(f, "{}", Symbol(&global.name)),
            None => write!(f, "@\"no {}\"", self.1),
        }
    }
}

/// `@name`, quoted if it is no word.
pub(super) struct Symbol<'a>(pub(super) &'a str);

impl fmt::Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_word(self.0) { write!(f, "@{}", self.0) } else { write!(f, "@{}", Quoted(self.0)) }
    }
}

/// Items joined by commas.
pub(super) fn list_of<T, D: fmt::Display>(items: &[T], text: impl Fn(&T) -> D) -> String {
    items.iter().map(|item| text(item).to_string()).collect::<Vec<_>>().join(", ")
}
