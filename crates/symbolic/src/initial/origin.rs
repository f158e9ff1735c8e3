//! Where the symbols of an initial state come from, and what they may point to (Bergan 2.4.1; design decision D6).
//!
//! A state in the middle of the program is made of values that nobody knows: what registers of frames hold, and what
//! memory holds. Each has a symbol, named by its access path, made when it is first read. Memory is read from *roots*:
//! objects of the initial state, known by how one gets to them. A root's bytes never change: they are those of the
//! initial state, and what is written later is kept elsewhere ([`unknown`](crate::memory::unknown)). So a symbol means
//! the same on all paths.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use icsched_dataflow::{CallPath, PathId};
use icsched_ir::{EntityId, GlobalId, Operand, Program, SourceType, TypeId, TypeTable, ValueId, describe_offset};
use icsched_ir::{describe_pointee, scalar_at};
use icsched_pointsto::{InstanceId, ObjectId as Abstract, ObjectKind as AbstractKind, Offsets, PointsTo};
use icsched_smt::{CmpOp, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::discovery::Discovery;
use super::root::{Places, Root, RootId, RootName};
use super::symbol::SymbolSource;
use super::sync_facts::Invariants;
use crate::memory::known_bytes::KnownBytes;
use crate::summaries::forgotten::Forgotten;
use crate::values::value::SymValue;
use icsched_machine::domain::{AllocationSite, MemoryByte};
use icsched_machine::folding::FoldChoice;

/// The roots of what one instruction of the program allocates: the first, the second, ... of each path.
pub(crate) type Allocated = rustc_hash::FxHashMap<AllocationSite, Vec<RootId>>;

/// Symbols of an initial state that are one of a few constants, with these, ascending.
pub type KnownAlternatives = Arc<FxHashMap<Term, Vec<u64>>>;

#[derive(Clone, Debug)]
enum Source {
    /// A register of a frame whose function runs as one of these instances.
    Register(Rc<[InstanceId]>, ValueId),
    /// Bytes of a root.
    Memory(RootId, Offsets),
}

#[derive(Clone, Debug)]
struct Origin {
    source: Source,
    /// The type of what it points to.
    pointee: Option<TypeId>,
    places: Option<Places>,
}

/// What is known of the symbols of an initial state.
pub(crate) struct Origins {
    pub(crate) program: Arc<Program>,
    pub(crate) points_to: Arc<PointsTo>,
    pub(crate) roots: Vec<Root>,
    symbols: FxHashMap<Term, Origin>,
    /// What symbols stand for.
    pub(crate) sources: FxHashMap<Term, SymbolSource>,
    /// What objects hold that were allocated on paths of a run from the middle of the program: root and offset of each
    /// symbol.
    pub(crate) fresh_symbols: FxHashMap<Term, (u32, SymValue)>,
    /// The activations that registers are of that are in no frame.
    pub(crate) call_paths: FxHashMap<PathId, CallPath>,
    /// What memory holds in the initial state at addresses that depend on it, with an address for each.
    pub(crate) loaded: FxHashMap<Term, SymValue>,
    /// Comparisons of such values with constants, which were moved into their arms.
    pub(crate) comparisons: FxHashMap<Term, (CmpOp, Term, Term)>,
    /// The root that was made for a pointer.
    pub(crate) root_of: FxHashMap<Term, RootId>,
    /// The pointers that have one, in order, each with what its root may be.
    pub(crate) primaries: Rc<Vec<(Term, Places)>>,
    /// The numbers of the roots of which nobody knows the size.
    pub(crate) unsized_roots: FxHashSet<u32>,
    /// The roots of what was allocated on paths.
    pub(crate) allocated: Allocated,
    /// Whether the run began at the program's entry: then the path itself has made all objects, but those that a
    /// replaced loop made.
    pub(crate) from_entry: bool,
    /// What loops leave behind that were replaced.
    pub(crate) forgotten: Forgotten,
    /// Where folded activations return to.
    pub(crate) choices: FxHashMap<FoldChoice, Term>,
    /// How often a name was asked for.
    names: FxHashMap<String, u32>,
    /// Whether there may be locals of activations that the context does not know.
    pub(crate) unknown_frames: bool,
    /// Whether a pointer is only compared with those that it may be equal to by points-to analysis.
    pub(crate) restrict_aliases: bool,
    /// Whether accesses of objects of unknown size are checked.
    pub(crate) memory_checks: bool,
    /// What is known of objects of synchronisation.
    pub(crate) invariants: Invariants,
    /// Pointers that are one of a few constants.
    pub(crate) known_alternatives: KnownAlternatives,
    /// Objects of which something is known at an offset that is a term.
    pub(crate) rings: FxHashSet<RootId>,
    /// What was left out.
    pub(crate) notes: Vec<String>,
    /// What paths have come to, if that is kept.
    pub(crate) discoveries: Option<Vec<Discovery<Term>>>,
    /// Roots that were repeated, and that no path has come to yet.
    pub(crate) repeated: FxHashSet<RootId>,
    /// Whether a path has found one of them to be something else.
    pub(crate) contradicts: bool,
    /// Symbols that were repeated, and that no path has come to yet.
    pub(crate) given_symbols: FxHashSet<Term>,
    /// The next name, if it is given.
    pub(crate) given: Option<String>,
    /// Names of symbols that were given, and of inputs.
    taken: FxHashSet<String>,
}

/// Whether a name is the one that is asked for, or that with a number behind it, as more symbols have it.
pub(crate) fn is_like(given: &str, asked: &str) -> bool {
    given.strip_prefix(asked).is_some_and(|rest| {
        let number = rest.strip_prefix('\'');
        rest.is_empty() || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|digit| digit.is_ascii_digit()))
    })
}

