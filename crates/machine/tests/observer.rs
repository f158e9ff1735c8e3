//! What an observer of a run is told.

use std::sync::Arc;

use icsched_ir::{BlockId, EntityId as _, parse, verify};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::observe::Observer;
use icsched_machine::step::{Arguments, Machine};
use icsched_machine::trace::FrameInfo;
use icsched_machine::{FrameId, ObjectId, ObjectKind, Options, PathEnd, Stop};

/// Writes down activations, blocks and objects.
#[derive(Default)]
struct Diary {
    lines: Vec<String>,
}

impl Observer<ConcreteDomain> for Diary {
    fn enter(&mut self, frame: FrameId, info: FrameInfo, by: Option<(FrameId, u32)>) {
        let by = by.map(|(frame, inst)| format!("{}/{inst}", frame.0));
        self.lines.push(format!("enter {} {} by {by:?}", frame.0, info.func.index()));
    }
    fn leave(&mut self, frame: FrameId) {
        self.lines.push(format!("leave {}", frame.0));
    }
    fn block(&mut self, frame: FrameId, block: BlockId, via: Option<(BlockId, bool)>) {
        let from = via.map(|(from, _)| from.index());
        self.lines.push(format!("block {} {} from {from:?}", frame.0, block.index()));
    }
    fn allocate(&mut self, _object: ObjectId, kind: ObjectKind, by: Option<(FrameId, u32)>) {
        let kind = format!("{kind:?}");
        let kind = kind.split([' ', '(']).next().unwrap_or_default();
        self.lines.push(format!("allocate {kind} by {:?}", by.map(|(frame, inst)| (frame.0, inst))));
    }
}

/// Runs a program that returns 0.
fn diary(text: &str) -> Vec<String> {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}"));
    verify(&program).unwrap();
    let host = Box::new(MemoryHost::default());
    let mut machine = Machine::new(Arc::new(program), ConcreteDomain, host, Options::default());
    let mut state = machine.initial_state(&Arguments { argc: 0, argv: vec![], environment: vec![] }).unwrap();
    let mut diary = Diary::default();
    match machine.run(&mut state, &mut diary, u64::MAX) {
        Err(Stop::End(end)) => assert_eq!(*end, PathEnd::Exit { status: Some(0) }),
        other => panic!("{other:?}"),
    }
    diary.lines
}

#[test]
fn objects_are_told_where_they_are_made() {
    let text = "global @mine size 4 align 4 thread_local = i32 5
        function @many(%n: i32, ...) -> i32 {
        a:
            %first: i32 = load [@mine]
            return %first
        }
        function @main() -> i32 {
        a:
            %local = alloca 8
            %heap: ptr = call __ics_malloc(16:i64, 0:i32)
            %x: i32 = call @many(1:i32, 7:i64)
            %y: i32 = call @many(1:i32)
            return 0:i32
        }";
    let told = diary(text);
    let made: Vec<&String> =
        told.iter().filter(|line| line.starts_with("allocate") || line.starts_with("enter")).collect();
    let expected = [
        "allocate Stack by Some((0, 0))",
        "allocate Heap by Some((0, 1))",
        "allocate ThreadLocal by None",
        "allocate VarArgs by None",
        "enter 1 0 by Some(\"0/2\")",
        "allocate VarArgs by None",
        "enter 2 0 by Some(\"0/3\")",
    ];
    assert_eq!(made, expected);
}

#[test]
fn a_jump_leads_back_into_the_block_of_setjmp() {
    let text = "global @buffer size 24 align 8
        function @set() -> i32 {
        a:
            %again: i32 = call __ics_save_context(@buffer)
            return %again
        }
        function @back() {
        a:
            call __ics_restore_context(@buffer, 1:i32)
            unreachable
        }
        function @main() -> i32 {
        a:
            %again: i32 = call @set()
            %first = icmp.eq %again, 0
            branch %first, b, c
        b:
            call @back()
            unreachable
        c:
            return 0:i32
        }";
    let told = diary(text);
    let main: Vec<&String> = told.iter().filter(|line| line.starts_with("block 0")).collect();
    assert_eq!(main, ["block 0 1 from Some(0)", "block 0 0 from None", "block 0 2 from Some(0)"]);
}

#[test]
fn what_a_thread_is_interrupted_for_is_told() {
    let text = "global @stop = i32 0
        function @handler() {
        a:
            store [@stop], 1:i32
            call __ics_resume()
            unreachable
        }
        function @poke(%arg: ptr) -> ptr {
        a:
            %done: i32 = call __ics_interrupt(0:i32, @handler)
            return null
        }
        function @main() -> i32 {
        a:
            %t: i32 = call __ics_thread_create(@poke, null, 1:i32)
            call __ics_pause()
            jump b
        b:
            %seen: i32 = load [@stop]
            %go_on = icmp.eq %seen, 0
            branch %go_on, b, c
        c:
            return 0:i32
        }";
    let told = diary(text);
    assert!(told.contains(&"enter 1 1 by Some(\"0/0\")".to_owned()), "{told:?}");
    assert!(told.contains(&"enter 2 0 by None".to_owned()), "{told:?}");
    assert!(told.contains(&"leave 2".to_owned()), "{told:?}");
}
