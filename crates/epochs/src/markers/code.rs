//! What the code of a program does that matters to markers: the kinds of synchronisation, and calls.

use fixedbitset::FixedBitSet;
use icsched_ir::{
    BlockId, Callee, Const, EntityId, FuncId, Function, IdVec, Inst, Intrinsic, Op, Operand, Origin, Program,
    ProgramPoint, Terminator,
};
use icsched_slicing::control::Control;
use smallvec::SmallVec;

/// A set of kinds of synchronisation.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// Waiting for a condition variable until it is notified.
    pub(super) const WAIT: Kinds = Kinds(1);
    /// Creating a thread.
    pub(super) const CREATE: Kinds = Kinds(2);
    /// Joining a thread.
    pub(super) const JOIN: Kinds = Kinds(4);
    /// All others.
    pub(super) const OTHER: Kinds = Kinds(8);

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }
}

/// A call, or an instruction that synchronises by itself.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The block it is in.
    pub(super) block: BlockId,
    /// Its index there.
    pub(super) inst: u32,
    /// The functions it may call.
    pub(super) targets: SmallVec<[FuncId; 1]>,
    /// The functions that a thread which it creates may run; asked in the program's own code only.
    pub(super) starts: SmallVec<[FuncId; 1]>,
    /// What it does itself.
    own: Kinds,
}

/// What is called and done where.
pub(super) struct Code {
    sites: IdVec<FuncId, Vec<Site>>,
    kinds: IdVec<FuncId, Kinds>,
    never_returns: FixedBitSet,
}

impl Code {
    /// Reads the program. Linear in its size and in the targets of calls, but for the kinds of functions that call
    /// each other.
    pub(super) fn new(program: &Program, control: &Control) -> Self {
        let runnable: Vec<FuncId> = program
            .functions
            .iter()
            .filter(|&(id, f)| control.calls.is_address_taken(id) && f.origin == Origin::Program && f.params.len() <= 1)
            .map(|(id, _)| id)
            .collect();
        let count = program.functions.len();
        let mut never_returns = FixedBitSet::with_capacity(count);
        let mut kinds = IdVec::filled(Kinds::default(), count);
        let mut sites = IdVec::filled(Vec::new(), count);
        for (id, function) in program.functions.iter() {
            never_returns.set(id.index(), !may_return(function));
            if function.is_declaration() && control.may_sync.contains(id.index()) {
                kinds[id] = Kinds::OTHER;
            }
            if is_library(function) {
                kinds[id] = library_kind(function.library_name()).unwrap_or(kinds[id]);
            }
            sites[id] = sites_of(program, control, id, &runnable);
        }
        let mut code = Self { sites, kinds, never_returns };
        code.close(program, control);
        code
    }

    /// Adds to each function what its code does, until nothing is new. What threads do in library functions that have
    /// a kind of their own is that kind.
    fn close(&mut self, program: &Program, control: &Control) {
        let is_named = |f: FuncId| {
            is_library(&program.functions[f]) && library_kind(program.functions[f].library_name()).is_some()
        };
        // Callees come first, so that only recursion takes more than one round.
        let order: Vec<FuncId> = control.calls.components().iter().flatten().copied().collect();
        let mut changed = true;
        while changed {
            changed = false;
            for &func in order.iter().filter(|&&f| !is_named(f)) {
                let all = self.sites[func].iter().fold(self.kinds[func], |all, site| all.or(self.kinds_of(site)));
                changed |= all != self.kinds[func];
                self.kinds[func] = all;
            }
        }
    }

    /// The calls of a function, and what synchronises in it, in the order of the code.
    pub(super) fn sites(&self, func: FuncId) -> &[Site] {
        &self.sites[func]
    }

    /// What running a function may do.
    pub(super) fn kinds(&self, func: FuncId) -> Kinds {
        self.kinds[func]
    }

    /// What executing the instruction may do before the code behind it is executed: a call that never comes back ends
    /// the thread, the process, or nothing, but no iteration.
    pub(super) fn kinds_of(&self, site: &Site) -> Kinds {
        let targets = site.targets.iter().filter(|&&f| !self.never_returns(f));
        targets.fold(site.own, |all, &f| all.or(self.kinds[f]))
    }

