//! Graphs of terms of all widths, floats among them: what the constructors make of each, against values that are
//! computed beside it for some assignments, without terms.
//!
//! `random_terms` has trees of one width; here terms are shared, cut, joined, converted and compared with what they
//! were made of, which is what most rules look for.

use icsched_smt::{Answer, BinOp, CachingSolver, CmpOp, FpOp, Model, Solver, SolverOptions, Term, TermPool, Z3Solver};

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A value of this width: edge cases, small ones, any, nice floats.
    fn value(&mut self, width: u32) -> u128 {
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        let sign = 1 << (width - 1);
        let small = u128::from(self.next() % 5);
        let number = f64::from(self.below(64) as u32) / 4.0 - 5.0;
        let float = u128::from(if width == 32 { u64::from((number as f32).to_bits()) } else { number.to_bits() });
        ones(width)
            & self.pick(&[
                0,
                1,
                u128::MAX,
                sign,
                sign - 1,
                small,
                small.wrapping_neg(),
                u128::from(width),
                any,
                any,
                float,
            ])
    }
}

fn ones(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn signed(width: u32, x: u128) -> i128 {
    (x << (128 - width)) as i128 >> (128 - width)
}

const ASSIGNMENTS: usize = 8;
type Values = [u128; ASSIGNMENTS];

/// A term and its value under each assignment.
#[derive(Copy, Clone)]
struct Node {
    term: Term,
    width: u32,
    values: Values,
}

fn binary(op: BinOp, width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(width, a), signed(width, b));
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    ones(width)
        & match op {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => a.wrapping_sub(b),
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
            BinOp::URem => a.checked_rem(b).unwrap_or(a),
            BinOp::SDiv if y == 0 => {
                if x < 0 {
                    1
                } else {
                    u128::MAX
                }
            }
            BinOp::SDiv => x.wrapping_div(y) as u128,
            BinOp::SRem if y == 0 => a,
            BinOp::SRem => x.wrapping_rem(y) as u128,
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Shl => {
                if by < width {
                    a << by
                } else {
                    0
                }
            }
            BinOp::LShr => {
                if by < width {
                    a >> by
                } else {
                    0
                }
            }
            BinOp::AShr => (x >> by.min(127)) as u128,
        }
}

fn compare(op: CmpOp, width: u32, a: u128, b: u128) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Slt => signed(width, a) < signed(width, b),
        CmpOp::Sle => signed(width, a) <= signed(width, b),
    }
}

/// The result of a float operator; `None` for a NaN that the operator makes, whose bits are tested elsewhere.
fn float(op: FpOp, width: u32, a: u128, b: u128) -> Option<u128> {
    let number =
        |bits: u128| if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) };
    let (x, y) = (number(a), number(b));
    let truth = |holds: bool| Some(u128::from(holds));
    let rounded = match op {
        FpOp::FEq => return truth(x == y),
        FpOp::FLt => return truth(x < y),
        FpOp::FLe => return truth(x <= y),
        FpOp::FUno => return truth(x.is_nan() || y.is_nan()),
        FpOp::FNeg => return Some(a ^ 1 << (width - 1)),
        FpOp::FAbs => return Some(a & ones(width - 1)),
        // Sums, products and quotients of singles are rounded correctly by way of doubles.
        FpOp::FAdd => x + y,
        FpOp::FSub => x - y,
        FpOp::FMul => x * y,
        FpOp::FDiv => x / y,
        FpOp::FFloor => x.floor(),
        FpOp::FCeil => x.ceil(),
        FpOp::FTrunc => x.trunc(),
        FpOp::FRoundEven => x.round_ties_even(),
        FpOp::FSqrt => x.sqrt(),
        other => unreachable!("not made here: {other:?}"),
    };
    if rounded.is_nan() {
        return None;
    }
    Some(if width == 32 { u128::from((rounded as f32).to_bits()) } else { u128::from(rounded.to_bits()) })
}

struct Graph {
    pool: TermPool,
    numbers: Numbers,
    nodes: Vec<Node>,
    models: Vec<Model>,
}

const FLOAT_BINARY: [FpOp; 8] =
    [FpOp::FAdd, FpOp::FSub, FpOp::FMul, FpOp::FDiv, FpOp::FEq, FpOp::FLt, FpOp::FLe, FpOp::FUno];
