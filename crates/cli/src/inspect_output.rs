//! What `icsched inspect` says when a limit comes before its answer.

use icsched_driver::{Reason, inspect};
use serde_json::json;

use crate::args::{InspectArgs, InspectCommand, InspectFormat, MarkerFormat};

/// The name and version of the document, if it is wanted as JSON.
fn schema(what: &InspectCommand) -> Option<&'static str> {
    let of = |args: &InspectArgs| args.json || matches!(args.format, InspectFormat::Json);
    let (schema, is_json) = match what {
        InspectCommand::Ir(_) => return None,
        InspectCommand::Callgraph(args) => (inspect::schema::CALLGRAPH, of(args)),
        InspectCommand::Loops(args) => (inspect::schema::LOOPS, of(args)),
        InspectCommand::Pointsto(args) => (inspect::schema::POINTSTO, of(args)),
        InspectCommand::Modref(args) => (inspect::schema::MODREF, of(args)),
        InspectCommand::Defs(args) => (inspect::schema::DEFS, args.json),
        InspectCommand::Markers(args) => {
            (inspect::schema::MARKERS, args.json || matches!(args.format, MarkerFormat::Json))
        }
    };
    is_json.then_some(schema)
}

/// That nothing is known, in the form that was wanted.
pub(crate) fn nothing(what: &InspectCommand, reason: &Reason) -> String {
    let program = what.program().display().to_string();
    let Some(schema) = schema(what) else { return format!("{program}: incomplete: {}\n", reason.message) };
    let document = json!({ "schema": schema, "program": program, "complete": false, "reasons": [reason] });
    serde_json::to_string_pretty(&document).expect("plain data has a JSON form") + "\n"
}
