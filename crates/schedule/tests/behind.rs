//! Schedules behind errors: what is behind one is told of every epoch to which nothing else leads.

use icsched_ir::{BlockId, CallStack, EntityId, FuncId, ProgramPoint};
use icsched_schedule::{
    Behind, Enumeration, EpochId, EpochResult, HappensBefore, InputConstraint, PossibleError, Schedule, ScheduleEnd,
    ScheduleTree,
};

fn epoch_id(number: u32) -> EpochId {
    let point = ProgramPoint { func: FuncId::from_index(0), block: BlockId::from_index(0), inst: number };
    EpochId::new(vec![CallStack(vec![point])])
}

/// An epoch from which schedules lead to others, each behind an error of its own or not.
fn epoch(number: u32, leads_to: &[(u32, Option<usize>)]) -> EpochResult {
    let schedule = |&(to, after_error): &(u32, Option<usize>)| {
        let ends = ScheduleEnd::Epoch(epoch_id(to).key());
        Schedule { after_error, ..Schedule::new(InputConstraint::always(), HappensBefore::default(), ends) }
    };
    let error = PossibleError {
        message: "m".into(),
        at: "a.c:2".into(),
        constraint: InputConstraint::always(),
        is_open: false,
    };
    EpochResult {
        id: epoch_id(number),
        contexts: Vec::new(),
        tree: ScheduleTree::flat(leads_to.iter().map(schedule)),
        early_exits: None,
        reasons: Vec::new(),
        errors: vec![error; 2],
        inputs: Vec::new(),
        infeasible_removed: 0,
        max_live_threads: 1,
        assumed: Default::default(),
        searched_with: Default::default(),
    }
}

fn behind(epochs: Vec<EpochResult>) -> Vec<Vec<Option<(usize, usize)>>> {
    let result = Enumeration { epochs, ..Enumeration::default() };
    let behind = Behind::of(&result);
    let of_epoch = |(at, epoch): (usize, &EpochResult)| {
        epoch.tree.leaves().map(|schedule| behind.schedule(at, schedule)).collect::<Vec<_>>()
    };
    result.epochs.iter().enumerate().map(of_epoch).collect()
}

#[test]
fn an_epoch_that_only_an_error_leads_to_is_behind_it() {
    let found = behind(vec![
        epoch(0, &[(1, None), (2, Some(1))]),
        epoch(1, &[(1, None)]),
        epoch(2, &[(3, None), (2, Some(0))]),
        epoch(3, &[(3, None)]),
    ]);
    assert_eq!(found[0], [None, Some((0, 1))]);
    assert_eq!(found[1], [None]);
    assert_eq!(found[2], [Some((0, 1)); 2], "the first error counts");
    assert_eq!(found[3], [Some((0, 1))]);
}

#[test]
fn one_way_without_an_error_is_enough() {
    let found = behind(vec![epoch(0, &[(1, Some(0)), (2, None)]), epoch(1, &[(1, None)]), epoch(2, &[(1, None)])]);
    assert_eq!(found[0], [Some((0, 0)), None]);
    assert_eq!((&found[1][..], &found[2][..]), (&[None][..], &[None][..]));
}

#[test]
fn nothing_leads_to_nothing() {
    assert!(behind(Vec::new()).is_empty());
}
