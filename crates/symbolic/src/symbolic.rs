//! The symbolic domain: values are constants or terms (Bergan 2.3 and 2.4).
//!
//! Deviations from Bergan:
//!
//! 1. Values are bit vectors and addresses plain integers (design decision D2), so there are no separate pointer
//!    values; the object of an address is read off its constant part.
//! 2. A symbolic address with several possible objects is walked as in "compound symbolic pointer expressions" of
//!    2.4.1; primary objects for unconstrained pointers do not exist here: what can't be walked is decided object by
//!    object (see `pointers`).
//! 3. Arrays are used only where an offset has too many possible values (see `memory`).
//!
//! `docs/internals/symbolic-domain.md` tells the whole story.

use icsched_ir::{BinOp, CallStack, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp, ValueId};
use icsched_smt::{Node, Term};
use smallvec::SmallVec;

use crate::path::SymPath;
use crate::trace::Repeatable;
use icsched_machine::abstraction::{LoopLimits, Passage};
use icsched_machine::domain::{
    Arithmetic, Decisions, Forgot, Inputs, Known, Objects, Read, StrangeHandle, Summaries, Synchronisation, Targets,
    ThreadTable,
};
use icsched_machine::folding::FoldChoice;
use icsched_machine::memory::{Heap, ObjectId, ObjectKind};
use icsched_machine::stop::{DecisionKind, Stop};
use icsched_machine::values::{MemoryByte, Values};

pub use crate::domain::{GaveUp, Kept, SymbolicDomain};
pub use crate::initial::meaning::{Meaning, NamePlace};
pub use crate::initial::source::InitialObjects;
pub use crate::initial::symbol::{RestsOn, SymbolSource};
pub use crate::memory::array::SymArray;
pub use crate::values::value::SymValue;

use crate::domain::unsupported;
use crate::initial::root::Fresh;
use crate::values::integer;

impl Values for SymbolicDomain {
    type Value = SymValue;
    type Byte = Term;
    type Array = SymArray;
    type Path = SymPath;
    const SYMBOLIC: bool = true;

    #[inline]
    fn constant(bits: u64) -> SymValue {
        SymValue::Constant(bits)
    }

    #[inline]
    fn as_constant(value: &SymValue) -> Option<u64> {
        match *value {
            SymValue::Constant(bits) => Some(bits),
            SymValue::Term(_) => None,
        }
    }

    fn split_bytes(&mut self, value: &SymValue, n: u32) -> SmallVec<[MemoryByte<Term>; 8]> {
        self.bytes_of(value, n)
    }

    fn join_bytes(&mut self, bytes: &[MemoryByte<Term>]) -> SymValue {
        self.value_of_bytes(bytes)
    }

    fn array_from_bytes(&mut self, bytes: &[MemoryByte<Term>]) -> SymArray {
        SymArray::from_bytes(bytes)
    }

    fn array_load(
        &mut self,
        path: &SymPath,
        array: &SymArray,
        size: u64,
        offset: &SymValue,
        n: u32,
        pointer: bool,
    ) -> SymValue {
        let offset = self.term(offset, 64);
        self.load_from_array(path, array, size, offset, n, pointer)
    }

    fn array_unit(&mut self, array: &SymArray, at: u64, most: u64) -> u32 {
        array.root().map_or(1, |root| self.origins().unit_at(root, at, most))
    }

    fn array_store(
        &mut self,
        array: &mut SymArray,
        offset: &SymValue,
        value: &SymValue,
        n: u32,
        guard: Option<&SymValue>,
    ) {
        let offset = self.term(offset, 64);
        let guard = guard.map(|g| self.term(g, 1));
        self.store_to_array(array, offset, value, n, guard);
    }

    fn array_fill(
        &mut self,
        array: &mut SymArray,
        offset: &SymValue,
        byte: &MemoryByte<Term>,
        n: &SymValue,
        guard: Option<&SymValue>,
    ) -> bool {
        let (offset, n) = (self.term(offset, 64), self.term(n, 64));
        let guard = guard.map(|g| self.term(g, 1));
        self.fill_array(array, offset, byte, n, guard)
    }

    fn array_copy(
        &mut self,
        array: &mut SymArray,
        offset: &SymValue,
        (from, start): (&SymArray, &SymValue),
        n: &SymValue,
        guard: Option<&SymValue>,
    ) -> bool {
        let (offset, start, n) = (self.term(offset, 64), self.term(start, 64), self.term(n, 64));
        let guard = guard.map(|g| self.term(g, 1));
        self.copy_to_array(array, offset, (from, start), n, guard)
    }