    /// Whether a call of the function never comes back.
    pub(super) fn never_returns(&self, func: FuncId) -> bool {
        self.never_returns.contains(func.index())
    }
}

/// Code that is not the program's.
pub(super) fn is_library(function: &Function) -> bool {
    function.origin == Origin::Model || function.is_declaration()
}

/// Whether the site is a call of a library barrier and of nothing else.
pub(super) fn is_barrier(program: &Program, site: &Site) -> bool {
    let [target] = site.targets[..] else { return false };
    let target = &program.functions[target];
    is_library(target) && target.library_name() == "pthread_barrier_wait"
}

/// The kind of the library functions that have one of their own.
fn library_kind(name: &str) -> Option<Kinds> {
    match name {
        "pthread_cond_wait" | "cnd_wait" => Some(Kinds::WAIT),
        "pthread_create" | "thrd_create" => Some(Kinds::CREATE),
        "pthread_join" | "thrd_join" => Some(Kinds::JOIN),
        "pthread_tryjoin_np" | "pthread_timedjoin_np" | "pthread_clockjoin_np" => Some(Kinds::JOIN),
        _ => None,
    }
}

fn may_return(function: &Function) -> bool {
    let ends = |t: &Terminator| matches!(t, Terminator::Return(_) | Terminator::Unsupported { .. });
    !function.no_return && (function.is_declaration() || function.blocks.values().any(|b| ends(&b.terminator)))
}

fn sites_of(program: &Program, control: &Control, func: FuncId, runnable: &[FuncId]) -> Vec<Site> {
    let mut sites = Vec::new();
    let is_program = !is_library(&program.functions[func]);
    for (block, body) in program.functions[func].blocks.iter() {
        for (inst, i) in (0..).zip(&body.insts) {
            let at = ProgramPoint { func, block, inst };
            let targets = targets(program, control, at, i);
            let own = own_kinds(i);
            if targets.is_empty() && own.is_empty() {
                continue;
            }
            let creates = |&f: &FuncId| {
                let target = &program.functions[f];
                is_library(target) && library_kind(target.library_name()) == Some(Kinds::CREATE)
            };
            let starts = match &i.op {
                Op::Call { args, .. } if is_program && (own == Kinds::CREATE || targets.iter().any(creates)) => {
                    started(args, runnable)
                }
                _ => SmallVec::new(),
            };
            sites.push(Site { block, inst, targets, starts, own });
        }
    }
    sites
}

fn targets(program: &Program, control: &Control, at: ProgramPoint, inst: &Inst) -> SmallVec<[FuncId; 1]> {
    match &inst.op {
        Op::Call { callee: Callee::Direct(f) | Callee::Indirect(Operand::Const(Const::Func(f))), .. } => {
            SmallVec::from_iter([*f])
        }
        Op::Call { callee: Callee::Indirect(_), args } => {
            SmallVec::from_slice(&control.indirect_targets(program, at, args.len()))
        }
        _ => SmallVec::new(),
    }
}

/// What an instruction does by itself. What is not supported ends the path, and with it every iteration.
fn own_kinds(inst: &Inst) -> Kinds {
    match &inst.op {
        Op::Unsupported { .. }
        | Op::Call { callee: Callee::Intrinsic(Intrinsic::Unsupported | Intrinsic::RestoreContext), .. } => {
            Kinds::default()
        }
        Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), .. } => Kinds::CREATE,
        op if op.may_synchronise() => Kinds::OTHER,
        _ => Kinds::default(),
    }
}

/// What a new thread may run: the functions among the arguments of the call that creates it, or any of the program's
/// that take one.
fn started(args: &[Operand], runnable: &[FuncId]) -> SmallVec<[FuncId; 1]> {
    let named: SmallVec<[FuncId; 1]> = args
        .iter()
        .filter_map(|arg| match arg {
            Operand::Const(Const::Func(f)) => Some(*f),
            _ => None,
        })
        .collect();
    if named.is_empty() { SmallVec::from_slice(runnable) } else { named }
}
