//! States in the middle of the program (Bergan 2.3.2, 2.3.3, 2.4.2, 2.5.1).
//!
//! A [`Start`] says where the threads are and what dataflow analysis knows of that. The state that is made of it stands
//! for every concrete state at these places: registers and memory are symbols, except where facts say what they hold.
//! The machine does not know that it did not start at the beginning.
//!
//! Threads have the slots 1, 2, ... of the models' table in the order of the context; the one that runs `main` has 0.
//! Real ones may be others: programs that take handles for more than names could tell.

mod builder;
mod discoveries;
pub(crate) mod discovery;
mod evaluate;
pub(crate) mod invariant;
mod known;
pub(crate) mod meaning;
pub(crate) mod origin;
pub(crate) mod root;
pub(crate) mod source;
pub(crate) mod symbol;
pub(crate) mod sync_facts;
mod table;
mod unknowns;

pub use builder::{AddKnown, KnownState, Register, Start, StartOptions, StateBuilder};
pub use discoveries::{RepeatError, StoredDiscoveries};
pub use origin::KnownAlternatives;
pub use root::RootId;

use std::rc::Rc;
use std::sync::Arc;

use icsched_dataflow::{
    Base, Count, Definitions as Facts, Expr, HeldLock, Place, RelationKind, Status, Symbol, ThreadContext,
};
use icsched_ir::{
    CallStack, Const, Definition, Definitions, EntityId, Expressions, FuncId, Intrinsic, Op, Operand, Origin,
    ProgramPoint, SourceType, Type, TypeId, ValueId,
};
use icsched_pointsto::{InstanceId, ObjectId as Abstract, ObjectKind as AbstractKind, Offsets, PointsTo};
use icsched_smt::{BinOp, CmpOp, Term};
use rustc_hash::FxHashMap;

use crate::path::Primary;
use crate::symbolic::{SymArray, SymValue, SymbolSource, SymbolicDomain};
use builder::Registers;
use icsched_machine::Machine;
use icsched_machine::code::CalleeCode;
use icsched_machine::memory::{AddressClass, Heap, ObjectId, ObjectKind, address, classify, global_object};
use icsched_machine::state::State;
use icsched_machine::thread::{Bottom, Frame, FrameId, Thread, ThreadId, ThreadStatus};
use icsched_machine::values::Values as _;
use origin::{Origins, target_at};
use root::{Places, RootName};
use source::InitialObjects as _;

/// Arrays of variable arguments are taken to be this long.
const VARARGS_BYTES: u64 = 4096;

/// The functions that give the calling thread's handle.
const NAMES_OF_SELF: [&str; 2] = ["pthread_self", "thrd_current"];

/// States in the middle of the program, of a machine that executes from there.
pub trait InitialStates {
    /// The state that stands for every concrete state at a context.
    ///
    /// O(registers of the frames and globals of the program), and what the facts say.
    fn state_at(&mut self, start: &Start<'_>) -> State<SymbolicDomain>;
    /// Lets a run from the program's entry allocate objects of sizes that depend on inputs without choosing one.
    fn allow_unknown_sizes(&mut self, points_to: &Arc<PointsTo>);
    /// Exposes a pointer of the initial state: the state says from now on where it may point.
    fn expose(&mut self, state: &mut State<SymbolicDomain>, pointer: &SymValue);
    /// What was left out where the state says less than is known, since the last call.
    fn take_notes(&mut self) -> Vec<String>;
}

impl InitialStates for Machine<SymbolicDomain> {
    fn state_at(&mut self, start: &Start<'_>) -> State<SymbolicDomain> {
        let program = Arc::clone(&self.program);
        let mut origins = Origins::new(Arc::clone(&program), Arc::clone(&start.points_to));
        origins.restrict_aliases = start.options.points_to;
        origins.memory_checks = start.options.memory_checks;
        origins.forgotten.replaced = Arc::clone(&self.options.marks.abstractions);
        origins.invariants.locks_known = start.facts.locks_known;
        self.domain.origins = Some(Box::new(origins));
        let mut objects: FxHashMap<AbstractKind, Vec<Abstract>> = FxHashMap::default();
        for (id, object) in start.points_to.objects().iter() {
            objects.entry(object.kind).or_default().push(id);
        }
        let mut heap = Heap::new(Arc::clone(&program));
        heap.set_memory_errors(self.options.memory_errors);
        let builder = StateBuilder {
            machine: self,
            objects,
            start,
            heap,
            program,
            path: Default::default(),
            globals: FxHashMap::default(),
            registers: Vec::new(),
            quotients: FxHashMap::default(),
            next_frame: 0,
            is_complete: true,
            known: start.known.begin(),
            locals: FxHashMap::default(),
            thread_locals: FxHashMap::default(),
            made: FxHashMap::default(),
        };
        builder.build()
    }

