//! Results made by hand, as the search would make them.

#![allow(unreachable_pub, reason = "shared by the modules of the test binary")]

use icsched_ir::{EntityId, FuncId};
use icsched_schedule::{
    AccessMode, Assumption, Blocked, Enumeration, EpochId, EpochResult, HbBuilder, IncompleteKind, InputConstraint,
    NodeLabel, PossibleError, Reason, Schedule, ScheduleEnd, ScheduleTree, Statistics, ThreadContext,
};

/// Key of the object by which the end of a thread is ordered before its join.
fn thread_key(thread: u32) -> u64 {
    1000 + u64::from(thread)
}

/// Builds executions from lines of `thread op object line`.
pub struct Script {
    builder: HbBuilder,
    file: &'static str,
}

impl Script {
    pub fn new(file: &'static str) -> Self {
        Self { builder: HbBuilder::new(), file }
    }

    pub fn event(&mut self, thread: u32, op: &str, object: &str, line: u32) -> &mut Self {
        let key = object.bytes().fold(0, |key, byte| key * 31 + u64::from(byte));
        self.keyed(thread, op, object, line, key)
    }

    fn keyed(&mut self, thread: u32, op: &str, object: &str, line: u32, key: u64) -> &mut Self {
        let at = format!("{}:{line}", self.file);
        let label = NodeLabel { op: op.into(), object: object.into(), at: at.into(), point: None };
        self.builder.event(thread, key, AccessMode::Exclusive, label);
        self
    }

    pub fn create(&mut self, parent: u32, child: u32, line: u32) -> &mut Self {
        self.keyed(parent, "pthread_create", &format!("T{child}"), line, thread_key(child));
        self.builder.create_thread(parent, child);
        self
    }

    pub fn exit(&mut self, thread: u32, line: u32) -> &mut Self {
        self.keyed(thread, "exit of thread", &format!("T{thread}"), line, thread_key(thread))
    }

    pub fn join(&mut self, thread: u32, of: u32, line: u32) -> &mut Self {
        self.keyed(thread, "pthread_join", &format!("T{of}"), line, thread_key(of))
    }

    pub fn schedule(&self, constraint: &str, ends: ScheduleEnd) -> Schedule {
        let graph = self.builder.clone().finish().expect("no cycle");
        Schedule::new(InputConstraint::text(constraint), graph, ends)
    }
}

pub fn enumeration(program: &str, schedules: Vec<Schedule>, threads: u32) -> Enumeration {
    let epoch = EpochResult {
        id: EpochId::entry(FuncId::from_index(0)),
        contexts: vec![ThreadContext { thread: 0, stack: vec!["main".into()] }],
        tree: ScheduleTree::flat(schedules),
        early_exits: None,
        reasons: Vec::new(),
        errors: Vec::new(),
        inputs: Vec::new(),
        infeasible_removed: 0,
        max_live_threads: threads,
        assumed: Default::default(),
        searched_with: Default::default(),
    };
    Enumeration {
        program: program.into(),
        digest: Enumeration::digest_of(program.as_bytes()),
        contents: Default::default(),
        options: vec!["--".into(), "@".into()],
        assumptions: vec![Assumption::DataRaceFreedom, Assumption::BoundedThreads],
        epochs: vec![epoch],
        reasons: Vec::new(),
        epoch_markers: 0,
        statistics: Statistics {
            seconds: 0.062_500_01,
            paths: 2,
            instructions: 31_002,
            solver_seconds: 0.0125,
            solver_queries: 40,
            peak_mib: 48,
        },
    }
}

/// Bergan's figure 3.1: each of the threads takes lock A or lock B, as the input says.
pub fn figure_3_1(threads: u32) -> Enumeration {
    let schedule = |constraint: &str, lock: &str, line| {
        let mut script = Script::new("fig31.c");
        (1..=threads).for_each(|t| _ = script.create(0, t, 22));
        for t in 1..=threads {
            script.event(t, "pthread_mutex_lock", lock, line).event(t, "pthread_mutex_unlock", lock, line + 2);
            script.exit(t, 16);
        }
        (1..=threads).for_each(|t| _ = script.join(0, t, 24));
        script.schedule(constraint, ScheduleEnd::Exit { status: Some(0) })
    };
    let schedules = vec![schedule("atoi(argv[1]) == 0", "A", 8), schedule("atoi(argv[1]) != 0", "B", 12)];
    enumeration("fig31.bc", schedules, threads + 1)
}

