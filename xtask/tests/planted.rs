//! Faults that are put into right results: `explore-native --compare` finds each.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use xtask::native::run_words;

/// A change of a result that makes it wrong.
struct Plant {
    what: &'static str,
    /// Which program of `planted` the result is of.
    of: &'static str,
    change: fn(&mut Value),
    /// What is said of it.
    said: &'static str,
}

const fn plant(what: &'static str, of: &'static str, change: fn(&mut Value), said: &'static str) -> Plant {
    Plant { what, of, change, said }
}

/// Schedules of `office`: for more than 10 a deadlock, else an exit.
const STUCK: usize = 0;
const FINE: usize = 1;

const PLANTS: &[Plant] = &[
    plant("an edge from a create is dropped", "office", |r| drop_edge(r, FINE, 0), "does not say"),
    plant("an edge between two locks is dropped", "office", |r| drop_edge(r, FINE, 2), "does not say"),
    plant("an edge into a barrier is dropped", "office", |r| drop_edge(r, FINE, 3), "does not say"),
    plant("an edge from a signal is dropped", "office", |r| drop_edge(r, FINE, 4), "does not say"),
    plant("an edge from a thread's end is dropped", "office", |r| drop_edge(r, FINE, 5), "does not say"),
    plant("an edge out of a barrier is dropped", "office", |r| drop_edge(r, FINE, 6), "does not say"),
    plant("an edge between semaphore calls is dropped", "office", |r| drop_edge(r, FINE, 7), "does not say"),
    plant("an edge is turned round", "office", |r| edges(r, FINE)[7] = json!([[0, 7], [2, 4]]), "cannot be followed"),
    plant("an edge makes a cycle", "office", |r| edges(r, FINE).push(json!([[0, 9], [0, 1]])), "has a cycle"),
    plant("an edge leads nowhere", "office", |r| edges(r, FINE).push(json!([[0, 99], [1, 1]])), "which there is not"),
    plant("two nodes are swapped", "office", swap_nodes, "cannot be followed"),
    plant(
        "a call is another function",
        "office",
        |r| node(r, FINE, 10)["op"] = json!("pthread_mutex_trylock"),
        "trylock",
    ),
    plant("a call is on another object", "office", |r| node(r, FINE, 13)["object"] = json!("key"), "has key"),
    plant("a call is at another line", "office", |r| node(r, FINE, 20)["at"] = json!("office.c:31"), "office.c:31"),
    plant("a call is missing", "office", |r| drop_node(r, FINE, 5), "cannot be followed"),
    plant("a call is too much", "office", one_more, "is never followed"),
    plant("created threads are mixed up", "office", mix_threads_up, "cannot be followed"),
    plant("a node is of another thread", "office", move_node, "cannot be followed"),
    plant(
        "a constraint leaves an input out",
        "office",
        |r| set(r, FINE, "constraint", "atoi(argv[1]) < 10"),
        "without a schedule",
    ),
    plant(
        "a constraint takes an input in",
        "office",
        |r| set(r, FINE, "constraint", "atoi(argv[1]) <= 11"),
        "arguments [\"11\"], schedule 2",
    ),
    plant("constraints are swapped", "office", swap_constraints, "schedule 1: "),
    plant("a schedule is missing", "office", |r| drop(schedules(r, 0).remove(FINE)), "without a schedule"),
    plant("a deadlock is claimed for an exit", "office", claim_deadlock, "deadlock cannot happen"),
    plant("an exit is claimed for a deadlock", "office", |r| set(r, STUCK, "ends", "exit"), "deadlock is missed"),
    plant("an abort is claimed for an exit", "office", |r| set(r, FINE, "ends", "abort"), "wrong end"),
    plant("an endless loop is claimed for an exit", "office", |r| set(r, FINE, "ends", "endless"), "wrong end"),
    plant("the exit status is another one", "office", |r| schedules(r, 0)[FINE]["status"] = json!(1), "wrong end"),
    plant(
        "a thread is blocked in another call",
        "office",
        |r| blocked(r)[1]["op"] = json!("pthread_cond_wait"),
        "wrong end",
    ),
    plant("a thread is blocked on another object", "office", |r| blocked(r)[1]["object"] = json!("desk"), "wrong end"),
    plant("a blocked thread is missing", "office", |r| drop(blocked(r).remove(0)), "wrong end"),
    plant("early exits cover nothing", "office", |r| schedules(r, 0).clear(), "without a schedule"),
    plant("the epoch that follows is missing", "rounds", |r| drop(epochs(r).remove(1)), "is not in the result"),
    plant("an epoch has no way out", "rounds", |r| drop(schedules(r, 1).remove(0)), "cannot be followed"),
    plant("an epoch has no way back", "rounds", |r| drop(schedules(r, 1).remove(1)), "cannot be followed"),
    plant("an epoch begins with another thread, too", "rounds", another_thread, "begins with 3 threads"),
    plant("a later epoch has a deadlock beside early ends", "rounds", deadlock_that_is_none, "deadlock cannot happen"),
    plant(
        "an edge of a later epoch is dropped",
        "rounds",
        |r| schedules(r, 1)[1]["edges"] = json!([]),
        "order is missing",
    ),
];

