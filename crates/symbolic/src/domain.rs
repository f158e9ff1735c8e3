//! What the domain of symbolic runs holds, and what the current instruction may rely on.

use std::collections::BTreeMap;

use icsched_ir::CallStack;
use icsched_smt::{Solver, Term, TermPool, UnknownReason};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::initial::origin::Origins;
use crate::memory::deferred_reads::Deferred;
use crate::memory::offsets::Apart;
use crate::values::value::SymValue;
use icsched_machine::stop::{DecisionKind, Stop};

/// The domain of symbolic runs.
///
/// It owns the terms and the solver of one job. Everything that belongs to a path is in
/// [`SymPath`](crate::path::SymPath), except the decisions granted to the instruction that is being executed.
pub struct SymbolicDomain {
    /// The terms.
    pub pool: TermPool,
    pub(crate) solver: Box<dyn Solver>,
    /// Decisions that the current instruction may rely on. A condition that was decided for an earlier instruction is
    /// asked for again, so that whoever runs the machine knows every condition an instruction relies on.
    pub(crate) granted: SmallVec<[(Term, bool); 4]>,
    /// Values tried for terms that had to be constants.
    pub(crate) candidates: FxHashMap<Term, SmallVec<[u64; 2]>>,
    pub(crate) gave_up: Vec<GaveUp>,
    pub(crate) input_sizes: BTreeMap<String, u64>,
    /// Whether an index is taken for granted to be one of the array that it is a subscript of, where that is a member
    /// of a structure. The search need not: what it leaves out because of that, paths that it executes may do.
    pub subscripts_in_range: bool,
    /// Whether the term of such an index shows that it is one, where it would not by itself: in epochs behind the first
    /// one, whose search says that it takes this for granted.
    pub shows_subscripts: bool,
    /// Of a run that begins in the middle of the program: what its symbols are.
    pub(crate) origins: Option<Box<Origins>>,
    /// What symbols are made of that stand for the result of a function.
    pub(crate) operands: FxHashMap<Term, Vec<Term>>,
    /// A pointer of the initial state that has to be exposed first.
    pub(crate) hidden: Option<Term>,
    /// What was read but not looked at.
    pub(crate) deferred: Deferred,
    /// What was asked about offsets that are no constants.
    pub(crate) apart: Apart,
    /// What became of terms that were split into bytes and joined again.
    pub(crate) rejoined: FxHashMap<Term, Term>,
    /// Symbols of what was read by errors.
    pub(crate) indeterminate: FxHashSet<Term>,
    /// Whether the path whose memory is accessed goes on behind errors.
    pub(crate) continues: bool,
    /// Where inputs were read first, by name.
    pub(crate) reads: FxHashMap<String, CallStack>,
}

/// A question that the solver did not answer. The path went on as if the answer were "possible".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GaveUp {
    /// Why.
    pub reason: UnknownReason,
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

    pub(crate) fn granted(&self, condition: Term) -> Option<bool> {
        self.granted.iter().find(|(t, _)| *t == condition).map(|&(_, taken)| taken)
    }

    /// The answer to a condition, or the question.
    pub(crate) fn ask(&mut self, condition: Term, kind: DecisionKind) -> Result<bool, Stop<Self>> {
        let condition = self.expanded(condition);
        if let Some(bits) = self.pool.as_const(condition) {
            return Ok(bits != 0);
        }
        self.granted(condition).ok_or(Stop::Undecided { condition: SymValue::Term(condition), kind, error: None })
    }
}

pub(crate) fn unsupported(what: String) -> Stop<SymbolicDomain> {
    Stop::Unsupported { what }
}
