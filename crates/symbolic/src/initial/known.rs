//! What an initial state offers to whoever knows more of it than dataflow analysis: the API of [`StateBuilder`].

use std::sync::Arc;

use icsched_dataflow::Symbol;
use icsched_ir::{Definitions, Expressions, GlobalId, Operand, Program, TypeId};
use icsched_pointsto::{ObjectId as Abstract, ObjectKind as AbstractKind, Offsets};
use icsched_smt::{CmpOp, Term, TermPool};

use super::origin::KnownAlternatives;
use super::root::{Places, RootId, RootName, number};
use super::{AddKnown, Register, Start, StateBuilder};
use crate::path::Primary;
use crate::symbolic::InitialObjects as _;
use crate::symbolic::{SymArray, SymValue, SymbolicDomain};
use icsched_machine::memory::{ObjectId, UNKNOWN_SIZE};
use icsched_machine::thread::Thread;
use icsched_machine::values::Values as _;

impl StateBuilder<'_, '_> {
    /// Asks what is known.
    pub(super) fn ask<R>(&mut self, question: impl FnOnce(&mut dyn AddKnown, &mut Self) -> R) -> R {
        let mut known = std::mem::replace(&mut self.known, Box::new(()));
        let answer = question(&mut *known, self);
        self.known = known;
        answer
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// What the state is made of.
    pub fn start(&self) -> &Start<'_> {
        self.start
    }

    /// The terms of the state.
    pub fn pool(&mut self) -> &mut TermPool {
        &mut self.machine.domain.pool
    }

    /// A condition that holds in the state.
    pub fn constrain(&mut self, condition: Term) {
        self.path.constrain(&self.machine.domain.pool, condition);
    }

    /// The root of the contents of a variable, unless all that it ever holds is known.
    pub fn root_of_global(&self, global: GlobalId) -> Option<RootId> {
        self.globals.get(&global).copied()
    }

    /// The root of an object's contents.
    pub fn root_of(&self, object: ObjectId) -> Option<RootId> {
        self.heap.root_of(object)
    }

    /// A local of a frame: thread, frame counted from the outermost, its `alloca`.
    pub fn local_object(&self, local: Register) -> Option<ObjectId> {
        self.locals.get(&local).copied()
    }

    /// A thread's instance of a thread-local variable.
    pub fn thread_local_object(&self, global: GlobalId, thread: u32) -> Option<ObjectId> {
        self.thread_locals.get(&(global, thread)).copied()
    }

    /// A thread's control block: the models' table of threads, and the offset of the thread's entry. `None` if the
    /// program has no threads.
    pub fn control_block(&self, thread: u32) -> Option<(GlobalId, u64)> {
        let (table, stride) = icsched_machine::thread_table::thread_entries(&self.program)?;
        Some((table, u64::from(self.slot(thread as usize)) * stride))
    }

    /// The term of a register that was made.
    pub fn made_register(&self, register: Register) -> Option<Term> {
        self.made.get(&register).copied()
    }

    /// A new object from the heap that was allocated at `site`. A message calls it what `name` says, a pointer to `ty`.
    pub fn add_heap_object(&mut self, name: String, ty: Option<TypeId>, site: Abstract) -> ObjectId {
        let places: Places = [(site, Offsets::Exact(0))].into();
        let (_, size) = self.machine.domain.layout(&places);
        let origins = self.origins();
        let root = origins.root(RootName::Pointee(name, ty, 0), places.clone(), 0);
        origins.set_size(root, size);
        if size.is_none() {
            origins.unsized_roots.insert(number(root));
        }
        let object = self.heap.add_initial(number(root), size.unwrap_or(UNKNOWN_SIZE), SymArray::of_root(root));
        self.path.add_primary(Primary { object, places, origin: 0 });
        self.heap.set_site(object, Some(site));
        let points_to = &self.start.points_to;
        if let AbstractKind::Heap { instance, at } = points_to.objects()[site].kind {
            self.heap.set_allocated_at(object, points_to.program_site(&self.program, instance, at));
        }
        object
    }

