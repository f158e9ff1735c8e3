//! Sizes of points-to sets, counted so that they compare with those of other analyses.

#![allow(clippy::print_stdout, reason = "figures are the output of a benchmark")]

use std::collections::BTreeSet;

use icsched_ir::{EntityId, FuncId, Op, Operand, Origin, Program, ProgramPoint, ValueId};
use icsched_pointsto::{ObjectId, ObjectKind, PointerInfo, PointsTo};

/// What the objects of a set are counted as.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Site {
    /// A heap object by the program's call that makes it, whichever instance does.
    Heap(ProgramPoint),
    /// A local by its declaration.
    Local(FuncId, ValueId),
    /// The variable arguments of a function.
    Arguments(FuncId),
    /// Any constant without pointers in it.
    Constant,
    /// Every other object is one.
    Object(ObjectId),
}

/// Number of elements, counted in four ways.
type Sizes = [u64; 4];

const WAYS: [&str; 4] = ["objects", "sites", "sites, constants as one", "the same, accessible"];

/// The number of values of reachable functions that a pointer may be in.
pub(crate) fn pointers(program: &Program, result: &PointsTo) -> usize {
    let reached = program.functions.iter().filter(|(f, _)| !result.instances_of(*f).is_empty());
    reached
        .map(|(func, function)| {
            let instance = result.instances_of(func)[0];
            function.values.ids().filter(|&v| result.representative(instance, v.into()).is_some()).count()
        })
        .sum()
}

/// Prints the mean and the largest size of the sets that the program's own code accesses memory through: over all
/// accesses, and over the pointers, each once. In brackets, empty sets aside.
pub(crate) fn print(program: &Program, result: &PointsTo) {
    let mut known = Known::new(program, result);
    let (mut accesses, mut distinct) = (Vec::new(), BTreeSet::new());
    let mut pointers = Vec::new();
    for (func, function) in program.functions.iter() {
        if function.origin == Origin::Model || result.instances_of(func).is_empty() {
            continue;
        }
        for inst in function.blocks.values().flat_map(|b| &b.insts) {
            for_each_address(&inst.op, |address| {
                let sizes = known.sizes(func, address);
                accesses.push(sizes);
                let user = if matches!(address, Operand::Value(_)) { Some(func) } else { None };
                if distinct.insert((user, address)) {
                    pointers.push(sizes);
                }
            });
        }
    }
    for (what, sizes) in [("accesses", accesses), ("dereferenced pointers", pointers)] {
        println!("  {} {what}", sizes.len());
        for (at, way) in WAYS.into_iter().enumerate() {
            let sum: u64 = sizes.iter().map(|s| s[at]).sum();
            let some = sizes.iter().filter(|s| s[at] > 0).count();
            let largest = sizes.iter().map(|s| s[at]).max().unwrap_or(0);
            let mean = |count: usize| sum as f64 / count.max(1) as f64;
            println!("    {way:<24} {:>9.1} ({:.1}), {largest} at most", mean(sizes.len()), mean(some));
        }
    }
}

/// The addresses that an instruction accesses.
fn for_each_address(op: &Op, mut visit: impl FnMut(Operand)) {
    match op {
        Op::Load { address, .. }
        | Op::Store { address, .. }
        | Op::AtomicRmw { address, .. }
        | Op::CompareExchange { address, .. }
        | Op::MemSet { to: address, .. } => visit(*address),
        Op::MemCopy { to, from, .. } => {
            visit(*to);
            visit(*from);
        }
        _ => {}
    }
}

/// Sizes by set: most sets belong to many values.
struct Known<'a> {
    program: &'a Program,
    result: &'a PointsTo,
    sites: Vec<Site>,
    /// By the number that equal sets share.
    sizes: Vec<Option<Sizes>>,
}

impl<'a> Known<'a> {
    fn new(program: &'a Program, result: &'a PointsTo) -> Self {
        let sites = result.objects().ids().map(|o| site(program, result, o)).collect();
        Self { program, result, sites, sizes: Vec::new() }
    }

    fn sizes(&mut self, func: FuncId, address: Operand) -> Sizes {
        let number = match self.result.instances_of(func) {
            &[instance] => self.result.representative(instance, address).map(|n| n as usize),
            _ => None,
        };
        let Some(number) = number else { return self.count(func, address) };
        if self.sizes.len() <= number {
            self.sizes.resize(number + 1, None);
        }
        let sizes = self.sizes[number].unwrap_or_else(|| self.count(func, address));
        self.sizes[number] = Some(sizes);
        sizes
    }

    fn count(&self, func: FuncId, address: Operand) -> Sizes {
        let info = self.result.pointer_info(func, address);
        let sites = self.sites(&info);
        let [merged, accessible] = [sites.clone(), self.sites(&self.result.accessible(&info))].map(|sites| {
            sites.into_iter().map(|s| if self.is_constant(s) { Site::Constant } else { s }).collect::<BTreeSet<Site>>()
        });
        [info.objects().count() as u64, sites.len() as u64, merged.len() as u64, accessible.len() as u64]
    }

    fn sites(&self, info: &PointerInfo) -> BTreeSet<Site> {
        info.objects().map(|object| self.sites[object.index()]).collect()
    }

    /// Whether the site is a constant without pointers in it.
    fn is_constant(&self, site: Site) -> bool {
        let Site::Object(object) = site else { return site == Site::Constant };
        match self.result.objects()[object].kind {
            ObjectKind::PlainConstants => true,
            ObjectKind::Global(global) => {
                let global = &self.program.globals[global];
                global.constant && !global.external && global.relocations.is_empty()
            }
            _ => false,
        }
    }
}

fn site(program: &Program, result: &PointsTo, object: ObjectId) -> Site {
    let function = |instance| result.instances()[instance].func;
    match result.objects()[object].kind {
        ObjectKind::Heap { instance, at } | ObjectKind::Library { instance, at } => {
            Site::Heap(result.program_site(program, instance, at).unwrap_or(at))
        }
        ObjectKind::Stack { instance, value } => Site::Local(function(instance), value),
        ObjectKind::VarArgs(instance) => Site::Arguments(function(instance)),
        ObjectKind::Global(_)
        | ObjectKind::Function(_)
        | ObjectKind::ArgumentVector
        | ObjectKind::Arguments
        | ObjectKind::EnvironmentVector
        | ObjectKind::Environment
        | ObjectKind::Outside
        | ObjectKind::PlainConstants
        | ObjectKind::MovedFunctions
        | ObjectKind::Transfer => Site::Object(object),
    }
}
