//! The program in a pre-decoded register form.

use icsched_ir::{FuncId, ProgramPoint};

/// A decoded program.
#[derive(Debug)]
pub struct Code {}

impl Code {
    /// The IR instruction that a decoded one belongs to.
    pub fn point(&self, _func: FuncId, _pc: u32) -> ProgramPoint {
        unimplemented_point()
    }
}

fn unimplemented_point() -> ProgramPoint {
    unreachable!("decoded programs cannot be made yet")
}
