//! Runs a program in the concrete domain and holds every fact against the states it passes.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_dataflow::{
    Analysis, BarrierCount, Base, Context, Count, Definitions, Expr, ExprId, ExprPool, HeldLock, InitialState,
    Options as InitialOptions, Place, Range, RelationKind, Status, Symbol, ThreadContext,
};
use icsched_ir::{CallStack, Function, Origin, Program, Type};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::memory::{ObjectKind, address, function_address, global_object};
use icsched_machine::step::Arguments;
use icsched_machine::{Machine, MemoryByte, Options, State, Thread, ThreadId, ThreadStatus, arith};
use icsched_pointsto::{
    ModRef, ObjectId as AbstractId, ObjectKind as AbstractKind, Offsets, Options as PointerOptions, PointsTo, Startup,
};

use crate::runs::random::Random;
use crate::runs::returned::Returned;

/// Instructions of one run.
const STEPS: u32 = 3000;

/// What was looked at.
#[derive(Default, Debug)]
pub(crate) struct Looked {
    pub(crate) contexts: u64,
    pub(crate) registers: u64,
    pub(crate) places: u64,
    /// Of both, those that mention a register of an activation that has returned.
    pub(crate) inside: u64,
    /// Those that mention a choice.
    pub(crate) chosen: u64,
    /// Places of which two threads or more were alive.
    pub(crate) concurrent: u64,
    /// Locks that were held, and how many of them were said to be held by their names.
    pub(crate) held: u64,
    pub(crate) named: u64,
    /// Barriers of which something was said.
    pub(crate) barriers: u64,
    /// Numbers that are between others.
    pub(crate) ranges: u64,
    /// Relations between threads.
    pub(crate) relations: u64,
    /// Those that say that something is equal.
    pub(crate) equal: u64,
}

impl Looked {
    fn look_at(&mut self, pool: &ExprPool, e: ExprId) {
        self.inside += u64::from(pool.symbols(e).iter().any(|s| s.inside.is_some()));
        self.chosen += u64::from(matches!(pool.get(e), Expr::Select { .. }));
    }
}

/// One thread of a state, with the frame that counts as its oldest.
struct View<'s> {
    state: &'s State<ConcreteDomain>,
    thread: &'s Thread<ConcreteDomain>,
    oldest: usize,
    returned: &'s Returned,
}

