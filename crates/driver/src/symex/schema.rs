//! The JSON Schema of the document that [`JsonWriter`](super::JsonWriter) writes.

use icsched_schedule::published_schema;
use schemars::JsonSchema;

use super::report::{Header, PathReport, SCHEMA, Summary};

/// The paths from a program context.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "the writer writes its parts")]
struct Document {
    #[serde(flatten)]
    header: Header,
    /// The paths in the order of their numbers.
    paths: Vec<PathReport>,
    #[serde(flatten)]
    summary: Summary,
}

/// The JSON Schema of the document, as text.
pub fn schema() -> String {
    published_schema::<Document>(SCHEMA)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use expect_test::expect_file;

    use super::*;
    use crate::symex::report::Sink;
    use crate::symex::{Ends, JsonWriter, Totals};

    /// Written anew with `UPDATE_EXPECT=1`.
    #[test]
    fn the_schema_is_published() {
        expect_file!["../../../../docs/schemas/symex.json"].assert_eq(&schema());
    }

    #[test]
    fn a_document_is_as_the_schema_says() {
        let header = Header::new(Path::new("prog.bc"));
        let path = PathReport {
            path: 1,
            constraint: vec!["n > 1".to_owned(), "n < 5".to_owned()],
            assumed: None,
            ends: Ends::MemoryError,
            message: Some("write behind the end".to_owned()),
            at: None,
            branches: 2,
            instructions: 31,
            trace: Vec::new(),
            state: Some(vec![("n".to_owned(), "3".to_owned())]),
            certain: true,
            witnessed: None,
        };
        let mut totals = Totals::default();
        totals.count(path.ends);
        let mut writer = JsonWriter::new(Vec::new(), PathBuf::from("result.json"));
        writer.begin(&header).expect("a vector takes everything");
        writer.path(&path).expect("a vector takes everything");
        writer.end(&header, &Summary { totals, ..Summary::default() }).expect("a vector takes everything");
        let document = serde_json::from_slice(writer.get_mut()).expect("JSON");
        let validator = jsonschema::validator_for(&serde_json::from_str(&schema()).expect("JSON")).expect("a schema");
        let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}
