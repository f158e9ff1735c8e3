//! An icsched that is broken: a comparison with it does not pass.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;
use xtask::native::run_words;

fn planted(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted").join(name)
}

/// A script cannot be started while another test's new process still has it open for writing.
fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A shell script in place of `icsched enumerate`: writes what it is to write, and ends with this status.
fn icsched(place: &TempDir, result: Option<&Path>, status: u8) -> PathBuf {
    let copy = result.map(|file| format!("cp '{}' \"$file\"", file.display())).unwrap_or_default();
    let script = format!(
        "#!/bin/sh\nfor word; do\n[ \"$last\" = --json ] && file=$word\nlast=$word\ndone\n{copy}\nexit {status}\n"
    );
    let file = place.path().join("icsched");
    fs::write(&file, script).expect("the directory is ours");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    file
}

/// Exit status of a comparison of `office.c` with such an icsched, and what is printed.
fn compared(result: Option<&Path>, status: u8) -> (u8, String) {
    let _alone = alone();
    let place = TempDir::new().expect("a directory");
    let icsched = icsched(&place, result, status);
    let (icsched, source) = (icsched.to_str().expect("a text"), planted("office.c"));
    let words = ["--compare", "--icsched", icsched, source.to_str().expect("a text"), "--", "@"];
    run_words(&words).expect("the program is compared")
}

#[test]
fn a_right_result_passes() {
    for status in [0, 1, 3] {
        let (found, said) = compared(Some(&planted("office.json")), status);
        assert_eq!(found, 0, "{said}");
        assert!(said.contains(" followed, 0 wrong"), "{said}");
    }
}

#[test]
fn whoever_has_no_result_does_not_pass() {
    for (result, status) in [(None, 0), (None, 1), (Some(planted("office.json")), 4), (Some(planted("office.c")), 0)] {
        let (found, said) = compared(result.as_deref(), status);
        assert_eq!((found, said.contains(": no result")), (1, true), "status {status}: {said}");
    }
}

/// A result with nothing in it leaves nothing to compare.
#[test]
fn a_result_that_no_run_follows_does_not_pass() {
    let place = TempDir::new().expect("a directory");
    for complete in [true, false] {
        let result = place.path().join("empty.json");
        fs::write(&result, format!("{{\"complete\": {complete}, \"epochs\": []}}")).expect("the directory is ours");
        let (found, said) = compared(Some(&result), 3);
        assert_eq!((found, said.contains("no run follows a schedule")), (1, true), "{said}");
    }
}

#[test]
fn random_programs_without_a_result_do_not_pass() {
    let _alone = alone();
    let place = TempDir::new().expect("a directory");
    let icsched = icsched(&place, None, 0);
    let (status, said) =
        run_words(&["--fuzz", "0..2", "--icsched", icsched.to_str().expect("a text")]).expect("they are compared");
    assert_eq!((status, said.contains("2 without a result")), (1, true), "{said}");
}
