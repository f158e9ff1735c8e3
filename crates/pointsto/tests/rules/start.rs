//! What is there before the first instruction, and programs without a first instruction.

use crate::rules::check::{program, returned, returned_with};
use icsched_pointsto::Options;

use crate::common::Solved;

#[test]
fn main_gets_vectors_of_strings() {
    assert_eq!(returned("    return %argv"), "argv+0");
    assert_eq!(returned("    return %envp"), "environ+0");
    let loaded = |from: &str| returned(&format!("    %at = address {from}\n    %x: ptr = load [%at]\n    return %x"));
    assert_eq!(loaded("%argv"), "argv[]+0");
    assert_eq!(loaded("%argv + %n*8"), "argv[]+0");
    assert_eq!(loaded("%envp + 16"), "environ[]+0");
}

#[test]
fn a_main_with_fewer_parameters_gets_what_it_takes() {
    let solved = Solved::new("function @main(%argc: i32, %argv: ptr) -> ptr {\nentry:\n    return %argv\n}");
    assert_eq!(solved.returned("main"), "argv+0");
    let solved = Solved::new("function @main() -> ptr {\nentry:\n    return null\n}");
    assert_eq!(solved.returned("main"), "");
}

#[test]
fn variables_of_the_library_are_set() {
    let variable = |name: &str| {
        let global = format!("global @{name} size 8 align 8");
        returned_with(&format!("    %x: ptr = load [@{name}]\n    return %x"), &global)
    };
    assert_eq!(variable("environ"), "environ+*");
    assert_eq!(variable("program_invocation_name"), "argv[]+*");
    assert_eq!(variable("any_other"), "");
    let string = "    %vector: ptr = load [@environ]\n    %x: ptr = load [%vector]\n    return %x";
    assert_eq!(returned_with(string, "global @environ size 8 align 8"), "environ[]+0");
}

#[test]
fn constructors_run_and_get_what_main_gets() {
    let rest = "constructors @early
function @early(%argc: i32, %argv: ptr, %envp: ptr) {
entry:
    store [@p], %argv
    store [@q], %envp
    return
}";
    let solved = Solved::new(&program("    return null", rest));
    assert_eq!([solved.contents("p"), solved.contents("q")], ["argv+0", "environ+0"]);
}

#[test]
fn destructors_and_exit_run() {
    let rest = "destructors @late
function @late() {\nentry:\n    store [@p], @a\n    return\n}
function @exit(%status: i32) no_return model {\nentry:\n    store [@q], @b\n    unreachable\n}";
    let solved = Solved::new(&program("    return null", rest));
    assert_eq!([solved.contents("p"), solved.contents("q")], ["a+0", "b+0"]);
    let declared = Solved::new(&program("    return null", "declare @exit(%status: i32) no_return"));
    assert_eq!(declared.notes(), [""; 0]);
}

/// A library: two functions that nobody calls, and a model.
const LIBRARY: &str = "global @kept size 8 align 8 local
global @open size 8 align 8
global @table size 8 align 8 constant local = x\"\" { 0: @given }
function @given(%x: ptr) -> ptr local {
entry:
    return %x
}
function @hidden(%x: ptr) -> ptr local {
entry:
    return %x
}
function @dead(%x: ptr) -> ptr local {
entry:
    %y: ptr = call @hidden(@kept)
    return %y
}
function @get(%x: ptr \"x\", %y: ptr \"y\", %n: i64) -> ptr {
entry:
    store [@kept], %y
    %inside: ptr = load [%x]
    %word: ptr = bitcast %n
    %z = select true, %inside, %word
    return %z
}
function @same(%x: ptr \"x\") -> ptr {
entry:
    return %x
}
function @strdup(%s: ptr) -> ptr model {
entry:
    return %s
}";

