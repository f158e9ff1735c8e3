//! Whether each store of a link leaves links without a ring, if there was none.
//!
//! What counts are all links that were ever stored, be they overwritten or not: an edge from the object that was
//! written to the one whose address was. A store closes no ring of such edges if
//!
//! 1. the written object is [private](super::fresh), and what is stored is not its own address: no edge leads to it (a
//!    new head of a list);
//! 2. the stored address is that of a private object, and nothing is behind that but what edges lead to from the
//!    written object: its own links are not set yet, or lead there (a new element at the end or in the middle, a new
//!    leaf);
//! 3. edges lead from the written object to the stored address already (an element is taken out, or put back);
//! 4. it is null.
//!
//! Of what a function returns each possibility counts: one of its arguments, a new private object, or null.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_ir::{
    Callee, Const, Definition, FuncId, Function, Op, Operand, Origin, ProgramPoint, Terminator, UnOp, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::flow::{Point, Structure, defined_at, is_among, is_behind, leads_to, point};
use super::fresh::Fresh;
use super::links::Links;
use crate::budgets::BUDGETS;

/// What a pointer may be.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Source {
    Null,
    /// A new private object: the value that it was made as, and whether its links may be set.
    New {
        made: ValueId,
        is_linked: bool,
    },
    /// What it is in the function.
    Value(Operand),
}

/// What a function returns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Returned {
    Null,
    New { is_linked: bool },
    Argument(usize),
}

/// The pairs of block parameters of which it is being looked whether links lead from one to the other.
type Pairs = Vec<(ValueId, ValueId)>;

/// Looks at the stores of some links.
pub(super) struct Preservation<'a, 'm, 'p> {
    code: &'a Code<'m, 'p>,
    links: &'a Links,
    stores: &'a BTreeSet<ProgramPoint>,
    fresh: Fresh<'a, 'm, 'p>,
    returns: RefCell<FxHashMap<FuncId, Option<Vec<Returned>>>>,
    given: RefCell<FxHashMap<(FuncId, usize), Option<bool>>>,
}

/// A function that is looked at.
struct Body<'b> {
    func: FuncId,
    function: &'b Function,
    structure: Arc<Structure>,
}

impl<'a, 'm, 'p> Preservation<'a, 'm, 'p> {
    pub(super) fn new(code: &'a Code<'m, 'p>, links: &'a Links, stores: &'a BTreeSet<ProgramPoint>) -> Self {
        let fresh = Fresh::new(code);
        Self { code, links, stores, fresh, returns: RefCell::default(), given: RefCell::default() }
    }

    /// Whether all of them leave links without a ring.
    pub(super) fn holds(&self) -> bool {
        self.stores.iter().all(|&at| self.preserves(at))
    }

