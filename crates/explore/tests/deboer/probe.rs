//! The symbolic domain under observation.
//!
//! [`Probe`] hands every operation on to [`SymbolicDomain`] and knows the input that the run is compared with. From it,
//! it tells the values of the symbols that stand for functions no solver knows (`sin(x)`); and it can falsify one
//! operation on rare operands, to see whether the comparison finds it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp};
use icsched_machine::arith;
use icsched_machine::domain::{self, Arithmetic, Decisions, Objects, Summaries, Synchronisation, Targets};
use icsched_machine::memory::Heap;
use icsched_machine::values::{MemoryByte, Values};
use icsched_machine::{DecisionKind, Stop};
use icsched_smt::{BinOp as TermOp, CmpOp, Evaluation, Model, Node, Solver, Term};
use icsched_symbolic::path::SymPath;
use icsched_symbolic::symbolic::{SymArray, SymValue, SymbolicDomain};
use smallvec::SmallVec;

use crate::deboer::fault::{Fault, Method};
use crate::deboer::inputs::Inputs;

type Value = SymValue;
type Byte = MemoryByte<Term>;

/// See the module.
pub(crate) struct Probe {
    pub(crate) inner: SymbolicDomain,
    /// The input, and what was learnt of other symbols.
    pub(crate) model: Rc<RefCell<Model>>,
    inputs: Inputs,
    values: RefCell<Evaluation>,
    fault: Option<Fault>,
    /// Operations asked for so far.
    pub(crate) used: BTreeSet<Fault>,
    /// A symbol that stands for two different things.
    pub(crate) ambiguous: Option<String>,
    /// Whether inputs are constants: a run that is concrete, with the inputs of a symbolic one.
    replay: bool,
}

impl Probe {
    pub(crate) fn symbolic(
        solver: Box<dyn Solver>,
        model: Rc<RefCell<Model>>,
        inputs: &Inputs,
        fault: Option<Fault>,
    ) -> Self {
        Probe {
            inner: SymbolicDomain::new(solver),
            model,
            inputs: inputs.clone(),
            values: RefCell::default(),
            fault,
            used: BTreeSet::new(),
            ambiguous: None,
            replay: false,
        }
    }

    /// The domain of a run whose inputs are all given.
    pub(crate) fn replay(solver: Box<dyn Solver>, inputs: &Inputs) -> Self {
        let model = Rc::new(RefCell::new(Model::new()));
        Probe { replay: true, ..Self::symbolic(solver, model, inputs, None) }
    }

    /// The value of a term under the input.
    pub(crate) fn eval(&self, t: Term) -> u64 {
        self.inner.pool.eval_with(t, &self.model.borrow(), &mut self.values.borrow_mut()) as u64
    }

    pub(crate) fn value_of(&self, value: &Value) -> u64 {
        match *value {
            SymValue::Constant(bits) => bits,
            SymValue::Term(t) => self.eval(t),
        }
    }

    pub(crate) fn byte(&self, byte: &Byte) -> u8 {
        match *byte {
            MemoryByte::Constant(b) => b,
            MemoryByte::Symbolic(t) => self.eval(t) as u8,
        }
    }

    /// Says what a symbol stands for.
    fn define(&mut self, value: &Value, bits: u64) {
        let SymValue::Term(t) = *value else { return };
        let Node::Symbol { id, width } = *self.inner.pool.node(t) else { return };
        let name = self.inner.pool.name(id).to_owned();
        let mut model = self.model.borrow_mut();
        match model.get_sized(&name, width).and_then(icsched_smt::ModelValue::as_u64) {
            Some(known) if known != bits => {
                self.ambiguous = Some(format!("`{name}` is {known:#x} and {bits:#x}"));
            }
            Some(_) => {}
            None => model.set(&name, width, bits.into()),
        }
    }

    fn plant(&mut self, fault: Fault) -> bool {
        assert!(
            !self.replay || matches!(fault, Fault::Method(Method::Input | Method::InputOfString | Method::InputByte))
        );
        self.used.insert(fault);
        self.fault == Some(fault)
    }

    /// The result of an operation, changed where its operand `key` ends in certain bits if this is the planted fault.
    fn result(&mut self, fault: Fault, key: (&Value, u32), result: Value, bits: u32) -> Value {
        if !self.plant(fault) {
            return result;
        }
        let rare = self.rare(key);
        let pool = &mut self.inner.pool;
        let right = match result {
            SymValue::Constant(bits_of) => pool.constant(bits, bits_of),
            SymValue::Term(t) => t,
        };
        let one = pool.constant(pool.width(right), 1);
        let wrong = pool.binary(TermOp::Xor, right, one);
        let either = pool.ite(rare, wrong, right);
        self.inner.value(either)
    }

