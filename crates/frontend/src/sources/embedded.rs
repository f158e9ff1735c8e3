//! Bitcode inside of objects, archives, and executables.

use std::path::PathBuf;

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _};

use super::error::NoBitcode;
use super::part::Part;
use super::{hide, split};

/// Where compilers leave bitcode: `-fembed-bitcode`, `-ffat-lto-objects`, `icsched cc`.
const SECTIONS: [&str; 3] = [".llvmbc", ".llvm.lto", hide::SECTION];

/// Where `wllvm` leaves the paths of files that have it, each on a line.
const PATHS: &str = ".llvm_bc";

/// Whether a file is one of these, by its first bytes.
pub(super) fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"!<arch>\n")
}

/// The bitcode that is inside.
pub(super) fn parts(path: &str, bytes: &[u8]) -> Result<Vec<Part>, NoBitcode> {
    let none = |detail: String| NoBitcode { path: path.to_owned(), detail, is_damaged: false };
    if bytes.starts_with(b"\x7fELF") {
        let found = of_object(path, bytes)?;
        let what = crate::sniff::describe(bytes);
        return if found.is_empty() { Err(none(format!("is {what} without bitcode inside"))) } else { Ok(found) };
    }
    let damaged = |error: object::Error| NoBitcode {
        path: path.to_owned(),
        detail: format!("the archive is damaged: {error}"),
        is_damaged: true,
    };
    let mut found = Vec::new();
    for member in ArchiveFile::parse(bytes).map_err(damaged)?.members() {
        let member = member.map_err(damaged)?;
        let name = format!("{path}({})", String::from_utf8_lossy(member.name()));
        let data = member.data(bytes).map_err(damaged)?;
        if data.starts_with(b"\x7fELF") {
            found.extend(of_object(&name, data)?);
        } else if data.starts_with(b"BC\xC0\xDE") {
            found.push(Part { name, bytes: data.to_vec() });
        }
    }
    if found.is_empty() { Err(none("is a static library without bitcode inside".to_owned())) } else { Ok(found) }
}

fn of_object(path: &str, bytes: &[u8]) -> Result<Vec<Part>, NoBitcode> {
    let damaged = |detail: String| NoBitcode { path: path.to_owned(), detail, is_damaged: true };
    let object = object::File::parse(bytes).map_err(|error| damaged(format!("the object is damaged: {error}")))?;
    let mut found = Vec::new();
    for section in object.sections() {
        let name = section.name().unwrap_or_default();
        let data = section.data().unwrap_or_default();
        if SECTIONS.contains(&name) {
            // A linker may have put several into one section; each is told by its place there.
            found.extend(split::modules(data).into_iter().map(<[u8]>::to_vec));
        } else if name == PATHS {
            for file in String::from_utf8_lossy(data).split(['\n', '\0']).filter(|file| !file.is_empty()) {
                let read = std::fs::read(PathBuf::from(file));
                found.push(read.map_err(|error| damaged(format!("its bitcode {file} cannot be read: {error}")))?);
            }
        }
    }
    let count = found.len();
    let name = |at: usize| if count == 1 { path.to_owned() } else { format!("{path} (module {})", at + 1) };
    Ok(found.into_iter().enumerate().map(|(at, bytes)| Part { name: name(at), bytes }).collect())
}
