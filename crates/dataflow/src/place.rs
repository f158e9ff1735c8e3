//! Places in memory, as figure 2.17 names them: by the expression of their address.
//!
//! Two places are the same if their addresses are the same expression (Bergan's must-alias). Whether a write may hit a
//! place is decided by what points-to analysis knows of the place's address, [`Reach`].

use std::fmt;
use std::rc::Rc;

use icsched_ir::{GlobalId, IdVec, Operand, Program};
use icsched_pointsto::{InstanceId, ModRef, ObjectId, ObjectKind, Offsets, Startup};
use rustc_hash::FxHashMap;

use crate::expr::{Expr, ExprId, ExprPool};
use crate::symbol::{FrameIndex, SUMMARISED, Symbol};

/// What an address is counted from.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// The start of a global that is not thread-local.
    Global(GlobalId),
    /// What a register holds.
    Symbol(Symbol),
}

/// Some bytes of memory.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// What the address is counted from.
    pub base: Base,
    /// Bytes from there.
    pub offset: i64,
    /// How many bytes.
    pub bytes: u32,
}

impl Place {
    /// Whether places with one base have a byte in common.
    pub(crate) fn overlaps(self, other: Place) -> bool {
        let distance = i128::from(other.offset.wrapping_sub(self.offset));
        distance < i128::from(self.bytes) && -distance < i128::from(other.bytes)
    }

    /// The place as text: `queue+8:4`, `v3#0+0:8`.
    pub fn describe(&self, program: &Program, pool: &ExprPool) -> String {
        let Place { base, offset, bytes } = self;
        match base {
            Base::Global(global) => format!("{}{offset:+}:{bytes}", program.globals[*global].name),
            Base::Symbol(symbol) => format!("{}{offset:+}:{bytes}", pool.describe_symbol(program, *symbol)),
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Base::Global(global) => write!(f, "{global}"),
            Base::Symbol(symbol) => write!(f, "{symbol}"),
        }
    }
}

/// An address as base and offset, where it is one.
pub(crate) fn address(pool: &ExprPool, e: ExprId) -> Option<(Base, i64)> {
    let (base, offset) = pool.split_sum(e);
    let base = match pool.get(base) {
        Expr::Global(global) => Base::Global(global),
        Expr::Symbol { symbol, width: 64 } => Base::Symbol(symbol),
        _ => return None,
    };
    Some((base, offset.cast_signed()))
}

/// Which bytes of which abstract objects a place may be, and who else may write there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reach {
    pub(crate) targets: Vec<(ObjectId, Offsets)>,
    /// No other thread ever writes there, once there is one.
    pub(crate) early_only: bool,
    /// Only the thread that made the object can get at it, or nobody writes there once there are threads.
    pub(crate) conflict_free: bool,
}

/// The instances of the frames of a stack; of one function, while it is summarised.
#[derive(Clone, Debug)]
pub(crate) enum Frames {
    /// One function, as [`SUMMARISED`].
    Summary(InstanceId),
    /// The frames of a stack, oldest first.
    Stack(Vec<InstanceId>),
}

impl Frames {
    /// The frame that is being executed.
    pub(crate) fn current(&self) -> (FrameIndex, InstanceId) {
        match self {
            Frames::Summary(instance) => (SUMMARISED, *instance),
            Frames::Stack(stack) => {
                let last = stack.len() - 1;
                (FrameIndex::try_from(last).expect("stacks are short"), stack[last])
            }
        }
    }

    fn instance(&self, frame: FrameIndex) -> Option<InstanceId> {
        match self {
            Frames::Summary(instance) => (frame == SUMMARISED).then_some(*instance),
            Frames::Stack(stack) => stack.get(frame as usize).copied(),
        }
    }
}

/// Looks up what places may be.
pub(crate) struct Places<'m, 'p> {
    modref: &'m ModRef<'p>,
    startup: &'m Startup,
    global_objects: IdVec<GlobalId, Option<ObjectId>>,
    known: FxHashMap<(Option<InstanceId>, Place), Option<Rc<Reach>>>,
}