const FLOAT_UNARY: [FpOp; 6] = [FpOp::FNeg, FpOp::FAbs, FpOp::FFloor, FpOp::FCeil, FpOp::FTrunc, FpOp::FRoundEven];

impl Graph {
    fn new(seed: u64) -> Self {
        let mut graph = Graph {
            pool: TermPool::new(),
            numbers: Numbers(seed),
            nodes: Vec::new(),
            models: vec![Model::new(); ASSIGNMENTS],
        };
        for (i, width) in [1, 8, 8, 16, 32, 32, 64, 64].into_iter().enumerate() {
            graph.symbol(&format!("x{i}"), width);
        }
        let odd = 1 + graph.numbers.below(128) as u32;
        graph.symbol("odd", odd);
        graph
    }

    fn symbol(&mut self, name: &str, width: u32) {
        let values: Values = std::array::from_fn(|_| self.numbers.value(width));
        for (model, &bits) in self.models.iter_mut().zip(&values) {
            model.set(name, width, bits);
        }
        let term = self.pool.symbol(name, width);
        self.nodes.push(Node { term, width, values });
    }

    fn any(&mut self) -> Node {
        let recent = self.numbers.below(self.nodes.len()).max(self.numbers.below(self.nodes.len()));
        self.nodes[recent]
    }

    /// A node of a width; often one that exists, else a constant, or another node made to fit.
    fn of_width(&mut self, width: u32) -> Node {
        let fitting: Vec<usize> = (0..self.nodes.len()).filter(|&i| self.nodes[i].width == width).collect();
        if !fitting.is_empty() && self.numbers.below(3) > 0 {
            let at = self.numbers.below(fitting.len());
            return self.nodes[fitting[at]];
        }
        if self.numbers.below(2) == 0 {
            // Values that terms have are what comparisons go wrong at.
            let near = self.any().values[0];
            let value = self.numbers.value(width);
            let bits = self.numbers.pick(&[value, near, near.wrapping_add(1)]) & ones(width);
            return Node { term: self.pool.constant_wide(width, bits), width, values: [bits; ASSIGNMENTS] };
        }
        let node = self.any();
        let is_signed = self.numbers.below(2) == 0;
        self.resized(node, width, is_signed)
    }

    fn resized(&mut self, node: Node, width: u32, is_signed: bool) -> Node {
        if node.width > width {
            let values = node.values.map(|v| v & ones(width));
            return Node { term: self.pool.trunc(node.term, width), width, values };
        }
        let extended = |v: u128| if is_signed { signed(node.width, v) as u128 & ones(width) } else { v };
        let term = if is_signed { self.pool.sext(node.term, width) } else { self.pool.zext(node.term, width) };
        Node { term, width, values: node.values.map(extended) }
    }

    /// Adds a node made of others.
    fn grow(&mut self) {
        let a = self.any();
        let node = match self.numbers.below(16) {
            0..=5 => {
                let (op, b) = (self.numbers.pick(&BinOp::ALL), self.of_width(a.width));
                let values = std::array::from_fn(|k| binary(op, a.width, a.values[k], b.values[k]));
                Node { term: self.pool.binary(op, a.term, b.term), width: a.width, values }
            }
            6..=8 => self.comparison(a),
            9 => Node { term: self.pool.not(a.term), values: a.values.map(|v| !v & ones(a.width)), ..a },
            10 => {
                let (c, b) = (self.of_width(1), self.of_width(a.width));
                let values = std::array::from_fn(|k| if c.values[k] == 1 { a.values[k] } else { b.values[k] });
                Node { term: self.pool.ite(c.term, a.term, b.term), width: a.width, values }
            }
            11 => {
                let (x, y) = (self.numbers.below(a.width as usize) as u32, self.numbers.below(a.width as usize) as u32);
                let (lo, hi) = (x.min(y), x.max(y));
                let values = a.values.map(|v| v >> lo & ones(hi - lo + 1));
                Node { term: self.pool.extract(a.term, hi, lo), width: hi - lo + 1, values }
            }
            12 => {
                let b = self.any();
                if a.width + b.width > 128 {
                    return;
                }
                let values = std::array::from_fn(|k| a.values[k] << b.width | b.values[k]);
                Node { term: self.pool.concat(a.term, b.term), width: a.width + b.width, values }
            }
            13 => {
                let width = (a.width + 1 + self.numbers.below(64) as u32).min(128);
                let is_signed = self.numbers.below(2) == 0;
                self.resized(a, width, is_signed)
            }
            _ => match self.float() {
                Some(node) => node,
                None => return,
            },
        };
        self.nodes.push(node);
    }

