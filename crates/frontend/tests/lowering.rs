//! What small C programs become.

use crate::common::compile;
use icsched_frontend::{LoadOptions, Program, load};
use icsched_ir::{
    BinOp, Callee, Const, Function, Inst, Intrinsic, Op, Operand, Origin, ScaledIndex, SourceType, Terminator, Type,
    Value, ValueId,
};

/// Loads a snippet without models and checks that the result is well formed.
fn lower(source: &str, flags: &[&str]) -> Program {
    lower_with(source, flags, &LoadOptions { link_models: false, ..LoadOptions::default() })
}

fn lower_with(source: &str, flags: &[&str], options: &LoadOptions) -> Program {
    let compiled = compile(source, flags);
    let program = load(&compiled.path, options).unwrap_or_else(|error| panic!("{error}\n{source}"));
    if let Err(errors) = icsched_ir::verify(&program) {
        panic!("{errors:?}\n{}", program.to_text());
    }
    program
}

fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    let id = program.function_named(name).unwrap_or_else(|| panic!("no function {name}"));
    &program.functions[id]
}

fn instructions(function: &Function) -> impl Iterator<Item = &Inst> {
    function.blocks.values().flat_map(|block| &block.insts)
}

fn count(function: &Function, test: impl Fn(&Op) -> bool) -> usize {
    instructions(function).filter(|inst| test(&inst.op)).count()
}

