//! Bytes of variables that hold what they were initialised with, whatever happens.
//!
//! A byte does if no instruction that is ever executed may write there, or each one that may writes the same value.
//! Nothing depends on where the threads are, so this holds at every context, also for what is shared. So the models'
//! tables are known in the middle of a program. A program that never cancels a thread, for example, never writes
//! anything but zero to the flag that says so.
//!
//! [`Statics::assuming`] is optimistic. It takes all variables to hold their initial values, folds what they decide,
//! and looks at the writes that are left. It starts again without the bytes that one of them changes, until none does.
//! In a run of the program the first write that changes another byte would have been left.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fixedbitset::FixedBitSet;
use icsched_ir::{
    BinOp, Callee, CastOp, Const, Definitions, FuncId, Function, GlobalId, IdVec, Intrinsic, Op, Operand, Program,
    ProgramPoint, Type, ValueId,
};
use icsched_pointsto::{InstanceId, Interrupted, ModRef, ObjectId, ObjectKind, Offsets, PointerInfo, PointsTo};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budgets::BUDGETS;
use crate::fold;

/// The models' function that threads begin with: what it hands on to start functions is known from where threads are
/// created.
const LAUNCHER: &str = "__ics_thread_main";

/// What is written somewhere in an object.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Write {
    offsets: Offsets,
    /// `None`: up to the end.
    bytes: Option<u64>,
    what: Written,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Written {
    /// The bytes of this word, little-endian.
    Word(u64),
    /// This byte everywhere.
    Fill(u8),
    Anything,
}

/// What is written to each variable.
#[derive(Clone, Debug)]
pub struct Statics {
    writes: IdVec<GlobalId, Vec<Write>>,
    /// Code that is not known may write anywhere.
    everything: bool,
    /// What was asked for of variables.
    known: IdVec<GlobalId, OnceLock<Box<[KnownBytes]>>>,
}

/// Those of 64 bytes of a variable that hold the same at all times.
#[derive(Clone, Debug)]
pub struct KnownBytes {
    /// Where they begin.
    pub start: u64,
    /// A bit for each of them that is known.
    pub which: u64,
    /// What they hold.
    pub bytes: [u8; u64::BITS as usize],
}

impl Statics {
    /// Looks at every instruction of every instance once.
    pub fn new(modref: &ModRef<'_>) -> Self {
        Self::of_code(modref, modref.program())
    }

    /// The variables of a program that starts with `main`, and the program without what they never let happen: `fold`
    /// takes out what is not reached. Ids and positions stay what they were. Time for one pass over the program per
    /// chain of discoveries.
    ///
    /// # Errors
    /// [`Interrupted`] if `interrupted` said so, which is asked between passes.
    pub fn assuming(
        modref: &ModRef<'_>,
        fold: &dyn Fn(&Program) -> Program,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(Self, Program), Interrupted> {
        let program = modref.program();
        let mut varying = IdVec::filled(FixedBitSet::new(), program.globals.len());
        loop {
            let assumed = Assumed { varying: &varying };
            let mut folded = fold(&assumed.fold_loads(program, modref.points_to()));
            for _ in 0..BUDGETS.constant_rounds {
                if interrupted() {
                    return Err(Interrupted);
                }
                let next = fold(&Arguments::of_calls(&folded).replaced(&folded));
                if next == folded {
                    break;
                }
                folded = next;
            }
            let statics = Self::of_code(modref, &folded);
            let mut are_more = false;
            for (id, global) in program.globals.iter().filter(|(_, global)| global.size <= BUDGETS.variable_bytes) {
                let none = || vec![None; usize::try_from(global.size).unwrap_or(0)];
                let bytes = statics.of_global(program, id).unwrap_or_else(none);
                let known = &mut varying[id];
                known.grow(bytes.len());
                for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| byte.is_none()) {
                    are_more |= !known.put(at);
                }
            }
            if !are_more {
                return Ok((statics, folded));
            }
        }
    }

