//! What addresses mean in a state of a run that began in the middle of the program.

use icsched_ir::EntityId as _;
use icsched_smt::{CmpOp, Term};

use crate::initial::origin::Origins;
use crate::initial::root::RootId;
use crate::path::SymPath;
use crate::print::{Anchor, Extent, Loaded, Object, Others, Places};
use crate::symbolic::{SymValue, SymbolSource, SymbolicDomain};
use icsched_machine::domain::Domain;
use icsched_machine::memory::{AddressClass, Heap, ObjectKind, UNKNOWN_SIZE, address, classify, global_object};

/// A state, and what its addresses are called. The heap may be the one of a domain that wraps the symbolic one.
pub struct StatePlaces<'a, D: Domain> {
    pub(crate) heap: &'a Heap<D>,
    pub(crate) path: &'a SymPath,
    pub(crate) domain: &'a SymbolicDomain,
    pub(crate) names: &'a dyn Fn(u64) -> Option<String>,
}

impl<'a, D: Domain> StatePlaces<'a, D> {
    /// The places of a heap on a path, with names for addresses.
    pub fn new(
        heap: &'a Heap<D>,
        path: &'a SymPath,
        domain: &'a SymbolicDomain,
        names: &'a dyn Fn(u64) -> Option<String>,
    ) -> Self {
        Self { heap, path, domain, names }
    }
}

impl<D: Domain> StatePlaces<'_, D> {
    fn origins(&self) -> Option<&Origins> {
        self.domain.origins.as_deref()
    }

    fn symbol(&self, t: Term) -> Option<&str> {
        self.domain.pool.symbol_name(t)
    }
}

/// What is known of addresses without a state: which object of the initial state they are in.
pub(crate) struct InitialPlaces<'a> {
    pub(crate) origins: &'a Origins,
}

impl Places for InitialPlaces<'_> {
    fn name(&self, _: u64) -> Option<String> {
        None
    }

    fn object(&self, at: u64) -> Option<Object> {
        let AddressClass::Object(id, asked) = classify(at) else { return None };
        let (name, address, offset) = match id.initial_number() {
            Some(number) => {
                let (pointer, offset) = self.origins.pointer_of(self.origins.root_numbered(number)?)?;
                (format!("*{pointer}"), pointer.to_owned(), offset.cast_signed())
            }
            None => {
                let mut globals = self.origins.program.globals.iter();
                let (_, global) = globals.find(|(global, _)| global_object(*global) == id)?;
                (global.name.clone(), format!("&{}", global.name), 0)
            }
        };
        Some(Object { name, address, offset, asked, size: UNKNOWN_SIZE })
    }

    fn others(&self, _: Term, _: u64) -> Option<Others> {
        None
    }

    fn lvalue(&self, _: Anchor, _: Option<(&str, i128)>, _: i64) -> Option<String> {
        None
    }

    fn loaded(&self, _: Term) -> Option<Loaded> {
        None
    }

    fn comparison(&self, _: Term) -> Option<(CmpOp, Term, Term)> {
        None
    }

    fn may_point(&self, symbol: Term) -> bool {
        self.origins.may_point(symbol)
    }

    fn extent(&self, _: Term) -> Option<Extent> {
        None
    }
}

/// The same, where addresses have names, too: for conditions on initial states, which belong to no state.
pub(crate) struct InitialNames<'a>(pub(crate) InitialPlaces<'a>);

impl Places for InitialNames<'_> {
    fn name(&self, address: u64) -> Option<String> {
        let origins = self.0.origins;
        let program = &origins.program;
        match classify(address) {
            AddressClass::Object(id, offset) => match id.initial_number() {
                Some(number) => {
                    let (root, at) = (origins.root_numbered(number)?, offset.cast_unsigned());
                    Some(origins.pointer_to(root, at).unwrap_or_else(|| format!("&{}", origins.name_at(root, at))))
                }
                None => {
                    let (global, _) = program.globals.iter().find(|(global, _)| global_object(*global) == id)?;
                    Some(format!("&{}", program.describe_global(global, offset)))
                }
            },
            AddressClass::Function(func) => program.functions.get(func).map(|function| function.name.clone()),
            AddressClass::Null | AddressClass::Other => None,
        }
    }

    fn object(&self, at: u64) -> Option<Object> {
        self.0.object(at)
    }

    fn others(&self, pointer: Term, address: u64) -> Option<Others> {
        self.0.others(pointer, address)
    }

    fn lvalue(&self, anchor: Anchor, index: Option<(&str, i128)>, start: i64) -> Option<String> {
        self.0.lvalue(anchor, index, start)
    }

    fn loaded(&self, at: Term) -> Option<Loaded> {
        self.0.loaded(at)
    }

    fn comparison(&self, t: Term) -> Option<(CmpOp, Term, Term)> {
        self.0.comparison(t)
    }

    fn may_point(&self, symbol: Term) -> bool {
        self.0.may_point(symbol)
    }

    fn extent(&self, t: Term) -> Option<Extent> {
        self.0.extent(t)
    }
}

