//! Evaluates one round of a loop or a recursion, as terms over what it begins with.
//!
//! Blocks are evaluated once, each behind its predecessors. A loop inside is entered at *some* iteration, the one in
//! which control leaves it. Its header's parameters may be anything then, and so may memory that it writes. So each
//! real round is among those that the terms describe.

use icsched_ir::{BlockId, Callee, FuncId, Inst, Op, Operand, Terminator, ValueId};
use icsched_smt::Term;

use super::evaluator::Evaluator;
use super::round::{Beginning, Fact, Round, Step};
use super::scope::{InnerCall, Kind};
use super::value::{Origin, Val, Walk};

impl Evaluator<'_, '_> {
    /// Evaluates the first of several rounds: with what has held since control came to the scope. O(instructions of the
    /// function).
    pub(super) fn run_first(mut self, beginning: &Beginning) -> Round {
        if matches!(self.scope.kind, Kind::Loop(_)) {
            let guards = self.guards();
            self.round.facts.extend(guards.into_iter().map(|holds| Fact {
                holds,
                is_of_sum: false,
                is_of_branch: true,
            }));
        }
        self.run(beginning)
    }

    /// Evaluates it. O(instructions of the scope).
    pub(super) fn run(mut self, beginning: &Beginning) -> Round {
        for (&param, &val) in self.scope.parameters().iter().zip(&beginning.params) {
            self.round.values[param] = Some(val);
        }
        self.round.begins = beginning.params.iter().chain(&beginning.cells).copied().collect();
        let scope = self.scope;
        for &block in &scope.blocks {
            self.enter(block, beginning);
            self.block(block);
            self.cells[block] = std::mem::take(&mut self.now);
        }
        if matches!(scope.kind, Kind::Loop(_)) {
            self.go_round();
        }
        self.round
    }

    /// What control finds where it comes to a block.
    fn enter(&mut self, block: BlockId, beginning: &Beginning) {
        let scope = self.scope;
        if block == scope.header() {
            self.reached[block] = Some(self.pool.bool(true));
            self.now.clone_from(&beginning.cells);
            return;
        }
        let ways = self.ways(block);
        let conditions: Vec<Term> = ways.iter().map(|way| way.0).collect();
        self.reached[block] = Some(self.pool.or_all(&conditions));
        for (at, &param) in scope.function.blocks[block].params.iter().enumerate() {
            let changes = scope.inner_loop(block).is_some() && !self.keeps(block, at);
            let val = if changes { self.unknown(param) } else { self.merged(&ways, param, at) };
            self.round.values[param] = Some(val);
        }
        for cell in 0..self.memory.cells.len() {
            let held: Vec<(Term, Val)> = ways.iter().map(|way| (way.0, self.cells[way.1][cell])).collect();
            let inner = scope.inner_loop(block);
            let writes = inner.is_some_and(|l| self.memory.cells[cell].writers.iter().any(|&b| l.contains(b)));
            let val = if writes { self.unknown_cell(cell, block) } else { self.chosen(&held) };
            self.now.push(val);
        }
    }

    /// The ways to a block, but those around a loop inside of which it is the header: condition, block and number of
    /// its edge.
    fn ways(&self, block: BlockId) -> Vec<(Term, BlockId, usize)> {
        let scope = self.scope;
        let inner = scope.inner_loop(block);
        let from = scope.structure.cfg.predecessors(block).iter().copied();
        let from = from.filter(|&from| scope.contains(from) && !inner.is_some_and(|l| l.contains(from)));
        let edges = from.flat_map(|from| {
            let all = scope.function.blocks[from].terminator.edges().enumerate();
            all.filter(move |(_, edge)| edge.target == block).map(move |(at, _)| (from, at))
        });
        edges.filter_map(|(from, at)| Some((*self.edges[from].get(at)?, from, at))).collect()
    }

