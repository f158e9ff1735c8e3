//! One round of a loop or a recursion, as terms over what it begins with.
//!
//! Blocks are evaluated once, each behind its predecessors. A loop inside is entered at *some* iteration, the one in
//! which control leaves it: its header's parameters may be anything, and so may memory that it writes. So each real
//! round is one of those that are told.

use icsched_ir::{BlockId, Definition, FuncId, IdVec, Inst, Op, Operand, Terminator, ValueId};
use icsched_smt::{Term, TermPool};
use rustc_hash::FxHashMap;

use super::memory::{Access, Memory};
use super::scope::{InnerCall, Kind, Scope};
use super::value::{Origin, Val, Walk};

/// Operations in front of a scope, one of the other, that are followed.
const MAX_DEPTH: usize = 12;

/// How a round goes on with the next one.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// What holds if it does: a truth value.
    pub(super) taken: Term,
    /// What the next round begins with.
    pub(super) params: Vec<Val>,
    /// What [cells](Memory::cells) hold then.
    pub(super) cells: Vec<Val>,
    /// The function whose body the next round is, in a recursion.
    pub(super) callee: Option<FuncId>,
    /// How many of the round's facts are known by then. Those of what a recursion does behind its call may never come
    /// to hold.
    pub(super) facts: usize,
}

/// Something that holds in a round that does nothing undefined.
#[derive(Copy, Clone, Debug)]
pub(super) struct Fact {
    pub(super) holds: Term,
    /// Whether it says that a sum that the round depends on is what it is in C: has not overflowed, though a processor
    /// would go on.
    pub(super) is_of_sum: bool,
}

/// What a round begins with.
#[derive(Clone, Debug)]
pub(super) struct Beginning {
    /// Parameters of the header.
    pub(super) params: Vec<Val>,
    /// What cells hold.
    pub(super) cells: Vec<Val>,
}

/// One round.
#[derive(Debug)]
pub(super) struct Round {
    /// What it begins with: parameters of the header, then cells.
    pub(super) begins: Vec<Val>,
    /// What is known of the values that it computes.
    pub(super) values: IdVec<ValueId, Option<Val>>,
    /// Of those that are computed outside, as far as they were asked for.
    pub(super) outside: FxHashMap<ValueId, Val>,
    /// What holds in a round that does nothing undefined.
    pub(super) facts: Vec<Fact>,
    /// The ways to go on.
    pub(super) steps: Vec<Step>,
    /// What holds if the round leaves the loop, or comes to something of which nobody knows where it leads; one for
    /// each edge.
    pub(super) exits: Vec<Term>,
    /// The loads that a walk goes on by: block and index.
    pub(super) links: Vec<(BlockId, usize)>,
    /// What is loaded and stored.
    pub(super) accesses: Vec<Access>,
}

/// Evaluates one round.
pub(super) struct Evaluator<'e, 'a> {
    pub(super) scope: &'e Scope<'a>,
    pub(super) memory: &'e Memory,
    pub(super) pool: &'e mut TermPool,
    /// Tells the unknown values of several rounds apart.
    pub(super) number: usize,
    pub(super) round: Round,
    /// What holds if a block is executed.
    pub(super) reached: IdVec<BlockId, Option<Term>>,
    /// What holds if control takes the edges that end a block.
    edges: IdVec<BlockId, Vec<Term>>,
    /// What cells hold behind a block, or within the one that is evaluated.
    cells: IdVec<BlockId, Vec<Val>>,
    pub(super) now: Vec<Val>,
    unspecified: usize,
    depth: usize,
}

impl<'e, 'a> Evaluator<'e, 'a> {
    pub(super) fn new(scope: &'e Scope<'a>, memory: &'e Memory, pool: &'e mut TermPool, number: usize) -> Self {
        let function = scope.function;
        let round = Round {
            begins: Vec::new(),
            values: IdVec::filled(None, function.values.len()),
            outside: FxHashMap::default(),
            facts: Vec::new(),
            steps: Vec::new(),
            exits: Vec::new(),
            links: Vec::new(),
            accesses: Vec::new(),
        };
        let blocks = function.blocks.len();
        Self {
            scope,
            memory,
            pool,
            number,
            round,
            reached: IdVec::filled(None, blocks),
            edges: IdVec::filled(Vec::new(), blocks),
            cells: IdVec::filled(Vec::new(), blocks),
            now: Vec::new(),
            unspecified: 0,
            depth: 0,
        }
    }