impl<D: Domain> Places for StatePlaces<'_, D> {
    fn name(&self, address: u64) -> Option<String> {
        (self.names)(address)
    }

    fn object(&self, at: u64) -> Option<Object> {
        let AddressClass::Object(id, asked) = classify(at) else { return None };
        let object = self.heap.object(id)?;
        let size = object.size;
        let pointer = RootId::of_object(object).and_then(|root| self.origins()?.pointer_of(root));
        Some(match pointer {
            Some((pointer, offset)) => {
                let (name, address) = (format!("*{pointer}"), pointer.to_owned());
                Object { name, address, offset: offset.cast_signed(), asked, size }
            }
            None => {
                let name = match object.kind {
                    ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => {
                        self.heap.program().globals[global].name.clone()
                    }
                    _ => self.heap.name_of(address(id, 0)),
                };
                Object { address: format!("&{name}"), name, offset: 0, asked, size }
            }
        })
    }

    fn others(&self, pointer: Term, address: u64) -> Option<Others> {
        let AddressClass::Object(id, _) = classify(address) else { return None };
        let root = RootId::of_object(self.heap.object(id)?)?;
        if !self.origins()?.is_root_of(pointer, root) {
            return None;
        }
        let alternatives = self.path.exposed(pointer)?.iter();
        let mut others = alternatives.filter(|a| !a.dangling && a.constant != 0 && a.constant != address);
        Some(match (others.next(), others.next()) {
            (None, _) => Others::Nowhere,
            (Some(one), None) if one.rest.is_some() => Others::Within(self.object(one.constant)?.name),
            (Some(one), None) => Others::One(self.name(one.constant)?),
            (Some(_), Some(_)) => Others::Several,
        })
    }

    fn lvalue(&self, anchor: Anchor, index: Option<(&str, i128)>, start: i64) -> Option<String> {
        let origins = self.origins()?;
        match anchor {
            Anchor::Pointer(pointer) => {
                self.path.exposed(pointer)?;
                Some(origins.behind_pointer(pointer, self.symbol(pointer)?, index, start))
            }
            Anchor::Root(root) => Some(origins.behind_root(RootId::from_index(root as usize), index, start)),
            Anchor::Address(at) => {
                let AddressClass::Object(id, offset) = classify(at) else { return None };
                match (self.heap.object(id)?.kind, RootId::of_object(self.heap.object(id)?)) {
                    (_, Some(root)) => Some(origins.behind_root(root, index, start.wrapping_add(offset))),
                    (ObjectKind::Global(global), None) => {
                        Some(origins.behind_global(global, index, start.wrapping_add(offset)))
                    }
                    _ => None,
                }
            }
            Anchor::Nothing => {
                let (index, scale) = index?;
                Some(format!("*({index} * {scale} + {start})").replace(" * 1 +", " +").replace(" + 0)", ")"))
            }
        }
    }

    fn loaded(&self, value: Term) -> Option<Loaded> {
        Some(match *self.origins()?.loaded.get(&value)? {
            SymValue::Constant(at) => Loaded::At(at),
            SymValue::Term(at) => Loaded::Behind(at),
        })
    }

    fn comparison(&self, truth: Term) -> Option<(CmpOp, Term, Term)> {
        self.origins()?.comparisons.get(&truth).copied()
    }

    fn may_point(&self, symbol: Term) -> bool {
        self.path.exposed(symbol).is_some() || self.origins().is_some_and(|origins| origins.may_point(symbol))
    }

    fn extent(&self, symbol: Term) -> Option<Extent> {
        let (root, is_end) = match self.domain.source_of(symbol)? {
            SymbolSource::ExtentStart { root } => (root, false),
            SymbolSource::ExtentEnd { root } => (root, true),
            SymbolSource::Register { .. }
            | SymbolSource::Memory { .. }
            | SymbolSource::Quotient { .. }
            | SymbolSource::WaitStart { .. }
            | SymbolSource::NoThread { .. } => return None,
        };
        let (pointer, _) = self.origins()?.pointer_of(RootId::from_index(root as usize))?;
        Some(Extent { name: format!("*{pointer}"), root, is_end })
    }
}