    fn comparison(&mut self, a: Node) -> Node {
        let b = self.of_width(a.width);
        let op = self.numbers.pick(&[CmpOp::Eq, CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle]);
        let (a, b) = if self.numbers.below(2) == 0 { (a, b) } else { (b, a) };
        let values = std::array::from_fn(|k| u128::from(compare(op, a.width, a.values[k], b.values[k])));
        Node { term: self.pool.cmp(op, a.term, b.term), width: 1, values }
    }

    fn float(&mut self) -> Option<Node> {
        let width = self.numbers.pick(&[32, 64]);
        let (a, b) = (self.of_width(width), self.of_width(width));
        let (op, operands) = match self.numbers.below(3) {
            0 => (self.numbers.pick(&FLOAT_UNARY), vec![a.term]),
            _ => (self.numbers.pick(&FLOAT_BINARY), vec![a.term, b.term]),
        };
        let mut values = [0; ASSIGNMENTS];
        for (k, value) in values.iter_mut().enumerate() {
            *value = float(op, width, a.values[k], b.values[k])?;
        }
        let is_truth = matches!(op, FpOp::FEq | FpOp::FLt | FpOp::FLe | FpOp::FUno);
        Some(Node { term: self.pool.fp(op, &operands), width: if is_truth { 1 } else { width }, values })
    }

    fn check(&self, seed: u64) {
        for (k, model) in self.models.iter().enumerate() {
            let mut known = icsched_smt::Evaluation::default();
            for node in &self.nodes {
                let value = self.pool.eval_with(node.term, model, &mut known);
                let text = || icsched_smt::serial::export(&self.pool, &[node.term]);
                assert_eq!(
                    value,
                    node.values[k],
                    "seed {seed}, {:?} under {model:?}\n{:#?}",
                    self.pool.node(node.term),
                    text()
                );
                let (least, greatest) = self.pool.unsigned_range(node.term);
                assert!(least <= value && value <= greatest, "seed {seed}, {:?}", self.pool.node(node.term));
            }
        }
    }
}

fn seeds(default: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("ICSCHED_SEEDS") else { return default };
    let (first, last) = text.split_once("..").expect("ICSCHED_SEEDS is FIRST..LAST");
    first.parse().expect("a number")..last.parse().expect("a number")
}

#[test]
fn shared_terms_mean_what_was_built() {
    for seed in seeds(0..600) {
        let mut graph = Graph::new(seed);
        for _ in 0..60 {
            graph.grow();
        }
        graph.check(seed);
    }
}

/// What an assignment shows to be possible, no solver calls impossible; and models are models.
#[test]
fn no_solver_denies_what_an_assignment_shows() {
    let limit = Some(std::time::Duration::from_millis(100));
    let options = SolverOptions { timeout: limit, float_timeout: limit, resource_limit: None };
    let mut decided = 0;
    for seed in seeds(0..20) {
        let mut graph = Graph::new(seed);
        for _ in 0..25 {
            graph.grow();
        }
        let truths: Vec<Node> = graph.nodes.iter().copied().filter(|n| n.width == 1).collect();
        let mut solvers: [Box<dyn Solver>; 2] =
            [Box::new(Z3Solver::new(options)), Box::new(CachingSolver::new(Z3Solver::new(options)))];
        for k in 0..2 {
            // A path that the assignment takes, and the side it does not take at its end.
            let mut path = Vec::new();
            for node in truths.iter().rev().take(4) {
                let negated = graph.pool.not(node.term);
                let (taken, other) = if node.values[k] == 1 { (node.term, negated) } else { (negated, node.term) };
                for solver in &mut solvers {
                    let answer = solver.check(&mut graph.pool, &path, taken);
                    assert_ne!(answer, Answer::Unsat, "seed {seed}");
                    decided += usize::from(answer == Answer::Sat);
                    if let Ok(Some(model)) = solver.model(&mut graph.pool, &path, other) {
                        assert!(graph.pool.eval_bool(other, &model), "seed {seed}");
                        assert!(path.iter().all(|&c| graph.pool.eval_bool(c, &model)), "seed {seed}");
                    }
                }
                path.push(taken);
            }
        }
    }
    assert!(decided > 0, "nothing was decided");
}