    fn allow_unknown_sizes(&mut self, points_to: &Arc<PointsTo>) {
        let mut origins = Origins::new(Arc::clone(&self.program), Arc::clone(points_to));
        origins.memory_checks = false;
        origins.unknown_frames = false;
        origins.from_entry = true;
        origins.reserve_input_names();
        // From its entry on, all that the program does is known.
        origins.invariants.enabled = true;
        origins.invariants.locks_known = true;
        origins.forgotten.replaced = Arc::clone(&self.options.marks.abstractions);
        self.domain.origins = Some(Box::new(origins));
    }

    fn expose(&mut self, state: &mut State<SymbolicDomain>, pointer: &SymValue) {
        let pointer = self.domain.term(pointer, 64);
        self.domain.expose(&mut state.path, &mut state.heap, pointer, false);
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.domain.origins.as_deref_mut().map(|o| std::mem::take(&mut o.notes)).unwrap_or_default()
    }
}

impl StateBuilder<'_, '_> {
    fn build(mut self) -> State<SymbolicDomain> {
        self.variables();
        self.ask(|known, state| known.objects(state));
        let context = self.start.context;
        let mut threads: Vec<Thread<SymbolicDomain>> = (0..context.threads.len()).map(|i| self.thread(i)).collect();
        self.ask(|known, state| {
            known.constrain(state);
            state.order_waits(&threads, known.wait_order());
        });
        let complete = self.is_complete;
        self.machine.domain.origins().unknown_frames = !complete;
        for index in 0..threads.len() {
            self.places(index);
        }
        for (index, thread) in threads.iter_mut().enumerate() {
            thread.maybe_locks = self.locks(index);
        }
        self.invariants();
        self.thread_table(&threads);
        self.relations();
        State::in_the_middle(self.heap, threads, self.path, self.next_frame)
    }

    fn origins(&mut self) -> &mut Origins {
        self.machine.domain.origins()
    }

    /// Global variables: what is written somewhere is a symbol.
    fn variables(&mut self) {
        let program = Arc::clone(&self.program);
        for (id, global) in program.globals.iter() {
            if global.constant || global.external || global.thread_local {
                continue;
            }
            let statics = self.start.options.statics || global.origin == Origin::Model;
            if statics && !self.start.statics.is_written(&program, id) {
                continue;
            }
            let object = self.objects.get(&AbstractKind::Global(id)).and_then(|all| all.last());
            let places = object.map(|&object| (object, Offsets::Exact(0)));
            let places: Places = places.into_iter().collect();
            let root = self.origins().root(RootName::Global(id), places, 0);
            self.origins().set_size(root, Some(global.size));
            if statics {
                for known in self.start.statics.known_of_global(&program, id) {
                    self.origins().set_known_page(root, known.start, known.which, &known.bytes);
                }
            }
            self.globals.insert(id, root);
            self.heap.set_contents(global_object(id), SymArray::of_root(root));
        }
    }

    fn thread(&mut self, index: usize) -> Thread<SymbolicDomain> {
        let context = &self.start.context.threads[index];
        let id = ThreadId(u32::try_from(index).expect("threads are few"));
        let mut thread = Thread::new(id, self.slot(index), self.program.globals.len());
        self.thread_locals(&mut thread);
        self.is_complete &= context.complete && context.folds.is_empty();
        self.registers.push(Registers::default());
        let CallStack(points) = &context.stack;
        let instances = instances(&self.start.points_to, context);
        for (depth, (&point, instances)) in points.iter().zip(instances).enumerate() {
            let instances: Rc<[InstanceId]> = instances.into();
            self.frame(&mut thread, index, depth, point, &instances);
        }
        thread.bottom = match () {
            () if !context.complete => Bottom::Unknown,
            () if thread.slot == 0 => Bottom::Main,
            () => Bottom::Start,
        };
        if context.status == Status::Waiting {
            self.wait(&mut thread);
        }
        thread
    }

