//! Control dependence and distances against their definitions.

use crate::common;
use crate::common::graphs::{Postdominance, b, functions, reach, set};
use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, BranchEdge, Cfg, ControlDependence, DomTree, EntityId, ExitDistances, LoopForest, parse};
use proptest::prelude::*;

fn dependence(cfg: &Cfg, ignore: &FixedBitSet) -> ControlDependence {
    ControlDependence::new(cfg, &DomTree::postdominators(cfg, ignore))
}

fn edge(from: usize, to: usize) -> BranchEdge {
    BranchEdge { from: b(from), to: b(to) }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn one_outcome_makes_it_certain_and_another_does_not(
        function in functions(), ignored in proptest::collection::vec(0..12usize, 0..3)
    ) {
        let cfg = Cfg::new(&function);
        let count = cfg.block_count();
        let ignore = set(count, ignored.into_iter().filter(|&i| i < count));
        let found = dependence(&cfg, &ignore);
        let naive = Postdominance::new(&cfg, &ignore);
        for block in function.blocks.ids() {
            let mut expected = Vec::new();
            for from in function.blocks.ids().filter(|&x| naive.is_present(x)) {
                let sides = || cfg.successors(from).iter().copied().filter(|&x| naive.is_present(x));
                let is_open = sides().any(|to| !naive.holds(block, to));
                let certain = sides().filter(|&to| is_open && naive.holds(block, to));
                expected.extend(certain.map(|to| BranchEdge { from, to }));
            }
            expected.sort_unstable();
            prop_assert_eq!(found.edges_of(block), &expected[..], "{}", block);
            for &edge in &expected {
                prop_assert!(found.dependents(edge).contains(&block));
            }
        }
        let both: usize = function.blocks.ids().map(|x| found.edges_of(x).len()).sum();
        let edges = function.blocks.ids().flat_map(|from| cfg.successors(from).iter().map(move |&to| BranchEdge { from, to }));
        prop_assert_eq!(edges.map(|e| found.dependents(e).len()).sum::<usize>(), both);
    }

    #[test]
    fn ways_out_are_the_shortest(function in functions(), ignored in proptest::collection::vec(1..12usize, 0..3)) {
        let cfg = Cfg::new(&function);
        let count = cfg.block_count();
        let ignore = set(count, ignored.into_iter().filter(|&i| i < count));
        let loops = LoopForest::new(&cfg);
        let found = ExitDistances::new(&function, &cfg, &loops, &ignore);
        // Every block weighs one, so that the distance is the length of a way.
        let breadth_first = |from: BlockId, stays: &dyn Fn(BlockId) -> bool, ends: &dyn Fn(BlockId) -> bool| {
            let mut front = vec![from];
            for distance in 1..=count {
                front.retain(|&x| !ignore.contains(x.index()) && stays(x));
                if front.iter().any(|&x| ends(x)) {
                    return u32::try_from(distance).unwrap();
                }
                front = front.iter().flat_map(|&x| cfg.successors(x)).copied().collect();
                front.sort_unstable();
                front.dedup();
            }
            ExitDistances::FAR
        };
        for from in function.blocks.ids().filter(|&x| cfg.is_reachable(x)) {
            let to_return = breadth_first(from, &|_| true, &|x| cfg.successors(x).is_empty());
            prop_assert_eq!(found.to_return(from), to_return, "{}", from);
            for id in loops.around(from) {
                let l = loops.get(id);
                let leaves = |x| cfg.successors(x).iter().any(|&y| !l.contains(y) && !ignore.contains(y.index()));
                prop_assert_eq!(found.out_of(id, from), breadth_first(from, &|x| l.contains(x), &leaves));
            }
            for &to in cfg.successors(from) {
                let expected = match loops.innermost(from) {
                    Some(id) if !loops.get(id).contains(to) => 0,
                    Some(id) => found.out_of(id, to),
                    None => found.to_return(to),
                };
                prop_assert_eq!(found.of_edge(&loops, from, to), expected);
            }
        }
    }
}