impl View<'_> {
    fn register(&self, pool: &ExprPool, symbol: Symbol) -> u64 {
        use icsched_ir::EntityId as _;
        let frame = &self.thread.frames[self.oldest + symbol.frame as usize];
        if let Some(path) = symbol.inside.map(|path| pool.path(path)) {
            let held = self.returned.register(frame.id, path, symbol.value);
            return held.unwrap_or_else(|| panic!("{symbol} is of an activation that has returned"));
        }
        self.thread.registers[frame.base as usize + symbol.value.index()]
    }

    /// The value of an expression; `None` for an operation that has none here.
    fn value(&self, pool: &ExprPool, e: ExprId) -> Option<u64> {
        let int = |e: ExprId| Type::Int(u8::try_from(pool.width(e)).expect("at most 64 bits"));
        let of = |e: ExprId| self.value(pool, e);
        Some(match pool.get(e) {
            Expr::Constant { bits, .. } => bits,
            Expr::Global(global) => address(global_object(global), 0),
            Expr::Function(func) => function_address(func),
            Expr::Symbol { symbol, .. } => self.register(pool, symbol),
            Expr::Sum { base, offset } => of(base)?.wrapping_add(offset) & int(e).mask(),
            Expr::Binary { op, a, b } => arith::binary(op, int(a), of(a)?, of(b)?).ok()?,
            Expr::Unary { op, a } => arith::unary(op, int(a), of(a)?),
            Expr::Cast { op, a, .. } => arith::cast(op, int(a), int(e), of(a)?),
            Expr::Compare { predicate, a, b } => u64::from(arith::int_compare(predicate, int(a), of(a)?, of(b)?)),
            Expr::Overflow { op, a, b } => u64::from(arith::overflow(op, int(a), of(a)?, of(b)?)),
            Expr::Select { condition, a, b } => {
                if of(condition)? != 0 {
                    of(a)?
                } else {
                    of(b)?
                }
            }
        })
    }

    /// What memory holds; `None` where nothing is.
    fn memory(&self, at: u64, bytes: u32) -> Option<u64> {
        let (object, offset) = self.state.heap.check(at, u64::from(bytes), false).ok()?;
        let found = self.state.heap.bytes(&mut ConcreteDomain, &(), object, offset, u64::from(bytes));
        let byte = |b: &MemoryByte<_>| match b {
            MemoryByte::Constant(byte) => *byte,
            MemoryByte::Symbolic(never) => match *never {},
        };
        Some(found.iter().rev().fold(0, |word, b| word << 8 | u64::from(byte(b))))
    }

    fn check(
        &self,
        program: &Program,
        pool: &ExprPool,
        facts: &Definitions,
        looked: &mut Looked,
    ) -> Result<(), String> {
        let say = |what: String, e: ExprId, holds: u64, is: u64| {
            Err(format!("{what} is said to be {} = {is:#x}, but is {holds:#x}", pool.describe(program, e)))
        };
        for (registers, frame) in facts.registers.iter().zip(0..) {
            for (&value, &e) in registers {
                let symbol = Symbol::new(frame, value);
                let Some(expected) = self.value(pool, e) else { continue };
                looked.registers += 1;
                looked.look_at(pool, e);
                let holds = self.register(pool, symbol);
                if holds != expected {
                    return say(symbol.to_string(), e, holds, expected);
                }
            }
        }
        for known in &facts.places {
            let base = match known.place.base {
                Base::Global(global) => address(global_object(global), 0),
                Base::Symbol(symbol) => self.register(pool, symbol),
            };
            let at = base.wrapping_add(known.place.offset.cast_unsigned());
            let (Some(holds), Some(expected)) = (self.memory(at, known.place.bytes), self.value(pool, known.value))
            else {
                continue;
            };
            looked.places += 1;
            looked.look_at(pool, known.value);
            looked.concurrent += u64::from(self.state.live_threads().count() > 1);
            if holds != expected {
                return say(known.place.describe(program, pool), known.value, holds, expected);
            }
        }
        Ok(())
    }

    /// A number must be between what it is said to be.
    fn check_range(&self, program: &Program, pool: &ExprPool, range: &Range) -> Result<(), String> {
        let signed = |width: u32, bits: u64| (bits << (64 - width)).cast_signed() >> (64 - width);
        let Some(value) = self.value(pool, range.value) else { return Ok(()) };
        let value = signed(pool.width(range.value), value);
        let bound = match range.bound {
            Count::Constant(bits) => Some(bits.cast_signed()),
            Count::Place(Place { base: Base::Global(global), offset, bytes }) => {
                let at = address(global_object(global), 0).wrapping_add(offset.cast_unsigned());
                self.memory(at, bytes).map(|held| signed(8 * bytes, held))
            }
            Count::Place(_) | Count::Any => None,
        };
        if value < range.start.cast_signed() || bound.is_some_and(|bound| value >= bound) {
            return Err(format!("{} = {value} is said to be in {range:?}", pool.describe(program, range.value)));
        }
        Ok(())
    }

    /// Every barrier must expect what it may.
    fn check_barriers(&self, points_to: &PointsTo, counts: &[BarrierCount], looked: &mut Looked) -> Result<(), String> {
        for (&barrier, &count) in self.state.barriers.iter() {
            let is_it = |place: &(_, Offsets)| self.is_at(points_to, *place, barrier);
            let said: Vec<Count> = counts.iter().filter(|c| c.barriers.iter().any(is_it)).map(|c| c.count).collect();
            if said.is_empty() || said.contains(&Count::Any) {
                continue;
            }
            looked.barriers += 1;
            let allows = |said: &Count| match *said {
                Count::Constant(number) => number == count,
                Count::Place(Place { base: Base::Global(global), offset, bytes }) => {
                    self.memory(address(global_object(global), offset.cast_unsigned()), bytes) == Some(count)
                }
                Count::Place(_) | Count::Any => false,
            };
            if !said.iter().any(allows) {
                return Err(format!("the barrier at {barrier:#x} expects {count}, none of {said:?}"));
            }
        }
        Ok(())
    }

    /// Whether an address may be one of some places of an abstract object.
    fn is_at(&self, points_to: &PointsTo, (object, offsets): (AbstractId, Offsets), at: u64) -> bool {
        let Ok((id, offset)) = self.state.heap.check(at, 1, false) else { return true };
        let offset = i64::try_from(offset).expect("objects are small");
        let kind = self.state.heap.object(id).expect("it was just found").kind;
        same_kind(points_to, points_to.objects()[object].kind, kind) && offsets.contains(offset)
    }

    /// Every lock that is held must be among those that may be.
    fn check_locks(&self, analysis: &Analysis<'_, '_>, held: &[HeldLock], looked: &mut Looked) -> Result<(), String> {
        for &lock in &self.thread.locks {
            looked.held += 1;
            let is_named = held
                .iter()
                .any(|h| matches!(h, HeldLock::At { lock: e, .. } if self.value(analysis.pool(), *e) == Some(lock)));
            looked.named += u64::from(is_named);
            let is_it = |place: &(_, Offsets)| self.is_at(analysis.points_to(), *place, lock);
            let is_within = held.iter().any(|h| matches!(h, HeldLock::Within(places) if places.iter().any(is_it)));
            if !is_named && !is_within {
                return Err(format!("it holds the lock {lock:#x}, not one of {held:?}"));
            }
        }
        Ok(())
    }
}

