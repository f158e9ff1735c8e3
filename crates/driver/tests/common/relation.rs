//! Which concrete value each symbol stands for (Bergan 2.7, Definition 1; appendix B, Definition 2: partial
//! equivalence).
//!
//! Symbols get their values by access path: registers from the thread's frame, memory from the object that corresponds
//! to the root. Objects correspond by what they are, those that pointers of the initial state lead to by walking these
//! pointers in the order in which the path exposed them: the first pointer to a concrete object makes it correspond to
//! its primary object. An address of a concrete object that corresponds to none (yet) is a number of its own, different
//! from all others.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::EntityId as _;
use icsched_machine::domain::Synchronisation as _;
use icsched_machine::memory::{AddressClass, ObjectId, ObjectKind, address, classify, global_object};
use icsched_machine::{State, ThreadStatus};
use icsched_smt::{Evaluation, Model, Term};
use icsched_symbolic::symbolic::InitialObjects as _;
use icsched_symbolic::symbolic::{SymValue, SymbolSource, SymbolicDomain};

use crate::common::recorded::{Concrete, Recorded, object_at, word};

/// Why a comparison ended before its end.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The theorem does not hold.
    Wrong(String),
    /// From here on nothing can be compared.
    Cut(&'static str),
}

/// Ids of concrete objects that correspond to none are moved here.
const ELSEWHERE: u32 = 0x4000_0000;
/// Bounds of an object that the concrete state does not have.
const ANYWHERE: u64 = 1 << 40;

/// An address that memory is known to hold.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Pointer {
    /// The object that holds it, and where.
    pub(crate) within: ObjectId,
    pub(crate) at: u64,
    pub(crate) address: u64,
}

/// An assignment of the symbols of an initial state, and the correspondence of objects on one path.
pub(crate) struct Relation<'a> {
    recorded: &'a Recorded,
    initial: &'a State<SymbolicDomain>,
    /// Concrete object: symbolic object, and what is added to offsets.
    objects: BTreeMap<ObjectId, (ObjectId, u64)>,
    /// Objects of the initial state by the roots that they hold.
    of_root: BTreeMap<u32, ObjectId>,
    /// Roots that no concrete object corresponds to.
    phantoms: BTreeSet<u32>,
    /// Values of pointers in such roots.
    free: BTreeMap<Term, u64>,
    exposures: usize,
    model: Model,
    known: Evaluation,
}

impl<'a> Relation<'a> {
    pub(crate) fn new(recorded: &'a Recorded, initial: &'a State<SymbolicDomain>) -> Self {
        let mut relation = Self {
            recorded,
            initial,
            objects: BTreeMap::new(),
            of_root: BTreeMap::new(),
            phantoms: BTreeSet::new(),
            free: BTreeMap::new(),
            exposures: 0,
            model: Model::new(),
            known: Evaluation::default(),
        };
        for (id, object) in initial.heap.live_objects() {
            if let Some(root) = initial.heap.root_number(id) {
                relation.of_root.insert(root, id);
            }
            if let Some(concrete) = relation.counterpart(id, object.kind) {
                relation.objects.insert(concrete, (id, 0));
            }
        }
        relation
    }

    /// The concrete object that a variable of the initial state is.
    fn counterpart(&self, id: ObjectId, kind: ObjectKind) -> Option<ObjectId> {
        let frame_of = |frame| {
            let position = |(i, t): (usize, &std::rc::Rc<icsched_machine::Thread<SymbolicDomain>>)| {
                Some((i, t.frames.iter().position(|f| f.id == frame)?))
            };
            self.initial.threads.iter().enumerate().find_map(position)
        };
        match kind {
            ObjectKind::Global(_) => Some(id),
            ObjectKind::ThreadLocal(global, thread) => {
                let thread = self.recorded.thread(thread.index());
                thread.thread_locals.get(global.index()).copied().flatten()
            }
            ObjectKind::Stack { frame, func, value } => {
                let (index, depth) = frame_of(frame)?;
                let frame = self.recorded.frame(index, depth)?.id;
                let kind = ObjectKind::Stack { frame, func, value };
                let is_it = |&&id: &&ObjectId| self.recorded.state.heap.object(id).is_some_and(|o| o.kind == kind);
                self.recorded.thread(index).stack_objects.iter().find(is_it).copied()
            }
            ObjectKind::VarArgs(frame) => {
                let (index, depth) = frame_of(frame)?;
                self.recorded.frame(index, depth)?.varargs
            }
            ObjectKind::Heap
            | ObjectKind::Argument(_)
            | ObjectKind::ArgumentVector
            | ObjectKind::Environment(_)
            | ObjectKind::EnvironmentVector
            | ObjectKind::Initial(_) => None,
        }
    }

