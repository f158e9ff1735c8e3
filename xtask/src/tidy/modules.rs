//! Reads what a Rust file defines and which names it uses.
//!
//! `use super::term::Term; fn f() -> Term { crate::pool::fresh() }` defines `f`, imports `Term`, and names `Term` and
//! `crate::pool::fresh`. Nothing is resolved here: that is the work of [`super::resolve`].

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The names along a path: `crate::term::Term` is `["crate", "term", "Term"]`.
pub(super) type Names = Vec<String>;

/// One name that a `use` brings into a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Import {
    /// What is imported; for a glob, the module whose names are.
    pub(super) path: Names,
    pub(super) name: ImportedAs,
    /// Whether it is a re-export (`pub use`, `pub(crate) use`), which is no use by itself.
    pub(super) reexport: bool,
}

/// Under which name an import is known in its module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ImportedAs {
    Name(String),
    /// `use a::*`.
    Glob,
    /// `use a::Trait as _`.
    Nothing,
}

/// A module declared in another.
#[derive(Debug)]
pub(super) enum Child {
    /// `mod name;`: the file to look for.
    InFile(String),
    /// `mod name { … }`.
    Inline(String, Contents),
}

/// What stands in one module, test code aside.
#[derive(Default, Debug)]
pub(super) struct Contents {
    /// Names of functions, types, traits, constants and macros.
    pub(super) items: BTreeSet<String>,
    pub(super) children: Vec<Child>,
    pub(super) imports: Vec<Import>,
    /// Every path in its code, also in arguments of macros.
    pub(super) paths: BTreeSet<Names>,
    /// Whether a macro is called where an item could stand, so that there are items whose names are not known.
    pub(super) has_macro_items: bool,
}

/// Reads the text of a file.
///
/// # Errors
/// It is not Rust.
pub(super) fn read(text: &str) -> Result<Contents> {
    let file = syn::parse_file(text).context("is not valid Rust")?;
    let mut reader = Reader::default();
    reader.visit_file(&file);
    Ok(reader.contents)
}

