//! Control structure against its definitions, computed by removing blocks and searching.

use crate::common;
use crate::common::graphs::{Postdominance, b, functions, reach, set};
use expect_test::expect;
use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, CallGraph, Cfg, DomTree, EntityId, FuncId, Function, LoopForest, ProgramPoint, parse};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn reverse_postorder_lists_what_the_entry_reaches(function in functions()) {
        let cfg = Cfg::new(&function);
        let reachable = reach(&cfg, b(0), &FixedBitSet::new());
        let listed = set(cfg.block_count(), cfg.reverse_postorder().iter().map(|b| b.index()));
        prop_assert_eq!(&listed, &reachable);
        prop_assert_eq!(cfg.reverse_postorder().len(), reachable.count_ones(..));
        // The loops of a graph are exactly what keeps the order from being topological.
        let is_sorted = cfg.reverse_postorder().iter().all(|&from| {
            cfg.successors(from).iter().all(|&to| cfg.position(from) < cfg.position(to))
        });
        prop_assert_eq!(is_sorted, LoopForest::new(&cfg).is_empty());
    }

    #[test]
    fn dominators_cut_every_path_from_the_entry(function in functions()) {
        let cfg = Cfg::new(&function);
        let tree = DomTree::dominators(&cfg);
        let reachable = reach(&cfg, b(0), &FixedBitSet::new());
        for x in function.blocks.ids() {
            let without = reach(&cfg, b(0), &set(cfg.block_count(), [x.index()]));
            for y in function.blocks.ids() {
                let both = reachable.contains(x.index()) && reachable.contains(y.index());
                prop_assert_eq!(tree.dominates(x, y), both && !without.contains(y.index()), "{} over {}", x, y);
            }
        }
        check_tree(&function, &tree)?;
    }

    #[test]
    fn postdominators_cut_every_path_to_an_end(function in functions(), ignored in proptest::collection::vec(0..12usize, 0..3)) {
        let cfg = Cfg::new(&function);
        let count = cfg.block_count();
        let ignore = set(count, ignored.into_iter().filter(|&i| i < count));
        let tree = DomTree::postdominators(&cfg, &ignore);
        let naive = Postdominance::new(&cfg, &ignore);
        for x in function.blocks.ids() {
            for y in function.blocks.ids() {
                prop_assert_eq!(tree.dominates(x, y), naive.holds(x, y), "{} over {}", x, y);
            }
            prop_assert_eq!(tree.contains(x), naive.is_present(x));
        }
        check_tree(&function, &tree)?;
    }

    #[test]
    fn loops_are_the_cycles(function in functions()) {
        let cfg = Cfg::new(&function);
        let dominators = DomTree::dominators(&cfg);
        let forest = LoopForest::new(&cfg);
        let none = FixedBitSet::new();
        for (id, l) in forest.iter() {
            prop_assert!(l.contains(l.header) && l.entries.contains(&l.header));
            prop_assert_eq!(forest.headed_by(l.header), Some(id));
            for x in l.block_ids() {
                // Strongly connected within the loop.
                let outside = set(cfg.block_count(), (0..cfg.block_count()).filter(|&o| !l.contains(b(o))));
                prop_assert_eq!(&reach(&cfg, x, &outside), &l.blocks);
                prop_assert!(forest.around(x).any(|a| a == id));
                if !l.is_irreducible() {
                    prop_assert!(dominators.dominates(l.header, x));
                }
            }
            for &(from, to) in &l.exits {
                prop_assert!(l.contains(from) && !l.contains(to));
            }
            if let Some(parent) = l.parent {
                prop_assert!(parent < id && l.blocks.is_subset(&forest.get(parent).blocks));
                prop_assert!(l.blocks != forest.get(parent).blocks);
            }
        }
        // Every natural loop (an edge back to a dominator) has a loop with that header, with its source inside.
        for x in function.blocks.ids().filter(|&x| cfg.is_reachable(x)) {
            for &to in cfg.successors(x) {
                if dominators.dominates(to, x) {
                    let id = forest.headed_by(to);
                    prop_assert!(id.is_some_and(|id| forest.get(id).latches.contains(&x)), "{} to {}", x, to);
                }
            }
            let on_cycle = cfg.successors(x).iter().any(|&s| reach(&cfg, s, &none).contains(x.index()));
            prop_assert_eq!(forest.innermost(x).is_some(), on_cycle);
        }
    }
}

