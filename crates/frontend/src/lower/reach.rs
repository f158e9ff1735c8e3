//! Which functions and globals a linked module needs.
//!
//! Everything the program itself defines is kept, used or not. Of the models only what the program's definitions,
//! constructors and destructors refer to, directly or through other models; and `exit`, which returning from `main`
//! calls.

use rustc_hash::FxHashSet;

use super::families::{Family, family_of, needed, needed_by_function};
use crate::library::{EXIT, library_name};
use crate::llvm::undefined::UNDEFINED;
use crate::llvm::{Kind, Module, Val};
use inkwell::llvm_sys::LLVMLinkage;

/// The functions and globals to keep, each in module order.
pub(crate) struct Reachable<'m> {
    pub(crate) functions: Vec<Val<'m>>,
    pub(crate) globals: Vec<Val<'m>>,
}

struct Walk<'m> {
    seen: FxHashSet<Val<'m>>,
    pending: Vec<Val<'m>>,
    ifuncs: Vec<Val<'m>>,
    support: Vec<(Family, Val<'m>)>,
}

impl<'m> Walk<'m> {
    fn visit(&mut self, value: Val<'m>) {
        let kind = value.kind();
        if matches!(kind, Kind::Instruction | Kind::Argument | Kind::Int | Kind::Float | Kind::Other) {
            return;
        }
        if self.seen.insert(value) {
            if kind == Kind::IFunc {
                self.ifuncs.push(value);
            }
            self.pending.push(value);
        }
    }

    /// The model functions of these families.
    fn visit_support(&mut self, families: &[Family]) {
        if families.is_empty() {
            return;
        }
        let (wanted, others) = self.support.iter().partition(|(own, _)| families.contains(own));
        self.support = others;
        let wanted: Vec<(Family, Val<'m>)> = wanted;
        wanted.into_iter().for_each(|(_, function)| self.visit(function));
    }

    fn expand(&mut self, value: Val<'m>) {
        match value.kind() {
            Kind::Function => {
                self.visit_support(needed_by_function(value));
                for inst in value.blocks().into_iter().flat_map(|block| block.instructions()) {
                    inst.operands().for_each(|operand| self.visit(operand));
                    self.visit_support(needed(inst));
                }
            }
            Kind::Global => {
                if let Some(initial) = value.initializer() {
                    self.visit(initial);
                }
            }
            Kind::Alias => self.visit(value.aliasee()),
            Kind::BlockAddress(function, _) => self.visit(function),
            Kind::Aggregate => value.operands().for_each(|operand| self.visit(operand)),
            Kind::Expr(_) => {
                value.operands().for_each(|operand| self.visit(operand));
                self.visit_support(needed(value));
            }
            Kind::Instruction
            | Kind::Argument
            | Kind::IFunc
            | Kind::Int
            | Kind::Float
            | Kind::Zero
            | Kind::Undef
            | Kind::InlineAsm
            | Kind::Other => {}
        }
    }
}

/// Walks the references from everything the program defines.
pub(crate) fn reachable<'m>(module: &'m Module<'_>, model_mark: &str) -> Reachable<'m> {
    let (functions, globals) = (module.functions(), module.globals());
    let support = functions.iter().filter_map(|&f| Some((family_of(library_name(&f.name()))?, f))).collect();
    let mut walk = Walk { seen: FxHashSet::default(), pending: Vec::new(), ifuncs: Vec::new(), support };
    for &value in functions.iter().chain(&globals) {
        let special = value.name().starts_with("llvm.global_");
        let own = !value.is_declaration()
            && value.linkage() != LLVMLinkage::LLVMAvailableExternallyLinkage
            && !value.name().starts_with("llvm.")
            && !module.is_marked(value, model_mark);
        if special || own || library_name(&value.name()) == EXIT {
            walk.visit(value);
        }
    }
    module.aliases().into_iter().filter(|alias| !is_library(*alias)).for_each(|alias| walk.visit(alias));
    while let Some(value) = walk.pending.pop() {
        walk.expand(value);
    }
    let is_special = |name: &str| name.starts_with("llvm.") || name.starts_with(UNDEFINED);
    let keep = |value: &Val<'m>| walk.seen.contains(value) && !is_special(&value.name());
    let mut kept: Vec<Val<'m>> = functions.into_iter().filter(keep).collect();
    kept.extend(walk.ifuncs.iter().copied());
    Reachable { functions: kept, globals: globals.into_iter().filter(keep).collect() }
}

fn is_library(alias: Val<'_>) -> bool {
    alias.linkage() == LLVMLinkage::LLVMLinkOnceAnyLinkage
}
