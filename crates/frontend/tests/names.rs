//! Whatever names a file has, or has none, it loads: each function and global of the program has a name of its own.

use std::collections::BTreeSet;

use icsched_frontend::{LoadOptions, Program, load};
use icsched_ir::Origin;

const TARGET: &str = "target triple = \"x86_64-pc-linux-gnu\"\n";

/// Loads textual LLVM IR.
fn loaded(text: &str, options: &LoadOptions) -> Program {
    let place = tempfile::TempDir::new().expect("a temporary directory can be made");
    let path = place.path().join("p.ll");
    std::fs::write(&path, format!("{TARGET}{text}")).expect("the directory is ours");
    let program = load(&path, options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(icsched_ir::verify(&program), Ok(()));
    let again = icsched_ir::parse(&program.to_text()).expect("the text form can be read");
    assert!(again == program, "{}", program.to_text());
    program
}

fn names(program: &Program, origin: Origin) -> BTreeSet<String> {
    let functions = program.functions.values().filter(|f| f.origin == origin).map(|f| f.name.clone());
    functions.chain(program.globals.values().filter(|g| g.origin == origin).map(|g| g.name.clone())).collect()
}

fn without_models() -> LoadOptions {
    LoadOptions { link_models: false, ..LoadOptions::default() }
}

#[test]
fn what_has_no_name_gets_one() {
    let program = loaded(
        "@0 = private constant [3 x i8] c\"ab\\00\"\n@1 = private constant [3 x i8] c\"cd\\00\"\n\
         @2 = internal alias [3 x i8], ptr @0\n@3 = internal alias [3 x i8], ptr @1\n\
         define internal i32 @4(ptr %p) {\n ret i32 1\n}\ndefine internal i32 @5(ptr %p) {\n ret i32 2\n}\n\
         define i32 @main() {\n %a = call i32 @4(ptr @2)\n %b = call i32 @5(ptr @3)\n %c = add i32 %a, %b\n ret i32 %c\n}\n",
        &without_models(),
    );
    let expected = ["main", "unnamed", "unnamed.2", "unnamed.3", "unnamed.4"].map(str::to_owned);
    assert_eq!(names(&program, Origin::Program), BTreeSet::from(expected));
}

#[test]
fn names_that_cannot_be_told_apart_are_numbered() {
    let program = loaded(
        "@\"x\\ff\" = global i32 1\n@\"x\\fe\" = global i32 2\n@unnamed = global i32 3\n@4 = global i32 4\n\
         define i32 @main() {\n %a = load i32, ptr @\"x\\fe\"\n ret i32 %a\n}\n",
        &without_models(),
    );
    let expected = ["main", "unnamed", "unnamed.2", "x\u{fffd}", "x\u{fffd}.1"].map(str::to_owned);
    assert_eq!(names(&program, Origin::Program), BTreeSet::from(expected));
}

#[test]
fn a_name_that_is_not_to_be_decorated_is_the_plain_one() {
    let program = loaded(
        "declare i32 @\"\\01puts\"(ptr)\ndeclare i32 @\"\\01getpid\"()\ndeclare i32 @getpid()\n\
         define i32 @\"\\01own\"() {\n ret i32 1\n}\ndeclare i32 @own()\n\
         define i32 @main() {\n %a = call i32 @\"\\01puts\"(ptr null)\n %b = call i32 @\"\\01getpid\"()\n\
         %c = call i32 @getpid()\n %d = call i32 @own()\n ret i32 %d\n}\n",
        &LoadOptions::default(),
    );
    assert_eq!(names(&program, Origin::Program), BTreeSet::from(["main", "own"].map(str::to_owned)));
    assert!(names(&program, Origin::Model).contains("puts"));
}

#[test]
fn control_characters_in_names_are_spelled_out() {
    let program = loaded(
        "@\"a\\1B[2J\\0Ab\" = global i32 1\n@\"a\\\\x1b[2J\\\\nb\" = global i32 2\n\
         define i32 @\"f\\E2\\80\\AE\"() {\n ret i32 0\n}\n\
         define i32 @main() {\n %a = call i32 @\"f\\E2\\80\\AE\"()\n ret i32 %a\n}\n",
        &without_models(),
    );
    let expected = ["main", "a\\x1b[2J\\nb", "a\\x1b[2J\\nb.1", "f\\u202e"].map(str::to_owned);
    assert_eq!(names(&program, Origin::Program), BTreeSet::from(expected));
}

#[test]
fn a_model_keeps_its_own_where_the_program_has_its_name() {
    let program = loaded(
        "declare i32 @puts(ptr)\ndeclare void @free(ptr)\n\
         define i64 @strlen(ptr %s) {\n ret i64 1\n}\ndefine void @exit(i32 %status) {\n unreachable\n}\n\
         define internal i64 @write(i32 %fd, ptr %p, i64 %n) {\n ret i64 -1\n}\n\
         define i32 @main() {\n %a = call i32 @puts(ptr null)\n %b = call i64 @strlen(ptr null)\n\
         %c = call i64 @write(i32 1, ptr null, i64 0)\n ret i32 %a\n}\n",
        &LoadOptions::default(),
    );
    let own = ["main", "strlen", "exit", "write"].map(str::to_owned);
    assert_eq!(names(&program, Origin::Program), BTreeSet::from(own));
    let models = names(&program, Origin::Model);
    for name in ["puts", "strlen.model", "exit.model", "write.model"] {
        assert!(models.contains(name), "{name}: {models:?}");
    }
    let exit = program.library_function("exit").expect("it ends the process");
    assert_eq!(program.functions[exit].name, "exit.model");
}

#[test]
fn names_of_the_engine_are_not_the_programs() {
    let program = loaded(
        "define i32 @__ics_yield() {\n ret i32 7\n}\n@__ics_threads = global i32 7\n\
         define i32 @main() {\n %a = call i32 @__ics_yield()\n %b = load i32, ptr @__ics_threads\n ret i32 %a\n}\n",
        &LoadOptions::default(),
    );
    let own = names(&program, Origin::Program);
    assert!(!own.contains("__ics_yield") && own.iter().any(|name| name.starts_with("__ics_yield")), "{own:?}");
}
