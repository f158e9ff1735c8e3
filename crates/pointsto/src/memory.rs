//! The contents of objects, as nodes of the constraint graph.
//!
//! An object's bytes are cut into granules of eight; what pointers a granule can hold is a *cell*, a node made when it
//! is first needed. An access at a set of offsets with a stride has a node of its own per direction (a *strided
//! access*): what is loaded flows from every cell it may touch into its `read` node, what is stored flows from its
//! `write` node into them. So a loop that clears a structure byte by byte does not make its fields one, as merging them
//! would.
//!
//! Bound: an object of which more than `max_offsets` single offsets are known is *folded*: offsets count modulo the
//! distance of its array elements, where accesses have shown one, else the object is one cell.

use icsched_ir::{EntityId, FuncId, IdVec};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::budgets::BUDGETS;
use crate::graph::{Graph, NodeId};
use crate::object::{Location, LocationId, Object, ObjectId, ObjectKind, Offsets, Shift, gcd};

/// Bytes of a cell.
pub(crate) const GRANULE: i64 = 8;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// The accesses of one width at the offsets `start + k * stride`.
struct StridedAccess {
    start: u64,
    stride: u64,
    width: u32,
    direction: Direction,
    node: NodeId,
}

impl StridedAccess {
    fn offsets(&self) -> Offsets {
        Offsets::Strided { start: self.start, stride: self.stride }
    }
}

/// A copy of memory: what is at `from` in this object gets to the same distance from `to` in the other one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Link {
    from: Offsets,
    to: Location,
    len: Option<u64>,
}

struct Layout {
    /// By granule.
    cells: Vec<(i64, NodeId)>,
    strided: Vec<StridedAccess>,
    links: Vec<Link>,
    known_links: FxHashSet<Link>,
    /// The locations of the object, sorted.
    known: Vec<(Offsets, bool, LocationId)>,
    /// Offsets count modulo this.
    modulus: Option<u64>,
    /// How many [`Offsets::Exact`] locations there are.
    exact: u32,
    strides: SmallVec<[u64; 2]>,
    /// So many strided accesses fold the object.
    next_fold: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            strided: Vec::new(),
            links: Vec::new(),
            known_links: FxHashSet::default(),
            known: Vec::new(),
            modulus: None,
            exact: 0,
            strides: SmallVec::new(),
            next_fold: BUDGETS.strided_accesses,
        }
    }
}

impl Layout {
    fn folded(&self, granule: i64) -> i64 {
        match self.modulus {
            None => granule,
            Some(m) if m % 8 == 0 => granule.rem_euclid(i64::try_from(m / 8).unwrap_or(1).max(1)),
            Some(_) => 0,
        }
    }
}

/// Objects, locations and cells.
pub(crate) struct Memory {
    pub(crate) objects: IdVec<ObjectId, Object>,
    pub(crate) locations: IdVec<LocationId, Location>,
    layouts: Vec<Layout>,
    /// Pieces of objects with links that the links have not seen.
    new_pieces: Vec<(ObjectId, Source, NodeId)>,
    max_offsets: u32,
    /// The object [`ObjectKind::MovedFunctions`], and what it stands for.
    moved_object: Option<ObjectId>,
    pub(crate) moved_functions: FxHashSet<FuncId>,
    /// The functions that the solver does not yet know of as moved.
    pub(crate) newly_moved: Vec<LocationId>,
    /// Constants without pointers: only their start and all of them are told apart.
    pub(crate) plain: FxHashSet<ObjectId>,
    /// Objects that may be larger than they are said to be.
    pub(crate) open: FxHashSet<ObjectId>,
}

impl Memory {
    pub(crate) fn new(max_offsets: u32) -> Self {
        Self {
            objects: IdVec::new(),
            locations: IdVec::new(),
            layouts: Vec::new(),
            new_pieces: Vec::new(),
            max_offsets,
            moved_object: None,
            moved_functions: FxHashSet::default(),
            newly_moved: Vec::new(),
            plain: FxHashSet::default(),
            open: FxHashSet::default(),
        }
    }

