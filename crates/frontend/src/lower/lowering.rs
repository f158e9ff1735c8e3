//! The state of lowering one module: which ids its functions, globals and blocks have, and what is lowered so far.

use std::cell::RefCell;
use std::rc::Rc;

use icsched_ir::{BlockId, EntityId, FuncId, GlobalId, Intrinsic, MAX_OBJECT, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::debug::DebugInfo;
use super::families::family_of;
use super::plan::Plan;
use super::reach::Reachable;
use super::repeated::repeated;
use super::shape::{SharedShape, shape_of};
use crate::library::library_name;
use crate::llvm::{Bb, Kind, Layout, Module, Ty, Val};

/// A construct that cannot be deferred to its execution.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The program uses something that is not supported.
    Unsupported(String),
    /// A model is wrong.
    Model(String),
}

/// A part of a global's initial value.
#[derive(Copy, Clone)]
pub(crate) struct LatePart<'m> {
    pub(crate) global: GlobalId,
    /// Bytes from the global's start.
    pub(crate) offset: u64,
    pub(crate) value: Val<'m>,
}

/// The state of lowering one module.
pub(crate) struct Lowering<'m> {
    layout: Layout<'m>,
    funcs: FxHashMap<Val<'m>, FuncId>,
    globals: FxHashMap<Val<'m>, GlobalId>,
    absent: FxHashSet<Val<'m>>,
    relative: FxHashSet<Val<'m>>,
    plans: FxHashMap<Val<'m>, Plan<'m>>,
    support: FxHashMap<String, FuncId>,
    /// Parts of the initial value written last that are no constants of the IR, with their offsets.
    late: RefCell<Vec<(u64, Val<'m>)>>,
    /// The same of all globals.
    pub(crate) late_parts: Vec<LatePart<'m>>,
    shapes: RefCell<FxHashMap<Ty<'m>, SharedShape>>,
    repeated: Rc<FxHashSet<Ty<'m>>>,
    pub(crate) debug: DebugInfo<'m>,
    pub(crate) program: Program,
    pub(crate) failure: Option<Failure>,
    /// The program's own functions whose blocks may be others than they were.
    pub(crate) joined: Vec<FuncId>,
}

impl<'m> Lowering<'m> {
    /// Gives functions and globals their ids; nothing is lowered yet. `kept` is what the program needs.
    pub(crate) fn new(module: &'m Module<'_>, name: &str, kept: &Reachable<'m>) -> Self {
        let mut lowering = Self {
            layout: module.layout(),
            funcs: FxHashMap::default(),
            globals: FxHashMap::default(),
            absent: FxHashSet::default(),
            relative: FxHashSet::default(),
            plans: FxHashMap::default(),
            support: FxHashMap::default(),
            late: RefCell::default(),
            late_parts: Vec::new(),
            shapes: RefCell::default(),
            repeated: Rc::new(repeated(kept)),
            debug: DebugInfo::new(module.context()),
            program: Program { name: name.to_owned(), ..Program::default() },
            failure: None,
            joined: Vec::new(),
        };
        for &value in kept.functions.iter().chain(&kept.globals) {
            let declared = value.kind() != Kind::IFunc && value.is_declaration();
            if declared && value.is_extern_weak() {
                lowering.absent.insert(value);
            } else if value.kind() == Kind::Global {
                // What uses a variable that is too large is not supported.
                if lowering.layout.size(value.value_type()) > MAX_OBJECT {
                    continue;
                }
                let id = GlobalId::from_index(lowering.globals.len());
                lowering.globals.insert(value, id);
            } else if !declared || Intrinsic::from_name(&value.name()).is_none() {
                let id = FuncId::from_index(lowering.funcs.len());
                lowering.funcs.insert(value, id);
                if !declared && value.kind() == Kind::Function {
                    // The models come behind the program, so they win where the program defines one of these, too.
                    let name = value.name();
                    if family_of(library_name(&name)).is_some() {
                        lowering.support.insert(library_name(&name).to_owned(), id);
                    }
                    lowering.plans.insert(value, Plan::of(value));
                }
            }
        }
        lowering
    }

    /// The structures that are [elements of arrays](super::repeated).
    pub(crate) fn repeated(&self) -> Rc<FxHashSet<Ty<'m>>> {
        Rc::clone(&self.repeated)
    }

    pub(crate) fn layout(&self) -> Layout<'m> {
        self.layout
    }

    /// The scalars of a type.
    pub(crate) fn shape(&self, ty: Ty<'m>) -> SharedShape {
        if let Some(known) = self.shapes.borrow().get(&ty) {
            return Rc::clone(known);
        }
        let shape = Rc::new(shape_of(self.layout, ty));
        self.shapes.borrow_mut().insert(ty, Rc::clone(&shape));
        shape
    }

    pub(crate) fn func_id(&self, function: Val<'m>) -> Option<FuncId> {
        self.funcs.get(&function).copied()
    }

    /// A function that operations are lowered to calls of, if it is there.
    pub(crate) fn support(&self, name: &str) -> Option<FuncId> {
        self.support.get(name).copied()
    }

    pub(crate) fn global_id(&self, global: Val<'m>) -> Option<GlobalId> {
        self.globals.get(&global).copied()
    }

    /// Whether a symbol is weak and nothing defines it: its address is null.
    pub(crate) fn is_absent(&self, value: Val<'m>) -> bool {
        self.absent.contains(&value)
    }

    /// Whether a global was rewritten as a table of pointers.
    pub(crate) fn is_relative_table(&self, global: Val<'m>) -> bool {
        self.relative.contains(&global)
    }

    /// Says that a global is rewritten as a table of pointers.
    pub(crate) fn mark_relative_table(&mut self, global: Val<'m>) {
        self.relative.insert(global);
    }

    /// The id a block has or will have; `None` if it cannot be reached.
    pub(crate) fn block_id(&self, function: Val<'m>, block: Bb<'m>) -> Option<BlockId> {
        self.plans.get(&function)?.ids.get(&block).copied()
    }

    /// The blocks that the body of a function will have; `None` if it has no body.
    pub(crate) fn plan(&self, function: Val<'m>) -> Option<&Plan<'m>> {
        self.plans.get(&function)
    }

    /// Leaves a part of an initial value to the start of the program.
    pub(crate) fn compute_later(&self, offset: u64, value: Val<'m>) {
        self.late.borrow_mut().push((offset, value));
    }

    /// Takes what was left to the start of the program since the last call, with the offsets.
    pub(crate) fn take_late(&mut self) -> Vec<(u64, Val<'m>)> {
        self.late.take()
    }

    /// Keeps the first failure.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }
}
