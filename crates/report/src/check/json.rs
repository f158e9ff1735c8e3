//! Findings for programs, and the JSON Schemas of the documents.
//!
//! The keys are those of the types and stable. Keys may be added; nothing may be renamed or removed without a new name
//! in `schema`.

use icsched_schedule::finding::{CHECK_SCHEMA, FINDING_SCHEMA};
use icsched_schedule::{CheckResult, FindingFile, published_schema};
use serde::Serialize;

use super::format::Format;
use super::options::Options;

/// The [`Format`].
pub struct Json;

impl Format for Json {
    fn word(&self) -> &'static str {
        "json"
    }

    fn render(&self, result: &CheckResult, _: &Options<'_>) -> String {
        render(result)
    }
}

/// A result as one JSON object over several lines, with a newline at the end.
pub fn render(result: &CheckResult) -> String {
    pretty(result)
}

/// The file of one finding, in the same way.
pub fn render_finding(file: &FindingFile) -> String {
    pretty(file)
}

/// The JSON Schema of what [`render`] gives.
pub fn schema() -> String {
    published_schema::<CheckResult>(CHECK_SCHEMA)
}

/// The JSON Schema of what [`render_finding`] gives.
pub fn finding_schema() -> String {
    published_schema::<FindingFile>(FINDING_SCHEMA)
}

fn pretty(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("plain data has a JSON form") + "\n"
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;
    use serde_json::Value;

    use super::*;
    use crate::check::sample;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    /// What is wrong with a document, by its schema.
    fn errors(schema: &str, document: &str) -> Vec<String> {
        let validator = jsonschema::validator_for(&value(schema)).expect("a schema");
        validator.iter_errors(&value(document)).map(|error| error.to_string()).collect()
    }

    /// Published schemas are written anew with `UPDATE_EXPECT=1`.
    #[test]
    fn schemas_are_published() {
        expect_file!["../../../../docs/schemas/check.json"].assert_eq(&schema());
        expect_file!["../../../../docs/schemas/finding.json"].assert_eq(&finding_schema());
    }

    #[test]
    fn documents_are_as_their_schemas_say() {
        for result in [sample::result(), sample::nothing(), sample::hostile()] {
            let text = render(&result);
            assert_eq!(errors(&schema(), &text), Vec::<String>::new());
            assert_eq!(serde_json::from_str::<CheckResult>(&text).expect("it can be read again"), result);
        }
        let text = render_finding(&sample::finding_file());
        assert_eq!(errors(&finding_schema(), &text), Vec::<String>::new());
        assert_eq!(serde_json::from_str::<FindingFile>(&text).expect("it can be read again"), sample::finding_file());
    }

    #[test]
    fn schemas_refuse_other_documents() {
        let (check, finding) = (render(&sample::result()), render_finding(&sample::finding_file()));
        assert!(!errors(&schema(), &finding).is_empty());
        assert!(!errors(&finding_schema(), &check).is_empty());
        assert!(!errors(&schema(), &check.replace("\"leaked-lock\"", "\"lost-lock\"")).is_empty());
        assert!(!errors(&schema(), &check.replace("icsched/check/1", "icsched/check/2")).is_empty());
    }

    /// The keys that the design promises, on each level.
    #[test]
    fn promised_keys_are_there() {
        let document = value(&render(&sample::result()));
        let promised = [
            ("", "schema complete reasons findings statistics"),
            (
                "/findings/0",
                "kind class verdict confirmed message at threads input near constraint epoch schedule chain trace \
                 fingerprint also_in",
            ),
            ("/findings/0/threads/1", "thread stack waits_for object holds"),
            ("/findings/0/threads/1/holds/0", "object since"),
            ("/findings/0/input", "argv env stdin files answers"),
        ];
        for (pointer, keys) in promised {
            let object = document.pointer(pointer).and_then(Value::as_object).expect("an object");
            for key in keys.split_whitespace() {
                assert!(object.contains_key(key), "no `{key}` in `{pointer}`");
            }
        }
    }
}