impl<'m, 'p> Places<'m, 'p> {
    pub(crate) fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
        let mut global_objects = IdVec::filled(None, modref.program().globals.len());
        for (id, object) in modref.points_to().objects().iter() {
            if let ObjectKind::Global(global) = object.kind {
                global_objects[global] = Some(id);
            }
        }
        Self { modref, startup, global_objects, known: FxHashMap::default() }
    }

    /// What a place may be; `None` if not enough is known of it to say what writes there.
    pub(crate) fn reach(&mut self, pool: &ExprPool, frames: &Frames, place: Place) -> Option<Rc<Reach>> {
        let instance = match place.base {
            Base::Global(_) => None,
            Base::Symbol(symbol) => Some(frames.instance(symbol.frame)?),
        };
        if let Some(known) = self.known.get(&(instance, place)) {
            return known.clone();
        }
        let reach = self.compute(pool, instance, place).map(Rc::new);
        self.known.insert((instance, place), reach.clone());
        reach
    }

    /// The instance of the activation that a symbol is about, in a frame of an instance.
    fn inside(&self, pool: &ExprPool, frame: InstanceId, symbol: Symbol) -> Option<InstanceId> {
        let Some(path) = symbol.inside.map(|id| pool.path(id)) else { return Some(frame) };
        let points_to = self.modref.points_to();
        path.calls.iter().zip(path.callees()).try_fold(frame, |i, (&at, func)| points_to.callee_instance(i, at, func))
    }

    fn compute(&self, pool: &ExprPool, instance: Option<InstanceId>, place: Place) -> Option<Reach> {
        let targets = match (place.base, instance) {
            (Base::Global(global), _) => vec![(self.global_objects[global]?, Offsets::Exact(place.offset))],
            (Base::Symbol(symbol), Some(instance)) => {
                let instance = self.inside(pool, instance, symbol)?;
                let info = self.modref.points_to().pointer_info_in(instance, Operand::Value(symbol.value));
                info.locations.iter().map(|l| (l.object, moved(l.offsets, place.offset))).collect()
            }
            (Base::Symbol(_), None) => return None,
        };
        let objects = self.modref.points_to().objects();
        let is_memory = |kind| match kind {
            ObjectKind::Global(_)
            | ObjectKind::Stack { .. }
            | ObjectKind::Heap { .. }
            | ObjectKind::VarArgs(_)
            | ObjectKind::ArgumentVector
            | ObjectKind::Arguments
            | ObjectKind::EnvironmentVector
            | ObjectKind::Environment
            | ObjectKind::PlainConstants => true,
            ObjectKind::Function(_)
            | ObjectKind::Library { .. }
            | ObjectKind::Outside
            | ObjectKind::MovedFunctions
            | ObjectKind::Transfer => false,
        };
        if targets.is_empty() || !targets.iter().all(|t| is_memory(objects[t.0].kind)) {
            return None;
        }
        let bytes = u64::from(place.bytes);
        let late = self.startup.late_writes();
        let early = |&(object, offsets): &(ObjectId, Offsets)| !self.modref.touches_at(late, object, offsets, bytes);
        let own = |t: &(ObjectId, Offsets)| !self.modref.escape().is_shared(t.0) || early(t);
        let is_thread_local = |&(object, _): &(ObjectId, Offsets)| match objects[object].kind {
            ObjectKind::Global(global) => self.modref.program().globals[global].thread_local,
            _ => false,
        };
        // Of an activation that has returned, no call says any more what it does to its variables.
        let is_left = |kind| matches!(kind, ObjectKind::Stack { .. } | ObjectKind::VarArgs(_));
        let has_returned = matches!(place.base, Base::Symbol(symbol) if symbol.inside.is_some());
        if has_returned && targets.iter().any(|t| is_left(objects[t.0].kind)) {
            return None;
        }
        Some(Reach {
            early_only: targets.iter().all(|t| early(t) && !is_thread_local(t)),
            conflict_free: targets.iter().all(own),
            targets,
        })
    }
}

/// The offsets, each moved by a constant.
pub(crate) fn moved(offsets: Offsets, by: i64) -> Offsets {
    match offsets {
        Offsets::Exact(x) => Offsets::Exact(x.wrapping_add(by)),
        Offsets::Strided { start, stride } => {
            Offsets::strided(i64::try_from(start).unwrap_or(0).wrapping_add(by), stride)
        }
    }
}
