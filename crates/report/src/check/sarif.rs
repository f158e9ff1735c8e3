//! SARIF 2.1.0, which code hosts and editors read.
//!
//! A finding is a result. Its run is a code flow with one thread flow per thread, its threads wait for each other in a
//! graph, and what the check does not cover is a notification of the invocation.

use std::collections::{BTreeMap, BTreeSet};

use icsched_schedule::{CheckResult, Finding, Reason, Site, StepRole, Suppressed, TraceStep, Verdict, visible};
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Edge, Graph, Invocation, Location, LogicalLocation, Message, MultiformatMessageString,
    Node, Notification, PhysicalLocation, PropertyBag, Region, ReportingDescriptor, Result as SarifResult, ResultLevel,
    Run, SCHEMA_URL, Sarif, Stack, StackFrame, Suppression, ThreadFlow, ThreadFlowLocation, Tool, ToolComponent,
};

use super::format::Format;
use super::options::Options;
use super::phrases;
use super::place::{SourcePlace, relative};

/// Most locations of one result: more than this is not shown by code hosts.
const MOST_LOCATIONS: usize = 1000;

/// Of these, most that are in stacks and graphs.
const MOST_IN_STACKS: usize = 300;

/// The name of the directory in which the command runs.
const BASE: &str = "SRCROOT";

/// The [`Format`].
pub struct SarifFormat;

impl Format for SarifFormat {
    fn word(&self) -> &'static str {
        "sarif"
    }

    fn render(&self, result: &CheckResult, options: &Options<'_>) -> String {
        render(result, options)
    }
}

/// A result as a SARIF log over several lines, with a newline at the end.
pub fn render(result: &CheckResult, options: &Options<'_>) -> String {
    let rules = rules(result, options);
    let reported = result.findings.iter().enumerate();
    let reported = reported.map(|(number, finding)| one(result, finding, &rules, Some(number), options));
    let suppressed = result.suppressed.iter().map(|suppressed| {
        let mut of = one(result, &suppressed.finding, &rules, None, options);
        of.suppressions = Some(vec![suppression(suppressed)]);
        of
    });
    let results: Vec<SarifResult> = reported.chain(suppressed).collect();
    let driver = ToolComponent::builder().name("icsched").version(options.version).rules(rules).build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation(result, options)])
        .original_uri_base_ids(base(options))
        .results(results)
        .properties(properties([
            ("complete", json!(result.complete)),
            ("assumptions", json!(result.assumptions)),
            ("program", json!(result.program)),
            ("digest", json!(result.digest)),
        ]))
        .build();
    let log = Sarif::builder().schema(SCHEMA_URL).version(json!("2.1.0")).runs(vec![run]).build();
    serde_json::to_string_pretty(&log).expect("plain data has a JSON form") + "\n"
}

/// A text of the program in a message: `[x](y)` would be a link there.
fn plain(text: &str) -> String {
    visible(text).replace("](", "] (")
}

fn message(text: &str) -> Message {
    Message::builder().text(plain(text)).build()
}

fn described(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(plain(text)).build()
}

fn properties<const N: usize>(of: [(&str, Value); N]) -> PropertyBag {
    let of: BTreeMap<String, Value> = of.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    PropertyBag::builder().additional_properties(of).build()
}

/// What was looked for, and the classes of deadlocks that were found.
fn rules(result: &CheckResult, options: &Options<'_>) -> Vec<ReportingDescriptor> {
    let kinds = options.kinds.iter().map(|kind| (kind.word().to_owned(), kind.describe()));
    let all = result.findings.iter().chain(result.suppressed.iter().map(|suppressed| &suppressed.finding));
    let found = all.map(|finding| {
        let text = finding.class.map_or(finding.kind.describe(), |class| class.explain());
        (phrases::rule(finding), text)
    });
    let texts: BTreeMap<String, &str> = kinds.chain(found).collect();
    let rule =
        |(id, text): (String, &str)| ReportingDescriptor::builder().id(id).short_description(described(text)).build();
    texts.into_iter().map(rule).collect()
}

fn invocation(result: &CheckResult, options: &Options<'_>) -> Invocation {
    let notification = |reason: &Reason| {
        let mut of = Notification::builder().message(message(&reason.message)).level(json!("warning")).build();
        of.locations = reason.at.as_ref().map(|at| vec![location(&SourcePlace::parse(at), options)]);
        of
    };
    Invocation::builder()
        .execution_successful(true)
        .arguments(result.options.clone())
        .tool_execution_notifications(result.reasons.iter().map(notification).collect::<Vec<_>>())
        .build()
}

