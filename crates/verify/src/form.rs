//! What can be said of a database without executing anything: names fit what they name, what is named is there.

use std::collections::BTreeSet;

use icsched_schedule::{Assumption, Enumeration, EpochId, EpochKey, EpochResult, Schedule, ScheduleEnd, ScheduleId};

use crate::outcome::{Fault, FaultKind};

/// Looks for names that do not fit, epochs that are missing, and epochs that nothing leads to. O(size of the database).
pub(crate) fn check(database: &Enumeration, entry: &EpochId, of_errors: Assumption) -> Vec<Fault> {
    let mut faults = Vec::new();
    let present: BTreeSet<EpochKey> = database.epochs.iter().map(EpochResult::key).collect();
    if !present.contains(&entry.key()) {
        faults.push(fault(FaultKind::Epoch, Some(entry.key()), None, "the epoch at program entry is missing"));
    } else if database.epochs.first().is_none_or(|first| first.id != *entry) {
        faults.push(fault(
            FaultKind::Epoch,
            Some(entry.key()),
            None,
            "the epoch at program entry is not the first one",
        ));
    }
    if database.epochs.iter().any(EpochResult::has_errors) && !database.assumptions.contains(&of_errors) {
        faults.push(fault(
            FaultKind::Form,
            None,
            None,
            "it has memory errors, and does not say what it takes for granted of them",
        ));
    }
    // A search that was cut says itself that epochs, and ways to them, are missing.
    let is_cut = !database.reasons.is_empty();
    let schedules_of = |epoch: &EpochResult| epoch.tree.parts().into_iter().map(|(_, s)| s.ends.clone()).collect();
    let ends: Vec<ScheduleEnd> = database.epochs.iter().flat_map(|epoch| -> Vec<_> { schedules_of(epoch) }).collect();
    let next = |end: &ScheduleEnd| if let ScheduleEnd::Epoch(next) = end { Some(*next) } else { None };
    let named: BTreeSet<EpochKey> = ends.iter().filter_map(next).collect();
    let mut seen = BTreeSet::new();
    for epoch in &database.epochs {
        let key = epoch.key();
        if !seen.insert(key) {
            faults.push(fault(FaultKind::Form, Some(key), None, "the epoch is there twice"));
        }
        if epoch.id != *entry && !is_cut && !named.contains(&key) {
            faults.push(fault(FaultKind::Epoch, Some(key), None, "no schedule leads to this epoch"));
        }
        if epoch.says_nothing() && epoch.reasons.is_empty() && database.reasons.is_empty() {
            faults.push(fault(FaultKind::Cover, Some(key), None, "it has no schedule, and nothing says why"));
        }
        schedules(epoch, &present, is_cut, &mut faults);
    }
    faults
}

fn schedules(epoch: &EpochResult, present: &BTreeSet<EpochKey>, is_cut: bool, faults: &mut Vec<Fault>) {
    let key = epoch.key();
    let mut seen = BTreeSet::new();
    for (parent, schedule) in epoch.tree.parts() {
        let Schedule { id, constraint, ends, graph, after_error } = schedule;
        let mut wrong = |kind, message: &str| faults.push(fault(kind, Some(key), Some(*id), message));
        if ScheduleId::of(graph, ends) != *id {
            wrong(FaultKind::Form, "its name is not that of its graph and end");
        }
        if !seen.insert((parent, *id)) {
            wrong(FaultKind::Form, "the schedule is there twice at one decision");
        }
        if constraint.dag.is_none() {
            wrong(FaultKind::Form, "its constraint is text only");
        }
        if after_error.is_some_and(|error| error >= epoch.errors.len()) {
            wrong(FaultKind::Form, "the error behind which it is said to be is none of its epoch");
        }
        match ends {
            ScheduleEnd::Epoch(next) if !present.contains(next) && !is_cut => {
                wrong(FaultKind::Epoch, &format!("epoch {next}, which follows, is missing"));
            }
            ScheduleEnd::Epoch(_)
            | ScheduleEnd::Exit { .. }
            | ScheduleEnd::Deadlock { .. }
            | ScheduleEnd::Endless { .. }
            | ScheduleEnd::Input { .. }
            | ScheduleEnd::Abort { .. }
            | ScheduleEnd::MemoryError { .. }
            | ScheduleEnd::Limit => {}
        }
    }
}

/// A fault without an example.
pub(crate) fn fault(
    kind: FaultKind,
    epoch: Option<EpochKey>,
    schedule: Option<ScheduleId>,
    message: impl Into<String>,
) -> Fault {
    Fault { kind, epoch, schedule, message: message.into(), input: None }
}
