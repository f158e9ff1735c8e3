//! The serial form: stable text, and errors instead of panics on damage.

use icsched_smt::serial::{self, ImportError, TermDag};
use icsched_smt::{BinOp, CmpOp, FpOp, TermPool};

#[test]
fn the_text_is_stable() {
    let mut pool = TermPool::new();
    let (x, m) = (pool.symbol("argv[1][0] \n|", 8), pool.array_symbol("heap"));
    let wide = pool.zext(x, 64);
    let byte = pool.select(m, wide);
    let ten = pool.constant(8, 10);
    let below = pool.cmp(CmpOp::Slt, byte, ten);
    let sum = pool.binary(BinOp::Add, x, ten);
    let float = pool.fp(FpOp::SiToFp(32), &[sum]);
    let dag = serial::export(&pool, &[below, float, x]);
    let expected =
        ["a heap", "s 8 argv[1][0] \n|", "zext 64 1", "sel 0 2", "c 8 10", "slt 3 4", "add 1 4", "fp si-to-fp:32 6"];
    assert_eq!((dag.version, dag.nodes.as_slice()), (1, expected.map(String::from).as_slice()));
    assert_eq!(dag.roots, [5, 7, 1]);
    assert_eq!(serial::import(&mut pool, &dag).unwrap(), [below, float, x]);
}

#[test]
fn damage_is_an_error() {
    let import = |version, nodes: &[&str], root| {
        let nodes = nodes.iter().map(|&n| n.to_owned()).collect();
        serial::import(&mut TermPool::new(), &TermDag { version, nodes, roots: vec![root] })
    };
    assert_eq!(import(2, &[], 0), Err(ImportError::Version(2)));
    assert_eq!(import(1, &[], 0), Err(ImportError::Root(0)));
    let (s, a) = ("s 8 x", "a m");
    for damaged in [
        "",
        "add",
        "add 0",
        "add 0 9",
        "add 0 1",
        "add 0 0 0",
        "ext 8 0 0",
        "ext 0 1 0",
        "zext 4 0",
        "zext 999 0",
        "c 8 x",
        "c 0 1",
        "s 129 y",
        "s x",
        "sel 1 0",
        "sel 0 0",
        "sto 1 0 0",
        "fp add 0 0",
        "fp what 0",
        "ite 0 0 0",
        "fp fp-to-si:0 0",
        "not 1",
        "cat 0 1",
        "k 256",
        "add 2 2",
        "bogus 1",
    ] {
        let result = import(1, &[s, a, damaged], 0);
        assert!(matches!(result, Err(ImportError::Node { at: 2, .. })), "`{damaged}` gives {result:?}");
    }
}
