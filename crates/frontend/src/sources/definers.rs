//! Which file of a build defines a function that has no bitcode.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, FileHeader64};
use object::read::archive::ArchiveFile;
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _};

use super::part::Sources;

/// The file that defines a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definer {
    /// The object, archive, executable or shared library.
    pub file: String,
    /// Whether nobody named it: an executable needs this shared library.
    pub is_needed: bool,
}

/// By name of a function: the file that defines it. What cannot be read defines nothing.
pub fn definers(sources: &Sources, names: &BTreeSet<&str>) -> BTreeMap<String, Definer> {
    let mut found = BTreeMap::new();
    for file in &sources.files {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let path = file.display().to_string();
        if bytes.starts_with(b"!<arch>\n") {
            let Ok(archive) = ArchiveFile::parse(&*bytes) else { continue };
            for member in archive.members().flatten() {
                let name = format!("{path}({})", String::from_utf8_lossy(member.name()));
                if let Ok(data) = member.data(&*bytes) {
                    of_object(&Definer { file: name, is_needed: false }, data, names, &mut found);
                }
            }
        } else {
            of_object(&Definer { file: path, is_needed: false }, &bytes, names, &mut found);
            for library in needed(file, &bytes).unwrap_or_default() {
                let Ok(bytes) = std::fs::read(&library) else { continue };
                let definer = Definer { file: library.display().to_string(), is_needed: true };
                of_object(&definer, &bytes, names, &mut found);
            }
        }
    }
    found
}

fn of_object(definer: &Definer, data: &[u8], names: &BTreeSet<&str>, found: &mut BTreeMap<String, Definer>) {
    let Ok(object) = object::File::parse(data) else { return };
    let defined = object.symbols().chain(object.dynamic_symbols()).filter(|symbol| symbol.is_definition());
    for name in defined.filter_map(|symbol| symbol.name().ok().filter(|name| names.contains(name)).map(str::to_owned)) {
        found.entry(name).or_insert_with(|| definer.clone());
    }
}

/// The shared libraries of a build that an executable needs: beside it, or where it says that they are.
fn needed(path: &Path, bytes: &[u8]) -> object::Result<Vec<PathBuf>> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let Some((entries, strings)) = sections.dynamic(endian, bytes)? else { return Ok(Vec::new()) };
    let strings = sections.strings(endian, bytes, strings)?;
    let beside = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let (mut names, mut directories) = (Vec::new(), vec![beside.clone()]);
    for entry in entries {
        let Some(tag @ (DT_NEEDED | DT_RPATH | DT_RUNPATH)) = entry.tag32(endian) else { continue };
        let text = String::from_utf8_lossy(entry.string(endian, strings)?).into_owned();
        if tag == DT_NEEDED {
            names.push(text);
        } else {
            let all = text.split(':').filter(|directory| !directory.is_empty());
            directories.extend(all.map(|d| PathBuf::from(d.replace("$ORIGIN", &beside.display().to_string()))));
        }
    }
    let find = |name: &String| directories.iter().map(|d| d.join(name)).find(|file| file.is_file());
    Ok(names.iter().filter_map(find).collect())
}
