//! A linked module as a `Program`: ids, globals, signatures, entry points.

use std::cell::RefCell;
use std::rc::Rc;

use icsched_ir::{
    BlockId, Const, EntityId, FuncId, Function, Global, GlobalId, IdVec, Intrinsic, MAX_OBJECT, Origin, Program, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cleanup::merge_arms;
use super::debug::DebugInfo;
use super::function::lower_body;
use super::handlers;
use super::late::{LatePart, lower_late_parts};
use super::naming;
use super::plan::Plan;
use super::reach::{Reachable, reachable};
use super::relative::relative_targets;
use super::repeated::repeated;
use super::shape::{Shape, SharedShape, shape_of};
use super::support::family_of;
use crate::LoadOptions;
use crate::link::library_name;
use crate::llvm::{Bb, Kind, Layout, Module, Ty, Val};

/// A construct that cannot be deferred to its execution.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The program uses something that is not supported.
    Unsupported(String),
    /// A model is wrong.
    Model(String),
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

/// Lowers a linked and normalised module. `model_mark` is the metadata that model definitions carry.
pub(crate) fn lower(
    module: &Module<'_>,
    name: &str,
    options: &LoadOptions,
    model_mark: &str,
) -> Result<Program, Failure> {
    let entry = &*options.entry;
    let kept = reachable(module, model_mark);
    let mut lowering = Lowering::new(module, name, &kept);
    lowering.lower_globals(module, &kept, model_mark)?;
    for &function in &kept.functions {
        if lowering.funcs.contains_key(&function) {
            let marked = function.kind() == Kind::Function && module.is_marked(function, model_mark);
            lowering.push_signature(function, if marked { Origin::Model } else { Origin::Program });
        }
    }
    for &function in &kept.functions {
        if let Some(&id) = lowering.funcs.get(&function)
            && let Some(plan) = lowering.plans.get(&function).cloned()
        {
            lower_body(&mut lowering, function, id, &plan);
        }
    }
    handlers::outline(&mut lowering.program, &lowering.joined);
    if options.normalise && !options.duplicate_code && !options.keep_branches {
        lowering.merge_arms();
    }
    lowering.program.constructors = lowering.entry_list(module, "llvm.global_ctors");
    if let Some(first) = lower_late_parts(&mut lowering, &kept) {
        lowering.program.constructors.insert(0, first);
    }
    if let Some(failure) = lowering.failure.take() {
        return Err(failure);
    }
    let mut destructors = lowering.entry_list(module, "llvm.global_dtors");
    destructors.reverse();
    lowering.program.destructors = destructors;
    let main = module.definition(entry).and_then(|f| lowering.funcs.get(&f)).copied();
    lowering.program.main = main.filter(|&f| {
        !lowering.program.functions[f].is_declaration() && lowering.program.functions[f].origin == Origin::Program
    });
    naming::settle(&mut lowering.program);
    if options.link_models {
        icsched_ir::activations::count(&mut lowering.program);
    }
    Ok(lowering.program)
}

impl<'m> Lowering<'m> {
    fn new(module: &'m Module<'_>, name: &str, kept: &Reachable<'m>) -> Self {
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

    fn merge_arms(&mut self) {
        let functions = &mut self.program.functions;
        let synchronises = |function: &Function| {
            icsched_externals::lookup(function.library_name()).is_some_and(|row| row.synchronises && !row.no_return)
        };
        let synchronises: Vec<bool> = functions.values().map(synchronises).collect();
        merge_arms(functions, &self.joined, &|id| synchronises[id.index()]);
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

    /// The id a block has or will have; `None` if it cannot be reached.
    pub(crate) fn block_id(&self, function: Val<'m>, block: Bb<'m>) -> Option<BlockId> {
        self.plans.get(&function)?.ids.get(&block).copied()
    }

    /// Leaves a part of an initial value to the start of the program.
    pub(crate) fn compute_later(&self, offset: u64, value: Val<'m>) {
        self.late.borrow_mut().push((offset, value));
    }

    fn lower_globals(&mut self, module: &'m Module<'_>, kept: &Reachable<'m>, mark: &str) -> Result<(), Failure> {
        for &global in &kept.globals {
            if !self.globals.contains_key(&global) {
                continue;
            }
            let (mut data, mut relocations) = (Vec::new(), Vec::new());
            let ty = global.value_type();
            let (mut size, mut align) = (self.layout.size(ty), global.alignment().max(self.layout.align(ty)));
            let initial = global.initializer().filter(|_| !global.is_declaration());
            let written = match (initial, relative_targets(global)) {
                (_, Some(targets)) => {
                    self.relative.insert(global);
                    align = align.max(8);
                    self.write_relative_table(&targets, &mut data, &mut relocations).map(|bytes| size = bytes)
                }
                (Some(initial), None) => self.write_initial(initial, 0, &mut data, &mut relocations),
                (None, None) => Ok(()),
            };
            written.map_err(|reason| {
                Failure::Unsupported(format!("the global variable `{}` with its {reason}", global.name()))
            })?;
            let (mut loc, mut source_type) = (None, None);
            if let Some(variable) = module.global_variable(global) {
                source_type = self.debug.variable(&mut self.program, variable).ty;
                loc = variable.variable_place().map(|(file, line)| self.debug.line(&mut self.program, file, line));
            }
            let late = self.late.take();
            let is_late = !late.is_empty();
            let id = self.program.globals.next_id();
            self.late_parts.extend(late.into_iter().map(|(offset, value)| LatePart { global: id, offset, value }));
            self.program.globals.push(Global {
                name: global.name(),
                origin: if module.is_marked(global, mark) { Origin::Model } else { Origin::Program },
                size,
                align,
                constant: global.is_constant_global() && !is_late,
                thread_local: global.is_thread_local(),
                external: initial.is_none(),
                local: global.is_local(),
                data,
                relocations,
                source_type,
                loc,
            });
        }
        Ok(())
    }

    fn push_signature(&mut self, function: Val<'m>, origin: Origin) {
        let ty = function.value_type();
        let is_function = function.kind() == Kind::Function;
        let mut values = IdVec::new();
        let mut params = Vec::new();
        for param in ty.params() {
            for leaf in self.shape(param).types() {
                params.push(values.push(Value { ty: leaf, name: None, source_type: None }));
            }
        }
        let loc = function.subprogram_of(is_function).and_then(|subprogram| {
            let file = subprogram.scope_file()?;
            Some(self.debug.line(&mut self.program, file, subprogram.subprogram_line()))
        });
        self.program.functions.push(Function {
            name: function.name(),
            origin,
            local: is_function && function.is_local(),
            params,
            results: self.shape(ty.returns()).types().collect(),
            varargs: ty.is_varargs(),
            no_return: is_function && function.attribute(None, "noreturn").is_some(),
            values,
            blocks: IdVec::new(),
            loc,
        });
    }

    /// The functions of `llvm.global_ctors` or `llvm.global_dtors` in order of priority.
    fn entry_list(&self, module: &'m Module<'_>, name: &str) -> Vec<FuncId> {
        let list = module.globals().into_iter().find(|global| global.name() == name);
        let Some(initial) = list.and_then(Val::initializer) else { return Vec::new() };
        let mut entries: Vec<(i64, FuncId)> = (0..)
            .map_while(|index| initial.aggregate_element(index))
            .filter_map(|entry| {
                let priority = entry.aggregate_element(0)?.int_signed()?;
                let leaves = self.constant_leaves(entry.aggregate_element(1)?).ok()?;
                match leaves.as_slice() {
                    [super::constant::ConstLeaf::Known(Const::Func(func))] => Some((priority, *func)),
                    _ => None,
                }
            })
            .collect();
        entries.sort_by_key(|&(priority, _)| priority);
        entries.into_iter().map(|(_, func)| func).collect()
    }

    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }
}

impl<'m> Val<'m> {
    fn subprogram_of(self, is_function: bool) -> Option<crate::llvm::Md<'m>> {
        if is_function { self.subprogram() } else { None }
    }
}

/// The shape of a value that is not in memory order, for error messages.
pub(crate) fn check_supported(shape: &Shape) -> Result<(), String> {
    shape.unsupported.clone().map_or(Ok(()), Err)
}