/// `immediate`, `chain`, `nearest_common` against `dominates`.
fn check_tree(function: &Function, tree: &DomTree) -> Result<(), TestCaseError> {
    let ids = || function.blocks.ids().filter(|&x| tree.contains(x));
    for x in ids() {
        let strict: Vec<BlockId> = ids().filter(|&y| tree.strictly_dominates(y, x)).collect();
        let nearest = strict.iter().copied().find(|&y| strict.iter().all(|&z| tree.dominates(z, y)));
        prop_assert_eq!(tree.immediate(x), nearest);
        prop_assert_eq!(tree.chain(x).count(), strict.len() + 1);
        for y in ids() {
            let common: Vec<BlockId> = ids().filter(|&z| tree.dominates(z, x) && tree.dominates(z, y)).collect();
            let nearest = common.iter().copied().find(|&z| common.iter().all(|&w| tree.dominates(w, z)));
            prop_assert_eq!(tree.nearest_common(x, y), nearest);
        }
    }
    Ok(())
}

#[test]
fn joins_postdominate_in_a_loop_without_end() {
    // 0 -> 1; 1 -> 2 | 3; both -> 4 -> 1: a server loop.
    let cfg = Cfg::new(&common::graph(&[vec![0], vec![1, 2], vec![3], vec![3], vec![0]]));
    let tree = DomTree::postdominators(&cfg, &FixedBitSet::new());
    assert_eq!(tree.immediate(b(2)), Some(b(4)));
    assert_eq!(tree.immediate(b(1)), None);
    assert_eq!(tree.immediate(b(4)), Some(b(1)));
    assert_eq!(tree.immediate(b(0)), Some(b(1)));
}

#[test]
fn ignored_error_exits_do_not_hide_a_join() {
    // 0 -> 1 | 2; 1 -> 3 (fails) | 4; 2 -> 4; 4 returns; 3 never does.
    let cfg = Cfg::new(&common::graph(&[vec![0, 1], vec![2, 3], vec![3], vec![], vec![]]));
    let with = DomTree::postdominators(&cfg, &FixedBitSet::new());
    assert_eq!(with.immediate(b(0)), None);
    let without = DomTree::postdominators(&cfg, &set(5, [3]));
    assert_eq!(without.immediate(b(0)), Some(b(4)));
    assert!(!without.contains(b(3)));
}

#[test]
fn an_irreducible_loop_is_flagged() {
    // 0 -> 1 | 2; 1 -> 2; 2 -> 1 | 3.
    let cfg = Cfg::new(&common::graph(&[vec![0, 1], vec![1], vec![0, 2], vec![]]));
    let forest = LoopForest::new(&cfg);
    let (_, l) = forest.iter().next().unwrap();
    assert_eq!(forest.len(), 1);
    assert!(l.is_irreducible());
    assert_eq!(l.entries, [b(1), b(2)]);
    assert_eq!(l.exits, [(b(2), b(3))]);
}

#[test]
fn deep_graphs_need_no_deep_stack() {
    // 100,000 nested loops' worth of straight line, and a cycle through all of it.
    let count = 100_000;
    let edges: Vec<Vec<usize>> = (0..count).map(|at| if at + 1 == count { vec![0] } else { vec![at] }).collect();
    let cfg = Cfg::new(&common::graph(&edges));
    assert_eq!(cfg.reverse_postorder().len(), count);
    assert!(DomTree::dominators(&cfg).dominates(b(1), b(count - 1)));
    assert!(DomTree::postdominators(&cfg, &FixedBitSet::new()).dominates(b(1), b(0)));
    assert_eq!(LoopForest::new(&cfg).len(), 1);
}

