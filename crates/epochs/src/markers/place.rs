//! Placement, function by function, callees first.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId, FuncId, IdVec, Loop, LoopId, Program, ProgramPoint, scc};
use icsched_pointsto::ModRef;
use icsched_slicing::control::Control;
use icsched_slicing::function_control::FunctionControl;

use super::code::{Code, Kinds, is_barrier, is_library};
use super::cover::{may_pass, rounds};
use super::marker::{LoopMark, MarkerKind, MarkerOptions, Markers, Unmarked, entry};
use super::placer::Placer;
use super::recursion::{Recursion, repeated_callbacks};
use super::trivial::Bounds;

impl Markers {
    /// Places the markers of a program, whose control facts these are. `modref` tells which loads are the same
    /// throughout a loop; without it fewer loops are known to be counted.
    ///
    /// Takes O((blocks + edges + instructions) * depth of loops) for loops, and that times the number of their
    /// recursive calls for recursive functions; each marker adds one pass over its function.
    pub fn place(program: &Program, control: &Control, modref: Option<&ModRef<'_>>, options: &MarkerOptions) -> Self {
        Placer::new(program, control, modref, options).run()
    }
}

impl<'a> Placer<'a> {
    fn new(
        program: &'a Program,
        control: &'a Control,
        modref: Option<&'a ModRef<'a>>,
        options: &MarkerOptions,
    ) -> Self {
        let count = program.functions.len();
        let code = Code::new(program, control);
        Self {
            program,
            control,
            prune: options.prune,
            bounds: Bounds::new(program, control, modref),
            markers: BTreeMap::new(),
            loops: Vec::new(),
            covered: IdVec::filled(None, count),
            barriers: IdVec::filled(None, count),
            repeated: repeated_callbacks(program, control, &code),
            code,
        }
    }

    fn run(mut self) -> Markers {
        let executed = self.executed();
        for component in self.components() {
            let own = |f: &&FuncId| !is_library(&self.program.functions[**f]) && executed.contains(f.index());
            let functions: Vec<FuncId> = component.iter().filter(own).copied().collect();
            for &func in &functions {
                self.place_in_loops(func);
            }
            if !functions.is_empty() {
                Recursion::new(&component).place(&mut self);
            }
            for &func in &functions {
                self.finish(func);
            }
        }
        for (func, function) in self.program.functions.iter() {
            if !is_library(function) && !executed.contains(func.index()) {
                let unmarked = Unmarked::NeverExecuted;
                let loops = self.control.function(func).loops.iter();
                self.loops.extend(loops.map(|(id, l)| LoopMark {
                    func,
                    id,
                    header: l.header,
                    unmarked: Some(unmarked.clone()),
                }));
            }
        }
        self.loops.sort_by_key(|l| (l.func, l.id));
        Markers { markers: self.markers, loops: self.loops }
    }

    /// Functions that the start of the program or of a thread may lead to; all of them if there is no `main`.
    fn executed(&self) -> FixedBitSet {
        let program = self.program;
        let all = || program.functions.ids();
        let Some(main) = program.main else { return self.control.calls.reachable_from(all()) };
        let taken = all().filter(|&f| self.control.calls.is_address_taken(f));
        let special = program.constructors.iter().chain(&program.destructors).copied();
        self.control.calls.reachable_from([main].into_iter().chain(special).chain(taken))
    }

    /// Functions that call each other, or create threads that run each other, callees first. A library model that
    /// does not return counts as calling nothing: it ends the thread or the process, and runs each handler once.
    fn components(&self) -> Vec<Vec<FuncId>> {
        let successors = |f: usize| {
            let func = FuncId::from_index(f);
            let is_last = is_library(&self.program.functions[func]) && self.code.never_returns(func);
            let sites = if is_last { &[][..] } else { self.code.sites(func) };
            sites.iter().flat_map(|s| s.targets.iter().chain(&s.starts)).map(|t| t.index())
        };
        let found = scc::components(self.program.functions.len(), |_| true, successors);
        found.into_iter().map(|c| c.into_iter().map(FuncId::from_index).collect()).collect()
    }

    fn place_in_loops(&mut self, func: FuncId) {
        let facts = self.control.function(func);
        for (id, l) in facts.loops.iter().rev() {
            let unmarked = self.unmarked(func, facts, id);
            let mark = LoopMark { func, id, header: l.header, unmarked };
            if mark.unmarked.is_none() {
                self.mark(mark.point(), MarkerKind::Loop);
            }
            self.loops.push(mark);
        }
    }