fn unsupported(program: &Program) -> Vec<String> {
    let insts = program.functions.values().flat_map(instructions);
    insts
        .filter_map(|inst| match &inst.op {
            Op::Unsupported { text } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

#[test]
fn arms_that_synchronise_and_do_the_same_become_one() {
    let source = "#include <pthread.h>\n#include <stdio.h>\npthread_mutex_t a, b; int x, y;\n\
                  int f(int c) { int r;\n if (c) { pthread_mutex_lock(&a); r = x++; pthread_mutex_unlock(&a); }\n\
                  else { pthread_mutex_lock(&b); r = y++; pthread_mutex_unlock(&b); }\n return r; }\n\
                  void g(int c) { if (c) pthread_mutex_lock(&a); else pthread_mutex_unlock(&a); }\n\
                  void h(int c) { if (c) puts(\"a\"); else puts(\"b\"); }\n\
                  void k(int c) { pthread_mutex_t *m; if (c) m = &a; else m = &b; pthread_mutex_lock(m); }\n\
                  void l(int c) { pthread_mutex_t *m = &a; if (c) m = &b; pthread_mutex_lock(m); }\n\
                  int o(int c) { int n = 1; if (c) n = 2; return n; }\n\
                  int main(int c, char **v) { g(c); h(c); k(c); l(c); return f(c) + o(c); }";
    let program = lower(source, &["-O0", "-g"]);
    let f = function(&program, "f");
    assert_eq!((f.blocks.len(), count(f, |op| matches!(op, Op::Call { .. }))), (1, 2));
    let lines = instructions(f).filter(|inst| matches!(inst.op, Op::Call { .. }));
    let lines: Vec<u32> = lines.map(|inst| program.locs[inst.loc.expect("a location")].line).collect();
    assert_eq!(lines, [5, 5], "the lines of the branch, not of one arm");
    for other in ["g", "h"] {
        assert_eq!(count(function(&program, other), |op| matches!(op, Op::Call { .. })), 2, "{other}");
    }
    for one in ["k", "l"] {
        assert_eq!(function(&program, one).blocks.len(), 1, "{one}");
    }
    assert!(function(&program, "o").blocks.len() > 1, "nothing is synchronised on");
    let options = LoadOptions { link_models: false, duplicate_code: true, ..LoadOptions::default() };
    let program = lower_with(source, &["-O0", "-g"], &options);
    assert_eq!(count(function(&program, "f"), |op| matches!(op, Op::Call { .. })), 4);
}

#[test]
fn branches_that_only_choose_what_is_synchronised_on_are_none() {
    let source = "#include <pthread.h>\n#include <stdlib.h>\npthread_mutex_t of[8]; int n;\n\
                  int positive(int k) { if (k < 0) k = -k; return k % 8; }\n\
                  int cut(double x) { int c = (int)x; return c < 0 ? 0 : c >= 8 ? 7 : c; }\n\
                  int other(int k) { if (k < 0) k = -k; return k % 8; }\n\
                  int divided(int k, int by) { if (by) k = k / by; return k; }\n\
                  int counted(int k) { if (k > 7) { n++; k = 7; } return k; }\n\
                  void take(int at) { pthread_mutex_lock(&of[at]); }\n\
                  int main(int c, char **v) { take(positive(atoi(v[1]))); take(cut(atof(v[2]))); take(divided(c, c - 1));\n\
                  take(counted(c)); return other(c); }";
    let program = lower(source, &["-O0", "-g"]);
    for one in ["positive", "cut"] {
        assert_eq!(function(&program, one).blocks.len(), 1, "{one}");
    }
    for (branches, why) in [
        ("other", "nothing is synchronised on"),
        ("divided", "a division by zero would be executed"),
        ("counted", "something is written"),
    ] {
        assert!(function(&program, branches).blocks.len() > 1, "{why}");
    }
    let options = LoadOptions { link_models: false, duplicate_code: true, ..LoadOptions::default() };
    let program = lower_with(source, &["-O0", "-g"], &options);
    assert!(function(&program, "positive").blocks.len() > 1);
}

#[test]
fn locals_are_promoted_and_named() {
    let source =
        "int f(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; } int main() { return f(3); }";
    let program = lower(source, &["-O0", "-g"]);
    let f = function(&program, "f");
    assert_eq!(count(f, |op| matches!(op, Op::Alloca { .. } | Op::Load { .. } | Op::Store { .. })), 0);
    let params: Vec<_> = f.blocks.values().flat_map(|block| &block.params).collect();
    let mut names: Vec<_> = params.iter().filter_map(|&&id| f.values[id].name.as_deref()).collect();
    names.sort_unstable();
    assert_eq!(names, ["i", "sum"]);
    assert_eq!(f.values[f.params[0]].name.as_deref(), Some("n"));
}

#[test]
fn names_without_debug_information_are_llvm_s() {
    let source = "int f(int n) { int x[2]; x[0] = n; return x[n]; } int main() { return f(0); }";
    let program = lower(source, &["-O0", "-fno-discard-value-names"]);
    let f = function(&program, "f");
    let alloca = instructions(f).find(|inst| matches!(inst.op, Op::Alloca { .. })).expect("the array is in memory");
    assert_eq!(f.values[alloca.results[0]].name.as_deref(), Some("x"));
    assert!(instructions(f).all(|inst| inst.loc.is_none()));
}

#[test]
fn locations_have_line_and_column() {
    let source = "int g;\nint main() {\n  g = 1;\n  return 0;\n}\n";
    let program = lower(source, &["-O0", "-g"]);
    let main = function(&program, "main");
    let store = instructions(main).find(|inst| matches!(inst.op, Op::Store { .. })).expect("a store");
    let loc = program.locs[store.loc.expect("a location")];
    // The whole path, of the debug information's directory and name.
    let file = std::path::Path::new(&program.files[loc.file]);
    assert!(file.is_absolute() && file.ends_with("t.c"), "{}", file.display());
    assert_eq!((loc.line, loc.column), (3, 5));
    assert_eq!(program.describe_loc(main.loc.expect("a location")), "t.c:2");
}

#[test]
fn inlined_code_knows_its_call() {
    let source = "int g;\nstatic inline __attribute__((always_inline)) void set(void) {\n  g = 1;\n}\nint main() {\n  set();\n  return 0;\n}\n";
    let program = lower(source, &["-O2", "-g"]);
    let store = instructions(function(&program, "main")).find(|inst| matches!(inst.op, Op::Store { .. }));
    let loc = program.locs[store.expect("a store").loc.expect("a location")];
    let call = program.locs[loc.inlined_at.expect("it was inlined")];
    assert_eq!((loc.line, call.line), (3, 6));
}

#[test]
fn what_inlined_functions_are_called_with_has_its_callers_names() {
    let source = "int g[8];\n\
                  static inline __attribute__((always_inline)) int after(int *place) { int held = *place; return held + 1; }\n\
                  static inline __attribute__((always_inline)) int sum(int n) { int s = 0; while (n--) s += g[n]; return s; }\n\
                  int main(int argc, char **argv) { int total = sum(argc * 2); return total + after(g + argc); }\n";
    let program = lower(source, &["-O2", "-g", "-fno-vectorize", "-fno-unroll-loops"]);
    let main = function(&program, "main");
    let names: Vec<&str> = main.values.values().filter_map(|value| value.name.as_deref()).collect();
    assert!(["argc", "held", "s"].iter().all(|name| names.contains(name)), "{names:?}");
    assert!(!names.contains(&"place"), "{names:?}");
    // What a parameter becomes in a loop has no other name.
    let is_n = |value: &Value| value.name.as_deref() == Some("n");
    let n: Vec<ValueId> = main.values.iter().filter(|(_, value)| is_n(value)).map(|(id, _)| id).collect();
    let computed = instructions(main).flat_map(|inst| &inst.results).any(|id| n.contains(id));
    assert!(!n.is_empty() && !computed, "{names:?}");
}

#[test]
fn source_types_keep_fields_and_recursion() {
    let source = "struct node { int key; struct node *next; char name[4]; } head; int main() { return head.key; }";
    let program = lower(source, &["-O0", "-g"]);
    let global = program.globals.values().find(|g| g.name == "head").expect("a global");
    let (id, ty) = program.types.resolve(global.source_type.expect("a type")).expect("not an endless typedef");
    let SourceType::Struct { name, size, fields } = ty else { panic!("{ty:?}") };
    assert_eq!((name.as_str(), *size), ("node", 24));
    let names: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.offset)).collect();
    assert_eq!(names, [("key", 0), ("next", 8), ("name", 16)]);
    assert_eq!(program.types.get(fields[1].ty.expect("a type")), &SourceType::Pointer { to: Some(id) });
    assert!(matches!(program.types.get(fields[2].ty.expect("a type")), SourceType::Array { count: 4, .. }));
}

#[test]
fn addresses_are_base_plus_scaled_indices() {
    let source = "struct s { int a; long b[4]; }; long f(struct s *p, int i, int j) { return p[i].b[j]; } int main() { return 0; }";
    let program = lower(source, &["-O0", "-g"]);
    let total: Vec<(i64, Vec<i64>)> = instructions(function(&program, "f"))
        .filter_map(|inst| match &inst.op {
            Op::Address { offset, indices, .. } => Some((*offset, indices.iter().map(|i| i.scale).collect())),
            _ => None,
        })
        .collect();
    assert_eq!(total.iter().map(|(offset, _)| offset).sum::<i64>(), 8);
    let mut scales: Vec<i64> = total.into_iter().flat_map(|(_, scales)| scales).collect();
    scales.sort_unstable();
    assert_eq!(scales, [8, 40]);
}

#[test]
fn subscripts_are_limited_by_arrays_that_other_members_are_behind() {
    let limits = |members: &str, element: &str| {
        let source = format!(
            "struct s {{ {members} }}; int f(struct s *p, long i) {{ return p->{element}; }} int main() {{ return 0; }}"
        );
        let program = lower(&source, &["-O0", "-g"]);
        let found: Vec<Option<u64>> = instructions(function(&program, "f"))
            .filter_map(|inst| match &inst.op {
                Op::Address { indices, .. } => Some(indices.iter().map(|i| i.elements).collect::<Vec<_>>()),
                _ => None,
            })
            .flatten()
            .collect();
        assert_eq!(found.len(), 1, "{element}");
        found[0]
    };
    assert_eq!(limits("int a[4]; int b;", "a[i]"), Some(4));
    // The last member may go on behind the structure, and so may one that stands for what is behind it. But no
    // subscript is negative.
    let not_negative = Some(ScaledIndex::NOT_NEGATIVE);
    assert_eq!(limits("int b; int a[4];", "a[i]"), not_negative);
    assert_eq!(limits("int b; int a[];", "a[i]"), not_negative);
    assert_eq!(limits("int a[0]; int b; int c;", "a[i]"), not_negative);
    assert_eq!(limits("int a[1]; int b;", "a[i]"), not_negative);
    assert_eq!(limits("struct { int n; int a[4]; } in; int room[8];", "in.a[i]"), not_negative);
    // But not where structures follow each other.
    assert_eq!(limits("int b; int a[4];", "a[i]; } struct s all[2]; int g(int i) { return all[i].b"), Some(4));
    assert_eq!(limits("int b; int a[4];", "a[i]; } int g(struct s *q, long i) { return q[i].b"), Some(4));
    // Unless it is the last member of one that may go on, or the pointer moves on by a header.
    let last = "struct in { int n; int a[4]; } in;";
    assert_eq!(limits(last, "in.a[i]; } struct in all[2]; int g(int i) { return all[i].n"), not_negative);
    assert_eq!(limits("int b; int a[4];", "a[i]; } int g(struct s *q) { return q[1].b"), not_negative);
    // Some go through all of a matrix as its first row.
    assert_eq!(limits("int a[4][4]; int b;", "a[i][0]"), Some(4));
    assert_eq!(limits("int a[4][4]; int b;", "a[0][i]"), Some(16));
    assert_eq!(limits("int a[4][4]; int b;", "a[3][i]"), Some(4));
    assert_eq!(limits("int a[4][4];", "a[0][i]"), not_negative);
    // Nor does a pointer say what it points into.
    assert_eq!(limits("int *a; int b;", "a[i]"), None);
}

#[test]
fn no_subscript_is_negative_where_the_optimiser_says_so() {
    let limits = |flags: &str| {
        let source = format!(
            "define i32 @f(ptr %p, i64 %i) {{\n  %a = getelementptr {flags} i32, ptr %p, i64 %i\n  %n = load i32, ptr %a\n  ret i32 %n\n}}\n"
        );
        let options = LoadOptions { link_models: false, needs_entry: false, ..LoadOptions::default() };
        let program = lower_text(&source, &options).expect("it is right");
        let found = instructions(function(&program, "f")).find_map(|inst| match &inst.op {
            Op::Address { indices, .. } => Some(indices[0].elements),
            _ => None,
        });
        found.expect("an address")
    };
    assert_eq!(limits("inbounds nuw"), Some(ScaledIndex::FORWARD));
    assert_eq!(limits("inbounds"), None);
    assert_eq!(limits("nuw"), None, "it may come back into its object");
}

#[test]
fn subscripts_are_limited_by_rows_that_are_selected_by_others() {
    let source = "static struct { int a[4][2][8]; int b; } s; int f(long i, long j) { return s.a[i][1][j]; }\n\
                  int g(long i, long j) { return s.a[1][i][j]; } int main() { return 0; }";
    let program = lower(source, &["-O0", "-g"]);
    let limits = |name: &str| -> Vec<Option<u64>> {
        let indices = instructions(function(&program, name)).filter_map(|inst| match &inst.op {
            Op::Address { indices, .. } => Some(indices),
            _ => None,
        });
        indices.flatten().map(|index| index.elements).collect()
    };
    assert_eq!(limits("f"), [Some(4), Some(8)]);
    assert_eq!(limits("g"), [Some(6), Some(8)]);
}

/// By what they are in, where no type says which member is selected, and nothing goes on behind a variable.
#[test]
fn subscripts_of_arrays_in_variables_are_limited() {
    let limits = |variable: &str, index: &str, level: &str| {
        let source = format!("{variable} v; int f(long i) {{ return v.{index}; }} int main() {{ return 0; }}");
        let program = lower(&source, &[level, "-g"]);
        let indices = instructions(function(&program, "f")).filter_map(|inst| match &inst.op {
            Op::Address { indices, .. } => Some(indices),
            _ => None,
        });
        indices.flatten().map(|index| index.elements).collect::<Vec<_>>()
    };
    for level in ["-O0", "-O1"] {
        assert_eq!(limits("struct { int n; int a[4]; int b; }", "a[i]", level), [Some(4)], "{level}");
        assert_eq!(limits("struct { int n; int a[4]; }", "a[i]", level), [Some(4)], "{level}");
        assert_eq!(limits("struct { int n; struct { int n; int a[4]; } in; }", "in.a[i]", level), [Some(4)], "{level}");
    }
    // Some have room behind a structure for what goes on behind it.
    let not_negative = [Some(ScaledIndex::NOT_NEGATIVE)];
    for level in ["-O0", "-O1"] {
        assert_eq!(
            limits("struct { struct { int n; int a[4]; } in; int room[8]; }", "in.a[i]", level),
            not_negative,
            "{level}"
        );
    }
    let with_room = "union { struct { int n; int a[4]; } in; int room[8]; }";
    assert_eq!(limits(with_room, "in.a[i]", "-O0"), not_negative);
    assert_eq!(limits(with_room, "in.a[i]", "-O1"), [None]);
    // A union may be any of its members, and an index from which something is subtracted later may be behind the array.
    assert_eq!(limits("struct { int n; union { int a[4]; long b[8]; } in; int c; }", "in.a[i]", "-O1"), [None]);
    assert_eq!(limits("struct { int m[4]; int a[4]; int b; }", "a[i - 2]", "-O1"), [None]);
}

#[test]
fn what_is_chosen_by_comparing_it_is_no_branch() {
    let source = "int cut(int n) { return n < 0 ? 0 : n > 3 ? 3 : n; } int other(int n, int m) { return n > 4 ? m * m : 1; } int main() { return 0; }";
    let branches = |program: &Program, name: &str| {
        let blocks = function(program, name).blocks.values();
        blocks.filter(|block| matches!(block.terminator, Terminator::Branch { .. })).count()
    };
    let program = lower(source, &["-O0"]);
    assert_eq!((branches(&program, "cut"), branches(&program, "other")), (0, 1));
    let options = LoadOptions { link_models: false, keep_branches: true, ..LoadOptions::default() };
    assert_eq!(branches(&lower_with(source, &["-O0"], &options), "cut"), 2);
}

#[test]
fn what_is_stored_anew_where_it_was_compared_is_no_branch() {
    let source = "#include <stdatomic.h>\nstruct ring { int first, size; volatile int seen; _Atomic int last; } r; int other;\n\
                  void next(struct ring *q) { if (++q->first == q->size) q->first = 0; }\n\
                  void again(void) { r.first++; if (r.first >= r.size) r.first = 0; }\n\
                  void elsewhere(struct ring *q) { if (++q->first == q->size) other = 0; }\n\
                  void between(struct ring *q) { q->first++; other = 1; if (q->first == q->size) q->first = 0; }\n\
                  void seen(struct ring *q) { if (++q->seen == q->size) q->seen = 0; }\n\
                  void shared(struct ring *q) { if (++q->last == q->size) q->last = 0; }\n\
                  int main(void) { next(&r); again(); elsewhere(&r); between(&r); seen(&r); shared(&r); return 0; }";
    let program = lower(source, &["-O0"]);
    let branches = |name: &str| {
        let blocks = function(&program, name).blocks.values();
        blocks.filter(|block| matches!(block.terminator, Terminator::Branch { .. })).count()
    };
    for one in ["next", "again"] {
        assert_eq!(branches(one), 0, "{one}");
        assert_eq!(count(function(&program, one), |op| matches!(op, Op::Select { .. })), 1, "{one}");
    }
    for (other, why) in [
        ("elsewhere", "something else is stored"),
        ("between", "the number was not stored just before"),
        ("seen", "somebody may look at the number in between"),
        ("shared", "others may look at the number in between"),
    ] {
        assert_eq!(branches(other), 1, "{why}");
    }
}

#[test]
fn the_larger_of_two_numbers_is_kept_without_a_branch() {
    let source = "#include <math.h>\n#include <stdatomic.h>\nstruct all { int n; double worst; volatile double seen; _Atomic int most; } *all; double other;\n\
                  double larger(double a, double b) { return a > b ? a : b; }\n\
                  double change(double *a, int i) { double most = 0; double d = a[i] - a[i + 1]; if (fabs(d) > most) most = fabs(d); return most; }\n\
                  double halve(double low, double high, double middle, int is_below) { if (is_below) high = middle; else low = middle; return high - low; }\n\
                  long halve_numbers(long low, long high, long middle, int is_below) { if (is_below) high = middle; else low = middle; return high - low; }\n\
                  void keep(double mine) { if (mine > all->worst) all->worst = mine; }\n\
                  void least(int *of, int i, int n) { if (n < of[i]) of[i] = n; }\n\
                  void at_another(int *of, int i, int n) { if (n < of[i]) of[n] = n; }\n\
                  void another_number(double mine) { if (mine > all->worst) all->worst = other; }\n\
                  void between(double mine) { double was = all->worst; other = 1; if (mine > was) all->worst = mine; }\n\
                  void of_another_type(double mine) { if (mine > all->n) all->n = mine; }\n\
                  void seen(double mine) { if (mine > all->seen) all->seen = mine; }\n\
                  void shared(int mine) { if (mine > all->most) all->most = mine; }\n\
                  int main(void) { keep(larger(1, 2)); return 0; }";
    let options = LoadOptions { link_models: false, ..LoadOptions::default() };
    let program = lower_with(source, &["-O0"], &options);
    let branches = |name: &str| {
        let blocks = function(&program, name).blocks.values();
        blocks.filter(|block| matches!(block.terminator, Terminator::Branch { .. })).count()
    };
    for one in ["larger", "change", "keep", "least"] {
        assert_eq!(branches(one), 0, "{one}");
        assert_eq!(count(function(&program, one), |op| matches!(op, Op::Select { .. })), 1, "{one}");
    }
    assert_eq!((branches("halve"), count(function(&program, "halve"), |op| matches!(op, Op::Select { .. }))), (0, 2));
    for (other, why) in [
        ("halve_numbers", "on a path, a size may be a constant"),
        ("at_another", "it is stored where nothing was read"),
        ("another_number", "it is not what was compared"),
        ("between", "memory may have changed since it was read"),
        ("of_another_type", "what is stored is no such number"),
        ("seen", "somebody may look at the number in between"),
        ("shared", "others may look at the number in between"),
    ] {
        assert_eq!(branches(other), 1, "{why}");
    }
}

#[test]
fn counting_modulo_two_is_a_sum() {
    let source = "int next(int n) { return (n & 1) ^ 1; } int both(int n) { int low = n & 1; return (low ^ 1) * 4 + low; } int main() { return 0; }";
    let program = lower(source, &["-O0"]);
    let operations = |name: &str| -> Vec<BinOp> {
        let all = instructions(function(&program, name));
        all.filter_map(|inst| if let Op::Binary { op, .. } = inst.op { Some(op) } else { None }).collect()
    };
    assert_eq!(operations("next"), [BinOp::Add, BinOp::And]);
    assert!(operations("both").contains(&BinOp::Xor), "the lowest bit is used by itself, too");
}

#[test]
fn initialisers_hold_bytes_and_pointers() {
    let source = "int a[4] = {1, 2}; int *p = &a[3]; long d = (char *)&a[2] - (char *)&a[0];\n\
                  int main(); int (*table[2])() = {0, main}; float x = -2.0f; int main() { return a[0] + *p; }";
    let program = lower(source, &["-O0"]);
    let global = |name: &str| program.globals.iter().find(|(_, g)| g.name == name).expect("a global");
    let (a, array) = global("a");
    assert_eq!((array.size, array.data.as_slice()), (16, [1, 0, 0, 0, 2].as_slice()));
    assert_eq!(global("p").1.relocations[0].value, Const::Global { global: a, offset: 12 });
    assert_eq!(global("d").1.data, [8]);
    let table = &global("table").1.relocations;
    assert_eq!((table.len(), table[0].offset), (1, 8));
    assert_eq!(table[0].value, Const::Func(program.main.expect("main is there")));
    assert_eq!(global("x").1.data, [0, 0, 0, 0xC0]);
}

#[test]
fn aggregates_become_scalars() {
    let source = "struct p { long a, b; }; struct p mk(long a) { struct p r = {a, 2}; return r; }\n\
                  struct big { int v[10]; }; int use(struct big b) { b.v[0] = 7; return b.v[1]; }\n\
                  int main() { struct big b = {{1}}; return mk(1).b + use(b); }";
    for level in LEVELS {
        let program = lower(source, &[level, "-fno-inline"]);
        assert_eq!(function(&program, "mk").results, [Type::Int(64), Type::Int(64)], "{level}");
        assert_eq!(unsupported(&program), Vec::<String>::new(), "{level}");
    }
    // The callee of a `byval` argument works on its own copy.
    let program = lower(source, &["-O0"]);
    let callee = function(&program, "use");
    let insts = &callee.blocks.values().next().expect("an entry").insts;
    assert!(matches!(insts[0].op, Op::Alloca { size: 40, .. }));
    let Op::MemCopy { to, from, .. } = insts[1].op else { panic!("{:?}", insts[1].op) };
    assert_eq!((to, from), (insts[0].results[0].into(), callee.params[0].into()));
}

#[test]
fn switch_tests_each_target_once() {
    let source = "int f(int x) { switch (x) { case 1: case 2: case 3: return 10; case 9: case 30: return 20; default: return 0; } }\n\
                  int main() { return f(4); }";
    let program = lower(source, &["-O0"]);
    let f = function(&program, "f");
    let branches = f.blocks.values().filter(|block| matches!(block.terminator, Terminator::Branch { .. })).count();
    assert_eq!(branches, 2);
    assert_eq!(count(f, |op| matches!(op, Op::IntCompare { .. })), 3);
}

#[test]
fn computed_goto_compares_block_addresses() {
    let source =
        "int main(int c, char **v) { static void *t[] = {&&a, &&b}; goto *t[c & 1]; a: return 1; b: return 2; }";
    for level in LEVELS {
        let program = lower(source, &[level]);
        assert_eq!(unsupported(&program), Vec::<String>::new(), "{level}");
        let main = program.main.expect("main is there");
        let blocks = program.globals.values().flat_map(|global| &global.relocations).filter_map(|r| match r.value {
            Const::Block { func, block } if func == main => Some(block),
            _ => None,
        });
        for block in blocks {
            assert!(matches!(
                program.functions[main].blocks[block].terminator,
                Terminator::Return(_) | Terminator::Jump(_)
            ));
        }
    }
}

#[test]
fn atomics_keep_their_orderings() {
    let source = "#include <stdatomic.h>\n_Atomic int x; atomic_long l; int main() { int e = 1;\n\
                  atomic_store_explicit(&x, 2, memory_order_release); atomic_fetch_add(&l, 3);\n\
                  atomic_compare_exchange_strong(&x, &e, 5); atomic_thread_fence(memory_order_acquire);\n\
                  return atomic_load_explicit(&x, memory_order_relaxed); }";
    for level in LEVELS {
        let program = lower(source, &[level]);
        let main = function(&program, "main");
        let atomic = |wanted| {
            move |op: &Op| match op {
                Op::Load { access, .. } | Op::Store { access, .. } => access.atomic == Some(wanted),
                _ => false,
            }
        };
        assert_eq!(count(main, atomic(icsched_ir::Ordering::Relaxed)), 1, "{level}");
        assert_eq!(count(main, atomic(icsched_ir::Ordering::Release)), 1, "{level}");
        assert_eq!(
            count(main, |op| matches!(op, Op::AtomicRmw { .. } | Op::CompareExchange { .. } | Op::Fence { .. })),
            3
        );
    }
}

#[test]
fn static_is_local() {
    let source = "static int s = 1; int g = 2; static int f(void) { return s++; } int main(void) { return f() + g; }";
    let program = lower(source, &["-O0"]);
    let locals = |of: Vec<(&String, bool)>| -> Vec<String> {
        of.into_iter().filter(|(_, local)| *local).map(|(name, _)| name.clone()).collect()
    };
    let own = |origin: &Origin| *origin == Origin::Program;
    let functions = program.functions.values().filter(|f| own(&f.origin)).map(|f| (&f.name, f.local)).collect();
    let globals = program.globals.values().filter(|g| own(&g.origin)).map(|g| (&g.name, g.local)).collect();
    assert_eq!([locals(functions), locals(globals)], [["f"], ["s"]]);
}

#[test]
fn thread_locals_and_weak_symbols() {
    let source = "__thread int t = 4; extern int maybe(void) __attribute__((weak));\n\
                  int real(void) { return 1; } int alias(void) __attribute__((alias(\"real\")));\n\
                  int main() { if (maybe) return maybe(); t++; return alias(); }";
    let program = lower(source, &["-O0"]);
    assert!(program.globals.values().any(|g| g.name == "t" && g.thread_local && g.data == [4]));
    let real = program.function_named("real");
    let calls: Vec<_> = instructions(function(&program, "main"))
        .filter_map(|inst| match &inst.op {
            Op::Call { callee, .. } => Some(callee.clone()),
            _ => None,
        })
        .collect();
    assert!(calls.contains(&Callee::Direct(real.expect("a function"))));
    assert!(calls.contains(&Callee::Indirect(Operand::Const(Const::NULL))));
}

#[test]
fn constructors_and_destructors_are_in_order() {
    let source = "#define C(n) __attribute__((constructor(n)))\n#define D(n) __attribute__((destructor(n)))\n\
                  C(300) void late(void) {} C(200) void early(void) {} D(300) void first(void) {} D(200) void last(void) {}\n\
                  int main() { return 0; }";
    let program = lower(source, &["-O0"]);
    let names = |ids: &[icsched_ir::FuncId]| ids.iter().map(|&f| program.functions[f].name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&program.constructors), ["early", "late"]);
    assert_eq!(names(&program.destructors), ["first", "last"]);
}

