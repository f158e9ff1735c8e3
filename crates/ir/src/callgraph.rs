//! Who may call whom.

use fixedbitset::FixedBitSet;

use crate::entity::{EntityId, FuncId, IdVec};
use crate::inst::{Callee, Const, Op, Operand};
use crate::intrinsic::Intrinsic;
use crate::program::{Function, Program, ProgramPoint};
use crate::scc;

/// The call graph of a program; includes every call that can happen. Starting a thread is not a call: the start
/// function is among the [address-taken](Self::is_address_taken) ones.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: IdVec<FuncId, Vec<FuncId>>,
    callers: IdVec<FuncId, Vec<FuncId>>,
    intrinsics: IdVec<FuncId, Vec<Intrinsic>>,
    address_taken: FixedBitSet,
    components: Vec<Vec<FuncId>>,
    component_of: IdVec<FuncId, usize>,
}

impl CallGraph {
    /// The call graph of `program` by what the functions' code alone tells: a call through a pointer may reach every
    /// function whose address is taken anywhere (in code or in an initialiser) and that does not need more arguments
    /// than the call passes; C lets a callee ignore some in practice. Built in O(instructions + indirect-calling
    /// functions * address-taken functions).
    pub fn new(program: &Program) -> Self {
        let address_taken = address_taken(program);
        let calls = program.functions.iter().map(|(id, function)| {
            let mut calls = Calls::default();
            // A call with more arguments reaches what one with fewer does.
            let mut most_args = None;
            calls.collect(id, function, |_, args| most_args = most_args.max(Some(args)));
            if let Some(most) = most_args {
                let targets = address_taken.ones().map(FuncId::from_index);
                calls.functions.extend(targets.filter(|&f| accepts(&program.functions[f], most)));
            }
            calls
        });
        let calls = calls.collect();
        Self::of_calls(calls, address_taken)
    }

    /// The call graph of `program` where somebody knows more: `targets` lists the functions that the call through a
    /// pointer at a point may reach, in any order. Built in O(instructions + targets).
    pub fn with_targets<T: IntoIterator<Item = FuncId>>(
        program: &Program,
        targets: impl Fn(ProgramPoint) -> T,
    ) -> Self {
        let calls = program.functions.iter().map(|(id, function)| {
            let mut calls = Calls::default();
            let mut reached = Vec::new();
            calls.collect(id, function, |point, _| reached.extend(targets(point)));
            calls.functions.extend(reached);
            calls
        });
        Self::of_calls(calls.collect(), address_taken(program))
    }

    fn of_calls(calls: Vec<Calls>, address_taken: FixedBitSet) -> Self {
        let count = calls.len();
        let mut callees = IdVec::filled(Vec::new(), count);
        let mut intrinsics = IdVec::filled(Vec::new(), count);
        for (calls, id) in calls.into_iter().zip((0..count).map(FuncId::from_index)) {
            callees[id] = sorted(calls.functions);
            intrinsics[id] = sorted(calls.intrinsics);
        }
        let mut callers = IdVec::filled(Vec::new(), count);
        for (caller, list) in callees.iter() {
            for &callee in list {
                let list: &mut Vec<FuncId> = &mut callers[callee];
                list.push(caller);
            }
        }
        let successors = |f: usize| callees[FuncId::from_index(f)].iter().map(|c| c.index());
        let components: Vec<Vec<FuncId>> = scc::components(count, |_| true, successors)
            .into_iter()
            .map(|c| c.into_iter().map(FuncId::from_index).collect())
            .collect();
        let mut component_of = IdVec::filled(0, count);
        for (at, component) in components.iter().enumerate() {
            for &func in component {
                component_of[func] = at;
            }
        }
        Self { callees, callers, intrinsics, address_taken, components, component_of }
    }

    /// The functions that `func` may call, ascending, declared ones included.
    pub fn callees(&self, func: FuncId) -> &[FuncId] {
        &self.callees[func]
    }

    /// The functions that may call `func`, ascending.
    pub fn callers(&self, func: FuncId) -> &[FuncId] {
        &self.callers[func]
    }

