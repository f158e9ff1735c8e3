//! What a database says of how epochs were searched is damaged: `verify` says so, and never falls over it.

use icsched_driver::verify::FaultKind;
use icsched_epochs::EpochFacts;
use icsched_facts::Held;
use icsched_ir::{BlockId, CallStack, EntityId as _, FuncId, GlobalId, ProgramPoint};
use icsched_machine::memory::ADDRESS_SPACE;
use icsched_schedule::{Enumeration, EpochId, EpochResult, Json, NodeOutcome, Schedule, Summarisable, Summarised};

use super::facts::change;
use super::{EPOCHS, Subject, schedules, with};

/// The last to come to a barrier is told so.
const BARRIER: &str = "
#include <pthread.h>
static pthread_barrier_t all;
static int led;
static void *worker(void *a) {
    if (pthread_barrier_wait(&all) == PTHREAD_BARRIER_SERIAL_THREAD)
        led++;
    return NULL;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&all, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return led == 1 ? 0 : 1;
}
";

fn damaged(subject: &Subject, damage: impl FnOnce(&mut EpochResult)) -> Enumeration {
    let mut database = subject.database.clone();
    damage(&mut database.epochs[1]);
    database
}

#[track_caller]
fn finds(subject: &Subject, database: &Enumeration, kind: FaultKind, what: &str) {
    let found = subject.verify(database);
    let is_it = found.faults.iter().any(|fault| fault.kind == kind && fault.message.contains(what));
    assert!(is_it, "{what}: {:#?}", found.faults);
}

#[test]
fn facts_that_cannot_be_read() {
    let subject = Subject::new(EPOCHS);
    let text = damaged(&subject, |epoch| epoch.searched_with.facts = Json::of(&"nothing"));
    finds(&subject, &text, FaultKind::Form, "what is known where it begins is damaged");
    let nowhere = damaged(&subject, |epoch| {
        let waits = |facts: &mut EpochFacts| facts.shape.waits.push(1 << 20);
        change(epoch, waits);
    });
    finds(&subject, &nowhere, FaultKind::Form, "what is known where it begins is damaged");
    let variable = damaged(&subject, |epoch| {
        let node = icsched_facts::Node::Global(GlobalId::from_index(1 << 20));
        change(epoch, |facts| facts.shape.bytes.extend([((node, 0), 1)]));
    });
    finds(&subject, &variable, FaultKind::Form, "what is known where it begins is damaged");
    // Such offsets are nowhere, and a sum with one may be no number of 64 bits.
    for at in [ADDRESS_SPACE, u64::MAX - 7] {
        let node = icsched_facts::Node::Global(GlobalId::from_index(0));
        let far = damaged(&subject, |epoch| {
            change(epoch, |facts| facts.shape.bytes.extend([((node, at), 1)]));
        });
        finds(&subject, &far, FaultKind::Form, "what is known where it begins is damaged");
        let far = damaged(&subject, |epoch| {
            change(epoch, |facts| _ = facts.shape.words.insert((node, at), (8, Held::Bits(1))));
        });
        finds(&subject, &far, FaultKind::Form, "what is known where it begins is damaged");
    }
}

