//! Creations of threads through a model: `pthread_create(&t, 0, start, arg)`.
//!
//! Such a model keeps `start` and `arg` in a table, creates a thread that runs a function of its own, and this one
//! reads both back and calls `start(arg)`. The table has an entry per thread, which no analysis of places tells apart.
//! So its use is recognised as a whole. The call in the new thread is replaced by edges from the calls that create
//! threads to the start functions (Bergan 2.6.2, "special control-flow edges at threadCreate"). What is recognised:
//!
//! 1. A *trampoline*: a model function that threads are created with, which calls what it loads from its parameter plus
//!    `s` with what it loads from its parameter plus `a`.
//! 2. A *launcher*: a model function that creates a thread with the trampoline and a pointer. It stores a parameter of
//!    its own, or a constant, at that pointer plus `s`, and another one at that pointer plus `a`. It does so once each
//!    and on every way. (Constants are what is left of parameters where all calls pass the same.)
//! 3. A *creation*: a call of the launcher, or of a model function that passes its own parameters, or constants, on to
//!    it.
//!
//! Nothing else writes the table: programs cannot, and the models do not. Where something is not of this form, nothing
//! is replaced.

use icsched_ir::{Callee, Const, FuncId, Intrinsic, Op, Operand, Origin, Program, ProgramPoint};
use icsched_pointsto::{InstanceId, ObjectKind, PointsTo};

use crate::code::point;
use crate::icfg::{EdgeKind, Icfg};
use crate::structure::Structure;

/// A call that creates threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Creation {
    /// What creates them.
    pub(crate) from: InstanceId,
    /// The call.
    pub(crate) at: ProgramPoint,
    /// What the start function is given.
    pub(crate) argument: Operand,
    /// The start functions.
    pub(crate) starts: Vec<InstanceId>,
}

/// The creations of threads through models.
#[derive(Clone, Default, Debug)]
pub(crate) struct Creations {
    pub(crate) all: Vec<Creation>,
    /// The calls that they stand for.
    replaced: Vec<(InstanceId, ProgramPoint)>,
}

impl Creations {
    pub(crate) fn new(program: &Program, points_to: &PointsTo, icfg: &Icfg) -> Self {
        Search { program, points_to, icfg }.run().unwrap_or_default()
    }

    /// Whether a call runs start functions with what creations pass, instead of with its arguments.
    pub(crate) fn replaces(&self, caller: InstanceId, at: ProgramPoint) -> bool {
        self.replaced.contains(&(caller, at))
    }
}

/// Where in the table the start function and its argument are.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Layout {
    start: i64,
    argument: i64,
}

/// What a model function passes on.
#[derive(Copy, Clone)]
enum Passed {
    /// Its parameter at this position.
    Parameter(usize),
    Constant(Operand),
}

impl Passed {
    /// What an operand of a function is for who calls the function.
    fn of(function: &icsched_ir::Function, operand: Operand) -> Option<Self> {
        match operand {
            Operand::Const(_) => Some(Passed::Constant(operand)),
            Operand::Value(value) => function.params.iter().position(|&p| p == value).map(Passed::Parameter),
        }
    }

    /// What a call with these arguments makes of it.
    fn at(self, args: &[Operand]) -> Option<Operand> {
        match self {
            Passed::Parameter(position) => args.get(position).copied(),
            Passed::Constant(constant) => Some(constant),
        }
    }
}

/// A function on the way from a creation to the launcher, and what it passes on.
struct Passing {
    instance: InstanceId,
    start: Passed,
    argument: Passed,
}

struct Search<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    icfg: &'p Icfg,
}

