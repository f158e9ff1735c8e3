//! What all parts of the text share: how much to show, and how a line is written.

use crate::paint::Painter;

/// How much to show, and how.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct TextOptions {
    /// Draw every schedule with all its nodes.
    pub full: bool,
    /// Whether to use colours.
    pub painter: Painter,
}

/// Writing to a string does not fail; this says so in one place.
macro_rules! line {
    ($out:expr) => { $out.push('\n') };
    ($out:expr, $($arg:tt)*) => { writeln!($out, $($arg)*).expect("writing to a string does not fail") };
}
pub(super) use line;