fn base(options: &Options<'_>) -> BTreeMap<String, ArtifactLocation> {
    let directory = options.directory.trim_end_matches('/');
    if !directory.starts_with('/') {
        return BTreeMap::new();
    }
    let uri = format!("file://{}/", encoded(directory));
    [(BASE.to_owned(), ArtifactLocation::builder().uri(uri).build())].into()
}

/// A path as it stands in a URI.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b'@' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// Files below the directory of the command are relative to it; so are those whose directory is not known.
fn artifact(file: &str, options: &Options<'_>) -> ArtifactLocation {
    match relative(options.directory, file) {
        path if path.starts_with('/') => ArtifactLocation::builder().uri(format!("file://{}", encoded(path))).build(),
        path => ArtifactLocation::builder().uri(encoded(path)).uri_base_id(BASE).build(),
    }
}

fn location(place: &SourcePlace<'_>, options: &Options<'_>) -> Location {
    let mut of = Location::builder().build();
    if place.file.is_empty() {
        return of;
    }
    let mut physical = PhysicalLocation::builder().artifact_location(artifact(place.file, options)).build();
    if place.line > 0 {
        let mut region = Region::builder().start_line(i64::from(place.line)).build();
        region.start_column = (place.column > 0).then_some(i64::from(place.column));
        physical.region = Some(region);
    }
    of.physical_location = Some(physical);
    of
}

fn site_location(site: &Site, options: &Options<'_>) -> Location {
    let function = LogicalLocation::builder().name(plain(&site.function)).kind("function").build();
    let mut of = location(&SourcePlace::of(site), options);
    of.logical_locations = Some(vec![function]);
    of
}

fn one(
    result: &CheckResult,
    finding: &Finding,
    rules: &[ReportingDescriptor],
    number: Option<usize>,
    options: &Options<'_>,
) -> SarifResult {
    let id = phrases::rule(finding);
    let index = rules.iter().position(|rule| rule.id == id).expect("there is a rule for each finding");
    let level = match phrases::standing(finding) {
        Verdict::Confirmed => ResultLevel::Error,
        Verdict::Possible => ResultLevel::Warning,
        Verdict::Predicted => ResultLevel::Note,
    };
    let at: Vec<_> = finding.at.iter().map(|at| location(&SourcePlace::parse(at), options)).collect();
    let mut at = at.into_iter().take(MOST_IN_STACKS);
    let first = at.next();
    let related: Vec<_> = at.collect();
    let stacks = stacks(finding, options);
    let in_stacks: usize = stacks.iter().map(|stack| stack.frames.len()).sum();
    let graph = wait_graph(finding);
    let left = MOST_LOCATIONS - related.len() - in_stacks - usize::from(first.is_some());
    let mut of = SarifResult::builder()
        .rule_id(id)
        .rule_index(i64::try_from(index).expect("there are few rules"))
        .level(level)
        .message(message(&text(result, finding, number, options)))
        .partial_fingerprints(BTreeMap::from([("icsched/v1".to_owned(), plain(&finding.fingerprint))]))
        .properties(details(finding))
        .build();
    of.locations = first.map(|first| vec![first]);
    of.related_locations = (!related.is_empty()).then_some(related);
    of.stacks = (!stacks.is_empty()).then_some(stacks);
    of.graphs = graph.map(|graph| vec![graph]);
    of.code_flows = code_flow(finding, left, options).map(|flow| vec![flow]);
    of
}

/// What happens, and how to see it: code hosts show little more than this.
fn text(result: &CheckResult, finding: &Finding, number: Option<usize>, options: &Options<'_>) -> String {
    let mut sentences = vec![finding.message.clone()];
    sentences.extend(finding.input.as_ref().map(|input| format!("Run: {}", phrases::shell_line(result, input))));
    sentences.extend(phrases::doubt_as_sentence(finding));
    sentences
        .extend(number.and_then(|number| phrases::replay_line(number, options)).map(|line| format!("Again: {line}")));
    sentences.join(". ")
}

fn details(finding: &Finding) -> PropertyBag {
    properties([
        ("verdict", json!(finding.verdict)),
        ("confirmed", json!(finding.confirmed)),
        ("constraint", json!(finding.constraint)),
        ("input", json!(finding.input)),
        ("epoch", json!(finding.epoch)),
        ("schedule", json!(finding.schedule)),
        ("alsoIn", json!(finding.also_in)),
    ])
}