/// The first name of bytes is another one, in all constraints, too.
fn renamed(subject: &Subject, to: &str) -> Enumeration {
    let mut database = subject.database.clone();
    let epoch = &mut database.epochs[1];
    let names = epoch.searched_with.names.text().to_owned();
    let (_, rest) = names.split_once(r#""Bytes":"#).expect("some bytes have a name");
    let (_, rest) = rest.split_once(r#""name":""#).expect("they have a name");
    let (name, _) = rest.split_once('"').expect("it ends");
    let of = names.replace(&format!(r#""name":"{name}""#), &format!(r#""name":"{to}""#));
    epoch.searched_with.names = Json::from_text(of).expect("JSON");
    let all = schedules(&database, 1).into_iter().map(|mut schedule| {
        let dag = schedule.constraint.dag.as_mut().expect("constraints are kept");
        for node in &mut dag.nodes {
            if node.starts_with("s ") && node.ends_with(&format!(" {name}")) {
                *node = node.replace(&format!(" {name}"), &format!(" {to}"));
            }
        }
        schedule
    });
    let all = all.collect();
    with(&database, 1, all)
}

/// Widths that no such number has would be a bug of whoever makes terms of them.
#[test]
fn facts_that_have_another_form() {
    let subject = Subject::new(EPOCHS);
    let place = icsched_facts::Place::Memory(icsched_facts::Node::Global(GlobalId::from_index(0)), 0, 4);
    let bounds = |width| icsched_facts::Bounds { width, least: 0, greatest: 1 };
    let wrong: [&dyn Fn(&mut icsched_facts::Shape); 4] = [
        &|shape| shape.equations = vec![icsched_facts::Equation { width: 0, terms: vec![(place, 1)], constant: 0 }],
        &|shape| shape.bounds = [(place, bounds(65))].into(),
        &|shape| shape.limits = [(place, bounds(0))].into(),
        &|shape| shape.differences = [((place, place), bounds(31))].into(),
    ];
    for damage in wrong {
        let other = damaged(&subject, |epoch| change(epoch, |facts| damage(&mut facts.shape)));
        finds(&subject, &other, FaultKind::Form, "what is known where it begins is damaged");
    }
}

#[test]
fn names_that_stand_for_nothing() {
    let subject = Subject::new(EPOCHS);
    let text = damaged(&subject, |epoch| epoch.searched_with.names = Json::of(&1));
    finds(&subject, &text, FaultKind::Form, "what its names stand for is damaged");
    for (from, to) in [(r#""root":"#, r#""root":9"#), (r#""len":"#, r#""len":7"#)] {
        let other = damaged(&subject, |epoch| {
            let names = epoch.searched_with.names.text().replacen(from, to, 1);
            assert_ne!(names, epoch.searched_with.names.text(), "there is a name of bytes");
            epoch.searched_with.names = Json::from_text(names).expect("JSON");
        });
        finds(&subject, &other, FaultKind::Form, "of its names is about what the epoch does not have");
    }
    // A name of something else: of an input, of nothing.
    for other in ["argv[1][0]", "nothing"] {
        let other = renamed(&subject, other);
        finds(&subject, &other, FaultKind::Form, "what its names stand for is not what its paths come to");
    }
    let many = damaged(&subject, |epoch| {
        let names = epoch.searched_with.names.text();
        let log = format!(r#""log":[{{"Unread":{{"root":{},"count":4294967295}}}},"#, 0);
        let names = names.replacen(r#""log":["#, &log, 1);
        epoch.searched_with.names = Json::from_text(names).expect("JSON");
    });
    finds(&subject, &many, FaultKind::Form, "of its names is about what the epoch does not have");
    // Without them names are given in the order in which paths come to them: then constraints are about the same, or
    // not, and nothing else can be wrong.
    let none = damaged(&subject, |epoch| {
        let without = |text: &str| text.split(r#""log":["#).next().map(|start| format!(r#"{start}"log":[]}}"#));
        let names = without(epoch.searched_with.names.text()).expect("a log");
        epoch.searched_with.names = Json::from_text(names).expect("JSON");
    });
    let faults = subject.verify(&none).faults;
    assert!(faults.iter().all(|fault| fault.kind == FaultKind::Form), "{faults:?}");
}

#[test]
fn code_that_synchronises_is_not_summarised() {
    let subject = Subject::new(EPOCHS);
    for code in [
        Summarisable::Loop(FuncId::from_index(0), BlockId::from_index(0)),
        Summarisable::Loop(FuncId::from_index(1 << 20), BlockId::from_index(0)),
        Summarisable::Recursion(FuncId::from_index(0)),
    ] {
        let wrong = damaged(&subject, |epoch| {
            epoch.searched_with.summarised.push(Summarised { code, at: "here".to_owned() });
        });
        finds(&subject, &wrong, FaultKind::Form, "it summarises code at here that cannot be summarised");
    }
}

#[test]
fn epochs_that_begin_nowhere() {
    let subject = Subject::new(EPOCHS);
    let point =
        |func, block, inst| ProgramPoint { func: FuncId::from_index(func), block: BlockId::from_index(block), inst };
    for stack in [vec![], vec![point(0, 0, 1 << 20)], vec![point(1 << 20, 0, 0)], vec![point(0, 0, 0), point(0, 0, 0)]]
    {
        let other = damaged(&subject, |epoch| epoch.id = EpochId::new(vec![CallStack(stack)]));
        finds(&subject, &other, FaultKind::Epoch, "it begins where no thread of the program can be");
    }
}

#[test]
fn what_calls_return_is_checked() {
    let subject = Subject::new(BARRIER);
    let outcomes = |all: &[Schedule]| -> Vec<NodeOutcome> {
        all.iter().flat_map(|s| s.graph.nodes()).filter(|n| n.op.contains("barrier_wait")).map(|n| n.outcome).collect()
    };
    let epoch =
        (0..subject.database.epochs.len()).find(|&epoch| !outcomes(&schedules(&subject.database, epoch)).is_empty());
    let epoch = epoch.expect("both come to the barrier");
    let all = schedules(&subject.database, epoch);
    let found = outcomes(&all);
    assert!(found.contains(&NodeOutcome::Returns(-1)) && found.contains(&NodeOutcome::Returns(0)), "{found:?}");
    assert_eq!(subject.verify(&subject.database).faults, []);
    let wrong: Vec<Schedule> = all
        .into_iter()
        .map(|mut schedule| {
            schedule.graph.set_outcomes(|_| NodeOutcome::Returns(5));
            schedule
        })
        .collect();
    finds(&subject, &with(&subject.database, epoch, wrong), FaultKind::Replay, "where the schedule has 5");
}