#[test]
fn vectors_are_scalarised() {
    let source = "#include <stdint.h>\ntypedef int v4 __attribute__((vector_size(16))); typedef short v8 __attribute__((vector_size(16)));\n\
                  v4 g; int pick(v4 a, int i) { return a[i]; } v8 cast(v4 a) { return (v8)(a + g * 3); }\n\
                  int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] * p[i]; return s; }\n\
                  int main() { int a[64] = {1, 2, 3}; return pick(g, 1) + cast(g)[3] + sum(a, 64); }";
    for level in LEVELS {
        let program = lower(source, &[level, "-g"]);
        assert_eq!(unsupported(&program), Vec::<String>::new(), "{level}");
    }
}

#[test]
fn builtins_are_operations() {
    let source = "#include <stdarg.h>\n\
        int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }\n\
        unsigned f(unsigned x) { return __builtin_popcount(x) + __builtin_clz(x | 1) + __builtin_ctz(x | 1) + __builtin_bswap32(x)\n\
          + ((x << 5) | (x >> 27)); }\n\
        int over(int a, int b) { int r; return __builtin_mul_overflow(a, b, &r) ? -1 : r; }\n\
        double g(double x) { return __builtin_fabs(x) + __builtin_floor(x) + __builtin_sqrt(x) + x * x + __builtin_isnan(x) + __builtin_isinf(x); }\n\
        int vla(int n) { char a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n - 1]; }\n\
        void pause(void) { __builtin_ia32_pause(); __asm__ volatile(\"\" ::: \"memory\"); __asm__ volatile(\"rep; nop\" ::: \"memory\"); }\n\
        int hide(int x) { __asm__(\"\" : \"+r\"(x)); return x; }\n\
        int main(int c, char **v) { pause(); return sum(2, 3, 4) + f(c) + over(c, c) + (int)g(c) + vla(c) + hide(c); }";
    for level in LEVELS {
        let program = lower(source, &[level, "-g"]);
        assert_eq!(unsupported(&program), Vec::<String>::new(), "{level}");
        let pauses = program.functions.values().flat_map(instructions);
        let pauses =
            pauses.filter(|inst| matches!(inst.op, Op::Call { callee: Callee::Intrinsic(Intrinsic::Pause), .. }));
        assert!(pauses.count() >= 2, "{level}");
    }
}

