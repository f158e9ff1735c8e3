//! A function with its loops counted.

use icsched_ir::{Cfg, CountedLoop, CountedLoops, DomTree, Function, Loop, LoopForest, Program, parse, verify};

/// The function `f` of a program, with its loops counted.
pub(crate) struct Counted {
    pub(crate) program: Program,
    pub(crate) loops: LoopForest,
    pub(crate) counts: CountedLoops,
}

impl Counted {
    pub(crate) fn new(text: &str) -> Self {
        let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(verify(&program), Ok(()), "{text}");
        let function = function(&program);
        let cfg = Cfg::new(function);
        let loops = LoopForest::new(&cfg);
        let counts = CountedLoops::new(function, &cfg, &DomTree::dominators(&cfg), &loops);
        Self { loops, counts, program }
    }

    /// The outermost loop, and what is known of it.
    pub(crate) fn first(&self) -> (&Loop, &CountedLoop) {
        let (id, l) = self.loops.iter().next().expect("there is a loop");
        (l, self.counts.get(id))
    }
}

pub(crate) fn function(program: &Program) -> &Function {
    program.functions.values().find(|f| f.name == "f").expect("the tests' function is f")
}
