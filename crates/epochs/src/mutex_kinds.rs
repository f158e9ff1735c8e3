//! Whether all mutexes of a program are plain ones: neither recursive nor robust, and nobody checks who unlocks them.
//! If not, whether none is robust.
//!
//! Models ask a mutex of what kind it is. In the middle of a program that is a word of memory that nobody knows, and
//! each kind would be a path of its own. But almost no program has mutexes that are not plain, and it has to say so:
//! by an attribute, by the type that it gives to `mtx_init`, by an initialiser, or by a copy of one that has another
//! kind. A mutex that was destroyed counts as plain, too: that it is used is undefined.

use fixedbitset::FixedBitSet;
use icsched_ir::{
    CallStack, Callee, Const, EntityId, Function, Intrinsic, Op, Operand, Origin, Program, ProgramPoint, Type,
};
use icsched_pointsto::{ModRef, ObjectId, ObjectKind, Offsets, PointsTo};
use icsched_slicing::mutex_kinds::ALL_ARE_PLAIN;

/// What may be so of all mutexes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// They are plain.
    Plain,
    /// They are not robust.
    NotRobust,
}

impl Kind {
    /// The models' variable that says so.
    const fn flag(self) -> &'static str {
        match self {
            Kind::Plain => ALL_ARE_PLAIN,
            Kind::NotRobust => "__ics_no_robust_mutexes",
        }
    }

    /// The functions that make other kinds.
    fn others(self) -> &'static [&'static str] {
        match self {
            Kind::Plain => &OTHERS,
            Kind::NotRobust => &ROBUST,
        }
    }
}

/// The models' function that every operation calls with its mutex.
const KNOWN: &str = "ics_mutex_known";
/// Where the kind is in a `pthread_mutex_t`, and how many bytes it has.
const KIND: (i64, u64) = (16, 4);
/// The functions that make other kinds.
const OTHERS: [&str; 8] = [
    "pthread_mutexattr_settype",
    "pthread_mutexattr_setkind_np",
    "pthread_mutexattr_setrobust",
    "pthread_mutexattr_setrobust_np",
    "pthread_mutexattr_setprotocol",
    "pthread_mutexattr_setprioceiling",
    "pthread_mutex_setprioceiling",
    "mtx_init",
];

/// Those that make robust ones.
const ROBUST: [&str; 2] = ["pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np"];

/// The functions of the C library that copy what the program has, or what comes from outside.
const COPYING: [&str; 24] = [
    "memcpy",
    "memmove",
    "mempcpy",
    "bcopy",
    "memccpy",
    "strcpy",
    "strncpy",
    "stpcpy",
    "stpncpy",
    "swab",
    "read",
    "pread",
    "readv",
    "preadv",
    "fread",
    "fread_unlocked",
    "recv",
    "recvfrom",
    "recvmsg",
    "realloc",
    "reallocarray",
    "qsort",
    "qsort_r",
    "mmap",
];

/// Lets models know of what kind all mutexes are.
pub(crate) fn tell_models(program: &mut Program, kind: Kind) {
    let is_flag = |g: &icsched_ir::Global| g.name == kind.flag() && g.origin == Origin::Model;
    if let Some((_, flag)) = program.globals.iter_mut().find(|(_, g)| is_flag(g)) {
        flag.data = vec![1, 0, 0, 0];
    }
}

/// Whether all mutexes are of a kind, as far as can be told. O(writes of the program × places of mutexes).
pub(crate) fn are_all(modref: &ModRef<'_>, kind: Kind) -> bool {
    let (program, points_to) = (modref.program(), modref.points_to());
    let is_called = |name: &&str| program.library_function(name).is_some_and(|f| !points_to.instances_of(f).is_empty());
    if let Some(name) = kind.others().iter().find(|name| is_called(name)) {
        tracing::debug!(name, "mutexes may be of other kinds");
        return false;
    }
    if kind == Kind::NotRobust {
        // No initialiser makes one, and a structure with one that is copied was made first.
        return true;
    }
    let Some(known) = program.library_function(KNOWN) else { return true };
    let Some(&mutex) = program.functions[known].params.first() else { return false };
    let kinds: Vec<(ObjectId, Offsets)> = points_to
        .pointer_info(known, Operand::Value(mutex))
        .locations
        .iter()
        .map(|l| (l.object, l.offsets.moved(KIND.0)))
        .collect();
    kinds.iter().all(|&at| is_zero_at_start(program, points_to, at)) && !is_written(modref, &kinds)
}

