//! Loaded programs in a directory, so that nobody reads, links and lowers a file twice.
//!
//! An entry is what a [loading child](crate::contain) answers, behind the digest of it. Its name is the digest of what
//! the answer depends on: the file's path and bytes, the options, and the build of icsched, since its models and this
//! crate have no version of their own. So an entry is never out of date; what is damaged, or cannot be written, is no
//! entry. Nothing is ever removed.

use std::fs::DirBuilder;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use icsched_ir::Program;
use tempfile::NamedTempFile;

use crate::contain::{answer_by, decode, this_executable};
use crate::error::LoadError;
use crate::load::read;
use crate::{LoadLimits, LoadOptions};

/// Where loaded programs are kept, and by whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadCache {
    /// The directory. It is made if there is none, for its user alone.
    pub directory: PathBuf,
    /// A name for the build of icsched. With an empty one nothing is kept.
    pub made_by: String,
}

/// [`load_contained`](crate::load_contained), or what it was when it was called so before with this cache.
///
/// # Errors
/// As without the cache; and that its directory cannot be made.
pub fn load_cached(
    cache: &LoadCache,
    path: &Path,
    options: &LoadOptions,
    limits: &LoadLimits<'_>,
) -> Result<Program, LoadError> {
    let (name, bytes, _) = read(path)?;
    let name = options.name.clone().unwrap_or(name);
    let LoadCache { directory, made_by } = cache;
    DirBuilder::new().recursive(true).mode(PRIVATE).create(directory).map_err(|error| LoadError::Unreadable {
        path: directory.display().to_string(),
        reason: format!("no programs can be kept there: {error}"),
    })?;
    if made_by.is_empty() {
        return crate::load_contained(path, options, limits);
    }
    let entry = directory.join(key(made_by, &name, &bytes, options));
    if let Some(program) = stored(&entry).and_then(|answer| decode(&name, &answer).ok()) {
        return Ok(program);
    }
    let answer = answer_by(this_executable().as_deref(), path, options, limits)?;
    let program = decode(&name, &answer)?;
    // The child has read the file by itself: it may have been another one by then.
    if read(path).is_ok_and(|(_, now, _)| now == bytes) {
        // If that fails it is as if there were no directory.
        let _ = store(directory, &entry, &answer);
    }
    Ok(program)
}

/// Mode of a directory for one user alone.
const PRIVATE: u32 = 0o700;

/// Makes an entry. Another run may read it at any time, so that it must be whole when it has its name.
fn store(directory: &Path, entry: &Path, answer: &[u8]) -> std::io::Result<()> {
    let mut unnamed = NamedTempFile::new_in(directory)?;
    unnamed.write_all(blake3::hash(answer).as_bytes())?;
    unnamed.write_all(answer)?;
    unnamed.persist(entry)?;
    Ok(())
}

/// The answer that an entry holds, unless it is damaged.
fn stored(entry: &Path) -> Option<Vec<u8>> {
    let whole = std::fs::read(entry).ok()?;
    let (digest, answer) = whole.split_at_checked(blake3::OUT_LEN)?;
    (blake3::hash(answer).as_bytes() == digest).then(|| answer.to_vec())
}

/// The name of an entry.
fn key(made_by: &str, name: &str, bytes: &[u8], options: &LoadOptions) -> String {
    let mut hasher = blake3::Hasher::new();
    let said = format!("{} {made_by} {options:?} {} {name}", made_by.len(), name.len());
    hasher.update(said.as_bytes()).update(bytes);
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn an_entry_is_of_one_file_under_one_name_with_one_set_of_options_and_one_build() {
        let options = LoadOptions::default();
        let of = |name: &str, bytes: &[u8], options: &LoadOptions| key("build", name, bytes, options);
        assert_eq!(of("a.bc", b"1", &options), of("a.bc", b"1", &options));
        assert_ne!(of("a.bc", b"1", &options), of("a.bc", b"2", &options));
        assert_ne!(of("a.bc", b"1", &options), of("a.b", b"c1", &options));
        let others = LoadOptions { library_locks: true, ..LoadOptions::default() };
        assert_ne!(of("a.bc", b"1", &options), of("a.bc", b"1", &others));
        assert_ne!(of("a.bc", b"1", &options), key("other", "a.bc", b"1", &options));
    }

    #[test]
    fn an_entry_is_whole_and_for_its_user_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let entry = directory.path().join("entry");
        for answer in [b"an answer".as_slice(), b"", b"another one"] {
            store(directory.path(), &entry, answer).expect("writable");
            assert_eq!(stored(&entry).as_deref(), Some(answer));
        }
        let mode = std::fs::metadata(&entry).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
        assert_eq!(std::fs::read_dir(directory.path()).expect("it is there").count(), 1);
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