    /// The thread has waited since before the initial state, nobody knows how long (Bergan 2.5.2, "Initial contexts
    /// with a nonempty WQ").
    fn wait(&mut self, thread: &mut Thread<SymbolicDomain>) {
        let code = Arc::clone(&self.machine.code);
        let Some(frame) = thread.frames.last() else { return };
        let function = &code.functions[frame.func];
        let Some(call) = function.call_at(frame.pc) else { return };
        let deadline = match call.callee {
            CalleeCode::Intrinsic(Intrinsic::Wait) => None,
            CalleeCode::Intrinsic(Intrinsic::WaitTimed) => Some(u64::MAX),
            _ => return,
        };
        thread.queue = thread.registers[frame.base as usize + call.args[0] as usize];
        thread.status = ThreadStatus::Waiting { deadline, since: u64::from(thread.id.0) };
        let name = self.origins().unique(format!("start of the wait of thread {}", thread.id));
        let pool = &mut self.machine.domain.pool;
        let (timestamp, zero) = (pool.symbol(&name, 64), pool.constant(64, 0));
        let before = pool.cmp(CmpOp::Slt, timestamp, zero);
        self.origins().sources.insert(timestamp, SymbolSource::WaitStart { thread: thread.id.index() });
        self.path.constrain(&self.machine.domain.pool, before);
        thread.timestamp = Some(SymValue::Term(timestamp));
    }

    fn thread_locals(&mut self, thread: &mut Thread<SymbolicDomain>) {
        let program = Arc::clone(&self.program);
        for (id, global) in program.globals.iter().filter(|(_, g)| g.thread_local && !g.external) {
            let name = match self.start.context.threads.len() {
                1 => global.name.clone(),
                _ => format!("{}@{}", global.name, thread.id),
            };
            let kind = ObjectKind::ThreadLocal(id, thread.id);
            let kinds = vec![AbstractKind::Global(id)];
            let object = self.object(name, global.source_type, kinds, kind, global.size);
            if (self.start.options.statics || global.origin == Origin::Model)
                && let Some(root) = self.heap.root_of(object)
            {
                for known in self.start.statics.known_of_global(&program, id) {
                    self.origins().set_known_page(root, known.start, known.which, &known.bytes);
                }
            }
            self.thread_locals.insert((id, thread.id.0), object);
            Rc::make_mut(&mut thread.thread_locals)[id.index()] = Some(object);
        }
    }