    /// What the instructions of `program` write, which is the analysed one or has fewer of them.
    fn of_code(modref: &ModRef<'_>, program: &Program) -> Self {
        let points_to = modref.points_to();
        let globals = program.globals.len();
        let (writes, known) = (IdVec::filled(Vec::new(), globals), IdVec::filled(OnceLock::new(), globals));
        let mut this = Self { writes, everything: false, known };
        for (id, instance) in points_to.instances().iter() {
            let function = &program.functions[instance.func];
            let definitions = Definitions::new(function);
            for (block, body) in function.blocks.iter() {
                for (inst, index) in body.insts.iter().zip(0..) {
                    let at = ProgramPoint { func: instance.func, block, inst: index };
                    this.instruction(modref, (function, &definitions), id, at, &inst.op);
                }
            }
        }
        for id in program.globals.ids() {
            this.writes[id] = simplified(std::mem::take(&mut this.writes[id]));
        }
        this
    }

    fn instruction(
        &mut self,
        modref: &ModRef<'_>,
        (function, definitions): (&Function, &Definitions),
        instance: InstanceId,
        at: ProgramPoint,
        op: &Op,
    ) {
        let points_to = modref.points_to();
        let mut fill = |to: Operand, byte: u64, bytes: Operand| {
            let bytes = match bytes {
                Operand::Const(Const::Bits { bits, .. }) => Some(bits),
                _ => None,
            };
            self.through(points_to, instance, to, bytes, Written::Fill(byte as u8));
        };
        match op {
            Op::Store { address, value, .. } => {
                let (what, bytes) = stored(function, definitions, *value);
                self.through(points_to, instance, *address, Some(bytes), what);
            }
            Op::MemSet { to, byte: Operand::Const(Const::Bits { bits, .. }), bytes } => fill(*to, *bits, *bytes),
            Op::Call { callee: Callee::Intrinsic(Intrinsic::MemSet), args } => match args[..] {
                [to, Operand::Const(Const::Bits { bits, .. }), bytes] => fill(to, bits, bytes),
                _ => self.unknown(modref, instance, at),
            },
            Op::Call { .. } if !points_to.callees(instance, at).is_empty() => {}
            op if op.leaves_memory_alone(function) => {}
            _ => self.unknown(modref, instance, at),
        }
    }

    fn unknown(&mut self, modref: &ModRef<'_>, instance: InstanceId, at: ProgramPoint) {
        let mods = modref.of_instruction(instance, at).mods;
        self.everything |= mods.is_everything();
        for piece in modref.pieces(&mods) {
            self.add(modref.points_to(), piece.object, piece.offsets, piece.bytes, Written::Anything);
        }
    }

    fn through(
        &mut self,
        points_to: &PointsTo,
        instance: InstanceId,
        address: Operand,
        bytes: Option<u64>,
        what: Written,
    ) {
        let info = points_to.pointer_info_in(instance, address);
        for location in info.locations {
            self.add(points_to, location.object, location.offsets, bytes, what);
        }
    }

    fn add(&mut self, points_to: &PointsTo, object: ObjectId, offsets: Offsets, bytes: Option<u64>, what: Written) {
        match points_to.objects()[object].kind {
            ObjectKind::Global(global) => {
                let write = Write { offsets, bytes, what };
                if self.writes[global].last() != Some(&write) {
                    self.writes[global].push(write);
                }
            }
            ObjectKind::Outside => self.everything = true,
            _ => {}
        }
    }

    /// The bytes of a variable that hold the same at all times, ascending.
    pub fn known_of_global(&self, program: &Program, id: GlobalId) -> &[KnownBytes] {
        let some = |(start, some): (u64, &[Option<u8>])| {
            let mut known = KnownBytes { start, which: 0, bytes: [0; u64::BITS as usize] };
            for (at, byte) in some.iter().enumerate().filter_map(|(at, byte)| Some((at, (*byte)?))) {
                known.which |= 1 << at;
                known.bytes[at] = byte;
            }
            (known.which != 0).then_some(known)
        };
        self.known[id].get_or_init(|| {
            let all = self.of_global(program, id).unwrap_or_default();
            (0..).step_by(u64::BITS as usize).zip(all.chunks(u64::BITS as usize)).filter_map(some).collect()
        })
    }

