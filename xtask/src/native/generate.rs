//! Random C programs with threads, from a seed: scenes, one behind the other, in which some of the threads take part.
//!
//! All threads come to the scenes in the same order, and each scene ends for all who take part, so that a program has
//! neither deadlocks nor data races; but for the mistakes that are put into some scenes, mostly for some inputs only.

use super::draft::Draft;
use super::random::Random;
use super::scenes::{SCENES, Scene};

/// A program and how many numbers it reads from its command line.
#[derive(Clone, Debug)]
pub(super) struct Generated {
    /// The C text.
    pub(super) text: String,
    /// Numbers.
    pub(super) inputs: usize,
}

/// Threads beside `main`.
const MOST_WORKERS: usize = 3;

/// The program of a seed.
pub(super) fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let inputs = 1 + usize::from(random.chance(40));
    let workers = 1 + random.below(MOST_WORKERS);
    let count = 1 + random.below(4);
    let mut draft = Draft {
        random,
        scene: 0,
        inputs,
        cast: Vec::new(),
        globals: Vec::new(),
        set_up: Vec::new(),
        bodies: vec![Vec::new(); workers + 1],
        behind: Vec::new(),
    };
    for scene in 0..count {
        draft.scene = scene;
        draft.cast = cast(&mut draft.random, workers);
        let Scene { least, write } = draft.random.pick(SCENES);
        if draft.cast.len() >= least {
            write(&mut draft);
        }
    }
    Generated { text: text(&mut draft, workers), inputs }
}

/// Who takes part: most threads, or at least one.
fn cast(random: &mut Random, workers: usize) -> Vec<usize> {
    let mut cast: Vec<usize> = (0..=workers).filter(|_| random.chance(75)).collect();
    if cast.is_empty() {
        cast.push(random.below(workers + 1));
    }
    cast
}

const HEAD: &str = "#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static int x, y;
";

fn text(draft: &mut Draft, workers: usize) -> String {
    let mut text = HEAD.to_owned();
    let mut line = |depth: usize, line: &str| {
        text.push_str(&"    ".repeat(depth));
        text.push_str(line);
        text.push('\n');
    };
    draft.globals.iter().for_each(|global| line(0, global));
    let shared = draft.random.chance(50);
    if shared {
        line(0, "static void *work(void *argument) {");
        line(1, "int me = (int)(long)argument;");
        for worker in 1..=workers {
            line(1, &format!("if (me == {worker}) {{"));
            draft.bodies[worker].iter().for_each(|body| line(2, body));
            line(1, "}");
        }
        line(1, "return argument;");
        line(0, "}");
    } else {
        for worker in 1..=workers {
            line(0, &format!("static void *work{worker}(void *argument) {{"));
            line(1, &format!("int me = {worker};"));
            draft.bodies[worker].iter().for_each(|body| line(1, body));
            line(1, "return (void *)(long)me;");
            line(0, "}");
        }
    }
    line(0, "int main(int argc, char **argv) {");
    line(1, &format!("pthread_t t[{}];", workers + 1));
    line(1, "int me = 0;");
    line(1, &format!("if (argc < {}) return 2;", draft.inputs + 1));
    line(1, "x = atoi(argv[1]);");
    if draft.inputs > 1 {
        line(1, "y = atoi(argv[2]);");
    }
    draft.set_up.iter().for_each(|set_up| line(1, set_up));
    for worker in 1..=workers {
        let function = if shared { "work".to_owned() } else { format!("work{worker}") };
        line(1, &format!("pthread_create(&t[{worker}], NULL, {function}, (void *){worker}L);"));
    }
    draft.bodies[0].iter().for_each(|body| line(1, body));
    let backwards = draft.random.chance(30);
    for worker in 1..=workers {
        let worker = if backwards { workers + 1 - worker } else { worker };
        line(1, &format!("pthread_join(t[{worker}], NULL);"));
    }
    draft.behind.iter().for_each(|behind| line(1, behind));
    line(1, "return me;");
    line(0, "}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        assert_eq!(generate(7).text, generate(7).text);
        let different: std::collections::BTreeSet<String> = (0..50).map(|seed| generate(seed).text).collect();
        assert!(different.len() > 45, "{}", different.len());
    }

    #[test]
    fn braces_match() {
        for seed in 0..300 {
            let text = generate(seed).text;
            let depth = text.chars().fold(0i32, |depth, c| depth + i32::from(c == '{') - i32::from(c == '}'));
            assert_eq!(depth, 0, "seed {seed}:\n{text}");
        }
    }
}