impl Origins {
    /// No symbols.
    pub(crate) fn new(program: Arc<Program>, points_to: Arc<PointsTo>) -> Self {
        Self {
            program,
            points_to,
            roots: Vec::new(),
            symbols: FxHashMap::default(),
            sources: FxHashMap::default(),
            fresh_symbols: FxHashMap::default(),
            call_paths: FxHashMap::default(),
            loaded: FxHashMap::default(),
            comparisons: FxHashMap::default(),
            root_of: FxHashMap::default(),
            primaries: Rc::default(),
            unsized_roots: FxHashSet::default(),
            allocated: Allocated::default(),
            from_entry: false,
            forgotten: Forgotten::default(),
            choices: FxHashMap::default(),
            names: FxHashMap::default(),
            unknown_frames: true,
            restrict_aliases: true,
            memory_checks: true,
            invariants: Invariants::default(),
            known_alternatives: KnownAlternatives::default(),
            rings: FxHashSet::default(),
            notes: Vec::new(),
            discoveries: None,
            repeated: FxHashSet::default(),
            contradicts: false,
            given_symbols: FxHashSet::default(),
            given: None,
            taken: FxHashSet::default(),
        }
    }

    /// Keeps what a path has come to, if anybody wants that.
    pub(crate) fn discover(&mut self, discovery: impl FnOnce() -> Discovery<Term>) {
        if let Some(kept) = &mut self.discoveries {
            kept.push(discovery());
        }
    }

    /// A name that no symbol has yet: the one that is given, or one like this.
    pub(crate) fn unique(&mut self, name: String) -> String {
        if let Some(given) = self.given.take() {
            // Where nobody knows yet what it is called, that is looked at when a path comes to it.
            self.contradicts |= !name.is_empty() && !is_like(&given, &name);
            return given;
        }
        let count = self.names.entry(name.clone()).or_insert(0);
        loop {
            *count += 1;
            let next = if *count == 1 { name.clone() } else { format!("{name}'{count}") };
            if self.taken.is_empty() || !self.taken.contains(&next) {
                return next;
            }
        }
    }