/// What is said to hold between threads must.
fn check_relations(
    program: &Program,
    analysis: &mut Analysis<'_, '_>,
    threads: &[(View<'_>, ThreadContext)],
    looked: &mut Looked,
) -> Result<(), String> {
    let context = Context { threads: threads.iter().map(|(_, thread)| thread.clone()).collect(), ..Context::default() };
    let state = analysis.initial_state(&context, &InitialOptions::default()).map_err(|e| e.to_string())?;
    for ((view, _), known) in threads.iter().zip(&state.threads) {
        for range in &known.ranges {
            looked.ranges += 1;
            view.check_range(program, analysis.pool(), range)?;
        }
    }
    for relation in &state.relations {
        looked.relations += 1;
        looked.equal += u64::from(relation.kind == RelationKind::Equal);
        let value = |(thread, e): (usize, ExprId)| threads[thread].0.value(analysis.pool(), e);
        let (a, b) = (value(relation.a), value(relation.b));
        if (a == b) != (relation.kind == RelationKind::Equal) {
            let text = |(thread, e): (usize, ExprId)| format!("{thread}:{}", analysis.pool().describe(program, e));
            let sides = format!("{} and {}", text(relation.a), text(relation.b));
            return Err(format!("{sides} are said to be {:?}, but are {a:x?} and {b:x?}: {context:?}", relation.kind));
        }
    }
    Ok(())
}

/// Whether an object of a run can be one that an abstract object stands for.
fn same_kind(points_to: &PointsTo, abstract_kind: AbstractKind, kind: ObjectKind) -> bool {
    match (abstract_kind, kind) {
        (AbstractKind::Global(a), ObjectKind::Global(b)) => a == b,
        (AbstractKind::Stack { instance, value }, ObjectKind::Stack { func, value: other, .. }) => {
            points_to.instances()[instance].func == func && value == other
        }
        (AbstractKind::Heap { .. }, ObjectKind::Heap) => true,
        _ => false,
    }
}

/// Lets another thread go on, if the current one can be interrupted: models run without a switch.
fn preempt(machine: &Machine<ConcreteDomain>, state: &mut State<ConcreteDomain>, random: &mut Random) {
    let func = state.current_thread().top().map(|f| f.func);
    let in_program = func.is_some_and(|f| machine.program.functions[f].origin == Origin::Program);
    if in_program && random.chance(10) {
        let enabled: Vec<ThreadId> = state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
        state.current = *random.pick(&enabled);
    }
}

/// The stack of a thread that stands in front of a whole instruction.
fn stack(
    machine: &Machine<ConcreteDomain>,
    state: &State<ConcreteDomain>,
    thread: &Thread<ConcreteDomain>,
) -> Option<CallStack> {
    let top = thread.top()?;
    let point = machine.code.point(top.func, top.pc);
    (machine.code.pc(point) == Some(top.pc)).then(|| state.stack(&machine.code, thread.id))
}

/// Holds all facts at some states of one run against these.
pub(crate) fn check(text: &str, seed: u64, looked: &mut Looked) -> Result<(), String> {
    let program = icsched_ir::parse(text).map_err(|e| format!("not a program: {e}"))?;
    icsched_ir::verify(&program).map_err(|e| format!("not a program: {e:?}"))?;
    let points_to = PointsTo::new(&program, &PointerOptions::default()).expect("nothing interrupts it");
    let known = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(&program, &points_to, &known);
    let startup = Startup::new(&modref);
    let mut analysis = Analysis::new(&modref, &startup);
    let mut remembered: BTreeMap<ThreadContext, InitialState> = BTreeMap::new();
    let shared = Arc::new(program.clone());
    let mut random = Random::new(seed);
    let mut machine = Machine::new(shared, ConcreteDomain, Box::new(MemoryHost::default()), Options::default());
    let arguments = Arguments { argc: random.below(4), argv: Vec::new(), environment: Vec::new() };
    let mut state = machine.initial_state(&arguments).map_err(|stop| format!("{stop:?}"))?;
    let mut returned = Returned::default();
    for _ in 0..STEPS {
        preempt(&machine, &mut state, &mut random);
        returned.watch(&machine, &state);
        if machine.run(&mut state, &mut (), 1).is_err() {
            return Ok(());
        }
        if !random.chance(12) {
            continue;
        }
        let mut together: Vec<(View<'_>, ThreadContext)> = Vec::new();
        for thread in state.live_threads() {
            let Some(CallStack(points)) = stack(&machine, &state, thread) else { continue };
            if points.is_empty() {
                continue;
            }
            let oldest =
                if random.chance(50) { 0 } else { usize::try_from(random.below(points.len() as u64)).unwrap_or(0) };
            let status = match thread.status {
                ThreadStatus::Enabled => Status::Running,
                ThreadStatus::Waiting { .. }
                | ThreadStatus::AtMarker
                | ThreadStatus::Finished
                | ThreadStatus::Left
                | ThreadStatus::Endless => Status::Waiting,
            };
            let complete = oldest == 0 && random.chance(50);
            let context =
                ThreadContext { stack: CallStack(points[oldest..].to_vec()), complete, folds: Vec::new(), status };
            if !remembered.contains_key(&context) {
                let alone = Context { threads: vec![context.clone()], ..Context::default() };
                let found = analysis.initial_state(&alone, &InitialOptions::default()).map_err(|e| e.to_string())?;
                remembered.insert(context.clone(), found);
            }
            let known = &remembered[&context];
            let facts = &known.threads[0].definitions;
            if !facts.is_reached {
                return Err(format!("a state was reached at {context:?}, which nothing leads to"));
            }
            looked.contexts += 1;
            let view = View { state: &state, thread, oldest, returned: &returned };
            let locks = if known.locks_known {
                view.check_locks(&analysis, &known.threads[0].held, looked)
            } else {
                Err("locks are not known".to_owned())
            };
            locks
                .and_then(|()| view.check_barriers(&points_to, &known.barriers, looked))
                .and_then(|()| view.check(&program, analysis.pool(), facts, looked))
                .map_err(|how| format!("at {context:?} of thread {}: {how}", thread.id))?;
            together.push((view, context));
        }
        if random.chance(50) {
            check_relations(&program, &mut analysis, &together, looked)?;
        }
    }
    Ok(())
}
