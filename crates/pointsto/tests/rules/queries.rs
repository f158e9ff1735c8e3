//! What can be asked for.

use icsched_ir::{BlockId, EntityId, Op, Operand, ProgramPoint, Terminator};
use icsched_pointsto::PointerInfo;

use crate::common::Solved;
use crate::rules::check::program;

/// The two pointers that `main` returns.
fn pair(lines: &str) -> (Solved, [Operand; 2]) {
    let text = program(lines, "").replace("-> ptr {", "-> ptr, ptr {");
    let solved = Solved::new(&text);
    let main = &solved.program.functions[solved.function("main")];
    let Terminator::Return(values) = &main.blocks[BlockId::from_index(0)].terminator else { panic!("main returns") };
    let [a, b] = values[..] else { panic!("a pair") };
    (solved, [a, b])
}

/// Whether accesses of so many bytes through the two pointers may meet.
fn meet(lines: &str, widths: [u64; 2]) -> bool {
    let (solved, [a, b]) = pair(lines);
    let main = solved.instance("main");
    let [one, other] = [(main, a, widths[0]), (main, b, widths[1])];
    let answer = solved.points_to.may_alias(one, other);
    assert_eq!(solved.points_to.may_alias(other, one), answer, "whichever is first");
    answer
}

#[test]
fn accesses_meet_in_a_byte_of_one_object() {
    let at = |sum: &str, widths: [u64; 2]| meet(&format!("    %x = address {sum}\n    return @a, %x"), widths);
    assert!(at("@a", [1, 1]));
    assert!(at("@a + 4", [8, 1]));
    assert!(!at("@a + 4", [4, 4]));
    assert!(at("@a - 4", [1, 5]));
    assert!(!at("@a - 4", [8, 4]));
    assert!(!at("@b", [64, 64]));
    assert!(at("@a + 8 + %n*8", [1, 1]));
    assert!(!at("@a + 4 + %n*8", [4, 4]));
    assert!(at("@a + %n*1", [1, 1]));
    assert!(!at("@a", [0, 8]), "no byte");
    assert!(!meet("    return @a, null", [8, 8]));
    assert!(!meet("    return null, null", [8, 8]));
}

#[test]
fn sets_meet_in_any_of_their_objects() {
    let either = "    %x = select %yes, @a, @b\n    %y = select %yes, @b, @c\n    return %x, %y";
    assert!(meet(either, [1, 1]));
    let apart = "    %field = address @b + 8\n    %x = select %yes, @a, @b\n    %y = select %yes, %field, @c\n    return %x, %y";
    assert!(!meet(apart, [8, 8]));
    assert!(meet(apart, [9, 8]));
}

#[test]
fn the_address_of_every_access_is_known() {
    let lines = "    %x = address @a + 8
    %load: i1 = load [%x]
    %y = address @a + 16
    store [%y], true
    %z = address @a + 24
    memset [%z], 0:i8, 8
    memset [@b], 0:i8, 8
    return @a, @c";
    let (solved, _) = pair(lines);
    let func = solved.function("main");
    let mut found = Vec::new();
    for inst in &solved.program.functions[func].blocks[BlockId::from_index(0)].insts {
        match &inst.op {
            Op::Load { address: to, .. } | Op::Store { address: to, .. } | Op::MemSet { to, .. } => {
                let (object, offset) = solved.points_to.pointer_info(func, *to).exact().expect("one place");
                found.push((solved.points_to.describe_object(&solved.program, object), offset));
            }
            _ => {}
        }
    }
    let found: Vec<(&str, i64)> = found.iter().map(|(name, offset)| (name.as_str(), *offset)).collect();
    assert_eq!(found, [("number", 0), ("a", 8), ("a", 16), ("a", 24), ("b", 0)]);
}

fn info(lines: &str) -> (Solved, PointerInfo) {
    let (solved, [value, _]) = pair(lines);
    let info = solved.points_to.pointer_info(solved.function("main"), value);
    (solved, info)
}

#[test]
fn a_pointer_to_one_place_is_exact() {
    let (solved, one) = info("    %x = address @a + 8\n    return %x, null");
    assert_eq!(one.exact(), Some((solved.object("a"), 8)));
    for several in ["%x = address @a + %n*8", "%x = select %yes, @a, @b", "%x: ptr = freeze null"] {
        assert_eq!(info(&format!("    {several}\n    return %x, null")).1.exact(), None, "{several}");
    }
}

#[test]
fn an_object_counts_once_however_many_places() {
    let (solved, places) = info("    %x = address @a + 8\n    %y = select %yes, @a, %x\n    return %y, null");
    assert_eq!(places.locations.len(), 2);
    assert_eq!(places.objects().collect::<Vec<_>>(), [solved.object("a")]);
}

