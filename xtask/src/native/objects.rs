//! Whether a run's objects are those of a schedule, and whether the schedule orders what the run does on them.

use std::collections::HashMap;

use super::build::is_called;
use super::names::Names;
use super::schedule::{GraphNode, NodeId};
use super::trace::{Access, Kind, Pending, Touched};

/// Why an address is not the object that a schedule names.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Mismatch {
    /// It lies in another variable.
    #[error("it is on {variable}+{offset}, the schedule has {name}")]
    OtherVariable { variable: String, offset: u64, name: String },
    /// It lies in no variable, and the schedule means one.
    #[error("it is on no variable, the schedule has {name}")]
    NoVariable { name: String },
    /// The address had another name before.
    #[error("it is on what was {other} before, the schedule has {name}")]
    OtherName { other: String, name: String },
    /// The name was at another address before.
    #[error("it is on another object than {name} before")]
    OtherAddress { name: String },
}

/// Names and addresses that belong together, in one epoch.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    by_name: HashMap<String, u64>,
    by_address: HashMap<u64, String>,
}

impl Objects {
    /// Whether an address can be the object of this name; else why not.
    ///
    /// Variables have one name each, and lie where the linker has put the variable that the name begins with. Objects
    /// of the heap and of stacks may share a name, and names of the middle of a program say how an object was found:
    /// these prove nothing.
    pub(super) fn agree(&mut self, name: &str, address: u64, names: &Names<'_>) -> Result<(), Mismatch> {
        let Some(base) = variable_of(name) else { return Ok(()) };
        let named = || name.to_owned();
        match names.variable(address) {
            Some((variable, _)) if is_called(variable, base) => {}
            Some((variable, offset)) => {
                return Err(Mismatch::OtherVariable { variable: variable.to_owned(), offset, name: named() });
            }
            None if names.has_variable(base) => return Err(Mismatch::NoVariable { name: named() }),
            None => return Ok(()),
        }
        if let Some(other) = self.by_address.get(&address).filter(|other| *other != name) {
            return Err(Mismatch::OtherName { other: other.clone(), name: named() });
        }
        if self.by_name.get(name).is_some_and(|&other| other != address) {
            return Err(Mismatch::OtherAddress { name: named() });
        }
        self.by_name.insert(name.to_owned(), address);
        self.by_address.insert(address, name.to_owned());
        Ok(())
    }
}

/// The variable that a name begins with, if it is the name of a variable or of a part of one: `locks[1].m`.
fn variable_of(name: &str) -> Option<&str> {
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    let (base, path) = name.split_at(end);
    let is_path = path.chars().all(|c| c.is_alphanumeric() || "_.[]+".contains(c)) && !path.contains("->");
    let starts = base.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let is_subscript = path.split('[').skip(1).all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    (starts && is_path && is_subscript).then_some(base)
}

/// What was done in the current epoch, to see whether the schedule has it in that order.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    by_word: HashMap<u64, Vec<(NodeId, Access)>>,
    /// Arrivals at barriers in the round that is not over.
    arrived: HashMap<u64, Vec<NodeId>>,
    /// The last arrival of the round before.
    released: HashMap<u64, NodeId>,
    /// Objects of `pthread_once` whose routine has ended.
    once_ended: HashMap<u64, NodeId>,
    /// The node that has created a thread, or woken it.
    led_to: HashMap<u64, NodeId>,
}

impl Done {
    /// A node has created a thread of the schedule, or woken it.
    pub(super) fn leads_to(&mut self, thread: u64, node: NodeId) {
        self.led_to.insert(thread, node);
    }

    /// Adds a node that was executed; else the earlier node which the schedule does not have before it.
    pub(super) fn add(
        &mut self,
        node: &GraphNode,
        at: NodeId,
        pending: &Pending,
        kind: Kind,
        touched: &Touched,
    ) -> Result<(), NodeId> {
        let is_before = |other: &NodeId| other.0 == at.0 || node.before.get(&other.0).is_some_and(|&n| n >= other.1);
        let need = |other: Option<NodeId>| other.filter(|other| !is_before(other)).map_or(Ok(()), Err);
        need(self.led_to.remove(&at.0))?;
        match kind {
            Kind::Arrive => {
                self.arrived.entry(pending.object).or_default().push(at);
                return Ok(());
            }
            Kind::Leave => return need(self.released.get(&pending.object).copied()),
            Kind::Once if self.once_ended.contains_key(&pending.object) => {
                return need(self.once_ended.get(&pending.object).copied());
            }
            Kind::OnceEnd => {
                self.once_ended.insert(pending.object, at);
            }
            _ => {}
        }
        for &access in touched.words() {
            let others = self.by_word.entry(access.word()).or_default();
            let unordered = others.iter().find(|(other, earlier)| earlier.conflicts(access) && !is_before(other));
            if let Some(&(other, _)) = unordered {
                return Err(other);
            }
            others.push((at, access));
        }
        Ok(())
    }

    /// The last thread has come to a barrier: all who came before it must be before it in the schedule.
    pub(super) fn release(&mut self, barrier: u64, last: &GraphNode, at: NodeId) -> Result<(), NodeId> {
        self.released.insert(barrier, at);
        let arrived = self.arrived.remove(&barrier).unwrap_or_default();
        let is_before = |other: &NodeId| other.0 == at.0 || last.before.get(&other.0).is_some_and(|&n| n >= other.1);
        arrived.into_iter().find(|other| !is_before(other)).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables() {
        let bases =
            ["lock", "locks[1].m", "gs.m", "q->lock", "heap (a.c:3).m", "m in main", "table[i]", "thread 2", "*p"];
        let expected = [Some("lock"), Some("locks"), Some("gs"), None, None, None, None, None, None];
        assert_eq!(bases.map(variable_of), expected);
        assert!(is_called("x.1", "x") && is_called("main.x", "x") && is_called("x", "x") && !is_called("xy", "x"));
    }
}
