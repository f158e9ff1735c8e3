//! Gives the section with bitcode a name that only we know.
//!
//! `-fembed-bitcode` leaves it in `.llvmbc`. The linker's tools (`nm`, `ar`) hand a file with such a section to LLVM's
//! plugin, if one is installed, and a plugin of an older LLVM then says that it has no symbols. An archive of such
//! objects has no index, and nothing can be linked with it.

use std::io;
use std::path::Path;

use object::{Object as _, ObjectSection as _};

/// What compilers call it.
const KNOWN: &[u8] = b".llvmbc\0";

/// What it is called then; as long, since it is written over the other one.
const HIDDEN: &[u8] = b".icsbit\0";

/// The section's name in a file where it is hidden.
pub(super) const SECTION: &str = ".icsbit";

/// Renames the section with bitcode of an object or an executable. A file without one stays as it is.
///
/// # Errors
/// If the file cannot be read or written.
pub fn hide_bitcode(path: &Path) -> io::Result<()> {
    let mut bytes = std::fs::read(path)?;
    let Some(at) = place_of_name(&bytes) else { return Ok(()) };
    bytes[at..at + HIDDEN.len()].copy_from_slice(HIDDEN);
    // In place: an executable keeps its permissions.
    std::fs::write(path, bytes)
}

/// Where the name of the section is in the file.
fn place_of_name(bytes: &[u8]) -> Option<usize> {
    let object = object::File::parse(bytes).ok()?;
    object.sections().find(|section| section.name_bytes().is_ok_and(|name| name == &KNOWN[..KNOWN.len() - 1]))?;
    let names = object.section_by_name(".shstrtab").or_else(|| object.section_by_name(".strtab"))?;
    let (start, size) = names.file_range()?;
    let (start, size) = (usize::try_from(start).ok()?, usize::try_from(size).ok()?);
    let table = bytes.get(start..start.checked_add(size)?)?;
    // The whole name, and not the end of another one: that of `.rela.llvmbc` would be a section of its own.
    let is_whole = |at: &usize| *at == 0 || table[*at - 1] == 0;
    let at =
        table.windows(KNOWN.len()).enumerate().filter(|(_, name)| *name == KNOWN).map(|(at, _)| at).find(is_whole)?;
    Some(start + at)
}