    fn is_initial(&self, array: &SymArray) -> bool {
        array.unknown().is_some_and(|unknown| unknown.is_untouched())
    }

    fn describe(&self, value: &SymValue) -> String {
        match *value {
            SymValue::Constant(bits) => bits.to_string(),
            SymValue::Term(t) => crate::print::Printer::new(&self.pool).value(t),
        }
    }
}

impl Arithmetic for SymbolicDomain {
    fn binary(&mut self, op: BinOp, ty: Type, a: &SymValue, b: &SymValue) -> Result<SymValue, Stop<Self>> {
        let (a, b) = (self.term(a, ty.bits()), self.term(b, ty.bits()));
        let is_float = matches!(ty, Type::F32 | Type::F64);
        let result = if is_float { self.float_binary(op, a, b) } else { self.integer_binary(op, a, b) };
        let result = result.ok_or_else(|| unsupported(format!("{op:?} on {ty}")))?;
        Ok(self.value(result))
    }

    fn unary(&mut self, op: UnOp, ty: Type, a: &SymValue) -> Result<SymValue, Stop<Self>> {
        let a = self.term(a, ty.bits());
        let result = match self.integer_unary(op, a) {
            Some(result) => result,
            None => self.float_unary(op, a).ok_or_else(|| unsupported(format!("{op:?} on {ty}")))?,
        };
        Ok(self.value(result))
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, a: &SymValue) -> Result<SymValue, Stop<Self>> {
        let a = self.term(a, from.bits());
        let result = match self.integer_cast(op, to, a) {
            Some(result) => result,
            None => self.float_cast(op, to, a).ok_or_else(|| unsupported(format!("{op:?} from {from} to {to}")))?,
        };
        Ok(self.value(result))
    }

    fn int_compare(&mut self, predicate: IntPredicate, ty: Type, a: &SymValue, b: &SymValue) -> SymValue {
        let (a, b) = (self.term(a, ty.bits()), self.term(b, ty.bits()));
        let truth = self.integer_compare(predicate, a, b);
        self.value(truth)
    }

    fn float_compare(&mut self, predicate: FloatPredicate, ty: Type, a: &SymValue, b: &SymValue) -> SymValue {
        let (a, b) = (self.term(a, ty.bits()), self.term(b, ty.bits()));
        let truth = self.float_compare_term(predicate, a, b);
        self.value(truth)
    }

    fn overflow(&mut self, op: OverflowOp, ty: Type, a: &SymValue, b: &SymValue) -> SymValue {
        let (a, b) = (self.term(a, ty.bits()), self.term(b, ty.bits()));
        let truth = self.overflow_term(op, a, b);
        self.value(truth)
    }

    fn select(&mut self, ty: Type, condition: &SymValue, a: &SymValue, b: &SymValue) -> SymValue {
        let condition = self.term(condition, 1);
        let (a, b) = (self.term(a, ty.bits()), self.term(b, ty.bits()));
        let chosen = self.choice(condition, a, b);
        self.value(chosen)
    }

    fn not(&mut self, condition: &SymValue) -> SymValue {
        let condition = self.term(condition, 1);
        let negated = self.pool.not(condition);
        self.value(negated)
    }

    fn is_multiple_of(&self, value: &SymValue, of: u64) -> bool {
        match value {
            SymValue::Constant(bits) => bits.is_multiple_of(of),
            SymValue::Term(term) => integer::integers_of(&self.pool, *term).is_multiple_of(of.into()),
        }
    }

    fn least_and_greatest(&self, value: &SymValue) -> Option<(i128, i128)> {
        match value {
            SymValue::Constant(_) => None,
            SymValue::Term(term) => Some(integer::integers_of(&self.pool, *term).bounds()),
        }
    }

    fn are_same_or_apart(&mut self, a: &SymValue, b: &SymValue, bytes: u64) -> bool {
        self.are_same_or_apart(a, b, bytes)
    }

    fn as_subscript(&mut self, index: &SymValue, elements: u64) -> Option<SymValue> {
        self.as_subscript(index, elements)
    }
}

impl Decisions for SymbolicDomain {
    fn array_ask(
        &mut self,
        path: &SymPath,
        array: &SymArray,
        size: u64,
        offset: &SymValue,
        n: u32,
    ) -> Result<(), Stop<Self>> {
        let offset = self.term(offset, 64);
        self.ask_for_slots(path, array, size, offset, n)
    }

