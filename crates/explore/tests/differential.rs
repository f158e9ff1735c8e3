//! The two domains against each other, on generated programs (de Boer's two theorems).
//!
//! Precision: run in the concrete domain, an input that satisfies a path's constraints takes that path and ends with
//! the values the path's terms have under the input. Completeness: every input satisfies the constraints of exactly one
//! path.

use crate::common;
use std::fmt::Write as _;
use std::sync::Arc;

use icsched_ir::{BlockId, EntityId, GlobalId, parse};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::memory::global_object;
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::{Domain, Machine, MemoryByte, Options, PathEnd, State, Stop};
use icsched_smt::Model;
use icsched_symbolic::inputs::ArgSpec;
use icsched_symbolic::symbolic::SymbolicDomain;
use proptest::prelude::*;

/// Bytes of the symbolic argument.
const INPUT: usize = 4;
/// Words of `@vars`.
const VARS: u64 = 6;

/// One statement of a generated block.
#[derive(Clone, Debug)]
enum Statement {
    /// `vars[to] = vars[a] op vars[b]`, or with a constant for `b`.
    Binary { op: &'static str, to: u64, a: u64, b: Result<u64, i32> },
    /// `vars[to] = vars[a] predicate vars[b] ? vars[a] : vars[c]`.
    Select { predicate: &'static str, to: u64, a: u64, b: u64, c: u64 },
    /// `vars[to] = table[vars[a] & 7]`.
    Read { to: u64, a: u64 },
    /// `table[vars[a] & 7] = vars[b]`.
    Write { a: u64, b: u64 },
    /// `*(vars[a] < vars[b] ? &vars[to] : &table[1]) = vars[c]`.
    Through { to: u64, a: u64, b: u64, c: u64 },
    /// `vars[to] = op(vars[a])`.
    Unary { op: &'static str, to: u64, a: u64 },
    /// `vars[to] = (signed char)vars[a]`.
    Narrow { to: u64, a: u64 },
}

/// A block: statements, then a branch on `vars[a] predicate vars[b]` to the next block or the one after it.
#[derive(Clone, Debug)]
struct Code {
    statements: Vec<Statement>,
    predicate: &'static str,
    a: u64,
    b: Result<u64, i32>,
}

fn variable() -> impl Strategy<Value = u64> {
    0..VARS
}

fn operand() -> impl Strategy<Value = Result<u64, i32>> {
    prop_oneof![variable().prop_map(Ok), (-300..300i32).prop_map(Err)]
}

fn predicate() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"])
}

fn statement() -> impl Strategy<Value = Statement> {
    let any_operand = prop::sample::select(vec!["add", "sub", "and", "or", "xor", "smin", "umax"]);
    let with_constant = prop::sample::select(vec!["mul", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr"]);
    let unary = prop::sample::select(vec!["ctpop", "ctlz", "cttz", "bswap", "bitreverse", "abs"]);
    prop_oneof![
        3 => (any_operand, variable(), variable(), operand())
            .prop_map(|(op, to, a, b)| Statement::Binary { op, to, a, b }),
        1 => (with_constant, variable(), variable(), 1..9i32)
            .prop_map(|(op, to, a, c)| Statement::Binary { op, to, a, b: Err(c) }),
        1 => (predicate(), variable(), variable(), variable(), variable())
            .prop_map(|(predicate, to, a, b, c)| Statement::Select { predicate, to, a, b, c }),
        1 => (variable(), variable()).prop_map(|(to, a)| Statement::Read { to, a }),
        1 => (variable(), variable()).prop_map(|(a, b)| Statement::Write { a, b }),
        1 => (variable(), variable(), variable(), variable())
            .prop_map(|(to, a, b, c)| Statement::Through { to, a, b, c }),
        1 => (unary, variable(), variable()).prop_map(|(op, to, a)| Statement::Unary { op, to, a }),
        1 => (variable(), variable()).prop_map(|(to, a)| Statement::Narrow { to, a }),
    ]
}

fn code() -> impl Strategy<Value = Code> {
    (prop::collection::vec(statement(), 0..4), predicate(), variable(), operand())
        .prop_map(|(statements, predicate, a, b)| Code { statements, predicate, a, b })
}

/// Writes programs as IR text.
struct Writer {
    text: String,
    next: u32,
}

impl Writer {
    fn line(&mut self, ty: &str, instruction: &str) -> String {
        let value = format!("v{}", self.next);
        self.next += 1;
        writeln!(self.text, "    {value}: {ty} = {instruction}").expect("strings take text");
        value
    }

    fn effect(&mut self, instruction: &str) {
        writeln!(self.text, "    {instruction}").expect("strings take text");
    }

    fn load(&mut self, index: u64) -> String {
        self.line("i32", &format!("load [{}]", place(index)))
    }

    fn operand(&mut self, operand: &Result<u64, i32>) -> String {
        match operand {
            Ok(index) => self.load(*index),
            Err(constant) => constant.to_string(),
        }
    }

    fn store(&mut self, index: u64, value: &str) {
        self.effect(&format!("store [{}], {value}", place(index)));
    }

    /// The address `&table[value & 7]`.
    fn element(&mut self, index: u64) -> String {
        let value = self.load(index);
        let cut = self.line("i32", &format!("and {value}, 7"));
        let wide = self.line("i64", &format!("zext {cut}"));
        self.line("ptr", &format!("address @table + {wide}*4"))
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Binary { op, to, a, b } => {
                let (a, b) = (self.load(*a), self.operand(b));
                let result = self.line("i32", &format!("{op} {a}, {b}"));
                self.store(*to, &result);
            }
            Statement::Select { predicate, to, a, b, c } => {
                let (a, b, c) = (self.load(*a), self.load(*b), self.load(*c));
                let condition = self.line("i1", &format!("icmp.{predicate} {a}, {b}"));
                let result = self.line("i32", &format!("select {condition}, {a}, {c}"));
                self.store(*to, &result);
            }
            Statement::Read { to, a } => {
                let at = self.element(*a);
                let value = self.line("i32", &format!("load [{at}]"));
                self.store(*to, &value);
            }
            Statement::Write { a, b } => {
                let (at, value) = (self.element(*a), self.load(*b));
                self.effect(&format!("store [{at}], {value}"));
            }
            Statement::Through { to, a, b, c } => {
                let (a, b, c) = (self.load(*a), self.load(*b), self.load(*c));
                let condition = self.line("i1", &format!("icmp.slt {a}, {b}"));
                let at = self.line("ptr", &format!("select {condition}, {}, @table + 4", place(*to)));
                self.effect(&format!("store [{at}], {c}"));
            }
            Statement::Unary { op, to, a } => {
                let a = self.load(*a);
                let result = self.line("i32", &format!("{op} {a}"));
                self.store(*to, &result);
            }
            Statement::Narrow { to, a } => {
                let a = self.load(*a);
                let narrow = self.line("i8", &format!("trunc {a}"));
                let wide = self.line("i32", &format!("sext {narrow}"));
                self.store(*to, &wide);
            }
        }
    }

    fn block(&mut self, number: usize, code: &Code) {
        writeln!(self.text, "b{number}:").expect("strings take text");
        code.statements.iter().for_each(|s| self.statement(s));
        let (a, b) = (self.load(code.a), self.operand(&code.b));
        let condition = self.line("i1", &format!("icmp.{} {a}, {b}", code.predicate));
        self.effect(&format!("branch {condition}, b{}, b{}", number + 1, number + 2));
    }
}

fn place(index: u64) -> String {
    if index == 0 { "@vars".to_owned() } else { format!("@vars + {}", index * 4) }
}

/// `main` puts the bytes of `argv[1]` into `@vars`, then runs the blocks.
fn program(blocks: &[Code]) -> String {
    let mut writer = Writer { text: String::new(), next: 3 };
    writer.effect("b0:");
    let at = writer.line("ptr", "address v1 + 8");
    let argument = writer.line("ptr", &format!("load [{at}]"));
    for i in 0..INPUT as u64 {
        let at = if i == 0 { argument.clone() } else { writer.line("ptr", &format!("address {argument} + {i}")) };
        let byte = writer.line("i8", &format!("load [{at}]"));
        let extension = if i % 2 == 0 { "zext" } else { "sext" };
        let word = writer.line("i32", &format!("{extension} {byte}"));
        writer.store(i, &word);
    }
    writer.effect("jump b1");
    for (i, code) in blocks.iter().enumerate() {
        writer.block(i + 1, code);
    }
    let last = blocks.len() + 1;
    writeln!(writer.text, "b{last}:\n    jump b{}\nb{}:\n    return 0", last + 1, last + 1).expect("strings take text");
    format!(
        "program \"generated\"\n\
         global @vars size {} align 4 = x\"\"\n\
         global @table size 32 align 4 = x\"0100000002000000040000000800000010000000200000004000000080000000\"\n\
         function f0 @main(v0: i32, v1: ptr, v2: ptr) -> i32 {{\n{}}}\n",
        VARS * 4,
        writer.text
    )
}

/// What a run ended with: the bytes of both globals, and the blocks it entered.
struct ConcreteRun {
    bytes: Vec<u8>,
    blocks: Vec<BlockId>,
}

fn run_concretely(text: &str, input: &[u8]) -> ConcreteRun {
    let program = parse(text).expect("generated programs are well-formed");
    let mut machine =
        Machine::new(Arc::new(program), ConcreteDomain, Box::new(MemoryHost::default()), Options::default());
    let string = |bytes: &[u8]| Argument {
        bytes: bytes.iter().chain(&[0]).map(|&b| MemoryByte::Constant(b)).collect(),
        present: None,
    };
    let arguments = Arguments { argc: 2, argv: vec![string(b"prog"), string(input)], environment: Vec::new() };
    let mut state = machine.initial_state(&arguments).expect("the program has a main function");
    let mut trace = icsched_machine::trace::Trace::<u64, ()>::default();
    trace.activate(&state, &machine.code);
    let stop = machine.run(&mut state, &mut trace, 1_000_000).expect_err("the program ends");
    assert!(matches!(&stop, Stop::End(end) if matches!(**end, PathEnd::Exit { status: Some(0) })), "{stop:?}");
    let bytes = global_bytes(&mut machine, &state).into_iter().map(|b| match b {
        MemoryByte::Constant(b) => b,
        MemoryByte::Symbolic(never) => match never {},
    });
    ConcreteRun { bytes: bytes.collect(), blocks: blocks(&trace) }
}

fn global_bytes<D: Domain>(machine: &mut Machine<D>, state: &State<D>) -> Vec<MemoryByte<D::Byte>> {
    let mut bytes = Vec::new();
    for (global, size) in [(0, VARS * 4), (1, 32)] {
        let object = global_object(GlobalId::from_index(global));
        bytes.extend(state.heap.bytes(&mut machine.domain, &state.path, object, 0, size));
    }
    bytes
}

fn blocks<V, C>(trace: &icsched_machine::trace::Trace<V, C>) -> Vec<BlockId> {
    let entered = trace.events.iter().filter_map(|event| match event {
        icsched_machine::trace::TraceEvent::Block { block, .. } => Some(*block),
        _ => None,
    });
    entered.collect()
}

/// The values of `argv[1]` under a model.
fn input_of(model: &Model) -> Vec<u8> {
    let byte = |i| model.get(&format!("argv[1][{i}]")).and_then(icsched_smt::ModelValue::as_u64).unwrap_or(0);
    (0..INPUT).map(|i| byte(i) as u8).collect()
}

fn model_of(input: &[u8]) -> Model {
    let mut model = Model::new();
    for (i, &byte) in input.iter().enumerate() {
        model.set(&format!("argv[1][{i}]"), 8, byte.into());
    }
    model
}

/// One path agrees with the concrete run of an input that satisfies its constraints.
fn agrees(text: &str, machine: &mut Machine<SymbolicDomain>, path: &common::Path, input: &[u8]) {
    let concrete = run_concretely(text, input);
    let model = model_of(input);
    let bytes: Vec<u8> = global_bytes(machine, &path.outcome.state)
        .into_iter()
        .map(|byte| match byte {
            MemoryByte::Constant(b) => b,
            MemoryByte::Symbolic(t) => machine.domain.pool.eval(t, &model) as u8,
        })
        .collect();
    assert_eq!(bytes, concrete.bytes, "input {input:?} on the path {}", path.constraint);
    let recorded = blocks(&path.outcome.trace);
    assert!(concrete.blocks.ends_with(&recorded), "{recorded:?} is no end of {:?}", concrete.blocks);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn concrete_and_symbolic_runs_agree(
        code in prop::collection::vec(code(), 1..8),
        inputs in prop::collection::vec(prop::array::uniform4(any::<u8>()), 6),
    ) {
        let text = program(&code);
        let mut found = common::explore(&text, &[ArgSpec::Symbolic { max: INPUT }]);
        let always = found.machine.domain.pool.bool(true);
        for path in &found.paths {
            prop_assert_eq!(&path.end, &PathEnd::Exit { status: Some(0) });
            let model = found.machine.domain.model(&path.outcome.state.path, always);
            let model = model.expect("small queries are decided").expect("a finished path has an input");
            agrees(&text, &mut found.machine, path, &input_of(&model));
        }
        for input in inputs {
            let model = model_of(&input);
            let pool = &found.machine.domain.pool;
            let holds = |path: &&common::Path| path.outcome.state.path.constraints().iter().all(|&c| pool.eval_bool(c, &model));
            let taken: Vec<_> = found.paths.iter().filter(holds).collect();
            prop_assert_eq!(taken.len(), 1, "paths for the input {:?}", input);
            agrees(&text, &mut found.machine, taken[0], &input);
        }
    }
}