    pub(crate) fn object(&mut self, object: Object) -> ObjectId {
        self.layouts.push(Layout::default());
        self.objects.push(object)
    }

    /// The id of a location; folds the object when there are too many.
    pub(crate) fn locate(&mut self, graph: &mut Graph, object: ObjectId, offsets: Offsets) -> LocationId {
        self.locate_view(graph, object, offsets, false)
    }

    fn locate_view(&mut self, graph: &mut Graph, object: ObjectId, offsets: Offsets, bytes_only: bool) -> LocationId {
        let offsets = self.normalised(graph, Location { object, offsets, bytes_only });
        let location = Location { object, offsets, bytes_only };
        let layout = &mut self.layouts[object.index()];
        let place = match layout.known.binary_search_by_key(&(offsets, bytes_only), |k| (k.0, k.1)) {
            Ok(at) => return layout.known[at].2,
            Err(at) => at,
        };
        match offsets {
            Offsets::Exact(_) => layout.exact += 1,
            Offsets::Strided { stride, .. } if !layout.strides.contains(&stride) => layout.strides.push(stride),
            Offsets::Strided { .. } => {}
        }
        let id = self.locations.push(location);
        layout.known.insert(place, (offsets, bytes_only, id));
        graph.sets.new_element(object.index() * 2 + usize::from(bytes_only), offsets == Offsets::ANY);
        let layout = &self.layouts[object.index()];
        if layout.modulus.is_none() && (layout.exact > self.max_offsets || layout.strides.len() > BUDGETS.strides) {
            let modulus = layout.strides.iter().copied().fold(0, gcd);
            self.fold(graph, object, if modulus == 0 { 8 } else { modulus });
        }
        id
    }

    fn normalised(&mut self, graph: &mut Graph, location: Location) -> Offsets {
        let Location { object, offsets, bytes_only } = location;
        if offsets != Offsets::Exact(0) && self.plain.contains(&object) {
            return Offsets::ANY;
        }
        let layout = &self.layouts[object.index()];
        let Some(modulus) = layout.modulus else { return offsets };
        let is_known = || layout.known.binary_search_by_key(&(offsets, bytes_only), |k| (k.0, k.1)).is_ok();
        match offsets {
            Offsets::Exact(x) if is_known() => Offsets::Exact(x),
            Offsets::Exact(x) => Offsets::strided(x, modulus),
            Offsets::Strided { start, stride } => {
                let common = gcd(stride, modulus);
                if common != modulus {
                    self.fold(graph, object, common);
                }
                Offsets::strided(i64::try_from(start).unwrap_or(0), common)
            }
        }
    }

    /// From now on offsets of the object count modulo `modulus`; merges the cells that become one.
    pub(crate) fn fold(&mut self, graph: &mut Graph, object: ObjectId, modulus: u64) {
        let layout = &mut self.layouts[object.index()];
        layout.modulus = Some(modulus.max(1));
        let cells = std::mem::take(&mut layout.cells);
        let mut kept: Vec<(i64, NodeId)> = Vec::new();
        for (granule, node) in cells {
            let granule = layout.folded(granule);
            match kept.binary_search_by_key(&granule, |c| c.0) {
                Ok(at) => graph.merge(kept[at].1, node),
                Err(at) => kept.insert(at, (granule, node)),
            }
        }
        layout.cells = kept;
        // A cell now stands for more offsets than it was connected for.
        for at in 0..self.layouts[object.index()].cells.len() {
            let (granule, node) = self.layouts[object.index()].cells[at];
            self.connect_cell(graph, object, granule, node);
        }
    }

    /// Whether the object has memory that pointers can be stored in.
    fn has_memory(&self, object: ObjectId) -> bool {
        !matches!(
            self.objects[object].kind,
            ObjectKind::Function(_) | ObjectKind::MovedFunctions | ObjectKind::PlainConstants
        )
    }