#[test]
fn what_is_not_lowered_says_so_with_its_line() {
    let source = "long double x = 1.5L;\nint main() {\n  __float128 w = x;\n  w = w * w;\n  __asm__ volatile(\"xsave %0\" : \"=m\"(x) :: \"memory\");\n  return w > 3;\n}\n";
    for level in LEVELS {
        let program = lower(source, &[level, "-g"]);
        let texts = unsupported(&program);
        for needle in ["FMul of __float128 (fp128)", "comparison of __float128", "inline assembly"] {
            assert!(texts.iter().any(|text| text.starts_with(needle)), "{level}: {needle} in {texts:?}");
        }
        let main = function(&program, "main");
        let found =
            instructions(main).find(|inst| matches!(&inst.op, Op::Unsupported { text } if text.contains("xsave")));
        assert_eq!(program.locs[found.expect("the assembly").loc.expect("a location")].line, 5);
    }
    // The initial bytes of a `long double` are exact nevertheless: 1.5 is 0x3fff c000000000000000.
    let program = lower(source, &["-O0"]);
    let x = program.globals.values().find(|g| g.name == "x").expect("a global");
    assert_eq!(x.data, [0, 0, 0, 0, 0, 0, 0, 0xC0, 0xFF, 0x3F]);
}

#[test]
fn undefined_behaviour_survives_normalisation() {
    let source = "int main(int c, char **v) { int a[2]; a[5] = c; if (c == 3) *(volatile int *)0 = 1; int b[2] = {0}; return b[7] + c / 0; }";
    let program = lower(source, &["-O0"]);
    let main = function(&program, "main");
    let outside = |op: &Op| matches!(op, Op::Address { offset: 20 | 28, .. });
    assert_eq!(count(main, outside), 2);
    let null = |op: &Op| matches!(op, Op::Store { address: Operand::Const(Const::NULL), .. });
    assert_eq!(count(main, null), 1);
}