    fn frame(
        &mut self,
        thread: &mut Thread<SymbolicDomain>,
        index: usize,
        depth: usize,
        point: ProgramPoint,
        instances: &Rc<[InstanceId]>,
    ) {
        let code = Arc::clone(&self.machine.code);
        let program = Arc::clone(&self.program);
        let function = &program.functions[point.func];
        let decoded = &code.functions[point.func];
        let base = thread.registers.len();
        thread.registers.resize(base + decoded.registers as usize, SymValue::Constant(0));
        thread.registers.extend(decoded.constants.iter().map(|&bits| SymValue::Constant(bits)));
        for &(slot, global, offset) in &decoded.thread_locals {
            if let Some(object) = thread.thread_locals[global.index()] {
                thread.registers[base + slot as usize] = SymValue::Constant(address(object, offset.cast_unsigned()));
            }
        }
        let id = FrameId(self.next_frame);
        self.next_frame += 1;
        let first_object = u32::try_from(thread.stack_objects.len()).expect("stack objects are few");
        let context = &self.start.context.threads[index];
        let is_inside = depth + 1 < context.stack.0.len() || context.status == Status::Waiting;
        let pc = if is_inside { code.call_pc(point) } else { code.start_pc(point) };
        let mut frame = Frame {
            id,
            func: point.func,
            base: u32::try_from(base).expect("registers are few"),
            pc: pc.unwrap_or(0),
            first_object,
            varargs: None,
            is_folded: context.folds.contains(&u32::try_from(depth).expect("stacks are short")),
            is_any: false,
            is_unknown: false,
        };
        let depth = u32::try_from(depth).expect("stacks are short");
        let definitions = Definitions::new(function);
        for value in self.locals(&definitions, point) {
            let object = self.local(thread, (index, depth), point.func, (id, value), instances);
            self.locals.insert((thread.id.0, depth, value), object);
            let address = self.machine.domain.pool.constant(64, address(object, 0));
            self.registers[index].insert(Symbol::new(depth, value), address);
        }
        if let (0, Some(entry), [block]) = (depth, self.table_entry(point.func, thread.slot), &function.params[..]) {
            let address = self.machine.domain.pool.constant(64, entry);
            self.registers[index].insert(Symbol::new(depth, *block), address);
        }
        if function.varargs {
            let name = format!("variable arguments of {}", function.name);
            let kinds = instances.iter().map(|&i| AbstractKind::VarArgs(i));
            let object = self.object(name, None, kinds.collect(), ObjectKind::VarArgs(id), VARARGS_BYTES);
            thread.stack_objects.push(object);
            thread.stack_bytes += VARARGS_BYTES;
            frame.varargs = Some(object);
        }
        let names = Expressions::new(&program, function, &definitions);
        let folding = self.machine.options.marks.folding.clone();
        for value in icsched_machine::code::Code::known_before(&program, point, folding.as_deref()) {
            let info = &function.values[value];
            let symbol = Symbol::new(depth, value);
            let place = (thread.id.0, depth, value);
            let before = self.registers[index].get(&symbol).copied();
            let is_local = before.is_some_and(|term| self.machine.domain.pool.as_const(term).is_some());
            let known = self.ask(|known, state| known.register(state, place, info.ty.bits()));
            let term = match known.filter(|_| !is_local) {
                Some(known) => {
                    // What it was computed from is known, too, and what that is in turn.
                    if let Some(computed) = before.or_else(|| self.computed(index, symbol, info.ty)) {
                        let pool = &mut self.machine.domain.pool;
                        let holds = pool.cmp(CmpOp::Eq, known, computed);
                        self.path.constrain(pool, holds);
                    }
                    self.registers[index].insert(symbol, known);
                    known
                }
                None => self.register(index, symbol, info.ty, &names, instances),
            };
            self.made.insert(place, term);
            self.ask(|known, state| known.made(state, place, term));
            let at = base + icsched_machine::code::Code::slot(value) as usize;
            thread.registers[at] = self.machine.domain.value(term);
        }
        thread.frames.push(frame);
    }

    /// The locals of one size that a frame has made for certain: those of the entry block, if control has left it.
    fn locals(&mut self, definitions: &Definitions, point: ProgramPoint) -> Vec<ValueId> {
        let program = Arc::clone(&self.program);
        let function = &program.functions[point.func];
        let mut found = Vec::new();
        for (block, body) in function.blocks.iter() {
            for (inst, i) in body.insts.iter().zip(0u32..) {
                let Op::Alloca { count, .. } = &inst.op else { continue };
                let is_constant = matches!(count, Operand::Const(Const::Bits { .. }));
                let entry = block.index() == 0;
                let was_made = entry && (point.block.index() != 0 || i < point.inst);
                let not_yet = entry && !was_made;
                if is_constant && was_made {
                    found.extend(inst.results.iter().copied());
                } else if !not_yet {
                    self.is_complete = false;
                }
            }
        }
        found.retain(|v| matches!(definitions.of(*v), Some(Definition::Inst(..))));
        found
    }

    /// The object of a local variable.
    fn local(
        &mut self,
        thread: &mut Thread<SymbolicDomain>,
        (index, depth): (usize, u32),
        func: FuncId,
        (frame, value): (FrameId, ValueId),
        instances: &Rc<[InstanceId]>,
    ) -> ObjectId {
        let program = Arc::clone(&self.program);
        let function = &program.functions[func];
        let definitions = Definitions::new(function);
        let (size, count) = match definitions.inst(function, value).map(|i| &i.op) {
            Some(Op::Alloca { size, count: Operand::Const(Const::Bits { bits, .. }), .. }) => (*size, *bits),
            _ => (0, 0),
        };
        let info = &function.values[value];
        let name = info.name.clone().unwrap_or_else(|| value.to_string());
        let name = self.in_frame(name, index, depth);
        let kinds = instances.iter().map(|&instance| AbstractKind::Stack { instance, value });
        let kind = ObjectKind::Stack { frame, func, value };
        let bytes = size.saturating_mul(count);
        let object = self.object(name, info.source_type, kinds.collect(), kind, bytes);
        thread.stack_objects.push(object);
        thread.stack_bytes += bytes;
        object
    }

