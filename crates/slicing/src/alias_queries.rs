//! What points-to analysis says during the walk, asked once per place and object.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId, FuncId, ProgramPoint};
use icsched_machine::memory::ObjectId;
use icsched_machine::thread::FrameId;
use icsched_pointsto::{InstanceId, Offsets, Piece, Region};
use icsched_symbolic::trace::Trace;
use rustc_hash::FxHashMap;

use crate::aliases::{Abstract, Aliases};
use crate::live_memory::Intervals;
use crate::objects::Objects;

/// What some code may do.
pub(crate) type Known = Region;

/// A function, or one of its instances, and the side of a branch in it.
type Side = (Option<InstanceId>, (FuncId, BlockId, bool));

/// Answers for all paths of a program.
#[derive(Default)]
pub(crate) struct KnownRegions {
    sides: FxHashMap<Side, Option<Arc<Known>>>,
    instructions: FxHashMap<(Option<InstanceId>, ProgramPoint), Option<Arc<Known>>>,
}

/// What points-to analysis calls the activations and objects of one path.
#[derive(Default)]
pub(crate) struct Names {
    instances: FxHashMap<FrameId, InstanceId>,
    /// By object of the path.
    objects: Vec<Option<Abstract>>,
}

/// Answers for one path.
pub(crate) struct Facts<'a, 'p> {
    aliases: Option<&'p Aliases<'p>>,
    cache: &'a mut KnownRegions,
    names: &'a Names,
    initial: &'a Objects,
}

impl Names {
    /// O(activations and objects).
    pub(crate) fn new(aliases: Option<&Aliases<'_>>, objects: &Objects, trace: &Trace) -> Self {
        let instances = aliases.map(|a| a.instances(trace)).unwrap_or_default();
        let of = |aliases: &Aliases<'_>| {
            (0..objects.len())
                .map(ObjectId::from_index)
                .map(|o| match objects.site(o) {
                    Some(site) => Some(Abstract::from_elem(site, 1)),
                    None => aliases.object(objects.origin(o), &instances),
                })
                .collect()
        };
        let objects = aliases.map(of).unwrap_or_default();
        Self { instances, objects }
    }
}

impl<'a, 'p> Facts<'a, 'p> {
    pub(crate) fn new(
        aliases: Option<&'p Aliases<'p>>,
        cache: &'a mut KnownRegions,
        names: &'a Names,
        initial: &'a Objects,
    ) -> Self {
        Self { aliases, cache, names, initial }
    }

    /// What the blocks on the other side of a branch may do; `None` if nothing is known.
    pub(crate) fn side(
        &mut self,
        frame: FrameId,
        side: (FuncId, BlockId, bool),
        blocks: &FixedBitSet,
    ) -> Option<Arc<Known>> {
        let aliases = self.aliases?;
        let instance = self.names.instances.get(&frame).copied();
        let compute = || {
            let blocks: Vec<BlockId> = blocks.ones().map(BlockId::from_index).collect();
            aliases.blocks(&aliases.candidates(side.0, instance), &blocks).map(Arc::new)
        };
        self.cache.sides.entry((instance, side)).or_insert_with(compute).clone()
    }

    /// What an instruction may do, whatever it does on the path.
    pub(crate) fn instruction(&mut self, frame: FrameId, at: ProgramPoint) -> Option<Arc<Known>> {
        let aliases = self.aliases?;
        let instance = self.names.instances.get(&frame).copied();
        let compute = || aliases.instruction(&aliases.candidates(at.func, instance), at).map(Arc::new);
        self.cache.instructions.entry((instance, at)).or_insert_with(compute).clone()
    }

    /// Whether code may write one of the live bytes of an object.
    pub(crate) fn writes(&self, known: &Known, object: ObjectId, live: &Intervals) -> bool {
        let Some(aliases) = self.aliases else { return true };
        let modref = aliases.modref();
        if let Some(places) = self.initial.initial(object).filter(|places| !places.is_empty()) {
            let touches = |&(place, first): &(_, Offsets), start: u64, end: u64| {
                let at = first.moved(start.cast_signed());
                modref.touches_at(&known.mods, place, at, end.saturating_sub(start))
            };
            return known.mods.is_everything()
                || places.iter().any(|place| live.iter().any(|(start, end)| touches(place, start, end)));
        }
        let Some(Some(places)) = self.names.objects.get(object.index()) else { return true };
        let touches = |place, start: u64, end: u64| {
            i64::try_from(start).is_ok_and(|s| modref.touches(&known.mods, place, s, end.saturating_sub(start)))
        };
        known.mods.is_everything()
            || places.iter().any(|&place| live.iter().any(|(start, end)| touches(place, start, end)))
    }

    /// Whether code may write some bytes of what points-to analysis names.
    pub(crate) fn writes_piece(&self, known: &Known, piece: &Piece) -> bool {
        let Some(aliases) = self.aliases else { return true };
        let touches =
            || aliases.modref().touches_at(&known.mods, piece.object, piece.offsets, piece.bytes.unwrap_or(u64::MAX));
        known.mods.is_everything() || touches()
    }
}
