//! Epoch markers of random programs against the definition: between two markers a thread synchronises only so often.
//!
//! The check knows nothing of loops, components or dominance. It computes how often a thread can synchronise at most
//! without coming by a marker, in runs that go at most `depth` calls up and down, by longest ways through the code of
//! each function. Where placement is right, that number stays the same from some depth on; where it is not, it grows,
//! or is infinite for one function. Waiting for a condition variable counts nothing, since each wait is paid for by a
//! notification.

use std::fmt::Write as _;

use icsched_epochs::markers::{MarkerOptions, Markers};
use icsched_ir::{Callee, Const, EntityId, FuncId, Op, Operand, Program, ProgramPoint, Terminator};
use icsched_slicing::QuietEnds;
use icsched_slicing::control::Control;
use proptest::prelude::*;

/// What a random block does.
#[derive(Copy, Clone, Debug)]
enum Item {
    Lock,
    Wait,
    Barrier,
    Call(usize),
    Create(usize),
}

#[derive(Clone, Debug)]
enum End {
    Return,
    Jump(usize),
    Branch(usize, usize),
}

type RandomFunction = Vec<(Vec<Item>, End)>;

const FUNCTIONS: usize = 3;
const BLOCKS: usize = 5;

fn items() -> impl Strategy<Value = Vec<Item>> {
    let item = prop_oneof![
        3 => Just(Item::Lock),
        1 => Just(Item::Wait),
        2 => Just(Item::Barrier),
        4 => (0..FUNCTIONS).prop_map(Item::Call),
        1 => (0..FUNCTIONS).prop_map(Item::Create),
    ];
    proptest::collection::vec(item, 0..2)
}

fn functions() -> impl Strategy<Value = Vec<RandomFunction>> {
    // The entry has no predecessors.
    let end = prop_oneof![
        2 => Just(End::Return),
        2 => (1..BLOCKS).prop_map(End::Jump),
        4 => (1..BLOCKS, 1..BLOCKS).prop_map(|(a, b)| End::Branch(a, b)),
    ];
    let function = proptest::collection::vec((items(), end), BLOCKS);
    proptest::collection::vec(function, FUNCTIONS)
}

fn text(functions: &[RandomFunction]) -> String {
    let mut out = "main @f0
global @m size 40 align 8
declare @lock(%a: ptr)
declare @pthread_barrier_wait(%a: ptr)
declare @pthread_cond_wait(%a: ptr, %b: ptr)
declare @pthread_create(%a: ptr, %b: ptr, %c: ptr, %d: ptr)
"
    .to_owned();
    for (at, function) in functions.iter().enumerate() {
        writeln!(out, "function @f{at}() {{").expect("a string grows");
        for (block, (items, end)) in function.iter().enumerate() {
            writeln!(out, "b{block}:").expect("a string grows");
            if block == 0 {
                out.push_str("    %x: i32 = load [@m]\n    %c = icmp.eq %x, 0\n");
            }
            for item in items {
                match item {
                    Item::Lock => out.push_str("    call @lock(@m)\n"),
                    Item::Wait => out.push_str("    call @pthread_cond_wait(@m, @m)\n"),
                    Item::Barrier => out.push_str("    call @pthread_barrier_wait(@m)\n"),
                    Item::Call(f) => writeln!(out, "    call @f{f}()").expect("a string grows"),
                    Item::Create(f) => {
                        writeln!(out, "    call @pthread_create(@m, null, @f{f}, null)").expect("a string grows");
                    }
                }
            }
            match end {
                End::Return => out.push_str("    return\n"),
                End::Jump(to) => writeln!(out, "    jump b{to}").expect("a string grows"),
                End::Branch(a, b) if a == b => writeln!(out, "    jump b{a}").expect("a string grows"),
                End::Branch(a, b) => writeln!(out, "    branch %c, b{a}, b{b}").expect("a string grows"),
            }
        }
        out.push_str("}\n");
    }
    out
}

/// How often a run synchronises at most; `None` if there is no such run.
type Most = Option<u64>;

/// Stands for infinity, and is more than what a bounded program of this size reaches.
const INFINITE: u64 = 1 << 40;

fn plus(a: Most, b: Most) -> Most {
    Some((a? + b?).min(INFINITE))
}