#[test]
fn calls_without_prototypes_fit_their_definitions() {
    let source = "int two(); int zero(); int main() { return two(1) + zero(1, 2); }\n\
                  int two(a, b) int a; int b; { return a; } int zero() { return 0; }";
    let program = lower(source, &["-O0", "-std=c89"]);
    let calls = instructions(function(&program, "main")).filter_map(|inst| match &inst.op {
        Op::Call { callee: Callee::Direct(id), args } => Some((program.functions[*id].params.len(), args.len())),
        _ => None,
    });
    for (params, args) in calls {
        assert_eq!(params, args);
    }
}

#[test]
fn textual_ir_of_other_targets_is_judged_by_its_triple() {
    let ir = |triple: &str| format!("target triple = \"{triple}\"\ndefine i32 @main() {{\n  ret i32 7\n}}\n");
    let directory = tempfile::TempDir::new().expect("a temporary directory can be made");
    let path = directory.path().join("any.name");
    std::fs::write(&path, ir("")).expect("writable");
    let program = load(&path, &LoadOptions::default()).expect("no triple means x86-64");
    assert!(program.main.is_some());
    std::fs::write(&path, ir("aarch64-unknown-linux-gnu")).expect("writable");
    let error = load(&path, &LoadOptions::default()).expect_err("another machine");
    assert!(error.to_string().contains("aarch64-unknown-linux-gnu"));
}

