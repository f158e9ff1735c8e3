//! Random multithreaded C programs.
//!
//! Data flows through everything that C has (globals, locals, structs, the heap, pointers to all of them, threads'
//! arguments and results), synchronisation is of every kind, and inputs decide what happens. Locks are mostly taken in
//! one order, and joins match creations, so that most programs do not end in a deadlock early.

use crate::soundness::expressions::{Scope, condition, expression, index, place};
use crate::soundness::indirect;
use crate::soundness::random::Random;
use crate::soundness::tree::Node;

/// A program and how many arguments it reads.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    pub(crate) nodes: Vec<Node>,
    pub(crate) inputs: usize,
}

/// Locks may be nested only upwards in this order.
const RANKS: usize = 6;

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    depth: usize,
    /// Least rank of a lock that may be taken.
    pub(crate) rank: usize,
    in_loop: bool,
    /// Function that the statement is in: it may call those with lower numbers.
    function: usize,
    /// What `return` returns.
    pub(crate) returns: Returns,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Returns {
    Int,
    Pointer,
    /// `main`: returning ends the process.
    Status,
}

const FUNCTIONS: usize = 3;

pub(crate) struct Generator {
    pub(crate) random: Random,
    pub(crate) scope: Scope,
    names: usize,
    /// Which functions synchronise: they are not called with a lock held.
    synchronises: [bool; FUNCTIONS],
    pub(crate) current_synchronises: bool,
    kind: Kind,
}

/// What programs are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Mixed,
    /// A third of the statements write and call through pointers that inputs choose.
    Indirect,
}

/// The program of a seed.
pub(crate) fn generate(kind: Kind, seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let inputs = 1 + random.below(2) + usize::from(random.chance(5));
    let scope = Scope::globals(inputs).with_locals();
    let synchronises = [false; FUNCTIONS];
    let mut generator = Generator { random, scope, names: 0, synchronises, current_synchronises: false, kind };
    Generated { nodes: generator.program(inputs), inputs }
}

/// What the functions of every program use.
const PREAMBLE: &str = include_str!("preamble.c");

impl Generator {
    fn program(&mut self, inputs: usize) -> Vec<Node> {
        let mut nodes: Vec<Node> = PREAMBLE.lines().map(Node::line).collect();
        for number in 0..FUNCTIONS {
            let body = self.function_body(number, Returns::Int, 2);
            self.synchronises[number] = self.current_synchronises;
            nodes.push(Node::block(format!("static int f{number}(int l0, int *lp) {{"), body));
        }
        nodes.push(Node::line("static int (*table[3])(int, int *) = { f0, f1, f2 };"));
        let threads = 1 + self.random.below(3);
        let kinds = 1 + self.random.below(threads);
        let barrier = kinds == 1 && threads > 1 && self.random.chance(25);
        for number in 0..kinds {
            let mut body = vec![Node::line("struct arg *ap = argument; int l0 = ap->v, *lp = ap->p;")];
            let count = 2 + self.random.below(5);
            body.extend(self.function_body(FUNCTIONS, Returns::Pointer, count));
            if barrier {
                let at = if self.random.chance(50) { 2 } else { body.len() - 1 };
                body.insert(at, Node::line("pthread_barrier_wait(&bar);"));
            }
            nodes.push(Node::block(format!("static void *w{number}(void *argument) {{"), body));
        }
        let main = self.main(inputs, threads, kinds);
        nodes.push(Node::block("int main(int argc, char **argv) {", main));
        nodes
    }

    fn function_body(&mut self, function: usize, returns: Returns, count: usize) -> Vec<Node> {
        self.current_synchronises = false;
        let context = Context { depth: 2, rank: 0, in_loop: false, function, returns };
        let mut body = vec![Node::line("int l1 = 0, l2 = 0, la[3] = { 1, 2, 3 }; struct box *bp = &boxes[0];")];
        self.statements(context, count, &mut body);
        body.push(Node::line("done: ;"));
        if self.random.chance(50) {
            self.statement(context, &mut body);
        }
        let value = expression(&mut self.random, &self.scope, 1);
        body.push(Node::line(return_statement(returns, &value)));
        body
    }