    /// Whether a loop inside hands its header's parameter on as it is.
    fn keeps(&self, header: BlockId, at: usize) -> bool {
        let function = self.scope.function;
        let value = Operand::Value(function.blocks[header].params[at]);
        self.scope.inner_loop(header).is_some_and(|l| {
            let edges = l.latches.iter().flat_map(|&latch| function.blocks[latch].terminator.edges());
            edges.filter(|edge| edge.target == header).all(|edge| edge.args.get(at) == Some(&value))
        })
    }

    /// What edges pass for a parameter.
    fn merged(&mut self, ways: &[(Term, BlockId, usize)], param: ValueId, at: usize) -> Val {
        let mut held = Vec::new();
        for &(condition, from, edge) in ways {
            let passed = self.scope.function.blocks[from].terminator.edges().nth(edge).map(|edge| edge.args[at]);
            if let Some(operand) = passed {
                held.push((condition, self.operand(operand)));
            }
        }
        if held.is_empty() { self.unknown(param) } else { self.chosen(&held) }
    }

    fn unknown_cell(&mut self, cell: usize, block: BlockId) -> Val {
        let bits = self.memory.cells[cell].bits;
        let symbol = self.pool.symbol(&format!("cell{cell}.{block}.{}", self.number), bits);
        Val::new(self.pool, symbol)
    }

    /// What has held since control came past branches in front of the scope, each of which had to be taken to one side.
    pub(super) fn guards(&mut self) -> Vec<Term> {
        let (structure, header) = (self.scope.structure, self.scope.header());
        let mut found = Vec::new();
        for block in structure.dominators.chain(header).skip(1) {
            let body = &self.scope.function.blocks[block];
            let Terminator::Branch { condition, then_edge, else_edge } = &body.terminator else { continue };
            let is_way = |target: BlockId| {
                structure.cfg.predecessors(target).len() == 1 && structure.dominators.dominates(target, header)
            };
            let taken = match (is_way(then_edge.target), is_way(else_edge.target)) {
                (true, false) => true,
                (false, true) => false,
                _ => continue,
            };
            let condition = self.operand(*condition);
            let holds = if taken { condition.bits } else { self.pool.not(condition.bits) };
            found.push(holds);
        }
        found
    }

    fn block(&mut self, block: BlockId) {
        let body = &self.scope.function.blocks[block];
        for (at, inst) in body.insts.iter().enumerate() {
            self.note_call(block, at);
            self.instruction(block, at, inst);
            if self.ends(inst) {
                let never = self.pool.bool(false);
                self.edges[block] = body.terminator.edges().map(|_| never).collect();
                return;
            }
        }
        let reached = self.reached[block].expect("blocks are entered before they are evaluated");
        self.edges[block] = match &body.terminator {
            Terminator::Jump(_) => vec![reached],
            Terminator::Branch { condition, .. } => {
                let condition = self.operand(*condition);
                self.assume_decided(block, condition);
                let not = self.pool.not(condition.bits);
                vec![self.pool.and_all(&[reached, condition.bits]), self.pool.and_all(&[reached, not])]
            }
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
            Terminator::Unsupported { .. } => {
                self.round.exits.push(reached);
                Vec::new()
            }
        };
        let leaving = self.edges[block].iter().zip(body.terminator.edges());
        let leaving: Vec<Term> = leaving.filter(|(_, e)| !self.scope.contains(e.target)).map(|(&t, _)| t).collect();
        self.round.exits.extend(leaving);
    }

    /// Whether nothing behind an instruction is executed.
    fn ends(&self, inst: &Inst) -> bool {
        match &inst.op {
            Op::Trap => true,
            Op::Call { callee: Callee::Intrinsic(i), .. } => i.ends_process(),
            Op::Call { callee: Callee::Direct(f), .. } => self.scope.program.functions[*f].no_return,
            _ => false,
        }
    }

    /// The way to go on that is a call, in a recursion.
    fn note_call(&mut self, block: BlockId, at: usize) {
        let Kind::Body(calls) = &self.scope.kind else { return };
        let is_here = |call: &&InnerCall| call.at.block == block && call.at.inst as usize == at;
        for call in calls.iter().filter(is_here) {
            let args = self.scope.arguments(call).to_vec();
            let params = args.into_iter().map(|arg| self.operand(arg)).collect();
            let taken = self.reached[block].expect("blocks are entered before they are evaluated");
            let facts = self.round.facts.len();
            self.round.steps.push(Step { taken, params, cells: Vec::new(), callee: Some(call.callee), facts });
        }
    }