const CALLS: &str = r#"
global @handlers = { 0: @on_read, 8: @on_write }
declare @puts(v0: ptr) -> i32
function @main() {
b0:
    call @even(4)
    v0: ptr = load [@handlers]
    call *v0(1:i32, 2:i32)
    call __ics_thread_create(@thread, null, 1:i32)
    return
}
function @even(v0: i32) {
b0:
    call @odd(v0)
    return
}
function @odd(v0: i32) {
b0:
    call @even(v0)
    call @puts(null)
    return
}
function @on_read(v0: i32) {
b0:
    call __ics_yield()
    return
}
function @on_write(v0: i32, v1: i32, v2: i32) {
b0:
    return
}
function @thread(v0: ptr) -> ptr {
b0:
    call *@even(3:i32)
    return null
}
function @unused() {
b0:
    call @unused()
    return
}
"#;

#[test]
fn calls_by_somebody_who_knows_the_targets() {
    let program = parse(CALLS).unwrap();
    let named = |name| program.function_named(name).unwrap();
    let (main, on_write, thread) = (named("main"), named("on_write"), named("thread"));
    let mut asked = std::cell::RefCell::new(vec![]);
    let graph = CallGraph::with_targets(&program, |point| {
        asked.borrow_mut().push(point);
        [thread, on_write, thread]
    });
    assert_eq!(*asked.get_mut(), [ProgramPoint { func: main, block: b(0), inst: 2 }], "`*@even` is no pointer");
    assert_eq!(graph.callees(main), [named("even"), on_write, thread]);
    assert_eq!(graph.callers(on_write), [main]);
    assert_eq!(graph.callers(named("on_read")), [], "though its address is taken");
    assert!(graph.is_address_taken(named("on_read")));
}

#[test]
fn calls_of_a_program() {
    let program = parse(CALLS).unwrap();
    let graph = CallGraph::new(&program);
    let names =
        |funcs: &[FuncId]| funcs.iter().map(|&f| program.functions[f].name.clone()).collect::<Vec<_>>().join(" ");
    let set_names = |set: &FixedBitSet| names(&set.ones().map(FuncId::from_index).collect::<Vec<_>>());
    let mut text = String::new();
    for (id, f) in program.functions.iter() {
        let flags = [("recursive", graph.is_recursive(id)), ("address taken", graph.is_address_taken(id))];
        let flags: Vec<&str> = flags.iter().filter(|(_, set)| *set).map(|(word, _)| *word).collect();
        text += &format!("{} -> {} {:?} {flags:?}\n", f.name, names(graph.callees(id)), graph.intrinsics(id));
    }
    text += "components: ";
    text += &graph.components().iter().map(|c| names(c)).collect::<Vec<_>>().join(", ");
    let yields = graph.may_call_transitively(|f| graph.intrinsics(f).contains(&icsched_ir::Intrinsic::Yield));
    text += &format!("\nmay yield: {}", set_names(&yields));
    let puts = program.function_named("puts").unwrap();
    text += &format!("\nmay print: {}", set_names(&graph.may_call_transitively(|f| f == puts)));
    text += &format!("\nmain reaches: {}\n", set_names(&graph.reachable_from(program.main)));
    expect![[r#"
        puts ->  [] []
        main -> even on_read thread [ThreadCreate] []
        even -> odd [] ["recursive", "address taken"]
        odd -> puts even [] ["recursive"]
        on_read ->  [Yield] ["address taken"]
        on_write ->  [] ["address taken"]
        thread -> even [] ["address taken"]
        unused -> unused [] ["recursive"]
        components: puts, even odd, on_read, thread, main, on_write, unused
        may yield: main on_read
        may print: puts main even odd thread
        main reaches: puts main even odd on_read thread
    "#]]
    .assert_eq(&text);
    for (id, _) in program.functions.iter() {
        for &callee in graph.callees(id) {
            assert!(graph.callers(callee).contains(&id));
            assert!(graph.component_of(callee) <= graph.component_of(id), "callees come first");
        }
    }
}