#[test]
fn without_main_what_others_can_name_is_used_from_outside() {
    let solved = Solved::new(LIBRARY);
    let outside = "&dead &get &given &same kept+* open+* outside+*";
    assert_eq!(solved.returned("same"), outside, "with what is known outside");
    assert_eq!(solved.contents("kept"), outside, "known since `dead` returns it");
    assert_eq!(solved.contents("open"), outside);
    assert_eq!(solved.returned("get"), outside);
    assert_eq!(solved.returned("given"), outside, "nobody calls it");
    assert_eq!(solved.returned("hidden"), "kept+0", "only `dead` calls it");
    assert_eq!(solved.returned("strdup"), "", "models are not called");
    assert_eq!(
        solved.notes(),
        [
            "there is no `main`: what other translation units can name counts as used from outside, with everything that \
             is known there"
        ]
    );
}

#[test]
fn closed_nothing_comes_in_from_outside() {
    let solved = Solved::with(LIBRARY, &Options { closed: true, ..Options::default() });
    for name in ["same", "given"] {
        assert_eq!(solved.returned(name), "", "{name}: what nobody passes");
    }
    assert_eq!(solved.returned("hidden"), "kept+0", "what `dead` passes, which runs");
    assert_eq!(
        solved.notes(),
        ["there is no `main`, and nothing was taken to come in from outside: what callers pass or store is missing"]
    );
}

#[test]
fn without_main_what_others_cannot_name_is_not() {
    let text = "global @shown size 8 align 8
global @kept size 8 align 8 local
global @behind size 8 align 8 local
global @of_model size 8 align 8 model
global @number size 8 align 8 constant
global @table size 8 align 8 constant = { 0: @behind }
function @api(%x: ptr) -> ptr {
entry:
    return %x
}
function @caller() {
entry:
    store [@shown], null
    store [@kept], @shown
    store [@of_model], @shown
    %n: i64 = load [@number]
    %x: ptr = call @api(@shown)
    return
}";
    let solved = Solved::new(text);
    let outside = "&api &caller behind+* outside+* shown+* table+*";
    assert_eq!(solved.returned("api"), outside, "others call it too");
    assert_eq!([solved.contents("shown"), solved.contents("behind")], [outside; 2]);
    assert_eq!([solved.contents("kept"), solved.contents("of_model")], ["shown+0"; 2]);
}

#[test]
fn without_main_functions_that_call_only_each_other_are_called() {
    let inner = "global @kept size 8 align 8 local
function @inner(%x: ptr) -> ptr local {\nentry:\n    return %x\n}\n";
    let walk = "function @walk(%x: ptr) -> ptr local {
entry:
    %y: ptr = call @inner(@kept)
    %z: ptr = call @walk(%x)
    return %x
}";
    let solved = Solved::new(&format!("{inner}{walk}"));
    assert_eq!([solved.returned("walk"), solved.returned("inner")], ["&walk outside+*", "kept+0"]);
    let pair = "function @even(%x: ptr) -> ptr local {\nentry:\n    %y: ptr = call @odd(@kept)\n    return %x\n}
function @odd(%x: ptr) -> ptr local {\nentry:\n    %y: ptr = call @even(%x)\n    return %x\n}";
    let solved = Solved::new(&format!("{inner}{pair}"));
    assert_eq!(solved.returned("odd"), "kept+0", "one of them is called from outside");
    assert_eq!(solved.returned("even"), "&even &inner kept+0 outside+*");
}

#[test]
fn without_main_the_library_and_unknown_functions_are_there_too() {
    let text = "global @environ size 8 align 8
constructors @early
function @early(%argc: i32, %argv: ptr \"argv\") -> ptr {\nentry:\n    return %argv\n}
function @f() -> ptr {\nentry:\n    %x: ptr = load [@environ]\n    return %x\n}
function @g() -> ptr {\nentry:\n    %x: ptr = call @unheard_of(@f)\n    return %x\n}
declare @unheard_of(%x: ptr) -> ptr";
    let solved = Solved::new(text);
    let outside = "&early &f &g argv+* argv[]+* environ+* environ[]+* outside+*";
    assert_eq!([solved.returned("early"), solved.returned("f"), solved.returned("g")], [outside; 3]);
}
