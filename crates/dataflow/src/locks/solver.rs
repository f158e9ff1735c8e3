//! What one function does to locks: the fixpoint over its blocks (Bergan 2.5.4, after RELAY).
//!
//! A lock is the expression of its address, as facts about memory name places. In summaries it is over parameters and
//! globals, where a function is solved over its registers. Parameters of blocks that are handed the address are further
//! names. A name ends when one of its registers gets a new value. A lock without a name goes on as one of the places
//! that its address may have been.

use std::rc::Rc;

use icsched_ir::{BlockId, Callee, Edge, Function, IdVec, Inst, Op, Operand, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;

use super::lattice::{Locks, Named, Names, Targets, targets};
use crate::budgets::BUDGETS;
use crate::code::{never_returns, point};
use crate::expr::{ExprId, ExprPool};
use crate::icfg;
use crate::lock_effect;
use crate::place::{Base, address, moved};
use crate::reaching::solver::Solver;
use crate::reaching::summary::CallSummary;
use crate::symbol::{SUMMARISED, Symbol};

/// What is known of the locks of an instance.
#[derive(Clone, Debug)]
pub(crate) enum LockSummary {
    /// Nothing was computed.
    NotComputed,
    /// Its calls never return, as far as is known.
    NeverReturns,
    /// What its calls do.
    Returns(Rc<Locks>),
}

/// What is known of the locks of all instances.
pub(super) type LockSummaries = IdVec<InstanceId, LockSummary>;

/// Follows the locks of one function whose registers are solved.
pub(super) struct LockSolver<'a, 'm, 'p> {
    pub(super) solver: Solver<'a, 'm, 'p>,
    pub(super) summaries: &'a LockSummaries,
}

/// What names a lock where registers, such as parameters of a block, have just got values: with these in place of the
/// values. What has others of these registers in it ends.
fn handed_on(
    pool: &mut ExprPool,
    name: ExprId,
    handed: &[(ExprId, ExprId)],
    ends: impl Fn(&Symbol) -> bool,
) -> Option<ExprId> {
    let mut symbols: Vec<(Symbol, u32)> = Vec::new();
    pool.add_symbols(name, &mut symbols);
    let register_of = |(symbol, _): (Symbol, u32)| {
        handed.iter().find(|(arg, _)| pool.as_symbol(*arg) == Some(symbol)).map(|&(_, register)| (symbol, register))
    };
    let mut replaced: Vec<(Symbol, ExprId)> = symbols.iter().filter_map(|&symbol| register_of(symbol)).collect();
    if !replaced.is_empty() {
        for (symbol, width) in symbols {
            if replaced.iter().all(|known| known.0 != symbol) {
                if ends(&symbol) {
                    return None;
                }
                replaced.push((symbol, pool.symbol(symbol, width)));
            }
        }
        return pool.substitute(name, &|symbol| replaced.iter().find(|known| known.0 == symbol).map(|known| known.1));
    }
    let (base, offset) = pool.split_sum(name);
    let same = |&&(arg, _): &&(ExprId, ExprId)| {
        let (of, at) = pool.split_sum(arg);
        of == base && offset.wrapping_sub(at) < BUDGETS.lock_offset && !pool.symbols(of).iter().any(&ends)
    };
    let &(arg, register) = handed.iter().find(same)?;
    let behind = offset.wrapping_sub(pool.split_sum(arg).1);
    Some(pool.add(register, behind))
}

/// What locks are done to per block, at its start; `None` where control does not get to.
pub(crate) type LockInputs = IdVec<BlockId, Option<Locks>>;

