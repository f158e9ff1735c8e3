//! Random C expressions, all of type `int` and without undefined behaviour for small inputs.

use crate::soundness::random::Random;

/// What an expression or statement may name.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// Variables that may be assigned to.
    pub(crate) places: Vec<String>,
    /// Values that may only be read.
    pub(crate) values: Vec<String>,
}

impl Scope {
    /// Everything global, for a program with so many inputs.
    pub(crate) fn globals(inputs: usize) -> Self {
        let places = ["g0", "g1", "g2", "g3", "hb->v", "gs.v", "gs.in.k", "*gp", "tl", "*(int *)ad", "**pp", "u.n"];
        Self {
            places: places.map(str::to_owned).to_vec(),
            values: ["x", "y", "z"][..inputs].iter().map(|s| (*s).to_owned()).collect(),
        }
    }

    /// With the locals that every function has.
    pub(crate) fn with_locals(mut self) -> Self {
        self.places.extend(["l0", "l1", "l2", "*lp", "bp->v", "la[1]"].map(str::to_owned));
        self
    }
}

/// Something to assign to.
pub(crate) fn place(random: &mut Random, scope: &Scope) -> String {
    match random.below(10) {
        0 => format!("arr[{}]", index(random, scope, 4)),
        1 => format!("boxes[{}].v", index(random, scope, 3)),
        2 => format!("la[{}]", index(random, scope, 3)),
        _ => random.pick(&scope.places).clone(),
    }
}

/// An array index below `limit`.
pub(crate) fn index(random: &mut Random, scope: &Scope, limit: usize) -> String {
    if random.chance(50) {
        return random.below(limit).to_string();
    }
    format!("(unsigned)({}) % {limit}", expression(random, scope, 1))
}

/// A value.
pub(crate) fn expression(random: &mut Random, scope: &Scope, depth: usize) -> String {
    if depth == 0 || random.chance(30) {
        return atom(random, scope);
    }
    let sub = |random: &mut Random| expression(random, scope, depth - 1);
    match random.below(12) {
        0..=2 => {
            let (a, b) = (sub(random), sub(random));
            let op = *random.pick(&["+", "-", "*", "&", "|", "^"]);
            format!("(({a}) {op} ({b}))")
        }
        3..=5 => {
            let (a, b) = (sub(random), random.below(5));
            let op = *random.pick(&["==", "!=", "<", ">", "<=", ">="]);
            format!("(({a}) {op} {b})")
        }
        6 => {
            let (c, a, b) = (condition(random, scope), sub(random), sub(random));
            format!("(({c}) ? ({a}) : ({b}))")
        }
        7 => format!("(({}) % {})", sub(random), 2 + random.below(3)),
        8 => format!("(({}) / {})", sub(random), 2 + random.below(3)),
        9 => format!("(!({}))", sub(random)),
        10 => format!("(({}) & {})", sub(random), 1 + random.below(3)),
        _ => atom(random, scope),
    }
}

/// What decides a branch; often a plain question about an input.
pub(crate) fn condition(random: &mut Random, scope: &Scope) -> String {
    let op = *random.pick(&["==", "!=", "<", ">"]);
    match random.below(8) {
        0..=3 if !scope.values.is_empty() => format!("({}) {op} {}", random.pick(&scope.values), random.below(5)),
        4 => {
            let (a, b) = (expression(random, scope, 1), expression(random, scope, 1));
            format!("({a}) {} ({b})", random.pick(&["&&", "||"]))
        }
        _ => format!("({}) {op} {}", expression(random, scope, 1), random.below(4)),
    }
}

fn atom(random: &mut Random, scope: &Scope) -> String {
    match random.below(10) {
        0..=2 => random.below(5).to_string(),
        3..=4 if !scope.values.is_empty() => random.pick(&scope.values).clone(),
        5 => format!("arr[{}]", random.below(4)),
        6 => format!("boxes[{}].v", random.below(3)),
        _ => random.pick(&scope.places).clone(),
    }
}
