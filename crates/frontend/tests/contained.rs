//! Loading in a child process: errors for every kind of bad file, and never the end of the caller.
//!
//! This test has a `main` of its own, because the children are this executable started again.

mod common;

use std::path::Path;

use icsched_frontend::{
    LoadCache, LoadError, LoadLimits, LoadOptions, child_main_if_requested, load, load_cached, load_contained,
};

fn main() {
    child_main_if_requested();
    let tests: [(&str, fn()); 5] = [
        ("same_program_as_in_process", same_program_as_in_process),
        ("kept_programs_are_loaded_once", kept_programs_are_loaded_once),
        ("every_kind_of_bad_file", every_kind_of_bad_file),
        ("truncation_at_every_length", truncation_at_every_length),
        ("flipped_bits", flipped_bits),
    ];
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    for (name, test) in tests {
        if filter.as_deref().is_none_or(|filter| name.contains(filter)) {
            test();
        }
    }
}

const SOURCE: &str = "#include <stdlib.h>\nstruct s { int a; double b; } x[3]; static int f(struct s *p, int i) { return p[i].a; }\n\
                      int main(int c, char **v) { switch (c) { case 1: return f(x, 2); case 5: return atoi(v[1]); } return 0; }";

fn options() -> LoadOptions {
    LoadOptions { link_models: false, ..LoadOptions::default() }
}

fn same_program_as_in_process() {
    let compiled = common::compile(SOURCE, &["-g", "-O1"]);
    for options in [options(), LoadOptions::default()] {
        let here = load(&compiled.path, &options).expect("a good program");
        let there = load_contained(&compiled.path, &options, &LoadLimits::default()).expect("a good program");
        assert_eq!(here, there);
    }
}

fn kept_programs_are_loaded_once() {
    let (compiled, kept) = (common::compile(SOURCE, &["-g", "-O1"]), tempfile::tempdir().expect("a directory"));
    let directory = kept.path().join("made").join("when needed");
    let by = |made_by: &str| LoadCache { directory: directory.clone(), made_by: made_by.to_owned() };
    let (cache, other) = (by("a build"), by("another build"));
    let load = |path: &Path, options| load_cached(&cache, path, &options, &LoadLimits::default());
    let entries = || {
        let found = std::fs::read_dir(&directory).expect("it was made");
        found.map(|entry| entry.expect("readable").path()).collect::<std::collections::BTreeSet<_>>()
    };
    let first = load(&compiled.path, options()).expect("a good program");
    let of_first = entries().pop_first().expect("an entry");
    let whole = std::fs::read(&of_first).expect("readable");
    assert_eq!(load(&compiled.path, options()).expect("a good program"), first);
    let with_models = load(&compiled.path, LoadOptions::default()).expect("a good program");
    let of_models = entries().into_iter().find(|entry| *entry != of_first).expect("another entry");
    assert!(with_models != first && entries().len() == 2);
    // What is there is taken, but not if it is damaged.
    std::fs::write(&of_models, &whole).expect("writable");
    assert_eq!(load(&compiled.path, LoadOptions::default()).expect("a good program"), first);
    std::fs::write(&of_models, &whole[..whole.len() - 1]).expect("writable");
    assert_eq!(load(&compiled.path, LoadOptions::default()).expect("a good program"), with_models);
    // Whoever does not know what build it is keeps nothing, and another build takes nothing.
    for (cache, more) in [(by(""), 0), (other, 1)] {
        let program = load_cached(&cache, &compiled.path, &options(), &LoadLimits::default());
        assert_eq!((program.expect("a good program"), entries().len()), (first.clone(), 2 + more));
    }
    // Another file under that name is another program; errors are not kept.
    std::fs::write(&compiled.path, b"").expect("writable");
    assert!(matches!(load(&compiled.path, options()), Err(LoadError::Empty { .. })));
    assert_eq!(entries().len(), 3);
}

fn every_kind_of_bad_file() {
    let directory = tempfile::TempDir::new().expect("a temporary directory can be made");
    let error = |path: &Path| load_contained(path, &options(), &LoadLimits::default()).expect_err("a bad file");
    assert!(matches!(error(&directory.path().join("missing.bc")), LoadError::NotFound { .. }));
    assert!(matches!(error(directory.path()), LoadError::IsDirectory { .. }));
    let file = directory.path().join("f");
    let with = |bytes: &[u8]| {
        std::fs::write(&file, bytes).expect("writable");
        error(&file)
    };
    assert!(matches!(with(b""), LoadError::Empty { .. }));
    assert!(matches!(with(b"hello, world\n"), LoadError::NotBitcode { .. }));
    assert!(matches!(with(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0"), LoadError::NotBitcode { .. }));
    assert!(matches!(with(b"BC\xC0\xDE and then something else"), LoadError::Corrupt { .. }));
    assert!(matches!(with(b"define i32 @main() {\n  ret i64 0\n}\n"), LoadError::BadAssembly { .. }));
    assert!(matches!(with(b"define i32 @other() {\n  ret i32 0\n}\n"), LoadError::NoMain { .. }));
    for text in [with(b"BC\xC0\xDE"), with(b"hello")].map(|error| error.to_string()) {
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

/// Writes `bytes` and loads them; anything but a panic of our own or the end of this process will do.
fn survives(path: &Path, bytes: &[u8], what: &str) -> bool {
    std::fs::write(path, bytes).expect("writable");
    match load_contained(path, &options(), &LoadLimits::default()) {
        Ok(program) => {
            assert!(icsched_ir::verify(&program).is_ok(), "{what}: an ill-formed program was accepted");
            true
        }
        Err(LoadError::Internal { detail, .. }) => panic!("{what}: {detail}"),
        Err(_) => false,
    }
}

fn truncation_at_every_length() {
    let compiled = common::compile("int main(void) { return 0; }", &["-O1"]);
    let bytes = std::fs::read(&compiled.path).expect("clang wrote it");
    // Lengths that are no multiple of four are all refused for that reason; a few stand for them.
    for length in (0..bytes.len()).filter(|length| length % 4 == 0 || length % 64 == 1) {
        survives(&compiled.path, &bytes[..length], &format!("{length} bytes"));
    }
}

fn flipped_bits() {
    let compiled = common::compile(SOURCE, &["-g", "-O0"]);
    let bytes = std::fs::read(&compiled.path).expect("clang wrote it");
    let mut accepted = 0;
    for trial in 0..300_usize {
        // A fixed sequence that is spread over the whole file.
        let bit = trial.wrapping_mul(0x9E37_79B9) % (bytes.len() * 8);
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        accepted += usize::from(survives(&compiled.path, &damaged, &format!("bit {bit}")));
    }
    // Some bits do not matter (names, for one), most do.
    assert!(accepted > 0 && accepted < 300, "{accepted} of 300 accepted");
}
