//! A program while scenes are written to it.

use super::random::Random;

/// What scenes write to.
pub(super) struct Draft {
    /// Random choices.
    pub(super) random: Random,
    /// Number of the scene.
    pub(super) scene: usize,
    /// Numbers on the command line: `x`, or `x` and `y`.
    pub(super) inputs: usize,
    /// Threads that take part; 0 is `main`.
    pub(super) cast: Vec<usize>,
    pub(super) globals: Vec<String>,
    pub(super) set_up: Vec<String>,
    pub(super) bodies: Vec<Vec<String>>,
    pub(super) behind: Vec<String>,
}

impl Draft {
    /// A variable, function or type outside of all functions.
    pub(super) fn global(&mut self, line: impl Into<String>) {
        self.globals.push(line.into());
    }

    /// A line of `main` in front of the threads.
    pub(super) fn set_up(&mut self, line: impl Into<String>) {
        self.set_up.push(line.into());
    }

    /// A line of `main` behind the threads' ends.
    pub(super) fn behind(&mut self, line: impl Into<String>) {
        self.behind.push(line.into());
    }

    /// Lines of one thread.
    pub(super) fn act(&mut self, thread: usize, lines: &[String]) {
        self.bodies[thread].extend(lines.iter().cloned());
    }

    /// Whether the scene is to have a mistake.
    pub(super) fn has_mistake(&mut self) -> bool {
        self.random.chance(12)
    }

    /// A condition on the inputs.
    pub(super) fn condition(&mut self) -> String {
        let input = self.input();
        let number = self.random.below(5);
        match self.random.below(8) {
            0 => format!("{input} > {number}"),
            1 => format!("{input} < {number}"),
            2 => format!("{input} == {number}"),
            3 => format!("({input} & 1)"),
            4 => format!("{input} % 3 == {}", number % 3),
            5 if self.inputs > 1 => (*self.random.pick(&[&"x > y", &"x == y", &"x + y > 3"])).to_owned(),
            6 => format!("{input} >= {number} && {input} < {}", number + 3),
            _ => format!("{input} != {number}"),
        }
    }

    /// One of the inputs.
    pub(super) fn input(&mut self) -> &'static str {
        if self.inputs > 1 && self.random.chance(40) { "y" } else { "x" }
    }

    /// A small number that is no input, or one that is.
    pub(super) fn count(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("({} & 3)", self.input()),
            1 => format!("({0} < 0 ? 0 : {0} % 3)", self.input()),
            _ => (1 + self.random.below(2)).to_string(),
        }
    }

    /// A number of rounds, which may have no bound.
    pub(super) fn rounds(&mut self) -> String {
        if self.random.chance(50) { self.input().to_owned() } else { self.count() }
    }
}