    fn decide(&mut self, _: &SymPath, condition: &SymValue, kind: DecisionKind) -> Result<bool, Stop<Self>> {
        let condition = self.term(condition, 1);
        self.ask(condition, kind)
    }

    fn resolve(
        &mut self,
        path: &SymPath,
        heap: &Heap<Self>,
        address: &SymValue,
        n: u64,
    ) -> Result<Targets<SymValue>, Stop<Self>> {
        let address = self.term(address, 64);
        let address = self.expanded(address);
        self.targets(path, heap, address, n)
    }

    fn concretise(&mut self, path: &SymPath, value: &SymValue, kind: DecisionKind) -> Result<u64, Stop<Self>> {
        match *value {
            SymValue::Constant(bits) => Ok(bits),
            SymValue::Term(t) => {
                let t = self.expanded(t);
                let t = self.determinate(path, t, kind)?;
                match self.pool.as_const(t) {
                    Some(bits) => Ok(bits),
                    None => self.one_value(path, t, kind),
                }
            }
        }
    }

    fn expand(&mut self, value: &SymValue) -> SymValue {
        match *value {
            SymValue::Constant(_) => *value,
            SymValue::Term(t) => {
                let t = self.expanded(t);
                self.value(t)
            }
        }
    }

    fn pinned(&mut self, path: &SymPath, value: &SymValue) -> Option<(u64, SymValue)> {
        let SymValue::Term(term) = *value else { return None };
        let (bits, condition) = self.only_value(path, term)?;
        Some((bits, self.value(condition)))
    }

    fn candidates(&mut self, path: &SymPath, heap: &Heap<Self>, address: &SymValue) -> Option<Vec<(u64, u64)>> {
        match *address {
            SymValue::Constant(at) => Some(vec![(at, at)]),
            SymValue::Term(at) => self.address_ranges(path, heap, at),
        }
    }

    fn suspects(&mut self, condition: &SymValue) -> Option<bool> {
        let condition = self.term(condition, 1);
        let condition = self.expanded(condition);
        match self.pool.as_const(condition) {
            Some(bits) => Some(bits == 0),
            None => self.granted(condition).map(|holds| !holds),
        }
    }
}

impl Objects for SymbolicDomain {
    fn checks_memory(&self) -> bool {
        self.origins.as_deref().is_none_or(|o| o.memory_checks)
    }

    fn subscripts_are_in_range(&self) -> bool {
        self.subscripts_in_range
    }

    fn knows_objects(&self) -> bool {
        self.origins.as_deref().is_none_or(|o| o.from_entry)
    }

    fn allocation_site(&mut self, stack: &icsched_ir::CallStack) -> Option<icsched_pointsto::ObjectId> {
        self.allocation_site(stack)
    }

    fn given_site(&mut self, kind: ObjectKind) -> Option<icsched_pointsto::ObjectId> {
        self.given_site(kind)
    }

    fn allocate_unsized(
        &mut self,
        heap: &mut Heap<Self>,
        by: icsched_machine::domain::AllocationSite,
        zeroed: bool,
    ) -> Option<ObjectId> {
        let fresh = if zeroed { Fresh::Zero } else { Fresh::Any };
        self.allocate_unsized(heap, by, fresh)
    }

    fn is_of_unknown_size(&mut self, object: ObjectId) -> bool {
        self.is_unsized(object)
    }

    fn loaded(&mut self, address: &SymValue, value: &SymValue) {
        // What has no choices in it has the name of its own symbol.
        if let (SymValue::Term(value), Some(origins)) = (*value, self.origins.as_deref_mut())
            && matches!(*self.pool.node(value), Node::Ite(..))
        {
            origins.loaded.entry(value).or_insert(*address);
        }
    }

    fn describe_place(&mut self, path: &SymPath, heap: &Heap<Self>, address: &SymValue) -> String {
        match *address {
            SymValue::Constant(at) => heap.name_of(at),
            SymValue::Term(at) => self.name_of_place(path, heap, at),
        }
    }
}

impl Summaries for SymbolicDomain {
    fn first_time(
        &mut self,
        heap: &Heap<Self>,
        path: &mut SymPath,
        passage: Passage,
        registers: &[SymValue],
    ) -> Option<Repeatable> {
        self.first_time(heap, path, passage, registers)
    }

    fn forget_values(&mut self, passage: Passage, params: &[(ValueId, Type, String)]) -> Vec<SymValue> {
        self.forget_values(passage, params)
    }