#[test]
fn models_define_only_what_the_program_does_not() {
    let source = "#include <pthread.h>\n#include <string.h>\n\
                  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                  size_t strlen(const char *s) { return 42; }\n\
                  static int pthread_mutex_trylock(pthread_mutex_t *x) { return 7; }\n\
                  int main(int c, char **v) { pthread_mutex_lock(&m); return strlen(v[0]) + pthread_mutex_trylock(&m); }";
    let source = source.replace(
        "#include <pthread.h>",
        "#define pthread_mutex_trylock hidden_trylock\n#include <pthread.h>\n#undef pthread_mutex_trylock",
    );
    let program = lower_with(&source, &["-O0", "-fno-builtin"], &LoadOptions::default());
    assert_eq!(function(&program, "strlen").origin, Origin::Program);
    assert_eq!(function(&program, "pthread_mutex_trylock").origin, Origin::Program);
    let lock = function(&program, "pthread_mutex_lock");
    assert_eq!(lock.origin, Origin::Model);
    assert!(count(lock, |op| matches!(op, Op::Call { callee: Callee::Intrinsic(_), .. })) > 0 || lock.blocks.len() > 1);
    assert!(program.functions.values().all(|f| f.name != "pthread_cond_wait"), "unused models are left out");
}

#[test]
fn recursions_that_may_synchronise_count_their_activations() {
    let source = "#include <pthread.h>\npthread_mutex_t m;\n\
                  static void odd(int n);\n\
                  static void even(int n) { if (n > 0) odd(n - 1); }\n\
                  static void odd(int n) { pthread_mutex_lock(&m); if (n > 0) even(n - 1); pthread_mutex_unlock(&m); }\n\
                  static int sum(int n) { return n > 0 ? n + sum(n - 1) : 0; }\n\
                  int main(int c, char **v) { even(c); odd(c); return sum(c); }";
    let program = lower_with(source, &["-O0"], &LoadOptions::default());
    let counters = icsched_ir::activations::counters(&program);
    let names: Vec<&str> = counters.keys().map(|&f| &*program.functions[f].name).collect();
    assert_eq!(names, ["even", "odd"]);
    let globals: Vec<_> = counters.values().collect();
    assert_eq!(globals[0], globals[1], "they are one recursion");
    assert!(program.globals[*globals[0]].thread_local);
    let leaves = |op: &Op| matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::Leave), .. });
    assert_eq!(["even", "odd", "sum"].map(|name| count(function(&program, name), leaves)), [1, 1, 0]);
}

