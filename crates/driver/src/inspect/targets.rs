//! Who is called where the code does not say so.
//!
//! The one place that knows where the targets of function pointers come from: points-to analysis. It knows nothing of
//! code that no run from `main` gets to; there a pointer may be to every function whose address is taken and that the
//! call has enough arguments for.

use icsched_externals::{ArgEffect, lookup};
use icsched_ir::{CallGraph, Callee, Const, EntityId, FuncId, Intrinsic, Op, Operand, Origin, Program, ProgramPoint};
use icsched_pointsto::PointsTo;

/// Answers for one program.
pub(super) struct Targets<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    graph: CallGraph,
    /// By function: whether calling it may start a thread.
    starts: Vec<bool>,
}

/// A function pointer that a library function is given to call.
pub(super) struct Callback {
    /// The pointer.
    pub(super) pointer: Operand,
    /// Whether a new thread calls it.
    pub(super) is_thread: bool,
}

impl<'p> Targets<'p> {
    pub(super) fn new(program: &'p Program, points_to: &'p PointsTo) -> Self {
        let graph = CallGraph::with_targets(program, |at| points_to.call_targets(program, at));
        let starts = graph.may_call_transitively(|f| graph.intrinsics(f).contains(&Intrinsic::ThreadCreate));
        let starts = program.functions.ids().map(|f| starts.contains(f.index())).collect();
        Self { program, points_to, graph, starts }
    }

    /// Whether the function's address is taken anywhere.
    pub(super) fn is_address_taken(&self, func: FuncId) -> bool {
        self.graph.is_address_taken(func)
    }

    /// Whether a run from `main`, or without `main` a call from outside, can get to the function: by calls, as a
    /// thread, or through a pointer.
    pub(super) fn is_reached(&self, func: FuncId) -> bool {
        !self.points_to.instances_of(func).is_empty()
    }

    /// The functions that the call through `pointer` at a point, with so many arguments, may reach; ascending.
    pub(super) fn of_call(&self, at: ProgramPoint, pointer: Operand, args: usize) -> Vec<FuncId> {
        match pointer {
            Operand::Const(Const::Func(f)) => vec![f],
            Operand::Value(_) if !self.is_reached(at.func) => self.graph.indirect_targets(self.program, args),
            Operand::Const(_) | Operand::Value(_) => self.points_to.call_targets(self.program, at),
        }
    }

    /// The functions that a pointer may point to where it is handed over in `func`; ascending.
    pub(super) fn of_pointer(&self, func: FuncId, pointer: Operand) -> Vec<FuncId> {
        match pointer {
            Operand::Const(Const::Func(f)) => return vec![f],
            Operand::Value(_) if !self.is_reached(func) => {
                return self.graph.indirect_targets(self.program, usize::MAX);
            }
            Operand::Const(_) | Operand::Value(_) => {}
        }
        let info = self.points_to.pointer_info(func, pointer);
        let mut found: Vec<FuncId> = self.points_to.functions(&info).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The function pointers that a call of a library function hands over to be called. Those in structures
    /// (`sigaction`) are not seen.
    pub(super) fn callbacks(&self, op: &Op) -> Vec<Callback> {
        let Op::Call { callee: Callee::Direct(f), args } = op else { return Vec::new() };
        let function = &self.program.functions[*f];
        if function.origin == Origin::Program && !function.is_declaration() {
            return Vec::new();
        }
        let Some(row) = lookup(function.library_name()) else { return Vec::new() };
        let is_thread = self.starts[f.index()] && row.synchronises;
        let pointers = args.iter().enumerate().filter(|(at, _)| row.argument(*at) == ArgEffect::Calls);
        pointers.map(|(_, &pointer)| Callback { pointer, is_thread }).filter(|c| !is_null(c.pointer)).collect()
    }
}

fn is_null(operand: Operand) -> bool {
    matches!(operand, Operand::Const(Const::Bits { .. }))
}
