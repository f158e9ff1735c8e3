//! The models against glibc, natively: each model under the prefix `m_`, over operations of the engine that run on the
//! host (`runtime-models/tests/engine.c`), compared on generated cases with the function it is the model of.

use crate::build;

fn check(name: &str) {
    let objects = build::Objects::shared();
    let output = objects.run_check(name);
    assert!(output.status.success(), "{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
}

#[test]
fn formatted_output() {
    check("check_format");
}

#[test]
fn numbers_from_text() {
    check("check_numbers");
}

#[test]
fn strings_sorting_random_calendar() {
    check("check_strings");
}

#[test]
fn long_double() {
    check("check_long_double");
}

#[test]
fn streams() {
    check("check_streams");
}

#[test]
fn files() {
    check("check_files");
}

#[test]
fn regular_expressions() {
    check("check_regex");
}

#[test]
fn threads() {
    check("check_threads");
}

#[test]
fn sockets() {
    check("check_sockets");
}