/// Where each thread is, the innermost call first.
fn stacks(finding: &Finding, options: &Options<'_>) -> Vec<Stack> {
    let mut left = MOST_IN_STACKS;
    let mut all = Vec::new();
    for thread in finding.threads.iter().filter(|thread| !thread.frames.is_empty()) {
        let frame = |site: &Site| {
            let location = site_location(site, options);
            StackFrame::builder().location(location).thread_id(i64::from(thread.thread)).build()
        };
        let frames: Vec<_> = thread.frames.iter().rev().take(left).map(frame).collect();
        left -= frames.len();
        if !frames.is_empty() {
            let sentence = phrases::thread(finding, thread, options);
            all.push(Stack::builder().frames(frames).message(message(&sentence)).build());
        }
    }
    all
}

/// Which thread waits for which.
fn wait_graph(finding: &Finding) -> Option<Graph> {
    let waits = finding.threads.iter().filter_map(|thread| Some((thread, thread.holder?)));
    let edges: Vec<Edge> = waits
        .clone()
        .enumerate()
        .map(|(number, (thread, holder))| {
            let ends = Edge::builder().id(format!("wait-{}", number + 1)).source_node_id(node_id(thread.thread));
            ends.target_node_id(node_id(holder)).label(message(&format!("waits for {}", thread.waits_for))).build()
        })
        .collect();
    let threads: BTreeSet<u32> = waits.flat_map(|(thread, holder)| [thread.thread, holder]).collect();
    let node = |thread| Node::builder().id(node_id(thread)).label(message(&node_id(thread))).build();
    let nodes: Vec<Node> = threads.into_iter().map(node).collect();
    let graph = Graph::builder().description(message("Which thread waits for which")).nodes(nodes).edges(edges);
    finding.threads.iter().any(|thread| thread.holder.is_some()).then(|| graph.build())
}

fn node_id(thread: u32) -> String {
    format!("T{thread}")
}

/// The run: of each thread the steps that matter, at most so many, the last ones.
fn code_flow(finding: &Finding, most: usize, options: &Options<'_>) -> Option<CodeFlow> {
    let marked = finding.trace.iter().enumerate().filter(|(_, step)| step.matters);
    let steps: Vec<_> = marked.rev().take(most).collect();
    let mut flows = BTreeMap::<u32, Vec<ThreadFlowLocation>>::new();
    for (place, step) in steps.into_iter().rev() {
        flows.entry(step.thread).or_default().push(flow_location(place + 1, step, options));
    }
    let flow = |(thread, locations): (u32, Vec<_>)| {
        let mut of = ThreadFlow::builder().id(node_id(thread)).locations(locations).build();
        let part = finding.threads.iter().find(|part| part.thread == thread);
        of.message = part.map(|part| message(&phrases::thread(finding, part, options)));
        of
    };
    let flows: Vec<_> = flows.into_iter().map(flow).collect();
    (!flows.is_empty()).then(|| CodeFlow::builder().thread_flows(flows).message(message(&finding.message)).build())
}

fn flow_location(number: usize, step: &TraceStep, options: &Options<'_>) -> ThreadFlowLocation {
    let mut place = match step.frames.last() {
        Some(site) => site_location(site, options),
        None => Location::builder().build(),
    };
    let blocked = if step.role == StepRole::Blocked { ", which never goes on" } else { "" };
    place.message = Some(message(&format!("{}{blocked}", phrases::step(step))));
    let mut of = ThreadFlowLocation::builder()
        .location(place)
        .execution_order(i64::try_from(number).unwrap_or(i64::MAX))
        .importance(json!("essential"))
        .build();
    let kinds = kinds(step);
    of.kinds = (!kinds.is_empty()).then(|| kinds.iter().map(|&kind| kind.to_owned()).collect());
    let state = step.holds.iter().map(|object| (plain(object), described("held")));
    of.state = (!step.holds.is_empty()).then(|| state.collect());
    of
}

/// The words that SARIF has for what a step does.
fn kinds(step: &TraceStep) -> &'static [&'static str] {
    let is_lock = ["mutex", "rwlock", "spin", "mtx_"].iter().any(|word| step.operation.contains(word));
    match (step.role, is_lock) {
        (StepRole::Acquire, true) => &["acquire", "lock"],
        (StepRole::Acquire, false) => &["acquire", "resource"],
        (StepRole::Release, true) => &["release", "lock"],
        (StepRole::Release, false) => &["release", "resource"],
        (StepRole::Blocked, true) => &["danger", "lock"],
        (StepRole::Blocked, false) | (StepRole::Fails, _) => &["danger"],
        (StepRole::Create | StepRole::Join, _) => &["call", "function"],
        (StepRole::End, _) => &["exit", "function"],
        (StepRole::Other, _) => &[],
    }
}

