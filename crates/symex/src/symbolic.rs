//! The symbolic domain: values are constants or terms (Bergan 2.3 and 2.4).
//!
//! Deviations from Bergan:
//!
//! 1. Values are bit vectors and addresses plain integers (design decision D2), so there are no separate pointer
//!    values; the object of an address is read off its constant part.
//! 2. A symbolic address with several possible objects is walked as in "compound symbolic pointer expressions" of 2.4.1;
//!    primary objects for unconstrained pointers do not exist here: what can't be walked is decided object by object
//!    (see `resolve`).
//! 3. Arrays are used only where an offset has too many possible values (see `memory`).
//!
//! `docs/symbolic-domain.md` tells the whole story.

mod allocate;
mod apart;
mod cells;
mod deferred;
mod float;
pub(crate) mod forget;
pub(crate) mod integer;
pub(crate) mod invariant;
mod known_bytes;
mod meaning;
mod memory;
mod ops;
pub(crate) mod origin;
mod pointer;
mod reached;
mod recover;
mod repeats;
pub(crate) mod resolve;
mod solve;
pub(crate) mod source;
mod strings;
mod truth;
mod unknown;
mod writes;

use std::collections::BTreeMap;

use icsched_ir::{BinOp, CallStack, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp, ValueId};
use icsched_smt::{CmpOp, Node, Solver, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::abstraction::{LoopLimits, Passage};
use crate::domain::{Domain, Forgot, Known, MemoryByte, Read, StrangeHandle, Targets, ThreadTable};
use crate::folding::FoldChoice;
use crate::memory::{Heap, ObjectId, ObjectKind};
use crate::path::SymPath;
use crate::stop::{DecisionKind, Stop};
use crate::trace::Repeatable;

use apart::Apart;
use deferred::Deferred;
pub use meaning::{Meaning, NamePlace};
pub use memory::SymArray;
use origin::Origins;
pub(crate) use repeats::LoopBeginning;
pub use solve::GaveUp;
pub use source::{RestsOn, SymbolSource};

/// A register. Constants never become terms until they are combined with one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymValue {
    /// Known bits.
    Constant(u64),
    /// Depends on inputs. Never a constant term.
    Term(Term),
}

/// The domain of symbolic runs.
///
/// It owns the terms and the solver of one job. Everything that belongs to a path is in [`SymPath`], except the
/// decisions granted to the instruction that is being executed.
pub struct SymbolicDomain {
    /// The terms.
    pub pool: TermPool,
    solver: Box<dyn Solver>,
    /// Decisions that the current instruction may rely on. A condition that was decided for an earlier instruction is
    /// asked for again, so that whoever runs the machine knows every condition an instruction relies on.
    granted: SmallVec<[(Term, bool); 4]>,
    /// Values tried for terms that had to be constants.
    candidates: FxHashMap<Term, SmallVec<[u64; 2]>>,
    gave_up: Vec<GaveUp>,
    input_sizes: BTreeMap<String, u64>,
    /// Whether an index is taken for granted to be one of the array that it is a subscript of, where that is a member of a structure. The
    /// search need not: what it leaves out because of that, paths that it executes may do.
    pub subscripts_in_range: bool,
    /// Whether the term of such an index shows that it is one, where it would not by itself: in epochs behind the first one, whose search says
    /// that it takes this for granted.
    pub shows_subscripts: bool,
    /// Of a run that begins in the middle of the program: what its symbols are.
    pub(crate) origins: Option<Box<Origins>>,
    /// What symbols are made of that stand for the result of a function.
    operands: FxHashMap<Term, Vec<Term>>,
    /// A pointer of the initial state that has to be exposed first.
    hidden: Option<Term>,
    /// What was read but not looked at.
    deferred: Deferred,
    /// What was asked about offsets that are no constants.
    apart: Apart,
    /// What became of terms that were split into bytes and joined again.
    rejoined: FxHashMap<Term, Term>,
    /// Symbols of what was read by errors.
    indeterminate: FxHashSet<Term>,
    /// Whether the path whose memory is accessed goes on behind errors.
    continues: bool,
    /// Where inputs were read first, by name.
    reads: FxHashMap<String, CallStack>,
}

