//! JSON Schemas of the documents that programs read.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The JSON Schema of a document of this type and name (`icsched/check/1`), as text with a newline at the end.
///
/// It says what is written: a key that may be left out is not required, all others are.
pub fn published_schema<T: JsonSchema>(document: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), document.into());
    name_document(&mut schema, document);
    let mut schema = schema.to_value();
    describe_without_links(&mut schema);
    let schema = Schema::try_from(schema).expect("an object is a schema");
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// The key `schema` has one value.
fn name_document(schema: &mut Schema, document: &str) {
    if let Some(Value::Object(key)) = schema.pointer_mut("/properties/schema") {
        key.insert("const".to_owned(), json!(document));
        key.insert("description".to_owned(), json!("Name and version of the document."));
    }
}

/// Links between types mean nothing outside of the code.
fn describe_without_links(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(description)) = members.get_mut("description") {
                *description = without_links(description);
            }
            members.values_mut().for_each(describe_without_links);
        }
        Value::Array(items) => items.iter_mut().for_each(describe_without_links),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// ``[`Type`](crate::Type) and [that](Self::that)`` without what is not read of it: `` `Type` and that``.
fn without_links(text: &str) -> String {
    let Some((before, rest)) = text.split_once('[') else { return text.to_owned() };
    let Some((name, rest)) = rest.split_once(']') else { return text.to_owned() };
    let is_name = name.starts_with('`');
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((target, behind)) if is_name || target.contains("::") => {
            format!("{before}{name}{}", without_links(behind))
        }
        _ if is_name => format!("{before}{name}{}", without_links(rest)),
        _ => format!("{before}[{name}]{}", without_links(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_without_their_targets() {
        let text = "an [`Edge`](crate::Edge) of [that](Self::that), [`Node`] and a[i], see [b";
        assert_eq!(without_links(text), "an `Edge` of that, `Node` and a[i], see [b");
    }

    #[derive(serde::Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is wanted")]
    struct Document {
        schema: String,
        /// How many.
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        end: Option<u32>,
    }

    #[test]
    fn a_schema_says_what_is_written() {
        let schema: Value = serde_json::from_str(&published_schema::<Document>("icsched/test/1")).expect("JSON");
        assert_eq!(schema["title"], "icsched/test/1");
        assert_eq!(schema["properties"]["schema"]["const"], "icsched/test/1");
        assert_eq!(schema["properties"]["count"]["description"], "How many.");
        assert_eq!(schema["required"], json!(["schema", "end"]));
    }
}
