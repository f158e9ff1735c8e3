//! Random programs in IR text: stores and loads through names, pointers and indices; branches, loops, calls, recursion;
//! and threads that share some variables under one lock, without data races.

mod barriers;
mod locks;
mod threads;

use std::fmt::Write as _;

use crate::runs::random::Random;

/// Functions that may be called, each only from those before it, and from itself.
const FUNCTIONS: u64 = 4;

/// The lock: a mutex as in `runtime-models`.
const LOCK: &str = "function @lock() model {
entry:
    jump test
test:
    %taken: i32 = load [@mutex]
    %free = icmp.eq %taken, 0
    branch %free, take, await
await:
    call __ics_wait(@mutex)
    jump test
take:
    store [@mutex], 1:i32
    call __ics_acquire(@mutex)
    call __ics_yield()
    return
}
function @unlock() model {
entry:
    call __ics_release(@mutex)
    store [@mutex], 0:i32
    call __ics_notify_one(@mutex)
    call __ics_yield()
    return
}
";

/// What code may touch where it stands.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Place {
    /// The only thread there is, and there has been no other.
    Alone,
    /// One of several, without the lock.
    Unlocked,
    /// One of several, with the lock.
    Locked,
}

/// Registers that can be read where the generator is.
#[derive(Clone, Default)]
struct Scope {
    numbers: Vec<String>,
    pointers: Vec<String>,
}

struct Generator {
    random: Random,
    out: String,
    next: u32,
    place: Place,
    threads: bool,
    /// The function that is written, `FUNCTIONS` for `main` and the worker.
    function: u64,
    /// Statements left.
    budget: u32,
}

/// A program; the same one for the same seed.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = random.chance(50);
    let generator =
        Generator { random, out: String::new(), next: 0, place: Place::Alone, threads, function: FUNCTIONS, budget: 0 };
    generator.program()
}

impl Generator {
    fn program(mut self) -> String {
        self.out.push_str(
            "global @mutex size 8 align 8\nglobal @early size 16 align 8\nglobal @s0 size 16 align 8 = i32 3, i32 4\n\
             global @s1 size 16 align 8\nglobal @p0 size 8 align 8 = { 0: @s0 }\nglobal @p1 size 8 align 8 = { 0: @s1 }\n",
        );
        self.out.push_str("global @l0 size 8 align 8\nglobal @l1 size 8 align 8\n");
        for barrier in 0..4 {
            writeln!(self.out, "global @b{barrier} size 32 align 8").expect("strings take all");
        }
        self.out.push_str("global @count size 4 align 4\n");
        self.out.push_str(barriers::BARRIERS);
        self.out.push_str(LOCK);
        self.out.push_str(threads::LAUNCH);
        self.out.push_str(locks::SHARED_LOCKS);
        for function in 0..FUNCTIONS {
            for (suffix, place) in [("", Place::Alone), ("_unlocked", Place::Unlocked), ("_locked", Place::Locked)] {
                if self.threads || place == Place::Alone {
                    self.function(function, suffix, place);
                }
            }
        }
        self.function = FUNCTIONS;
        if self.threads {
            self.worker();
        }
        self.main();
        self.out
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%x{}", self.next)
    }

    fn line(&mut self, text: &str) {
        writeln!(self.out, "    {text}").expect("strings take all");
    }

    fn function(&mut self, function: u64, suffix: &str, place: Place) {
        self.function = function;
        self.place = place;
        writeln!(self.out, "function @f{function}{suffix}(%p: ptr, %n: i32) -> i32 {{\nentry:")
            .expect("strings take all");
        let mut scope = Scope { numbers: vec!["%n".to_owned()], pointers: vec!["%p".to_owned()] };
        self.locals(&mut scope);
        self.budget = 14;
        self.statements(&mut scope, 5, 2);
        if self.random.chance(40) {
            self.derive(&mut scope);
        }
        let result = self.number(&scope);
        self.line(&format!("return {result}"));
        self.out.push_str("}\n");
    }