    /// Objects correspond whose addresses are held by objects that do, in registers and in memory.
    pub(crate) fn follow(&mut self, pointers: &[Pointer]) {
        for (index, thread) in self.initial.threads.iter().enumerate() {
            for (depth, frame) in thread.frames.iter().enumerate() {
                let Some(own) = self.recorded.frame(index, depth) else { continue };
                let (base, own_base) = (frame.base as usize, own.base as usize);
                let end = thread.frames.get(depth + 1).map_or(thread.registers.len(), |f| f.base as usize);
                for (at, value) in thread.registers[base..end].iter().enumerate() {
                    let real = self.recorded.thread(index).registers.get(own_base + at).copied();
                    if let (SymValue::Constant(address), Some(real)) = (value, real) {
                        self.identify(real, *address);
                    }
                }
            }
        }
        let mut open: Vec<&Pointer> = pointers.iter().collect();
        loop {
            let before = open.len();
            open.retain(|pointer| {
                let Some(at) = self.untranslate(address(pointer.within, pointer.at)) else { return true };
                if let Some(real) = word(&self.recorded.state, at, 8) {
                    self.identify(real, pointer.address);
                }
                false
            });
            if open.len() == before {
                return;
            }
        }
    }

    /// Two addresses are the same one, if they are of objects from the heap.
    fn identify(&mut self, real: u64, symbolic: u64) {
        let (AddressClass::Object(id, at), Some((concrete, offset))) =
            (classify(symbolic), object_at(&self.recorded.state, real))
        else {
            return;
        };
        let is_heap = self.initial.heap.object(id).is_some_and(|o| matches!(o.kind, ObjectKind::Initial(_)));
        let is_known = self.objects.contains_key(&concrete) || self.objects.values().any(|(known, _)| *known == id);
        if is_heap && !is_known {
            self.objects.insert(concrete, (id, at.cast_unsigned().wrapping_sub(offset)));
        }
    }

