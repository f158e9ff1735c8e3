//! What memory holds before the program starts.
//!
//! Constants hold their initial bytes for ever. Other globals hold theirs when the first function starts: what `main`
//! may rely on is what no constructor may write. Deviation from figure 2.17, where nothing is known at the entry.

use std::collections::BTreeSet;

use icsched_ir::{Const, Global, GlobalId, Op, Operand};

use super::facts::{Entry, Facts};
use crate::code::is_plain;
use crate::expr::{Expr, ExprId};
use crate::place::{Base, Frames, Place};
use crate::view::ProgramView;

/// Variables of the C library that the engine sets before the first instruction.
pub(crate) const SET_AT_START: [&str; 6] = [
    "environ",
    "__environ",
    "program_invocation_name",
    "__progname_full",
    "program_invocation_short_name",
    "__progname",
];

impl ProgramView<'_, '_> {
    /// A constant as an expression; `None` for one without a single value, and for addresses that differ by thread.
    pub(crate) fn constant(&mut self, constant: Const) -> Option<ExprId> {
        match constant {
            Const::Bits { ty, bits } => Some(self.pool.constant(ty.bits(), bits)),
            Const::Global { global, offset } => {
                if self.program.globals[global].thread_local {
                    return None;
                }
                let start = self.pool.intern(Expr::Global(global));
                Some(self.pool.add(start, offset.cast_unsigned()))
            }
            Const::Func(func) => Some(self.pool.intern(Expr::Function(func))),
            Const::Block { .. } | Const::Undef(_) => None,
        }
    }

    /// What a place of a constant holds.
    pub(crate) fn initial(&mut self, place: Place) -> Option<ExprId> {
        let Base::Global(global) = place.base else { return None };
        let holds = self.program.globals[global].constant;
        if holds { self.initial_bytes(global, place) } else { None }
    }

    fn initial_bytes(&mut self, id: GlobalId, place: Place) -> Option<ExprId> {
        let global = &self.program.globals[id];
        let start = u64::try_from(place.offset).ok()?;
        let end = start.checked_add(u64::from(place.bytes)).filter(|&end| end <= global.size)?;
        if global.external || global.thread_local || place.bytes > 8 {
            return None;
        }
        let mut pointers = global.relocations.iter().filter(|r| r.offset < end && r.offset + 8 > start);
        match (pointers.next(), pointers.next()) {
            (None, _) => {
                let bits = plain_bits(global, start, place.bytes);
                Some(self.pool.constant(8 * place.bytes, bits))
            }
            (Some(only), None) if only.offset == start && place.bytes == 8 => self.constant(only.value),
            _ => None,
        }
    }

    /// What holds when `main` starts.
    pub(crate) fn main_entry(&mut self) -> Entry {
        let mut facts = Facts::default();
        let constructors = &self.program.constructors;
        let instances: Vec<_> = constructors.iter().flat_map(|&f| self.points_to.instances_of(f)).copied().collect();
        let unknown = constructors.iter().any(|&f| self.points_to.instances_of(f).is_empty())
            || instances.iter().any(|&i| self.interference.may_switch(i));
        if unknown {
            return Entry::default();
        }
        let modref = self.modref;
        let sets: Vec<_> = instances.iter().map(|&i| modref.set(modref.inside_instance(i).mods)).collect();
        let nowhere = Frames::Stack(Vec::new());
        for place in self.read_globals() {
            let Base::Global(global) = place.base else { continue };
            let Some(value) = self.initial_bytes(global, place) else { continue };
            facts.define(self, &nowhere, place, value);
        }
        facts.retain(|place, fact| {
            let bytes = u64::from(place.bytes);
            let mut targets = fact.reach.targets.iter();
            !targets.any(|&(object, offsets)| sets.iter().any(|s| modref.touches_at(s, object, offsets, bytes)))
        });
        Entry { params: Vec::new(), facts }
    }

    /// The places of variables that some instruction of the program reads by name.
    fn read_globals(&mut self) -> BTreeSet<Place> {
        let mut found = BTreeSet::new();
        let program = self.program;
        for (func, function) in program.functions.iter() {
            let structure = self.structure(func);
            for inst in function.blocks.values().flat_map(|b| &b.insts) {
                let (Op::Load { address, access }, [result]) = (&inst.op, &inst.results[..]) else { continue };
                if !is_plain(*access) {
                    continue;
                }
                let ty = function.values[*result].ty;
                let base = match *address {
                    Operand::Const(constant) => Some((constant, 0)),
                    Operand::Value(value) => match structure.inst(function, value).map(|inst| &inst.op) {
                        Some(Op::Address { base: Operand::Const(constant), offset, indices }) if indices.is_empty() => {
                            Some((*constant, *offset))
                        }
                        _ => None,
                    },
                };
                let Some((Const::Global { global, offset: first }, second)) = base else { continue };
                let variable = &program.globals[global];
                if !variable.constant && !SET_AT_START.contains(&variable.library_name()) && ty.bits() == 8 * ty.bytes()
                {
                    let offset = first.wrapping_add(second);
                    found.insert(Place { base: Base::Global(global), offset, bytes: ty.bytes() });
                }
            }
        }
        found
    }
}

/// Little-endian bytes of an initialiser without pointers in them; what it does not cover is zero.
fn plain_bits(global: &Global, start: u64, bytes: u32) -> u64 {
    let byte = |i: u64| {
        let at = usize::try_from(start + i).unwrap_or(usize::MAX);
        u64::from(global.data.get(at).copied().unwrap_or(0))
    };
    (0..u64::from(bytes)).rev().fold(0, |bits, i| bits << 8 | byte(i))
}
