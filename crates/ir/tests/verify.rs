//! One violation of each invariant, and the message it gives.

use expect_test::{Expect, expect};
use icsched_ir::{
    BlockId, Const, EntityId, Field, FileId, FuncId, Function, GlobalId, Loc, LocId, Operand, Program, Relocation,
    SourceType, Terminator, Type, TypeId, ValueId, parse, verify, verify::find,
};

fn messages(program: &Program) -> String {
    let errors = verify(program).expect_err("a violation");
    // Broken programs print, too: that is how one looks at them.
    assert!(!program.to_text().is_empty());
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The errors of `@f(v0: i32, v1: ptr, v2: f64) -> i32` with this body.
fn body(body: &str, expected: &Expect) {
    let text = format!("function @f(v0: i32, v1: ptr, v2: f64) -> i32 {{\n{body}\n}}\ndeclare @g(v0: i32) -> i64\n");
    let program = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    expected.assert_eq(&messages(&program));
}

#[test]
fn definitions_come_before_uses() {
    body(
        "b0:\nv3 = add v4, v0\nv4: i32 = sub v0, 1\nreturn v3",
        &expect!["f0 @f b0 #0: the definition of v4 does not dominate this use"],
    );
    body(
        "b0:\nv3: i32 = add v3, v0\nreturn v3",
        &expect!["f0 @f b0 #0: the definition of v3 does not dominate this use"],
    );
    let diamond =
        "b0:\nv3 = icmp.eq v0, 0\nbranch v3, b1, b2\nb1:\nv4 = add v0, 1\njump b3\nb2:\njump b3\nb3:\nreturn v4";
    body(diamond, &expect!["f0 @f b3 #0: the definition of v4 does not dominate this use"]);
    body(
        "b0:\njump b1(v3)\nb1(v3: i32):\nreturn v3",
        &expect!["f0 @f b0 #0: the definition of v3 does not dominate this use"],
    );
}

#[test]
fn unreachable_code_may_use_what_it_likes() {
    let text = "function @f() -> i32 {\nb0:\n  v0: i32 = freeze 1\n  return v0\nb1:\n  return v1\nb2:\n  v1: i32 = freeze 2\n  jump b1\n}";
    assert_eq!(verify(&parse(text).unwrap()), Ok(()));
}

#[test]
fn the_entry_is_only_entered_once() {
    body("b0(v3: i32):\nreturn v3", &expect!["f0 @f: the entry block has parameters"]);
    body("b0:\njump b0", &expect!["f0 @f: the entry block has predecessors"]);
}

#[test]
fn edges_and_returns_fit_their_target() {
    body("b0:\njump b1(v0)\nb1:\nreturn v0", &expect!["f0 @f b0 #0: expected 0 edge arguments, found 1"]);
    body(
        "b0:\njump b1(v1)\nb1(v3: i32):\nreturn v3",
        &expect!["f0 @f b0 #0: the argument for v3 of b1 is ptr, expected i32"],
    );
    body("b0:\nreturn", &expect!["f0 @f b0 #0: expected 1 returned values, found 0"]);
    body("b0:\nreturn v1", &expect!["f0 @f b0 #0: the returned value is ptr, expected i32"]);
    body("b0:\nbranch v0, b1, b1\nb1:\nreturn 0", &expect!["f0 @f b0 #0: the condition is i32, expected i1"]);
}

#[test]
fn operands_fit_their_operation() {
    let op = |op: &str, expected: Expect| body(&format!("b0:\n{op}\nreturn 0"), &expected);
    op("v3: i32 = add v0, v1", expect!["f0 @f b0 #0: a further operand is ptr, expected i32"]);
    op("v3: ptr = add v1, v1", expect!["f0 @f b0 #0: the first operand is ptr, expected an integer"]);
    op("v3: i32 = fadd v0, v0", expect!["f0 @f b0 #0: the first operand is i32, expected a float"]);
    op("v3: i32 = and nsw v0, v0", expect!["f0 @f b0 #0: and does not wrap"]);
    op("v3: f64 = ctpop v2", expect!["f0 @f b0 #0: the first operand is f64, expected an integer"]);
    op("v3: i8 = sub v0, v0", expect!["f0 @f b0 #0: the result v3 is i8, expected i32"]);
    op("v3: i32 = trunc v0", expect!["f0 @f b0 #0: the result is i32, expected a type narrower than i32"]);
    op(
        "v3: i64 = zext v1",
        expect![[r#"
        f0 @f b0 #0: the operand is ptr, expected an integer
        f0 @f b0 #0: the result is i64, expected a type wider than ptr"#]],
    );
    op("v3: i32 = bitcast v2", expect!["f0 @f b0 #0: the result is i32, expected a type as wide as f64"]);
    op("v3: f32 = fpext v2", expect!["f0 @f b0 #0: the result is f32, expected a type wider than f64"]);
    op("v3: i32 = fptoui v0", expect!["f0 @f b0 #0: the operand is i32, expected a float"]);
    op("v3 = icmp.eq v2, v2", expect!["f0 @f b0 #0: the first operand is f64, expected an integer or pointer"]);
    op("v3: i32 = icmp.eq v0, v0", expect!["f0 @f b0 #0: the result v3 is i32, expected i1"]);
    op(
        "v3 = fcmp.oeq v0, v2",
        expect![[r#"
        f0 @f b0 #0: the first operand is i32, expected a float
        f0 @f b0 #0: a further operand is f64, expected i32"#]],
    );
    op(
        "v3: i32 = select v0, v0, v1",
        expect![[r#"
        f0 @f b0 #0: the condition is i32, expected i1
        f0 @f b0 #0: a further operand is ptr, expected i32"#]],
    );
    op("v3: i32 = fshl v0, v0, v1", expect!["f0 @f b0 #0: a further operand is ptr, expected i32"]);
    op(
        "v3 = address v0 + v0*4",
        expect![[r#"
        f0 @f b0 #0: the base is i32, expected ptr
        f0 @f b0 #0: an index is i32, expected i64"#]],
    );
    op("v3: i32 = load [v0]", expect!["f0 @f b0 #0: the address is i32, expected ptr"]);
    op("v3: i32 = load release [v1]", expect!["f0 @f b0 #0: ordering release is not allowed here"]);
    op("v3: i32 = store [v1], v0", expect!["f0 @f b0 #0: expected 0 results, found 1"]);
    op("store acquire [v1], v0", expect!["f0 @f b0 #0: ordering acquire is not allowed here"]);
    op("load [v1]", expect!["f0 @f b0 #0: expected 1 results, found 0"]);
    op(
        "v3 = alloca 4 x v0 align 3",
        expect![[r#"
        f0 @f b0 #0: the count is i32, expected i64
        f0 @f b0 #0: alignment 3 is not a power of two"#]],
    );
    op("v3: i32 = rmw fadd seq_cst [v1], v0", expect!["f0 @f b0 #0: the first operand is i32, expected a float"]);
    op(
        "v3: f64 = cmpxchg seq_cst release [v1], v2, v2",
        expect![[r#"
        f0 @f b0 #0: the first operand is f64, expected an integer or pointer
        f0 @f b0 #0: ordering release is not allowed here"#]],
    );
    op("fence relaxed", expect!["f0 @f b0 #0: ordering relaxed is not allowed here"]);
    op(
        "memcpy [v1], [v0], v0",
        expect![[r#"
        f0 @f b0 #0: the address is i32, expected ptr
        f0 @f b0 #0: the size is i32, expected i64"#]],
    );
    op(
        "memset [v1], v0, v0",
        expect![[r#"
        f0 @f b0 #0: the byte is i32, expected i8
        f0 @f b0 #0: the size is i32, expected i64"#]],
    );
    op("va_start [v0]", expect!["f0 @f b0 #0: the address is i32, expected ptr"]);
    op("call *v0()", expect!["f0 @f b0 #0: the called pointer is i32, expected ptr"]);
    op(
        "v3: i32, v4: i32 = call __ics_yield(v0)",
        expect![[r#"
        f0 @f b0 #0: expected 0 arguments, found 1
        f0 @f b0 #0: expected 1 results, found 2"#]],
    );
}

#[test]
fn calls_against_the_signature_are_notes() {
    let text = "
declare @one(v0: i32) -> i64
declare @many(v0: ptr, ...)
function @f() {
b0:
    v0: i64 = call @one(1)
    call @many(null)
    call @many(null, 1:i32)
    call @one()
    v1: i64 = call @one(null, 2:i32)
    call @many()
    return
}";
    let found = find(&parse(text).unwrap());
    assert_eq!(found.errors, []);
    let notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
    expect![[r#"
        f2 @f b0 #3: the call of @one passes 0 arguments for 1 parameters
        f2 @f b0 #3: the call of @one expects (), but it returns (i64)
        f2 @f b0 #4: the call of @one passes 2 arguments for 1 parameters
        f2 @f b0 #4: the call of @one passes ptr as argument 1, which is i32
        f2 @f b0 #5: the call of @many passes 0 arguments for 1 parameters"#]]
    .assert_eq(&notes.join("\n"));
}

/// The errors of a small program after `change`.
fn changed(change: impl FnOnce(&mut Program), expected: &Expect) {
    let text = "
global @x size 16 align 8 = x\"00\" { 8: @f }
function @f(v0: i32) {
b0:
    v1 = add v0, 1 at a.c:1
    return
}
t0 = opaque
";
    let mut program = parse(text).unwrap();
    assert_eq!(verify(&program), Ok(()));
    change(&mut program);
    expected.assert_eq(&messages(&program));
}

fn f(program: &mut Program) -> &mut Function {
    &mut program.functions[FuncId::from_index(0)]
}

fn operand(program: &mut Program, operand: Operand) {
    f(program).blocks[BlockId::from_index(0)].terminator = Terminator::Return([operand].into_iter().collect());
    f(program).results = vec![Type::Int(32)];
}

#[test]
fn ids_are_in_range() {
    changed(|p| operand(p, ValueId::from_index(9).into()), &expect!["f0 @f b0 #1: v9 does not exist"]);
    changed(
        |p| operand(p, Const::Func(FuncId::from_index(9)).into()),
        &expect![[r#"
        f0 @f b0 #1: f9 does not exist
        f0 @f b0 #1: the returned value is ptr, expected i32"#]],
    );
    changed(
        |p| operand(p, Const::Global { global: GlobalId::from_index(9), offset: 0 }.into()),
        &expect![[r#"
        f0 @f b0 #1: @g9 does not exist
        f0 @f b0 #1: the returned value is ptr, expected i32"#]],
    );
    let block = Const::Block { func: FuncId::from_index(0), block: BlockId::from_index(9) };
    changed(
        |p| operand(p, block.into()),
        &expect![[r#"
        f0 @f b0 #1: b9 of f0 does not exist
        f0 @f b0 #1: the returned value is ptr, expected i32"#]],
    );
    changed(
        |p| f(p).params[0] = ValueId::from_index(9),
        &expect![[r#"
        f0 @f: v9 does not exist
        f0 @f: v0 is defined 0 times"#]],
    );
    changed(|p| f(p).loc = Some(LocId::from_index(9)), &expect!["f0 @f: loc9 does not exist"]);
    changed(
        |p| f(p).values[ValueId::from_index(0)].source_type = Some(TypeId::from_index(9)),
        &expect!["f0 @f: t9 does not exist"],
    );
    changed(|p| p.main = Some(FuncId::from_index(9)), &expect!["program: f9 does not exist"]);
    changed(|p| p.locs[LocId::from_index(0)].file = FileId::from_index(9), &expect!["program: file9 does not exist"]);
    changed(
        |p| p.locs[LocId::from_index(0)].inlined_at = Some(LocId::from_index(9)),
        &expect!["program: the inlined_at of loc0 does not exist"],
    );
    changed(
        |p| p.types.set(TypeId::from_index(0), SourceType::Pointer { to: Some(TypeId::from_index(9)) }),
        &expect!["program: t9, a part of t0, does not exist"],
    );
    let jump = |p: &mut Program| {
        let edge = icsched_ir::Edge { target: BlockId::from_index(9), args: Default::default() };
        f(p).blocks[BlockId::from_index(0)].terminator = Terminator::Jump(edge);
    };
    changed(jump, &expect!["f0 @f b0 #1: b9 does not exist"]);
}

#[test]
fn values_are_defined_once_with_a_type() {
    let unused = icsched_ir::Value { ty: Type::Int(0), name: None, source_type: None };
    changed(
        |p| assert_eq!(f(p).values.push(unused), ValueId::from_index(2)),
        &expect![[r#"
        f0 @f: v2 is defined 0 times
        f0 @f: i0 is not a type of 1 to 64 bits"#]],
    );
    changed(|p| f(p).params.push(ValueId::from_index(1)), &expect!["f0 @f: v1 is defined 2 times"]);
    changed(
        |p| f(p).results.push(Type::Int(65)),
        &expect![[r#"
        f0 @f: i65 is not a type of 1 to 64 bits
        f0 @f b0 #1: expected 1 returned values, found 0"#]],
    );
    changed(
        |p| operand(p, Const::Bits { ty: Type::Int(32), bits: 1 << 32 }.into()),
        &expect!["f0 @f b0 #1: the constant 0x100000000 has bits beyond its type i32"],
    );
    changed(
        |p| operand(p, Const::Undef(Type::Int(200)).into()),
        &expect![[r#"
        f0 @f b0 #1: i200 is not a type of 1 to 64 bits
        f0 @f b0 #1: the returned value is i200, expected i32"#]],
    );
}

#[test]
fn nothing_is_endless() {
    let loc = |p: &mut Program| p.locs[LocId::from_index(0)].inlined_at = Some(LocId::from_index(0));
    changed(loc, &expect!["program: loc0 contains itself"]);
    let t = TypeId::from_index(0);
    changed(
        |p| p.types.set(t, SourceType::Array { element: Some(t), count: 2 }),
        &expect!["program: t0 contains itself"],
    );
    let field = Field { name: String::new(), offset: 0, ty: Some(t) };
    changed(
        |p| p.types.set(t, SourceType::Struct { name: "s".into(), size: 8, fields: vec![field] }),
        &expect!["program: t0 contains itself"],
    );
}

#[test]
fn a_list_may_point_to_itself() {
    let text = "t0 = struct \"node\" size 8 { \"next\" 0 t1 }\nt1 = pointer t0\n";
    assert_eq!(verify(&parse(text).unwrap()), Ok(()));
}

#[test]
fn globals_fit() {
    let x = GlobalId::from_index(0);
    let at = |offset| Relocation { offset, value: Const::NULL };
    changed(|p| p.globals[x].align = 3, &expect!["global @x: alignment 3 is not a power of two"]);
    changed(
        |p| p.globals[x].data = vec![0; 17],
        &expect!["global @x: the initialiser does not fit: 17 bytes of data for 16"],
    );
    changed(
        |p| p.globals[x].relocations = vec![at(9)],
        &expect!["global @x: the initialiser does not fit: the pointer at offset 9"],
    );
    changed(
        |p| p.globals[x].relocations = vec![at(u64::MAX)],
        &expect!["global @x: the initialiser does not fit: the pointer at offset 18446744073709551615"],
    );
    changed(
        |p| p.globals[x].relocations = vec![at(0), at(4)],
        &expect!["global @x: the initialiser does not fit: the pointer at offset 4"],
    );
    changed(
        |p| p.globals[x].relocations[0].value = Const::int(Type::Int(8), 1),
        &expect!["global @x: the value at offset 8 is i8, expected ptr"],
    );
    changed(
        |p| p.globals[x].external = true,
        &expect!["global @x: the initialiser does not fit: the global is only declared"],
    );
    changed(|p| p.globals[x].name = "f".into(), &expect!["program: the name @f is used twice"]);
}

#[test]
fn locations_and_files_match() {
    let text = "file0 = \"a.c\"\nloc0 = file0:1:1\n";
    let mut program = parse(text).unwrap();
    program.locs.push(Loc { file: FileId::from_index(1), line: 1, column: 1, inlined_at: None });
    expect!["program: file1 does not exist"].assert_eq(&messages(&program));
}