    /// Says that an object that was made since corresponds to one.
    pub(crate) fn correspond(&mut self, concrete: ObjectId, symbolic: ObjectId) {
        self.objects.insert(concrete, (symbolic, 0));
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = (ObjectId, ObjectId, u64)> {
        self.objects.iter().map(|(&concrete, &(symbolic, shift))| (concrete, symbolic, shift))
    }

    /// A concrete value as the symbolic state has it. `state` is the one in which it is a value.
    pub(crate) fn translate(&self, state: &Concrete, bits: u64) -> u64 {
        let AddressClass::Object(id, offset) = classify(bits) else { return bits };
        let Some(object) = state.heap.object(id) else { return bits };
        if !(0..=object.size.cast_signed()).contains(&offset) {
            return bits;
        }
        match self.objects.get(&id) {
            Some(&(symbolic, shift)) => address(symbolic, offset.cast_unsigned().wrapping_add(shift)),
            None => address(ObjectId(ELSEWHERE + id.0), offset.cast_unsigned()),
        }
    }

    /// The other way round; `None` for an address of an object that the concrete state does not have.
    pub(crate) fn untranslate(&self, bits: u64) -> Option<u64> {
        let AddressClass::Object(id, offset) = classify(bits) else { return Some(bits) };
        let found = self.objects.iter().find(|(_, (symbolic, _))| *symbolic == id);
        let (concrete, (_, shift)) = found?;
        Some(address(*concrete, offset.cast_unsigned().wrapping_sub(*shift)))
    }

    /// Whether a root is of a variable of the initial state, or of what no concrete object corresponds to.
    pub(crate) fn knows_root(&self, root: u32) -> bool {
        self.of_root.contains_key(&root) || self.phantoms.contains(&root)
    }

    /// Follows the pointers that a path has exposed since the last call.
    pub(crate) fn expose(&mut self, domain: &SymbolicDomain, state: &State<SymbolicDomain>) -> Result<(), Ended> {
        for (pointer, addresses) in state.path.exposures().skip(self.exposures) {
            self.exposures += 1;
            self.model = Model::new();
            self.known = Evaluation::default();
            let is_own = |&&at: &&u64| {
                let AddressClass::Object(id, _) = classify(at) else { return false };
                let kind = state.heap.object(id).map(|o| o.kind);
                matches!(kind, Some(ObjectKind::Initial(root)) if domain.pointer_of_root(root).is_some_and(|p| p.0 == pointer))
            };
            let own = addresses.iter().find(is_own).copied();
            let Some(bits) = self.raw(domain, pointer)? else {
                let chosen = addresses.iter().find(|at| **at == 0).or(addresses.last()).copied();
                self.free.insert(pointer, chosen.unwrap_or(0));
                continue;
            };
            let (id, at) = match classify(bits) {
                AddressClass::Object(id, at) => (id, at),
                AddressClass::Null if bits == 0 => continue,
                AddressClass::Function(_) => continue,
                // A number, which is not used as a pointer.
                AddressClass::Null | AddressClass::Other => continue,
            };
            let is_number = |size: u64| !(0..=size.cast_signed()).contains(&at);
            if self.recorded.state.heap.object(id).is_none_or(|o| is_number(o.size)) {
                continue;
            }
            let Some((concrete, offset)) = object_at(&self.recorded.state, bits) else {
                return Err(Ended::Cut("a pointer to what is gone"));
            };
            let own = own.map(classify);
            if let Some(&(known, _)) = self.objects.get(&concrete) {
                if let Some(AddressClass::Object(id, _)) = own
                    && id != known
                    && let Some(root) = state.heap.root_number(id)
                {
                    self.phantoms.insert(root);
                }
                continue;
            }
            let Some(AddressClass::Object(symbolic, origin)) = own else {
                let name = domain.pool.symbol_name(pointer).unwrap_or("?");
                let what = self.recorded.state.heap.name_of(bits);
                return Err(Ended::Wrong(format!(
                    "`{name}` points to {what}, which is none of the objects that it may point to"
                )));
            };
            let own = (symbolic, origin.cast_unsigned().wrapping_sub(offset));
            let (symbolic, shift) = self.first_primary(domain, state, &addresses, concrete)?.unwrap_or(own);
            if symbolic != own.0
                && let Some(root) = state.heap.root_number(own.0)
            {
                self.phantoms.insert(root);
            }
            self.objects.insert(concrete, (symbolic, shift));
        }
        Ok(())
    }

    /// Of the objects that a pointer may point to, the primary object of the first pointer that points to a concrete
    /// one, and where that begins in it: other paths may have used that pointer.
    fn first_primary(
        &mut self,
        domain: &SymbolicDomain,
        state: &State<SymbolicDomain>,
        addresses: &[u64],
        concrete: ObjectId,
    ) -> Result<Option<(ObjectId, u64)>, Ended> {
        let mut primaries: Vec<(u32, ObjectId)> = Vec::new();
        for &at in addresses {
            let AddressClass::Object(id, _) = classify(at) else { continue };
            if let Some(ObjectKind::Initial(root)) = state.heap.object(id).map(|object| object.kind) {
                primaries.push((root, id));
            }
        }
        primaries.sort_unstable();
        for (root, id) in primaries {
            let Some((pointer, origin)) = domain.pointer_of_root(root) else { continue };
            let Some(bits) = self.raw(domain, pointer)? else { continue };
            match object_at(&self.recorded.state, bits) {
                Some((found, offset)) if found == concrete => return Ok(Some((id, origin.wrapping_sub(offset)))),
                _ => {}
            }
        }
        Ok(None)
    }

    /// The concrete address of the first byte of a root; `None` if there is none.
    pub(crate) fn base(&mut self, domain: &SymbolicDomain, root: u32) -> Result<Option<u64>, Ended> {
        if self.phantoms.contains(&root) {
            return Ok(None);
        }
        if let Some((pointer, origin)) = domain.pointer_of_root(root) {
            return Ok(self.raw(domain, pointer)?.map(|bits| bits.wrapping_sub(origin)));
        }
        let Some(&id) = self.of_root.get(&root) else { return Ok(None) };
        // Thread-local variables may have been made since.
        let was_there = |concrete: &ObjectId| self.recorded.state.heap.object(*concrete).is_some();
        let mut all = self.objects.iter();
        let concrete = all.find(|(c, (symbolic, _))| *symbolic == id && was_there(c)).map(|(&concrete, _)| concrete);
        let template = || match self.initial.heap.object(id)?.kind {
            ObjectKind::ThreadLocal(global, _) => Some(global_object(global)),
            _ => None,
        };
        Ok(concrete.or_else(template).map(|object| address(object, 0)))
    }

    /// The concrete value of a symbol; `None` if the concrete state has nothing there.
    fn raw(&mut self, domain: &SymbolicDomain, symbol: Term) -> Result<Option<u64>, Ended> {
        let Some(source) = domain.source_of(symbol) else { return Err(Ended::Cut("an input")) };
        match source {
            SymbolSource::Register { thread, symbol } => {
                if let Some(path) = symbol.inside {
                    let Some(frame) = self.recorded.frame(thread, symbol.frame as usize) else { return Ok(None) };
                    let path = domain.call_path(path).ok_or(Ended::Cut("an activation of another context"))?;
                    return Ok(self.recorded.returned.register(frame.id, path, symbol.value));
                }
                let Some(slot) = self.recorded.slot(thread, symbol) else { return Ok(None) };
                Ok(self.recorded.thread(thread).registers.get(slot).copied())
            }
            SymbolSource::Quotient { op, a, b } => {
                let width = u8::try_from(domain.pool.width(symbol)).map_err(|_| Ended::Cut("a wide division"))?;
                let (a, b) = (self.eval(domain, a)?, self.eval(domain, b)?);
                Ok(icsched_machine::arith::binary(op, icsched_ir::Type::Int(width), a, b).ok())
            }
            SymbolSource::Memory { root, offset } => {
                let Some(at) = self.place(domain, root, &offset)? else { return Ok(None) };
                Ok(word(&self.recorded.state, at, u64::from(domain.pool.width(symbol) / 8)))
            }
            SymbolSource::ExtentStart { root } | SymbolSource::ExtentEnd { root } => {
                let is_start = matches!(source, SymbolSource::ExtentStart { .. });
                let base = self.base(domain, root)?;
                let found = base.and_then(|at| {
                    let AddressClass::Object(id, _) = classify(self.pointer_into(domain, root)?) else { return None };
                    let size = self.recorded.state.heap.object(id)?.size;
                    let start = address(id, 0).wrapping_sub(at);
                    Some(if is_start { start } else { start.wrapping_add(size) })
                });
                let anywhere = if is_start { ANYWHERE.wrapping_neg() } else { ANYWHERE };
                Ok(Some(found.unwrap_or(anywhere)))
            }
            SymbolSource::WaitStart { thread } => {
                let since = |index: usize| match self.recorded.thread(index).status {
                    ThreadStatus::Waiting { since, .. } => Some(since),
                    ThreadStatus::Enabled
                    | ThreadStatus::AtMarker
                    | ThreadStatus::Finished
                    | ThreadStatus::Left
                    | ThreadStatus::Endless => None,
                };
                let own = since(thread);
                let later = (0..self.recorded.views.len()).filter(|&i| since(i) >= own).count();
                Ok(Some((later as u64).wrapping_neg()))
            }
            SymbolSource::NoThread { handle } => {
                let handle = self.value(domain, &handle)?;
                let table = domain.thread_table().filter(|t| (0..t.slots).any(|slot| t.handle(slot) == handle));
                let state = table.and_then(|t| word(&self.recorded.state, t.state_of(handle), 1));
                Ok(Some(u64::from(state.unwrap_or(0) == 0)))
            }
        }
    }

    fn pointer_into(&mut self, domain: &SymbolicDomain, root: u32) -> Option<u64> {
        let (pointer, _) = domain.pointer_of_root(root)?;
        self.raw(domain, pointer).ok()?
    }

    fn place(&mut self, domain: &SymbolicDomain, root: u32, offset: &SymValue) -> Result<Option<u64>, Ended> {
        let Some(base) = self.base(domain, root)? else { return Ok(None) };
        let offset = self.value(domain, offset)?;
        Ok(Some(base.wrapping_add(offset)))
    }

    /// The value of a symbol in the symbolic state.
    fn assigned(&mut self, domain: &SymbolicDomain, symbol: Term) -> Result<u64, Ended> {
        if let Some(&chosen) = self.free.get(&symbol) {
            return Ok(chosen);
        }
        let Some(bits) = self.raw(domain, symbol)? else { return Ok(0) };
        let width = domain.pool.width(symbol);
        match domain.source_of(symbol) {
            Some(SymbolSource::Register { .. } | SymbolSource::Memory { .. }) if width == 64 => {
                Ok(self.translate(&self.recorded.state, bits))
            }
            // A part of a pointer.
            Some(SymbolSource::Memory { root, offset }) => {
                let Some(at) = self.place(domain, root, &offset)? else { return Ok(bits) };
                let Some(whole) = word(&self.recorded.state, at & !7, 8) else { return Ok(bits) };
                let moved = self.translate(&self.recorded.state, whole);
                if moved == whole || (at & 7) * 8 + u64::from(width) > 64 {
                    return Ok(bits);
                }
                let mask = (1 << width) - 1;
                Ok(moved >> ((at & 7) * 8) & mask)
            }
            _ => Ok(bits),
        }
    }

    /// The value of a term.
    pub(crate) fn eval(&mut self, domain: &SymbolicDomain, t: Term) -> Result<u64, Ended> {
        for &symbol in domain.pool.symbols_of(t).iter() {
            let (name, width) =
                (domain.pool.symbol_name(symbol).expect("it is a symbol").to_owned(), domain.pool.width(symbol));
            if self.model.get_sized(&name, width).is_none() {
                if width == 0 || width > 64 {
                    return Err(Ended::Cut("a symbol of an odd width"));
                }
                let value = self.assigned(domain, symbol)?;
                self.model.set(&name, width, u128::from(value));
            }
        }
        Ok(domain.pool.eval_with(t, &self.model, &mut self.known) as u64)
    }

    /// The values of a term's symbols, for messages.
    pub(crate) fn values(&mut self, domain: &SymbolicDomain, t: Term) -> String {
        let mut text = String::new();
        for &symbol in domain.pool.symbols_of(t).iter().take(12) {
            let (name, raw) = (domain.pool.symbol_name(symbol).unwrap_or("?"), self.raw(domain, symbol));
            let real = raw.ok().flatten().map(|bits| self.recorded.state.heap.name_of(bits));
            let value = self.eval(domain, symbol).unwrap_or(0);
            text += &format!("\n    {name} = {value:#x} ({real:?})");
        }
        text
    }

    pub(crate) fn value(&mut self, domain: &SymbolicDomain, value: &SymValue) -> Result<u64, Ended> {
        match *value {
            SymValue::Constant(bits) => Ok(bits),
            SymValue::Term(t) => self.eval(domain, t),
        }
    }
}
