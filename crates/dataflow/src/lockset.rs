//! Relative locksets of functions (Bergan 2.5.4, after RELAY).
//!
//! A lock is the expression of its address, as facts about memory name places: over parameters and globals in summaries, over the registers
//! of the function where it is solved. It may have several names, by what the parameters of blocks are handed. A name ends when one of its registers
//! gets a new value; what has no name any more goes on as one of the places that the address may have been. Summaries are computed callees first, to a fixpoint where functions call one another, and
//! only for what may acquire or release anything.

use std::rc::Rc;

use icsched_ir::{BlockId, Callee, Edge, Function, IdVec, Inst, Intrinsic, Op, Operand, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;

use crate::analysis::{Analysis, Known};
use crate::context::returned;
use crate::expr::{ExprId, ExprPool};
use crate::function::{Entry, Solver};
use crate::icfg::{self, point};
use crate::locks::{Effect, Locks, Named, Names, Targets, targets};
use crate::place::{Base, Frames, address, moved};
use crate::symbol::{SUMMARISED, Symbol};
use crate::transfer::never_returns;

/// Rounds over functions that call one another in which locks keep their names.
const NAMED_ROUNDS: u32 = 4;

/// Most bytes of a lock behind the start of its structure, to be named by where this is.
const MAX_BEHIND: u64 = 1 << 16;

/// What is known of the locks of an instance.
#[derive(Clone, Debug)]
pub(crate) enum LockSummary {
    /// Not computed.
    No,
    /// `None`: its calls never return, as far as is known.
    Yes(Option<Rc<Locks>>),
}

/// What an instruction does to locks by itself.
pub(crate) fn effect(op: &Op) -> Option<(Effect, Operand)> {
    let Op::Call { callee: Callee::Intrinsic(intrinsic), args } = op else { return None };
    let effect = match intrinsic {
        Intrinsic::Acquire => Effect::ACQUIRE,
        Intrinsic::Release => Effect::RELEASE,
        Intrinsic::NotHeld => Effect::ABSENT,
        _ => return None,
    };
    Some((effect, *args.first()?))
}

/// What names a lock where registers, such as parameters of a block, have just got values: with these in place of the values. What
/// has others of these registers in it ends.
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
        of == base && offset.wrapping_sub(at) < MAX_BEHIND && !pool.symbols(of).iter().any(&ends)
    };
    let &(arg, register) = handed.iter().find(same)?;
    let behind = offset.wrapping_sub(pool.split_sum(arg).1);
    Some(pool.add(register, behind))
}

impl Analysis<'_, '_> {
    /// Makes known what the calls that some instances make do to locks. Their summaries of memory are known.
    pub(crate) fn summarise_locks(&mut self, of: &[InstanceId]) {
        let called: Vec<InstanceId> = of.iter().flat_map(|&i| self.icfg.edges(i)).map(|e| e.to).collect();
        let needed = self.icfg.called_from(called);
        let is_missing = |c: &&Vec<InstanceId>| {
            let is_needed = |&i: &InstanceId| needed[i] && self.interference.uses_locks(i);
            c.iter().any(is_needed) && matches!(self.lock_summaries[c[0]], LockSummary::No)
        };
        let components: Vec<Vec<InstanceId>> = self.icfg.components().iter().filter(is_missing).cloned().collect();
        for component in components {
            self.summarise_component(&component);
        }
    }

    fn summarise_component(&mut self, component: &[InstanceId]) {
        for &instance in component {
            self.lock_summaries[instance] = LockSummary::Yes(None);
        }
        let mut rounds = 0;
        loop {
            let mut changed = false;
            for &instance in component {
                let Some(mut new) = self.lock_summary(instance) else { continue };
                if rounds >= NAMED_ROUNDS {
                    new.rename(|_| true);
                }
                let LockSummary::Yes(old) = &self.lock_summaries[instance] else { continue };
                let more = match old {
                    Some(old) => {
                        let mut both = (**old).clone();
                        let more = both.join(&new);
                        new = both;
                        more
                    }
                    None => true,
                };
                if more {
                    changed = true;
                    self.lock_summaries[instance] = LockSummary::Yes(Some(Rc::new(new)));
                }
            }
            rounds += 1;
            if self.is_to_end() {
                return;
            }
            if !changed || component.len() == 1 && self.icfg.edges(component[0]).iter().all(|e| e.to != component[0]) {
                return;
            }
        }
    }

    /// What a call of an instance does, over its parameters; `None` if it does not return.
    fn lock_summary(&mut self, instance: InstanceId) -> Option<Locks> {
        let solution = Solver::new(self, Frames::Summary(instance)).solve(&Entry::default());
        let mut solver = Solver::resume(self, &solution);
        let inputs = solver.locks(&Locks::default());
        let function = solver.function;
        let mut all: Option<Locks> = None;
        for (block, body) in function.blocks.iter() {
            if returned(&body.terminator).is_none() {
                continue;
            }
            let Some(locks) = solver.locks_before(&inputs, block, body.insts.len()) else { continue };
            match &mut all {
                None => all = Some(locks),
                Some(all) => {
                    all.join(&locks);
                }
            }
        }
        let mut all = all?;
        let returned = match &self.summaries[instance] {
            Known::Yes(Some(summary)) => summary.results.clone(),
            Known::Yes(None) | Known::No => Vec::new(),
        };
        let pool = &self.pool;
        let returned: Vec<Symbol> = returned.iter().flatten().filter_map(|&e| pool.as_symbol(e)).collect();
        let is_param = |s: &Symbol| s.own_register().is_some_and(|value| function.params.contains(&value));
        let is_seen = |s: &Symbol| is_param(s) || returned.contains(s);
        all.rename(|e| !pool.symbols(e).iter().all(is_seen));
        Some(all)
    }
}

