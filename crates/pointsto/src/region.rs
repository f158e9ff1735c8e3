//! Parts of functions, each summarised when it is first asked for.

use std::rc::Rc;

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, Cfg, DomTree, EntityId, FuncId, LoopForest, LoopId};
use rustc_hash::FxHashMap;

use crate::modref::{ModRef, Region};
use crate::object::InstanceId;

/// Control structure of one function.
struct Structure {
    cfg: Cfg,
    loops: LoopForest,
    postdominators: DomTree,
}

/// Summaries of loops, and of what lies between branches and their postdominators. An answer takes O(1) when it was
/// asked for before.
pub struct Regions<'m, 'p> {
    modref: &'m ModRef<'p>,
    functions: FxHashMap<FuncId, Rc<Structure>>,
    loops: FxHashMap<(InstanceId, LoopId), Rc<Region>>,
    branches: FxHashMap<(InstanceId, BlockId), Rc<Region>>,
}

impl<'m, 'p> Regions<'m, 'p> {
    /// Nothing summarised yet.
    pub fn new(modref: &'m ModRef<'p>) -> Self {
        Self { modref, functions: FxHashMap::default(), loops: FxHashMap::default(), branches: FxHashMap::default() }
    }

    /// The loops of a defined function, outer ones before inner ones, each with its header.
    pub fn loops(&mut self, func: FuncId) -> Vec<(LoopId, BlockId)> {
        self.structure(func).loops.iter().map(|(id, l)| (id, l.header)).collect()
    }

    /// What a loop may do, inner loops and calls included.
    pub fn of_loop(&mut self, instance: InstanceId, id: LoopId) -> Rc<Region> {
        if let Some(known) = self.loops.get(&(instance, id)) {
            return Rc::clone(known);
        }
        let structure = self.structure(self.modref.points_to().instances()[instance].func);
        let blocks = structure.loops.get(id).block_ids();
        let region = Rc::new(self.modref.of_blocks(instance, blocks));
        self.loops.insert((instance, id), Rc::clone(&region));
        region
    }

    /// What may happen behind the branch that ends `block`, whichever way it goes, before its postdominator is reached.
    pub fn of_branch(&mut self, instance: InstanceId, block: BlockId) -> Rc<Region> {
        if let Some(known) = self.branches.get(&(instance, block)) {
            return Rc::clone(known);
        }
        let structure = self.structure(self.modref.points_to().instances()[instance].func);
        let join = structure.postdominators.immediate(block);
        let mut found = FixedBitSet::with_capacity(structure.cfg.block_count());
        let mut work = structure.cfg.successors(block).to_vec();
        while let Some(next) = work.pop() {
            if Some(next) != join && !found.put(next.index()) {
                work.extend(structure.cfg.successors(next));
            }
        }
        let region = Rc::new(self.modref.of_blocks(instance, found.ones().map(BlockId::from_index)));
        self.branches.insert((instance, block), Rc::clone(&region));
        region
    }

    fn structure(&mut self, func: FuncId) -> Rc<Structure> {
        let function = &self.modref.program().functions[func];
        let structure = self.functions.entry(func).or_insert_with(|| {
            let cfg = Cfg::new(function);
            let loops = LoopForest::new(&cfg);
            let postdominators = DomTree::postdominators(&cfg, &FixedBitSet::with_capacity(cfg.block_count()));
            Rc::new(Structure { cfg, loops, postdominators })
        });
        Rc::clone(structure)
    }
}