    /// The cell of a granule; made when there is none.
    pub(crate) fn cell(&mut self, graph: &mut Graph, object: ObjectId, granule: i64) -> NodeId {
        let layout = &mut self.layouts[object.index()];
        let granule = layout.folded(granule);
        match layout.cells.binary_search_by_key(&granule, |c| c.0) {
            Ok(at) => layout.cells[at].1,
            Err(at) => {
                let node = graph.node();
                layout.cells.insert(at, (granule, node));
                self.connect_cell(graph, object, granule, node);
                node
            }
        }
    }

    /// Whether a cell and a strided access have a byte in common.
    fn touches(layout: &Layout, granule: i64, offsets: Offsets, width: u32) -> bool {
        let cell = match layout.modulus {
            None => Offsets::Exact(granule * GRANULE),
            Some(m) if m % 8 == 0 => Offsets::strided(granule * GRANULE, m),
            Some(_) => Offsets::ANY,
        };
        offsets.overlaps(u64::from(width), cell, GRANULE.unsigned_abs())
    }

    fn connect_cell(&mut self, graph: &mut Graph, object: ObjectId, granule: i64, node: NodeId) {
        let layout = &self.layouts[object.index()];
        for access in &layout.strided {
            if Self::touches(layout, granule, access.offsets(), access.width) {
                match access.direction {
                    Direction::Read => graph.add_copy(node, access.node),
                    Direction::Write => graph.add_copy(access.node, node),
                }
            }
        }
        if !layout.links.is_empty() {
            self.new_pieces.push((object, Source::Cell(granule), node));
        }
    }

    /// Whether no links are to be followed.
    pub(crate) fn is_settled(&self) -> bool {
        self.new_pieces.is_empty()
    }

    /// Copies what is new in objects that are copied from.
    pub(crate) fn follow_links(&mut self, graph: &mut Graph) {
        while let Some((object, source, node)) = self.new_pieces.pop() {
            for at in 0..self.layouts[object.index()].links.len() {
                let link = self.layouts[object.index()].links[at];
                self.follow(graph, object, link, source, node);
            }
        }
    }

    /// The node of an access at a set of offsets with a stride.
    fn strided(
        &mut self,
        graph: &mut Graph,
        object: ObjectId,
        (start, stride): (u64, u64),
        width: u32,
        direction: Direction,
    ) -> NodeId {
        // By granules: offsets that are no multiples of one soon meet every granule.
        let unaligned = start % 8;
        let (start, stride, width) = match stride % 8 {
            0 => (start - unaligned, stride, if unaligned + u64::from(width) > 8 { 16 } else { 8 }),
            _ => (0, 1, 8),
        };
        let (start, stride) = match self.layouts[object.index()].modulus {
            None => (start, stride),
            Some(modulus) => {
                let common = gcd(stride, modulus);
                let common = if common.is_multiple_of(8) { common } else { 1 };
                (start % common, common)
            }
        };
        let layout = &self.layouts[object.index()];
        if let Some(access) = layout
            .strided
            .iter()
            .find(|a| (a.start, a.stride, a.width, a.direction) == (start, stride, width, direction))
        {
            return access.node;
        }
        let node = graph.node();
        let access = StridedAccess { start, stride, width, direction, node };
        for &(granule, cell) in &layout.cells {
            if Self::touches(layout, granule, access.offsets(), width) {
                match direction {
                    Direction::Read => graph.add_copy(cell, node),
                    Direction::Write => graph.add_copy(node, cell),
                }
            }
        }
        for other in layout.strided.iter().filter(|a| a.direction != direction) {
            if access.offsets().overlaps(u64::from(width), other.offsets(), u64::from(other.width)) {
                match direction {
                    Direction::Read => graph.add_copy(other.node, node),
                    Direction::Write => graph.add_copy(node, other.node),
                }
            }
        }
        let layout = &mut self.layouts[object.index()];
        layout.strided.push(access);
        if layout.strided.len() >= layout.next_fold {
            layout.next_fold = layout.strided.len() + BUDGETS.strided_accesses;
            let common = layout.strided.iter().map(|a| a.stride).fold(0, gcd);
            let modulus = if layout.modulus.is_some() { 8 } else { common };
            self.fold(graph, object, modulus);
        }
        if direction == Direction::Write && !self.layouts[object.index()].links.is_empty() {
            let source = Source::Strided(Offsets::Strided { start, stride }, width);
            self.new_pieces.push((object, source, node));
        }
        node
    }