impl LockSolver<'_, '_, '_> {
    /// The fixpoint over the function, from what holds at its start.
    pub(crate) fn locks(&mut self, start: &Locks) -> LockInputs {
        let structure = Rc::clone(&self.solver.structure);
        let function = self.solver.function;
        let mut inputs: LockInputs = IdVec::filled(None, function.blocks.len());
        let Some(&first) = structure.cfg.reverse_postorder().first() else { return inputs };
        inputs[first] = Some(start.clone());
        let mut dirty: IdVec<BlockId, bool> = IdVec::filled(false, function.blocks.len());
        dirty[first] = true;
        loop {
            let mut changed = false;
            for &block in structure.cfg.reverse_postorder() {
                if !std::mem::replace(&mut dirty[block], false) {
                    continue;
                }
                let end = function.blocks[block].insts.len();
                let Some(locks) = self.locks_before(&inputs, block, end) else { continue };
                for edge in function.blocks[block].terminator.edges() {
                    let mut passed = locks.clone();
                    self.pass(edge, &mut passed);
                    let more = match &mut inputs[edge.target] {
                        Some(known) => known.join(&passed),
                        none => {
                            *none = Some(passed);
                            true
                        }
                    };
                    dirty[edge.target] |= more;
                    changed |= more;
                }
            }
            if !changed || self.solver.view.is_to_end() {
                return inputs;
            }
        }
    }

    /// What is held in front of a point; `None` if control does not get there.
    pub(crate) fn locks_before(&mut self, inputs: &LockInputs, block: BlockId, index: usize) -> Option<Locks> {
        let mut locks = inputs[block].clone()?;
        let function = self.solver.function;
        for (at, inst) in function.blocks[block].insts[..index].iter().enumerate() {
            if !self.lock_step(block, at, inst, &mut locks) {
                return None;
            }
        }
        Some(locks)
    }

    /// Executes one instruction; whether control goes on behind it.
    fn lock_step(&mut self, block: BlockId, index: usize, inst: &Inst, locks: &mut Locks) -> bool {
        if let Op::Call { callee: callee @ (Callee::Direct(_) | Callee::Indirect(_)), args } = &inst.op {
            return self.lock_call(block, index, inst, (callee, args), locks);
        }
        if !inst.results.is_empty() {
            self.end_names(&inst.results, locks);
        }
        if let Some((effect, lock)) = lock_effect::of(&inst.op) {
            let targets = self.targets(lock, 0);
            let names: Names = self.solver.operand(lock).into_iter().collect();
            locks.apply(&names, effect, &targets);
        }
        match &inst.op {
            Op::Trap => false,
            Op::Call { callee: Callee::Intrinsic(i), .. } => !never_returns(*i),
            _ => true,
        }
    }

    fn lock_call(
        &mut self,
        block: BlockId,
        index: usize,
        inst: &Inst,
        (callee, args): (&Callee, &[Operand]),
        locks: &mut Locks,
    ) -> bool {
        let at = point(self.solver.view.points_to.instances()[self.solver.instance].func, block, index);
        let (program, points_to) = (self.solver.view.program, self.solver.view.points_to);
        let targets = icfg::callees(program, points_to, self.solver.instance, at, callee);
        self.end_activation(at, locks);
        let mut after: Option<Locks> = targets.others.then(|| locks.clone());
        for &instance in &targets.instances {
            let Some(done) = self.applied(instance, inst, args, locks) else { continue };
            match &mut after {
                None => after = Some(done),
                Some(after) => {
                    after.join(&done);
                }
            }
        }
        let Some(mut after) = after else { return false };
        if targets.instances.iter().any(|&i| self.solver.view.interference.may_return_twice(i)) {
            after.add_unknown();
        }
        *locks = after;
        true
    }

    /// What is held behind a call of an instance; `None` if it does not return.
    fn applied(&mut self, instance: InstanceId, inst: &Inst, args: &[Operand], before: &Locks) -> Option<Locks> {
        if matches!(self.solver.summaries[instance], CallSummary::NeverReturns) {
            return None;
        }
        let mut after = before.clone();
        self.end_names(&inst.results, &mut after);
        if !self.solver.view.interference.uses_locks(instance) {
            return Some(after);
        }
        match &self.summaries[instance] {
            LockSummary::NotComputed => after.add_unknown(),
            LockSummary::NeverReturns => return None,
            LockSummary::Returns(summary) => {
                let summary = Rc::clone(summary);
                let called = self.in_own_terms(instance, &summary, inst, args);
                after.then(&called);
            }
        }
        Some(after)
    }

    /// A summary over the registers of the caller.
    fn in_own_terms(&mut self, instance: InstanceId, summary: &Locks, inst: &Inst, args: &[Operand]) -> Locks {
        let callee = &self.solver.view.program.functions[self.solver.view.points_to.instances()[instance].func];
        let results = match &self.solver.summaries[instance] {
            CallSummary::Returns(summary) => summary.results.clone(),
            CallSummary::NeverReturns | CallSummary::NotComputed => Vec::new(),
        };
        let map = self.call_map(callee, &results, inst, args);
        let mut called = Locks::default();
        for Named { names, effect, targets } in summary.named() {
            let mut replace = |&lock: &ExprId| {
                self.solver.view.pool.substitute(lock, &|s| map.iter().find(|m| m.0 == s).map(|m| m.1))
            };
            let replaced = names.iter().filter_map(&mut replace).collect();
            let narrowed = names.iter().find_map(|&lock| self.narrowed(callee, args, lock));
            called.apply_beside(&replaced, *effect, &narrowed.unwrap_or_else(|| Rc::clone(targets)));
        }
        for targets in summary.within() {
            called.add_within(targets);
        }
        if summary.is_unknown() {
            called.add_unknown();
        }
        called
    }

    /// Where an address counted from a parameter may be in a call with these arguments.
    fn narrowed(&self, callee: &Function, args: &[Operand], lock: ExprId) -> Option<Targets> {
        let (Base::Symbol(symbol), offset) = address(&self.solver.view.pool, lock)? else { return None };
        let position = callee.params.iter().position(|&p| Some(p) == symbol.own_register())?;
        Some(self.targets(*args.get(position)?, offset)).filter(|t| !t.is_empty())
    }

    /// Where a pointer may point to, moved by some bytes.
    fn targets(&self, pointer: Operand, by: i64) -> Targets {
        let info = self.solver.view.points_to.pointer_info_in(self.solver.instance, pointer);
        targets(info.locations.iter().map(|l| (l.object, moved(l.offsets, by))))
    }

    /// What is held goes on to another block: names end with registers that get new values there, and there are others
    /// by what the parameters get. So the lock that `unlock(c ? a : b)` releases has one name, whatever way led there,
    /// and so has that of an element that a loop goes on to.
    fn pass(&mut self, edge: &Edge, locks: &mut Locks) {
        let params = &self.solver.function.blocks[edge.target].params;
        if params.is_empty() || locks.named().is_empty() {
            return;
        }
        let mut handed: Vec<(ExprId, ExprId)> = Vec::new();
        for (&param, &arg) in params.iter().zip(&edge.args) {
            if let Some(arg) = self.solver.operand(arg) {
                let param = self.solver.symbol(param);
                if self.solver.view.pool.width(arg) == self.solver.view.pool.width(param) {
                    handed.push((arg, param));
                }
            }
        }
        let (pool, frame) = (&mut self.solver.view.pool, self.solver.frame);
        let ends = |s: &Symbol| s.frame == frame && s.own_register().is_some_and(|v| params.contains(&v));
        locks.hand_on(|name, names| {
            if !pool.symbols(name).iter().any(ends) {
                names.insert(name);
            }
            names.extend(handed_on(pool, name, &handed, ends));
        });
    }

    /// Some registers of the current frame get new values.
    fn end_names(&self, registers: &[ValueId], locks: &mut Locks) {
        if !registers.is_empty() && !locks.named().is_empty() {
            let (pool, frame) = (&self.solver.view.pool, self.solver.frame);
            let ends = |s: &Symbol| s.frame == frame && s.own_register().is_some_and(|v| registers.contains(&v));
            locks.rename(|e| pool.symbols(e).iter().any(ends));
        }
    }

    /// A call makes a new activation.
    fn end_activation(&self, call: ProgramPoint, locks: &mut Locks) {
        if !locks.named().is_empty() {
            let (pool, frame) = (&self.solver.view.pool, self.solver.frame);
            let ends = |s: &Symbol| s.frame == frame && pool.call_of(*s) == Some(call);
            locks.rename(|e| pool.symbols(e).iter().any(ends));
        }
    }

    /// What the registers of a callee that its summary is about are for the caller: parameters, and what is returned.
    pub(crate) fn call_map(
        &mut self,
        callee: &Function,
        returned: &[Option<ExprId>],
        inst: &Inst,
        args: &[Operand],
    ) -> Vec<(Symbol, ExprId)> {
        let mut map: Vec<(Symbol, ExprId)> = Vec::new();
        for (&param, &arg) in callee.params.iter().zip(args) {
            let width = callee.values[param].ty.bits();
            if let Some(e) = self.solver.operand(arg).filter(|&e| self.solver.view.pool.width(e) == width) {
                map.push((Symbol::new(SUMMARISED, param), e));
            }
        }
        for (&result, &value) in inst.results.iter().zip(returned) {
            let Some(symbol) = value.and_then(|e| self.solver.view.pool.as_symbol(e)) else { continue };
            let is_param = symbol.own_register().is_some_and(|v| callee.params.contains(&v));
            let same =
                value.is_some_and(|e| self.solver.view.pool.width(e) == self.solver.function.values[result].ty.bits());
            if !is_param && same && map.iter().all(|m| m.0 != symbol) {
                let e = self.solver.symbol(result);
                map.push((symbol, e));
            }
        }
        map
    }
}
