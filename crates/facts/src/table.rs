//! The table of the kinds of facts.
//!
//! A row is the name of a field of [`Shape`](crate::Shape), the facts in it, and the kind that they are of. `shape.rs`
//! makes the fields of the rows, `kinds.rs` the loops over kinds. The order is that in which kinds are joined, widened,
//! read, and searched for; so a kind comes after those that it rests on.

/// Hands the rows to another macro.
macro_rules! kinds_of_facts {
    ($expand:ident) => {
        $expand! {
            /// Between which numbers places hold one that is not the same in all states. First, as most others rest on
            /// them.
            bounds: FactMap<Place, Bounds> as bounds::Intervals,
            /// Between which numbers places may be in the end, if bounds get wider from epoch to epoch: guesses, which
            /// say nothing of any state.
            limits: FactMap<Place, Bounds> as limits::WideningLimits,
            /// Between which numbers the first of two places, less the second, is: as words, which wrap. The second may
            /// be narrower: it is extended with its sign. After bounds, from which they may follow.
            differences: FactMap<(Place, Place), Bounds> as differences::Differences,
            /// Sums of numbers that are constant. After differences: one of a single number is an equation.
            equations: Vec<Equation> as equations::Equations,
            /// How far apart the ends of rings are. After equations, which say it of rings whose length is a power of
            /// two.
            ring_offsets: FactMap<RingOffset, i32> as ring_offsets::RingOffsets,
            /// What elements of rings hold. After bounds, which say how long a ring is at most.
            elements: FactMap<Element, u64> as elements::Elements,
            /// Which addresses places hold one of. They add differences: that two of them are not the same.
            choices: FactMap<Place, Vec<Held>> as choices::Choices,
            /// Which threads' handles places may hold. After choices, from which they may follow.
            handles: FactMap<Place, BTreeSet<u32>> as handles::Handles,
            /// Which numbers places hold together; `None` where nobody looks for that. Last: columns are what all
            /// others leave open.
            relations: Option<Relation> as relations::Relations,
        }
    };
}

pub(crate) use kinds_of_facts;
