//! Inputs: values that come from outside, and values that nobody knows.

use icsched_ir::CallStack;

use crate::folding::FoldChoice;
use crate::values::{MemoryByte, Values};

/// An input that the machine reads.
#[derive(Copy, Clone, Debug)]
pub enum Read<'a, V> {
    /// By its name.
    Name(&'a str),
    /// By its value.
    Value(&'a V),
}

/// Makes the values of inputs, and tells which values nobody knows.
pub trait Inputs: Values {
    /// Whether something is so that nobody knows, of this name: the same on all paths.
    fn choice(&mut self, _choice: FoldChoice, _name: &str) -> Option<Self::Value> {
        None
    }
    /// Whether nobody knows a value that is no constant; else it is made of inputs.
    fn is_unknown(&self, _value: &Self::Value) -> bool {
        true
    }
    /// A value of which nobody knows what it is because of an error ([`MemoryErrors::Continue`]); of one name, the same
    /// one.
    ///
    /// [`MemoryErrors::Continue`]: crate::stop::MemoryErrors::Continue
    fn indeterminate(&mut self, _name: &str, _bits: u32) -> Self::Value {
        Self::constant(0)
    }
    /// Whether a value is computed from an [indeterminate](Self::indeterminate) one.
    fn is_of_indeterminate(&self, _value: &Self::Value) -> bool {
        false
    }
    /// A new input value of `bits` bits (`__ics_input`, D5). The name is made unique per path by the caller.
    fn input(&mut self, name: &str, bits: u32) -> Self::Value;
    /// The value of a pure function of a string (`__ics_input_of_string`): the same one for the same function and
    /// bytes. `bytes` goes up to and includes the first constant NUL.
    fn input_of_string(&mut self, function: &str, bytes: &[MemoryByte<Self::Byte>], bits: u32) -> Self::Value;
    /// An input was read by a call of the program; `stack` is where the thread is.
    fn was_read(&mut self, _read: Read<'_, Self::Value>, _stack: impl FnOnce() -> CallStack) {}
    /// Byte `index` of a named input array (an argument, a file): `name[index]`.
    fn input_byte(&mut self, name: &str, index: u64) -> MemoryByte<Self::Byte>;
}
