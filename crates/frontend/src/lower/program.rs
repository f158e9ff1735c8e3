//! A linked module as a `Program`: ids, globals, signatures, entry points.

use icsched_ir::{Const, EntityId, FuncId, Function, Global, IdVec, Origin, Program, Value};

use super::cleanup::merge_arms;
use super::constant::ConstLeaf;
use super::function::lower_body;
use super::handlers;
use super::late::lower_late_parts;
use super::lowering::{Failure, LatePart, Lowering};
use super::reach::{Reachable, reachable};
use super::relative::relative_targets;
use super::{assumptions, atomic_functions, naming, nondet};
use crate::LoadOptions;
use crate::llvm::{Kind, Md, Module, Val};

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
        if lowering.func_id(function).is_some() {
            let marked = function.kind() == Kind::Function && module.is_marked(function, model_mark);
            lowering.push_signature(function, if marked { Origin::Model } else { Origin::Program });
        }
    }
    for &function in &kept.functions {
        if let Some(id) = lowering.func_id(function)
            && let Some(plan) = lowering.plan(function).cloned()
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
    let main = module.definition(entry).and_then(|f| lowering.func_id(f));
    lowering.program.main = main.filter(|&f| {
        !lowering.program.functions[f].is_declaration() && lowering.program.functions[f].origin == Origin::Program
    });
    lowering.apply_conventions();
    naming::settle(&mut lowering.program);
    if options.link_models {
        icsched_ir::activations::count(&mut lowering.program);
    }
    Ok(lowering.program)
}

impl<'m> Lowering<'m> {
    /// What names mean in verification suites. Without models they mean nothing.
    fn apply_conventions(&mut self) {
        assumptions::make_assumptions(&mut self.program);
        if let Some(model) = self.support(nondet::MODEL) {
            nondet::make_inputs(&mut self.program, model);
        }
        if let (Some(begin), Some(end)) = (self.support(atomic_functions::BEGIN), self.support(atomic_functions::END)) {
            atomic_functions::enclose(&mut self.program, begin, end);
        }
    }

    fn merge_arms(&mut self) {
        let functions = &mut self.program.functions;
        let synchronises = |function: &Function| {
            icsched_externals::lookup(function.library_name()).is_some_and(|row| row.synchronises && !row.no_return)
        };
        let synchronises: Vec<bool> = functions.values().map(synchronises).collect();
        merge_arms(functions, &self.joined, &|id| synchronises[id.index()]);
    }

    fn lower_globals(&mut self, module: &'m Module<'_>, kept: &Reachable<'m>, mark: &str) -> Result<(), Failure> {
        for &global in &kept.globals {
            if self.global_id(global).is_none() {
                continue;
            }
            let (mut data, mut relocations) = (Vec::new(), Vec::new());
            let ty = global.value_type();
            let (mut size, mut align) = (self.layout().size(ty), global.alignment().max(self.layout().align(ty)));
            let initial = global.initializer().filter(|_| !global.is_declaration());
            let written = match (initial, relative_targets(global)) {
                (_, Some(targets)) => {
                    self.mark_relative_table(global);
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
            let late = self.take_late();
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
                    [ConstLeaf::Known(Const::Func(func))] => Some((priority, *func)),
                    _ => None,
                }
            })
            .collect();
        entries.sort_by_key(|&(priority, _)| priority);
        entries.into_iter().map(|(_, func)| func).collect()
    }
}

impl<'m> Val<'m> {
    fn subprogram_of(self, is_function: bool) -> Option<Md<'m>> {
        if is_function { self.subprogram() } else { None }
    }
}