    /// Per byte of a variable what it holds at all times, `None` where that is not known; `None` as well where it is
    /// known of none of them.
    fn of_global(&self, program: &Program, id: GlobalId) -> Option<Vec<Option<u8>>> {
        let global = &program.globals[id];
        let size = usize::try_from(global.size).unwrap_or(0);
        if self.is_exposed(program, global)
            || is_set_outside(global)
            || (global.size > BUDGETS.variable_bytes && !self.writes[id].is_empty())
        {
            return None;
        }
        let mut bytes: Vec<Option<u8>> = (0..size).map(|i| Some(global.data.get(i).copied().unwrap_or(0))).collect();
        for relocation in &global.relocations {
            let start = usize::try_from(relocation.offset).unwrap_or(size);
            bytes.iter_mut().skip(start).take(8).for_each(|b| *b = None);
        }
        // What nobody knows is last in the list, and often leaves nothing for the others to change.
        let mut left = bytes.iter().filter(|byte| byte.is_some()).count();
        for write in self.writes[id].iter().rev() {
            if left == 0 {
                break;
            }
            for (start, length) in places(write, size) {
                for (i, byte) in bytes[start..][..length].iter_mut().enumerate() {
                    let same = match write.what {
                        Written::Word(bits) => i < 8 && *byte == Some((bits >> (8 * i)) as u8),
                        Written::Fill(fill) => *byte == Some(fill),
                        Written::Anything => false,
                    };
                    if !same && byte.take().is_some() {
                        left -= 1;
                    }
                }
            }
        }
        Some(bytes)
    }

    /// Whether anything may be written to a variable.
    pub fn is_written(&self, program: &Program, id: GlobalId) -> bool {
        self.is_exposed(program, &program.globals[id]) || !self.writes[id].is_empty()
    }

    /// Whether code that is not known may write to a variable: without `main` it is a library's.
    fn is_exposed(&self, program: &Program, global: &icsched_ir::Global) -> bool {
        let of_program = global.origin == icsched_ir::Origin::Program && !global.constant;
        of_program && (self.everything || program.main.is_none())
    }
}

/// Whether the engine or nobody knows who sets a variable.
fn is_set_outside(global: &icsched_ir::Global) -> bool {
    global.external || crate::reaching::initial::SET_AT_START.contains(&global.library_name())
}

/// Writes that change the same bytes as `writes`, few of them: in a large program thousands may hit one variable.
fn simplified(mut writes: Vec<Write>) -> Vec<Write> {
    writes.sort_unstable();
    writes.dedup();
    // Without gaps: where each run starts and ends.
    let mut runs: Vec<(i64, i64)> = Vec::new();
    let mut gapped: BTreeMap<Offsets, Option<u64>> = BTreeMap::new();
    let mut kept: Vec<Write> = Vec::new();
    for write in writes {
        let length = write.bytes.map_or(i64::MAX, |n| i64::try_from(n).unwrap_or(i64::MAX));
        match (write.what, write.offsets) {
            (Written::Word(_) | Written::Fill(_), _) => kept.push(write),
            (Written::Anything, Offsets::Exact(x)) if x >= 0 => runs.push((x, x.saturating_add(length))),
            // In front of the object: an error.
            (Written::Anything, Offsets::Exact(_)) => {}
            (Written::Anything, Offsets::Strided { start, stride }) => {
                if write.bytes.is_none_or(|n| n >= stride) {
                    runs.push((i64::try_from(start).unwrap_or(i64::MAX), i64::MAX));
                } else {
                    let longest = gapped.entry(write.offsets).or_default();
                    *longest = (*longest).max(write.bytes);
                }
            }
        }
    }
    runs.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (start, end) in runs {
        match merged.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => merged.push((start, end)),
        }
    }
    let anything = |offsets, bytes| Write { offsets, bytes, what: Written::Anything };
    let whole = |(start, end): (i64, i64)| {
        anything(Offsets::Exact(start), (end < i64::MAX).then(|| (end - start).unsigned_abs()))
    };
    kept.extend(merged.into_iter().map(whole));
    kept.extend(gapped.into_iter().map(|(offsets, bytes)| anything(offsets, bytes)));
    kept
}

/// Start and length within an object of `size` bytes of each place a write may be at.
fn places(write: &Write, size: usize) -> Vec<(usize, usize)> {
    let end = i128::try_from(size).unwrap_or(0);
    let (first, stride) = match write.offsets {
        Offsets::Exact(x) => (i128::from(x), 0),
        Offsets::Strided { start, stride } => (i128::from(start), i128::from(stride)),
    };
    let length = write.bytes.map_or(end, i128::from);
    // A word that begins in front of the object would have to be cut: such an access is an error.
    let mut found = Vec::new();
    let mut at = first;
    while at < end {
        if at >= 0 {
            let length = length.min(end - at);
            found.push((usize::try_from(at).unwrap_or(0), usize::try_from(length).unwrap_or(0)));
        }
        if stride == 0 {
            break;
        }
        at += stride;
    }
    found
}