    /// What a pointer in memory is called, and the type of what it points to.
    pub fn pointer_in_memory(&mut self, root: RootId, at: u64) -> (String, Option<TypeId>) {
        let origins = self.origins();
        (origins.name_at(root, at), origins.pointer_at(root, at))
    }

    /// The same of a register; `None` if the source has no type for what it points to.
    pub fn pointer_in_register(&mut self, (thread, frame, value): Register) -> Option<(String, TypeId)> {
        let (index, symbol) = (thread as usize, Symbol::new(frame, value));
        let func = self.start.context.threads.get(index)?.stack.0.get(frame as usize)?.func;
        let ty = self.pointee(index, symbol)?;
        let function = &self.program.functions[func];
        let definitions = Definitions::new(function);
        let name = Expressions::new(&self.program, function, &definitions).name(Operand::Value(value));
        Some((self.in_frame(name, index, frame), ty))
    }

    /// Those of 64 bytes from `at` on for which `which` has a bit are constant.
    pub fn set_page(&mut self, root: RootId, at: u64, which: u64, bytes: &[u8; 64]) {
        self.origins().set_known_page(root, at, which, bytes);
    }

    /// So many bytes from `at` on are a constant.
    pub fn set_constant(&mut self, root: RootId, at: u64, bytes: u8, bits: u64) {
        self.set(root, at, bytes, SymValue::Constant(bits));
    }

    /// So many bytes from `at` on are a term.
    pub fn set_term(&mut self, root: RootId, at: u64, bytes: u8, term: Term) {
        let value = self.machine.domain.value(term);
        self.set(root, at, bytes, value);
    }

    fn set(&mut self, root: RootId, at: u64, bytes: u8, value: SymValue) {
        let bytes = self.machine.domain.split_bytes(&value, u32::from(bytes));
        self.origins().set_known(root, at, &bytes);
    }

    /// What so many bytes hold from `at` on.
    pub fn word(&mut self, root: RootId, at: u64, bytes: u8) -> Term {
        let held = self.machine.domain.initial_bytes(root, at, usize::from(bytes));
        let value = self.machine.domain.join_bytes(&held);
        self.machine.domain.term(&value, 8 * u32::from(bytes))
    }

    /// What so many bytes of an array hold at an offset that is a term.
    pub fn element(&mut self, root: RootId, offset: Term, bytes: u8) -> Term {
        let domain = &mut self.machine.domain;
        let (offset, contents) = (domain.value(offset), SymArray::of_root(root));
        let held = domain.array_load(&self.path, &contents, UNKNOWN_SIZE, &offset, bytes.into(), true);
        domain.term(&held, 8 * u32::from(bytes))
    }

    /// Elements of this root are looked at where paths end, even if no path has touched them.
    pub fn keep_elements_of(&mut self, root: RootId) {
        self.origins().rings.insert(root);
    }

    /// Pointers that are one of a few constants: accesses through them tell these apart.
    pub fn set_alternatives(&mut self, alternatives: KnownAlternatives) {
        self.origins().known_alternatives = alternatives;
    }

    /// The order in which threads began to wait, as far as it is known. No two of them began at the same time:
    /// otherwise neither would be first in a queue that both wait in, and nobody would be woken.
    pub(super) fn order_waits(&mut self, threads: &[Thread<SymbolicDomain>], order: &[u32]) {
        let begun = threads.iter().filter_map(|t| match t.timestamp {
            Some(SymValue::Term(term)) => Some(term),
            _ => None,
        });
        let begun: Vec<Term> = begun.collect();
        for (n, &first) in (1..).zip(&begun) {
            for &second in &begun[n..] {
                let pool = self.pool();
                let same = pool.cmp(CmpOp::Eq, first, second);
                let differ = pool.not(same);
                self.constrain(differ);
            }
        }
        for pair in order.windows(2) {
            let of = |n: u32| threads.get(n as usize).and_then(|t| t.timestamp);
            let (Some(SymValue::Term(first)), Some(SymValue::Term(second))) = (of(pair[0]), of(pair[1])) else {
                continue;
            };
            let before = self.pool().cmp(CmpOp::Slt, first, second);
            self.constrain(before);
        }
    }
}
