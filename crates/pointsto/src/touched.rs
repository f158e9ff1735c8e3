//! What single instructions touch, in terms of points-to sets that are only named: nothing is united here.

use icsched_externals::{ArgEffect, Row};
use icsched_ir::{
    AddressReach, BlockId, Callee, Const, Extent, FuncId, Function, IdVec, Indices, Inst, Intrinsic, Op, Operand,
    Program, ProgramPoint, Touch, ValueId, entity_id,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::Widths;
use crate::budgets::BUDGETS;
use crate::object::{InstanceId, Offsets};
use crate::query::PointsTo;

entity_id!(
    /// A set of pieces of memory; the same number for the same parts.
    SetId, "s"
);

impl SetId {
    /// The set without pieces: the first that is made.
    pub(crate) const EMPTY: Self = Self(0);
}

/// The place of an instruction.
pub(crate) fn point(func: FuncId, block: BlockId, inst: usize) -> ProgramPoint {
    ProgramPoint { func, block, inst: u32::try_from(inst).unwrap_or(u32::MAX) }
}

/// A set of pieces of memory, by what it is the union of. Sorted without duplicates once [`Parts::settle`]d.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Parts {
    /// What a numbered set points to, that many bytes each.
    pub(crate) accesses: Vec<(u32, u64)>,
    /// All of each object that a numbered set points to.
    pub(crate) objects: Vec<u32>,
    /// All of each object that can be reached from what a numbered set points to.
    pub(crate) reachable: Vec<u32>,
    /// Sets that are known.
    pub(crate) sets: Vec<SetId>,
    pub(crate) everything: bool,
}

impl Parts {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Number of parts, those that are there several times counted as often.
    pub(crate) fn len(&self) -> usize {
        self.accesses.len() + self.objects.len() + self.reachable.len() + self.sets.len()
    }

    pub(crate) fn append(&mut self, other: &Parts) {
        self.accesses.extend_from_slice(&other.accesses);
        self.objects.extend_from_slice(&other.objects);
        self.reachable.extend_from_slice(&other.reachable);
        self.sets.extend_from_slice(&other.sets);
        self.everything |= other.everything;
    }

    pub(crate) fn settle(&mut self) {
        fn settle<T: Ord>(list: &mut Vec<T>) {
            list.sort_unstable();
            list.dedup();
        }
        settle(&mut self.accesses);
        settle(&mut self.objects);
        settle(&mut self.reachable);
        settle(&mut self.sets);
    }
}

/// What some instructions of an instance do by themselves, and whom they call.
#[derive(Clone, Default, Debug)]
pub(crate) struct Touched {
    pub(crate) mods: Parts,
    pub(crate) refs: Parts,
    pub(crate) synchronises: bool,
    /// Instances that are called and return: starting a thread is no call.
    pub(crate) calls: Vec<InstanceId>,
    /// A function that is not known is called.
    pub(crate) outside: bool,
    /// A thread is created.
    pub(crate) creates: bool,
}

impl Touched {
    pub(crate) fn append(&mut self, other: &Touched) {
        self.mods.append(&other.mods);
        self.refs.append(&other.refs);
        self.calls.extend_from_slice(&other.calls);
        self.synchronises |= other.synchronises;
        self.outside |= other.outside;
        self.creates |= other.creates;
    }

    pub(crate) fn settle(&mut self) {
        self.mods.settle();
        self.refs.settle();
        self.calls.sort_unstable();
        self.calls.dedup();
    }
}

/// Looks at instructions.
pub(crate) struct Reader<'p> {
    pub(crate) program: &'p Program,
    pub(crate) points_to: &'p PointsTo,
    pub(crate) widths: Widths,
    /// Per function, whether it is only declared and may synchronise.
    synchronising: IdVec<FuncId, bool>,
    /// Addresses that are computed with small indices.
    near: FxHashMap<(FuncId, ValueId), AddressReach>,
}

impl<'p> Reader<'p> {
    pub(crate) fn new(program: &'p Program, points_to: &'p PointsTo, harmless: &dyn Fn(&Function) -> bool) -> Self {
        let mut widths = FxHashSet::default();
        let mut near = FxHashMap::default();
        for (func, function) in program.functions.iter() {
            add_near(func, function, &mut near);
            for inst in function.blocks.values().flat_map(|b| &b.insts) {
                let mut see = |touch: Touch| {
                    if let Extent::Bytes(n) = touch.extent {
                        widths.insert(n);
                        let reach = touch.address.value().and_then(|address| near.get(&(func, address)));
                        widths.extend(reach.and_then(|reach| bytes_from_base(reach, n)));
                    }
                };
                inst.op.for_each_write(function, &mut see);
                inst.op.for_each_read(function, &inst.results, &mut see);
            }
        }
        let synchronising = program.functions.values();
        let synchronising = synchronising.map(|f| f.is_declaration() && !f.no_return && !harmless(f)).collect();
        Self { program, points_to, widths: Widths::new(&widths), synchronising, near }
    }

