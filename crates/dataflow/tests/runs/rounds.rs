//! Random programs whose threads go through loops around a barrier: in step, or nearly. Some change shared variables
//! between two waits, and loops around waits have these as bounds: in those all threads are in step, so that nothing
//! races.

use std::fmt::Write as _;

use crate::runs::random::Random;

const MODELS: &str = "global @barrier size 16 align 8
global @processors size 4 align 4
global @size size 4 align 4
global @limit size 4 align 4
global @table size 128 align 8
global @next size 4 align 4
global @items size 64 align 8
function @trampoline(%block: ptr) -> ptr model {
entry:
    %start: ptr = load [%block]
    %field = address %block + 8
    %arg: ptr = load [%field]
    %result: ptr = call *%start(%arg)
    return %result
}
function @create(%start: ptr, %arg: ptr) model {
entry:
    %slot: i32 = load [@next]
    %more: i32 = add %slot, 1
    store [@next], %more
    %index: i64 = zext %slot
    %block = address @table + %index*16
    store [%block], %start
    %field = address %block + 8
    store [%field], %arg
    %thread: i32 = call __ics_thread_create(@trampoline, %block, %more)
    call __ics_yield()
    return
}
function @barrier_init(%b: ptr, %n: i32) model {
entry:
    store [%b], %n
    call __ics_barrier_init(%b, %n)
    return
}
function @await(%b: ptr) model {
entry:
    call __ics_barrier_arrive(%b)
    %arrived = address %b + 4
    %round = address %b + 8
    %before: i32 = load [%arrived]
    %now: i32 = add %before, 1
    %count: i32 = load [%b]
    %last: i1 = icmp.eq %now, %count
    %old: i32 = load [%round]
    branch %last, open, sleep
open:
    store [%arrived], 0:i32
    %new: i32 = add %old, 1
    store [%round], %new
    call __ics_notify_all(%b)
    call __ics_yield()
    return
sleep:
    store [%arrived], %now
    jump test
test:
    call __ics_wait(%b)
    %is: i32 = load [%round]
    %same: i1 = icmp.eq %is, %old
    branch %same, test, out
out:
    return
}
";

struct Writer {
    random: Random,
    out: String,
    next: u32,
    /// All threads go through the same waits, and one writes what others read in between.
    in_step: bool,
    /// Threads get structures.
    hands_over: bool,
}

/// A program; the same one for the same seed.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let in_step = random.chance(35);
    let hands_over = random.chance(60);
    let mut writer = Writer { random, out: MODELS.to_owned(), next: 0, in_step, hands_over };
    for phase in 0..2 {
        writer.text(&format!("function @phase{phase}(%k: i32) {{\nentry:"));
        writer.code(2, true, 1);
        writer.text("    return\n}");
    }
    writer.rounds();
    writer.main();
    writer.out
}

impl Writer {
    fn text(&mut self, text: &str) {
        writeln!(self.out, "{text}").expect("strings take all");
    }

    fn code(&mut self, most: u64, may_call: bool, depth: u32) {
        for _ in 0..self.random.below(most + 1) {
            self.next += 1;
            let label = self.next;
            match self.random.below(if may_call { 9 } else { 11 }) {
                0..=3 => self.text("    call @await(@barrier)"),
                4 | 5 => self.text("    call __ics_free(null)"),
                6 if depth > 0 => {
                    let same = self.in_step || self.random.chance(60);
                    self.text(&format!(
                        "    %d{label}: i1 = icmp.eq %k, 2\n    branch %d{label}, yes{label}, no{label}"
                    ));
                    for side in ["yes", "no"] {
                        self.text(&format!("{side}{label}:"));
                        if same {
                            self.text("    call @await(@barrier)");
                        } else {
                            self.code(1, may_call, 0);
                        }
                        self.text(&format!("    jump join{label}"));
                    }
                    self.text(&format!("join{label}:"));
                }
                7 if depth > 0 => {
                    let waits = self.random.chance(30);
                    let shared = waits && self.in_step;
                    let rounds =
                        if shared { format!("%l{label}") } else { (*self.random.pick(&["2", "2", "%k"])).to_owned() };
                    self.text(&format!("    jump head{label}(0)\nhead{label}(%i{label}: i32):"));
                    if shared {
                        self.text(&format!("    %l{label}: i32 = load [@limit]"));
                    }
                    self.text(&format!("    %c{label}: i1 = icmp.slt %i{label}, {rounds}\n    branch %c{label}, in{label}, out{label}\nin{label}:"));
                    if waits {
                        self.text("    call @await(@barrier)");
                    }
                    self.text(&format!(
                        "    %n{label}: i32 = add %i{label}, 1\n    jump head{label}(%n{label})\nout{label}:"
                    ));
                }
                9 | 10 => {
                    let phase = self.random.below(2);
                    self.text(&format!("    call @phase{phase}(%k)"));
                }
                8 if self.in_step => self.change(label),
                _ => self.text("    call __ics_yield()"),
            }
        }
    }