    /// An object that only this context has, with what it is for points-to analysis.
    fn object(
        &mut self,
        name: String,
        ty: Option<TypeId>,
        kinds: Vec<AbstractKind>,
        kind: ObjectKind,
        size: u64,
    ) -> ObjectId {
        let mut objects: Vec<Abstract> =
            kinds.iter().filter_map(|kind| self.objects.get(kind)).flatten().copied().collect();
        objects.sort_unstable();
        objects.dedup();
        let places: Places = objects.into_iter().map(|id| (id, Offsets::Exact(0))).collect();
        let root = self.origins().root(RootName::Variable(name, ty), Rc::clone(&places), 0);
        self.origins().set_size(root, Some(size));
        let object = self.heap.allocate_holding(kind, size, SymArray::of_root(root));
        self.path.add_primary(Primary { object, places, origin: 0 });
        object
    }

    /// A name of something of one frame: with the thread's number if there are several, and the frame's below the
    /// innermost.
    fn in_frame(&self, name: String, index: usize, depth: u32) -> String {
        let threads = &self.start.context.threads;
        let innermost = threads[index].stack.0.len() - 1;
        let mut name = name;
        if (depth as usize) < innermost {
            let func = threads[index].stack.0[depth as usize].func;
            name = format!("{}::{name}", self.program.functions[func].name);
        }
        if threads.len() > 1 { format!("{name}@{index}") } else { name }
    }

    /// What a register holds: what the facts say, else a symbol.
    fn register(
        &mut self,
        thread: usize,
        symbol: Symbol,
        ty: Type,
        names: &Expressions<'_>,
        instances: &Rc<[InstanceId]>,
    ) -> Term {
        if let Some(&known) = self.registers[thread].get(&symbol) {
            return known;
        }
        if let Some(term) = self.computed(thread, symbol, ty) {
            self.registers[thread].insert(symbol, term);
            return term;
        }
        self.fresh(thread, symbol, ty, names, instances)
    }

    /// What the facts say that a register holds.
    fn computed(&mut self, thread: usize, symbol: Symbol, ty: Type) -> Option<Term> {
        let frame = symbol.frame.checked_sub(self.oldest_known(thread))?;
        let &fact = self.facts(thread)?.registers.get(frame as usize)?.get(&symbol.value)?;
        let named = Symbol { frame, ..symbol };
        if matches!(self.start.pool.get(fact), Expr::Symbol { symbol, .. } if symbol == named) {
            return None;
        }
        let term = self.evaluate(thread, fact)?;
        (self.machine.domain.pool.width(term) == ty.bits()).then_some(term)
    }

    /// A register of which nothing is known.
    fn fresh(
        &mut self,
        thread: usize,
        symbol: Symbol,
        ty: Type,
        names: &Expressions<'_>,
        instances: &Rc<[InstanceId]>,
    ) -> Term {
        if let Some(shared) = self.shared(thread, symbol, ty.bits()) {
            self.registers[thread].insert(symbol, shared);
            return shared;
        }
        let mut name = names.name(Operand::Value(symbol.value));
        if let Some(path) = symbol.inside {
            name = format!("{}::{name}", self.program.functions[self.start.pool.path(path).func].name);
        }
        let name = self.in_frame(name, thread, symbol.frame);
        let name = self.origins().unique(name);
        let term = self.machine.domain.pool.symbol(&name, ty.bits());
        self.origins().sources.insert(term, SymbolSource::Register { thread, symbol });
        if ty.bits() == 64 {
            let pointee = self.pointee(thread, symbol);
            self.origins().register(term, Rc::clone(instances), symbol.value, pointee);
        }
        self.registers[thread].insert(symbol, term);
        term
    }

    /// The position of the frame that is the first one for facts.
    fn oldest_known(&self, thread: usize) -> u32 {
        self.start.context.threads[thread].oldest_known()
    }

    fn facts(&self, thread: usize) -> Option<&Facts> {
        self.start.facts.threads.get(thread).map(|t| &t.definitions)
    }

    /// The type of what a register points to, as the source says.
    fn pointee(&self, thread: usize, symbol: Symbol) -> Option<TypeId> {
        let func = match symbol.inside {
            None => self.start.context.threads[thread].stack.0[symbol.frame as usize].func,
            Some(path) => self.start.pool.path(path).func,
        };
        let ty = self.program.functions[func].values[symbol.value].source_type?;
        match self.program.types.resolve(ty)?.1 {
            SourceType::Pointer { .. } => target_at(&self.program.types, ty, 0),
            _ => None,
        }
    }

