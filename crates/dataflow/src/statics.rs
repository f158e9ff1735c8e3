//! Bytes of variables that hold what they were initialised with, whatever happens.
//!
//! A byte does if no instruction that is ever executed may write there, or each one that may writes the same value: constants in stores,
//! the byte of `memset`. Nothing depends on where the threads are, so this holds at every context, also for what is shared.
//! It is what keeps the models' tables known in the middle of a program: a program that never cancels a thread never writes
//! anything but zero to the flag that says so.

use icsched_ir::{Callee, Const, GlobalId, IdVec, Intrinsic, Op, Operand, Program, ProgramPoint};
use icsched_pointsto::{InstanceId, ModRef, ObjectId, ObjectKind, Offsets, PointsTo};

/// Variables that are larger are only asked whether they are written at all.
const MAX_BYTES: u64 = 1 << 18;

/// What is written somewhere in an object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Write {
    offsets: Offsets,
    /// `None`: up to the end.
    bytes: Option<u64>,
    what: Written,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
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
}

impl Statics {
    /// Looks at every instruction of every instance once.
    pub fn new(modref: &ModRef<'_>) -> Self {
        let (program, points_to) = (modref.program(), modref.points_to());
        let mut this = Self { writes: IdVec::filled(Vec::new(), program.globals.len()), everything: false };
        for (id, instance) in points_to.instances().iter() {
            for (block, body) in program.functions[instance.func].blocks.iter() {
                for (inst, index) in body.insts.iter().zip(0..) {
                    let at = ProgramPoint { func: instance.func, block, inst: index };
                    this.instruction(modref, id, at, &inst.op);
                }
            }
        }
        for id in program.globals.ids() {
            let writes = &mut this.writes[id];
            writes.sort_unstable_by_key(|w| (w.offsets, w.bytes));
            writes.dedup();
        }
        this
    }

    fn instruction(&mut self, modref: &ModRef<'_>, instance: InstanceId, at: ProgramPoint, op: &Op) {
        let (program, points_to) = (modref.program(), modref.points_to());
        let mut fill = |to: Operand, byte: u64, bytes: Operand| {
            let bytes = match bytes {
                Operand::Const(Const::Bits { bits, .. }) => Some(bits),
                _ => None,
            };
            self.through(points_to, instance, to, bytes, Written::Fill(byte as u8));
        };
        match op {
            Op::Store { address, value, .. } => {
                let (what, bytes) = stored(program, at, *value);
                self.through(points_to, instance, *address, Some(bytes), what);
            }
            Op::MemSet { to, byte: Operand::Const(Const::Bits { bits, .. }), bytes } => fill(*to, *bits, *bytes),
            Op::Call { callee: Callee::Intrinsic(Intrinsic::MemSet), args } => match args[..] {
                [to, Operand::Const(Const::Bits { bits, .. }), bytes] => fill(to, bits, bytes),
                _ => self.unknown(modref, instance, at),
            },
            Op::Call { .. } if !points_to.callees(instance, at).is_empty() => {}
            op if op.leaves_memory_alone(&program.functions[at.func]) => {}
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

    fn add(
        &mut self,
        points_to: &PointsTo,
        object: ObjectId,
        offsets: Offsets,
        bytes: Option<u64>,
        what: Written,
    ) {
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

    /// Per byte of a variable what it holds at all times; `None` where that is not known.
    pub fn of_global(&self, program: &Program, id: GlobalId) -> Vec<Option<u8>> {
        let global = &program.globals[id];
        let size = usize::try_from(global.size).unwrap_or(0);
        let exposed = self.everything && global.origin == icsched_ir::Origin::Program && !global.constant;
        if exposed || global.external || global.thread_local || (global.size > MAX_BYTES && !self.writes[id].is_empty()) {
            return vec![None; size];
        }
        let mut bytes: Vec<Option<u8>> = (0..size).map(|i| Some(global.data.get(i).copied().unwrap_or(0))).collect();
        for relocation in &global.relocations {
            let start = usize::try_from(relocation.offset).unwrap_or(size);
            bytes.iter_mut().skip(start).take(8).for_each(|b| *b = None);
        }
        for write in &self.writes[id] {
            for (start, length) in places(write, size) {
                for (i, byte) in bytes[start..][..length].iter_mut().enumerate() {
                    let same = match write.what {
                        Written::Word(bits) => i < 8 && *byte == Some((bits >> (8 * i)) as u8),
                        Written::Fill(fill) => *byte == Some(fill),
                        Written::Anything => false,
                    };
                    if !same {
                        *byte = None;
                    }
                }
            }
        }
        bytes
    }

    /// Whether anything may be written to a variable.
    pub fn is_written(&self, program: &Program, id: GlobalId) -> bool {
        let exposed = self.everything && program.globals[id].origin == icsched_ir::Origin::Program;
        exposed || !self.writes[id].is_empty()
    }
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
fn stored(program: &Program, at: ProgramPoint, value: Operand) -> (Written, u64) {
    let ty = match value {
        Operand::Value(value) => program.functions[at.func].values[value].ty,
        Operand::Const(constant) => constant.ty(),
    };
    let what = match value {
        Operand::Const(Const::Bits { bits, .. }) => Written::Word(bits),
        _ => Written::Anything,
    };
    (what, u64::from(ty.bytes()))
}
