//! Ends of paths that are claimed of the inputs that come there.

use icsched_ir::ProgramPoint;
use icsched_machine::thread::FrameId;

/// An instruction that a thread of a path did not get past although the program goes on behind it.
#[derive(Copy, Clone, Debug)]
pub struct AbnormalEnd {
    /// Whose it is.
    pub frame: FrameId,
    /// Where it is.
    pub point: ProgramPoint,
    /// What else matters.
    pub what: EndKind,
}

/// What decides about an end, beside that control comes there.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EndKind {
    /// Nothing.
    Plain,
    /// What was freed before.
    OfFreed,
    /// The exit status.
    Exit,
    /// That the loop that begins there is never left.
    Endless,
}
