//! Loaded programs in a directory, so that nobody reads, links and lowers a file twice.
//!
//! An entry is what a [loading child](crate::contain) answers, behind the digest of it. Its name is the digest of what the answer depends on:
//! the file's path and bytes, the options, and this executable (its size and when it was made, as what it holds of models and of this crate
//! has no version of its own). So an entry is never out of date; what is damaged, or cannot be written, is no entry.

use std::path::Path;
use std::time::UNIX_EPOCH;

use icsched_ir::Program;

use crate::contain::{answer_by, decode, this_executable};
use crate::error::LoadError;
use crate::load::read;
use crate::{LoadLimits, LoadOptions};

/// [`load_contained`](crate::load_contained), or what it was when it was called so before with this directory, which is made if there is none.
///
/// # Errors
/// As without the directory; and that it cannot be made.
pub fn load_cached(
    directory: &Path,
    path: &Path,
    options: &LoadOptions,
    limits: &LoadLimits<'_>,
) -> Result<Program, LoadError> {
    let (name, bytes, _) = read(path)?;
    std::fs::create_dir_all(directory).map_err(|error| LoadError::Unreadable {
        path: directory.display().to_string(),
        reason: format!("no programs can be kept there: {error}"),
    })?;
    let Some(key) = key(&name, &bytes, options) else { return crate::load_contained(path, options, limits) };
    let entry = directory.join(key);
    if let Some(program) = stored(&entry).and_then(|answer| decode(&name, &answer).ok()) {
        return Ok(program);
    }
    let answer = answer_by(this_executable().as_deref(), path, options, limits)?;
    let program = decode(&name, &answer)?;
    // Another run may read it at any time, so that it must be whole when it has its name.
    let unnamed = entry.with_extension(std::process::id().to_string());
    let digest = blake3::hash(&answer);
    let whole = [digest.as_bytes().as_slice(), &answer].concat();
    if std::fs::write(&unnamed, whole).and_then(|()| std::fs::rename(&unnamed, &entry)).is_err() {
        // It is as if there were no directory.
        let _ = std::fs::remove_file(&unnamed);
    }
    Ok(program)
}

/// The answer that an entry holds, unless it is damaged.
fn stored(entry: &Path) -> Option<Vec<u8>> {
    let whole = std::fs::read(entry).ok()?;
    let (digest, answer) = whole.split_at_checked(blake3::OUT_LEN)?;
    (blake3::hash(answer).as_bytes() == digest).then(|| answer.to_vec())
}

/// The name of an entry; `None` if nothing is known of this executable.
fn key(name: &str, bytes: &[u8], options: &LoadOptions) -> Option<String> {
    let executable = this_executable().and_then(std::fs::metadata).ok()?;
    let made = executable.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut hasher = blake3::Hasher::new();
    let said = format!("{} {} {options:?} {} {name}", executable.len(), made.as_nanos(), name.len());
    hasher.update(said.as_bytes()).update(bytes);
    Some(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_of_one_file_under_one_name_with_one_set_of_options() {
        let options = LoadOptions::default();
        let of =
            |name: &str, bytes: &[u8], options: &LoadOptions| key(name, bytes, options).expect("this test is a file");
        assert_eq!(of("a.bc", b"1", &options), of("a.bc", b"1", &options));
        assert_ne!(of("a.bc", b"1", &options), of("a.bc", b"2", &options));
        assert_ne!(of("a.bc", b"1", &options), of("a.b", b"c1", &options));
        let others = LoadOptions { library_locks: true, ..LoadOptions::default() };
        assert_ne!(of("a.bc", b"1", &options), of("a.bc", b"1", &others));
    }

    #[test]
    fn what_is_damaged_is_no_entry() {
        let directory = tempfile::tempdir().expect("a directory");
        let entry = directory.path().join("entry");
        let answer = b"an answer".as_slice();
        let digest = blake3::hash(answer);
        let whole = [digest.as_bytes().as_slice(), answer].concat();
        std::fs::write(&entry, &whole).expect("writable");
        assert_eq!(stored(&entry).as_deref(), Some(answer));
        for damaged in [&whole[..whole.len() - 1], &whole[1..], b"short".as_slice(), b""] {
            std::fs::write(&entry, damaged).expect("writable");
            assert_eq!(stored(&entry), None);
        }
        assert_eq!(stored(&directory.path().join("missing")), None);
    }
}
