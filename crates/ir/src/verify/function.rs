//! Definitions, uses, edges and signatures of one function.

use super::checker::Checker;
use super::finding::{Findings, Problem, out_of_range};
use super::op;
use super::reference::{check_const, check_loc_and_type};
use crate::cfg::Cfg;
use crate::dominators::DomTree;
use crate::entity::{BlockId, FuncId, IdVec, ValueId};
use crate::inst::{Edge, Inst, Operand, Terminator};
use crate::program::{Block, Function, Program};
use crate::types::Type;

/// Adds what is wrong with `function` to `findings`.
pub(super) fn check(program: &Program, id: FuncId, function: &Function, findings: &mut Findings) {
    let definitions = Definitions::of(function);
    let cfg = Cfg::new(function);
    let dominators = DomTree::dominators(&cfg);
    let at = Checker { program, id, function, findings, block: None, inst: None };
    let mut checker = FunctionChecker { at, definitions, cfg, dominators };
    checker.signature();
    checker.values();
    for (block, body) in function.blocks.iter() {
        checker.at.block = Some(block);
        checker.body(block, body);
    }
}

/// Where a value is defined.
#[derive(Copy, Clone)]
struct Definition {
    /// `None` for a parameter of the function.
    block: Option<BlockId>,
    /// One past the index of the defining instruction; 0 for a block parameter.
    after: usize,
}

struct Definitions {
    places: IdVec<ValueId, Option<Definition>>,
    times: IdVec<ValueId, u32>,
    /// Defined, but not in the table of values.
    out_of_range: Vec<ValueId>,
}

impl Definitions {
    fn of(function: &Function) -> Self {
        let count = function.values.len();
        let mut this =
            Self { places: IdVec::filled(None, count), times: IdVec::filled(0, count), out_of_range: Vec::new() };
        for &param in &function.params {
            this.add(param, None, 0);
        }
        for (id, block) in function.blocks.iter() {
            for &param in &block.params {
                this.add(param, Some(id), 0);
            }
            for (inst, after) in block.insts.iter().zip(1..) {
                for &result in &inst.results {
                    this.add(result, Some(id), after);
                }
            }
        }
        this
    }

    fn add(&mut self, value: ValueId, block: Option<BlockId>, after: usize) {
        if self.places.get(value).is_none() {
            self.out_of_range.push(value);
            return;
        }
        self.times[value] += 1;
        self.places[value].get_or_insert(Definition { block, after });
    }
}

/// Checks what depends on the order of a function's code.
struct FunctionChecker<'a> {
    at: Checker<'a>,
    definitions: Definitions,
    cfg: Cfg,
    dominators: DomTree,
}

impl FunctionChecker<'_> {
    fn signature(&mut self) {
        let function = self.at.function;
        self.at.loc(function.loc);
        for &ty in &function.results {
            self.at.type_is_valid(ty);
        }
        let Some(entry) = function.blocks.values().next() else { return };
        if !entry.params.is_empty() {
            self.at.error(Problem::Entry { what: "parameters" });
        }
        let id = self.at.function.blocks.ids().next().expect("there is an entry");
        if !self.cfg.predecessors(id).is_empty() {
            self.at.error(Problem::Entry { what: "predecessors" });
        }
    }

    fn values(&mut self) {
        for value in std::mem::take(&mut self.definitions.out_of_range) {
            self.at.error(out_of_range(value));
        }
        let (program, function) = (self.at.program, self.at.function);
        for (id, value) in function.values.iter() {
            let times = self.definitions.times[id];
            if times != 1 {
                self.at.error(Problem::Definitions { value: id, times });
            }
            self.at.type_is_valid(value.ty);
            check_loc_and_type(program, None, value.source_type, &mut |p| self.at.error(p));
        }
    }

    fn body(&mut self, id: BlockId, block: &Block) {
        for (at, inst) in block.insts.iter().enumerate() {
            self.at.inst = Some(at);
            self.at.loc(inst.loc);
            inst.op.for_each_operand(|operand| self.operand(operand, id, at));
            self.inst(inst);
        }
        self.at.inst = Some(block.insts.len());
        self.at.loc(block.terminator_loc);
        block.terminator.for_each_operand(|operand| self.operand(operand, id, block.insts.len()));
        self.terminator(&block.terminator);
        self.at.inst = None;
    }

    /// Types are only checked when every operand and result has one.
    fn inst(&mut self, inst: &Inst) {
        let mut known = inst.results.iter().all(|&r| self.at.function.values.get(r).is_some());
        inst.op.for_each_operand(|operand| known &= self.at.type_of(operand).is_some());
        if known {
            op::check(&mut self.at, inst);
        }
    }

    /// The operand exists, and a value's definition comes before its use at `block`, instruction `at`.
    fn operand(&mut self, operand: Operand, block: BlockId, at: usize) {
        let value = match operand {
            Operand::Value(value) => value,
            Operand::Const(constant) => {
                let program = self.at.program;
                return check_const(program, constant, &mut |p| self.at.error(p));
            }
        };
        let Some(place) = self.definitions.places.get(value).copied() else {
            return self.at.error(out_of_range(value));
        };
        // A value without a definition has been reported as such.
        let Some(Definition { block: Some(home), after }) = place else { return };
        let comes_before = if home == block { after <= at } else { self.dominators.dominates(home, block) };
        if self.cfg.is_reachable(block) && !comes_before {
            self.at.error(Problem::NotDominated { value });
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Branch { condition, .. } => {
                if self.at.type_of(*condition).is_some() {
                    self.at.expect("the condition", *condition, Type::Int(1));
                }
            }
            Terminator::Return(values) => self.return_values(values),
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
        for edge in terminator.edges() {
            self.edge(edge);
        }
    }

    fn return_values(&mut self, values: &[Operand]) {
        let expected = &self.at.function.results;
        if values.len() != expected.len() {
            self.at.error(Problem::Count { what: "returned values", expected: expected.len(), found: values.len() });
        }
        for (&value, &ty) in values.iter().zip(expected) {
            if self.at.type_of(value).is_some() {
                self.at.expect("the returned value", value, ty);
            }
        }
    }

    fn edge(&mut self, edge: &Edge) {
        let Some(target) = self.at.function.blocks.get(edge.target) else {
            return self.at.error(out_of_range(edge.target));
        };
        if edge.args.len() != target.params.len() {
            let (expected, found) = (target.params.len(), edge.args.len());
            self.at.error(Problem::Count { what: "edge arguments", expected, found });
        }
        for (&arg, &param) in edge.args.iter().zip(&target.params) {
            if let (Some(_), Some(expected)) = (self.at.type_of(arg), self.at.type_of(Operand::Value(param))) {
                self.at.expect(&format!("the argument for {param} of {}", edge.target), arg, expected);
            }
        }
    }
}