    fn rare(&mut self, (key, bits): (&Value, u32)) -> Term {
        let key = self.inner.term(key, bits);
        let pool = &mut self.inner.pool;
        let low = pool.trunc(key, bits.min(3));
        let pattern = pool.constant(bits.min(3), 5);
        pool.cmp(CmpOp::Eq, low, pattern)
    }
}

/// A stop of the domain inside as one of the domain around it.
fn lifted(stop: Stop<SymbolicDomain>) -> Stop<Probe> {
    match stop {
        Stop::Undecided { condition, kind, error } => Stop::Undecided { condition, kind, error },
        Stop::Suspect { condition, error } => Stop::Suspect { condition, error },
        Stop::Hidden { pointer } => Stop::Hidden { pointer },
        Stop::Switch => Stop::Switch,
        Stop::End(end) => Stop::End(end),
        Stop::Fault { kind, message } => Stop::Fault { kind, message },
        Stop::Unsupported { what } => Stop::Unsupported { what },
    }
}

impl Values for Probe {
    type Value = SymValue;
    type Byte = Term;
    type Array = SymArray;
    type Path = SymPath;
    const SYMBOLIC: bool = true;

    fn constant(bits: u64) -> Value {
        SymbolicDomain::constant(bits)
    }

    fn as_constant(value: &Value) -> Option<u64> {
        SymbolicDomain::as_constant(value)
    }

    fn split_bytes(&mut self, value: &Value, n: u32) -> SmallVec<[Byte; 8]> {
        let mut bytes = self.inner.split_bytes(value, n);
        if self.plant(Fault::Method(Method::SplitBytes)) {
            bytes.reverse();
        }
        bytes
    }

    fn join_bytes(&mut self, bytes: &[Byte]) -> Value {
        let result = self.inner.join_bytes(bytes);
        let bits = 8 * bytes.len() as u32;
        self.result(Fault::Method(Method::JoinBytes), (&result, bits), result, bits)
    }

    fn array_from_bytes(&mut self, bytes: &[Byte]) -> SymArray {
        let mut bytes = bytes.to_vec();
        if self.plant(Fault::Method(Method::ArrayFromBytes)) {
            let middle = bytes.len() / 2;
            bytes.swap(0, middle);
        }
        self.inner.array_from_bytes(&bytes)
    }

    fn array_load(&mut self, path: &SymPath, array: &SymArray, size: u64, at: &Value, n: u32, pointer: bool) -> Value {
        let result = self.inner.array_load(path, array, size, at, n, pointer);
        self.result(Fault::Method(Method::ArrayLoad), (at, 64), result, 8 * n)
    }

    fn array_store(&mut self, array: &mut SymArray, at: &Value, value: &Value, n: u32, guard: Option<&Value>) {
        let stored = self.result(Fault::Method(Method::ArrayStore), (at, 64), *value, 8 * n);
        let ignored = guard.is_some() && self.plant(Fault::Method(Method::ArrayStoreGuard));
        self.inner.array_store(array, at, &stored, n, guard.filter(|_| !ignored));
    }
}

impl Arithmetic for Probe {
    fn binary(&mut self, op: BinOp, ty: Type, a: &Value, b: &Value) -> Result<Value, Stop<Self>> {
        let result = self.inner.binary(op, ty, a, b).map_err(lifted)?;
        if op == BinOp::FPow {
            let bits =
                arith::binary(op, ty, self.value_of(a), self.value_of(b)).expect("floats are never divided by zero");
            self.define(&result, bits);
        }
        let key = if SymbolicDomain::as_constant(a).is_some() { b } else { a };
        Ok(self.result(Fault::Binary(op), (key, ty.bits()), result, ty.bits()))
    }

    fn unary(&mut self, op: UnOp, ty: Type, a: &Value) -> Result<Value, Stop<Self>> {
        let result = self.inner.unary(op, ty, a).map_err(lifted)?;
        if crate::deboer::statements::is_unknown(op) {
            let bits = arith::unary(op, ty, self.value_of(a));
            self.define(&result, bits);
        }
        Ok(self.result(Fault::Unary(op), (a, ty.bits()), result, ty.bits()))
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, a: &Value) -> Result<Value, Stop<Self>> {
        let result = self.inner.cast(op, from, to, a).map_err(lifted)?;
        Ok(self.result(Fault::Cast(op), (a, from.bits()), result, to.bits()))
    }

    fn int_compare(&mut self, predicate: IntPredicate, ty: Type, a: &Value, b: &Value) -> Value {
        let result = self.inner.int_compare(predicate, ty, a, b);
        let key = if SymbolicDomain::as_constant(a).is_some() { b } else { a };
        self.result(Fault::IntCompare(predicate), (key, ty.bits()), result, 1)
    }

