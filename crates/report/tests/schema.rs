//! The published JSON Schema of `icsched enumerate --json`.

use crate::common;
use expect_test::expect_file;
use icsched_report::{View, json};

/// Written anew with `UPDATE_EXPECT=1`.
#[test]
fn the_schema_is_published() {
    expect_file!["../../../docs/schemas/enumerate.json"].assert_eq(&json::schema());
}

#[test]
fn documents_are_as_the_schema_says() {
    let schema = serde_json::from_str(&json::schema()).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let results = [common::figure_3_1(3), common::deadlock(), common::incomplete(), common::early_exits()];
    for result in results {
        let document = json::value(&View::whole(&result));
        let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", result.program);
    }
    let mut wrong = json::value(&View::whole(&common::deadlock()));
    wrong["epochs"][0]["schedules"][0]["nodes"][0]["thread"] = "first".into();
    assert!(!validator.is_valid(&wrong));
}