    fn main(&mut self, inputs: usize, threads: usize, kinds: usize) -> Vec<Node> {
        let mut body = vec![
            Node::line("int l0 = 0, l1 = 0, l2 = 0, la[3] = { 1, 2, 3 }, *lp = &l1; struct box *bp = &gs;"),
            Node::line("pthread_t t[4]; struct arg args[4]; void *r = 0;"),
            Node::line(format!("if (argc < {}) return 2;", inputs + 1)),
        ];
        for (input, name) in (1..=inputs).zip(["x", "y", "z"]) {
            body.push(Node::line(format!("{name} = atoi(argv[{input}]);")));
        }
        let kind = condition(&mut self.random, &self.scope);
        body.push(Node::line(format!(
            "pthread_mutexattr_t ma; pthread_mutexattr_init(&ma); pthread_mutexattr_settype(&ma, ({kind}) ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK);"
        )));
        body.push(Node::line("pthread_mutex_init(&R, &ma);"));
        body.push(Node::line("hb = calloc(1, sizeof *hb); pthread_mutex_init(&hb->m, 0);"));
        if self.kind == Kind::Indirect {
            body.extend(indirect::SET_UP.map(Node::line));
        }
        let posts = self.random.below(3);
        body.push(Node::line(format!("sem_init(&sem, 0, {posts}); pthread_barrier_init(&bar, 0, {threads});")));
        let context = Context { depth: 2, rank: 0, in_loop: false, function: FUNCTIONS, returns: Returns::Status };
        let before = self.random.below(6);
        self.statements(context, before, &mut body);
        for thread in 0..threads {
            self.create(thread, kinds, &mut body);
            if self.random.chance(30) {
                self.statements(context, 1, &mut body);
            }
        }
        let mut order: Vec<usize> = (0..threads).collect();
        self.random.shuffle(&mut order);
        for thread in order {
            let mut join = vec![Node::line(format!("pthread_join(t[{thread}], &r);"))];
            if self.random.chance(40) {
                let to = place(&mut self.random, &self.scope);
                join.push(Node::line(format!("{to} = (int)(long)r;")));
            }
            body.push(Node::block(format!("if (made[{thread}]) {{"), join));
            if self.random.chance(30) {
                self.statements(context, 1, &mut body);
            }
        }
        let after = 1 + self.random.below(4);
        self.statements(context, after, &mut body);
        if self.random.chance(30) {
            let value = expression(&mut self.random, &self.scope, 1);
            body.push(Node::line(format!("printf(\"%d\\n\", {value});")));
        }
        body.push(Node::line("return g0 & 1;"));
        body
    }

    fn create(&mut self, thread: usize, kinds: usize, body: &mut Vec<Node>) {
        let kind = if kinds == 1 { 0 } else { thread % kinds };
        let value = expression(&mut self.random, &self.scope, 1);
        let pointer = self.short_lived_pointer();
        let lock = self.lock(0).1;
        let mut create = vec![
            Node::line(format!("args[{thread}].v = {value};")),
            Node::line(format!("args[{thread}].p = {pointer};")),
            Node::line(format!("args[{thread}].m = {lock};")),
            Node::line(format!("made[{thread}] = 1;")),
            Node::line(format!("pthread_create(&t[{thread}], 0, w{kind}, &args[{thread}]);")),
        ];
        if self.random.chance(20) {
            let condition = condition(&mut self.random, &self.scope);
            create = vec![Node::block(format!("if ({condition}) {{"), create)];
        }
        body.extend(create);
    }