    /// The nodes that an access of `width` bytes at a location reads or writes.
    pub(crate) fn access(
        &mut self,
        graph: &mut Graph,
        location: LocationId,
        width: u32,
        direction: Direction,
    ) -> SmallVec<[NodeId; 2]> {
        let Location { object, offsets, bytes_only } = self.locations[location];
        if bytes_only {
            return SmallVec::new();
        }
        self.access_at(graph, object, offsets, width, direction)
    }

    fn access_at(
        &mut self,
        graph: &mut Graph,
        object: ObjectId,
        offsets: Offsets,
        width: u32,
        direction: Direction,
    ) -> SmallVec<[NodeId; 2]> {
        let what = self.objects[object];
        if !self.has_memory(object) || self.plain.contains(&object) || (direction == Direction::Write && what.constant)
        {
            return SmallVec::new();
        }
        match offsets {
            Offsets::Exact(x) => {
                // Only what is inside of the object can be accessed.
                let end = x.saturating_add(i64::from(width));
                let within = |size: u64| x >= 0 && end <= i64::try_from(size).unwrap_or(i64::MAX);
                if !what.size.map_or(x >= 0, within) {
                    return SmallVec::new();
                }
                let granules = x.div_euclid(GRANULE)..=(end - 1).div_euclid(GRANULE);
                granules.map(|granule| self.cell(graph, object, granule)).collect()
            }
            Offsets::Strided { start, stride } => {
                if what.size.is_some_and(|size| size <= GRANULE.unsigned_abs()) {
                    return SmallVec::from_iter([self.cell(graph, object, 0)]);
                }
                SmallVec::from_iter([self.strided(graph, object, (start, stride), width, direction)])
            }
        }
    }

    /// From now on what is at `from` is copied to `to`, `len` bytes at most.
    pub(crate) fn link(&mut self, graph: &mut Graph, from: Location, to: Location, len: Option<u64>) {
        if from.bytes_only
            || to.bytes_only
            || !self.has_memory(from.object)
            || !self.has_memory(to.object)
            || self.objects[to.object].constant
        {
            return;
        }
        let link = Link { from: from.offsets, to, len };
        let layout = &mut self.layouts[from.object.index()];
        if !layout.known_links.insert(link) {
            return;
        }
        layout.links.push(link);
        let mut at = 0;
        // Following it may add cells to this very object.
        while let Some(&(granule, node)) = self.layouts[from.object.index()].cells.get(at) {
            self.follow(graph, from.object, link, Source::Cell(granule), node);
            at += 1;
        }
        let mut at = 0;
        while let Some(access) = self.layouts[from.object.index()].strided.get(at) {
            if access.direction == Direction::Write {
                let (source, node) = (Source::Strided(access.offsets(), access.width), access.node);
                self.follow(graph, from.object, link, source, node);
            }
            at += 1;
        }
    }

