//! Finds the file that defines what a path means: name resolution for the modules of one crate.
//!
//! For `use crate::analysis::Facts`, where `analysis/mod.rs` says `pub use facts::Facts`, the answer is
//! `analysis/facts.rs`. Methods are not resolved: that needs types. A path that leads out of the crate, or to a local
//! variable, has no answer.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};

use super::modules::{self, Child, Contents, ImportedAs, Names};

/// The number of a module in [`Crate::modules`].
type ModuleId = usize;

/// What names of modules are already known to mean while one path is resolved; nothing while they are being looked up,
/// so that imports in a circle end.
type Known<'a> = BTreeMap<(ModuleId, &'a str, bool), Option<Meaning>>;

/// The modules of one crate.
pub(super) struct Crate {
    modules: Vec<Module>,
}

struct Module {
    /// The file, relative to the crate's sources.
    file: String,
    parent: Option<ModuleId>,
    children: BTreeMap<String, ModuleId>,
    contents: Contents,
}

/// What a path means.
#[derive(Copy, Clone)]
enum Meaning {
    Module(ModuleId),
    /// Something that the module of this number defines.
    ItemOf(ModuleId),
}

/// For each file, the files whose definitions it uses, each with the names it uses them by.
pub(super) type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

impl Crate {
    /// Reads the modules below `root`, which is `lib.rs`, `main.rs` or a file of `bin`.
    ///
    /// `text_of` gives the text of a file by its path, or nothing if there is none.
    ///
    /// # Errors
    /// A file of a module is missing or is not Rust.
    pub(super) fn read<'a>(root: &str, text_of: &impl Fn(&str) -> Option<&'a str>) -> Result<Self> {
        let mut this = Self { modules: Vec::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        this.read_file(root, folder, None, text_of)?;
        Ok(this)
    }

    /// `folder` is where the files of the module's children are.
    fn read_file<'a>(
        &mut self,
        file: &str,
        folder: &str,
        parent: Option<ModuleId>,
        text_of: &impl Fn(&str) -> Option<&'a str>,
    ) -> Result<ModuleId> {
        let text = text_of(file).with_context(|| format!("{file}: there is no such file"))?;
        let contents = modules::read(text).with_context(|| file.to_owned())?;
        self.add(file, folder, parent, contents, text_of)
    }

    fn add<'a>(
        &mut self,
        file: &str,
        folder: &str,
        parent: Option<ModuleId>,
        mut contents: Contents,
        text_of: &impl Fn(&str) -> Option<&'a str>,
    ) -> Result<ModuleId> {
        let children = std::mem::take(&mut contents.children);
        let id = self.modules.len();
        self.modules.push(Module { file: file.to_owned(), parent, children: BTreeMap::new(), contents });
        for child in children {
            let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let (name, child) = match child {
                Child::Inline(name, contents) => {
                    let folder = below(&name);
                    (name, self.add(file, &folder, Some(id), contents, text_of)?)
                }
                Child::InFile(name) => {
                    let folder = below(&name);
                    let beside = format!("{folder}.rs");
                    let inside = format!("{folder}/mod.rs");
                    let file = if text_of(&beside).is_some() { beside } else { inside };
                    (name, self.read_file(&file, &folder, Some(id), text_of)?)
                }
            };
            self.modules[id].children.insert(name, child);
        }
        Ok(id)
    }

    /// Adds what the files of this crate use of one another.
    ///
    /// A use is an import that is no re-export, or a path in code. A module alone is no use: `mod a;` and
    /// `use super::a` say nothing about what is used of `a`.
    pub(super) fn add_uses(&self, uses: &mut Uses) {
        for (id, module) in self.modules.iter().enumerate() {
            let imports = module.contents.imports.iter();
            let imported = imports.filter(|one| !one.reexport && one.name != ImportedAs::Glob).map(|one| &one.path);
            for path in imported.chain(&module.contents.paths) {
                let Some((defining, name)) = self.definition(id, path) else { continue };
                let defining = &self.modules[defining].file;
                if *defining != module.file {
                    let used = uses.entry(module.file.clone()).or_default().entry(defining.clone()).or_default();
                    used.insert(name.to_owned());
                }
            }
        }
    }

    /// The module that defines the first item along `path`, and the item's name.
    fn definition<'a>(&'a self, from: ModuleId, path: &'a Names) -> Option<(ModuleId, &'a str)> {
        self.resolve(from, path, &mut Known::new()).and_then(|(meaning, name)| match meaning {
            Meaning::ItemOf(module) => Some((module, name)),
            Meaning::Module(_) => None,
        })
    }

    fn resolve<'a>(&'a self, from: ModuleId, path: &'a [String], known: &mut Known<'a>) -> Option<(Meaning, &'a str)> {
        let mut module = None;
        for (index, name) in path.iter().enumerate() {
            let more = index + 1 < path.len();
            let next = match (module, name.as_str()) {
                (None, "crate") => Meaning::Module(0),
                (None, "self") => Meaning::Module(from),
                (_, "super") => Meaning::Module(self.modules[module.unwrap_or(from)].parent?),
                (None, _) => self.lookup((from, name, more), known)?,
                (Some(module), _) => match self.lookup((module, name, more), known) {
                    None if self.modules[module].contents.has_macro_items => Meaning::ItemOf(module),
                    found => found?,
                },
            };
            match next {
                Meaning::ItemOf(_) => return Some((next, name)),
                Meaning::Module(inner) => module = Some(inner),
            }
        }
        Some((Meaning::Module(module?), path.last()?))
    }

    /// What a name means in a module. The third part of `asked` says that names follow, so that a module is meant
    /// rather than a function of the same name.
    fn lookup<'a>(&'a self, asked: (ModuleId, &'a str, bool), known: &mut Known<'a>) -> Option<Meaning> {
        if let Some(meaning) = known.get(&asked) {
            return *meaning;
        }
        known.insert(asked, None);
        let (module, name, more) = asked;
        let Module { children, contents, .. } = &self.modules[module];
        let child = children.get(name).copied().map(Meaning::Module);
        let item = contents.items.contains(name).then_some(Meaning::ItemOf(module));
        let own = if more { child.or(item) } else { item };
        let imported = own.or_else(|| self.imported(asked, known));
        let meaning = imported.or(child).or_else(|| self.globbed(asked, known));
        known.insert(asked, meaning);
        meaning
    }

    fn imported<'a>(&'a self, (module, name, _): (ModuleId, &'a str, bool), known: &mut Known<'a>) -> Option<Meaning> {
        let mut imports = self.modules[module].contents.imports.iter();
        imports.find_map(|import| match &import.name {
            ImportedAs::Name(own) if own == name => Some(self.resolve(module, &import.path, known)?.0),
            _ => None,
        })
    }

    fn globbed<'a>(
        &'a self,
        (module, name, more): (ModuleId, &'a str, bool),
        known: &mut Known<'a>,
    ) -> Option<Meaning> {
        let mut imports = self.modules[module].contents.imports.iter();
        imports.find_map(|import| match import.name {
            ImportedAs::Glob => match self.resolve(module, &import.path, known)?.0 {
                Meaning::Module(other) => self.lookup((other, name, more), known),
                // The variants of an enum: which names they have is not known.
                Meaning::ItemOf(_) => None,
            },
            _ => None,
        })
    }
}