/// What a domain that begins anew need not find again.
pub struct Kept {
    /// The terms.
    pub pool: TermPool,
    /// What was asked about them.
    pub solver: Box<dyn Solver>,
    /// The same, of offsets.
    apart: Apart,
    rejoined: FxHashMap<Term, Term>,
}

impl Kept {
    /// Nothing yet.
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Self { pool: TermPool::new(), solver, apart: Apart::default(), rejoined: FxHashMap::default() }
    }
}

impl std::fmt::Debug for SymbolicDomain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SymbolicDomain").field("terms", &self.pool.len()).finish_non_exhaustive()
    }
}

impl SymbolicDomain {
    /// A domain with an empty pool.
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Self::with_pool(TermPool::new(), solver)
    }

    /// A domain over existing terms (input constraints of a job).
    pub fn with_pool(pool: TermPool, solver: Box<dyn Solver>) -> Self {
        Self::with_kept(Kept { pool, ..Kept::new(solver) })
    }

    /// A domain that begins anew, with what another one left.
    pub fn with_kept(Kept { pool, solver, apart, rejoined }: Kept) -> Self {
        SymbolicDomain {
            pool,
            solver,
            apart,
            rejoined,
            granted: SmallVec::new(),
            candidates: FxHashMap::default(),
            gave_up: Vec::new(),
            input_sizes: BTreeMap::new(),
            subscripts_in_range: false,
            shows_subscripts: false,
            origins: None,
            operands: FxHashMap::default(),
            hidden: None,
            deferred: Deferred::default(),
            indeterminate: FxHashSet::default(),
            continues: false,
            reads: FxHashMap::default(),
        }
    }

    /// For a domain that begins anew and shall not ask again what this one knows.
    pub fn into_kept(self) -> Kept {
        Kept { pool: self.pool, solver: self.solver, apart: self.apart, rejoined: self.rejoined }
    }

    /// Lets the current instruction rely on a decision. Cleared with [`retract_grants`](Self::retract_grants) when the
    /// instruction is complete.
    pub fn grant(&mut self, condition: Term, taken: bool) {
        self.granted.push((condition, taken));
    }

    /// Whether the current instruction relies on a decision.
    pub fn has_grants(&self) -> bool {
        !self.granted.is_empty()
    }

    /// What the current instruction relies on, as conditions that hold.
    pub fn granted_conditions(&mut self) -> Vec<Term> {
        let granted = self.granted.clone();
        granted.into_iter().map(|(condition, taken)| if taken { condition } else { self.pool.not(condition) }).collect()
    }

    /// Forgets what was granted; the grants so far.
    pub fn retract_grants(&mut self) -> SmallVec<[(Term, bool); 4]> {
        std::mem::take(&mut self.granted)
    }

    /// Puts grants back that belong to a state that stopped in the middle of an instruction.
    pub fn restore_grants(&mut self, grants: SmallVec<[(Term, bool); 4]>) {
        self.granted = grants;
    }

    /// Tells the size of a named input array, for the names of functions of its strings.
    pub fn declare_input(&mut self, name: &str, size: u64) {
        self.input_sizes.insert(name.to_owned(), size);
    }

    fn granted(&self, condition: Term) -> Option<bool> {
        self.granted.iter().find(|(t, _)| *t == condition).map(|&(_, taken)| taken)
    }

    /// The answer to a condition, or the question.
    fn ask(&mut self, condition: Term, kind: DecisionKind) -> Result<bool, Stop<Self>> {
        let condition = self.expanded(condition);
        if let Some(bits) = self.pool.as_const(condition) {
            return Ok(bits != 0);
        }
        self.granted(condition).ok_or(Stop::Undecided { condition: SymValue::Term(condition), kind, error: None })
    }
}

fn unsupported(what: String) -> Stop<SymbolicDomain> {
    Stop::Unsupported { what }
}

impl Domain for SymbolicDomain {
    type Value = SymValue;
    type Byte = Term;
    type Array = SymArray;
    type Path = SymPath;
    const SYMBOLIC: bool = true;

    #[inline]
    fn constant(bits: u64) -> SymValue {
        SymValue::Constant(bits)
    }

    fn as_symbolic(value: &SymValue) -> Option<SymValue> {
        Some(*value)
    }

    #[inline]
    fn as_constant(value: &SymValue) -> Option<u64> {
        match *value {
            SymValue::Constant(bits) => Some(bits),
            SymValue::Term(_) => None,
        }
    }

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