    /// Keeps symbols from having the name of an input: in a run from the entry it is `x` if it is stored to `x`. The
    /// names of inputs are among the constant strings. O(bytes of constants).
    pub(crate) fn reserve_input_names(&mut self) {
        let constants = self.program.globals.values().filter(|g| g.constant && g.relocations.is_empty());
        let text = |data: &[u8]| String::from_utf8(data.strip_suffix(&[0])?.to_vec()).ok();
        let texts: Vec<String> = constants.filter_map(|global| text(&global.data)).collect();
        self.taken.extend(texts);
    }

    /// The symbol that is made next has this name; whether nothing else has it.
    pub(crate) fn give(&mut self, name: String) -> bool {
        let is_free = !self.is_used(&name) && self.taken.insert(name.clone());
        self.given = is_free.then_some(name);
        is_free
    }

    /// Whether a name was made.
    fn is_used(&self, name: &str) -> bool {
        let (base, number) = match name.rsplit_once('\'') {
            Some((base, number)) if number.parse::<u32>().is_ok() => (base, number.parse().unwrap_or(1)),
            _ => (name, 1),
        };
        let made = |name: &str, least: u32| self.names.get(name).is_some_and(|count| *count >= least);
        made(base, number) || made(name, 1)
    }

    /// A new object of the initial state. `places` are those of the byte at `origin`.
    pub(crate) fn root(&mut self, name: RootName, places: Places, origin: u64) -> RootId {
        self.roots.push(Root {
            name,
            places,
            origin,
            size: None,
            known: KnownBytes::default(),
            symbols: BTreeMap::new(),
            indexed: Vec::new(),
            extent: None,
            fresh: None,
        });
        RootId::from_index(self.roots.len() - 1)
    }

    /// The program's instruction that allocated the object with a root's number on a path, if one did.
    pub(crate) fn site_of(&self, root: u32) -> Option<AllocationSite> {
        let is_it = |roots: &Vec<RootId>| roots.iter().any(|r| r.index() == root as usize);
        self.allocated.iter().find(|(_, roots)| is_it(roots)).map(|(site, _)| *site)
    }

    /// The root with a number. Numbers that conditions compare with may look like addresses of roots that are not
    /// there.
    pub(crate) fn root_numbered(&self, number: u32) -> Option<RootId> {
        let index = number as usize;
        (index < self.roots.len()).then(|| RootId::from_index(index))
    }

    pub(crate) fn get(&self, id: RootId) -> &Root {
        &self.roots[id.index()]
    }

    pub(crate) fn get_mut(&mut self, id: RootId) -> &mut Root {
        &mut self.roots[id.index()]
    }

    /// Says how many bytes a root has, if that is known.
    pub(crate) fn set_size(&mut self, root: RootId, size: Option<u64>) {
        self.get_mut(root).size = size;
    }

    /// Says what bytes of a root hold.
    pub(crate) fn set_known(&mut self, root: RootId, offset: u64, bytes: &[MemoryByte<Term>]) {
        let known = &mut self.get_mut(root).known;
        (offset..).zip(bytes).for_each(|(at, byte)| known.set(at, byte.clone()));
    }

    /// Says what some of 64 bytes of a root hold: those with a bit in `which`.
    pub(crate) fn set_known_page(&mut self, root: RootId, offset: u64, which: u64, bytes: &[u8; 64]) {
        self.get_mut(root).known.set_page(offset, which, bytes);
    }

    /// Whether nothing is known or was read of some bytes.
    pub(crate) fn is_untouched(&self, root: RootId, at: u64, n: u64) -> bool {
        let root = self.get(root);
        let last = at.saturating_add(n - 1);
        let before = root.symbols.range(..=last).next_back();
        let is_read = before.is_some_and(|(&s, &(len, _))| s >= at || at - s < u64::from(len));
        !is_read && root.known.range(at..=last).next().is_none() && root.indexed.is_empty()
    }