#[derive(Default)]
struct Reader {
    contents: Contents,
    /// How many bodies of functions surround the place: a macro call in a body defines no item of the module.
    bodies: usize,
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_test(attributes(item)) {
            return;
        }
        if let Some(name) = defined_name(item) {
            self.contents.items.insert(name);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let name = module.ident.to_string();
        let child = match &module.content {
            None => Child::InFile(name),
            Some((_, items)) => {
                let mut inner = Self::default();
                items.iter().for_each(|item| inner.visit_item(item));
                Child::Inline(name, inner.contents)
            }
        };
        self.contents.children.push(child);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let reexport = !matches!(item.vis, syn::Visibility::Inherited);
        let mut add = |path: Names, name| self.contents.imports.push(Import { path, name, reexport });
        flatten(&item.tree, &mut Vec::new(), &mut add);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if item.ident.is_none() && self.bodies == 0 {
            self.contents.has_macro_items = true;
        }
        visit::visit_item_macro(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attributes = match item {
            syn::ImplItem::Fn(one) => &one.attrs,
            syn::ImplItem::Const(one) => &one.attrs,
            _ => &Vec::new(),
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.bodies += 1;
        visit::visit_block(self, block);
        self.bodies -= 1;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.contents.paths.insert(names);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        scan(&call.tokens, &mut self.contents.paths);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let syn::Meta::List(list) = &attribute.meta else { return };
        let mut paths = BTreeSet::new();
        scan(&list.tokens, &mut paths);
        // `#[arg(long)]`: a single word of an attribute is an option of it, not an item.
        self.contents.paths.extend(paths.into_iter().filter(|path| path.len() > 1));
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

/// `#[cfg(test)]`, `#[cfg(all(test, …))]` or `#[test]`.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if attribute.path().is_ident("test") {
            return true;
        }
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let condition: String = list.tokens.to_string().split_whitespace().collect();
        list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all(test,"))
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item::{Const, Enum, Fn, Impl, Macro, Mod, Static, Struct, Trait, Type, Union, Use};
    match item {
        Const(one) => &one.attrs,
        Enum(one) => &one.attrs,
        Fn(one) => &one.attrs,
        Impl(one) => &one.attrs,
        Macro(one) => &one.attrs,
        Mod(one) => &one.attrs,
        Static(one) => &one.attrs,
        Struct(one) => &one.attrs,
        Trait(one) => &one.attrs,
        Type(one) => &one.attrs,
        Union(one) => &one.attrs,
        Use(one) => &one.attrs,
        _ => &[],
    }
}

fn defined_name(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(one) => &one.ident,
        syn::Item::Enum(one) => &one.ident,
        syn::Item::Fn(one) => &one.sig.ident,
        syn::Item::Macro(one) => one.ident.as_ref()?,
        syn::Item::Static(one) => &one.ident,
        syn::Item::Struct(one) => &one.ident,
        syn::Item::Trait(one) => &one.ident,
        syn::Item::Type(one) => &one.ident,
        syn::Item::Union(one) => &one.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Calls `add` for each name that a `use` tree imports.
fn flatten(tree: &syn::UseTree, path: &mut Names, add: &mut impl FnMut(Names, ImportedAs)) {
    let below = |path: &Names, name: &syn::Ident| [&path[..], &[name.to_string()]].concat();
    match tree {
        syn::UseTree::Path(one) => {
            path.push(one.ident.to_string());
            flatten(&one.tree, path, add);
            path.pop();
        }
        syn::UseTree::Name(one) if one.ident == "self" => {
            let name = path.last().cloned().unwrap_or_default();
            add(path.clone(), ImportedAs::Name(name));
        }
        syn::UseTree::Name(one) => add(below(path, &one.ident), ImportedAs::Name(one.ident.to_string())),
        syn::UseTree::Rename(one) => {
            let whole = if one.ident == "self" { path.clone() } else { below(path, &one.ident) };
            let name = one.rename.to_string();
            add(whole, if name == "_" { ImportedAs::Nothing } else { ImportedAs::Name(name) });
        }
        syn::UseTree::Glob(_) => add(path.clone(), ImportedAs::Glob),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, add)),
    }
}

/// Adds the paths among the tokens of a macro call, such as `Kind::Lock` in `matches!(kind, Kind::Lock)`.
fn scan(tokens: &TokenStream, paths: &mut BTreeSet<Names>) {
    let mut path: Names = Vec::new();
    // Colons since the last name: two of them continue a path. After a dot there is a field or a method.
    let (mut colons, mut after_dot) = (0, false);
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 {
                    paths.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                }
                if !after_dot {
                    path.push(name.to_string());
                }
                (colons, after_dot) = (0, false);
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            other => {
                paths.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                after_dot = matches!(&other, TokenTree::Punct(mark) if mark.as_char() == '.');
                colons = 0;
                if let TokenTree::Group(group) = other {
                    scan(&group.stream(), paths);
                }
            }
        }
    }
    paths.extend((!path.is_empty()).then_some(path));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        read(text).expect("it is Rust").paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn definitions_imports_and_paths() {
        let contents = read("use super::{a::A, b::{self, C as D}, e::*}; mod inner; struct S; fn f(x: A) {}").unwrap();
        assert_eq!(Vec::from_iter(&contents.items), ["S", "f"]);
        assert!(matches!(&contents.children[..], [Child::InFile(name)] if name == "inner"));
        let imports: Vec<_> =
            contents.imports.iter().map(|import| (import.path.join("::"), import.name.clone())).collect();
        let name = |name: &str| ImportedAs::Name(name.to_owned());
        assert_eq!(
            imports,
            [
                ("super::a::A".to_owned(), name("A")),
                ("super::b".to_owned(), name("b")),
                ("super::b::C".to_owned(), name("D")),
                ("super::e".to_owned(), ImportedAs::Glob)
            ]
        );
        assert_eq!(Vec::from_iter(&contents.paths), [&["A".to_owned()]]);
    }

    #[test]
    fn paths_in_macro_calls() {
        let text = "fn f() { assert!(matches!(x.kind, a::Kind::Lock(_)), \"{}\", crate::show(y)) }";
        assert_eq!(
            paths(text),
            ["_", "a::Kind::Lock", "assert", "crate::show", "matches", "x", "y"].map(str::to_owned)
        );
    }

    #[test]
    fn test_code_is_left_out() {
        let text =
            "#[cfg(test)] mod tests { use super::a; } #[cfg(test)] use b::C; impl S { #[cfg(test)] fn g() { c::d() } }";
        let contents = read(text).unwrap();
        assert!(contents.children.is_empty() && contents.imports.is_empty());
        assert_eq!(paths(text), ["S"]);
    }

    #[test]
    fn macro_calls_that_may_define_items() {
        assert!(read("names! { a, b }").unwrap().has_macro_items);
        assert!(!read("macro_rules! m { () => {} } fn f() { m!() }").unwrap().has_macro_items);
    }
}
