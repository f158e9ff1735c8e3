//! Values as C-like text.

use icsched_ir::{Definitions, EntityId, Expressions, Operand, ValueId, parse};

const PROGRAM: &str = r#"
global @n size 4 t0
global @table size 24 t3
declare @atoi(v0: ptr) -> i32
function @f(v0: ptr "q" t5, v1: i32 "i" t0, v2: i1) {
b0:
    v3: i32 = load [@n]
    v4: i32 = sub v3, v1
    v5: i32 = add v4, -1
    v6: i32 = mul v5, 3
    v7: i32 = sub 7, v5
    v8: ptr = address v0 + 4
    v9: i32 = load [v8]
    v10: i64 = sext v1
    v11: ptr = address @table + v10*8
    v12: ptr = address v11 + 4
    v13: i32 = load [v11]
    v14: i32 = call @atoi(v0)
    v15: i32 = select v2, v9, v13
    v16: ptr = alloca 8 "local" t4
    v17: ptr = address v16 + 4
    v18: i32 = load [v17]
    v19: i32 = sdiv v6, v7
    v20: i32 = umin v19, v3
    v21: i32 = shl v20, 2
    v22: i32 = freeze v21
    v23: i32 = add v22, v22
    v24: ptr = address v0 + 4 + v10*8
    v25: i32 = load [v24]
    v26: ptr = address v0 + v10*3
    v27: i32 = load [v26]
    v28: i1 = icmp.ule v4, 5
    v29: i32 = and v4, 7
    v30: i32 = load [v0]
    v31: i32 = add v30, 1
    return
}
t0 = base "int" size 4 signed
t1 = pointer t0
t2 = array t0 x 2
t3 = array t4 x 3
t4 = struct "pair" size 8 { "first" 0 t0, "second" 4 t0 }
t5 = pointer t4
"#;

#[test]
fn values_are_written_as_in_c() {
    let text = PROGRAM.replace("v16: ptr = alloca 8 \"local\" t4", "v16: ptr \"local\" t4 = alloca 8");
    let program = parse(&text).unwrap();
    let function = program.functions.values().find(|f| f.name == "f").unwrap();
    let definitions = Definitions::new(function);
    let expressions = Expressions::new(&program, function, &definitions);
    let value = |at: usize| expressions.operand(Operand::Value(ValueId::from_index(at)));
    for (at, expected) in [
        (2, "arg3"),
        (3, "n"),
        (5, "n - i - 1"),
        (6, "(n - i - 1) * 3"),
        (7, "7 - (n - i - 1)"),
        (9, "q->second"),
        (10, "i"),
        (13, "table[i].first"),
        (14, "atoi(q)"),
        (15, "arg3 ? q->second : table[i].first"),
        (16, "&local"),
        (18, "local.second"),
        (20, "min((v4 - 1) * 3 / (7 - (v4 - 1)), n)"),
        (21, "min(v5 * 3 / (7 - v5), n) << 2"),
        (25, "q[i].second"),
        (27, "*(q + i * 3)"),
        (28, "n - i <= 5"),
        (29, "(n - i) & 7"),
        (31, "q->first + 1"),
    ] {
        assert_eq!(value(at), expected, "v{at}");
    }
    let name = |at: usize| expressions.name(Operand::Value(ValueId::from_index(at)));
    for (at, expected) in [
        (3, "n"),
        (6, "((n - i - 1) * 3)"),
        (14, "atoi(q)"),
        (15, "(arg3 ? q->second : table[i].first)"),
        (16, "&local"),
        (27, "*(q + i * 3)"),
    ] {
        assert_eq!(name(at), expected, "v{at}");
    }
}
