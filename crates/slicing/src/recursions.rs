//! Recursions that do not synchronise.

use std::sync::OnceLock;

use icsched_ir::{FuncId, Op, Program, ProgramPoint};

use crate::aliases::Aliases;

/// Functions that call each other, none of which synchronises and goes on.
#[derive(Debug)]
pub struct UnsynchronisedRecursion {
    /// The functions, ascending.
    pub functions: Vec<FuncId>,
    /// Whether it may make objects of synchronisation of which something is known that is
    /// [forgotten](crate::function_control::FunctionControl::forgets_objects).
    pub initialises: bool,
    /// Whether it may come to what is not supported, as far as the call graph tells.
    pub(crate) may_fail: bool,
    /// The same, as far as anybody knows, once that was asked.
    pub(crate) fails: OnceLock<bool>,
}

impl UnsynchronisedRecursion {
    /// Whether it may come to what is not supported, so that calls that are summarised have to be looked into.
    /// O(calls in its functions) when it is asked for first.
    pub fn fails(&self, program: &Program, aliases: Option<&Aliases<'_>>) -> bool {
        let Some(aliases) = aliases else { return self.may_fail };
        let may_fail = |point: ProgramPoint| {
            let known = aliases.instruction(&aliases.candidates(point.func, None), point);
            known.is_none_or(|known| known.synchronises)
        };
        self.may_fail && *self.fails.get_or_init(|| self.functions.iter().any(|&f| calls(program, f).any(may_fail)))
    }
}

/// The calls in a function.
pub fn calls(program: &Program, func: FuncId) -> impl Iterator<Item = ProgramPoint> {
    program.functions[func].blocks.iter().flat_map(move |(block, body)| {
        let all = (0..).zip(&body.insts).filter(|(_, i)| matches!(i.op, Op::Call { .. }));
        all.map(move |(inst, _)| ProgramPoint { func, block, inst })
    })
}