    fn body(&self, func: FuncId) -> Body<'p> {
        let function = &self.code.program.functions[func];
        Body { func, function, structure: self.code.structure(func) }
    }

    fn preserves(&self, at: ProgramPoint) -> bool {
        let body = self.body(at.func);
        let here = point(at);
        match body.function.blocks[at.block].insts[at.inst as usize].op {
            Op::Store { address, value, .. } => {
                let written = root(&body, address);
                let Some(sources) = self.sources(&body, value) else { return false };
                let is_new = self.writes_new(&body, written, here);
                let keeps = |source: &Source| match is_new {
                    Some(made) => !self.may_be(&body, *source, made),
                    None => self.closes_no_ring(&body, (written, here), *source),
                };
                sources.iter().all(keeps)
            }
            // What is copied holds no address of what nobody knows of.
            Op::MemCopy { to, .. } => self.writes_new(&body, root(&body, to), here).is_some(),
            _ => false,
        }
    }

    /// The private object that an address points into at a point, if it does.
    fn writes_new(&self, body: &Body<'_>, written: Operand, at: Point) -> Option<ValueId> {
        let made = written.value().filter(|&value| self.is_made(body, value))?;
        self.is_private(body, made, at).then_some(made)
    }

    /// Whether a value is the address of an object that was made for it.
    fn is_made(&self, body: &Body<'_>, value: ValueId) -> bool {
        match body.structure.definitions.of(value) {
            Some(Definition::Argument(at)) => self.is_given(body.func, at).is_some(),
            Some(Definition::Inst(..)) => self.made_by_call(body, value).is_some(),
            _ => false,
        }
    }

    /// Whether a value is the result of a call that makes a private object, or is null; and whether its links may be
    /// set.
    fn made_by_call(&self, body: &Body<'_>, value: ValueId) -> Option<bool> {
        let inst = body.structure.definitions.inst(body.function, value)?;
        let Op::Call { callee: Callee::Direct(callee), .. } = inst.op else { return None };
        if self.fresh.is_allocation(callee) {
            return Some(false);
        }
        let mut is_linked = false;
        for returned in self.returns(callee)? {
            match returned {
                Returned::Null => {}
                Returned::New { is_linked: linked } => is_linked |= linked,
                Returned::Argument(_) => return None,
            }
        }
        Some(is_linked)
    }

    /// Whether nobody else knows of an object at a point.
    fn is_private(&self, body: &Body<'_>, made: ValueId, at: Point) -> bool {
        if !is_behind(&body.structure, made, at) {
            return false;
        }
        let aliases = self.fresh.aliases(body.func, &body.structure, made);
        let again = defined_at(&body.structure, made);
        let escapes = self.fresh.escapes(body.func, &aliases);
        !escapes.into_iter().any(|from| leads_to(body.function, &body.structure, from, at, again))
    }

    /// What links of a private object are set to on the way to a point: `None` where that is not known.
    fn set_links(&self, body: &Body<'_>, made: ValueId, at: Point) -> Option<Vec<Operand>> {
        let aliases = self.fresh.aliases(body.func, &body.structure, made);
        let again = defined_at(&body.structure, made);
        if self.hands_to_store(body, &aliases, |from| leads_to(body.function, &body.structure, from, at, again)) {
            return None;
        }
        let mut found = Vec::new();
        for store in self.stores.iter().filter(|store| store.func == body.func) {
            let from = point(*store);
            let (address, value) = match body.function.blocks[store.block].insts[store.inst as usize].op {
                Op::Store { address, value, .. } => (address, Some(value)),
                Op::MemCopy { to, .. } => (to, None),
                _ => return None,
            };
            let is_own = is_among(&aliases, root(body, address)) || is_among(&aliases, address);
            if is_own && leads_to(body.function, &body.structure, from, at, again) {
                found.push(value?);
            }
        }
        Some(found)
    }

    /// Whether one of some pointers is handed, at a point of these, to a function that may store a link.
    fn hands_to_store(&self, body: &Body<'_>, of: &FxHashSet<ValueId>, is_asked: impl Fn(Point) -> bool) -> bool {
        body.function.blocks.iter().any(|(block, code)| {
            code.insts.iter().enumerate().any(|(index, inst)| match &inst.op {
                Op::Call { callee: Callee::Direct(callee), args } => {
                    args.iter().any(|&arg| is_among(of, arg))
                        && self.code.may_run(*callee, self.stores)
                        && is_asked((block, index + 1))
                }
                _ => false,
            })
        })
    }

    /// Whether something may be the address of a private object.
    fn may_be(&self, body: &Body<'_>, source: Source, made: ValueId) -> bool {
        match source {
            Source::Null => false,
            Source::New { made: other, .. } => other == made,
            Source::Value(operand) => {
                let aliases = self.fresh.aliases(body.func, &body.structure, made);
                is_among(&aliases, operand) || is_among(&aliases, root(body, operand))
            }
        }
    }

    /// Whether an object that is not private may be linked to what is stored.
    fn closes_no_ring(&self, body: &Body<'_>, (written, at): (Operand, Point), source: Source) -> bool {
        match source {
            Source::Null => true,
            Source::New { made, is_linked } => {
                let is_other = !self.may_be(body, Source::Value(written), made);
                is_other
                    && !is_linked
                    && self.is_private(body, made, at)
                    && self.set_links(body, made, at).is_some_and(|set| {
                        set.iter().all(|&behind| self.is_behind_links(body, written, behind, &mut Pairs::new()))
                    })
            }
            Source::Value(value) => self.is_behind_links(body, written, value, &mut Pairs::new()),
        }
    }

    /// Whether edges lead from one object to another, one at least, or there is no other: links that were read, each by
    /// itself.
    fn is_behind_links(&self, body: &Body<'_>, from: Operand, to: Operand, looking: &mut Pairs) -> bool {
        let Operand::Value(value) = to else { return is_null(to) };
        match body.structure.definitions.of(value) {
            Some(Definition::Inst(block, index)) => {
                let Op::Load { address, access } = body.function.blocks[block].insts[index].op else { return false };
                let is_plain = !access.volatile && access.atomic.is_none();
                let before = root(body, address);
                let leads = before == from || self.is_behind_links(body, from, before, looking);
                is_plain && leads && self.reads_link(body, address)
            }
            Some(Definition::Parameter(block, index)) => {
                let Operand::Value(first) = from else { return false };
                let Some(Definition::Parameter(other, first_index)) = body.structure.definitions.of(first) else {
                    return false;
                };
                if other != block || looking.contains(&(first, value)) {
                    return other == block;
                }
                looking.push((first, value));
                let from = body.structure.cfg.predecessors(block).iter();
                let edges = from.flat_map(|&from| {
                    let all = body.function.blocks[from].terminator.edges().filter(|edge| edge.target == block);
                    all.map(move |edge| (edge.args[first_index], edge.args[index]))
                });
                edges
                    .into_iter()
                    .all(|(first, second)| is_null(first) || self.is_behind_links(body, first, second, looking))
            }
            _ => false,
        }
    }

    /// Whether a load reads nothing but such links.
    fn reads_link(&self, body: &Body<'_>, address: Operand) -> bool {
        let points_to = self.code.modref.points_to();
        points_to.instances_of(body.func).iter().all(|&instance| {
            let info = points_to.accessible(&points_to.pointer_info_in(instance, address));
            self.links.are_at(&info.locations)
        })
    }

    /// What a value may be; `None` where there is too much of it.
    fn sources(&self, body: &Body<'_>, value: Operand) -> Option<Vec<Source>> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        self.add_sources(body, value, &mut found, &mut seen, 0).then_some(found)
    }

    fn add_sources(
        &self,
        body: &Body<'_>,
        operand: Operand,
        found: &mut Vec<Source>,
        seen: &mut FxHashSet<ValueId>,
        depth: usize,
    ) -> bool {
        let Operand::Value(value) = operand else {
            found.push(if is_null(operand) { Source::Null } else { Source::Value(operand) });
            return true;
        };
        if !seen.insert(value) || depth > BUDGETS.pointer_steps {
            return depth <= BUDGETS.pointer_steps;
        }
        match body.structure.definitions.of(value) {
            Some(Definition::Parameter(block, index)) => {
                // One that goes around a loop is what it is.
                if body.structure.loops.headed_by(block).is_some() {
                    found.push(Source::Value(operand));
                    return true;
                }
                let incoming = body.structure.cfg.predecessors(block).iter().flat_map(|&from| {
                    let edges = body.function.blocks[from].terminator.edges();
                    edges.filter(|edge| edge.target == block).map(|edge| edge.args[index])
                });
                incoming.into_iter().all(|arg| self.add_sources(body, arg, found, seen, depth + 1))
            }
            Some(Definition::Argument(at)) => {
                found.push(match self.is_given(body.func, at) {
                    Some(is_linked) => Source::New { made: value, is_linked },
                    None => Source::Value(operand),
                });
                true
            }
            Some(Definition::Inst(block, index)) => {
                self.add_sources_of(body, (value, &body.function.blocks[block].insts[index].op), found, seen, depth)
            }
            None => false,
        }
    }

    fn add_sources_of(
        &self,
        body: &Body<'_>,
        (value, op): (ValueId, &Op),
        found: &mut Vec<Source>,
        seen: &mut FxHashSet<ValueId>,
        depth: usize,
    ) -> bool {
        let mut add = |operand: Operand| self.add_sources(body, operand, found, seen, depth + 1);
        match op {
            Op::Select { a, b, .. } => add(*a) && add(*b),
            Op::Unary { op: UnOp::Freeze, a } => add(*a),
            Op::Call { callee: Callee::Direct(callee), args } => {
                if let Some(is_linked) = self.made_by_call(body, value) {
                    found.push(Source::New { made: value, is_linked });
                    return true;
                }
                let Some(returned) = self.returns(*callee) else {
                    found.push(Source::Value(Operand::Value(value)));
                    return true;
                };
                returned.into_iter().all(|returned| match returned {
                    Returned::Null => true,
                    // A new object that only this call has made: what else it may return is told by itself.
                    Returned::New { is_linked } => {
                        found.push(Source::New { made: value, is_linked });
                        true
                    }
                    Returned::Argument(at) => {
                        args.get(at).is_some_and(|&arg| self.add_sources(body, arg, found, seen, depth + 1))
                    }
                })
            }
            _ => {
                found.push(Source::Value(Operand::Value(value)));
                true
            }
        }
    }

    /// What a function of the program returns; `None` where that is something else.
    fn returns(&self, func: FuncId) -> Option<Vec<Returned>> {
        if let Some(known) = self.returns.borrow().get(&func) {
            return known.clone();
        }
        self.returns.borrow_mut().insert(func, None);
        let found = self.look_at_returns(func);
        self.returns.borrow_mut().insert(func, found.clone());
        found
    }

    fn look_at_returns(&self, func: FuncId) -> Option<Vec<Returned>> {
        let body = self.body(func);
        if body.function.is_declaration() || body.function.origin == Origin::Model || body.function.results.len() != 1 {
            return None;
        }
        let mut found = Vec::new();
        for (block, code) in body.function.blocks.iter() {
            let Terminator::Return(values) = &code.terminator else { continue };
            let at = (block, code.insts.len() + 1);
            for source in self.sources(&body, *values.first()?)? {
                found.push(self.returned(&body, at, source)?);
            }
        }
        Some(found)
    }

    fn returned(&self, body: &Body<'_>, at: Point, source: Source) -> Option<Returned> {
        match source {
            Source::Null => Some(Returned::Null),
            Source::New { made, is_linked } => {
                if let Some(Definition::Argument(at)) = body.structure.definitions.of(made) {
                    return Some(Returned::Argument(at));
                }
                let set = self.set_links(body, made, at);
                let is_set = set.is_none_or(|set| set.iter().any(|&v| !is_null(v)));
                self.is_private(body, made, at).then_some(Returned::New { is_linked: is_linked || is_set })
            }
            Source::Value(Operand::Value(value)) => match body.structure.definitions.of(value) {
                Some(Definition::Argument(at)) => Some(Returned::Argument(at)),
                _ => None,
            },
            Source::Value(Operand::Const(_)) => None,
        }
    }

    /// Whether each call of a function hands it a private object as this argument, and nothing else that is computed
    /// from it; and whether its links may be set then.
    fn is_given(&self, func: FuncId, at: usize) -> Option<bool> {
        if let Some(&known) = self.given.borrow().get(&(func, at)) {
            return known;
        }
        self.given.borrow_mut().insert((func, at), None);
        let found = self.look_at_calls(func, at);
        self.given.borrow_mut().insert((func, at), found);
        found
    }

    fn look_at_calls(&self, func: FuncId, at: usize) -> Option<bool> {
        let code = self.code;
        let main = code.program.main?;
        let callers = code.calls.callers(func);
        if main == func || code.calls.is_address_taken(func) || callers.is_empty() {
            return None;
        }
        let mut is_linked = false;
        let all = callers.iter().all(|&caller| self.gives(caller, func, at, &mut is_linked));
        all.then_some(is_linked)
    }

    fn gives(&self, caller: FuncId, func: FuncId, at: usize, is_linked: &mut bool) -> bool {
        let body = self.body(caller);
        body.function.blocks.iter().all(|(block, code)| {
            code.insts.iter().enumerate().all(|(index, inst)| {
                let Op::Call { callee: Callee::Direct(callee), args } = &inst.op else { return true };
                *callee != func || self.hands_over(&body, (block, index + 1), args, at, is_linked)
            })
        })
    }

    fn hands_over(&self, body: &Body<'_>, here: Point, args: &[Operand], at: usize, is_linked: &mut bool) -> bool {
        let Some(&Operand::Value(value)) = args.get(at) else { return false };
        let aliases = self.fresh.aliases(body.func, &body.structure, value);
        let others = args.iter().enumerate().any(|(other, arg)| other != at && is_among(&aliases, *arg));
        let comes_linked = match body.structure.definitions.of(value) {
            Some(Definition::Argument(at)) => self.is_given(body.func, at),
            _ => self.made_by_call(body, value),
        };
        let set = self.set_links(body, value, here);
        *is_linked |= comes_linked != Some(false) || set.is_none_or(|set| set.iter().any(|&v| !is_null(v)));
        !others && self.is_made(body, value) && self.is_private(body, value, here)
    }
}

/// Whether an operand is the null pointer.
fn is_null(operand: Operand) -> bool {
    operand == Operand::Const(Const::NULL)
}

/// The pointer that an address was computed from.
fn root(body: &Body<'_>, mut address: Operand) -> Operand {
    for _ in 0..BUDGETS.pointer_steps {
        let Operand::Value(value) = address else { return address };
        match body.structure.definitions.inst(body.function, value).map(|inst| &inst.op) {
            Some(Op::Address { base, .. } | Op::Unary { op: UnOp::Freeze, a: base }) => address = *base,
            _ => return address,
        }
    }
    address
}
