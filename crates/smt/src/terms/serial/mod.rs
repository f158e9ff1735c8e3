//! Terms outside their pool: a list of nodes, operands before users, one short text each. The same terms give the same
//! list in every run and every pool.
//!
//! ```text
//! s 32 argc          symbol of 32 bits        a heap            array symbol
//! c 32 10            constant                 k 0               array with all elements 0
//! slt 0 1            operator, positions      zext 64 2         extension to 64 bits
//! ext 7 0 2          bits 7 to 0              fp add 3 4        float operator
//! ```

use serde::{Deserialize, Serialize};

use crate::terms::node::Term;
use crate::terms::pool::TermPool;

mod line;

/// The version written; versions up to it are read.
pub const VERSION: u32 = 1;

/// A set of terms with all they are made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermDag {
    /// Format version, [`VERSION`] when written.
    pub version: u32,
    /// One line per node; operands are positions of earlier lines.
    pub nodes: Vec<String>,
    /// Positions of the exported terms, in the order given.
    pub roots: Vec<u32>,
}

/// Why a [`TermDag`] can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Written by a later version of this program.
    #[error("term graph of version {0}; this program reads up to {VERSION}")]
    Version(u32),
    /// A line is malformed, names a later line, or its operands don't fit.
    #[error("term graph, node {at}: {message}: `{line}`")]
    Node {
        /// Position of the line.
        at: usize,
        /// The line.
        line: String,
        /// What is wrong with it.
        message: &'static str,
    },
    /// A root isn't the position of a line.
    #[error("term graph: root {0} is not a node")]
    Root(u32),
}

/// Writes terms with all they are made of. Linear in the size of their graph.
pub fn export(pool: &TermPool, terms: &[Term]) -> TermDag {
    let order = pool.postorder(terms, |_| false);
    let mut position = vec![0u32; pool.len()];
    for (index, t) in order.iter().enumerate() {
        position[t.index()] = u32::try_from(index).expect("no more nodes than terms");
    }
    let nodes = order.iter().map(|&t| line::write(pool, pool.node(t), |c| position[c.index()])).collect();
    TermDag { version: VERSION, nodes, roots: terms.iter().map(|t| position[t.index()]).collect() }
}

/// Makes the terms in a pool (another one, or the same: they are simplified as if they were built there).
///
/// # Errors
///
/// When the graph was written by a later version or is damaged; nothing in it can make the pool panic.
pub fn import(pool: &mut TermPool, dag: &TermDag) -> Result<Vec<Term>, ImportError> {
    if dag.version > VERSION {
        return Err(ImportError::Version(dag.version));
    }
    let mut terms = Vec::with_capacity(dag.nodes.len());
    for (at, text) in dag.nodes.iter().enumerate() {
        let node_error = |message| ImportError::Node { at, line: text.clone(), message };
        terms.push(line::read(pool, text, &terms).map_err(node_error)?);
    }
    let root = |&root: &u32| terms.get(root as usize).copied().ok_or(ImportError::Root(root));
    dag.roots.iter().map(root).collect()
}