    /// What a thread's facts say of memory (the heap invariants of 2.4.2).
    fn places(&mut self, thread: usize) {
        let Some(facts) = self.start.facts.threads.get(thread) else { return };
        for known in &facts.definitions.places {
            let Some(value) = self.evaluate(thread, known.value) else { continue };
            let place = known.place;
            match place.base {
                Base::Global(global) => {
                    let (Some(&root), Ok(at)) = (self.globals.get(&global), u64::try_from(place.offset)) else {
                        continue;
                    };
                    self.holds(root, at, place.bytes, value, None);
                }
                Base::Symbol(symbol) => {
                    if let Some(base) = self.symbol_of_fact(thread, symbol) {
                        self.behind(base, place.offset, place.bytes, value);
                    }
                }
            }
        }
    }

    /// The locks that a thread may hold, as far as they have addresses (`L+`).
    fn locks(&mut self, thread: usize) -> Vec<SymValue> {
        let Some(facts) = self.start.facts.threads.get(thread) else { return Vec::new() };
        let mut locks = Vec::new();
        for held in &facts.held {
            match held {
                HeldLock::At { lock, times } => match self.evaluate(thread, *lock) {
                    Some(address) => {
                        let address = self.machine.domain.value(address);
                        self.origins().invariants.times.push((thread, address, *times));
                        locks.push(address);
                    }
                    None => self.origins().invariants.locks_known = false,
                },
                HeldLock::Within(places) => self.origins().invariants.anywhere.push(places.as_slice().into()),
            }
        }
        locks
    }

    /// What is known of objects of synchronisation (Bergan 2.5.4). Invariants hold where no thread is inside of a
    /// model, except to wait.
    fn invariants(&mut self) {
        let facts = self.start.facts;
        for held in &facts.abandoned {
            match held {
                HeldLock::At { lock, .. } => match self.evaluate(0, *lock) {
                    Some(address) => {
                        let address = self.machine.domain.value(address);
                        self.origins().invariants.abandoned.push(address);
                    }
                    None => self.origins().invariants.locks_known = false,
                },
                HeldLock::Within(places) => self.origins().invariants.anywhere.push(places.as_slice().into()),
            }
        }
        // None is initialised with 0.
        self.origins().invariants.least_expected = facts.least_expected.max(1);
        self.origins().invariants.most_expected = facts.most_expected;
        self.origins().invariants.none_ended = self.start.context.none_ended;
        for barrier in &facts.barriers {
            let count = match barrier.count {
                Count::Constant(count) => Some(SymValue::Constant(count)),
                Count::Place(place) => self.initial_value(place),
                Count::Any => None,
            };
            let places: Places = barrier.barriers.as_slice().into();
            self.origins().invariants.expected.push((places, count));
        }
        let in_program = |t: &ThreadContext| {
            let func = t.stack.0.last().map(|p| p.func);
            func.is_some_and(|f| self.program.functions[f].origin == Origin::Program)
        };
        let threads = &self.start.context.threads;
        let at_rest = threads.iter().all(|t| t.status == Status::Waiting || in_program(t));
        let points_to = &self.start.points_to;
        let is_called =
            |name: &&str| self.program.library_function(name).is_some_and(|f| !points_to.instances_of(f).is_empty());
        let asks = NAMES_OF_SELF.iter().any(is_called);
        self.origins().invariants.is_main_anonymous = !asks && self.program.main.is_some();
        self.origins().invariants.enabled = self.start.options.sync_invariants && at_rest;
    }

    /// What a place of a global holds at the context.
    fn initial_value(&mut self, place: Place) -> Option<SymValue> {
        let (Base::Global(global), Ok(at)) = (place.base, u64::try_from(place.offset)) else { return None };
        if let Some(&root) = self.globals.get(&global) {
            let bytes = self.machine.domain.initial_bytes(root, at, place.bytes as usize);
            return Some(self.machine.domain.join_bytes(&bytes));
        }
        let object = global_object(global);
        self.heap.check_object(object, place.offset, u64::from(place.bytes), false).ok()?;
        let bytes = self.heap.bytes(&mut self.machine.domain, &self.path, object, at, u64::from(place.bytes));
        Some(self.machine.domain.join_bytes(&bytes))
    }

