//! What ends a command early, and who tells of it: signals, limits, and a process that waits.
//!
//! A command that may take long is [divided](parent::divide): the child does the work, and the parent waits for it.
//! Whatever ends the child - the kernel, for want of memory; a library that aborts; a limit at which it does not stop -
//! the parent tells what is known by then. The child tells the parent where it is, a line of text for each
//! [`News`](news::News). [Signals](signals) are for the parent, which hands the first one on. Where there is no room
//! for a second process, everything is done by one.

pub(crate) mod limits;
pub(crate) mod news;
pub(crate) mod parent;
pub(crate) mod reserve;
mod signals;
pub(crate) mod tell;