/// An instruction, as the check sees it.
#[derive(Copy, Clone)]
enum Step {
    Counts(u64),
    Calls(FuncId),
    Creates(FuncId),
}

/// The positions of a function: its instructions and the ends of its blocks.
struct Body {
    steps: Vec<Step>,
    points: Vec<ProgramPoint>,
    next: Vec<Vec<usize>>,
    returns: Vec<bool>,
    /// Whether the entry leads there, marker or not.
    reached: Vec<bool>,
}

impl Body {
    fn new(program: &Program, func: FuncId, wait: u64) -> Self {
        let function = &program.functions[func];
        let mut starts = Vec::new();
        let mut count = 0;
        for block in function.blocks.values() {
            starts.push(count);
            count += block.insts.len() + 1;
        }
        let mut body = Body { steps: vec![], points: vec![], next: vec![], returns: vec![], reached: vec![] };
        for (id, block) in function.blocks.iter() {
            for (inst, i) in (0..).zip(&block.insts) {
                body.steps.push(step(program, &i.op, wait));
                body.points.push(ProgramPoint { func, block: id, inst });
                body.next.push(vec![body.steps.len()]);
                body.returns.push(false);
            }
            let inst = u32::try_from(block.insts.len()).expect("blocks are short");
            body.steps.push(Step::Counts(0));
            body.points.push(ProgramPoint { func, block: id, inst });
            body.next.push(block.terminator.edges().map(|edge| starts[edge.target.index()]).collect());
            body.returns.push(matches!(block.terminator, Terminator::Return(_)));
        }
        body.reached = vec![false; body.steps.len()];
        let mut work: Vec<usize> = (0..body.steps.len().min(1)).collect();
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut body.reached[at], true) {
                work.extend(&body.next[at]);
            }
        }
        body
    }

    /// The most that runs from each position, just in front of it, get at in this function until `gain` of a position
    /// is cashed in. Positions with a marker are not passed.
    fn longest(&self, markers: &Markers, calls: &[Most], gain: impl Fn(usize) -> Most) -> Vec<Most> {
        let count = self.steps.len();
        let mut best: Vec<Most> = vec![None; count];
        // Longer than without cycles means: as long as one likes.
        for round in 0..2 * count + 2 {
            let mut changed = false;
            for at in (0..count).rev().filter(|&at| !markers.contains(self.points[at])) {
                let weight = match self.steps[at] {
                    Step::Counts(n) => Some(n),
                    Step::Calls(f) => calls[f.index()],
                    Step::Creates(_) => Some(1),
                };
                let onwards = self.next[at].iter().map(|&to| best[to]).max().flatten();
                let new = gain(at).max(plus(weight, onwards));
                if new > best[at] {
                    best[at] = if round > count { Some(INFINITE) } else { new };
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        best
    }
}

fn step(program: &Program, op: &Op, wait: u64) -> Step {
    let Op::Call { callee: Callee::Direct(f), args } = op else { return Step::Counts(0) };
    match (program.functions[*f].name.as_str(), args.get(2)) {
        ("pthread_create", Some(Operand::Const(Const::Func(start)))) => Step::Creates(*start),
        ("pthread_cond_wait", _) => Step::Counts(wait),
        _ if program.functions[*f].is_declaration() => Step::Counts(1),
        _ => Step::Calls(*f),
    }
}

/// The most for runs that go at most `depth` calls down and up.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Bound {
    /// Of runs of a function, from its entry to its return.
    balanced: Vec<Most>,
    /// Of runs from a function's entry to anywhere, calls that do not return and threads that it creates included.
    down: Vec<Most>,
    /// Of runs from anywhere to a function's return.
    up: Vec<Most>,
}

fn bound(program: &Program, markers: &Markers, wait: u64, depth: usize) -> Bound {
    let ids: Vec<FuncId> = program.functions.ids().collect();
    let bodies: Vec<Body> = ids.iter().map(|&f| Body::new(program, f, wait)).collect();
    let none = vec![None; ids.len()];
    let mut now = Bound { balanced: none.clone(), down: none.clone(), up: none };
    for _ in 0..depth {
        let mut then = now.clone();
        for (&id, body) in ids.iter().zip(&bodies).filter(|(_, body)| !body.steps.is_empty()) {
            let to_return = body.longest(markers, &now.balanced, |at| body.returns[at].then_some(0));
            then.balanced[id.index()] = to_return[0];
            let anywhere = body.longest(markers, &now.balanced, |at| match body.steps[at] {
                Step::Counts(_) => Some(0),
                Step::Calls(f) => now.down[f.index()].max(Some(0)),
                Step::Creates(f) => plus(Some(1), now.down[f.index()].max(Some(0))),
            });
            then.down[id.index()] = anywhere[0];
            // What comes behind a call that this run returns from.
            let behind = |at: usize, f: FuncId| {
                let rest = body.next[at].iter().map(|&to| to_return[to]).max().flatten();
                plus(now.up[f.index()], rest)
            };
            let from_calls = (0..body.steps.len()).map(|at| match body.steps[at] {
                Step::Calls(f) if body.reached[at] => behind(at, f),
                Step::Calls(_) | Step::Counts(_) | Step::Creates(_) => None,
            });
            // A run may begin at a marker, which it then executes the instruction at.
            let begins = (0..body.steps.len()).map(|at| match body.steps[at] {
                _ if !body.reached[at] => None,
                Step::Counts(n) if !body.returns[at] => {
                    plus(Some(n), body.next[at].iter().map(|&to| to_return[to]).max().flatten())
                }
                Step::Counts(_) => body.returns[at].then_some(0),
                Step::Calls(_) | Step::Creates(_) => None,
            });
            then.up[id.index()] = from_calls.chain(begins).max().flatten();
        }
        now = then;
    }
    now
}

fn check(functions: &[RandomFunction], prune: bool) {
    let text = text(functions);
    let program = icsched_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let control = Control::new(&program, &|_| false, QuietEnds::All, None);
    let markers = Markers::place(&program, &control, None, &MarkerOptions { prune });
    // Without pruning waits are not left to notifications.
    let wait = u64::from(!prune);
    let (some, more) = (bound(&program, &markers, wait, 40), bound(&program, &markers, wait, 80));
    let main = program.main.expect("the text names it");
    // Functions that are not executed get no markers. Every address is taken that is a thread's start.
    let taken = program.functions.ids().filter(|&f| control.calls.is_address_taken(f));
    let executed = control.calls.reachable_from([main].into_iter().chain(taken));
    for f in executed.ones() {
        for (some, more) in [(&some.balanced, &more.balanced), (&some.down, &more.down), (&some.up, &more.up)] {
            let marks: Vec<_> = markers.iter().collect();
            assert!(some[f] == more[f] && some[f] < Some(INFINITE), "f{f}: {some:?} {more:?}\n{marks:?}\n{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_synchronises_without_end_between_markers(functions in functions()) {
        check(&functions, true);
        check(&functions, false);
    }
}

/// The check itself finds what is wrong: without markers these synchronise without end.
#[test]
fn without_markers_the_bound_grows() {
    let unbounded = |functions: &[RandomFunction]| {
        let program = icsched_ir::parse(&text(functions)).expect("the text is a program");
        let none = Markers::none();
        let (some, more) = (bound(&program, &none, 0, 40), bound(&program, &none, 0, 80));
        some != more || some.down.contains(&Some(INFINITE))
    };
    let stop = || (vec![], End::Return);
    let one = |items: Vec<Item>, end: End| vec![(vec![], End::Jump(1)), (items, end), stop()];
    assert!(unbounded(&[one(vec![Item::Lock], End::Branch(1, 2))]), "a loop");
    assert!(!unbounded(&[one(vec![Item::Wait], End::Branch(1, 2))]), "a loop that waits");
    assert!(!unbounded(&[one(vec![Item::Lock], End::Jump(2))]), "no loop");
    let recursive = |before: Vec<Item>, behind: Vec<Item>| {
        let call = [before, vec![Item::Call(0)], behind].concat();
        unbounded(&[vec![(vec![], End::Branch(1, 2)), (call, End::Jump(2)), stop()]])
    };
    assert!(recursive(vec![Item::Lock], vec![]), "down");
    assert!(recursive(vec![], vec![Item::Lock]), "up");
    assert!(!recursive(vec![], vec![]), "recursion that does not synchronise");
    assert!(recursive(vec![Item::Create(0)], vec![]), "threads that create threads");
}