    /// Why the loop needs no marker at its header. Marks a barrier if that is enough.
    fn unmarked(&mut self, func: FuncId, facts: &FunctionControl, id: LoopId) -> Option<Unmarked> {
        let l = facts.loops.get(id);
        let all = self.kinds_in(func, &l.blocks);
        if all.is_empty() {
            return Some(Unmarked::DoesNotSynchronise);
        }
        if !self.prune {
            return None;
        }
        if let Some(trivial) = self.bounds.trivial(func, id, all) {
            return Some(trivial);
        }
        let covers = |this: &Self, covering: &FixedBitSet| this.covers(func, facts, id, covering);
        let covering = self.covering(func);
        let inside = || facts.cfg.reverse_postorder().iter().copied().filter(|&b| l.contains(b));
        if covers(self, &covering) {
            let by = self.chosen(func, &covering, inside(), |set| covers(self, set));
            return Some(Unmarked::Covered(by));
        }
        // The first barrier in the order of dominance that is enough, here before elsewhere.
        for in_callees in [false, true] {
            for block in inside() {
                let Some(points) = self.barrier_in(func, block, in_callees) else { continue };
                let mut with = covering.clone();
                with.insert(block.index());
                if covers(self, &with) {
                    points.iter().for_each(|&point| self.mark(point, MarkerKind::Barrier));
                    self.update_callers(points.iter().map(|point| point.func).filter(|&f| f != func).collect());
                    return Some(Unmarked::Covered(points));
                }
            }
        }
        None
    }

    /// Whether iterations that enter no covering block are trivial: they wait, or the loop creates or joins threads
    /// in them and is counted. Those that do nothing would be repeated without end.
    fn covers(&self, func: FuncId, facts: &FunctionControl, id: LoopId, covering: &FixedBitSet) -> bool {
        let l = facts.loops.get(id);
        let covering = self.with_loops(func, facts, id, covering.clone());
        let kinds = self.kinds_in(func, &rounds(&facts.cfg, l, &covering));
        if !kinds.without(Kinds::WAIT).is_empty() {
            return self.bounds.trivial(func, id, kinds).is_some();
        }
        let mut busy = covering;
        let sites = self.code.sites(func).iter().filter(|site| !self.code.kinds_of(site).is_empty());
        busy.extend(sites.map(|site| site.block.index()));
        let busy = self.with_loops(func, facts, id, busy);
        rounds(&facts.cfg, l, &busy).is_clear()
    }

    /// The same blocks with headers of loops in a loop that go round at least once, and enter one of these blocks then.
    fn with_loops(&self, func: FuncId, facts: &FunctionControl, id: LoopId, mut blocks: FixedBitSet) -> FixedBitSet {
        let around = facts.loops.get(id);
        let inner = |l: &Loop| l.header != around.header && around.contains(l.header);
        for (id, l) in facts.loops.iter().rev().filter(|(_, l)| inner(l)) {
            if rounds(&facts.cfg, l, &blocks).is_clear() && self.bounds.goes_round(func, id) {
                blocks.insert(l.header.index());
            }
        }
        blocks
    }

    /// Everything that some blocks of a function may do.
    fn kinds_in(&self, func: FuncId, blocks: &FixedBitSet) -> Kinds {
        let sites = self.code.sites(func).iter().filter(|s| blocks.contains(s.block.index()));
        sites.fold(Kinds::default(), |all, site| all.or(self.code.kinds_of(site)))
    }

    /// Where to mark so that a block executes a marker at a barrier: in it, or in what it calls.
    fn barrier_in(&self, func: FuncId, block: BlockId, in_callees: bool) -> Option<Vec<ProgramPoint>> {
        let mut sites = self.code.sites(func).iter().filter(|s| s.block == block);
        if !in_callees {
            let site = sites.find(|site| is_barrier(self.program, site))?;
            return Some(vec![ProgramPoint { func, block, inst: site.inst }]);
        }
        sites.find_map(|site| {
            let known: Option<Vec<_>> = site.targets.iter().map(|&f| self.barriers[f].as_ref()).collect();
            known.filter(|k| !k.is_empty()).map(|k| k.into_iter().flatten().copied().collect())
        })
    }

    /// What callers need to know of a function, when all of its markers are placed.
    fn finish(&mut self, func: FuncId) {
        self.update(func);
        if self.repeated.contains(func.index()) && self.needs_bound(func) && self.covered[func].is_none() {
            self.mark(entry(func), MarkerKind::Callback);
            self.update(func);
        }
        let facts = self.control.function(func);
        let function = &self.program.functions[func];
        if self.prune && self.covered[func].is_none() {
            let order = facts.cfg.reverse_postorder();
            let choices = [false, true].into_iter().flat_map(|callees| order.iter().map(move |&b| (callees, b)));
            self.barriers[func] = choices
                .filter_map(|(callees, block)| Some((block, self.barrier_in(func, block, callees)?)))
                .find(|&(block, _)| {
                    let mut one = FixedBitSet::with_capacity(function.blocks.len());
                    one.insert(block.index());
                    !may_pass(function, &facts.cfg, &one)
                })
                .map(|(_, points)| points);
        }
    }

    /// [`Self::update`] of finished functions that have new markers, and of those that call them.
    fn update_callers(&mut self, mut work: Vec<FuncId>) {
        while let Some(func) = work.pop() {
            if self.covered[func].is_none() && self.barriers[func].is_some() {
                self.update(func);
                if self.covered[func].is_some() {
                    work.extend_from_slice(self.control.calls.callers(func));
                }
            }
        }
    }
}
