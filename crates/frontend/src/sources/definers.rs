//! Which file of a build defines a function that has no bitcode.

use std::collections::{BTreeMap, BTreeSet};

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSymbol as _};

use super::part::Sources;

/// By name of a function: the object, archive or executable that defines it. What cannot be read defines nothing.
pub fn definers(sources: &Sources, names: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for file in &sources.files {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let path = file.display().to_string();
        if bytes.starts_with(b"!<arch>\n") {
            let Ok(archive) = ArchiveFile::parse(&*bytes) else { continue };
            for member in archive.members().flatten() {
                let name = format!("{path}({})", String::from_utf8_lossy(member.name()));
                if let Ok(data) = member.data(&*bytes) {
                    of_object(&name, data, names, &mut found);
                }
            }
        } else {
            of_object(&path, &bytes, names, &mut found);
        }
    }
    found
}

fn of_object(path: &str, bytes: &[u8], names: &BTreeSet<&str>, found: &mut BTreeMap<String, String>) {
    let Ok(object) = object::File::parse(bytes) else { return };
    let defined = object.symbols().filter(|symbol| symbol.is_definition());
    for name in defined.filter_map(|symbol| symbol.name().ok().filter(|name| names.contains(name)).map(str::to_owned)) {
        found.entry(name).or_insert_with(|| path.to_owned());
    }
}