/// What a store writes and how many bytes.
fn stored(function: &Function, definitions: &Definitions, value: Operand) -> (Written, u64) {
    let ty = match value {
        Operand::Value(value) => function.values[value].ty,
        Operand::Const(constant) => constant.ty(),
    };
    let what = constant(function, definitions, value, BUDGETS.constant_steps).map_or(Written::Anything, Written::Word);
    (what, u64::from(ty.bytes()))
}

/// The number that a value always is, as far as its operations tell.
fn constant(function: &Function, definitions: &Definitions, operand: Operand, depth: u32) -> Option<u64> {
    let value = match operand {
        Operand::Const(Const::Bits { bits, .. }) => return Some(bits),
        Operand::Const(_) => return None,
        Operand::Value(value) => value,
    };
    let ty = function.values[value].ty;
    let of = |operand: Operand| constant(function, definitions, operand, depth.checked_sub(1)?);
    match &definitions.inst(function, value)?.op {
        Op::Binary { op: BinOp::And, a, b, .. } if of(*a) == Some(0) || of(*b) == Some(0) => Some(0),
        Op::Binary { op, a, b, .. } => {
            let width = ty.bits();
            fold::binary(*op, width, of(*a)?, of(*b)?)
        }
        Op::Cast { op: CastOp::Trunc | CastOp::ZExt, a } => Some(of(*a)? & ty.mask()),
        _ => None,
    }
}

/// All variables hold what they were initialised with, but for some bytes.
struct Assumed<'a> {
    /// By variable, the bytes that may hold something else; of large ones nothing is taken to be known.
    varying: &'a IdVec<GlobalId, FixedBitSet>,
}

impl Assumed<'_> {
    /// The program with loads that always give the same number replaced by it.
    fn fold_loads(&self, program: &Program, points_to: &PointsTo) -> Program {
        let mut folded = program.clone();
        for (func, function) in program.functions.iter() {
            for (block, body) in function.blocks.iter() {
                for (index, inst) in body.insts.iter().enumerate() {
                    let (Op::Load { address, access }, [result]) = (&inst.op, &inst.results[..]) else { continue };
                    let ty = function.values[*result].ty;
                    if access.volatile
                        || access.atomic.is_some()
                        || !(matches!(ty, Type::Int(_)) || ty == Type::Ptr && function.name != LAUNCHER)
                    {
                        continue;
                    }
                    let info = points_to.pointer_info(func, *address);
                    if let Some(bits) = self.loaded(program, points_to, &info, ty.bytes()) {
                        let number = |bits| Operand::Const(Const::Bits { ty, bits });
                        // The IR has no instruction that only names a constant.
                        let constant = match ty {
                            Type::Ptr => Op::Address { base: number(bits), offset: 0, indices: Default::default() },
                            _ => Op::binary(BinOp::Or, number(bits & ty.mask()), number(0)),
                        };
                        folded.functions[func].blocks[block].insts[index].op = constant;
                    }
                }
            }
        }
        folded
    }

    /// What all bytes at these places hold at all times.
    fn loaded(&self, program: &Program, points_to: &PointsTo, info: &PointerInfo, bytes: u32) -> Option<u64> {
        let mut found = None;
        for location in &info.locations {
            let ObjectKind::Global(id) = points_to.objects()[location.object].kind else { return None };
            let global = &program.globals[id];
            if global.constant || is_set_outside(global) || global.size > BUDGETS.variable_bytes {
                return None;
            }
            let read = Write { offsets: location.offsets, bytes: Some(u64::from(bytes)), what: Written::Anything };
            let size = usize::try_from(global.size).ok()?;
            for (start, length) in places(&read, size) {
                if length < bytes as usize {
                    continue;
                }
                let is_pointer = |r: &icsched_ir::Relocation| {
                    let (start, end) = (start as u64, (start + length) as u64);
                    r.offset < end && start < r.offset + 8
                };
                if global.relocations.iter().any(is_pointer) {
                    return None;
                }
                let byte = |i: usize| {
                    let is_known = !self.varying[id].contains(i);
                    is_known.then(|| u64::from(global.data.get(i).copied().unwrap_or(0)))
                };
                let word = (start..start + length).rev().try_fold(0u64, |word, i| Some(word << 8 | byte(i)?))?;
                if found.is_some_and(|f| f != word) {
                    return None;
                }
                found = Some(word);
            }
        }
        found
    }
}