    /// One thread writes a shared variable between two waits of all.
    fn change(&mut self, label: u32) {
        let (thread, to) = (self.random.below(3), self.random.below(4));
        self.text(&format!(
            "    call @await(@barrier)\n    %e{label}: i1 = icmp.eq %k, {thread}\n    branch %e{label}, set{label}, on{label}
set{label}:\n    store [@limit], {to}:i32\n    jump on{label}\non{label}:\n    call @await(@barrier)\n    %x{label}: i32 = load [@limit]"
        ));
    }

    fn rounds(&mut self) {
        self.text("function @rounds(%p: ptr) -> ptr {\nentry:\n    %k: i32 = call __ics_thread_self()");
        if self.hands_over {
            self.text("    %pf = address %p + 4\n    %pg = address %p + 8\n    %pa: i32 = load [%p]\n    %pb: i32 = load [%pf]");
            if self.random.chance(15) {
                let field = *self.random.pick(&["%p", "%pf", "%pg"]);
                self.text(&format!("    store [{field}], 5:i32"));
            }
            self.text("    %pc: i32 = load [%pg]");
        }
        self.code(2, false, 1);
        let step = if self.random.chance(50) { "1" } else { "%step" };
        let first = if !self.in_step && self.random.chance(10) { "%k" } else { "0" };
        let begin = format!(
            "    jump loop({first})\nloop(%j: i32):\n    %c: i1 = icmp.slt %j, 4\n    branch %c, body, done\nbody:"
        );
        self.text(&begin);
        self.code(4, false, 1);
        self.text(&format!("    %step: i32 = load [@size]\n    %o: i32 = add %j, {step}\n    jump loop(%o)\ndone:"));
        self.code(1, false, 0);
        self.text("    return null\n}");
    }

    /// A thread that gets a structure of its own, mostly.
    fn create(&mut self) {
        if !self.hands_over {
            return self.text("    call @create(@rounds, null)");
        }
        let size = *self.random.pick(&[16, 12]);
        let others = *self.random.pick(&["%i", "%n", "%argc", "7:i32"]);
        let fields = [("%arg", "%n"), ("%fa", "%i"), ("%fb", others)];
        self.text(&format!("    %w: i64 = sext %i\n    %arg = address @items + %w*{size}"));
        self.text("    %fa = address %arg + 4\n    %fb = address %arg + 8");
        for (field, value) in fields {
            self.text(&format!("    store [{field}], {value}"));
        }
        self.text("    call @create(@rounds, %arg)");
    }

    fn main(&mut self) {
        let threads = 2 + self.random.below(2);
        let first = self.random.below(2);
        let expected =
            if self.in_step || self.random.chance(85) { threads } else { threads - 1 + 2 * self.random.below(2) };
        let count = if self.random.chance(70) { "%n".to_owned() } else { expected.to_string() };
        self.text("function @main(%argc: i32, %argv: ptr) -> i32 {\nentry:");
        self.text(&format!("    store [@processors], {expected}:i32\n    store [@size], 1:i32"));
        self.text(&format!("    %n: i32 = load [@processors]\n    call @barrier_init(@barrier, {count})"));
        let bound = if self.random.chance(70) { "%bound".to_owned() } else { threads.to_string() };
        self.text(&format!("    jump head({first})\nhead(%i: i32):\n    %bound: i32 = load [@processors]"));
        self.text(&format!("    %c: i1 = icmp.slt %i, {bound}\n    branch %c, body, done\nbody:"));
        self.create();
        self.text("    %o: i32 = add %i, 1\n    jump head(%o)\ndone:");
        if self.random.chance(10) {
            self.text("    store [@size], 1:i32");
        }
        if !self.in_step && self.random.chance(10) {
            self.text("    call @await(@barrier)");
        }
        if first == 1 || !self.in_step && self.random.chance(10) {
            self.text(&format!("    %r: ptr = call @rounds({})", if self.hands_over { "@items" } else { "null" }));
        }
        for _ in 0..40 {
            self.text("    call __ics_yield()");
        }
        self.text("    return 0\n}");
    }
}