impl Search<'_> {
    /// `None` if something is not of the form.
    fn run(&self) -> Option<Creations> {
        let mut found = Creations::default();
        let trampolines: Vec<InstanceId> = self.trampolines();
        for trampoline in trampolines {
            let (layout, calls) = self.layout(trampoline)?;
            let starts: Vec<InstanceId> =
                calls.iter().flat_map(|&at| self.points_to.callees(trampoline, at)).copied().collect();
            let mut work: Vec<Passing> = Vec::new();
            for (launcher, edge) in self.icfg.incoming(trampoline) {
                work.push(if edge.kind == EdgeKind::Create {
                    self.launcher(launcher, edge.at, layout)?
                } else {
                    return None;
                });
            }
            let mut seen: Vec<InstanceId> = Vec::new();
            while let Some(passing) = work.pop() {
                if seen.contains(&passing.instance) {
                    continue;
                }
                seen.push(passing.instance);
                self.creations(&passing, &starts, &mut work, &mut found.all)?;
            }
            found.replaced.extend(calls.into_iter().map(|at| (trampoline, at)));
        }
        Some(found)
    }

    fn func(&self, instance: InstanceId) -> FuncId {
        self.points_to.instances()[instance].func
    }

    fn is_model(&self, instance: InstanceId) -> bool {
        self.program.functions[self.func(instance)].origin == Origin::Model
    }

    /// Model functions that threads are created with and that call start functions.
    fn trampolines(&self) -> Vec<InstanceId> {
        let is_created = |i: &InstanceId| self.icfg.incoming(*i).any(|(_, e)| e.kind == EdgeKind::Create);
        let ids = self.points_to.instances().ids();
        ids.filter(|i| self.is_model(*i) && is_created(i) && self.layout(*i).is_some()).collect()
    }

    /// Which fields of its parameter's object a function calls with which, and where.
    fn layout(&self, instance: InstanceId) -> Option<(Layout, Vec<ProgramPoint>)> {
        let func = self.func(instance);
        let function = &self.program.functions[func];
        let [block] = function.params[..] else { return None };
        let structure = Structure::new(function);
        let field = |operand: Operand| {
            let inst = structure.inst(function, operand.value()?)?;
            let Op::Load { address, .. } = inst.op else { return None };
            offset_from(function, &structure, address, Operand::Value(block))
        };
        let mut layout: Option<Layout> = None;
        let mut calls = Vec::new();
        for (id, body) in function.blocks.iter() {
            for (index, inst) in body.insts.iter().enumerate() {
                let Op::Call { callee: Callee::Indirect(target), args } = &inst.op else { continue };
                let new = Layout { start: field(*target)?, argument: field(*args.first()?)? };
                if layout.is_some_and(|old| old != new) || args.len() != 1 {
                    return None;
                }
                layout = Some(new);
                calls.push(point(func, id, index));
            }
        }
        Some((layout?, calls))
    }

    /// A function that creates a thread with the trampoline, if its parameters go into the fields.
    fn launcher(&self, instance: InstanceId, at: ProgramPoint, layout: Layout) -> Option<Passing> {
        let func = self.func(instance);
        let function = &self.program.functions[func];
        let structure = Structure::new(function);
        let inst = &function.blocks[at.block].insts[at.inst as usize];
        let Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), args } = &inst.op else { return None };
        let (Operand::Const(Const::Func(_)), true) = (args[0], self.is_model(instance)) else { return None };
        let stored = |field: i64| {
            let mut found: Option<Passed> = None;
            for (id, body) in function.blocks.iter() {
                for (index, inst) in body.insts.iter().enumerate() {
                    let Op::Store { address, value, .. } = &inst.op else { continue };
                    if offset_from(function, &structure, *address, args[1]) != Some(field) {
                        continue;
                    }
                    let passed = Passed::of(function, *value)?;
                    let before = id == at.block && index < at.inst as usize
                        || structure.dominators.strictly_dominates(id, at.block);
                    if found.is_some() || !before {
                        return None;
                    }
                    found = Some(passed);
                }
            }
            found
        };
        Some(Passing { instance, start: stored(layout.start)?, argument: stored(layout.argument)? })
    }

    /// The calls of a function that passes its parameters to the launcher: creations, or models that pass on theirs.
    fn creations(
        &self,
        passing: &Passing,
        starts: &[InstanceId],
        work: &mut Vec<Passing>,
        found: &mut Vec<Creation>,
    ) -> Option<()> {
        if self.points_to.called_from_outside().any(|i| i == passing.instance) {
            return None;
        }
        for (from, edge) in self.icfg.incoming(passing.instance) {
            let inst = &self.program.functions[edge.at.func].blocks[edge.at.block].insts[edge.at.inst as usize];
            let (EdgeKind::Call, Op::Call { args, .. }) = (edge.kind, &inst.op) else { return None };
            let (start, argument) = (passing.start.at(args)?, passing.argument.at(args)?);
            let passed = |operand: Operand| Passed::of(&self.program.functions[edge.at.func], operand);
            if let (true, Some(start), Some(argument)) = (self.is_model(from), passed(start), passed(argument)) {
                work.push(Passing { instance: from, start, argument });
                continue;
            }
            let info = self.points_to.pointer_info_in(from, start);
            let funcs: Vec<FuncId> = self.points_to.functions(&info).collect();
            let objects = self.points_to.objects();
            let others = info.locations.iter().any(|l| !matches!(objects[l.object].kind, ObjectKind::Function(_)));
            let may_start = |i: &InstanceId| others || funcs.contains(&self.func(*i));
            let starts = starts.iter().copied().filter(may_start).collect();
            found.push(Creation { from, at: edge.at, argument, starts });
        }
        Some(())
    }
}

/// How far an address is from a pointer in bytes, where the code adds a constant to it.
fn offset_from(
    function: &icsched_ir::Function,
    structure: &Structure,
    address: Operand,
    pointer: Operand,
) -> Option<i64> {
    if address == pointer {
        return Some(0);
    }
    match &structure.inst(function, address.value()?)?.op {
        Op::Address { base, offset, indices } if indices.is_empty() => {
            Some(offset_from(function, structure, *base, pointer)?.wrapping_add(*offset))
        }
        _ => None,
    }
}