#[test]
fn both_sides_of_a_branch_and_not_the_join() {
    // 0 -> 1 | 2; 1 -> 3; 2 -> 3.
    let found = dependence(&Cfg::new(&common::graph(&[vec![0, 1], vec![2], vec![2], vec![]])), &FixedBitSet::new());
    assert_eq!(found.edges_of(b(1)), [edge(0, 1)]);
    assert_eq!(found.edges_of(b(2)), [edge(0, 2)]);
    assert_eq!(found.edges_of(b(3)), []);
    assert_eq!(found.edges_of(b(0)), []);
    assert_eq!(found.dependents(edge(0, 1)), [b(1)]);
    assert_eq!(found.dependents(edge(1, 3)), [], "no branch");
}

#[test]
fn a_header_depends_on_its_own_test() {
    // 0 -> 1; 1 -> 2 | 3; 2 -> 1.
    let found = dependence(&Cfg::new(&common::graph(&[vec![0], vec![1, 2], vec![0], vec![]])), &FixedBitSet::new());
    assert_eq!(found.dependents(edge(1, 2)), [b(1), b(2)]);
    assert_eq!(found.edges_of(b(3)), []);
}

#[test]
fn in_a_loop_without_end_only_sides_depend() {
    // 0 -> 1; 1 -> 2 | 3; both -> 4 -> 1: the header has an edge to the virtual exit, which decides nothing.
    let graph = common::graph(&[vec![0], vec![1, 2], vec![3], vec![3], vec![0]]);
    let found = dependence(&Cfg::new(&graph), &FixedBitSet::new());
    assert_eq!(found.edges_of(b(2)), [edge(1, 2)]);
    for always in [0, 1, 4] {
        assert_eq!(found.edges_of(b(always)), []);
    }
}

#[test]
fn what_is_behind_a_failing_check_depends_on_it_unless_failing_is_ignored() {
    // 0 -> 1 (fails) | 2; 2 returns.
    let cfg = Cfg::new(&common::graph(&[vec![0, 1], vec![], vec![]]));
    assert_eq!(dependence(&cfg, &FixedBitSet::new()).edges_of(b(2)), [edge(0, 2)]);
    let ignoring = dependence(&cfg, &set(3, [1]));
    assert_eq!(ignoring.edges_of(b(2)), []);
    assert_eq!(ignoring.edges_of(b(1)), [], "not in the tree");
}

#[test]
fn unreachable_branches_decide_nothing() {
    // 0 -> 3; 1 -> 2 | 3; 2 -> 3; nothing leads to 1.
    let cfg = Cfg::new(&common::graph(&[vec![2], vec![1, 2], vec![2], vec![]]));
    assert_eq!(reach(&cfg, b(0), &FixedBitSet::new()).count_ones(..), 2);
    assert_eq!(dependence(&cfg, &FixedBitSet::new()).edges_of(b(2)), []);
}

#[test]
fn instructions_make_the_distance_and_inner_loops_are_gone_through() {
    let program = parse(
        r"
        declare @f()
        function @main(%c: i1) {
        entry:
            jump outer
        outer:
            branch %c, inner, slow
        inner:
            branch %c, inner, leave
        slow:
            call @f()
            call @f()
            call @f()
            jump leave
        leave:
            branch %c, outer, out
        out:
            call @f()
            return
        }
        ",
    )
    .unwrap();
    let function = program.functions.values().find(|f| !f.is_declaration()).unwrap();
    let cfg = Cfg::new(function);
    let loops = LoopForest::new(&cfg);
    let found = ExitDistances::new(function, &cfg, &loops, &FixedBitSet::new());
    let (outer, inner, slow, leave) = (b(1), b(2), b(3), b(4));
    assert_eq!(found.of_edge(&loops, outer, inner), 2, "through the inner loop");
    assert_eq!(found.of_edge(&loops, outer, slow), 5);
    assert_eq!(found.of_edge(&loops, inner, inner), 1);
    assert_eq!(found.of_edge(&loops, inner, leave), 0);
    assert_eq!(found.to_return(outer), 1 + 1 + 1 + 2);
    let ignored = ExitDistances::new(function, &cfg, &loops, &set(6, [5]));
    assert_eq!(ignored.of_edge(&loops, outer, slow), ExitDistances::FAR, "leaving does not count any more");
    assert_eq!(ignored.to_return(outer), ExitDistances::FAR);
}