    fn float_compare(&mut self, predicate: FloatPredicate, ty: Type, a: &Value, b: &Value) -> Value {
        let result = self.inner.float_compare(predicate, ty, a, b);
        let key = if SymbolicDomain::as_constant(a).is_some() { b } else { a };
        self.result(Fault::FloatCompare(predicate), (key, ty.bits()), result, 1)
    }

    fn overflow(&mut self, op: OverflowOp, ty: Type, a: &Value, b: &Value) -> Value {
        let result = self.inner.overflow(op, ty, a, b);
        let key = if SymbolicDomain::as_constant(a).is_some() { b } else { a };
        self.result(Fault::Overflow(op), (key, ty.bits()), result, 1)
    }

    fn select(&mut self, ty: Type, condition: &Value, a: &Value, b: &Value) -> Value {
        let result = self.inner.select(ty, condition, a, b);
        self.result(Fault::Method(Method::Select), (condition, 1), result, ty.bits())
    }

    fn not(&mut self, condition: &Value) -> Value {
        let result = self.inner.not(condition);
        self.result(Fault::Method(Method::Not), (condition, 1), result, 1)
    }
}

impl Decisions for Probe {
    fn array_ask(&mut self, path: &SymPath, array: &SymArray, size: u64, at: &Value, n: u32) -> Result<(), Stop<Self>> {
        self.inner.array_ask(path, array, size, at, n).map_err(lifted)
    }

    fn decide(&mut self, path: &SymPath, condition: &Value, kind: DecisionKind) -> Result<bool, Stop<Self>> {
        if self.plant(Fault::Method(Method::Decide)) && kind == DecisionKind::Branch {
            return Ok(true);
        }
        self.inner.decide(path, condition, kind).map_err(lifted)
    }

    fn resolve(&mut self, path: &SymPath, heap: &Heap<Self>, at: &Value, n: u64) -> Result<Targets<Value>, Stop<Self>> {
        let term = self.inner.term(at, 64);
        let mut targets = self.inner.targets(path, heap, term, n).map_err(lifted)?;
        if let Some(first) = targets.first_mut() {
            let room = heap.object(first.object).is_some_and(|o| o.size > n + 1);
            if room && SymbolicDomain::as_constant(&first.offset).is_none() {
                let offset = first.offset;
                first.offset = self.result(Fault::Method(Method::ResolveOffset), (&offset, 64), offset, 64);
            }
        }
        if let [first, .., last] = targets.as_mut_slice()
            && self.plant(Fault::Method(Method::ResolveGuard))
        {
            std::mem::swap(&mut first.guard, &mut last.guard);
        }
        Ok(targets)
    }

    fn concretise(&mut self, path: &SymPath, value: &Value, kind: DecisionKind) -> Result<u64, Stop<Self>> {
        if SymbolicDomain::as_constant(value).is_none() && self.plant(Fault::Method(Method::Concretise)) {
            return Ok(self.inner.concretise(path, value, kind).map_err(lifted)? ^ 1);
        }
        self.inner.concretise(path, value, kind).map_err(lifted)
    }
}

impl Objects for Probe {}

impl Summaries for Probe {}

impl Synchronisation for Probe {}

impl domain::Inputs for Probe {
    fn input(&mut self, name: &str, bits: u32) -> Value {
        let given = self.inputs.named(name, bits);
        if self.replay {
            return SymValue::Constant(given);
        }
        let value = self.inner.input(name, bits);
        self.define(&value, given);
        self.result(Fault::Method(Method::Input), (&value, bits), value, bits)
    }

    fn input_of_string(&mut self, function: &str, bytes: &[Byte], bits: u32) -> Value {
        let text: Vec<u8> = bytes.iter().map(|b| self.byte(b)).collect();
        let given = self.inputs.of_string(function, &text, bits);
        if self.replay {
            return SymValue::Constant(given);
        }
        let value = self.inner.input_of_string(function, bytes, bits);
        self.define(&value, given);
        self.result(Fault::Method(Method::InputOfString), (&value, bits), value, bits)
    }

    fn input_byte(&mut self, name: &str, index: u64) -> Byte {
        let byte = self.inner.input_byte(name, index);
        let MemoryByte::Symbolic(t) = byte else { return byte };
        let value = self.result(Fault::Method(Method::InputByte), (&SymValue::Term(t), 8), SymValue::Term(t), 8);
        match value {
            SymValue::Term(t) => MemoryByte::Symbolic(t),
            SymValue::Constant(bits) => MemoryByte::Constant(bits as u8),
        }
    }
}
