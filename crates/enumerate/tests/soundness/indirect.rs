//! Statements in which an input decides where is written or who is called, and what was written whether there is a
//! lock.
//!
//! A mod set that is too small, or a call target that is missing, then makes a schedule for inputs that leave it.

use crate::soundness::expressions::{condition, expression, index};
use crate::soundness::generate::{Context, Generator};
use crate::soundness::tree::Node;

/// Made in `main` before anything else happens.
pub(crate) const SET_UP: [&str; 2] = [
    "c0 = calloc(1, sizeof *c0); c0->to = &g0; c0->m = &A; c0->call = probe;",
    "c1 = malloc(sizeof *c1); *c1 = *c0; c1->to = &g1; c1->m = &B; c1->call = quiet; c0->next = c1; c1->next = c0;",
];

impl Generator {
    pub(crate) fn indirection(&mut self, context: Context, out: &mut Vec<Node>) {
        let (first, second) = (self.target(), self.target());
        let cell = *self.random.pick(&["c0", "c1", "c0->next", "c1->next"]);
        let value = self.random.below(4);
        let chosen = condition(&mut self.random, &self.scope);
        let decided = condition(&mut self.random, &self.scope);
        let argument = expression(&mut self.random, &self.scope, 1);
        let either = format!("({chosen}) ? &{first} : &{second}");
        let point = match self.random.below(7) {
            0 => format!("gp = {either};"),
            1 => format!("{cell}->to = {either};"),
            2 => format!("pp = ({chosen}) ? &c0->to : &c1->to; *pp = &{first};"),
            3 => format!("if ({chosen}) memcpy(c0, c1, sizeof *c0); {cell}->to = &{first};"),
            4 => format!("if ({chosen}) swap_pointers(&c0->to, &c1->to);"),
            5 => format!("struct cell *n = ({chosen}) ? c0 : c1; n->to = &{first};"),
            _ => format!("if ({chosen}) {{ c1 = malloc(sizeof *c1); *c1 = *c0; c1->next = c0; }}"),
        };
        let write = match self.random.below(6) {
            0 => format!("if ({decided}) *gp = {value};"),
            1 | 2 => format!("if ({decided}) *{cell}->to = {value};"),
            3 => format!("if ({decided}) set({cell}->to, {value});"),
            4 => format!("if ({decided}) **pp = {value};"),
            _ => format!("if ({decided}) {cell}->v = {value};"),
        };
        let mut lines = vec![point, write];
        if context.rank == 0 {
            self.current_synchronises = true;
            lines.push(match self.random.below(8) {
                0 => format!("{cell}->call = ({decided}) ? probe : quiet; {cell}->call({argument});"),
                1 => format!("if ({decided}) swap_calls(&c0->call, &c1->call); {cell}->call({argument});"),
                2 => format!("calls[{}]({argument});", index(&mut self.random, &self.scope, 2)),
                3 => format!(
                    "if ({decided}) {cell}->m = {}; pthread_mutex_lock({cell}->m); pthread_mutex_unlock({cell}->m);",
                    self.lock(0).1
                ),
                4 => format!("probe({cell}->v == {value});"),
                5 => format!("probe(*{cell}->to == {value});"),
                _ => format!("probe({first} == {value});"),
            });
        }
        out.push(Node::block("{", lines.into_iter().map(Node::line).collect()));
    }

    /// Something that outlives every function.
    fn target(&mut self) -> String {
        match self.random.below(8) {
            0 => format!("arr[{}]", index(&mut self.random, &self.scope, 4)),
            1 => format!("boxes[{}].v", index(&mut self.random, &self.scope, 3)),
            _ => (*self.random.pick(&["g0", "g1", "g2", "g3", "hb->v", "gs.in.k", "c0->v", "c1->v"])).to_owned(),
        }
    }
}