#[test]
fn equal_sets_have_one_representative() {
    let (solved, [x, y]) =
        pair("    store [@p], @a\n    %x: ptr = load [@p]\n    %y: ptr = load [@p]\n    return %x, %y");
    let main = solved.instance("main");
    assert_eq!(solved.points_to.representative(main, x), solved.points_to.representative(main, y));
    let (solved, [x, y]) = pair(
        "    store [@p], @a
    store [@p], @b
    store [@p], @c
    store [@q], @c
    store [@q], @b
    store [@q], @a
    %x: ptr = load [@p]
    %y: ptr = load [@q]
    return %x, %y",
    );
    let main = solved.instance("main");
    assert_eq!(solved.points_to.representative(main, x), solved.points_to.representative(main, y), "of other places");
    let (solved, [x, y]) = pair("    return @a, @b");
    let main = solved.instance("main");
    let [x, y] = [x, y].map(|v| solved.points_to.representative(main, v).expect("addresses have sets"));
    assert_ne!(x, y);
    let (solved, [number, _]) = pair("    return null, @a");
    assert_eq!(solved.points_to.representative(solved.instance("main"), number), None);
}

const HELPER: &str =
    "function @same(%x: ptr) -> ptr {\nentry:\n    return %x\n}\nfunction @idle() {\nentry:\n    return\n}";

#[test]
fn instances_know_their_calls() {
    let body = "    %x: ptr = call @same(@a)\n    %y: ptr = call @same(@b)\n    call @idle()\n    return %x";
    let solved = Solved::new(&program(body, HELPER));
    let (main, same, idle) = (solved.instance("main"), solved.function("same"), solved.function("idle"));
    let at = |inst: u32| ProgramPoint { func: solved.function("main"), block: BlockId::from_index(0), inst };
    let [first, second] = *solved.points_to.instances_of(same) else { panic!("two instances") };
    assert_eq!(solved.points_to.callees(main, at(2)), [first]);
    assert_eq!(solved.points_to.callees(main, at(3)), [second]);
    assert_eq!(solved.points_to.callee_instance(main, at(2), same), Some(first));
    assert_eq!(solved.points_to.callee_instance(main, at(2), idle), None);
    assert_eq!(solved.points_to.instances()[first].caller, Some((main, at(2))));
    assert_eq!(solved.points_to.shared_instance(same), None);
    assert_eq!(solved.points_to.shared_instance(idle), Some(solved.instance("idle")));
    let x: Operand = solved.program.functions[same].params[0].into();
    let objects = |info: PointerInfo| info.objects().collect::<Vec<_>>();
    assert_eq!(objects(solved.points_to.pointer_info_in(first, x)), [solved.object("a")]);
    assert_eq!(objects(solved.points_to.pointer_info_in(second, x)), [solved.object("b")]);
    let mut both = [solved.object("a"), solved.object("b")];
    both.sort_unstable();
    assert_eq!(objects(solved.points_to.pointer_info(same, x)), both);
}

#[test]
fn a_function_that_is_never_called_has_no_instance() {
    let solved = Solved::new(&program("    return null", HELPER));
    assert!(solved.points_to.instances_of(solved.function("same")).is_empty());
    assert_eq!(solved.returned("same"), "");
}

#[test]
fn accesses_touch_what_is_inside_of_data() {
    let body = "    %x = select %yes, @a, @main
    %y = select %yes, %x, @b
    %z = address %y + 64
    %w = select %yes, %z, %x
    return %w";
    let solved = Solved::new(&program(body, ""));
    let main = solved.function("main");
    let w: Operand = solved.program.functions[main].values.ids().last().expect("values").into();
    let info = solved.points_to.pointer_info(main, w);
    let names = |info: &PointerInfo| -> Vec<String> {
        info.locations.iter().map(|l| solved.points_to.describe_location(&solved.program, l)).collect()
    };
    assert_eq!(names(&info), ["a+0", "a+64", "&main", "b+64", "moved functions+64"]);
    assert_eq!(names(&solved.points_to.accessible(&info)), ["a+0"]);
}

#[test]
fn what_is_only_compared_is_known_too() {
    for (ty, constant) in [("ptr", "@b"), ("i64", "7")] {
        let lines =
            format!("    store [@a], @b\n    %x: {ty} = load [@a]\n    %is = icmp.ugt %x, {constant}\n    return null");
        let solved = Solved::new(&program(&lines, ""));
        let block = &solved.program.functions[solved.function("main")].blocks[BlockId::from_index(0)];
        let read = block.insts.iter().rfind(|inst| matches!(inst.op, Op::Load { .. })).expect("it reads");
        let info = solved.points_to.pointer_info_in(solved.instance("main"), Operand::Value(read.results[0]));
        assert_eq!(info.locations.len(), 1, "{ty}");
    }
}