fn epochs(result: &mut Value) -> &mut Vec<Value> {
    result["epochs"].as_array_mut().expect("a list")
}

fn schedules(result: &mut Value, epoch: usize) -> &mut Vec<Value> {
    result["epochs"][epoch]["schedules"].as_array_mut().expect("a list")
}

fn edges(result: &mut Value, schedule: usize) -> &mut Vec<Value> {
    schedules(result, 0)[schedule]["edges"].as_array_mut().expect("a list")
}

fn nodes(result: &mut Value, schedule: usize) -> &mut Vec<Value> {
    schedules(result, 0)[schedule]["nodes"].as_array_mut().expect("a list")
}

fn node(result: &mut Value, schedule: usize, at: usize) -> &mut Value {
    &mut nodes(result, schedule)[at]
}

fn blocked(result: &mut Value) -> &mut Vec<Value> {
    schedules(result, 0)[STUCK]["blocked"].as_array_mut().expect("a list")
}

fn set(result: &mut Value, schedule: usize, key: &str, value: &str) {
    schedules(result, 0)[schedule][key] = json!(value);
}

fn drop_edge(result: &mut Value, schedule: usize, at: usize) {
    edges(result, schedule).remove(at);
}

/// The second clerk's lock and unlock.
fn swap_nodes(result: &mut Value) {
    let nodes = nodes(result, FINE);
    nodes.swap(18, 19);
    nodes[18]["n"] = json!(2);
    nodes[19]["n"] = json!(3);
}

/// Leaves out node `at` of the list, one of the main thread's.
fn drop_node(result: &mut Value, schedule: usize, at: usize) {
    let list = nodes(result, schedule);
    list.remove(at);
    for node in list.iter_mut().filter(|node| node["thread"] == json!(0)) {
        let n = node["n"].as_u64().expect("a number");
        if n > at as u64 {
            node["n"] = json!(n - 1);
        }
    }
    for edge in edges(result, schedule) {
        for end in edge.as_array_mut().expect("a pair") {
            let n = end[1].as_u64().expect("a number");
            if end[0] == json!(0) && n > at as u64 {
                end[1] = json!(n - 1);
            }
        }
    }
}

fn one_more(result: &mut Value) {
    let more = json!({"thread": 0, "n": 10, "op": "pthread_mutex_lock", "object": "desk", "at": "office.c:51"});
    nodes(result, FINE).push(more);
}

fn mix_threads_up(result: &mut Value) {
    node(result, FINE, 0)["object"] = json!("thread 2");
    node(result, FINE, 1)["object"] = json!("thread 1");
}