    /// The way to go on of a loop: along any of its back edges.
    fn go_round(&mut self) {
        let header = self.scope.header();
        let ways = self.ways_back(header);
        if ways.is_empty() {
            return;
        }
        let conditions: Vec<Term> = ways.iter().map(|way| way.0).collect();
        let taken = self.pool.or_all(&conditions);
        let params = &self.scope.function.blocks[header].params;
        let params = params.iter().enumerate().map(|(at, &param)| self.merged(&ways, param, at)).collect();
        let mut cells = Vec::new();
        for cell in 0..self.memory.cells.len() {
            let held: Vec<(Term, Val)> = ways.iter().map(|way| (way.0, self.cells[way.1][cell])).collect();
            cells.push(self.chosen(&held));
        }
        let facts = self.round.facts.len();
        self.round.steps.push(Step { taken, params, cells, callee: None, facts });
    }

    fn ways_back(&self, header: BlockId) -> Vec<(Term, BlockId, usize)> {
        let Kind::Loop(id) = self.scope.kind else { return Vec::new() };
        let latches = self.scope.structure.loops.get(id).latches.iter();
        let edges = latches.flat_map(|&from| {
            let all = self.scope.function.blocks[from].terminator.edges().enumerate();
            all.filter(|(_, edge)| edge.target == header).map(move |(at, _)| (from, at))
        });
        edges.filter_map(|(from, at)| Some((*self.edges[from].get(at)?, from, at))).collect()
    }

    /// What holds where one of several ways was taken.
    fn chosen(&mut self, held: &[(Term, Val)]) -> Val {
        let (&(_, last), before) = held.split_last().expect("control comes along some edge");
        before.iter().rev().fold(last, |others, &(condition, val)| Val::choice(self.pool, condition, val, others))
    }

    /// Evaluates an instruction.
    pub(super) fn instruction(&mut self, block: BlockId, at: usize, inst: &Inst) {
        match &inst.op {
            Op::Load { address, access } => {
                let address = self.address_operand(block, *address);
                let is_plain = !access.volatile && access.atomic.is_none();
                self.load((block, at), inst.results[0], address, is_plain);
            }
            Op::Store { address, value, .. } => {
                let address = self.address_operand(block, *address);
                let value = self.operand(*value);
                self.store((block, at), address, value);
            }
            Op::Call { callee: Callee::Direct(callee), args } if self.memory.calls.contains(&(block, at)) => {
                let val = self.repeated_call(*callee, args, inst.results[0]);
                self.round.values[inst.results[0]] = Some(val);
            }
            _ => {
                if let [result] = inst.results[..] {
                    let mut val = self.computed(block, inst, result).unwrap_or_else(|| self.unknown(result));
                    if val.fixed && val.walk == Walk::Unknown {
                        val.walk = Walk::From { origin: Origin::Fixed(val.bits), moved: self.pool.bool(false) };
                    }
                    self.round.values[result] = Some(val);
                } else {
                    for &result in &inst.results {
                        let val = self.unknown(result);
                        self.round.values[result] = Some(val);
                    }
                }
            }
        }
    }

    /// The result of a call that gives the same wherever its arguments are the same.
    fn repeated_call(&mut self, callee: FuncId, args: &[Operand], result: ValueId) -> Val {
        let function = self.scope.function;
        let args: Vec<Val> = args.iter().map(|&arg| self.operand(arg)).collect();
        let terms: Vec<String> = args.iter().map(|arg| arg.bits.index().to_string()).collect();
        let name = format!("{callee}({})", terms.join(","));
        let symbol = self.pool.symbol(&name, function.values[result].ty.bits());
        match args.iter().all(|arg| arg.fixed) {
            true => Val::fixed(self.pool, symbol),
            false => Val::new(self.pool, symbol),
        }
    }
}