    /// Connects one piece of the source of a link with where it is copied to.
    fn follow(&mut self, graph: &mut Graph, object: ObjectId, link: Link, source: Source, node: NodeId) {
        let layout = &self.layouts[object.index()];
        let (piece, width) = match (source, layout.modulus) {
            (Source::Cell(granule), None) => (Offsets::Exact(granule * GRANULE), 8),
            (Source::Cell(granule), Some(m)) if m % 8 == 0 => (Offsets::strided(granule * GRANULE, m), 8),
            (Source::Cell(_), Some(_)) => (Offsets::ANY, 8),
            (Source::Strided(offsets, width), _) => (offsets, width),
        };
        // How far from the start of the copy the piece lies.
        let distance = match (piece, link.from) {
            (Offsets::Exact(p), Offsets::Exact(f)) => {
                let distance = p.saturating_sub(f);
                let beyond = link.len.is_some_and(|len| distance >= i64::try_from(len).unwrap_or(i64::MAX));
                if distance <= -GRANULE || beyond {
                    return;
                }
                Offsets::Exact(distance)
            }
            (piece, from) => {
                if link.len.is_some_and(|len| !piece.overlaps(u64::from(width), from, len)) {
                    return;
                }
                let (Offsets::Exact(p), Offsets::Exact(f)) = (first(piece), first(from)) else { return };
                Offsets::strided(p.wrapping_sub(f), gcd(piece.stride(), from.stride()))
            }
        };
        let (Offsets::Exact(d), stride) = (first(distance), distance.stride()) else { return };
        let to = link.to.offsets.shifted(Shift::By { offset: d, stride }, 1);
        for target in self.copied_to(graph, link.to.object, to, width) {
            graph.add_copy(node, target);
        }
    }

    /// Like [`access_at`](Self::access_at) for the part of a granule that lies inside the object.
    fn copied_to(
        &mut self,
        graph: &mut Graph,
        object: ObjectId,
        offsets: Offsets,
        width: u32,
    ) -> SmallVec<[NodeId; 2]> {
        let Offsets::Exact(x) = offsets else {
            return self.access_at(graph, object, offsets, width, Direction::Write);
        };
        let what = self.objects[object];
        let end = what.size.and_then(|size| i64::try_from(size).ok()).unwrap_or(i64::MAX);
        let start = x.max(0);
        let stop = x.saturating_add(i64::from(width)).min(end);
        if start >= stop {
            return SmallVec::new();
        }
        let granules = start.div_euclid(GRANULE)..=(stop - 1).div_euclid(GRANULE);
        let mut found = SmallVec::new();
        for granule in granules {
            // Copies that lead back here with another offset would go on for ever.
            let layout = &self.layouts[object.index()];
            if layout.modulus.is_none() && layout.cells.len() > self.max_offsets as usize {
                let modulus = layout.strides.iter().copied().fold(0, gcd);
                self.fold(graph, object, if modulus == 0 { 8 } else { modulus });
            }
            found.push(self.cell(graph, object, granule));
        }
        found
    }

    /// The same where the pointer stays in its object, and moves on by a multiple of a stride that is not negative:
    /// each place for itself if they are few.
    pub(crate) fn shift_onward(
        &mut self,
        graph: &mut Graph,
        location: LocationId,
        offset: i64,
        stride: u64,
    ) -> SmallVec<[LocationId; 4]> {
        let Location { object, offsets, .. } = self.locations[location];
        let Object { size, kind, .. } = self.objects[object];
        let first = offsets.exact().and_then(|at| u64::try_from(at.checked_add(offset)?).ok());
        // The end of an object may be pointed to.
        let steps = first.zip(size).and_then(|(first, size)| size.checked_sub(first)?.checked_div(stride));
        // An object of which many offsets are told apart is to stay one.
        let has_room = u64::from(self.layouts[object.index()].exact) < u64::from(self.max_offsets / 4);
        let is_open = self.open.contains(&object) || matches!(kind, ObjectKind::Function(_));
        match steps.filter(|&steps| steps < BUDGETS.onward_steps && has_room && !is_open) {
            Some(steps) => (0..=steps)
                .filter_map(|step| i64::try_from(step.checked_mul(stride)?).ok()?.checked_add(offset))
                .map(|by| self.shift(graph, location, Shift::by(by)))
                .collect(),
            None => smallvec![self.shift(graph, location, Shift::Onward { offset, stride })],
        }
    }