/// What functions are always called with: constants that calls pass, and parameters that they hand on.
struct Arguments {
    /// Per parameter of a function that is called what all calls pass.
    known: FxHashMap<(FuncId, usize), Passed>,
    /// Functions that others than the calls that name them may call.
    open: FxHashSet<FuncId>,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Passed {
    Constant(Const),
    Anything,
}

impl Arguments {
    /// Optimistic: a parameter that is only handed on from another one is what that one is. O(calls) per round, and as
    /// many rounds as the longest chain of such calls.
    fn of_calls(program: &Program) -> Self {
        let mut this = Self { known: FxHashMap::default(), open: open_functions(program) };
        while this.round(program) {}
        this
    }

    fn round(&mut self, program: &Program) -> bool {
        let mut changed = false;
        for (caller, function) in program.functions.iter() {
            for inst in function.blocks.values().flat_map(|b| &b.insts) {
                let Op::Call { callee: Callee::Direct(func), args } = &inst.op else { continue };
                for (index, arg) in args.iter().enumerate() {
                    let passed = match *arg {
                        Operand::Const(constant @ Const::Bits { .. }) => Some(Passed::Constant(constant)),
                        Operand::Const(_) => Some(Passed::Anything),
                        Operand::Value(value) => self.parameter(function, caller, value),
                    };
                    let Some(passed) = passed else { continue };
                    let before = self.known.get(&(*func, index)).copied();
                    let now = if before.is_none_or(|b| b == passed) { passed } else { Passed::Anything };
                    changed |= before != Some(now);
                    self.known.insert((*func, index), now);
                }
            }
        }
        changed
    }

    /// What a value is that a call hands on; `None`: nothing yet.
    fn parameter(&self, function: &Function, caller: FuncId, value: ValueId) -> Option<Passed> {
        match function.params.iter().position(|&p| p == value) {
            Some(index) if !self.open.contains(&caller) && !function.varargs => {
                self.known.get(&(caller, index)).copied()
            }
            _ => Some(Passed::Anything),
        }
    }

    /// The program with parameters replaced that always have one value.
    fn replaced(&self, program: &Program) -> Program {
        let mut replaced = program.clone();
        for (func, function) in replaced.functions.iter_mut() {
            if self.open.contains(&func) || function.varargs {
                continue;
            }
            let constants: FxHashMap<ValueId, Const> = function
                .params
                .iter()
                .enumerate()
                .filter_map(|(index, &param)| {
                    let Passed::Constant(constant) = *self.known.get(&(func, index))? else { return None };
                    (constant.ty() == function.values[param].ty).then_some((param, constant))
                })
                .collect();
            if constants.is_empty() {
                continue;
            }
            let mut change = |operand: &mut Operand| {
                if let Operand::Value(value) = *operand
                    && let Some(&constant) = constants.get(&value)
                {
                    *operand = Operand::Const(constant);
                }
            };
            for (_, block) in function.blocks.iter_mut() {
                block.insts.iter_mut().for_each(|inst| inst.op.for_each_operand_mut(&mut change));
                block.terminator.for_each_operand_mut(&mut change);
            }
        }
        replaced
    }
}

/// Functions that the engine, other code or calls through pointers may call.
fn open_functions(program: &Program) -> FxHashSet<FuncId> {
    // The engine calls `exit` when `main` returns.
    let mut open: FxHashSet<FuncId> = program.main.into_iter().chain(program.library_function("exit")).collect();
    open.extend(program.constructors.iter().chain(&program.destructors));
    let mut named = |constant: Const| {
        if let Const::Func(func) = constant {
            open.insert(func);
        }
    };
    for global in program.globals.values() {
        global.relocations.iter().for_each(|r| named(r.value));
    }
    for body in program.functions.values().flat_map(|f| f.blocks.values()) {
        let mut visit = |operand: Operand| {
            if let Operand::Const(constant) = operand {
                named(constant);
            }
        };
        body.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut visit));
        body.terminator.for_each_operand(&mut visit);
    }
    open
}
