//! What the rules' tests have in common: programs around a few lines, and answers as text.

use icsched_ir::{Op, ProgramPoint, Terminator};
use icsched_pointsto::{Location, Offsets, Options};

use crate::common::Solved;

/// What the bodies use: three objects of 64 bytes, two of a pointer's size, and a number.
const GLOBALS: &str = "
global @a size 64 align 16
global @b size 64 align 16
global @c size 64 align 16
global @p size 8 align 8
global @q size 8 align 8
global @number size 8 align 8
";

/// A program whose `main` has this body, in which `%n` is a number and `%yes` a condition, with `rest` behind it.
pub(crate) fn program(body: &str, rest: &str) -> String {
    format!(
        "{GLOBALS}
function @main(%argc: i32, %argv: ptr, %envp: ptr) -> ptr {{
entry:
    %n: i64 = load [@number]
    %yes = icmp.eq %n, 0
{body}
}}
{rest}
"
    )
}

/// What the pointer that `main` returns points to: `a+0 b+8`.
pub(crate) fn returned(body: &str) -> String {
    returned_with(body, "")
}

/// The same with other functions and globals beside `main`.
pub(crate) fn returned_with(body: &str, rest: &str) -> String {
    Solved::new(&program(body, rest)).returned("main")
}

/// The same with options.
pub(crate) fn returned_under(options: &Options<'_>, body: &str, rest: &str) -> String {
    Solved::with(&program(body, rest), options).returned("main")
}

impl Solved {
    /// What a function returns points to.
    pub(crate) fn returned(&self, name: &str) -> String {
        let func = self.function(name);
        let mut locations = Vec::new();
        for block in self.program.functions[func].blocks.values() {
            if let Terminator::Return(values) = &block.terminator {
                for &value in values {
                    locations.extend(self.points_to.pointer_info(func, value).locations);
                }
            }
        }
        self.names(&locations)
    }

    /// What the pointers in an object point to.
    pub(crate) fn contents(&self, object: &str) -> String {
        self.names(&self.points_to.contents(self.object(object)).locations)
    }

    /// The functions that the calls of a function may run, in the order of its calls.
    pub(crate) fn targets(&self, name: &str) -> Vec<String> {
        let func = self.function(name);
        let mut found = Vec::new();
        for (block, code) in self.program.functions[func].blocks.iter() {
            for (at, inst) in code.insts.iter().enumerate() {
                if matches!(inst.op, Op::Call { .. }) {
                    let inst = u32::try_from(at).expect("a short block");
                    let targets = self.points_to.call_targets(&self.program, ProgramPoint { func, block, inst });
                    let names = targets.iter().map(|&f| self.program.functions[f].name.as_str());
                    found.push(names.collect::<Vec<_>>().join(" "));
                }
            }
        }
        found
    }

    /// What was not known, in words.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.points_to.notes().iter().map(|note| note.describe(&self.program)).collect()
    }

    /// The locations that no other one covers: whether a set keeps those as well is no matter of the rules.
    fn names(&self, locations: &[Location]) -> String {
        let alone = |l: &&Location| !locations.iter().any(|m| m.object == l.object && covers(m.offsets, l.offsets));
        let names = locations.iter().filter(alone).map(|l| self.points_to.describe_location(&self.program, l));
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names.dedup();
        names.join(" ")
    }
}

/// Whether `all` has more than the offsets of `part`, and those.
fn covers(all: Offsets, part: Offsets) -> bool {
    match (all, part) {
        (Offsets::Strided { .. }, Offsets::Exact(x)) => all.contains(x),
        (Offsets::Strided { stride, .. }, Offsets::Strided { start, stride: part_stride }) => {
            let start = i64::try_from(start).expect("tests have small offsets");
            all != part && part_stride.is_multiple_of(stride) && all.contains(start)
        }
        (Offsets::Exact(_), _) => false,
    }
}