    pub(crate) fn pointer(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("&arr[{}]", index(&mut self.random, &self.scope, 4)),
            1 => format!("&boxes[{}].v", index(&mut self.random, &self.scope, 3)),
            2 => "&hb->in.k".to_owned(),
            3 => {
                let condition = condition(&mut self.random, &self.scope);
                format!("({condition}) ? &g0 : &g1")
            }
            _ => (*self.random.pick(&["&g0", "&g1", "&g2", "&hb->v", "gp", "&gs.in.k"])).to_owned(),
        }
    }

    /// A pointer for callees and threads, also to locals.
    fn short_lived_pointer(&mut self) -> String {
        match self.random.below(4) {
            0 => "&l1".to_owned(),
            1 => format!("&la[{}]", index(&mut self.random, &self.scope, 3)),
            _ => self.pointer(),
        }
    }

    /// A lock of at least this rank, with its rank.
    pub(crate) fn lock(&mut self, least: usize) -> (usize, String) {
        let rank = least + self.random.below(RANKS - least);
        let text = match rank {
            0 => format!("&locks[{}]", index(&mut self.random, &self.scope, 3)),
            1 => format!("&boxes[{}].m", index(&mut self.random, &self.scope, 3)),
            2 => "&A".to_owned(),
            3 => "&B".to_owned(),
            4 => "&gs.m".to_owned(),
            _ => "&hb->m".to_owned(),
        };
        (rank, text)
    }

    fn statements(&mut self, context: Context, count: usize, out: &mut Vec<Node>) {
        for _ in 0..count {
            self.statement(context, out);
        }
    }

    fn body(&mut self, context: Context) -> Vec<Node> {
        let mut body = Vec::new();
        let count = 1 + self.random.below(2);
        self.statements(Context { depth: context.depth - 1, ..context }, count, &mut body);
        body
    }

    fn statement(&mut self, context: Context, out: &mut Vec<Node>) {
        if self.kind == Kind::Indirect && self.random.chance(35) {
            return self.indirection(context, out);
        }
        let choice = self.random.below(if context.depth == 0 { 52 } else { 100 });
        match choice {
            0..=21 => self.assignment(out),
            22..=26 => self.pointer_statement(out),
            27..=37 if self.random.chance(50) && context.rank == 0 => {
                self.current_synchronises = true;
                let value = condition(&mut self.random, &self.scope);
                out.push(Node::line(format!("probe({value});")));
            }
            27..=37 => self.synchronisation(context, out),
            38..=44 => self.call(context, out),
            45..=51 => self.leave(context, out),
            52..=71 => {
                let condition = condition(&mut self.random, &self.scope);
                let body = self.body(context);
                out.push(Node::block(format!("if ({condition}) {{"), body));
                if self.random.chance(35) {
                    let body = self.body(context);
                    out.push(Node::block("else {", body));
                }
            }
            72..=79 => self.repeat(context, out),
            80..=83 => self.choose(context, out),
            _ => self.locked(context, out),
        }
    }

    pub(crate) fn assignment(&mut self, out: &mut Vec<Node>) {
        let to = place(&mut self.random, &self.scope);
        let value = expression(&mut self.random, &self.scope, 2);
        let text = match self.random.below(6) {
            0 => format!("{to} += {};", self.random.below(3)),
            1 => format!("set(&{to}, {value});"),
            _ => format!("{to} = {value};"),
        };
        out.push(Node::line(text));
    }

    fn call(&mut self, context: Context, out: &mut Vec<Node>) {
        let callable: Vec<usize> =
            (0..context.function.min(FUNCTIONS)).filter(|&f| context.rank == 0 || !self.synchronises[f]).collect();
        if callable.is_empty() {
            return self.assignment(out);
        }
        let to = place(&mut self.random, &self.scope);
        let value = expression(&mut self.random, &self.scope, 1);
        let pointer = self.short_lived_pointer();
        let all = context.function == FUNCTIONS && context.rank == 0;
        let function = if all && self.random.chance(25) {
            format!("table[{}]", index(&mut self.random, &self.scope, 3))
        } else {
            format!("f{}", self.random.pick(&callable))
        };
        self.current_synchronises |= callable.iter().any(|&f| self.synchronises[f]);
        out.push(Node::line(format!("{to} = {function}({value}, {pointer});")));
    }

    /// Statements that leave a loop, the function or the process.
    fn leave(&mut self, context: Context, out: &mut Vec<Node>) {
        let condition = condition(&mut self.random, &self.scope);
        let leave = match self.random.below(10) {
            0..=3 if context.in_loop => (*self.random.pick(&["break;", "continue;"])).to_owned(),
            4..=5 if context.rank == 0 => {
                if context.returns == Returns::Status && self.random.chance(70) {
                    return self.assignment(out);
                }
                let value = expression(&mut self.random, &self.scope, 1);
                return_statement(context.returns, &value)
            }
            6 | 7 if context.rank == 0 && context.returns != Returns::Status => "goto done;".to_owned(),
            8 if context.returns == Returns::Pointer => "pthread_exit((void *)2);".to_owned(),
            8 => "exit(3);".to_owned(),
            9 => "abort();".to_owned(),
            _ => return self.assignment(out),
        };
        out.push(Node::block(format!("if ({condition}) {{"), vec![Node::line(leave)]));
    }

    fn repeat(&mut self, context: Context, out: &mut Vec<Node>) {
        self.names += 1;
        let i = format!("i{}", self.names);
        let count = if self.random.chance(50) {
            (1 + self.random.below(3)).to_string()
        } else {
            format!("(({}) & {})", expression(&mut self.random, &self.scope, 1), 1 + 2 * self.random.below(2))
        };
        let mut body = self.body(Context { in_loop: true, ..context });
        if self.random.chance(40) {
            let to = place(&mut self.random, &self.scope);
            body.push(Node::line(format!("{to} = {i};")));
        }
        let head = if self.random.chance(30) {
            let condition = condition(&mut self.random, &self.scope);
            format!("for (int {i} = 0; {i} < 3 && ({condition}); {i}++) {{")
        } else {
            format!("for (int {i} = 0, n{i} = {count}; {i} < n{i}; {i}++) {{")
        };
        out.push(Node::block(head, body));
    }

    fn choose(&mut self, context: Context, out: &mut Vec<Node>) {
        let value = expression(&mut self.random, &self.scope, 1);
        let mut cases = Vec::new();
        for case in 0..2 + self.random.below(2) {
            cases.push(Node::line(format!("case {case}:")));
            cases.extend(self.body(Context { in_loop: false, ..context }));
            if self.random.chance(70) {
                cases.push(Node::line("break;"));
            }
        }
        cases.push(Node::line("default: ;"));
        out.push(Node::block(format!("switch ({value}) {{"), cases));
    }

    fn locked(&mut self, context: Context, out: &mut Vec<Node>) {
        if context.rank >= RANKS {
            return self.assignment(out);
        }
        self.current_synchronises = true;
        let (rank, lock) = self.lock(context.rank);
        let inner = Context { rank: rank + 1, in_loop: false, ..context };
        self.names += 1;
        let mutex = format!("m{}", self.names);
        let pointer = if context.returns == Returns::Pointer && context.rank == 0 && self.random.chance(15) {
            "ap->m".to_owned()
        } else {
            lock
        };
        let inner = if pointer == "ap->m" { Context { rank: RANKS, ..inner } } else { inner };
        out.push(Node::line(format!("pthread_mutex_t *{mutex} = {pointer};")));
        let mut body = self.body(inner);
        if self.random.chance(20) {
            body.push(Node::line(format!("pthread_mutex_unlock({mutex});")));
            out.push(Node::block(format!("if (pthread_mutex_trylock({mutex}) == 0) {{"), body));
        } else {
            out.push(Node::line(format!("pthread_mutex_lock({mutex});")));
            out.extend(body);
            out.push(Node::line(format!("pthread_mutex_unlock({mutex});")));
        }
        // Declarations must not be jumped over by `case` labels.
        let from = out
            .iter()
            .rposition(|n| matches!(n, Node::Line(l) if l.starts_with(&format!("pthread_mutex_t *{mutex} "))));
        let own = out.split_off(from.expect("the declaration is there"));
        out.push(Node::block("{", own));
    }
}

fn return_statement(returns: Returns, value: &str) -> String {
    match returns {
        Returns::Int => format!("return {value};"),
        Returns::Pointer => format!("return (void *)(long)({value});"),
        Returns::Status => format!("return ({value}) & 7;"),
    }
}
