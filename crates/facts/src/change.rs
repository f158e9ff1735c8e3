//! How facts differ from others: what a record of a search keeps.

use icsched_ir::ValueId;
use icsched_pointsto::ObjectId as Abstract;
use serde::{Deserialize, Serialize};

use crate::fact_map::{change_of_map, changed_map};
use crate::kinds::KindsChange;
use crate::place::{Held, Node};
use crate::shape::Shape;

/// Keys with other values, or none.
type Changes<K, V> = Vec<(K, Option<V>)>;

/// How a shape differs from another one.
#[derive(Serialize, Deserialize)]
pub struct ShapeChange {
    bytes: Changes<(Node, u64), u8>,
    words: Changes<(Node, u64), (u8, Held)>,
    registers: Changes<(u32, u32, ValueId), (u8, Held)>,
    #[serde(flatten)]
    kinds: KindsChange,
    heap: Vec<Abstract>,
    waits: Vec<u32>,
}

impl Shape {
    /// What is to be changed to get another shape. O(facts of both).
    pub fn change_to(&self, other: &Self) -> ShapeChange {
        ShapeChange {
            bytes: self.bytes.changes(&other.bytes).collect(),
            words: change_of_map(&self.words, &other.words),
            registers: change_of_map(&self.registers, &other.registers),
            kinds: self.change_of_kinds(other),
            heap: other.heap.clone(),
            waits: other.waits.clone(),
        }
    }

    /// The other shape.
    #[must_use]
    pub fn changed(&self, change: ShapeChange) -> Self {
        let ShapeChange { bytes, words, registers, kinds, heap, waits } = change;
        let mut changed = Self {
            bytes: self.bytes.clone(),
            words: changed_map(&self.words, words),
            registers: changed_map(&self.registers, registers),
            heap,
            waits,
            ..self.clone()
        };
        for (at, byte) in bytes {
            match byte {
                Some(byte) => changed.bytes.insert(at, byte),
                None => changed.bytes.remove(&at),
            }
        }
        changed.with_change_of_kinds(kinds)
    }

    /// Writes all facts to the log, most at the level of traces.
    pub fn log(&self) {
        for (node, start, len) in self.bytes.runs() {
            tracing::trace!(?node, start, len, "bytes are numbers");
        }
        for (place, (size, held)) in &self.words {
            tracing::trace!(?place, size, ?held, "a word holds an address, or the same as other places");
        }
        for (place, (_, held)) in &self.registers {
            tracing::trace!(?place, ?held, "a register holds a number, an address, or the same as other places");
        }
        self.log_kinds();
    }
}
