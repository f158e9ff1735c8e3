//! What verification suites call: the functions of SV-COMP, KLEE, ESBMC and CBMC. The columns are explained in the
//! crate's root. Functions whose names begin with `__VERIFIER_nondet_` or `nondet_` have no rows: the frontend knows
//! them by their prefix.

use crate::row::{Row, model};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // --- harness.c
    model("__VERIFIER_assume", "harness", "-"),
    model("__ESBMC_assume", "harness", "-"),
    model("__CPROVER_assume", "harness", "-"),
    model("__VERIFIER_assert", "harness", "-"),
    model("__ESBMC_assert", "harness", "-d"),
    model("__CPROVER_assert", "harness", "-d"),
    model("assert", "harness", "-"),
    model("__VERIFIER_error", "harness", "").no_return(),
    model("reach_error", "harness", "").no_return(),
    model("__VERIFIER_nondet_memory", "harness", "w-"),
    model("__ESBMC_yield", "harness", ""),
    // --- atomic_section.c
    model("__VERIFIER_atomic_begin", "atomic_section", "").synchronises(),
    model("__VERIFIER_atomic_end", "atomic_section", "").synchronises(),
    model("__ESBMC_atomic_begin", "atomic_section", "").synchronises(),
    model("__ESBMC_atomic_end", "atomic_section", "").synchronises(),
    model("__CPROVER_atomic_begin", "atomic_section", "").synchronises(),
    model("__CPROVER_atomic_end", "atomic_section", "").synchronises(),
    // --- klee.c
    model("klee_make_symbolic", "klee", "w-d"),
    model("klee_range", "klee", "--d"),
    model("klee_int", "klee", "d"),
    model("klee_choose", "klee", "-"),
    model("klee_assume", "klee", "-"),
    model("klee_is_symbolic", "klee", "-"),
    model("klee_report_error", "klee", "d-dd").no_return(),
    model("klee_silent_exit", "klee", "-").no_return(),
    model("klee_abort", "klee", "").no_return(),
    model("klee_prefer_cex", "klee", "--"),
    model("klee_posix_prefer_cex", "klee", "--"),
    model("klee_warning", "klee", "-"),
    model("klee_warning_once", "klee", "-"),
    model("klee_print_expr", "klee", "-:"),
    model("klee_print_range", "klee", "--"),
    model("klee_mark_global", "klee", "-"),
    model("klee_set_forking", "klee", "-"),
    model("klee_open_merge", "klee", ""),
    model("klee_close_merge", "klee", ""),
    model("klee_stack_trace", "klee", ""),
];