    /// Stores what was computed with a loaded number, as the last that a function does: its callers know how.
    fn derive(&mut self, scope: &mut Scope) {
        let (from, number, read, made) = (self.address(scope), self.number(scope), self.fresh(), self.fresh());
        self.line(&format!("{read}: i32 = load [{from}]"));
        self.line(&format!("{made}: i32 = mul {read}, {}", number.trim_end_matches(":i32")));
        let to = self.address(scope);
        self.line(&format!("store [{to}], {made}"));
        scope.numbers.extend([read, made]);
    }

    fn worker(&mut self) {
        self.place = Place::Unlocked;
        self.out.push_str("function @worker(%arg: ptr) -> ptr {\nentry:\n");
        let mut scope = Scope::default();
        self.locals(&mut scope);
        if self.random.chance(60) {
            self.number_of_its_own(&mut scope);
        }
        self.budget = 24;
        self.statements(&mut scope, 9, 2);
        self.out.push_str("    return null\n}\n");
    }

    fn main(&mut self) {
        self.place = Place::Alone;
        self.out.push_str("function @main(%argc: i32, %argv: ptr) -> i32 {\nentry:\n");
        let mut scope = Scope { numbers: vec!["%argc".to_owned()], pointers: Vec::new() };
        self.locals(&mut scope);
        self.line("store [@early], 11:i32");
        self.line("%early = address @early + 4");
        self.line("store [%early], %argc");
        self.budget = 20;
        self.statements(&mut scope, 6, 2);
        if self.threads {
            // What was a local of the only thread may be known to the others by now.
            scope.pointers.clear();
            self.threads();
            self.place = Place::Unlocked;
            self.line("%own: ptr = alloca 16 align 8");
            scope.pointers.push("%own".to_owned());
            self.budget = 24;
            self.statements(&mut scope, 9, 2);
            for _ in 0..40 {
                self.line("call __ics_yield()");
            }
        }
        self.out.push_str("    return 0\n}\n");
    }

    fn locals(&mut self, scope: &mut Scope) {
        for _ in 0..1 + self.random.below(2) {
            let local = self.fresh();
            self.line(&format!("{local}: ptr = alloca 16 align 8"));
            scope.pointers.push(local);
        }
    }

    /// A number, with its type.
    fn number(&mut self, scope: &Scope) -> String {
        if scope.numbers.is_empty() || self.random.chance(30) {
            return format!("{}:i32", self.random.below(5));
        }
        self.random.pick(&scope.numbers).clone()
    }

    /// A pointer to 16 bytes.
    fn pointer(&mut self, scope: &mut Scope) -> String {
        let shared = self.place != Place::Unlocked;
        if shared && (scope.pointers.is_empty() || self.random.chance(50)) {
            if self.random.chance(40) {
                let pointer = self.fresh();
                let from = *self.random.pick(&["@p0", "@p1"]);
                self.line(&format!("{pointer}: ptr = load [{from}]"));
                if self.random.chance(50) {
                    scope.pointers.push(pointer.clone());
                }
                return pointer;
            }
            return (*self.random.pick(&["@s0", "@s1"])).to_owned();
        }
        self.random.pick(&scope.pointers).clone()
    }

    /// The address of some bytes of 16.
    fn address(&mut self, scope: &mut Scope) -> String {
        let pointer = self.pointer(scope);
        match self.random.below(4) {
            0 => pointer,
            1 | 2 => {
                let at = self.fresh();
                let offset = *self.random.pick(&[4, 4, 8, 12, 2]);
                self.line(&format!("{at} = address {pointer} + {offset}"));
                at
            }
            _ => {
                let (number, masked, index, at) = (self.number(scope), self.fresh(), self.fresh(), self.fresh());
                self.line(&format!("{masked}: i32 = and {number}, 3"));
                self.line(&format!("{index}: i64 = zext {masked}"));
                self.line(&format!("{at} = address {pointer} + {index}*4"));
                at
            }
        }
    }

