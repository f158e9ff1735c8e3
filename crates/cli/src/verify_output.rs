//! What `icsched verify` says.

use std::collections::BTreeSet;

use icsched_driver::verify::{Cover, EpochCheck, Verification, Verified};
use serde_json::json;

use crate::args::VerifyArgs;

/// Name and version of the document.
const SCHEMA: &str = "icsched/verify/1";

/// For programs.
pub(crate) fn json(args: &VerifyArgs, verified: &Verified) -> String {
    let Verification { faults, reasons, epochs } = &verified.result;
    let document = json!({
        "schema": SCHEMA,
        "program": args.program.display().to_string(),
        "database": args.database.display().to_string(),
        "verified": verified.result.is_verified(),
        "complete": verified.result.is_complete(),
        "faults": faults,
        "reasons": reasons,
        "totals": totals(epochs),
        "epochs": epochs,
        "statistics": { "seconds": (verified.seconds * 1e6).round() / 1e6 },
    });
    serde_json::to_string_pretty(&document).expect("plain data has a JSON form") + "\n"
}

fn totals(epochs: &[EpochCheck]) -> serde_json::Value {
    let sum = |of: fn(&EpochCheck) -> usize| epochs.iter().map(of).sum::<usize>();
    json!({
        "epochs": epochs.len(),
        "covered": epochs.iter().filter(|e| e.cover == Cover::Proved).count(),
        "schedules": sum(|e| e.schedules),
        "schedules_proved": sum(|e| e.proved),
        "schedules_replayed": sum(|e| e.replayed),
        "infeasible": sum(|e| e.infeasible.len()),
        "overlapping": sum(|e| e.overlapping),
        "paths": epochs.iter().map(|e| e.paths).sum::<u64>(),
    })
}

/// For people.
pub(crate) fn text(args: &VerifyArgs, verified: &Verified) -> String {
    let Verification { faults, reasons, epochs } = &verified.result;
    let sum = |of: fn(&EpochCheck) -> usize| epochs.iter().map(of).sum::<usize>();
    let covered = epochs.iter().filter(|e| e.cover == Cover::Proved).count();
    let (schedules, proved) = (sum(|e| e.schedules), sum(|e| e.proved));
    let verdict = match () {
        () if !faults.is_empty() => "wrong",
        () if reasons.is_empty() => "verified",
        () => "nothing wrong was found, but not everything is verified",
    };
    let mut text = format!("{}: {verdict}\n", args.database.display());
    text += &format!("  {covered} of {} epochs are covered by their schedules\n", epochs.len());
    text += &format!(
        "  {proved} of {schedules} schedules are what happens on every path of their inputs, the others on those that were tried\n"
    );
    text += &format!("  {} schedules were replayed in the concrete domain\n", sum(|e| e.replayed));
    let (infeasible, overlapping) = (sum(|e| e.infeasible.len()), sum(|e| e.overlapping));
    let tried: BTreeSet<_> = epochs.iter().flat_map(|e| &e.tried_facts).collect();
    if !tried.is_empty() {
        let some = tried.len();
        text += &format!("  {some} epochs begin with facts that were compared with tried paths only\n");
    }
    if infeasible > 0 {
        text += &format!("  {infeasible} schedules are for no input\n");
    }
    if overlapping > 0 {
        text += &format!("  {overlapping} pairs of schedules have inputs in common\n");
    }
    for fault in faults {
        text += &format!("\nwrong: {fault}\n");
    }
    for reason in reasons {
        let at = reason.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
        text += &format!("\nnot verified: {}{at}\n", reason.message);
    }
    text + &format!("\n{:.2} s, {} paths\n", verified.seconds, epochs.iter().map(|e| e.paths).sum::<u64>())
}
