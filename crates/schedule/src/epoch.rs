//! Epochs by name: multisets of call stacks (Bergan 3.2.2, 3.4.1.3).

use std::fmt;
use std::ops::Range;

use icsched_ir::{BlockId, CallStack, EntityId, FuncId, ProgramPoint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hash::{Hasher, ShortHash};

/// The short name of an [`EpochId`]: in schedules' ends, files and command lines.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EpochKey(pub ShortHash);

impl fmt::Display for EpochKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Names a bounded epoch by where its threads start: which thread starts where does not matter, how many do does.
///
/// The stacks are positions in one program; ids of different programs do not compare.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<Spelled>")]
#[serde(into = "Vec<Spelled>")]
pub struct EpochId {
    stacks: Vec<CallStack>,
    /// Per stack.
    folds: Vec<Vec<u32>>,
}

/// A stack as files have it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Spelled {
    Plain(CallStack),
    Folded { stack: CallStack, folds: Vec<u32> },
}

impl EpochId {
    /// The epoch in which one thread starts at each of the stacks, in any order.
    pub fn new(stacks: Vec<CallStack>) -> Self {
        Self::folded(stacks.into_iter().map(|stack| (stack, Vec::new())).collect())
    }

    /// The same with positions in each stack, ascending: between the call there and the one before it are one or more
    /// calls of the same recursion.
    pub fn folded(mut stacks: Vec<(CallStack, Vec<u32>)>) -> Self {
        stacks.sort_unstable();
        Self::of_threads(stacks)
    }

    /// The same with concrete thread ids: threads that start elsewhere than others do in another epoch make this one
    /// another, too, although their stacks are the same ones (without Bergan 3.4.1.3).
    pub fn of_threads(stacks: Vec<(CallStack, Vec<u32>)>) -> Self {
        let (stacks, folds) = stacks.into_iter().unzip();
        Self { stacks, folds }
    }

    /// The epoch that starts at program entry.
    pub fn entry(main: FuncId) -> Self {
        Self::new(vec![CallStack(vec![ProgramPoint { func: main, block: BlockId::from_index(0), inst: 0 }])])
    }

    /// The call stacks, sorted unless the epoch is [of concrete threads](Self::of_threads); as many as there are
    /// threads.
    pub fn stacks(&self) -> &[CallStack] {
        &self.stacks
    }

    /// For each of the stacks, where it is [folded](Self::folded).
    pub fn folds(&self) -> &[Vec<u32>] {
        &self.folds
    }

    /// The threads, by position, that nothing tells apart here: runs of two or more with the same stack. Of an epoch
    /// [of concrete threads](Self::of_threads) that says nothing.
    pub fn alike(&self) -> Vec<Range<u32>> {
        let all: Vec<(&CallStack, &Vec<u32>)> = self.stacks.iter().zip(&self.folds).collect();
        let mut found = Vec::new();
        let mut first = 0;
        for run in all.chunk_by(|a, b| a == b) {
            let next = first + u32::try_from(run.len()).expect("threads are few");
            if run.len() > 1 {
                found.push(first..next);
            }
            first = next;
        }
        found
    }

    /// The short name.
    pub fn key(&self) -> EpochKey {
        let mut hasher = Hasher::new("epoch");
        for (CallStack(points), folds) in self.stacks.iter().zip(&self.folds) {
            hasher.number(points.len() as u64);
            for point in points {
                hasher.number(point.func.index() as u64).number(point.block.index() as u64).number(point.inst.into());
            }
            for &fold in folds {
                // No function has this number.
                hasher.number(u64::MAX).number(fold.into());
            }
        }
        EpochKey(hasher.finish())
    }
}

impl From<Vec<Spelled>> for EpochId {
    fn from(stacks: Vec<Spelled>) -> Self {
        let parts = |spelled| match spelled {
            Spelled::Plain(stack) => (stack, Vec::new()),
            Spelled::Folded { stack, folds } => (stack, folds),
        };
        // In the order in which they were written.
        Self::of_threads(stacks.into_iter().map(parts).collect())
    }
}

impl From<EpochId> for Vec<Spelled> {
    fn from(id: EpochId) -> Self {
        let spell = |(stack, folds): (CallStack, Vec<u32>)| match folds.is_empty() {
            true => Spelled::Plain(stack),
            false => Spelled::Folded { stack, folds },
        };
        id.stacks.into_iter().zip(id.folds).map(spell).collect()
    }
}

/// The stacks in the text IR's spelling, innermost last: `f0 b2:3 > f4 b0:1 (x4)`, with `...` for calls that are
/// folded.
impl fmt::Display for EpochId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<(&CallStack, &Vec<u32>)> = self.stacks.iter().zip(&self.folds).collect();
        for (i, same) in all.chunk_by(|a, b| a == b).enumerate() {
            f.write_str(if i > 0 { " + " } else { "" })?;
            let (stack, folds) = same[0];
            for (depth, point) in (0..).zip(&stack.0) {
                f.write_str(if depth > 0 { " > " } else { "" })?;
                f.write_str(if folds.contains(&depth) { "... > " } else { "" })?;
                write!(f, "{} {}:{}", point.func, point.block, point.inst)?;
            }
            if same.len() > 1 {
                write!(f, " (x{})", same.len())?;
            }
        }
        Ok(())
    }
}

/// Where one thread starts in an epoch, as source text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadContext {
    /// The thread's number in the epoch's schedules.
    pub thread: u32,
    /// `lu.c:120 in main`, ...; outermost first.
    pub stack: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(insts: &[u32]) -> CallStack {
        let point = |&inst| ProgramPoint { func: FuncId::from_index(1), block: BlockId::from_index(2), inst };
        CallStack(insts.iter().map(point).collect())
    }

    #[test]
    fn an_epoch_is_a_multiset() {
        let ab = EpochId::new(vec![stack(&[1]), stack(&[7, 2])]);
        let ba = EpochId::new(vec![stack(&[7, 2]), stack(&[1])]);
        let aab = EpochId::new(vec![stack(&[7, 2]), stack(&[1]), stack(&[1])]);
        assert_eq!(ab.key(), ba.key());
        assert_ne!(ab.key(), aab.key());
        assert_eq!(aab.to_string(), "f1 b2:1 (x2) + f1 b2:7 > f1 b2:2");
    }

    #[test]
    fn stacks_do_not_run_together() {
        let one = EpochId::new(vec![stack(&[1, 2])]);
        let two = EpochId::new(vec![stack(&[1]), stack(&[2])]);
        assert_ne!(one.key(), two.key());
    }

    /// The ids are in files: a change of them is a change of the file format.
    #[test]
    fn ids_are_stable() {
        expect_test::expect!["acdb79fa5b23"].assert_eq(&EpochId::entry(FuncId::from_index(0)).key().to_string());
    }
}