    fn statements(&mut self, scope: &mut Scope, count: u64, depth: u32) {
        for _ in 0..1 + self.random.below(count) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(scope, depth);
        }
    }

    fn statement(&mut self, scope: &mut Scope, depth: u32) {
        match self.random.below(19) {
            0..=3 => {
                let (at, value) = (self.address(scope), self.number(scope));
                self.line(&format!("store [{at}], {value}"));
            }
            4..=6 => {
                let (at, to) = (self.address(scope), self.fresh());
                self.line(&format!("{to}: i32 = load [{at}]"));
                scope.numbers.push(to);
            }
            7 => {
                let (a, b, to) = (self.number(scope), self.number(scope), self.fresh());
                let op = *self.random.pick(&["add", "sub", "mul", "xor", "smax"]);
                self.line(&format!("{to}: i32 = {op} {a}, {}", b.trim_end_matches(":i32")));
                scope.numbers.push(to);
            }
            8 => self.rarely(scope),
            9 | 10 if depth > 0 => self.branch(scope, depth - 1),
            11 if depth > 0 => self.repeat(scope, depth - 1),
            12 | 13 => self.call(scope),
            14 if self.place == Place::Unlocked => self.critical(scope, depth),
            16 | 17 => self.share(scope, depth),
            18 => self.barrier(scope),
            _ => {
                let to = self.fresh();
                let offset = self.random.below(2) * 4;
                let at = self.fresh();
                self.line(&format!("{at} = address @early + {offset}"));
                self.line(&format!("{to}: i32 = load [{at}]"));
                scope.numbers.push(to);
            }
        }
    }

    fn rarely(&mut self, scope: &mut Scope) {
        match self.random.below(5) {
            0 => {
                let (to, from) = (self.pointer(scope), self.pointer(scope));
                let bytes = 4 * (1 + self.random.below(4));
                self.line(&format!("memmove [{to}], [{from}], {bytes}"));
            }
            1 => {
                let to = self.pointer(scope);
                self.line(&format!("memset [{to}], 0, 8"));
            }
            2 if self.place == Place::Alone => {
                let pointer = self.fresh();
                self.line(&format!("{pointer}: ptr = call __ics_malloc(16:i64, 1:i32)"));
                scope.pointers.push(pointer);
            }
            3 if self.place != Place::Unlocked => {
                let to = *self.random.pick(&["@p0", "@p1"]);
                let value = if self.place == Place::Alone {
                    self.pointer(scope)
                } else {
                    (*self.random.pick(&["@s0", "@s1"])).to_owned()
                };
                self.line(&format!("store [{to}], {value}"));
            }
            _ => {
                let (a, b, c, condition, to) =
                    (self.pointer(scope), self.pointer(scope), self.number(scope), self.fresh(), self.fresh());
                self.line(&format!("{condition} = icmp.slt {c}, 2"));
                self.line(&format!("{to}: ptr = select {condition}, {a}, {b}"));
                scope.pointers.push(to);
            }
        }
    }

    fn condition(&mut self, scope: &Scope) -> String {
        let (a, to) = (self.number(scope), self.fresh());
        let predicate = *self.random.pick(&["slt", "sgt", "eq"]);
        let bound = self.random.below(4);
        self.line(&format!("{to}: i1 = icmp.{predicate} {a}, {bound}"));
        to
    }

    fn branch(&mut self, scope: &mut Scope, depth: u32) {
        let condition = self.condition(scope);
        self.next += 1;
        let label = self.next;
        self.line(&format!("branch {condition}, yes{label}, no{label}"));
        let mut passed = Vec::new();
        for side in ["yes", "no"] {
            writeln!(self.out, "{side}{label}:").expect("strings take all");
            let mut inner = scope.clone();
            self.statements(&mut inner, 3, depth);
            passed.push(self.number(&inner));
            let value = passed.last().expect("just pushed").trim_end_matches(":i32").to_owned();
            self.line(&format!("jump join{label}({value})"));
        }
        writeln!(self.out, "join{label}(%j{label}: i32):").expect("strings take all");
        scope.numbers.push(format!("%j{label}"));
    }

    fn repeat(&mut self, scope: &mut Scope, depth: u32) {
        self.next += 1;
        let label = self.next;
        let first = self.number(scope);
        let first = first.trim_end_matches(":i32").to_owned();
        self.line(&format!("jump head{label}(0, {first})"));
        writeln!(self.out, "head{label}(%i{label}: i32, %c{label}: i32):").expect("strings take all");
        let rounds = 1 + self.random.below(3);
        self.line(&format!("%m{label}: i1 = icmp.slt %i{label}, {rounds}"));
        self.line(&format!("branch %m{label}, body{label}, done{label}"));
        writeln!(self.out, "body{label}:").expect("strings take all");
        let mut inner = scope.clone();
        inner.numbers.extend([format!("%i{label}"), format!("%c{label}")]);
        self.statements(&mut inner, 4, depth);
        let carried = self.number(&inner);
        self.line(&format!("%n{label}: i32 = add %i{label}, 1"));
        self.line(&format!("jump head{label}(%n{label}, {})", carried.trim_end_matches(":i32")));
        writeln!(self.out, "done{label}:").expect("strings take all");
        scope.numbers.extend([format!("%i{label}"), format!("%c{label}")]);
    }

    fn call(&mut self, scope: &mut Scope) {
        let lowest = if self.function == FUNCTIONS { 0 } else { self.function + 1 };
        let suffix = match self.place {
            Place::Alone => "",
            Place::Unlocked => "_unlocked",
            Place::Locked => "_locked",
        };
        let (pointer, number, to) = (self.pointer(scope), self.number(scope), self.fresh());
        if self.function < FUNCTIONS && self.random.chance(20) {
            return self.recurse(scope, suffix);
        }
        if lowest >= FUNCTIONS {
            return;
        }
        let callee = lowest + self.random.below(FUNCTIONS - lowest);
        let other = lowest + self.random.below(FUNCTIONS - lowest);
        if self.random.chance(20) {
            let (condition, target) = (self.condition(scope), self.fresh());
            self.line(&format!("{target}: ptr = select {condition}, @f{callee}{suffix}, @f{other}{suffix}"));
            self.line(&format!("{to}: i32 = call *{target}({pointer}, {number})"));
        } else {
            self.line(&format!("{to}: i32 = call @f{callee}{suffix}({pointer}, {})", number.trim_end_matches(":i32")));
        }
        scope.numbers.push(to);
    }

    /// Calls the function that is written, with a smaller number.
    fn recurse(&mut self, scope: &mut Scope, suffix: &str) {
        let (pointer, function) = (self.pointer(scope), self.function);
        self.next += 1;
        let label = self.next;
        self.line(&format!("%d{label}: i32 = smin %n, 3"));
        self.line(&format!("%e{label}: i32 = sub %d{label}, 1"));
        self.line(&format!("%g{label}: i1 = icmp.sgt %d{label}, 0"));
        self.line(&format!("branch %g{label}, again{label}, past{label}"));
        writeln!(self.out, "again{label}:").expect("strings take all");
        self.line(&format!("%r{label}: i32 = call @f{function}{suffix}({pointer}, %e{label})"));
        self.line(&format!("jump past{label}"));
        writeln!(self.out, "past{label}:").expect("strings take all");
    }

    fn critical(&mut self, scope: &mut Scope, depth: u32) {
        self.line("call @lock()");
        self.place = Place::Locked;
        // Pointers to shared memory are of no use without the lock.
        let mut inner = scope.clone();
        self.statements(&mut inner, 4, depth.min(1));
        self.place = Place::Unlocked;
        self.line("call @unlock()");
    }
}