    fn keeps_addresses(&self) -> bool {
        self.origins.is_some()
    }

    fn checks_memory(&self) -> bool {
        self.origins.as_deref().is_none_or(|o| o.memory_checks)
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

    fn is_unknown(&self, value: &SymValue) -> bool {
        let (SymValue::Term(term), Some(origins)) = (value, self.origins.as_deref().filter(|o| o.from_entry)) else {
            return true;
        };
        self.pool.symbols_of(*term).iter().any(|s| origins.is_initial(*s) || origins.sources.contains_key(s))
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

    fn are_same_or_apart(&mut self, a: &SymValue, b: &SymValue, bytes: u64) -> bool {
        self.are_same_or_apart(a, b, bytes)
    }

    fn as_subscript(&mut self, index: &SymValue, elements: u64) -> Option<SymValue> {
        self.as_subscript(index, elements)
    }

    fn given_site(&mut self, kind: ObjectKind) -> Option<icsched_pointsto::ObjectId> {
        self.given_site(kind)
    }

    fn allocate_unsized(
        &mut self,
        heap: &mut Heap<Self>,
        by: crate::domain::AllocationSite,
        zeroed: bool,
    ) -> Option<ObjectId> {
        let fresh = if zeroed { allocate::Fresh::Zero } else { allocate::Fresh::Any };
        self.allocate_unsized(heap, by, fresh)
    }

    fn choice(&mut self, choice: FoldChoice, name: &str) -> Option<SymValue> {
        let origins = self.origins.as_deref_mut()?;
        if let Some(&known) = origins.choices.get(&choice) {
            return Some(SymValue::Term(known));
        }
        let name = origins.unique(name.to_owned());
        let symbol = self.pool.symbol(&name, 1);
        self.origins().choices.insert(choice, symbol);
        Some(SymValue::Term(symbol))
    }

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

    fn pinned(&mut self, path: &SymPath, value: &SymValue) -> Option<(u64, SymValue)> {
        let SymValue::Term(term) = *value else { return None };
        let (bits, condition) = self.only_value(path, term)?;
        Some((bits, self.value(condition)))
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

    fn is_of_unknown_size(&mut self, object: ObjectId) -> bool {
        self.is_unsized(object)
    }

    fn is_initial(&self, array: &SymArray) -> bool {
        array.unknown().is_some_and(|unknown| unknown.is_untouched())
    }

    fn loaded(&mut self, address: &SymValue, value: &SymValue) {
        // What has no choices in it has the name of its own symbol.
        if let (SymValue::Term(value), Some(origins)) = (*value, self.origins.as_deref_mut())
            && matches!(*self.pool.node(value), Node::Ite(..))
        {
            origins.loaded.entry(value).or_insert(*address);
        }
    }

    fn candidates(&mut self, path: &SymPath, heap: &Heap<Self>, address: &SymValue) -> Option<Vec<(u64, u64)>> {
        match *address {
            SymValue::Constant(at) => Some(vec![(at, at)]),
            SymValue::Term(at) => self.address_ranges(path, heap, at),
        }
    }

    fn describe(&self, value: &SymValue) -> String {
        match *value {
            SymValue::Constant(bits) => bits.to_string(),
            SymValue::Term(t) => crate::print::Printer::new(&self.pool).value(t),
        }
    }

    fn indeterminate(&mut self, name: &str, bits: u32) -> SymValue {
        self.indeterminate_symbol(name, bits)
    }

    fn is_of_indeterminate(&self, value: &SymValue) -> bool {
        matches!(*value, SymValue::Term(t) if self.is_indeterminate(t))
    }

    fn describe_place(&mut self, path: &SymPath, heap: &Heap<Self>, address: &SymValue) -> String {
        match *address {
            SymValue::Constant(at) => heap.name_of(at),
            SymValue::Term(at) => self.name_of_place(path, heap, at),
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

impl SymbolicDomain {
    /// `a == b` as a term.
    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        self.compare(CmpOp::Eq, a, b)
    }

    /// `t == bits` as a term.
    pub(crate) fn equals(&mut self, t: Term, bits: u64) -> Term {
        let bits = self.pool.constant(self.pool.width(t), bits);
        self.equal(t, bits)
    }
}

#[cfg(test)]
mod tests;
