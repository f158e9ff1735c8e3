//! Phrases that several renderers use.

use icsched_schedule::{Assumption, Blocked, Enumeration, HbNode, InputConstraint, ScheduleEnd, Statistics};

/// `1 epoch`, `2 epochs`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
}

/// `T1`, `T1 and T2`, `T1, T2 and T3`.
pub(crate) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

/// What the number of schedules means for the program's inputs.
pub(crate) fn verdict(complete: bool, schedules: usize, has_errors: bool) -> &'static str {
    match (complete, schedules) {
        (true, 1) if has_errors => "every other input can follow it",
        (true, _) if has_errors => "every other input can follow one of them",
        (true, 1) => "every input can follow it",
        (true, _) => "every input can follow one of them",
        (false, 0) => "nothing is known of any input",
        (false, 1) => "some inputs may not be able to follow it",
        (false, _) => "some inputs may follow none of them",
    }
}

/// For which inputs a schedule is: `if x > 0`, or `for every input`.
pub(crate) fn inputs(constraint: &InputConstraint) -> String {
    if constraint.is_always() {
        return "for every input".into();
    }
    format!("if {}", shortened(&constraint.c))
}

/// Which inputs satisfy no schedule's constraint, since they need none of their own.
pub(crate) fn early_exits(constraint: &InputConstraint, full: bool) -> String {
    let what = "the process on the way, as a prefix of a schedule";
    if constraint.is_always() {
        return format!("Every other input ends {what}");
    }
    let c = if full { constraint.c.clone() } else { shortened(&constraint.c) };
    format!("Other inputs end {what}: {c}")
}

fn shortened(c: &str) -> String {
    let mut start: String = c.chars().take(LONGEST_INLINE).collect();
    if start.len() < c.len() {
        start.push_str(" ...");
    }
    start
}

/// Characters of a constraint that is part of a sentence.
const LONGEST_INLINE: usize = 200;

/// How a schedule ends, as a sentence without a full stop.
pub(crate) fn end(ends: &ScheduleEnd) -> String {
    match ends {
        ScheduleEnd::Exit { status: Some(status) } => format!("the program exits with status {status}"),
        ScheduleEnd::Exit { status: None } => "the program exits; its status may depend on the input".into(),
        ScheduleEnd::Deadlock { blocked } => {
            let threads: Vec<_> = blocked.iter().map(|b| format!("T{}", b.thread)).collect();
            format!("deadlock of {}", list(&threads))
        }
        ScheduleEnd::Endless { loops, .. } => {
            let each: Vec<_> = loops.iter().map(|l| format!("T{} goes round for ever at {}", l.thread, l.at)).collect();
            list(&each)
        }
        ScheduleEnd::Epoch(key) => format!("epoch {key} follows"),
        ScheduleEnd::Input { thread, at } => format!("T{thread} reads the input that decides what follows, at {at}"),
        ScheduleEnd::Abort { message, at } => format!("the program aborts at {at}: {message}"),
        ScheduleEnd::MemoryError { message, at } => format!("memory error at {at}: {message}"),
        ScheduleEnd::Limit => "cut off by a limit".into(),
    }
}

/// `pthread_mutex_lock(a)`; `pass marker` is about nothing.
pub(crate) fn call(op: &str, object: &str) -> String {
    if object.is_empty() { op.to_owned() } else { format!("{op}({object})") }
}

/// What a node is: `pthread_mutex_lock(a)`.
pub(crate) fn node(node: &HbNode) -> String {
    call(&node.op, &node.object)
}

/// Where a node is: `a.c:12`, `a.c:12 or b.c:3`, `a.c:12 or 3 other places`.
pub(crate) fn place(node: &HbNode) -> String {
    match &node.elsewhere[..] {
        [] => node.at.to_string(),
        [other] => format!("{} or {}", node.at, other.at),
        others => format!("{} or {}", node.at, count(others.len(), "other place")),
    }
}

/// What a run of nodes of one statement is: `pthread_create(T1) ... (T4), 4 times`.
pub(crate) fn nodes(nodes: &[HbNode]) -> String {
    match nodes {
        [] => String::new(),
        [one] => node(one),
        [first, .., last] if first.object == last.object => format!("{}, {} times", node(first), nodes.len()),
        [first, .., last] => format!("{} ... ({}), {} times", node(first), last.object, nodes.len()),
    }
}

/// What a thread of a deadlock waits for and who could help, as a sentence without a full stop.
pub(crate) fn blocked(blocked: &Blocked) -> String {
    let Blocked { thread, op, object, at, holder, holder_at, waits_for, .. } = blocked;
    let mut text = format!("T{thread} is blocked in {} at {at}", call(op, object));
    if !waits_for.is_empty() {
        text += &format!(", waiting for {waits_for}");
    }
    if let Some(holder) = holder {
        let whose = if holder == thread { "T{} itself holds it" } else { "T{} holds it" };
        text += &format!("; {}", whose.replace("{}", &holder.to_string()));
        if let Some(at) = holder_at {
            text += &format!(" since {at}");
        }
    }
    text
}

/// `T1 waits for T2, which waits for T1`: how the threads of a deadlock wait for each other, if they do.
pub(crate) fn cycle(blocked: &[Blocked]) -> Option<String> {
    match wait_cycle(blocked).as_slice() {
        [] | [_] | [_, _] => None,
        [first, rest @ ..] => {
            let rest: Vec<_> = rest.iter().map(|thread| format!("T{thread}")).collect();
            Some(format!("T{first} waits for {}", rest.join(", which waits for ")))
        }
    }
}

/// The threads of which each waits for something the next one holds, the first again at the end; empty if there is no
/// such cycle.
fn wait_cycle(blocked: &[Blocked]) -> Vec<u32> {
    let next = |thread| blocked.iter().find(|b| b.thread == thread).and_then(|b| b.holder);
    for start in blocked {
        let mut path = vec![start.thread];
        while let Some(holder) = next(path[path.len() - 1]) {
            path.push(holder);
            if holder == start.thread {
                return path;
            }
            if path.len() > blocked.len() {
                break;
            }
        }
    }
    Vec::new()
}

/// What the result takes for granted, as a sentence; `None` if nothing.
pub(crate) fn assumptions(enumeration: &Enumeration) -> Option<String> {
    let text = |assumption: &Assumption| match assumption {
        Assumption::LoopsEnd => loops_end(&enumeration.loops_assumed_to_end()),
        other => other.describe().to_owned(),
    };
    let texts: Vec<_> = enumeration.assumptions.iter().map(text).collect();
    (!texts.is_empty()).then(|| format!("This holds if {}.", list(&texts)))
}

/// Most loops that are named in a sentence.
const NAMED: usize = 12;

/// That loops at some places end: `the loops at a.c:12 and b.c:7 end`.
fn loops_end(places: &[&str]) -> String {
    let mut named: Vec<String> = places.iter().take(NAMED).map(|&place| place.to_owned()).collect();
    match places.len() - named.len() {
        0 => {}
        more => named.push(count(more, "other")),
    }
    match places {
        [one] => format!("the loop at {one} ends"),
        _ => format!("the loops at {} end", list(&named)),
    }
}

/// What the search cost, on one line.
pub(crate) fn statistics(statistics: &Statistics) -> String {
    let Statistics { seconds, paths, instructions, solver_seconds, solver_queries, peak_mib } = *statistics;
    format!(
        "{seconds:.2} s, {}, {instructions} instructions, {solver_queries} solver queries ({solver_seconds:.2} s), \
         peak {peak_mib} MiB",
        count(usize::try_from(paths).unwrap_or(usize::MAX), "path")
    )
}