    /// Says what a symbol is: a register of a frame.
    pub(crate) fn register(
        &mut self,
        symbol: Term,
        instances: Rc<[InstanceId]>,
        value: ValueId,
        pointee: Option<TypeId>,
    ) {
        let source = Source::Register(instances, value);
        self.symbols.insert(symbol, Origin { source, pointee, places: None });
    }

    /// Says what a symbol is: bytes of a root, from one of these offsets on.
    pub(crate) fn memory(&mut self, symbol: Term, root: RootId, offset: Option<u64>) {
        let pointee = offset.and_then(|at| self.pointer_at(root, at));
        let offsets = offset.map_or(Offsets::ANY, |at| Offsets::Exact(at.cast_signed()));
        self.symbols.insert(symbol, Origin { source: Source::Memory(root, offsets), pointee, places: None });
    }

    /// Whether a term is a symbol of the initial state.
    pub(crate) fn is_initial(&self, t: Term) -> bool {
        self.symbols.contains_key(&t)
    }

    /// The type of what a symbol points to.
    pub(crate) fn pointee(&self, symbol: Term) -> Option<TypeId> {
        self.symbols.get(&symbol)?.pointee
    }

    /// Where a symbol may point; empty for what is no symbol of the initial state, and for one that is no pointer.
    pub(crate) fn places(&mut self, symbol: Term) -> Places {
        let Some(origin) = self.symbols.get(&symbol) else { return Rc::from([]) };
        if let Some(places) = &origin.places {
            return Rc::clone(places);
        }
        let places = self.find_places(origin);
        if let Some(origin) = self.symbols.get_mut(&symbol) {
            origin.places = Some(Rc::clone(&places));
        }
        places
    }

    /// Whether a symbol may be a pointer: input never is one.
    pub(crate) fn may_point(&self, symbol: Term) -> bool {
        let Some(origin) = self.symbols.get(&symbol) else { return self.fresh_symbols.contains_key(&symbol) };
        origin.pointee.is_some()
            || match &origin.places {
                Some(places) => !places.is_empty(),
                None => !self.find_places(origin).is_empty(),
            }
    }

    fn find_places(&self, origin: &Origin) -> Places {
        let mut found: Vec<(Abstract, Offsets)> = Vec::new();
        match &origin.source {
            Source::Register(instances, value) => {
                for &instance in instances.iter() {
                    let info = self.points_to.pointer_info_in(instance, Operand::Value(*value));
                    found.extend(info.locations.iter().map(|l| (l.object, l.offsets)));
                }
            }
            Source::Memory(root, offsets) => {
                let root = self.get(*root);
                for &(object, start) in root.places.iter() {
                    let at = match *offsets {
                        Offsets::Exact(x) => start.moved(x.wrapping_sub(root.origin.cast_signed())),
                        Offsets::Strided { .. } => Offsets::ANY,
                    };
                    let info = self.points_to.contents_at(object, at, 8);
                    found.extend(info.locations.iter().map(|l| (l.object, l.offsets)));
                }
            }
        }
        found.retain(|(object, _)| self.points_to.objects()[*object].kind != AbstractKind::Transfer);
        found.sort_unstable();
        found.dedup();
        found.into()
    }

    /// The name of bytes of a root.
    pub(crate) fn name_at(&self, root: RootId, offset: u64) -> String {
        let types = &self.program.types;
        match &self.get(root).name {
            RootName::Global(global) => self.program.describe_global(*global, offset.cast_signed()),
            RootName::Variable(name, Some(ty)) => format!("{name}{}", describe_offset(types, *ty, offset)),
            RootName::Variable(name, None) if offset == 0 => name.clone(),
            RootName::Variable(name, None) => format!("{name}+{offset}"),
            RootName::Pointee(pointer, to, origin) => {
                describe_pointee(types, pointer, *to, offset.wrapping_sub(*origin).cast_signed())
            }
        }
    }

