//! The interprocedural control-flow graph (Bergan 2.6.2, "Constructing CFG").
//!
//! It has functions' own graphs, and edges between them: from calls to what they may run and back, and from the
//! creation of a thread to its first function.
//!
//! Functions are taken per points-to instance. An instance's own graph is that of its function, so only the edges
//! between instances are kept.

use icsched_ir::{Callee, Const, EntityId, FuncId, IdVec, Intrinsic, Op, Operand, Program, ProgramPoint, scc};
use icsched_pointsto::{InstanceId, ObjectKind, PointsTo};

/// How control gets from a point to the start of an instance.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EdgeKind {
    /// A call; control comes back.
    Call,
    /// The creation of a thread that runs it.
    Create,
    /// What happens at the point makes some thread run it at some later time.
    Interrupt,
}

/// An edge to the start of an instance.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// Where in the instance that it comes from.
    pub at: ProgramPoint,
    /// How.
    pub kind: EdgeKind,
    /// What runs.
    pub to: InstanceId,
}

/// The edges between instances.
#[derive(Clone, Debug)]
pub struct Icfg {
    edges: IdVec<InstanceId, Vec<Edge>>,
    /// Where edges come from: instance and position in its list.
    incoming: IdVec<InstanceId, Vec<(InstanceId, usize)>>,
    /// Strongly connected components of the calls, callees first.
    components: Vec<Vec<InstanceId>>,
}

impl Icfg {
    /// The graph of a whole program. O(instructions of all instances + edges).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let count = points_to.instances().len();
        let mut edges = IdVec::filled(Vec::new(), count);
        let mut incoming = IdVec::filled(Vec::new(), count);
        for (id, instance) in points_to.instances().iter() {
            let list: &mut Vec<Edge> = &mut edges[id];
            for (block, body) in program.functions[instance.func].blocks.iter() {
                for (inst, index) in body.insts.iter().zip(0..) {
                    let Some(kind) = kind(&inst.op) else { continue };
                    let at = ProgramPoint { func: instance.func, block, inst: index };
                    list.extend(points_to.callees(id, at).iter().map(|&to| Edge { at, kind, to }));
                }
            }
            for (position, edge) in list.iter().enumerate() {
                let to: &mut Vec<(InstanceId, usize)> = &mut incoming[edge.to];
                to.push((id, position));
            }
        }
        let calls = |i: usize| {
            let list = &edges[InstanceId::from_index(i)];
            list.iter().filter(|e| e.kind == EdgeKind::Call).map(|e| e.to.index())
        };
        let components = scc::components(count, |_| true, calls);
        let components = components.into_iter().map(|c| c.into_iter().map(InstanceId::from_index).collect()).collect();
        Self { edges, incoming, components }
    }

    /// The edges that leave an instance, in the order of their points.
    pub fn edges(&self, from: InstanceId) -> &[Edge] {
        &self.edges[from]
    }

    /// How the edges that leave an instance at a point do.
    pub(crate) fn edge_kind(&self, from: InstanceId, at: ProgramPoint) -> Option<EdgeKind> {
        self.edges[from].iter().find(|e| e.at == at).map(|e| e.kind)
    }

    /// The edges that lead to the start of an instance, each with where it comes from.
    pub fn incoming(&self, to: InstanceId) -> impl Iterator<Item = (InstanceId, Edge)> {
        self.incoming[to].iter().map(|&(from, position)| (from, self.edges[from][position]))
    }

    /// Sets of instances that call one another, callees first.
    pub fn components(&self) -> &[Vec<InstanceId>] {
        &self.components
    }

    /// What threads may run at any time because of what others do, each once.
    pub(crate) fn handlers(&self) -> Vec<InstanceId> {
        let edges = self.edges.values().flatten().filter(|e| e.kind == EdgeKind::Interrupt);
        let mut found: Vec<InstanceId> = edges.map(|e| e.to).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The instances that `roots` may run by calls that return, the roots included.
    pub fn called_from(&self, roots: impl IntoIterator<Item = InstanceId>) -> IdVec<InstanceId, bool> {
        let next = |i: InstanceId| self.edges[i].iter().filter(|e| e.kind == EdgeKind::Call).map(|e| e.to);
        closure(self.edges.len(), roots, next)
    }

    /// The instances from which some way of calls and creations leads to one of `targets`, these included.
    pub fn leading_to(&self, targets: impl IntoIterator<Item = InstanceId>) -> IdVec<InstanceId, bool> {
        closure(self.edges.len(), targets, |i: InstanceId| self.incoming(i).map(|(from, _)| from))
    }
}

fn kind(op: &Op) -> Option<EdgeKind> {
    match op {
        Op::Call { callee: Callee::Direct(_) | Callee::Indirect(_), .. } => Some(EdgeKind::Call),
        Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), .. } => Some(EdgeKind::Create),
        Op::Call { callee: Callee::Intrinsic(_), .. } => Some(EdgeKind::Interrupt),
        _ => None,
    }
}

fn closure<I: Iterator<Item = InstanceId>>(
    count: usize,
    roots: impl IntoIterator<Item = InstanceId>,
    next: impl Fn(InstanceId) -> I,
) -> IdVec<InstanceId, bool> {
    let mut found = IdVec::filled(false, count);
    let mut work: Vec<InstanceId> = roots.into_iter().collect();
    work.iter().for_each(|&i| found[i] = true);
    while let Some(id) = work.pop() {
        for to in next(id) {
            if !std::mem::replace(&mut found[to], true) {
                work.push(to);
            }
        }
    }
    found
}

/// What a call may run.
pub(crate) struct Callees {
    /// Instances with a body.
    pub(crate) instances: Vec<InstanceId>,
    /// It may run something else as well, or what it runs is not known.
    pub(crate) others: bool,
}

/// What the call at a point of an instance may run.
pub(crate) fn callees(
    program: &Program,
    points_to: &PointsTo,
    instance: InstanceId,
    at: ProgramPoint,
    callee: &Callee,
) -> Callees {
    let instances = points_to.callees(instance, at).to_vec();
    let declared = |func: FuncId| program.functions[func].is_declaration();
    let others = match callee {
        Callee::Direct(func) | Callee::Indirect(Operand::Const(Const::Func(func))) => {
            declared(*func) || instances.is_empty()
        }
        Callee::Indirect(target) => {
            let info = points_to.pointer_info_in(instance, *target);
            let is_code = |kind| matches!(kind, ObjectKind::Function(_) | ObjectKind::MovedFunctions);
            let objects = points_to.objects();
            instances.is_empty()
                || info.locations.iter().any(|l| !is_code(objects[l.object].kind))
                || points_to.functions(&info).any(declared)
        }
        Callee::Intrinsic(_) => true,
    };
    Callees { instances, others }
}