/// What locks are done to per block, at its start; `None` where control does not get to.
pub(crate) type LockInputs = IdVec<BlockId, Option<Locks>>;

impl Solver<'_, '_, '_> {
    /// The fixpoint over the function, from what holds at its start. For a solver that was [resumed](Self::resume).
    pub(crate) fn locks(&mut self, start: &Locks) -> LockInputs {
        let structure = Rc::clone(&self.structure);
        let function = self.function;
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
            if !changed || self.analysis.is_to_end() {
                return inputs;
            }
        }
    }

    /// What is held in front of a point; `None` if control does not get there.
    pub(crate) fn locks_before(&mut self, inputs: &LockInputs, block: BlockId, index: usize) -> Option<Locks> {
        let mut locks = inputs[block].clone()?;
        let function = self.function;
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
        if let Some((effect, lock)) = effect(&inst.op) {
            let targets = self.targets(lock, 0);
            let names: Names = self.operand(lock).into_iter().collect();
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
        let at = point(self.analysis.points_to.instances()[self.instance].func, block, index);
        let (program, points_to) = (self.analysis.program, self.analysis.points_to);
        let targets = icfg::callees(program, points_to, self.instance, at, callee);
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
        if targets.instances.iter().any(|&i| self.analysis.interference.may_return_twice(i)) {
            after.add_unknown();
        }
        *locks = after;
        true
    }

    /// What is held behind a call of an instance; `None` if it does not return.
    fn applied(&mut self, instance: InstanceId, inst: &Inst, args: &[Operand], before: &Locks) -> Option<Locks> {
        if matches!(self.analysis.summaries[instance], Known::Yes(None)) {
            return None;
        }
        let mut after = before.clone();
        self.end_names(&inst.results, &mut after);
        if !self.analysis.interference.uses_locks(instance) {
            return Some(after);
        }
        match &self.analysis.lock_summaries[instance] {
            LockSummary::No => after.add_unknown(),
            LockSummary::Yes(None) => return None,
            LockSummary::Yes(Some(summary)) => {
                let summary = Rc::clone(summary);
                let called = self.in_own_terms(instance, &summary, inst, args);
                after.then(&called);
            }
        }
        Some(after)
    }

    /// A summary over the registers of the caller.
    fn in_own_terms(&mut self, instance: InstanceId, summary: &Locks, inst: &Inst, args: &[Operand]) -> Locks {
        let callee = &self.analysis.program.functions[self.analysis.points_to.instances()[instance].func];
        let results = match &self.analysis.summaries[instance] {
            Known::Yes(Some(summary)) => summary.results.clone(),
            Known::Yes(None) | Known::No => Vec::new(),
        };
        let map = self.call_map(callee, &results, inst, args);
        let mut called = Locks::default();
        for Named { names, effect, targets } in summary.named() {
            let mut replace =
                |&lock: &ExprId| self.analysis.pool.substitute(lock, &|s| map.iter().find(|m| m.0 == s).map(|m| m.1));
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
        let (Base::Symbol(symbol), offset) = address(&self.analysis.pool, lock)? else { return None };
        let position = callee.params.iter().position(|&p| Some(p) == symbol.own_register())?;
        Some(self.targets(*args.get(position)?, offset)).filter(|t| !t.is_empty())
    }

    /// Where a pointer may point to, moved by some bytes.
    fn targets(&self, pointer: Operand, by: i64) -> Targets {
        let info = self.analysis.points_to.pointer_info_in(self.instance, pointer);
        targets(info.locations.iter().map(|l| (l.object, moved(l.offsets, by))))
    }

    /// What is held goes on to another block: names end with registers that get new values there, and there are others by what the parameters
    /// get. So the lock that `unlock(c ? a : b)` releases has one name, whatever way led there, and so has that of an element that a loop goes on to.
    fn pass(&mut self, edge: &Edge, locks: &mut Locks) {
        let params = &self.function.blocks[edge.target].params;
        if params.is_empty() || locks.named().is_empty() {
            return;
        }
        let mut handed: Vec<(ExprId, ExprId)> = Vec::new();
        for (&param, &arg) in params.iter().zip(&edge.args) {
            if let Some(arg) = self.operand(arg) {
                let param = self.symbol(param);
                if self.analysis.pool.width(arg) == self.analysis.pool.width(param) {
                    handed.push((arg, param));
                }
            }
        }
        let (pool, frame) = (&mut self.analysis.pool, self.frame);
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
            let (pool, frame) = (&self.analysis.pool, self.frame);
            let ends = |s: &Symbol| s.frame == frame && s.own_register().is_some_and(|v| registers.contains(&v));
            locks.rename(|e| pool.symbols(e).iter().any(ends));
        }
    }

    /// A call makes a new activation.
    fn end_activation(&self, call: ProgramPoint, locks: &mut Locks) {
        if !locks.named().is_empty() {
            let (pool, frame) = (&self.analysis.pool, self.frame);
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
            if let Some(e) = self.operand(arg).filter(|&e| self.analysis.pool.width(e) == width) {
                map.push((Symbol::new(SUMMARISED, param), e));
            }
        }
        for (&result, &value) in inst.results.iter().zip(returned) {
            let Some(symbol) = value.and_then(|e| self.analysis.pool.as_symbol(e)) else { continue };
            let is_param = symbol.own_register().is_some_and(|v| callee.params.contains(&v));
            let same = value.is_some_and(|e| self.analysis.pool.width(e) == self.function.values[result].ty.bits());
            if !is_param && same && map.iter().all(|m| m.0 != symbol) {
                let e = self.symbol(result);
                map.push((symbol, e));
            }
        }
        map
    }
}