    /// What is known between threads.
    fn relations(&mut self) {
        for thread in 0..self.start.context.threads.len() {
            self.ranges(thread);
        }
        for relation in &self.start.facts.relations {
            let (a, b) = (self.evaluate(relation.a.0, relation.a.1), self.evaluate(relation.b.0, relation.b.1));
            let (Some(a), Some(b)) = (a, b) else { continue };
            let domain = &mut self.machine.domain;
            if domain.pool.width(a) != domain.pool.width(b) {
                continue;
            }
            let same = domain.equal(a, b);
            let holds = match relation.kind {
                RelationKind::Equal => same,
                RelationKind::Distinct => domain.pool.not(same),
            };
            self.path.constrain(&domain.pool, holds);
        }
    }

    /// A fact about memory behind a pointer, which therefore points into an object.
    fn behind(&mut self, base: Term, offset: i64, bytes: u32, value: Term) {
        if let Some(at) = self.machine.domain.pool.as_const(base) {
            self.at_address(at.wrapping_add_signed(offset), bytes, value, None);
            return;
        }
        if self.path.exposed(base).is_none() {
            if !self.machine.domain.origins().is_initial(base) || self.machine.domain.origins().places(base).is_empty()
            {
                return;
            }
            self.machine.domain.expose(&mut self.path, &mut self.heap, base, true);
        }
        let Some(alternatives) = self.path.exposed(base).cloned() else { return };
        let places = alternatives.iter().filter(|a| !a.dangling);
        let is_one = places.clone().count() == 1;
        for alternative in places.filter(|a| a.rest.is_none()) {
            let guard = alternative.guard.filter(|_| !is_one);
            self.at_address(alternative.constant.wrapping_add_signed(offset), bytes, value, guard);
        }
    }

    fn at_address(&mut self, at: u64, bytes: u32, value: Term, guard: Option<Term>) {
        let AddressClass::Object(object, offset) = classify(at) else { return };
        let Some(root) = self.heap.root_of(object) else { return };
        if let Ok(offset) = u64::try_from(offset) {
            self.holds(root, offset, bytes, value, guard);
        }
    }

    /// Bytes of a root hold a value, where `guard` holds: as they are read if that is always, else as a constraint.
    fn holds(&mut self, root: RootId, at: u64, bytes: u32, value: Term, guard: Option<Term>) {
        let domain = &mut self.machine.domain;
        let value = domain.value(value);
        let is_new = domain.origins().is_untouched(root, at, u64::from(bytes));
        if guard.is_none() && is_new {
            let split = domain.split_bytes(&value, bytes);
            domain.origins().set_known(root, at, &split);
            return;
        }
        let before = domain.initial_bytes(root, at, bytes as usize);
        let before = domain.join_bytes(&before);
        let (before, value) = (domain.term(&before, 8 * bytes), domain.term(&value, 8 * bytes));
        let mut same = domain.equal(before, value);
        if let Some(guard) = guard {
            let elsewhere = domain.pool.not(guard);
            same = domain.pool.binary(BinOp::Or, elsewhere, same);
        }
        self.path.constrain(&domain.pool, same);
    }
}

/// The instances that each frame of a thread can be.
fn instances(points_to: &PointsTo, thread: &ThreadContext) -> Vec<Vec<InstanceId>> {
    let mut found = Vec::new();
    let mut rest = &thread.stack.0[..];
    while let Some(first) = rest.first() {
        let start = found.len();
        let end = thread.folds.iter().map(|&fold| fold as usize).filter(|&fold| fold > start).min();
        let (points, others) = rest.split_at(end.map_or(rest.len(), |end| end - start));
        let mut chains: Vec<Vec<InstanceId>> = points_to.instances_of(first.func).iter().map(|&i| vec![i]).collect();
        for pair in points.windows(2) {
            let step = |mut chain: Vec<InstanceId>| {
                let caller = *chain.last()?;
                chain.push(points_to.callee_instance(caller, pair[0], pair[1].func)?);
                Some(chain)
            };
            chains = chains.into_iter().filter_map(step).collect();
        }
        found.extend((0..points.len()).map(|depth| chains.iter().map(|chain| chain[depth]).collect::<Vec<_>>()));
        rest = others;
    }
    found
}
