//! Schedules for the tests of the page: four epochs, of which one can follow itself.

use icsched_ir::{EntityId, FuncId};
use icsched_schedule::{
    AccessMode, Blocked, Enumeration, EpochId, EpochResult, HbBuilder, InputConstraint, NodeLabel, Schedule,
    ScheduleEnd, ScheduleTree, ThreadContext,
};

fn id(number: usize) -> EpochId {
    EpochId::entry(FuncId::from_index(number))
}

fn follows(number: usize) -> ScheduleEnd {
    ScheduleEnd::Epoch(id(number).key())
}

/// Two threads that take a lock in turn, so many times.
fn schedule(constraint: &str, rounds: u32, ends: ScheduleEnd) -> Schedule {
    let mut builder = HbBuilder::new();
    let label = |op: &str, object: &str, line: u32| NodeLabel {
        op: op.into(),
        object: object.into(),
        at: format!("demo.c:{line}").into(),
        point: None,
    };
    builder.event(0, 1, AccessMode::Exclusive, label("pthread_create", "thread 1", 19));
    builder.create_thread(0, 1);
    for _ in 0..rounds {
        for thread in 0..2 {
            builder.event(thread, 2, AccessMode::Exclusive, label("pthread_mutex_lock", "seats.lock", 4));
            builder.event(thread, 2, AccessMode::Exclusive, label("pthread_mutex_unlock", "seats.lock", 8));
        }
    }
    Schedule::new(InputConstraint::text(constraint), builder.finish().expect("no cycle"), ends)
}

fn epoch(number: usize, schedules: Vec<Schedule>) -> EpochResult {
    EpochResult {
        id: id(number),
        contexts: vec![ThreadContext { thread: 0, stack: vec!["demo.c:18 in main".into()] }],
        tree: ScheduleTree::flat(schedules),
        early_exits: None,
        reasons: Vec::new(),
        errors: Vec::new(),
        inputs: Vec::new(),
        infeasible_removed: 0,
        max_live_threads: 2,
        assumed: Default::default(),
        searched_with: Default::default(),
    }
}

pub(super) fn enumeration() -> Enumeration {
    let blocked = Blocked {
        thread: 1,
        op: "pthread_mutex_lock".into(),
        object: "seats.lock".into(),
        at: "demo.c:4".into(),
        holder: Some(0),
        holder_at: Some("demo.c:4".into()),
        waits_for: "seats.lock to be unlocked".into(),
        stack: Vec::new(),
        holder_stack: Vec::new(),
    };
    let exit = || ScheduleEnd::Exit { status: Some(0) };
    let deadlock = ScheduleEnd::Deadlock { blocked: vec![blocked] };
    Enumeration {
        program: "demo.bc".into(),
        epochs: vec![
            epoch(
                0,
                vec![
                    schedule("atoi(argv[1]) <= 100", 1, follows(1)),
                    schedule("atoi(argv[1]) > 100", 2, deadlock),
                    schedule("argc < 2", 0, follows(2)),
                ],
            ),
            epoch(1, vec![schedule("used < 2", 30, follows(1)), schedule("used == 2", 1, follows(3))]),
            epoch(2, vec![schedule("true", 2, follows(3))]),
            epoch(3, vec![schedule("true", 1, exit())]),
        ],
        ..Enumeration::default()
    }
}
