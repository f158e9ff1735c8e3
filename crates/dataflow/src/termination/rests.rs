//! What inner loops and calls add to whether something ends.

use std::collections::BTreeSet;

use icsched_ir::{BlockId, FuncId, Origin, Program};

use super::answers::Termination;
use super::code::calls;
use super::verdict::Verdict;

/// A loop or a recursion of the program of which it is not proved that it ends.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unproved {
    /// A loop, by its function and header.
    Loop(FuncId, BlockId),
    /// Functions that call each other, by the first of them.
    Recursion(FuncId),
}

/// What has to be so for code to be left.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rests {
    /// What has to end, as far as that is not proved.
    pub unproved: BTreeSet<Unproved>,
    /// Whether some proof needs that [sums do not overflow](super::Reason::needs_sums).
    pub needs_sums: bool,
}

impl Rests {
    /// Adds what other code rests on.
    pub fn add(&mut self, other: Self) {
        self.unproved.extend(other.unproved);
        self.needs_sums |= other.needs_sums;
    }

    /// Adds something by what is known of it.
    fn note(&mut self, of: Unproved, verdict: &Verdict) {
        match verdict {
            Verdict::Ends(why) => self.needs_sums |= why.needs_sums(),
            Verdict::Endless | Verdict::Unknown => _ = self.unproved.insert(of),
        }
    }
}

impl Unproved {
    /// Where it is: `file.c:12`, or the function's name where no line is known.
    pub fn describe(self, program: &Program) -> String {
        let (func, loc) = match self {
            Self::Loop(func, header) => {
                let block = &program.functions[func].blocks[header];
                let locs = block.insts.iter().map(|inst| inst.loc).chain([block.terminator_loc]);
                (func, locs.flatten().next())
            }
            Self::Recursion(func) => (func, program.functions[func].loc),
        };
        loc.map_or_else(|| program.functions[func].name.clone(), |loc| program.describe_loc(loc))
    }
}

impl Termination<'_, '_> {
    /// What has to end for a loop to end: itself, what is inside, and what it calls; as far as that is not proved.
    pub fn loop_rests_on(&self, func: FuncId, header: BlockId) -> Rests {
        let structure = self.code.structure(func);
        let Some(id) = structure.loops.headed_by(header) else { return Rests::default() };
        self.blocks_rest_on(func, structure.loops.get(id).block_ids())
    }

    /// What has to end for blocks of a function to be left, as far as that is not proved. A loop of which not all
    /// blocks are among them counts if its header is.
    pub fn blocks_rest_on(&self, func: FuncId, blocks: impl IntoIterator<Item = BlockId>) -> Rests {
        let blocks: BTreeSet<BlockId> = blocks.into_iter().collect();
        let mut found = Rests::default();
        self.add_loops(func, |header| blocks.contains(&header), &mut found);
        for (at, targets, _) in calls(self.code.program, self.code.modref, func) {
            if blocks.contains(&at.block) {
                targets.iter().for_each(|&callee| self.collect(callee, &mut found));
            }
        }
        found
    }

    /// What has to end for calls of a function to return, as far as that is not proved.
    pub fn function_rests_on(&self, func: FuncId) -> Rests {
        let mut found = Rests::default();
        self.collect(func, &mut found);
        found
    }

    /// Adds what calls of a function rest on. Each function that it may call is looked at once.
    fn collect(&self, func: FuncId, found: &mut Rests) {
        let mut seen = BTreeSet::from([func]);
        let mut work = vec![func];
        while let Some(func) = work.pop() {
            self.add_own(func, found);
            work.extend(self.code.calls.callees(func).iter().copied().filter(|&callee| seen.insert(callee)));
        }
    }

    /// Adds the loops of a function, and the recursion that it is part of.
    fn add_own(&self, func: FuncId, found: &mut Rests) {
        if self.code.program.functions[func].is_declaration() {
            return;
        }
        self.add_loops(func, |_| true, found);
        let component = &self.code.calls.components()[self.code.calls.component_of(func)];
        let own = component.iter().filter(|&&f| self.code.program.functions[f].origin == Origin::Program);
        if let Some(&first) = own.min() {
            found.note(Unproved::Recursion(first), &self.of_recursion(func));
        }
    }

    fn add_loops(&self, func: FuncId, is_asked: impl Fn(BlockId) -> bool, found: &mut Rests) {
        // The C library's functions return.
        if self.code.program.functions[func].origin == Origin::Model {
            return;
        }
        let structure = self.code.structure(func);
        for header in structure.loops.iter().map(|(_, l)| l.header).filter(|&header| is_asked(header)) {
            found.note(Unproved::Loop(func, header), &self.of_loop(func, header));
        }
    }
}
