//! The smallest input that still shows the same: no byte, argument or answer of it can go.

use std::sync::Arc;

use icsched_machine::ThreadId;
use icsched_realise::{Goal, Realiser, Shown};
use icsched_symbolic::inputs::{ArgSpec, InputSpec, TestInput};

use crate::budgets::BUDGETS;

/// Makes the input of a run smaller, as long as runs show the same, one part after the other.
pub(crate) fn smaller(realiser: &mut Realiser<'_, '_>, spec: &InputSpec, shown: Shown, goal: &Goal) -> Shown {
    let mut search = Search { realiser, goal, best: shown, runs: 0 };
    loop {
        let before = search.best.input.clone();
        search.round(spec);
        if search.best.input == before || search.runs >= BUDGETS.smaller_runs {
            return search.best;
        }
    }
}

/// Inputs that differ in one place: the next numbers, one byte less, one byte more.
pub(crate) fn neighbours(spec: &InputSpec, input: &TestInput) -> Vec<TestInput> {
    let mut found = Vec::new();
    for at in 1..input.argv.len() {
        let is_free = spec.arguments.get(at - 1).is_none_or(|spec| matches!(spec, ArgSpec::Symbolic { .. }));
        if !is_free {
            continue;
        }
        let word = &input.argv[at];
        let number = std::str::from_utf8(word).ok().and_then(|text| text.parse::<i64>().ok());
        let next = number.iter().flat_map(|n| [n.checked_sub(1), n.checked_add(1)]).flatten();
        let shorter = word.split_last().map(|(_, shorter)| shorter.to_vec());
        let longer = [word.as_slice(), b"0"].concat();
        for other in next.map(|n| n.to_string().into_bytes()).chain(shorter).chain([longer]) {
            let mut near = input.clone();
            near.argv[at] = other;
            found.push(near);
        }
    }
    found
}

struct Search<'r, 'a, 'p> {
    realiser: &'r mut Realiser<'a, 'p>,
    goal: &'r Goal,
    best: Shown,
    runs: usize,
}

impl Search<'_, '_, '_> {
    fn round(&mut self, spec: &InputSpec) {
        let fixed = spec.arguments.len() + 1 + spec.optional.map_or(0, |optional| optional.min as usize);
        while self.best.input.argv.len() > fixed && self.attempt(|input| _ = input.argv.pop()) {}
        for at in 1..self.best.input.argv.len() {
            let is_free = |spec: &ArgSpec| matches!(spec, ArgSpec::Symbolic { .. });
            if spec.arguments.get(at - 1).is_none_or(is_free) {
                self.text(|input| &mut input.argv[at]);
            }
        }
        for name in self.best.input.others.keys().cloned().collect::<Vec<_>>() {
            if self.best.input.others.get(&name).is_some_and(|&value| value != 0) {
                self.attempt(|input| _ = input.others.remove(&name));
            }
        }
        for name in self.best.input.files.keys().cloned().collect::<Vec<_>>() {
            self.bytes(|input| input.files.get_mut(&name).expect("files stay"));
        }
        if self.best.input.stdin.is_some() {
            self.bytes(|input| input.stdin.as_mut().expect("it stays"));
        }
        for at in (0..self.best.input.environment.len()).rev() {
            self.attempt(|input| _ = input.environment.remove(at));
        }
    }

    /// Takes bytes out of a string, and makes the others plain: digits small, what cannot be seen a letter.
    fn text(&mut self, of: impl Fn(&mut TestInput) -> &mut Vec<u8>) {
        self.attempt(|input| of(input).clear());
        let mut at = of(&mut self.best.input.clone()).len();
        while at > 0 {
            at -= 1;
            self.attempt(|input| {
                let text = of(input);
                if at < text.len() {
                    text.remove(at);
                }
            });
        }
        self.plain(of, b"0123456789");
    }

    /// Makes bytes plain that cannot go, since the size is given.
    fn bytes(&mut self, of: impl Fn(&mut TestInput) -> &mut Vec<u8>) {
        self.plain(of, b"0");
    }

    fn plain(&mut self, of: impl Fn(&mut TestInput) -> &mut Vec<u8>, digits: &[u8]) {
        for at in 0..of(&mut self.best.input.clone()).len() {
            let byte = of(&mut self.best.input.clone())[at];
            let better: Vec<u8> = match byte {
                b'0'..=b'9' => digits.iter().copied().filter(|&digit| digit < byte).collect(),
                b'a'..=b'z' | b'A'..=b'Z' => Vec::new(),
                _ => vec![b'0', b'a', b' '],
            };
            for other in better.into_iter().filter(|&other| other != byte) {
                if self.attempt(|input| of(input)[at] = other) {
                    break;
                }
            }
        }
    }

    /// Whether a changed input still shows it; then it is the best one.
    fn attempt(&mut self, change: impl FnOnce(&mut TestInput)) -> bool {
        let mut input = self.best.input.clone();
        change(&mut input);
        if input == self.best.input || self.runs >= BUDGETS.smaller_runs {
            return false;
        }
        self.runs += 1;
        let order: Arc<[ThreadId]> = Arc::clone(&self.best.order);
        match self.realiser.confirm(&input, order, self.goal) {
            Some(shown) => {
                self.best = shown;
                true
            }
            None => false,
        }
    }
}