/// Whether a kind is zero when the program starts.
fn is_zero_at_start(program: &Program, points_to: &PointsTo, (object, offsets): (ObjectId, Offsets)) -> bool {
    let ObjectKind::Global(id) = points_to.objects()[object].kind else { return true };
    let global = &program.globals[id];
    let zero = |at: i64| {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        global.data.iter().skip(start).take(4).all(|&byte| byte == 0)
            && global
                .relocations
                .iter()
                .all(|r| r.offset >= (at + 4).unsigned_abs() || r.offset + 8 <= at.unsigned_abs())
    };
    match offsets {
        Offsets::Exact(at) => zero(at),
        Offsets::Strided { start, stride } => {
            let places = (start..global.size).step_by(usize::try_from(stride).unwrap_or(usize::MAX).max(1));
            places.into_iter().all(|at| i64::try_from(at).is_ok_and(zero))
        }
    }
}

/// Whether the program itself may write an initialiser that is not zero where the kind of a mutex may be.
fn is_written(modref: &ModRef<'_>, kinds: &[(ObjectId, Offsets)]) -> bool {
    let (program, points_to) = (modref.program(), modref.points_to());
    for (id, instance) in points_to.instances().iter() {
        let function = &program.functions[instance.func];
        if function.origin != Origin::Program {
            continue;
        }
        let initial = initialisers(function);
        for (block, body) in function.blocks.iter() {
            for (inst, at) in body.insts.iter().zip(0..) {
                if !may_initialise(program, &initial, &inst.op) {
                    continue;
                }
                let at_point = ProgramPoint { func: instance.func, block, inst: at };
                let mods = modref.of_instruction(id, at_point).mods;
                let hits = |&(object, offsets): &(ObjectId, Offsets)| modref.touches_at(&mods, object, offsets, KIND.1);
                if mods.is_everything() || kinds.iter().any(hits) {
                    let at = crate::graph::place(program, &CallStack(vec![at_point]));
                    tracing::debug!(at, "may change the kind of a mutex");
                    return true;
                }
            }
        }
    }
    false
}

/// Whether an instruction may write part of an initialiser that is not zero, or copy one.
fn may_initialise(program: &Program, initial: &FixedBitSet, op: &Op) -> bool {
    let is_zero = |operand: &Operand| matches!(operand, Operand::Const(Const::Bits { bits: 0, .. }));
    match op {
        Op::Store { value, .. } => is_initialiser(initial, *value),
        Op::MemSet { byte, .. } => !is_zero(byte),
        Op::MemCopy { .. } => true,
        Op::Call { callee: Callee::Intrinsic(Intrinsic::MemSet), args } => !args.get(1).is_some_and(is_zero),
        Op::Call { callee: Callee::Intrinsic(_), .. } => true,
        // Functions of the program are looked at themselves; models are right about mutexes, but some copy memory for
        // the program.
        Op::Call { callee: Callee::Direct(f), .. } => {
            let callee = &program.functions[*f];
            callee.is_declaration() || (callee.origin == Origin::Model && copies(&callee.name))
        }
        Op::Call { callee: Callee::Indirect(_), .. } => false,
        _ => false,
    }
}

/// Whether a value may be a constant that is not zero; floating-point numbers are not taken for kinds of mutexes.
fn is_initialiser(initial: &FixedBitSet, value: Operand) -> bool {
    match value {
        Operand::Value(v) => initial.contains(v.index()),
        Operand::Const(Const::Bits { bits, ty }) => bits != 0 && !matches!(ty, Type::F32 | Type::F64),
        Operand::Const(_) => false,
    }
}

/// The values of a function that may be constants which are not zero: choices between such. O(instructions × depth of
/// choices).
fn initialisers(function: &Function) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(function.values.len());
    loop {
        let before = found.count_ones(..);
        for (_, block) in function.blocks.iter() {
            for inst in &block.insts {
                let (Op::Select { a, b, .. }, Some(result)) = (&inst.op, inst.results.first()) else { continue };
                if is_initialiser(&found, *a) || is_initialiser(&found, *b) {
                    found.insert(result.index());
                }
            }
            for edge in block.terminator.edges() {
                for (&arg, &param) in edge.args.iter().zip(&function.blocks[edge.target].params) {
                    if is_initialiser(&found, arg) {
                        found.insert(param.index());
                    }
                }
            }
        }
        if found.count_ones(..) == before {
            return found;
        }
    }
}

/// Whether a function of the C library writes what the program gives it.
fn copies(name: &str) -> bool {
    COPYING.contains(&name)
}