    /// What one instruction does when an instance executes it.
    pub(crate) fn instruction(&self, instance: InstanceId, at: ProgramPoint, inst: &Inst, to: &mut Touched) {
        let function = &self.program.functions[at.func];
        inst.op.for_each_write(function, |touch| self.touch((instance, at.func), touch, &mut to.mods));
        inst.op.for_each_read(function, &inst.results, |touch| self.touch((instance, at.func), touch, &mut to.refs));
        to.synchronises |= inst.op.may_synchronise();
        match &inst.op {
            Op::Unsupported { .. } => {
                to.mods.everything = true;
                to.refs.everything = true;
            }
            Op::Call { callee: Callee::Intrinsic(i), .. } => to.creates |= *i == Intrinsic::ThreadCreate,
            Op::Call { callee, args } => {
                to.calls.extend_from_slice(self.points_to.callees(instance, at));
                self.declared_targets(instance, callee, |func| self.declared(instance, func, args, to));
            }
            _ => {}
        }
    }

    fn touch(&self, (instance, func): (InstanceId, FuncId), touch: Touch, to: &mut Parts) {
        let Some(set) = self.points_to.representative(instance, touch.address) else { return };
        if touch.extent != Extent::Bytes(0) && self.points_to.is_made_of_numbers(set) {
            to.everything = true;
        }
        match touch.extent {
            Extent::Bytes(0) => {}
            Extent::Bytes(n) => {
                let (set, n) = self.based_at((instance, func), touch.address, n).unwrap_or((set, n));
                to.accesses.push((set, self.widths.round_up(n)));
            }
            Extent::Unknown => to.accesses.push((set, u64::MAX)),
            Extent::Object => to.objects.push(set),
        }
    }

    /// Of an access at an address that is computed with small indices, the bytes behind its base among which it is: a
    /// points-to set says where the base is, but of what an index is added to only the distance of the elements, not
    /// how many they are.
    fn based_at(&self, (instance, func): (InstanceId, FuncId), address: Operand, n: u64) -> Option<(u32, u64)> {
        let reach = self.near.get(&(func, address.value()?))?;
        let bytes = bytes_from_base(reach, n)?;
        let set = self.points_to.representative(instance, reach.base)?;
        let places = self.points_to.set_numbered(set);
        // An element of an array of structures says more than what is in it if the bytes are not those of the next one,
        // too.
        let says_more = |element| match self.points_to.locations()[crate::solver::location(element)].offsets {
            Offsets::Exact(_) => true,
            Offsets::Strided { stride, .. } => stride > bytes,
        };
        let is_known = (1..=BUDGETS.bases).contains(&places.len()) && places.iter().all(says_more);
        (is_known && !self.points_to.is_made_of_numbers(set)).then_some((set, bytes))
    }

    /// The functions without a body that a call may reach.
    pub(crate) fn declared_targets(&self, instance: InstanceId, callee: &Callee, mut visit: impl FnMut(FuncId)) {
        match callee {
            Callee::Direct(f) | Callee::Indirect(Operand::Const(Const::Func(f))) => {
                if self.program.functions[*f].is_declaration() {
                    visit(*f);
                }
            }
            Callee::Indirect(target) => {
                let info = self.points_to.pointer_info_in(instance, *target);
                self.points_to.functions(&info).filter(|&f| self.program.functions[f].is_declaration()).for_each(visit);
            }
            Callee::Intrinsic(_) => {}
        }
    }

    /// A function without a body, by its row in the table of externals.
    fn declared(&self, instance: InstanceId, func: FuncId, args: &[Operand], to: &mut Touched) {
        to.synchronises |= self.synchronising[func];
        let row: Option<&Row> = icsched_externals::lookup(&self.program.functions[func].name);
        let Some(row) = row else {
            to.outside = true;
            return;
        };
        for (position, &arg) in args.iter().enumerate() {
            let Some(set) = self.points_to.representative(instance, arg) else { continue };
            let (reads, writes) = match row.argument(position) {
                ArgEffect::Value => (false, false),
                ArgEffect::Reads | ArgEffect::ReadsBytes => (true, false),
                ArgEffect::Writes | ArgEffect::WritesBytes => (false, true),
                ArgEffect::ReadsWrites | ArgEffect::Retains | ArgEffect::StoresPointer => (true, true),
                ArgEffect::Frees => (false, true),
                ArgEffect::Calls => {
                    to.outside = true;
                    (true, true)
                }
            };
            if reads {
                to.refs.reachable.push(set);
            }
            if writes {
                to.mods.reachable.push(set);
            }
        }
    }
}

/// The addresses of a function that are computed with small indices, each by the innermost base that none is added to.
fn add_near(func: FuncId, function: &Function, near: &mut FxHashMap<(FuncId, ValueId), AddressReach>) {
    let mut known = None;
    for inst in function.blocks.values().flat_map(|block| &block.insts) {
        let Op::Address { indices, .. } = &inst.op else { continue };
        let (false, Some(&address)) = (indices.is_empty(), inst.results.first()) else { continue };
        let known = known.get_or_insert_with(|| Indices::new(function));
        let Some(mut reach) = known.reach(address) else { continue };
        // The array in an array: a chain of addresses has no cycle without a block's parameter.
        while let Some(inner) = reach.base.value().and_then(|base| known.reach(base)) {
            let Some(both) = reach.behind(inner).filter(|_| inner.span > 0) else { break };
            reach = both;
        }
        near.insert((func, address), reach);
    }
}

/// Bytes from the base on among which an access of `n` bytes is; `None` if it may begin before the base.
fn bytes_from_base(reach: &AddressReach, n: u64) -> Option<u64> {
    u64::try_from(reach.first).ok()?.checked_add(reach.span)?.checked_add(n)
}