/// Two threads that take two locks in opposite orders for one input; one schedule is fine, the other is not.
pub fn deadlock() -> Enumeration {
    let mut script = Script::new("abba.c");
    script.create(0, 1, 30).create(0, 2, 31);
    let mut fine = Script { builder: script.builder.clone(), file: script.file };
    script.event(1, "pthread_mutex_lock", "A", 8).event(2, "pthread_mutex_lock", "B", 17);
    let blocked = |thread, op: &str, object: &str, line, holder, held: Option<u32>, waits_for: &str| Blocked {
        thread,
        op: op.into(),
        object: object.into(),
        at: format!("abba.c:{line}"),
        holder,
        holder_at: held.map(|line| format!("abba.c:{line}")),
        waits_for: waits_for.into(),
        stack: Vec::new(),
        holder_stack: Vec::new(),
    };
    let ends = ScheduleEnd::Deadlock {
        blocked: vec![
            blocked(0, "pthread_join", "T1", 33, None, None, "T1 to end"),
            blocked(1, "pthread_mutex_lock", "B", 10, Some(2), Some(17), "B to be unlocked"),
            blocked(2, "pthread_mutex_lock", "A", 19, Some(1), Some(8), "A to be unlocked"),
        ],
    };
    fine.event(1, "pthread_mutex_lock", "A", 8).event(1, "pthread_mutex_unlock", "A", 11).exit(1, 12);
    fine.event(2, "pthread_mutex_lock", "A", 19).event(2, "pthread_mutex_unlock", "A", 21).exit(2, 22);
    fine.join(0, 1, 33).join(0, 2, 34);
    let schedules = vec![
        fine.schedule("strcmp(argv[1], \"-x\") != 0", ScheduleEnd::Exit { status: None }),
        script.schedule("strcmp(argv[1], \"-x\") == 0 && argc > 1", ends),
    ];
    enumeration("abba.bc", schedules, 3)
}

/// Nothing is known of some inputs, and some others break the program.
pub fn incomplete() -> Enumeration {
    let mut script = Script::new("loop.c");
    script.event(0, "pthread_mutex_lock", "q.lock", 12).event(0, "pthread_mutex_unlock", "q.lock", 14);
    let at = || "loop.c:13".to_owned();
    let schedules = vec![
        script.schedule("n == 1", ScheduleEnd::Exit { status: Some(3) }),
        script.schedule("n == 2", ScheduleEnd::Abort { message: "assertion `n != 2' failed".into(), at: at() }),
        Script::new("loop.c").schedule("n > 2", ScheduleEnd::Limit),
    ];
    let mut result = enumeration("loop.bc", schedules, 1);
    let reason =
        |kind, message: &str, at: Option<&str>| Reason { kind, message: message.into(), at: at.map(Into::into) };
    result.epochs[0].reasons = vec![
        reason(
            IncompleteKind::UnboundedSyncLoop,
            "the loop synchronises an input-dependent number of times",
            Some("loop.c:11"),
        ),
        reason(IncompleteKind::Unmodelled, "`tgamma` has no model; called by `main`", Some("loop.c:20")),
    ];
    result.reasons = vec![reason(IncompleteKind::Limit, "stopped after 10 s (--timeout)", None)];
    result.epochs[0].errors = vec![PossibleError {
        message: "write of 4 bytes behind the end of `buf` (16 bytes)".into(),
        at: at(),
        constraint: InputConstraint::text("n > 4"),
        is_open: false,
    }];
    result
}

/// An argument that is no size ends the process before anything else; the others take one lock or the other.
pub fn early_exits() -> Enumeration {
    let schedule = |constraint, lock, line| {
        let mut script = Script::new("size.c");
        script.event(0, "pthread_mutex_lock", lock, line);
        script.schedule(constraint, ScheduleEnd::Exit { status: Some(0) })
    };
    let small = schedule("1 <= atoi(argv[1]) && atoi(argv[1]) <= 8", "m", 9);
    let large = schedule("9 <= atoi(argv[1]) && atoi(argv[1]) <= 64", "n", 11);
    let mut result = enumeration("size.bc", vec![small, large], 1);
    let early = InputConstraint::text("atoi(argv[1]) < 1 || 64 < atoi(argv[1])");
    result.epochs[0].early_exits = Some(early);
    result
}

/// One thread after the other takes the lock, again and again.
pub fn long(threads: u32, rounds: u32) -> Enumeration {
    let mut script = Script::new("long.c");
    (1..=threads).for_each(|t| _ = script.create(0, t, 5));
    for _ in 0..rounds {
        for t in 1..=threads {
            script.event(t, "pthread_mutex_lock", "m", 8).event(t, "pthread_mutex_unlock", "m", 9);
        }
    }
    (1..=threads).for_each(|t| _ = script.exit(t, 12));
    (1..=threads).for_each(|t| _ = script.join(0, t, 15));
    enumeration("long.bc", vec![script.schedule("true", ScheduleEnd::Exit { status: Some(0) })], threads + 1)
}
