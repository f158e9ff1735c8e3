//! Where a thread waits that is said to wait in a call (Bergan 2.5.2, "Initial contexts with a nonempty WQ").

use icsched_ir::{Callee, EntityId as _, Intrinsic, Op, Operand, Origin, Program, ProgramPoint};
use icsched_pointsto::{InstanceId, PointsTo};

use crate::budgets::BUDGETS;
use crate::code::operation;
use crate::context::{Context, Status, ThreadContext};
use crate::expr::ExprId;
use crate::reaching::solved::Reaching;
use crate::view::ProgramView;

/// Why it is not known where a thread waits.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WaitError {
    /// No way leads from there to a wait queue.
    #[error("nothing waits there: a waiting thread is at a call that can block, such as pthread_cond_wait")]
    Nowhere,
    /// There are several; the texts are what `--thread` takes.
    #[error("it can wait in several places: {}", .0.join(", "))]
    Several(Vec<String>),
}

/// The thread when it waits: its stack goes on through the models to the operation that blocks. Of several that the
/// call can get to, the one that blocks on the call's first argument is meant: `pthread_cond_wait` waits for the
/// condition variable, and only then for the mutex.
///
/// # Errors
/// If there is no such place, or several are left.
pub(crate) fn waiting(reaching: &mut Reaching<'_, '_>, thread: &ThreadContext) -> Result<ThreadContext, WaitError> {
    let mut found = Vec::new();
    let points = &thread.stack.0;
    let Some(&last) = points.last() else { return Err(WaitError::Nowhere) };
    for call in calls_of_line(&reaching.view, last) {
        let mut stack = points.clone();
        stack.pop();
        stack.push(call);
        for &instance in reaching.view.points_to.instances_of(last.func) {
            follow(reaching.view.program, reaching.view.points_to, instance, &mut stack, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    let with = |stack: Vec<ProgramPoint>| ThreadContext {
        stack: icsched_ir::CallStack(stack),
        complete: thread.complete,
        folds: thread.folds.clone(),
        status: Status::Waiting,
    };
    let mut all: Vec<ThreadContext> = found.into_iter().map(with).collect();
    if all.len() > 1 {
        let on_argument: Vec<ThreadContext> =
            all.iter().filter(|t| blocks_on_first_argument(reaching, t, points.len() - 1)).cloned().collect();
        if !on_argument.is_empty() {
            all = on_argument;
        }
    }
    match all.len() {
        0 => Err(WaitError::Nowhere),
        1 => Ok(all.remove(0)),
        _ => Err(WaitError::Several(in_program(&reaching.view, &all))),
    }
}

/// The stacks as far as they are in the program, which is what `--thread` takes; whole where that does not tell them
/// apart.
fn in_program(view: &ProgramView<'_, '_>, threads: &[ThreadContext]) -> Vec<String> {
    let is_model = |p: &ProgramPoint| view.program.functions[p.func].origin == icsched_ir::Origin::Model;
    let short = |t: &ThreadContext| {
        let own = t.stack.0.iter().take_while(|p| !is_model(p)).copied().collect();
        describe(view, &ThreadContext { stack: icsched_ir::CallStack(own), ..t.clone() })
    };
    let mut found: Vec<String> = threads.iter().map(short).collect();
    found.dedup();
    if found.len() > 1 { found } else { threads.iter().map(|t| describe(view, t)).collect() }
}

/// The calls at a point, or behind it on the same line: what a line is named for.
fn calls_of_line(view: &ProgramView<'_, '_>, from: ProgramPoint) -> Vec<ProgramPoint> {
    let block = &view.program.functions[from.func].blocks[from.block];
    let line = |loc: Option<icsched_ir::LocId>| loc.map(|l| view.program.locs[l].line);
    let first = block.insts.get(from.inst as usize).and_then(|i| line(i.loc));
    let behind = block.insts.iter().zip(0u32..).skip(from.inst as usize);
    let same = behind.take_while(|(inst, index)| *index == from.inst || (first.is_some() && line(inst.loc) == first));
    let calls = same.filter(|(inst, _)| matches!(inst.op, Op::Call { .. }));
    calls.map(|(_, index)| ProgramPoint { inst: index, ..from }).collect()
}

/// Whether the queue is what the call in this frame is given first.
fn blocks_on_first_argument(reaching: &mut Reaching<'_, '_>, thread: &ThreadContext, frame: usize) -> bool {
    let context =
        Context { threads: vec![ThreadContext { status: Status::Running, ..thread.clone() }], ..Context::default() };
    let Ok(found) = reaching.context(&context) else { return false };
    let points = &thread.stack.0;
    let value = |at: usize| -> Option<ExprId> {
        let Some(Op::Call { args, .. }) = operation(reaching.view.program, points[at]) else { return None };
        match args.first()? {
            Operand::Value(value) => found[0].registers.get(at)?.get(value).copied(),
            Operand::Const(_) => None,
        }
    };
    let constant = |at: usize| match operation(reaching.view.program, points[at]) {
        Some(Op::Call { args, .. }) => match args.first() {
            Some(Operand::Const(constant)) => Some(*constant),
            _ => None,
        },
        _ => None,
    };
    match (value(points.len() - 1), value(frame), constant(frame)) {
        (Some(queue), Some(argument), _) => queue == argument,
        (Some(queue), None, Some(constant)) => reaching.view.constant(constant) == Some(queue),
        _ => false,
    }
}

fn describe(view: &ProgramView<'_, '_>, thread: &ThreadContext) -> String {
    let frames = thread.stack.0.iter().map(|p| {
        let name = &view.program.functions[p.func].name;
        let before = view.program.functions[p.func].blocks.iter().take(p.block.index());
        let index: usize = before.map(|(_, b)| b.insts.len() + 1).sum();
        format!("{name}+{}", index + p.inst as usize)
    });
    frames.collect::<Vec<_>>().join(">")
}

/// Goes on through calls of models to what blocks.
fn follow(
    program: &Program,
    points_to: &PointsTo,
    instance: InstanceId,
    stack: &mut Vec<ProgramPoint>,
    found: &mut Vec<Vec<ProgramPoint>>,
) {
    let Some(&at) = stack.last() else { return };
    match operation(program, at) {
        Some(Op::Call { callee: Callee::Intrinsic(Intrinsic::Wait | Intrinsic::WaitTimed), .. }) => {
            found.push(stack.clone());
        }
        Some(Op::Call { .. }) if stack.len() < BUDGETS.wait_calls => {
            for &callee in points_to.callees(instance, at) {
                let func = points_to.instances()[callee].func;
                let function = &program.functions[func];
                if function.origin != Origin::Model || stack.iter().any(|p| p.func == func) {
                    continue;
                }
                for (block, body) in function.blocks.iter() {
                    for (inst, index) in body.insts.iter().zip(0..) {
                        if matches!(inst.op, Op::Call { .. }) {
                            stack.push(ProgramPoint { func, block, inst: index });
                            follow(program, points_to, callee, stack, found);
                            stack.pop();
                        }
                    }
                }
            }
        }
        _ => {}
    }
}
