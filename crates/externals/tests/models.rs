//! The table and `runtime-models/` have the same functions.

use crate::build;
use std::collections::BTreeMap;

use icsched_externals::{Kind, lookup, rows};

/// Name and file of every function that the models define for programs. What starts with `ics_` is internal to them,
/// and `__ics_` are operations that the frontend calls.
fn defined() -> BTreeMap<String, String> {
    let objects = build::Objects::shared();
    let mut functions = BTreeMap::new();
    for file in objects.files() {
        for (name, kind) in objects.defined(file) {
            if matches!(kind, 'T' | 'W') && !name.starts_with("ics_") && !name.starts_with("__ics_") {
                let other = functions.insert(name.clone(), file.clone());
                assert_eq!(other, None, "{name} is also defined in {file}.c");
            }
        }
    }
    functions
}

#[test]
fn every_model_has_a_row_and_every_row_a_model() {
    let defined = defined();
    for (name, file) in &defined {
        let row = lookup(name).unwrap_or_else(|| panic!("{name} of {file}.c has no row"));
        assert!(matches!(row.kind, Kind::Model { file: of } if of == file), "{name} is in {file}.c: {:?}", row.kind);
    }
    for row in rows() {
        if let Kind::Model { file } = row.kind {
            assert_eq!(defined.get(row.name).map(String::as_str), Some(file), "{}", row.name);
        }
    }
}
