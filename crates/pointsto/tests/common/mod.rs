//! What the tests of analyses on text IR share.

#![allow(unreachable_pub, reason = "shared by the modules of the test binary")]

use icsched_ir::{FuncId, Function, Program};
use icsched_pointsto::{AccessSet, InstanceId, ModRef, ObjectId, Options, PointsTo};

/// A solved program.
pub struct Solved {
    pub program: Program,
    pub points_to: PointsTo,
}

impl Solved {
    pub fn new(text: &str) -> Self {
        Self::with(text, &Options::default())
    }

    pub fn with(text: &str, options: &Options<'_>) -> Self {
        let program = icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
        icsched_ir::verify(&program).expect("the test's program is well formed");
        let points_to = PointsTo::new(&program, options).expect("nothing interrupts it");
        Self { program, points_to }
    }

    pub fn modref(&self) -> ModRef<'_> {
        ModRef::new(&self.program, &self.points_to, &known)
    }

    pub fn function(&self, name: &str) -> FuncId {
        self.program.function_named(name).expect("the test's program has it")
    }

    /// The one instance of a function.
    pub fn instance(&self, name: &str) -> InstanceId {
        let [instance] = self.points_to.instances_of(self.function(name)) else { panic!("{name} has one instance") };
        *instance
    }

    /// The object that is described so.
    pub fn object(&self, name: &str) -> ObjectId {
        let mut found = self.points_to.objects().ids();
        let described = |o: &ObjectId| self.points_to.describe_object(&self.program, *o) == name;
        found.find(described).unwrap_or_else(|| panic!("no object {name}"))
    }

    pub fn describe(&self, modref: &ModRef<'_>, set: &AccessSet) -> String {
        if set.is_everything() {
            return "everything".to_owned();
        }
        let pieces = modref.pieces(set);
        let mut names: Vec<String> = pieces.iter().map(|p| self.points_to.describe_piece(&self.program, p)).collect();
        names.sort_unstable();
        names.dedup();
        names.join(" ")
    }

    /// What calls of a function may write, in words.
    pub fn mods(&self, name: &str) -> String {
        let modref = self.modref();
        self.describe(&modref, modref.set(modref.of_function(self.function(name)).mods))
    }

    /// What calls of a function may read, in words.
    pub fn refs(&self, name: &str) -> String {
        let modref = self.modref();
        self.describe(&modref, modref.set(modref.of_function(self.function(name)).refs))
    }
}

fn known(function: &Function) -> bool {
    icsched_externals::known_not_to_synchronise(&function.name, function.params.len())
}
