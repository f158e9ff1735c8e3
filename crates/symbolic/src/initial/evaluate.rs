//! The values of facts' expressions.

use std::rc::Rc;
use std::sync::Arc;

use icsched_dataflow::{Expr, ExprId, Symbol};
use icsched_ir::{Definitions, Expressions, Type};
use icsched_pointsto::InstanceId;
use icsched_smt::{BinOp, Term};

use super::{StateBuilder, instances};
use crate::symbolic::SymValue;
use icsched_machine::domain::Arithmetic as _;
use icsched_machine::memory::{address, function_address, global_object};

impl StateBuilder<'_, '_> {
    /// The value of a fact's expression; `None` if it is about a register that is not known yet.
    pub(super) fn evaluate(&mut self, thread: usize, e: ExprId) -> Option<Term> {
        let pool = self.start.pool;
        let width = pool.width(e);
        let domain = &mut self.machine.domain;
        Some(match pool.get(e) {
            Expr::Constant { width, bits } => domain.pool.constant(width, bits),
            Expr::Global(global) => domain.pool.constant(64, address(global_object(global), 0)),
            Expr::Function(func) => domain.pool.constant(64, function_address(func)),
            Expr::Symbol { symbol, .. } => self.symbol_of_fact(thread, symbol)?,
            Expr::Sum { base, offset } => {
                let base = self.evaluate(thread, base)?;
                let pool = &mut self.machine.domain.pool;
                let offset = pool.constant(width, offset);
                pool.binary(BinOp::Add, base, offset)
            }
            Expr::Binary { op, a, b } => {
                let ty = Type::Int(u8::try_from(pool.width(a)).ok()?);
                let (a, b) = (self.evaluate(thread, a)?, self.evaluate(thread, b)?);
                if let Some(quotient) = self.quotient(op, a, b) {
                    return Some(quotient);
                }
                let value = self.machine.domain.binary(op, ty, &SymValue::Term(a), &SymValue::Term(b)).ok()?;
                self.machine.domain.term(&value, width)
            }
            Expr::Unary { op, a } => {
                let ty = Type::Int(u8::try_from(pool.width(a)).ok()?);
                let a = self.evaluate(thread, a)?;
                let value = self.machine.domain.unary(op, ty, &SymValue::Term(a)).ok()?;
                self.machine.domain.term(&value, width)
            }
            Expr::Cast { op, width, a } => {
                let (from, to) = (Type::Int(u8::try_from(pool.width(a)).ok()?), Type::Int(u8::try_from(width).ok()?));
                let a = self.evaluate(thread, a)?;
                let value = self.machine.domain.cast(op, from, to, &SymValue::Term(a)).ok()?;
                self.machine.domain.term(&value, width)
            }
            Expr::Compare { predicate, a, b } => {
                let ty = Type::Int(u8::try_from(pool.width(a)).ok()?);
                let (a, b) = (self.evaluate(thread, a)?, self.evaluate(thread, b)?);
                let value = self.machine.domain.int_compare(predicate, ty, &SymValue::Term(a), &SymValue::Term(b));
                self.machine.domain.term(&value, 1)
            }
            Expr::Overflow { op, a, b } => {
                let ty = Type::Int(u8::try_from(pool.width(a)).ok()?);
                let (a, b) = (self.evaluate(thread, a)?, self.evaluate(thread, b)?);
                let value = self.machine.domain.overflow(op, ty, &SymValue::Term(a), &SymValue::Term(b));
                self.machine.domain.term(&value, 1)
            }
            Expr::Select { condition, a, b } => {
                let condition = self.evaluate(thread, condition)?;
                let (a, b) = (self.evaluate(thread, a)?, self.evaluate(thread, b)?);
                self.machine.domain.pool.ite(condition, a, b)
            }
        })
    }

    /// A register as a fact mentions it, which counts frames from the [oldest
    /// known](icsched_dataflow::ThreadContext::oldest_known) one on.
    pub(super) fn symbol_of_fact(&mut self, thread: usize, symbol: Symbol) -> Option<Term> {
        self.symbol(thread, Symbol { frame: symbol.frame + self.oldest_known(thread), ..symbol })
    }

    /// A register that a fact mentions: facts mention those that have no fact of their own.
    fn symbol(&mut self, thread: usize, symbol: Symbol) -> Option<Term> {
        if let Some(&known) = self.registers[thread].get(&symbol) {
            return Some(known);
        }
        if let Some(path) = symbol.inside {
            return self.returned(thread, symbol, path);
        }
        let point = self.start.context.threads.get(thread)?.stack.0.get(symbol.frame as usize).copied()?;
        let program = Arc::clone(&self.program);
        let function = &program.functions[point.func];
        let definitions = Definitions::new(function);
        let named = Symbol { frame: symbol.frame.checked_sub(self.oldest_known(thread))?, ..symbol };
        let own = self.facts(thread)?.registers.get(named.frame as usize)?.get(&named.value).copied();
        let is_itself = |e| matches!(self.start.pool.get(e), Expr::Symbol { symbol: s, .. } if s == named);
        if own.is_some_and(|e| !is_itself(e)) {
            return None;
        }
        let all = instances(&self.start.points_to, &self.start.context.threads[thread]);
        let instances: Rc<[InstanceId]> = all[symbol.frame as usize].as_slice().into();
        let ty = function.values.get(symbol.value)?.ty;
        let names = Expressions::new(&program, function, &definitions);
        Some(self.fresh(thread, symbol, ty, &names, &instances))
    }
}