    /// A root as a whole, and what an index is counted from: the name before `[`, and the size of an element.
    pub(crate) fn name_of(&self, root: RootId) -> (String, Option<u64>, u64) {
        let types = &self.program.types;
        match &self.get(root).name {
            RootName::Global(global) => {
                let global = &self.program.globals[*global];
                (global.name.clone(), global.source_type.and_then(|ty| element(types, ty)), 0)
            }
            RootName::Variable(name, ty) => (name.clone(), ty.and_then(|ty| element(types, ty)), 0),
            RootName::Pointee(pointer, to, origin) => (pointer.clone(), to.map(|ty| types.size(ty)), *origin),
        }
    }

    /// The name of the pointer that a root was made for, and the offset that it points to; `None` for a variable's
    /// root.
    pub(crate) fn pointer_of(&self, root: RootId) -> Option<(&str, u64)> {
        match &self.get(root).name {
            RootName::Pointee(pointer, _, origin) => Some((pointer, *origin)),
            RootName::Global(_) | RootName::Variable(..) => None,
        }
    }

    /// Whether a root was made for this pointer.
    pub(crate) fn is_root_of(&self, pointer: Term, root: RootId) -> bool {
        self.root_of.get(&pointer) == Some(&root)
    }

    /// What is `start` bytes behind where a pointer points, or behind the element with an index, of so many bytes each.
    pub(crate) fn behind_pointer(&self, pointer: Term, name: &str, index: Option<(&str, i128)>, start: i64) -> String {
        self.lvalue(name, self.pointee(pointer), index, start)
    }

    /// The same from the start of a root.
    pub(crate) fn behind_root(&self, root: RootId, index: Option<(&str, i128)>, start: i64) -> String {
        match &self.get(root).name {
            RootName::Pointee(pointer, to, origin) => {
                self.lvalue(pointer, *to, index, start.wrapping_sub(origin.cast_signed()))
            }
            RootName::Global(global) => self.behind_global(*global, index, start),
            RootName::Variable(name, _) => match index {
                Some((index, scale)) => format!("*(&{name} + {})", plus(&scaled(index, scale), start)),
                None => self.name_at(root, start.cast_unsigned()),
            },
        }
    }

    /// The same from the start of a variable.
    pub(crate) fn behind_global(&self, global: GlobalId, index: Option<(&str, i128)>, start: i64) -> String {
        let whole = self.program.describe_global(global, start);
        let Some((index, scale)) = index else { return whole };
        let global = &self.program.globals[global];
        let (name, size) = (&global.name, global.source_type.and_then(|ty| element(&self.program.types, ty)));
        let is_first = size.is_some_and(|size| i128::from(size) == scale && (0..scale).contains(&i128::from(start)));
        match whole.strip_prefix(&format!("{name}[0]")).filter(|_| is_first) {
            Some(path) => format!("{name}[{index}]{path}"),
            None => format!("*(&{name} + {})", plus(&scaled(index, scale), start)),
        }
    }

    fn lvalue(&self, pointer: &str, to: Option<TypeId>, index: Option<(&str, i128)>, start: i64) -> String {
        let types = &self.program.types;
        let whole = describe_pointee(types, pointer, to, start);
        let Some((index, scale)) = index else { return whole };
        let size = to.map(|to| types.size(to));
        let is_first = size.is_some_and(|size| i128::from(size) == scale && (0..scale).contains(&i128::from(start)));
        let path = match whole.strip_prefix(&format!("{pointer}->")) {
            _ if !is_first => None,
            Some(path) => Some(format!(".{path}")),
            None if whole == format!("*{pointer}") => Some(String::new()),
            None => None,
        };
        match path {
            Some(path) => format!("{pointer}[{index}]{path}"),
            None => format!("*({pointer} + {})", plus(&scaled(index, scale), start)),
        }
    }