fn suppression(suppressed: &Suppressed) -> Suppression {
    let is_in_baseline = suppressed.reason.contains("baseline");
    let kind = if is_in_baseline { "external" } else { "inSource" };
    Suppression::builder().kind(json!(kind)).justification(plain(&suppressed.reason)).build()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use expect_test::expect_file;

    use super::*;
    use crate::check::sample;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    /// The schema of SARIF as the library has it that the types are made from.
    fn schema() -> Value {
        let cargo = |arguments: &[&str]| {
            let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
            String::from_utf8(output.expect("cargo runs").stdout).expect("text")
        };
        let version = cargo(&["-vV"]);
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a platform");
        let metadata = value(&cargo(&["metadata", "--format-version=1", "--offline", "--filter-platform", host]));
        let packages = metadata["packages"].as_array().expect("a list");
        let library = packages.iter().find(|package| package["name"] == "serde-sarif").expect("a dependency");
        let manifest = Path::new(library["manifest_path"].as_str().expect("a path"));
        let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json"));
        let mut schema = value(&text.expect("the library has the schema"));
        // The standard's own pattern of a language is no regular expression: a bracket is not opened.
        for of in ["run", "toolComponent"] {
            let language = schema.pointer_mut(&format!("/definitions/{of}/properties/language"));
            language.and_then(Value::as_object_mut).expect("a property").remove("pattern");
        }
        schema
    }

    #[test]
    fn a_log_of_a_result() {
        let files = sample::finding_files(3);
        expect_file!["../../tests/snapshots/sarif.json"]
            .assert_eq(&render(&sample::result(), &sample::options(&files)));
    }

    #[test]
    fn logs_are_as_the_standard_says() {
        let validator = jsonschema::validator_for(&schema()).expect("a schema");
        for result in [sample::result(), sample::nothing(), sample::hostile()] {
            let text = render(&result, &sample::options(&[]));
            let errors: Vec<_> = validator.iter_errors(&value(&text)).map(|error| error.to_string()).collect();
            assert_eq!(errors, Vec::<String>::new());
            serde_json::from_str::<Sarif>(&text).expect("it can be read again");
        }
        assert!(!validator.is_valid(&json!({ "version": "2.1.0", "runs": [{}] })));
    }

    #[test]
    fn files_elsewhere_have_full_addresses() {
        let options = sample::options(&[]);
        let uri = |file| json!(artifact(file, &options));
        assert_eq!(uri("/src/app/a b/c#.c"), json!({ "uri": "a%20b/c%23.c", "uriBaseId": BASE }));
        assert_eq!(uri("/usr/include/x.h"), json!({ "uri": "file:///usr/include/x.h" }));
        assert_eq!(uri("a:b.c"), json!({ "uri": "a%3Ab.c", "uriBaseId": BASE }));
    }

    #[test]
    fn names_are_no_links() {
        assert_eq!(plain("[here](1) a[i]"), "[here] (1) a[i]");
    }

    #[test]
    fn long_runs_are_cut_at_their_beginning() {
        let mut finding = sample::leaked_lock();
        let last = finding.trace.pop().expect("a step");
        finding.trace = [vec![finding.trace[0].clone(); 5000], vec![last]].concat();
        let site = finding.threads[0].frames[0].clone();
        finding.threads[0].frames = vec![site; 500];
        finding.at = vec!["a.c:1:1".into(); 400];
        let result = CheckResult { findings: vec![finding], ..sample::nothing() };
        let log = value(&render(&result, &sample::options(&[])));
        let count = |pointer: &str, inside: &str| {
            let list = log.pointer(&format!("/runs/0/results/0/{pointer}")).and_then(Value::as_array);
            let inner = |item: &Value| if inside.is_empty() { 1 } else { item[inside].as_array().map_or(0, Vec::len) };
            list.map_or(0, |list| list.iter().map(inner).sum::<usize>())
        };
        let locations = count("locations", "") + count("relatedLocations", "") + count("stacks", "frames");
        assert_eq!(locations + count("codeFlows/0/threadFlows", "locations"), MOST_LOCATIONS);
        let threads = log.pointer("/runs/0/results/0/codeFlows/0/threadFlows").and_then(Value::as_array);
        let last = &threads.expect("a list").last().expect("a thread")["locations"][0];
        assert_eq!(last["executionOrder"], 5001);
    }
}
