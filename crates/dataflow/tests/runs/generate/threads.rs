//! Threads, created by the engine's operation or by a model that keeps what they start with in a table.

use std::fmt::Write as _;

use super::{Generator, Scope};

pub(super) const LAUNCH: &str = "global @table size 128 align 8
global @items size 64 align 8
global @next size 4 align 4
function @trampoline(%block: ptr) -> ptr model {
entry:
    %start: ptr = load [%block]
    %field = address %block + 8
    %arg: ptr = load [%field]
    %result: ptr = call *%start(%arg)
    return %result
}
function @launch(%slot: i32, %start: ptr, %arg: ptr) model {
entry:
    %index: i64 = zext %slot
    %block = address @table + %index*16
    store [%block], %start
    %field = address %block + 8
    store [%field], %arg
    call __ics_event(%block, 0:i32)
    %thread: i32 = call __ics_thread_create(@trampoline, %block, %slot)
    call __ics_yield()
    return
}
function @create(%slot: i32, %arg: ptr, %start: ptr) model {
entry:
    call @launch(%slot, %start, %arg)
    return
}
";

impl Generator {
    /// Creates the workers.
    pub(super) fn threads(&mut self) {
        if self.random.chance(40) {
            return self.threads_in_a_loop();
        }
        let arguments = ["@s0", "@s0", "@s1", "null"];
        let same = *self.random.pick(&arguments);
        for slot in 1..=2 {
            let argument = if self.random.chance(50) { same } else { *self.random.pick(&arguments) };
            if self.random.chance(30) {
                let thread = self.fresh();
                self.line(&format!("{thread}: i32 = call __ics_thread_create(@worker, {argument}, {slot}:i32)"));
            } else if self.random.chance(50) {
                self.line(&format!("call @launch({slot}, @worker, {argument})"));
            } else {
                self.line(&format!("call @create({slot}, {argument}, @worker)"));
            }
        }
    }
    fn threads_in_a_loop(&mut self) {
        self.next += 1;
        let label = self.next;
        self.line(&format!("jump head{label}(0)"));
        writeln!(self.out, "head{label}(%t{label}: i32):").expect("strings take all");
        self.line(&format!("%w{label}: i64 = zext %t{label}"));
        let index = if self.random.chance(25) {
            self.line(&format!("%z{label}: i64 = and %w{label}, 1"));
            format!("%z{label}")
        } else {
            format!("%w{label}")
        };
        let scale = *self.random.pick(&[1, 4, 8]);
        self.line(&format!("%a{label} = address @items + {index}*{scale}"));
        self.line(&format!("%n{label}: i32 = add %t{label}, 1"));
        self.line(&format!("call @launch(%n{label}, @worker, %a{label})"));
        self.line(&format!("%c{label}: i1 = icmp.slt %n{label}, 3"));
        self.line(&format!("branch %c{label}, head{label}(%n{label}), created{label}"));
        writeln!(self.out, "created{label}:").expect("strings take all");
    }

    /// Takes a number from the counter, or does something that only looks like it.
    pub(super) fn number_of_its_own(&mut self, scope: &mut Scope) {
        let (number, next) = (self.fresh(), self.fresh());
        self.line("call @lock()");
        self.line(&format!("{number}: i32 = load [@next]"));
        if self.random.chance(10) {
            self.line("call @unlock()");
            self.line("call @lock()");
        }
        let by = if self.random.chance(10) { 0 } else { 1 };
        self.line(&format!("{next}: i32 = add {number}, {by}"));
        self.line(&format!("store [@next], {next}"));
        if self.random.chance(5) {
            self.line("store [@next], 0:i32");
        }
        self.line("call @unlock()");
        scope.numbers.push(number);
    }
}
