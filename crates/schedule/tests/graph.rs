//! Happens-before graphs: what is ordered, what is left out, prefixes and names.

use std::collections::BTreeMap;

use expect_test::expect;
use icsched_schedule::{
    AccessMode, CyclicOrder, GraphError, HappensBefore, HbBuilder, HbEdge, NodeId, NodeLabel, ScheduleEnd, ScheduleId,
};
use proptest::prelude::*;
use {AccessMode::Exclusive, AccessMode::Shared};

fn label(op: &str, line: u32) -> NodeLabel {
    NodeLabel { op: op.into(), object: "m".into(), at: format!("a.c:{line}").into(), point: None }
}

fn edges(builder: &HbBuilder) -> String {
    let graph = builder.clone().finish().expect("no cycle");
    graph.edges().iter().map(|edge| format!("{edge:?}\n")).collect()
}

#[test]
fn creation_orders_the_whole_child() {
    let mut b = HbBuilder::new();
    b.event(0, 100, Exclusive, label("create", 1));
    b.create_thread(0, 1);
    b.event(0, 101, Exclusive, label("create", 2));
    b.create_thread(0, 2);
    b.event(2, 7, Exclusive, label("lock", 5));
    b.event(1, 8, Exclusive, label("lock", 5));
    b.event(1, 8, Exclusive, label("unlock", 6));
    expect![[r"
        T0.1 -> T1.1
        T0.2 -> T2.1
    "]]
    .assert_eq(&edges(&b));
}

#[test]
fn a_grandchild_of_a_thread_without_nodes_is_ordered_too() {
    let mut b = HbBuilder::new();
    b.event(0, 100, Exclusive, label("create", 1));
    b.create_thread(0, 1);
    b.create_thread(1, 2);
    b.event(2, 7, Exclusive, label("lock", 5));
    expect![[r"
        T0.1 -> T2.1
    "]]
    .assert_eq(&edges(&b));
}

#[test]
fn shared_accesses_are_not_ordered_among_themselves() {
    let mut b = HbBuilder::new();
    b.event(0, 1, Exclusive, label("wrlock", 1));
    b.event(1, 1, Shared, label("rdlock", 2));
    b.event(2, 1, Shared, label("rdlock", 3));
    b.event(3, 1, Exclusive, label("wrlock", 4));
    b.event(1, 1, Shared, label("rdlock", 5));
    expect![[r"
        T0.1 -> T1.1
        T0.1 -> T2.1
        T1.1 -> T3.1
        T2.1 -> T3.1
        T3.1 -> T1.2
    "]]
    .assert_eq(&edges(&b));
}

#[test]
fn one_node_can_be_about_two_objects() {
    let mut b = HbBuilder::new();
    b.event(1, 1, Exclusive, label("lock", 1));
    b.event(2, 2, Exclusive, label("signal", 2));
    b.event(0, 1, Exclusive, label("cond_wait", 3));
    b.order(0, 2, Exclusive);
    b.event(1, 2, Exclusive, label("signal", 4));
    expect![[r"
        T0.1 -> T1.2
        T1.1 -> T0.1
        T2.1 -> T0.1
    "]]
    .assert_eq(&edges(&b));
}

#[test]
fn a_late_order_takes_effect_and_a_contradictory_one_is_refused() {
    let mut b = HbBuilder::new();
    b.event(0, 1, Exclusive, label("wait", 1));
    b.event(1, 2, Exclusive, label("signal", 2));
    b.event(1, 3, Exclusive, label("post", 3));
    b.order(0, 2, Exclusive);
    expect![[r"
        T1.1 -> T0.1
    "]]
    .assert_eq(&edges(&b));
    b.event(2, 1, Exclusive, label("lock", 4));
    b.order(2, 4, Exclusive);
    b.order(0, 4, Exclusive);
    assert_eq!(b.finish(), Err(CyclicOrder(NodeId { thread: 0, n: 1 })));
}

#[test]
fn a_prefix_has_the_same_start_of_each_thread() {
    let mut b = HbBuilder::new();
    b.event(0, 1, Exclusive, label("lock", 1));
    let mut forked = b.clone();
    b.event(1, 1, Exclusive, label("lock", 2));
    let short = b.clone().finish().expect("no cycle");
    b.event(0, 1, Exclusive, label("lock", 3));
    let long = b.finish().expect("no cycle");
    assert!(short.is_prefix_of(&long) && short.is_prefix_of(&short) && HappensBefore::default().is_prefix_of(&short));
    assert!(!long.is_prefix_of(&short));

    forked.event(0, 1, Exclusive, label("lock", 3));
    forked.event(1, 1, Exclusive, label("lock", 2));
    let swapped = forked.finish().expect("no cycle");
    assert_eq!(swapped.nodes(), long.nodes());
    assert!(!swapped.is_prefix_of(&long) && !short.is_prefix_of(&swapped));
}

#[test]
fn names_follow_the_order_and_the_calls() {
    let build = |object: &str, line: u32, key: u64| {
        let mut b = HbBuilder::new();
        b.event(0, key, Exclusive, NodeLabel { object: object.into(), ..label("lock", line) });
        b.event(1, 9, Exclusive, label("lock", 2));
        b.finish().expect("no cycle")
    };
    let exit = |status| ScheduleEnd::Exit { status };
    let id = ScheduleId::of(&build("a", 1, 9), &exit(Some(0)));
    assert_eq!(id, ScheduleId::of(&build("a", 1, 9), &exit(None)));
    assert_ne!(id, ScheduleId::of(&build("b", 1, 9), &exit(Some(0))));
    assert_eq!(id, ScheduleId::of(&build("a", 3, 9), &exit(Some(0))));
    assert_ne!(id, ScheduleId::of(&build("a", 1, 8), &exit(Some(0))));
    assert_ne!(id, ScheduleId::of(&build("a", 1, 9), &ScheduleEnd::Limit));
    // The names are in files: a change of them is a change of the file format.
    expect!["04b972c83634"].assert_eq(&id.to_string());
}

#[test]
fn nodes_keep_all_places_of_the_same_order() {
    let build = |line: u32, object: u64| {
        let mut b = HbBuilder::new();
        b.event(0, object, Exclusive, label("lock", line));
        b.event(1, 9, Exclusive, label("lock", 2));
        b.finish().expect("no cycle")
    };
    let mut graph = build(5, 9);
    for other in [build(3, 9), build(7, 9), build(5, 9), build(3, 9)] {
        assert!(graph.is_same(&other) && other.is_same(&graph));
        graph.add_places(&other);
    }
    assert!(!graph.is_same(&build(5, 8)));
    let places: Vec<Vec<&str>> = graph.nodes().iter().map(|node| node.places().collect()).collect();
    let [first, second] = &places[..] else { panic!("{places:?}") };
    assert_eq!(*first[0], *build(5, 9).nodes()[0].at);
    assert_eq!((first.len(), second.len()), (3, 1));
    let text = serde_json::to_string(&graph).expect("a graph has a JSON form");
    assert_eq!(serde_json::from_str::<HappensBefore>(&text).expect("it is one"), graph);
}

#[test]
fn graphs_from_outside_are_checked() {
    let mut b = HbBuilder::new();
    b.event(0, 1, Exclusive, label("lock", 1));
    b.event(0, 1, Exclusive, label("lock", 2));
    b.event(1, 1, Exclusive, label("lock", 3));
    b.event(1, 1, Exclusive, label("lock", 3));
    let nodes = b.finish().expect("no cycle").nodes().to_vec();
    let edge = |from: (u32, u32), to: (u32, u32)| HbEdge { from: from.into(), to: to.into() };

    let swapped = nodes.iter().rev().cloned().collect();
    assert_eq!(HappensBefore::from_parts(swapped, vec![]), Err(GraphError::NodeOrder((1, 2).into())));
    let gap = vec![nodes[1].clone()];
    assert_eq!(HappensBefore::from_parts(gap, vec![]), Err(GraphError::NodeOrder((0, 2).into())));
    for dangling in [edge((0, 1), (0, 2)), edge((0, 1), (2, 1)), edge((0, 3), (1, 1))] {
        let graph = HappensBefore::from_parts(nodes.clone(), vec![dangling]);
        assert_eq!(graph, Err(GraphError::Dangling(dangling)));
    }
    let twice = vec![edge((0, 1), (1, 1)); 2];
    assert_eq!(HappensBefore::from_parts(nodes.clone(), twice.clone()), Err(GraphError::EdgeOrder(twice[0])));
    let cycle = vec![edge((0, 2), (1, 1)), edge((1, 2), (0, 1))];
    assert_eq!(HappensBefore::from_parts(nodes, cycle), Err(GraphError::Cyclic((0, 1).into())));
}

/// One step of a random execution.
#[derive(Clone, Debug)]
enum Step {
    Create { parent: u32, child: u32 },
    Event { thread: u32, object: u64, mode: AccessMode },
    Order { object: u64, mode: AccessMode },
}

fn step() -> impl Strategy<Value = Step> {
    let mode = || prop_oneof![2 => Just(Exclusive), 1 => Just(Shared)];
    prop_oneof![
        8 => (0..5u32, 0..4u64, mode()).prop_map(|(thread, object, mode)| Step::Event { thread, object, mode }),
        2 => (0..4u64, mode()).prop_map(|(object, mode)| Step::Order { object, mode }),
        1 => (0..5u32, 5..8u32).prop_map(|(parent, child)| Step::Create { parent, child }),
        1 => (5..8u32, 0..4u64, mode()).prop_map(|(thread, object, mode)| Step::Event { thread, object, mode }),
    ]
}

/// The order by definition: every pair of conflicting accesses, program order and creation, closed by brute force.
/// Orders only follow the node that they extend at once, as in the models.
fn reference(steps: &[Step]) -> (HbBuilder, Vec<NodeId>, Vec<Vec<bool>>) {
    let mut builder = HbBuilder::new();
    let mut ids = Vec::new();
    let mut accesses: Vec<(usize, u64, AccessMode)> = Vec::new();
    let mut created = BTreeMap::<u32, Option<usize>>::new();
    let mut pairs = Vec::new();
    let last_of = |ids: &[NodeId], thread: u32| ids.iter().rposition(|id| id.thread == thread);
    for step in steps {
        match *step {
            Step::Create { parent, child } if !created.contains_key(&child) && last_of(&ids, child).is_none() => {
                builder.create_thread(parent, child);
                let by = last_of(&ids, parent).or_else(|| created.get(&parent).copied().flatten());
                created.insert(child, by);
            }
            Step::Create { .. } => {}
            Step::Event { thread, object, mode } => {
                let before = last_of(&ids, thread).or_else(|| created.get(&thread).copied().flatten());
                pairs.extend(before.map(|before| (before, ids.len())));
                accesses.push((ids.len(), object, mode));
                ids.push(builder.event(thread, object, mode, label("op", 1)));
            }
            Step::Order { object, mode } => {
                if let Some(last) = ids.last() {
                    builder.order(last.thread, object, mode);
                    accesses.push((ids.len() - 1, object, mode));
                }
            }
        }
    }
    for (i, a) in accesses.iter().enumerate() {
        for b in &accesses[i + 1..] {
            if a.0 != b.0 && a.1 == b.1 && (a.2 == Exclusive || b.2 == Exclusive) {
                pairs.push((a.0, b.0));
            }
        }
    }
    let closed = closure(ids.len(), &pairs);
    (builder, ids, closed)
}

fn closure(len: usize, pairs: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; len]; len];
    pairs.iter().for_each(|&(a, b)| reach[a][b] = true);
    for via in 0..len {
        for from in 0..len {
            for to in 0..len {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

/// What the finished graph says, by brute force over its edges and the order in the threads.
fn closure_of(graph: &HappensBefore, ids: &[NodeId], without: Option<HbEdge>) -> Vec<Vec<bool>> {
    let place = |id| ids.iter().position(|other| *other == id).expect("a node of the graph");
    let listed = graph.edges().iter().filter(|edge| Some(**edge) != without).map(|e| (place(e.from), place(e.to)));
    let follows = |id: NodeId| ids.iter().position(|o| o.thread == id.thread && o.n == id.n + 1);
    let in_threads = ids.iter().enumerate().filter_map(|(i, id)| follows(*id).map(|next| (i, next)));
    closure(ids.len(), &listed.chain(in_threads).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The edges say exactly the order that the definition gives, and none of them is superfluous.
    #[test]
    fn edges_are_the_transitive_reduction(steps in prop::collection::vec(step(), 0..40)) {
        let (builder, ids, expected) = reference(&steps);
        let graph = builder.clone().finish().expect("orders follow their nodes at once");
        prop_assert_eq!(&closure_of(&graph, &ids, None), &expected);
        for edge in graph.edges() {
            prop_assert_ne!(&closure_of(&graph, &ids, Some(*edge)), &expected, "{:?} is superfluous", edge);
        }
    }

    /// Any order in which the same execution can happen gives the same graph as the linearization says it can.
    #[test]
    fn linearization_respects_the_order(steps in prop::collection::vec(step(), 0..40)) {
        let (builder, ids, before) = reference(&steps);
        let graph = builder.clone().finish().expect("orders follow their nodes at once");
        let order: Vec<_> = graph.linearization().into_iter().map(|i| graph.nodes()[i].id()).collect();
        prop_assert_eq!(order.len(), ids.len());
        let place = |id| order.iter().position(|other| *other == id).expect("every node is listed");
        for (i, from) in ids.iter().enumerate() {
            for (j, to) in ids.iter().enumerate() {
                prop_assert!(!before[i][j] || place(*from) < place(*to));
            }
        }
    }

    /// Each start of an execution is a prefix of the whole.
    #[test]
    fn starts_are_prefixes(steps in prop::collection::vec(step(), 1..40), cut in 0..40usize) {
        let steps: Vec<_> = steps.into_iter().filter(|s| !matches!(s, Step::Order { .. })).collect();
        let cut = cut.min(steps.len());
        let start = reference(&steps[..cut]).0.finish().expect("no cycle");
        let whole = reference(&steps).0.finish().expect("no cycle");
        prop_assert!(start.is_prefix_of(&whole));
        prop_assert_eq!(whole.is_prefix_of(&start), start == whole);
    }
}
