//! What the questions about memory share: the solved program and the names in it.

use std::collections::HashMap;
use std::rc::Rc;

use icsched_ir::{FuncId, Function, Origin, Program};
use icsched_pointsto::{ObjectId, ObjectKind, Offsets, PointsTo};

use super::asked::Selection;

/// A solved program and what is shown of it.
pub(super) struct Memory<'p> {
    pub(super) program: &'p Program,
    pub(super) points_to: &'p PointsTo,
    pub(super) selection: &'p Selection,
}

impl<'p> Memory<'p> {
    /// The functions to show, in the program's order: those that run.
    pub(super) fn functions(&self) -> impl Iterator<Item = (FuncId, &'p Function)> {
        let all = self.program.functions.iter();
        all.filter(|(id, f)| {
            !f.is_declaration() && self.selection.shows(f) && !self.points_to.instances_of(*id).is_empty()
        })
    }

    /// Whether an object is one of the program itself, or models are shown as well.
    pub(super) fn shows(&self, object: ObjectId) -> bool {
        let own = |f: FuncId| self.program.functions[f].origin == Origin::Program;
        self.selection.models
            || match self.points_to.objects()[object].kind {
                ObjectKind::Global(g) => self.program.globals[g].origin == Origin::Program,
                ObjectKind::Function(f) => own(f),
                ObjectKind::Stack { instance, .. } | ObjectKind::VarArgs(instance) => {
                    own(self.points_to.instances()[instance].func)
                }
                ObjectKind::Heap { instance, at } | ObjectKind::Library { instance, at } => {
                    self.points_to.program_site(self.program, instance, at).is_some()
                }
                ObjectKind::ArgumentVector
                | ObjectKind::Arguments
                | ObjectKind::EnvironmentVector
                | ObjectKind::Environment
                | ObjectKind::PlainConstants
                | ObjectKind::MovedFunctions
                | ObjectKind::Outside => true,
                ObjectKind::Transfer => false,
            }
    }

    pub(super) fn name(&self, object: ObjectId) -> String {
        self.points_to.describe_object(self.program, object)
    }

    /// What could not be known, as sentences.
    pub(super) fn notes(&self) -> Vec<String> {
        self.points_to.notes().iter().map(|note| note.describe(self.program)).collect()
    }
}

/// Names that were asked for before: large programs have many pointers to few objects.
pub(super) struct Names<'m> {
    pub(super) memory: &'m Memory<'m>,
    objects: HashMap<ObjectId, Rc<str>>,
    offsets: HashMap<Offsets, Rc<str>>,
}

impl<'m> Names<'m> {
    pub(super) fn new(memory: &'m Memory<'m>) -> Self {
        Self { memory, objects: HashMap::new(), offsets: HashMap::new() }
    }

    pub(super) fn object(&mut self, object: ObjectId) -> Rc<str> {
        let memory = self.memory;
        Rc::clone(self.objects.entry(object).or_insert_with(|| memory.name(object).into()))
    }

    pub(super) fn offsets(&mut self, offsets: Offsets) -> Rc<str> {
        Rc::clone(self.offsets.entry(offsets).or_insert_with(|| offsets.to_string().into()))
    }
}

/// The word for the kind of an object.
pub(super) fn kind(program: &Program, kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Global(g) if program.globals[g].thread_local => "thread-local",
        ObjectKind::Global(_) | ObjectKind::PlainConstants => "global",
        ObjectKind::Function(_) => "function",
        ObjectKind::Stack { .. } => "local",
        ObjectKind::Heap { .. } => "heap",
        ObjectKind::Library { .. } => "library",
        ObjectKind::VarArgs(_) => "variable-arguments",
        ObjectKind::ArgumentVector | ObjectKind::Arguments => "arguments",
        ObjectKind::EnvironmentVector | ObjectKind::Environment => "environment",
        ObjectKind::MovedFunctions => "function",
        ObjectKind::Outside | ObjectKind::Transfer => "outside",
    }
}

/// Most names that are written out in one line of text.
const SHOWN: usize = 12;

/// Names in one line; `nothing` if there are none.
pub(super) fn some(names: &[impl ToString]) -> String {
    let words: Vec<String> = names.iter().take(SHOWN).map(ToString::to_string).collect();
    match names.len() {
        0 => "nothing".to_owned(),
        1..=SHOWN => words.join(", "),
        many => format!("{} and {} more", words.join(", "), many - SHOWN),
    }
}

/// Sorted, each once.
pub(super) fn sorted<T: Ord>(names: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut names: Vec<T> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    names
}
