//! Loops that go round for ever once they go round: `while (n > 5) puts("wait");`.
//!
//! Nothing in such a loop changes what its tests look at. Slicing is blind to whether loops end (a test whose loop
//! changes nothing that matters is left out of a slice), which is right only for loops that do. So the tests of these
//! loops count as decisions of the schedule.

use std::cell::OnceCell;

use fixedbitset::FixedBitSet;
use icsched_dataflow::termination::Termination;
use icsched_ir::loops::Loop;
use icsched_ir::{
    BlockId, Definition, Definitions, EntityId as _, FuncId, Function, Op, Operand, Program, ProgramPoint, Terminator,
    ValueId,
};

use crate::budgets::BUDGETS;
use crate::control::Control;
use crate::control::propagate_backwards;
use crate::function_control::FunctionControl;
use crate::modref::{ModRef, READS_INPUT, Write, Writes};
use crate::provenance::Base;

impl Control {
    /// Finds the [tests of loops](FunctionControl::stuck_tests) that go round for ever, which needs to be known what
    /// loops write; and takes loops for endless whose ways out are known to be taken never. O(instructions of loops,
    /// once for each loop around them).
    pub fn find_stuck_tests(&mut self, program: &Program, modref: &ModRef, never_left: Vec<(FuncId, BlockId)>) {
        self.never_left.extend(never_left);
        for (func, function) in program.functions.iter().filter(|(_, f)| !f.is_declaration()) {
            let headers = headers(program, self, modref, (func, function));
            if let Some(facts) = &mut self.functions[func] {
                let loops = headers.ones().filter_map(|at| facts.loops.headed_by(BlockId::from_index(at)));
                let exits = loops.flat_map(|l| &facts.loops.get(l).exits);
                facts.stuck_tests = FixedBitSet::with_capacity(function.blocks.len());
                facts.stuck_tests.extend(exits.map(|(from, _)| from.index()));
                facts.stuck = headers;
            }
        }
        for (func, header) in self.endless_loops(program) {
            if let Some(facts) = &mut self.functions[func] {
                facts.endless.insert(header.index());
            }
        }
        let has_some = |facts: &FunctionControl| !facts.stuck_tests.is_clear() || !facts.endless.is_clear();
        self.sticks = self.calls.may_call_transitively(|f| self.functions[f].as_ref().is_some_and(has_some));
        if self.sticks.is_clear() {
            return;
        }
        for (func, function) in program.functions.iter().filter(|(_, f)| !f.is_declaration()) {
            let mut behind = FixedBitSet::with_capacity(function.blocks.len());
            behind.extend(function.blocks.ids().filter(|&id| self.may_stick(program, func, id)).map(BlockId::index));
            if let Some(facts) = &mut self.functions[func] {
                propagate_backwards(&facts.cfg, &mut behind, &FixedBitSet::new());
                facts.sticks_behind = behind;
            }
        }
    }
}

/// The loops of a program that are endless although they have ways out, as far as that is seen without a solver: by
/// function and header. What pointers point to is analysed for it.
pub fn never_left(program: &Program) -> Vec<(FuncId, BlockId)> {
    let points_to = icsched_pointsto::PointsTo::new(program, &icsched_pointsto::Options::default());
    let Ok(points_to) = points_to else { return Vec::new() };
    let modref = icsched_pointsto::ModRef::new(program, &points_to, &Function::is_declaration);
    let startup = icsched_pointsto::Startup::new(&modref);
    Termination::new(&modref, &startup).plainly_endless()
}

/// The headers of loops that have no way out but tests of what does not change in the loop.
/// O(blocks of loops, once for each loop around them).
fn headers(
    program: &Program,
    control: &Control,
    modref: &ModRef,
    (func, function): (FuncId, &Function),
) -> FixedBitSet {
    let facts = control.function(func);
    let mut found = FixedBitSet::with_capacity(function.blocks.len());
    if facts.loops.iter().next().is_none() {
        return found;
    }
    let definitions = Definitions::new(function);
    for (_, l) in facts.loops.iter() {
        if l.exits.is_empty() || !l.blocks.is_disjoint(&facts.may_synchronise) {
            continue;
        }
        let writes = OnceCell::new();
        let unchanged = Unchanged { program, control, modref, func, function, definitions: &definitions, l, writes };
        let mut tests = l.exits.iter().map(|&(from, _)| from);
        if tests.all(|from| unchanged.tests(from)) {
            found.insert(l.header.index());
        }
    }
    found
}

/// What is the same in each round of a loop.
struct Unchanged<'a> {
    program: &'a Program,
    control: &'a Control,
    modref: &'a ModRef,
    func: FuncId,
    function: &'a Function,
    definitions: &'a Definitions,
    l: &'a Loop,
    /// What the loop may write, once that is asked.
    writes: OnceCell<Writes>,
}

impl Unchanged<'_> {
    /// Whether a block ends with a test of it.
    fn tests(&self, block: BlockId) -> bool {
        match &self.function.blocks[block].terminator {
            Terminator::Branch { condition, .. } => self.operand(*condition, &mut 0),
            Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {
                false
            }
        }
    }

    fn operand(&self, operand: Operand, seen: &mut usize) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Value(value) => self.value(value, seen),
        }
    }

    fn value(&self, value: ValueId, seen: &mut usize) -> bool {
        *seen += 1;
        let (block, at) = match self.definitions.of(value) {
            Some(Definition::Argument(_)) => return true,
            Some(Definition::Parameter(block, _)) => return !self.l.contains(block),
            Some(Definition::Inst(block, at)) => (block, at),
            None => return false,
        };
        if !self.l.contains(block) {
            return true;
        }
        let op = &self.function.blocks[block].insts[at].op;
        let is_computed = match op {
            Op::Binary { .. }
            | Op::Unary { .. }
            | Op::Cast { .. }
            | Op::IntCompare { .. }
            | Op::FloatCompare { .. }
            | Op::Select { .. }
            | Op::Address { .. } => true,
            Op::Load { address, .. } => self.is_same(*address),
            _ => false,
        };
        let mut all = is_computed && *seen < BUDGETS.test_operations;
        op.for_each_operand(|operand| all = all && self.operand(operand, seen));
        all
    }

    /// Whether the loop leaves alone what is at an address: some bytes of variables.
    fn is_same(&self, address: Operand) -> bool {
        let from = self.modref.provenance(self.func, address);
        let is_left = |base: &Base| match *base {
            Base::Global(global) => !self.writes(*base, self.modref.global_escapes(global)),
            Base::Alloca(local) => !self.writes(*base, self.modref.alloca_escapes(self.func, local)),
            Base::Param(_) | Base::Unknown => false,
        };
        !from.bases().is_empty() && from.bases().iter().all(is_left)
    }

    /// Whether the loop may write an object, which others may point to.
    fn writes(&self, base: Base, escapes: bool) -> bool {
        let writes = self.writes.get_or_init(|| {
            let mut writes = Writes::default();
            for block in self.l.block_ids() {
                for (inst, i) in (0..).zip(&self.function.blocks[block].insts) {
                    let at = ProgramPoint { func: self.func, block, inst };
                    self.modref.add_writes(self.program, self.control, at, i, &mut writes);
                }
            }
            writes
        });
        let is_write = |write: &Write| write.range != Some(READS_INPUT);
        let hits = |write: Write| write.base == base || escapes && matches!(write.base, Base::Unknown | Base::Param(_));
        writes.iter().filter(is_write).any(hits)
    }
}