#[test]
fn relative_tables_are_tables_of_pointers() {
    let source = "const char *name(int k) { static const char *const n[] = {\"zero\", \"one\", \"two\"}; return k < 3 ? n[k] : 0; }\n\
                  int main(int c, char **v) { return name(c)[0]; }";
    let program = lower(source, &["-O2", "-fPIC"]);
    assert_eq!(unsupported(&program), Vec::<String>::new());
    let table = program.globals.values().find(|g| g.relocations.len() == 3).expect("a table of three pointers");
    assert_eq!(table.size, 24);
    assert_eq!(table.relocations.iter().map(|r| r.offset).collect::<Vec<_>>(), [0, 8, 16]);
}

#[test]
fn types_that_contain_themselves_end() {
    // Only damaged debug information has such a struct.
    let ir = "@x = global i32 0, !dbg !0\n\
        define i32 @main() {\n  ret i32 0\n}\n\
        !llvm.dbg.cu = !{!2}\n!llvm.module.flags = !{!9}\n\
        !0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())\n\
        !1 = distinct !DIGlobalVariable(name: \"x\", scope: !2, file: !3, line: 1, type: !5, isLocal: false, isDefinition: true)\n\
        !2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: FullDebug, globals: !4)\n\
        !3 = !DIFile(filename: \"t.c\", directory: \"/\")\n!4 = !{!0}\n\
        !5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", file: !3, size: 32, elements: !6)\n\
        !6 = !{!7}\n!7 = !DIDerivedType(tag: DW_TAG_member, name: \"m\", scope: !5, baseType: !5, size: 32)\n\
        !9 = !{i32 2, !\"Debug Info Version\", i32 3}\n";
    let directory = tempfile::TempDir::new().expect("a temporary directory can be made");
    let path = directory.path().join("t.ll");
    std::fs::write(&path, ir).expect("writable");
    let program = load(&path, &LoadOptions { link_models: false, ..LoadOptions::default() }).expect("a good module");
    let ty = program.globals.values().next().expect("a global").source_type.expect("a type");
    assert_eq!(program.types.get(ty), &SourceType::Opaque);
}