/// The post is of the first clerk.
fn move_node(result: &mut Value) {
    let list = nodes(result, FINE);
    list[20]["thread"] = json!(1);
    list[20]["n"] = json!(9);
    list[21]["n"] = json!(4);
    let edges = edges(result, FINE);
    edges[7] = json!([[1, 9], [0, 7]]);
    edges[8] = json!([[2, 4], [0, 9]]);
}

fn swap_constraints(result: &mut Value) {
    set(result, STUCK, "constraint", "atoi(argv[1]) <= 10");
    set(result, FINE, "constraint", "atoi(argv[1]) > 10");
}

fn claim_deadlock(result: &mut Value) {
    set(result, FINE, "ends", "deadlock");
    schedules(result, 0)[FINE]["blocked"] = schedules(result, 0)[STUCK]["blocked"].clone();
}

/// For all that is known in a later epoch, each input may be one that ends on the way.
fn deadlock_that_is_none(result: &mut Value) {
    result["epochs"][1]["early_exits"] = json!("i@0 == 9");
    let schedule = &mut schedules(result, 1)[0];
    let more = json!({"thread": 0, "n": 2, "op": "pthread_mutex_lock", "object": "lock", "at": "rounds.c:25"});
    schedule["nodes"].as_array_mut().expect("a list").push(more);
    schedule["ends"] = json!("deadlock");
    schedule["blocked"] = json!([]);
}

fn another_thread(result: &mut Value) {
    let contexts = result["epochs"][1]["contexts"].as_array_mut().expect("a list");
    contexts.push(json!({"thread": 2, "stack": []}));
}

fn place(of: &str, ending: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted").join(format!("{of}.{ending}"))
}

/// Compares results of one program; one line of what is said for each.
fn compare(of: &str, results: &[PathBuf]) -> Vec<String> {
    let source = place(of, "c");
    let mut words = vec!["--compare", "--lines", source.to_str().expect("a text")];
    for result in results {
        words.extend(["--result", result.to_str().expect("a text")]);
    }
    words.extend(["--", "@"]);
    let (_, said) = run_words(&words).expect("the programs are compared");
    let mut parts: Vec<String> = Vec::new();
    for line in said.lines() {
        match parts.last_mut() {
            Some(last) if line.starts_with("  ") => *last += &format!("\n{line}"),
            _ => parts.push(line.to_owned()),
        }
    }
    parts
}

#[test]
fn right_results_are_right() {
    for of in ["office", "rounds"] {
        let said = compare(of, &[place(of, "json")]);
        assert!(said[0].contains(" 0 wrong") && !said[0].contains(" 0 followed"), "{said:?}");
    }
}

#[test]
fn planted_faults_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut missed = Vec::new();
    for of in ["office", "rounds"] {
        let text = fs::read_to_string(place(of, "json")).expect("a result");
        let plants: Vec<&Plant> = PLANTS.iter().filter(|plant| plant.of == of).collect();
        let write = |(number, plant): (usize, &&Plant)| {
            let mut result: Value = serde_json::from_str(&text).expect("JSON");
            let before = result.clone();
            (plant.change)(&mut result);
            assert_ne!(result, before, "{} changes something", plant.what);
            let file = directory.path().join(format!("{of}{number}.json"));
            fs::write(&file, result.to_string()).expect("a file");
            file
        };
        let files: Vec<PathBuf> = plants.iter().enumerate().map(write).collect();
        let said = compare(of, &files);
        assert_eq!(said.len(), plants.len());
        for (plant, said) in plants.iter().zip(said) {
            if said.contains(" 0 wrong") || !said.contains(plant.said) {
                missed.push(format!("{}: {:?} expected\n{said}", plant.what, plant.said));
            }
        }
    }
    assert!(PLANTS.len() >= 20);
    assert!(missed.is_empty(), "{} of {} are missed:\n{}", missed.len(), PLANTS.len(), missed.join("\n"));
}