    /// Where a pointer to `location` points after `shift`.
    pub(crate) fn shift(&mut self, graph: &mut Graph, location: LocationId, shift: Shift) -> LocationId {
        let Location { object, offsets, bytes_only } = self.locations[location];
        match (self.objects[object].kind, shift) {
            (ObjectKind::Function(func), Shift::By { .. } | Shift::Onward { .. }) => {
                if self.moved_functions.insert(func) {
                    self.newly_moved.push(location);
                }
                return self.moved_function(graph, offsets.shifted(shift, 1));
            }
            (ObjectKind::MovedFunctions, _) => return self.moved_function(graph, offsets.shifted(shift, 1)),
            _ => {}
        }
        if !self.has_memory(object) {
            return location;
        }
        let moved = offsets.shifted(shift, self.objects[object].align);
        let bytes_only_now = bytes_only || (shift == Shift::BytesOnly && !self.plain.contains(&object));
        if moved == offsets && bytes_only_now == bytes_only {
            return location;
        }
        self.locate_view(graph, object, moved, bytes_only_now)
    }

    fn moved_function(&mut self, graph: &mut Graph, offsets: Offsets) -> LocationId {
        let kind = ObjectKind::MovedFunctions;
        let object = match self.moved_object {
            Some(known) => known,
            None => self.object(Object { kind, size: Some(0), align: 1, constant: true }),
        };
        self.moved_object = Some(object);
        self.locate(graph, object, offsets)
    }

    /// Number of cells and strided accesses.
    pub(crate) fn cells(&self) -> usize {
        self.layouts.iter().map(|l| l.cells.len() + l.strided.len()).sum()
    }

    /// Whether one of the bytes at a location may be of a pointer; all bytes of the object if there are more than a
    /// cell.
    pub(crate) fn holds_pointers(&self, graph: &Graph, at: LocationId, bytes: u32) -> bool {
        let Location { object, offsets, .. } = self.locations[at];
        let layout = &self.layouts[object.index()];
        let (offsets, bytes) = if i64::from(bytes) > GRANULE { (Offsets::ANY, 8) } else { (offsets, bytes) };
        let some = |node: NodeId| !graph.points_to(node).is_empty();
        let cells = layout.cells.iter().filter(|&&(granule, _)| Self::touches(layout, granule, offsets, bytes));
        let written = layout.strided.iter().filter(|a| {
            a.direction == Direction::Write && a.offsets().overlaps(u64::from(a.width), offsets, u64::from(bytes))
        });
        cells.map(|c| c.1).chain(written.map(|a| a.node)).any(some)
    }

    /// Every node that holds contents of the object, with the offsets of the bytes and how many there are at each.
    pub(crate) fn contents(&self, object: ObjectId) -> impl Iterator<Item = (Offsets, u64, NodeId)> {
        let layout = &self.layouts[object.index()];
        let written = layout.strided.iter().filter(|a| a.direction == Direction::Write);
        let written = written.map(|a| (a.offsets(), u64::from(a.width), a.node));
        let cells = layout.cells.iter().map(|&(granule, node)| {
            let start = granule.saturating_mul(GRANULE);
            let offsets = match layout.modulus {
                None => Offsets::Exact(start),
                Some(m) if m % 8 == 0 => Offsets::strided(start, m),
                Some(_) => Offsets::ANY,
            };
            (offsets, GRANULE.unsigned_abs(), node)
        });
        cells.chain(written)
    }
}

/// What a link copies.
#[derive(Copy, Clone)]
enum Source {
    Cell(i64),
    Strided(Offsets, u32),
}

/// One of the offsets.
fn first(offsets: Offsets) -> Offsets {
    match offsets {
        Offsets::Exact(x) => Offsets::Exact(x),
        Offsets::Strided { start, .. } => Offsets::Exact(i64::try_from(start).unwrap_or(0)),
    }
}
