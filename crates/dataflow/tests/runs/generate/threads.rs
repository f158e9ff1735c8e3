//! Threads, created by the engine's operation or by a model that keeps what they start with in a table.

use super::Generator;

pub(super) const LAUNCH: &str = "global @table size 64 align 8
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
}
