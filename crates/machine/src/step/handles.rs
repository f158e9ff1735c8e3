//! Handles of threads in runs that begin in the middle of a program: addresses of entries of the models' table.
//!
//! Which slots the threads of a context have is chosen here, and a handle that nobody knows is one of theirs, or that
//! of a thread that has ended and that nobody has joined. Such a thread gets a slot at the upper end of the table when
//! its handle is used first.

use std::collections::BTreeSet;
use std::rc::Rc;

use icsched_ir::{BinOp, IntPredicate, Type};

use super::context::decide;
use super::{Machine, access, operations};
use crate::domain::Domain;
use crate::state::State;
use crate::stop::{DecisionKind, Stop};
use crate::thread_table::ThreadTable;

impl<D: Domain> Machine<D> {
    /// [`icsched_ir::Intrinsic::Handle`]: the handle as a constant, where it can be told; 0 if it is none.
    pub(super) fn handle(&mut self, state: &mut State<D>, handle: &D::Value) -> Result<D::Value, Stop<D>> {
        let handle = &self.domain.expand(handle);
        if D::as_constant(handle).is_some() {
            return Ok(handle.clone());
        }
        if let Some((bits, condition)) = self.domain.pinned(&state.path, handle)
            && decide(&mut self.domain, &state.path, &condition, DecisionKind::Other)?
        {
            return Ok(D::constant(bits));
        }
        let Some(table) = self.domain.thread_table() else { return Ok(handle.clone()) };
        let mut known: Vec<(D::Value, u64)> = Vec::new();
        let mut joined: Vec<D::Value> = Vec::new();
        let named = |slot: &u32| *slot != 0 || !self.domain.is_main_anonymous();
        let slots: BTreeSet<u32> = state.threads.iter().map(|t| t.slot).filter(named).collect();
        for slot in slots {
            let own = table.handle(u64::from(slot));
            let same = self.is_handle(handle, &D::constant(own));
            match self.is_used(state, &table, own)? {
                true => known.push((same, own)),
                false => joined.push(same),
            }
        }
        for (index, ended) in state.ended.clone().iter().enumerate() {
            let own = table.handle_of_ended(index as u64);
            let same = self.is_handle(handle, ended);
            match self.is_used(state, &table, own)? {
                true => known.push((same, own)),
                false => joined.push(same),
            }
        }
        let strange = self.domain.strange_handle(handle);
        if strange.invalid.is_none() {
            for same in &joined {
                let differs =
                    operations::int_compare(&mut self.domain, IntPredicate::Eq, Type::Int(1), same, &D::constant(0));
                self.presume(state, &differs)?;
            }
            if !strange.may_have_ended && !known.is_empty() {
                let mut any = D::constant(0);
                for (same, _) in &known {
                    any = operations::binary(&mut self.domain, &state.path, BinOp::Or, Type::Int(1), &any, same)?;
                }
                self.presume(state, &any)?;
            }
        }
        for (same, own) in known {
            if decide(&mut self.domain, &state.path, &same, DecisionKind::Other)? {
                return Ok(D::constant(own));
            }
        }
        let is_invalid = match &strange.invalid {
            Some(condition) => decide(&mut self.domain, &state.path, condition, DecisionKind::Other)?,
            None => false,
        };
        if is_invalid || !strange.may_have_ended {
            return Ok(D::constant(0));
        }
        let index = state.ended.len() as u64;
        if index == table.ended {
            return Ok(handle.clone());
        }
        Rc::make_mut(&mut state.ended).push(handle.clone());
        Ok(D::constant(table.handle_of_ended(index)))
    }

    fn is_handle(&mut self, handle: &D::Value, own: &D::Value) -> D::Value {
        operations::int_compare(&mut self.domain, IntPredicate::Eq, Type::Int(64), handle, own)
    }

    fn presume(&mut self, state: &State<D>, condition: &D::Value) -> Result<(), Stop<D>> {
        decide(&mut self.domain, &state.path, condition, DecisionKind::Assume).map(drop)
    }

    /// Whether a slot of the table has a thread that lives, or that has ended and was not joined.
    fn is_used(&mut self, state: &mut State<D>, table: &ThreadTable, handle: u64) -> Result<bool, Stop<D>> {
        let address = D::constant(table.state_of(handle));
        let (value, _) = access::load(&mut self.domain, &mut state.heap, &state.path, &address, Type::Int(8))?;
        Ok(D::as_constant(&value) != Some(0))
    }
}