    /// The engine operations that `func` itself calls, ascending.
    pub fn intrinsics(&self, func: FuncId) -> &[Intrinsic] {
        &self.intrinsics[func]
    }

    /// Whether the function's address is taken in code or in an initialiser.
    pub fn is_address_taken(&self, func: FuncId) -> bool {
        self.address_taken.contains(func.index())
    }

    /// The functions a call through a pointer with `args` arguments may reach as far as [`Self::new`] knows, ascending.
    pub fn indirect_targets(&self, program: &Program, args: usize) -> Vec<FuncId> {
        let taken = self.address_taken.ones().map(FuncId::from_index);
        taken.filter(|&f| accepts(&program.functions[f], args)).collect()
    }

    /// Sets of mutually recursive functions (most of them single functions), callees before callers.
    pub fn components(&self) -> &[Vec<FuncId>] {
        &self.components
    }

    /// Position in [`components`](Self::components) of the set that holds `func`.
    pub fn component_of(&self, func: FuncId) -> usize {
        self.component_of[func]
    }

    /// Whether `func` may call itself, directly or through others.
    pub fn is_recursive(&self, func: FuncId) -> bool {
        self.components[self.component_of[func]].len() > 1 || self.callees[func].binary_search(&func).is_ok()
    }

    /// The functions that satisfy `property` or may call, over any number of calls, one that does.
    /// O(functions + edges), and `property` is asked once per function.
    pub fn may_call_transitively(&self, property: impl Fn(FuncId) -> bool) -> FixedBitSet {
        closure(self.callees.ids().filter(|&f| property(f)), &self.callers)
    }

    /// The functions that calls from `roots` may reach, the roots included. O(functions + edges).
    pub fn reachable_from(&self, roots: impl IntoIterator<Item = FuncId>) -> FixedBitSet {
        closure(roots.into_iter(), &self.callees)
    }
}

/// Whether a call with `args` arguments can run `function`: it needs no more than that.
fn accepts(function: &Function, args: usize) -> bool {
    function.params.len() <= args
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

fn closure(roots: impl Iterator<Item = FuncId>, edges: &IdVec<FuncId, Vec<FuncId>>) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(edges.len());
    let mut work: Vec<FuncId> = roots.filter(|f| !found.put(f.index())).collect();
    while let Some(func) = work.pop() {
        work.extend(edges[func].iter().filter(|f| !found.put(f.index())));
    }
    found
}

/// What one function calls.
#[derive(Default)]
struct Calls {
    functions: Vec<FuncId>,
    intrinsics: Vec<Intrinsic>,
}

impl Calls {
    /// Lists what is known from the code; calls through pointers go to `indirect`, with their number of arguments.
    fn collect(&mut self, func: FuncId, function: &Function, mut indirect: impl FnMut(ProgramPoint, usize)) {
        for (block, body) in function.blocks.iter() {
            for (inst, at) in body.insts.iter().zip(0..) {
                let Op::Call { callee, args } = &inst.op else { continue };
                match callee {
                    Callee::Direct(f) | Callee::Indirect(Operand::Const(Const::Func(f))) => self.functions.push(*f),
                    Callee::Indirect(_) => indirect(ProgramPoint { func, block, inst: at }, args.len()),
                    Callee::Intrinsic(i) => self.intrinsics.push(*i),
                }
            }
        }
    }
}

fn address_taken(program: &Program) -> FixedBitSet {
    let mut taken = FixedBitSet::with_capacity(program.functions.len());
    let mut visit = |operand: Operand| {
        if let Operand::Const(Const::Func(f)) = operand {
            taken.insert(f.index());
        }
    };
    for block in program.functions.values().flat_map(|f| f.blocks.values()) {
        for inst in &block.insts {
            inst.op.for_each_operand(&mut visit);
        }
        block.terminator.for_each_operand(&mut visit);
    }
    for relocation in program.globals.values().flat_map(|g| &g.relocations) {
        visit(Operand::Const(relocation.value));
    }
    // `Intrinsic::Destructor` hands out their addresses.
    program.destructors.iter().for_each(|&f| visit(Operand::Const(Const::Func(f))));
    taken
}
