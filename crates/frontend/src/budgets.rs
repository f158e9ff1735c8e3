//! The limits of this crate. What goes beyond one is reported, or becomes an instruction that is not supported.
//!
//! Each limit says what it protects, and names a test that fails where the limit is as low as can be: of this crate's
//! `tests/` folder, as `file::test`, a unit test as `module::test`, or a C test. Where no such test is known, it says
//! so.

use rustix::event::Timespec;

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Bits at the start of bitcode in which its writer is looked for.
    ///
    /// Protects time where no writer is named. Shows in `sniff::the_writer_of_bitcode_is_named`.
    pub(crate) identification_bits: usize,
    /// Lines of a text that are looked at for whether it is LLVM IR.
    ///
    /// Protects time on large files of another kind. Shows in `sniff::ir_is_recognised_by_content`.
    pub(crate) sniffed_lines: usize,
    /// Time between two looks at limits while a file is loaded.
    ///
    /// Protects time and memory limits, and speed. Changes no result. No test shows it.
    pub(crate) limits_interval: Timespec,
    /// Address space for the stack on which a file is loaded.
    ///
    /// Protects from crashes: LLVM and the lowering recurse over what is nested. Shows in
    /// `contained::same_program_as_in_process`.
    pub(crate) stack_bytes: u64,
    /// The part of the address space, one in so many, that this stack is at most.
    ///
    /// Protects the heap where address space is limited. No test shows it.
    pub(crate) stack_share: u64,
    /// Scalars of an aggregate value that is split.
    ///
    /// Protects memory: each scalar is a register. Shows in `lowering::aggregates_become_scalars`.
    pub(crate) aggregate_scalars: usize,
    /// Bits of an integer that is split into words.
    ///
    /// Protects memory: each word is a register. Shows in `c-tests/language/wide_integers.c`.
    pub(crate) integer_bits: u32,
    /// Words of a structure that is passed as a variable argument.
    ///
    /// Protects the length of the code. Shows in `c-tests/language/variable_small_structs.c`.
    pub(crate) vararg_words: u64,
    /// Operations on a way of a branch that only chooses, and that are compared one by one.
    ///
    /// Protects from executing much on a way that is not taken. Shows in
    /// `lowering::branches_that_only_choose_what_is_synchronised_on_are_none`.
    pub(crate) arm_operations: usize,
    /// Blocks within each other that are looked through for the function around them.
    ///
    /// Protects from damaged debug information, in which blocks are within themselves. No test shows it.
    pub(crate) nested_blocks: usize,
}

/// The limits that count.
pub(crate) const BUDGETS: Budgets = Budgets {
    // Files.
    identification_bits: 1024,
    sniffed_lines: 10_000,
    // The process that loads.
    limits_interval: Timespec { tv_sec: 0, tv_nsec: 10_000_000 },
    stack_bytes: 1 << 30,
    stack_share: 8,
    // Lowering.
    aggregate_scalars: 2048,
    integer_bits: 8192,
    vararg_words: 512,
    arm_operations: 8,
    nested_blocks: 1000,
};