    /// Evaluates the first of several rounds: with what has held since control came to the scope. O(instructions of the
    /// function).
    pub(super) fn run_first(mut self, beginning: &Beginning) -> Round {
        if matches!(self.scope.kind, Kind::Loop(_)) {
            let guards = self.guards();
            self.round.facts.extend(guards.into_iter().map(|holds| Fact { holds, is_of_sum: false }));
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

    /// A value of which nothing is known.
    pub(super) fn unknown(&mut self, value: ValueId) -> Val {
        let bits = self.scope.function.values[value].ty.bits();
        let name = format!("{value}.{}", self.number);
        let symbol = self.pool.symbol(&name, bits);
        Val::new(self.pool, symbol)
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

    /// What holds where one of several ways was taken.
    fn chosen(&mut self, held: &[(Term, Val)]) -> Val {
        let (&(_, last), before) = held.split_last().expect("control comes along some edge");
        before.iter().rev().fold(last, |others, &(condition, val)| Val::choice(self.pool, condition, val, others))
    }

    fn unknown_cell(&mut self, cell: usize, block: BlockId) -> Val {
        let bits = self.memory.cells[cell].bits;
        let symbol = self.pool.symbol(&format!("cell{cell}.{block}.{}", self.number), bits);
        Val::new(self.pool, symbol)
    }

    /// An operand where it is used; one that nobody has specified may be another one each time.
    pub(super) fn operand(&mut self, operand: Operand) -> Val {
        match operand {
            Operand::Value(value) if self.scope.is_outside(value) => self.outside(value),
            Operand::Value(value) => match self.round.values[value] {
                Some(val) => val,
                None => self.unknown(value),
            },
            Operand::Const(constant) => self.constant(constant),
        }
    }

    /// A value that is computed outside: from what, as far as that is near.
    fn outside(&mut self, value: ValueId) -> Val {
        if let Some(&known) = self.round.outside.get(&value) {
            return known;
        }
        let symbol = self.pool.symbol(&value.to_string(), self.scope.function.values[value].ty.bits());
        let unknown = Val::fixed(self.pool, symbol);
        let Some(Definition::Inst(block, at)) = self.scope.structure.definitions.of(value) else {
            self.round.outside.insert(value, unknown);
            return unknown;
        };
        self.depth += 1;
        let inst = &self.scope.function.blocks[block].insts[at];
        let computed = if self.depth <= MAX_DEPTH { self.computed(block, inst, value) } else { None };
        self.depth -= 1;
        let val = computed.map_or(unknown, |val| Val { walk: unknown.walk, fixed: true, ..val });
        self.round.outside.insert(value, val);
        val
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

    /// A name for a value that is another one at each place.
    pub(super) fn unspecified(&mut self, bits: u32) -> Val {
        self.unspecified += 1;
        let symbol = self.pool.symbol(&format!("any{}.{}", self.unspecified, self.number), bits);
        Val::new(self.pool, symbol)
    }

    /// Notes what holds if `block` is executed, for it would do something undefined otherwise.
    pub(super) fn assume(&mut self, block: BlockId, holds: Term) {
        self.note(block, holds, false);
    }

    /// The same of a number that the round depends on: it is what it is in C.
    pub(super) fn assume_sound(&mut self, block: BlockId, val: Val) {
        self.note(block, val.sound, true);
    }

    fn note(&mut self, block: BlockId, holds: Term, is_of_sum: bool) {
        if self.pool.is_true(holds) {
            return;
        }
        let reached = self.reached[block].unwrap_or_else(|| self.pool.bool(true));
        let not = self.pool.not(reached);
        let fact = self.pool.or_all(&[not, holds]);
        self.round.facts.push(Fact { holds: fact, is_of_sum });
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
                self.assume_sound(block, condition);
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
            Op::Call { callee: icsched_ir::Callee::Intrinsic(i), .. } => i.ends_process(),
            Op::Call { callee: icsched_ir::Callee::Direct(f), .. } => self.scope.program.functions[*f].no_return,
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
}

impl Round {
    /// Whether it depends on what sums are in C.
    pub(super) fn has_sums(&self) -> bool {
        self.facts.iter().any(|fact| fact.is_of_sum)
    }

    /// What is known of a round by the time of a step, with what sums are in C or without.
    pub(super) fn known_at(&self, step: &Step, with_sums: bool) -> impl Iterator<Item = Term> {
        let known = self.facts[..step.facts].iter().filter(move |fact| with_sums || !fact.is_of_sum);
        known.map(|fact| fact.holds)
    }
}

impl Step {
    /// What the next round begins with at an index: parameters of the header, then cells.
    pub(super) fn state(&self, at: usize) -> Option<Val> {
        self.params.iter().chain(&self.cells).nth(at).copied()
    }

    /// What the next round begins with, where walks begin anew.
    pub(super) fn beginning(&self, pool: &mut TermPool) -> Beginning {
        let moved = pool.bool(false);
        let begin = |(at, val): (usize, &Val)| match val.fixed {
            true => *val,
            false => Val { walk: Walk::From { origin: Origin::State(at), moved }, ..*val },
        };
        let states = self.params.iter().chain(&self.cells).enumerate().map(begin);
        let mut params: Vec<Val> = states.collect();
        let cells = params.split_off(self.params.len());
        Beginning { params, cells }
    }
}