/// Loads textual IR.
fn lower_text(text: &str, options: &LoadOptions) -> Result<Program, icsched_frontend::LoadError> {
    let directory = tempfile::TempDir::new().expect("a temporary directory can be made");
    let path = directory.path().join("t.ll");
    std::fs::write(&path, text).expect("the directory is writable");
    load(&path, options)
}

#[test]
fn parts_of_programs_load_and_come_back_from_text() {
    let source =
        "typedef unsigned __int128 w; w f(w a, int n) { return a << n; } long double g(long double x) { return x; }";
    let options = LoadOptions { needs_entry: false, ..LoadOptions::default() };
    for level in LEVELS {
        let program = lower_with(source, &[level, "-g"], &options);
        assert_eq!(program.main, None);
        assert_eq!(unsupported(&program), Vec::<String>::new(), "{level}");
        assert_eq!(icsched_ir::parse(&program.to_text()).as_ref(), Ok(&program), "{level}");
        let f = function(&program, "f");
        let types = |ids: &[icsched_ir::ValueId]| ids.iter().map(|&id| f.values[id].ty).collect::<Vec<_>>();
        assert_eq!(types(&f.params), [Type::Int(64), Type::Int(64), Type::Int(32)]);
        assert_eq!(f.results, [Type::Int(64), Type::Int(64)]);
    }
}

#[test]
fn initial_values_of_the_linker_are_computed_first() {
    let text = "@a = global i64 1\n@b = global i64 2\n\
                @far = constant { i32, i64 } { i32 7, i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)) }\n\
                @short = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)) to i32)\n\
                define i32 @main() {\n  ret i32 0\n}\n";
    let program = lower_text(text, &LoadOptions { link_models: false, ..LoadOptions::default() }).expect("it loads");
    let first = &program.functions[program.constructors[0]];
    let (far, _) = program.globals.iter().find(|(_, g)| g.name == "far").expect("a global");
    let stores: Vec<&Op> =
        instructions(first).map(|inst| &inst.op).filter(|op| matches!(op, Op::Store { .. })).collect();
    let place = Operand::Const(Const::Global { global: far, offset: 8 });
    assert!(matches!(stores.as_slice(), [Op::Store { address, .. }] if *address == place), "{stores:?}");
    assert!(!program.globals[far].constant, "it is written once");
    assert_eq!(unsupported(&program).len(), 1, "the distance in 32 bits");
}

#[test]
fn assembly_outside_functions_matters_if_it_replaces_something() {
    let with = |assembly: &str| {
        let text = format!("module asm \"{assembly}\"\ndefine i32 @main() {{\n  ret i32 0\n}}\n");
        lower_text(&text, &LoadOptions::default())
    };
    assert!(with(".symver old, memcpy@GLIBC_2.2.5").is_ok());
    assert!(with(".globl own; own: ret").is_ok());
    let refused = with("memcpy: ret").expect_err("the model would win");
    assert!(refused.to_string().contains("memcpy"), "{refused}");
}

#[test]
fn calls_that_may_throw_are_calls() {
    let text = "declare void @g()\ndeclare i32 @personality(...)\n\
                define i32 @main() personality ptr @personality {\n\
                  invoke void @g() to label %on unwind label %caught\n\
                on:\n  ret i32 1\n\
                caught:\n  %p = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %p\n}\n";
    let program = lower_text(text, &LoadOptions { link_models: false, ..LoadOptions::default() }).expect("it loads");
    let main = function(&program, "main");
    assert_eq!(count(main, |op| matches!(op, Op::Call { .. })), 1);
    assert!(main.blocks.values().all(|block| matches!(block.terminator, Terminator::Return(_))));
}
