//! Places of a program in an answer.

use icsched_ir::{CallStack, LocId, Program, ProgramPoint};

/// `file.c:12`, if that is known.
pub(super) fn source(program: &Program, loc: Option<LocId>) -> Option<String> {
    loc.filter(|&loc| program.locs[loc].line > 0).map(|loc| program.describe_loc(loc))
}

/// `file.c:12`, or `main b3:1` where there is no source line.
pub(super) fn place(program: &Program, point: ProgramPoint) -> String {
    icsched_epochs::graph::place(program, &CallStack(vec![point]))
}

/// A quoted DOT string; each newline becomes a line break of the label.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