    /// The name of the pointer that a root was made for, if it points to this offset.
    pub(crate) fn pointer_to(&self, root: RootId, offset: u64) -> Option<String> {
        match &self.get(root).name {
            RootName::Pointee(pointer, _, origin) if *origin == offset => Some(pointer.clone()),
            _ => None,
        }
    }

    /// The type of what the pointer at an offset of a root points to, if the source has one there.
    pub(crate) fn pointer_at(&self, root: RootId, offset: u64) -> Option<TypeId> {
        let (ty, offset) = self.type_at(root, offset)?;
        target_at(&self.program.types, ty, offset)
    }

    /// How many bytes of a root are read at once from an offset on, of at most so many: a scalar, or as many as are
    /// aligned where the source does not say what is there. Then what was copied is one value still, and a pointer one.
    pub(crate) fn unit_at(&self, root: RootId, offset: u64, most: u64) -> u32 {
        let types = &self.program.types;
        let scalar = self.type_at(root, offset).and_then(|(ty, at)| scalar_at(types, ty, at));
        let size = match scalar {
            Some((scalar, 0)) => types.size(scalar),
            Some(_) => 1,
            None => 1 << offset.wrapping_sub(self.get(root).origin).trailing_zeros().min(3),
        };
        let fits = [8, 4, 2].into_iter().find(|&n| size.is_multiple_of(n) && n <= most);
        fits.map_or(1, |n| n as u32)
    }

    /// The type that a root has, and an offset in it.
    fn type_at(&self, root: RootId, offset: u64) -> Option<(TypeId, u64)> {
        let types = &self.program.types;
        match &self.get(root).name {
            RootName::Global(global) => Some((self.program.globals[*global].source_type?, offset)),
            RootName::Variable(_, ty) => Some(((*ty)?, offset)),
            RootName::Pointee(_, to, origin) => {
                let to = (*to)?;
                let size = i64::try_from(types.size(to)).ok().filter(|&size| size > 0)?;
                let offset = offset.wrapping_sub(*origin).cast_signed().rem_euclid(size);
                Some((to, offset.unsigned_abs()))
            }
        }
    }
}

fn scaled(index: &str, scale: i128) -> String {
    let is_plain = index.chars().all(|c| c.is_alphanumeric() || "_.[]@".contains(c));
    match scale {
        1 => index.to_owned(),
        _ if is_plain => format!("{index} * {scale}"),
        _ => format!("({index}) * {scale}"),
    }
}

fn plus(text: &str, offset: i64) -> String {
    match offset {
        0 => text.to_owned(),
        1.. => format!("{text} + {offset}"),
        _ => format!("{text} - {}", offset.unsigned_abs()),
    }
}

/// The size of an array's elements.
fn element(types: &TypeTable, ty: TypeId) -> Option<u64> {
    match types.resolve(ty)?.1 {
        SourceType::Array { element, .. } => element.map(|e| types.size(e)),
        _ => None,
    }
}

/// What the pointer at an offset of a value of this type points to.
pub(crate) fn target_at(types: &TypeTable, mut ty: TypeId, mut offset: u64) -> Option<TypeId> {
    // A well-formed type is no deeper than the table is long.
    for _ in 0..types.len() {
        let (id, resolved) = types.resolve(ty)?;
        match resolved {
            SourceType::Pointer { to } => return (*to).filter(|_| offset == 0),
            SourceType::Struct { fields, .. } | SourceType::Union { fields, .. } => {
                let field = fields.iter().rev().find(|f| f.offset <= offset && f.ty.is_some())?;
                (ty, offset) = (field.ty?, offset - field.offset);
            }
            SourceType::Array { element, .. } => {
                let element = (*element)?;
                let size = types.size(element);
                (ty, offset) = (element, offset.checked_rem(size)?);
            }
            _ => return None,
        }
        if ty == id {
            return None;
        }
    }
    None
}