    fn loop_limits(
        &mut self,
        heap: &Heap<Self>,
        path: &SymPath,
        passage: Passage,
        registers: &[SymValue],
    ) -> Option<(SymValue, LoopLimits)> {
        self.loop_limits(heap, path, passage, registers)
    }

    fn forget_memory(
        &mut self,
        heap: &mut Heap<Self>,
        path: &mut SymPath,
        passage: (Passage, Passage),
        place: &str,
        at: (&[SymValue], &LoopLimits),
    ) -> Forgot<SymValue> {
        self.forget_memory(heap, path, passage, place, at)
    }

    fn forget_contents(&mut self, heap: &Heap<Self>, object: ObjectId) -> bool {
        self.forget_contents(heap, object)
    }
}

impl Synchronisation for SymbolicDomain {
    fn keeps_addresses(&self) -> bool {
        self.origins.is_some()
    }

    fn has_invariants(&self) -> bool {
        self.origins.is_some()
    }

    fn invariant(
        &mut self,
        path: &SymPath,
        known: Known<SymValue>,
        word: &SymValue,
        object: &SymValue,
    ) -> Option<SymValue> {
        self.word_invariant(path, known, word, object)
    }

    fn is_main_anonymous(&self) -> bool {
        self.origins.as_deref().is_some_and(|o| o.invariants.enabled && o.invariants.is_main_anonymous)
    }

    fn thread_table(&self) -> Option<ThreadTable> {
        self.origins.as_deref().filter(|o| o.invariants.enabled)?.invariants.table
    }

    fn strange_handle(&mut self, handle: &SymValue) -> StrangeHandle<SymValue> {
        let name = self.describe(handle);
        let Some(origins) = self.origins.as_deref_mut() else {
            return StrangeHandle { may_have_ended: true, invalid: None };
        };
        let invalid = origins.memory_checks.then(|| format!("is_no_thread({name})"));
        let may_have_ended = !origins.invariants.none_ended;
        let symbol = invalid.map(|name| self.pool.symbol(&name, 1));
        if let Some(symbol) = symbol {
            origins.sources.insert(symbol, SymbolSource::NoThread { handle: *handle });
        }
        let invalid = symbol.map(SymValue::Term);
        StrangeHandle { may_have_ended, invalid }
    }
}

impl Inputs for SymbolicDomain {
    fn is_unknown(&self, value: &SymValue) -> bool {
        let (SymValue::Term(term), Some(origins)) = (value, self.origins.as_deref().filter(|o| o.from_entry)) else {
            return true;
        };
        self.pool.symbols_of(*term).iter().any(|s| origins.is_initial(*s) || origins.sources.contains_key(s))
    }

    fn choice(&mut self, choice: FoldChoice, name: &str) -> Option<SymValue> {
        self.origins.is_some().then(|| SymValue::Term(self.choice_symbol(choice, name)))
    }

    fn indeterminate(&mut self, name: &str, bits: u32) -> SymValue {
        self.indeterminate_symbol(name, bits)
    }

    fn is_of_indeterminate(&self, value: &SymValue) -> bool {
        matches!(*value, SymValue::Term(t) if self.is_indeterminate(t))
    }

    fn input(&mut self, name: &str, bits: u32) -> SymValue {
        SymValue::Term(self.pool.symbol(name, bits))
    }

    fn input_of_string(&mut self, function: &str, bytes: &[MemoryByte<Term>], bits: u32) -> SymValue {
        let name = self.name_of_string_function(function, bytes);
        let symbol = self.pool.symbol(&name, bits);
        let symbolic = bytes.iter().filter_map(|byte| match byte {
            MemoryByte::Symbolic(term) => Some(*term),
            MemoryByte::Constant(_) => None,
        });
        self.operands.insert(symbol, symbolic.collect());
        SymValue::Term(symbol)
    }

    fn was_read(&mut self, read: Read<'_, SymValue>, stack: impl FnOnce() -> CallStack) {
        let name = match read {
            Read::Name(name) => Some(name),
            Read::Value(SymValue::Term(symbol)) => self.pool.symbol_name(*symbol),
            Read::Value(SymValue::Constant(_)) => None,
        };
        if let Some(name) = name.filter(|&name| !self.reads.contains_key(name)) {
            self.reads.insert(name.to_owned(), stack());
        }
    }

    fn input_byte(&mut self, name: &str, index: u64) -> MemoryByte<Term> {
        MemoryByte::Symbolic(self.pool.symbol(&format!("{name}[{index}]"), 8))
    }
}

#[cfg(test)]
mod tests;
