//! Formats for programs and browsers.

use crate::common;
use expect_test::{expect, expect_file};
use icsched_report::check::Options;
use icsched_report::{View, diagnostic, dot, html, json, svg};
use icsched_schedule::{Diagnostic, Enumeration, NodeId, ScheduleEnd};
use serde_json::Value;

fn every_result() -> [Enumeration; 6] {
    [
        common::figure_3_1(3),
        common::deadlock(),
        common::incomplete(),
        common::early_exits(),
        common::long(32, 2),
        Enumeration::default(),
    ]
}

#[test]
fn json_of_two_schedules() {
    let mut result = common::figure_3_1(1);
    result.epochs[0].tree.root.branches.pop();
    expect_file!["snapshots/fig31.json"].assert_eq(&json::render(&View::whole(&result)));
}

#[test]
fn json_of_other_ends() {
    let ends = |result: &Enumeration| -> Vec<Value> {
        let value = json::value(&View::whole(result));
        let schedules = value["epochs"][0]["schedules"].as_array().expect("a list").iter();
        let without_graph = |schedule: &Value| {
            let mut schedule = schedule.as_object().expect("an object").clone();
            schedule.retain(|key, _| key != "nodes" && key != "edges");
            Value::Object(schedule)
        };
        schedules.map(without_graph).collect()
    };
    let mut all: Vec<_> = ends(&common::deadlock()).split_off(1);
    all.extend(ends(&common::incomplete()));
    let text: Vec<_> = all.iter().map(|schedule| format!("{schedule}\n")).collect();
    expect![[r#"
        {"blocked":[{"at":"abba.c:33","holder":null,"holder_at":null,"object":"T1","op":"pthread_join","thread":0,"waits_for":"T1 to end"},{"at":"abba.c:10","holder":2,"holder_at":"abba.c:17","object":"B","op":"pthread_mutex_lock","thread":1,"waits_for":"B to be unlocked"},{"at":"abba.c:19","holder":1,"holder_at":"abba.c:8","object":"A","op":"pthread_mutex_lock","thread":2,"waits_for":"A to be unlocked"}],"constraint":"strcmp(argv[1], \"-x\") == 0 && argc > 1","ends":"deadlock","id":"318607b918de"}
        {"constraint":"n == 1","ends":"exit","id":"459bad564bce","status":3}
        {"at":"loop.c:13","constraint":"n == 2","ends":"abort","id":"13e0354a2aa9","message":"assertion `n != 2' failed"}
        {"constraint":"n > 2","ends":"limit","id":"eb0f8d08e055"}
    "#]].assert_eq(&text.concat());
}

#[test]
fn inputs_that_end_the_process_early_are_named() {
    let result = common::early_exits();
    let value = json::value(&View::whole(&result));
    assert_eq!(value["epochs"][0]["early_exits"], "atoi(argv[1]) < 1 || 64 < atoi(argv[1])");
    let line = "<p>Other inputs end the process on the way, as a prefix of a schedule: \
                atoi(argv[1]) &#60; 1 || 64 &#60; atoi(argv[1])</p>";
    let page = page_of(&View::whole(&result));
    assert!(page.contains(line), "{page}");
}

/// The keys that the design promises, on each level.
#[test]
fn json_has_the_promised_keys() {
    let expected = [
        ("", "schema program complete reasons totals epochs statistics"),
        (
            "/totals",
            "epochs schedules schedules_per_epoch deadlocked infeasible_removed max_live_threads epoch_markers",
        ),
        ("/totals/schedules_per_epoch", "min max avg"),
        ("/epochs/0", "id contexts schedules early_exits"),
        ("/epochs/0/contexts/0", "thread stack"),
        ("/epochs/0/schedules/0", "id constraint ends nodes edges"),
        ("/epochs/0/schedules/0/nodes/0", "thread n op object at"),
        ("/statistics", "seconds paths instructions solver_seconds solver_queries peak_mib"),
    ];
    let value = json::value(&View::whole(&common::figure_3_1(3)));
    assert_eq!(value["schema"], "icsched/enumerate/1");
    for (pointer, keys) in expected {
        let object = value.pointer(pointer).and_then(Value::as_object).expect("an object");
        for key in keys.split(' ') {
            assert!(object.contains_key(key), "no `{key}` in `{pointer}`");
        }
    }
    assert_eq!(value["epochs"][0]["schedules"][0]["edges"][0], serde_json::json!([[0, 1], [1, 1]]));
}

#[test]
fn a_part_of_a_result_can_be_named() {
    let result = common::deadlock();
    let id = result.epochs[0].tree.parts()[1].1.id.to_string();
    for name in ["2", &id, &id[..5]] {
        let view = View::select(&result, Some("1"), Some(name)).expect("found");
        let shown: Vec<_> = view.schedules().map(|(_, schedule)| schedule.number).collect();
        assert_eq!(shown, [2], "{name}");
    }
    let refusals = [View::select(&result, None, Some("7")), View::select(&result, Some("cafe"), None)]
        .map(|view| diagnostic::render(&(&view.expect_err("refused")).into(), icsched_report::Painter::default()));
    expect![[r#"
        error[no-such-name]: there is no schedule `7`
          = help: give the number of the schedule, or the first four or more digits of its id
        error[no-such-name]: there is no epoch `cafe`
          = help: give the number of the epoch, or the first four or more digits of its id
    "#]]
    .assert_eq(&refusals.concat());

    let mut twice = result.clone();
    twice.epochs.push(twice.epochs[0].clone());
    let error = View::select(&twice, None, Some("1")).expect_err("schedule 1 of which epoch?");
    assert_eq!(error.candidates.len(), 2);
}

#[test]
fn dot_of_a_deadlock() {
    let view_of = common::deadlock();
    let view = View::select(&view_of, None, Some("2")).expect("found");
    expect![[r#"
        digraph "318607b918de" {
          label="if strcmp(argv[1], \"-x\") == 0 && argc > 1\ndeadlock of T0, T1 and T2"; labelloc=t; rankdir=TB; newrank=true;
          node [shape=box, style=rounded, fontname="monospace", fontsize=10];
          subgraph cluster_0 {
            label="T0"; color=gray;
            t0_1 [label="pthread_create(T1)\nabba.c:30"];
            t0_2 [label="pthread_create(T2)\nabba.c:31"];
            t0_1 -> t0_2 [color=gray, weight=8];
          }
          subgraph cluster_1 {
            label="T1"; color=gray;
            t1_1 [label="pthread_mutex_lock(A)\nabba.c:8"];
          }
          subgraph cluster_2 {
            label="T2"; color=gray;
            t2_1 [label="pthread_mutex_lock(B)\nabba.c:17"];
          }
          t0_1 -> t1_1 [color=blue];
          t0_2 -> t2_1 [color=blue];
          blocked_0 [label="T0: pthread_join(T1)\nabba.c:33", color=red, fontcolor=red];
          blocked_1 [label="T1: pthread_mutex_lock(B)\nabba.c:10", color=red, fontcolor=red];
          blocked_2 [label="T2: pthread_mutex_lock(A)\nabba.c:19", color=red, fontcolor=red];
          t0_2 -> blocked_0 [color=gray, weight=8];
          t1_1 -> blocked_1 [color=gray, weight=8];
          blocked_1 -> blocked_2 [color=red, label="waits for", constraint=false];
          t2_1 -> blocked_2 [color=gray, weight=8];
          blocked_2 -> blocked_1 [color=red, label="waits for", constraint=false];
        }
    "#]].assert_eq(&dot::render(&view));
}

#[test]
fn messages() {
    let error = Diagnostic::error("no-main", "the program has no `main`")
        .at("lib.bc")
        .note("it defines `f` and `g`")
        .help("link it with the part that has `main`:\nllvm-link-22 lib.bc main.bc -o prog.bc");
    let plain = diagnostic::render(&error, icsched_report::Painter::default());
    let warning = diagnostic::render(&Diagnostic::warning("", "short"), icsched_report::Painter::default());
    expect![[r#"
        error[no-main]: the program has no `main`
          --> lib.bc
          = note: it defines `f` and `g`
          = help: link it with the part that has `main`:
                  llvm-link-22 lib.bc main.bc -o prog.bc
        warning: short
    "#]]
    .assert_eq(&(plain + &warning));
}

/// The page of a database in which no findings are.
fn page_of(view: &View<'_>) -> String {
    html::render(view, None, &Options::default())
}

/// Checks that tags are closed in order; returns how often each was opened.
fn tags(xml: &str) -> std::collections::BTreeMap<String, usize> {
    let mut open = Vec::new();
    let mut seen = std::collections::BTreeMap::new();
    for tag in xml.split('<').skip(1).map(|rest| rest.split_once('>').expect("a tag is closed").0) {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a first piece").to_owned();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            *seen.entry(name.clone()).or_default() += 1;
            if !tag.ends_with('/') && !["!doctype", "meta", "input", "br"].contains(&name.as_str()) {
                open.push(name);
            }
        }
    }
    assert_eq!(open, Vec::<String>::new());
    seen
}

#[test]
fn pictures_show_every_node_and_edge() {
    for result in every_result() {
        let view = View::whole(&result);
        let picture = svg::render(&view);
        let seen = tags(&picture);
        let graphs: Vec<_> = view.schedules().map(|(_, schedule)| &schedule.schedule.graph).collect();
        let nodes: usize = graphs.iter().map(|graph| graph.nodes().len()).sum();
        let edges: usize = graphs.iter().map(|graph| graph.edges().len()).sum();
        let blocked = picture.matches("class=\"cross\"").count();
        assert_eq!(seen.get("circle").copied().unwrap_or(0), nodes, "{}", result.program);
        assert_eq!(seen.get("path").copied().unwrap_or(0), 2 * edges + blocked, "{}", result.program);
    }
}

#[test]
fn pages_are_well_formed_and_escaped() {
    for mut result in every_result() {
        result.program = "<b>&prog".into();
        let page = page_of(&View::whole(&result));
        let seen = tags(&page);
        assert!(page.contains("Schedules of &#60;b&#62;&#38;prog"), "{page}");
        assert_eq!(page.matches("<details class=\"schedule\"").count(), result.totals().schedules);
        let long = page.matches("<details class=\"long\"").count();
        assert_eq!(seen.get("details").copied().unwrap_or(0), result.totals().schedules + long);
        let (links, inside) = (page.matches("href=").count(), page.matches("href=\"#").count());
        assert!(!page.contains("http-equiv") && !page.contains("src=") && links == inside, "self-contained");
    }
}

#[test]
fn hostile_names_do_not_break_formats() {
    let mut script = common::Script::new("a<b>\"&.c");
    script.event(0, "lock", "m[\"<&\\\"]", 3);
    let schedule = script.schedule("s == \"</svg>\\n\"", ScheduleEnd::Exit { status: None });
    assert_eq!(schedule.graph.nodes()[0].id(), NodeId { thread: 0, n: 1 });
    let result = common::enumeration("p.bc", vec![schedule], 1);
    let view = View::whole(&result);
    tags(&svg::render(&view));
    tags(&page_of(&view));
    let dot = dot::render(&view);
    assert!(dot.contains(r#"label="lock(m[\"<&\\\"])\na<b>\"&.c:3""#), "{dot}");
}
