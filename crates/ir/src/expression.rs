//! Values as C-like text: `n - i + 1`, `q->count`, `strlen(s)`.
//!
//! For people, not for programs: conversions are left out, and what goes too deep or has no C form is the value's id.

use crate::affine::{Affine, Leaf};
use crate::definitions::{Definition, Definitions};
use crate::describe::{describe_offset, describe_pointee};
use crate::entity::{TypeId, ValueId};
use crate::inst::{BinOp, Callee, Const, Op, Operand, ScaledIndex, UnOp};
use crate::program::{Function, Program};
use crate::trip_count::{ClosedForm, Sum};
use crate::types::{SourceType, Type};

/// Most operations inside one another that are written out.
const MAX_DEPTH: u32 = 4;

/// How tightly an expression's outermost operator binds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loose,
    Additive,
    Multiplicative,
    Unary,
    Primary,
}

/// Writes the values of one function.
#[derive(Copy, Clone)]
pub struct Expressions<'a> {
    program: &'a Program,
    function: &'a Function,
    definitions: &'a Definitions,
}

type Text = (String, Binding);

impl<'a> Expressions<'a> {
    /// For `function` of `program`, whose values have these definitions.
    pub fn new(program: &'a Program, function: &'a Function, definitions: &'a Definitions) -> Self {
        Self { program, function, definitions }
    }

    /// A value or constant: by its variable's name if it has one, else by how it is computed.
    pub fn operand(&self, operand: Operand) -> String {
        self.text(operand, 0).0
    }

    /// The same as the name of a value in larger expressions: in parentheses where an operator between two operands is
    /// the outermost one.
    pub fn name(&self, operand: Operand) -> String {
        within(self.text(operand, 0), Binding::Unary)
    }

    /// A sum, its factors and addend as signed numbers.
    pub fn affine(&self, sum: &Affine) -> String {
        let signed = |value: u64| i128::from((value << (64 - sum.bits())).cast_signed() >> (64 - sum.bits()));
        let terms: Vec<(Leaf, i128)> = sum.terms().iter().map(|&(leaf, factor)| (leaf, signed(factor))).collect();
        self.linear(&terms, signed(sum.addend())).0
    }

    /// A formula: `max((n - i + 1) / 2, 0)`.
    pub fn closed_form(&self, form: &ClosedForm) -> String {
        let Sum { terms, constant } = &form.dividend;
        let dividend = self.linear(terms, *constant);
        let quotient = match form.divisor.as_constant() {
            Some(1) => dividend.0,
            _ => {
                let divisor = self.linear(&form.divisor.terms, form.divisor.constant);
                format!("{} / {}", within(dividend, Binding::Multiplicative), within(divisor, Binding::Unary))
            }
        };
        form.least.map_or(quotient.clone(), |least| format!("max({quotient}, {least})"))
    }

    fn linear(&self, terms: &[(Leaf, i128)], constant: i128) -> Text {
        if let ([(leaf, 1)], 0) = (terms, constant) {
            return self.leaf(*leaf);
        }
        let mut text = String::new();
        // What is added first, so that nothing begins with a minus that need not.
        let (added, subtracted): (Vec<_>, Vec<_>) = terms.iter().partition(|t| t.1 > 0);
        let count = terms.len();
        let push = |text: &mut String, part: &str, negative: bool| match (text.is_empty(), negative) {
            (true, false) => text.push_str(part),
            (true, true) => text.push_str(&format!("-{part}")),
            (false, false) => text.push_str(&format!(" + {part}")),
            (false, true) => text.push_str(&format!(" - {part}")),
        };
        let leading_constant = added.is_empty() && constant > 0;
        if leading_constant {
            push(&mut text, &constant.to_string(), false);
        }
        for (leaf, factor) in added.into_iter().chain(subtracted) {
            let leaf = self.leaf(leaf);
            let part = match factor.unsigned_abs() {
                1 => within(leaf, Binding::Multiplicative),
                factor => format!("{factor} * {}", within(leaf, Binding::Unary)),
            };
            push(&mut text, &part, factor < 0);
        }
        if !leading_constant && (constant != 0 || count == 0) {
            push(&mut text, &constant.unsigned_abs().to_string(), constant < 0);
        }
        let binding = match (count, constant) {
            (0, 0..) => Binding::Primary,
            (0, _) => Binding::Unary,
            (1, 0) => Binding::Multiplicative,
            _ => Binding::Additive,
        };
        (text, binding)
    }

    fn leaf(&self, leaf: Leaf) -> Text {
        match leaf {
            Leaf::Value(value) => self.value(value, 0),
            Leaf::Initial(value) => primary(format!("start({})", self.value(value, 0).0)),
            Leaf::Address(address) => self.constant(address),
        }
    }

    fn text(&self, operand: Operand, depth: u32) -> Text {
        match operand {
            Operand::Value(value) => self.value(value, depth),
            Operand::Const(constant) => self.constant(constant),
        }
    }

    fn constant(&self, constant: Const) -> Text {
        match constant {
            Const::Bits { ty: Type::Ptr, bits: 0 } => primary("NULL".to_owned()),
            Const::Bits { ty: Type::F64, bits } => primary(f64::from_bits(bits).to_string()),
            Const::Bits { ty: Type::F32, bits } => primary(f32::from_bits(bits as u32).to_string()),
            Const::Bits { ty: Type::Ptr, bits } => primary(format!("{bits:#x}")),
            Const::Bits { ty: Type::Int(1), bits } => primary(bits.to_string()),
            Const::Bits { ty: Type::Int(bits), bits: value } => {
                let unused = 64 - u32::from(bits);
                let value = (value << unused).cast_signed() >> unused;
                (value.to_string(), if value < 0 { Binding::Unary } else { Binding::Primary })
            }
            Const::Global { global, offset } => {
                (format!("&{}", self.program.describe_global(global, offset)), Binding::Unary)
            }
            Const::Func(f) => primary(self.program.functions[f].name.clone()),
            Const::Block { func, block } => primary(format!("{}:{block}", self.program.functions[func].name)),
            Const::Undef(_) => primary("undef".to_owned()),
        }
    }

    fn value(&self, value: ValueId, depth: u32) -> Text {
        let op = self.definitions.inst(self.function, value).map(|inst| &inst.op);
        match (&self.function.values[value].name, op) {
            (Some(name), Some(Op::Alloca { .. })) => (format!("&{name}"), Binding::Unary),
            (Some(name), _) => primary(name.clone()),
            (None, Some(op)) if depth < MAX_DEPTH => {
                self.operation(op, depth + 1).unwrap_or_else(|| primary(value.to_string()))
            }
            (None, _) => match self.definitions.of(value) {
                Some(Definition::Argument(at)) => primary(format!("arg{}", at + 1)),
                _ => primary(value.to_string()),
            },
        }
    }

    fn operation(&self, op: &Op, depth: u32) -> Option<Text> {
        let text = |operand: Operand| self.text(operand, depth);
        Some(match op {
            Op::Binary { op, a, b, .. } => binary(*op, text(*a), text(*b)),
            Op::Unary { op: UnOp::Freeze, a } | Op::Cast { a, .. } => text(*a),
            Op::Unary { op: UnOp::FNeg, a } => (format!("-{}", within(text(*a), Binding::Unary)), Binding::Unary),
            Op::Unary { op, a } => primary(format!("{op}({})", text(*a).0)),
            Op::IntCompare { predicate, a, b } => {
                let side = |a| within(text(a), Binding::Additive);
                (format!("{} {} {}", side(*a), predicate.c_name(), side(*b)), Binding::Loose)
            }
            Op::Select { condition, a, b } => {
                let part = |a| within(text(a), Binding::Additive);
                (format!("{} ? {} : {}", part(*condition), part(*a), part(*b)), Binding::Loose)
            }
            Op::Load { address, .. } => self.pointee(*address, depth),
            Op::Address { base, offset, indices } => {
                let mut sum = within(text(*base), Binding::Additive);
                for index in indices {
                    sum += &format!(" + {} * {}", within(text(index.index), Binding::Multiplicative), index.scale);
                }
                if *offset != 0 || indices.is_empty() {
                    sum += &format!(" {} {}", if *offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
                }
                (sum, Binding::Additive)
            }
            Op::Call { callee: Callee::Direct(f), args } => {
                let args: Vec<String> = args.iter().map(|&arg| text(arg).0).collect();
                primary(format!("{}({})", self.program.functions[*f].name, args.join(", ")))
            }
            _ => return None,
        })
    }

    /// What is loaded from `address`.
    fn pointee(&self, address: Operand, depth: u32) -> Text {
        if let Operand::Const(Const::Global { global, offset }) = address {
            return primary(self.program.describe_global(global, offset));
        }
        let op = |v| self.definitions.inst(self.function, v).map(|inst| &inst.op);
        let variable = |v: ValueId| &self.function.values[v];
        if let Some(Op::Address { base, offset, indices }) = address.value().and_then(op)
            && let [index] = indices[..]
            && let Some(element) = self.element(*base, *offset, index, depth)
        {
            return primary(element);
        }
        let (base, offset) = match address.value().and_then(op) {
            Some(Op::Address { base, offset, indices }) if indices.is_empty() => (*base, *offset),
            _ => (address, 0),
        };
        match base {
            Operand::Value(v)
                if matches!(op(v), Some(Op::Alloca { .. })) && variable(v).name.is_some() && offset >= 0 =>
            {
                let name = variable(v).name.as_deref().unwrap_or_default();
                let path =
                    variable(v).source_type.map(|ty| describe_offset(&self.program.types, ty, offset.unsigned_abs()));
                let path = path.unwrap_or_else(|| if offset == 0 { String::new() } else { format!("+{offset}") });
                primary(format!("{name}{path}"))
            }
            _ => {
                let target = base.value().and_then(|v| self.target(variable(v).source_type?));
                let place = describe_pointee(&self.program.types, &self.text(base, depth).0, target, offset);
                let binding = if place.starts_with('*') { Binding::Unary } else { Binding::Primary };
                (place, binding)
            }
        }
    }

    /// `a[i].member` for an index into an array variable or behind a pointer, in units of its elements.
    fn element(&self, base: Operand, offset: i64, index: ScaledIndex, depth: u32) -> Option<String> {
        let types = &self.program.types;
        let (array, element) = match base {
            Operand::Const(Const::Global { global, offset: 0 }) => {
                let global = &self.program.globals[global];
                (global.name.clone(), self.element_type(global.source_type?)?)
            }
            Operand::Value(v) => {
                let value = &self.function.values[v];
                let is_array =
                    matches!(self.definitions.inst(self.function, v).map(|i| &i.op), Some(Op::Alloca { .. }));
                let ty = value.source_type?;
                (value.name.clone()?, if is_array { self.element_type(ty)? } else { self.target(ty)? })
            }
            Operand::Const(_) => return None,
        };
        let size = i64::try_from(types.size(element)).ok()?;
        let is_element = index.scale == size && (0..size).contains(&offset);
        let member = |offset: i64| describe_offset(types, element, offset.unsigned_abs());
        is_element.then(|| format!("{array}[{}]{}", self.text(index.index, depth).0, member(offset)))
    }

    fn element_type(&self, ty: TypeId) -> Option<TypeId> {
        match self.program.types.resolve(ty)?.1 {
            SourceType::Array { element, .. } => *element,
            _ => None,
        }
    }

    /// What a pointer of this source type points to.
    fn target(&self, ty: TypeId) -> Option<TypeId> {
        match self.program.types.resolve(ty)?.1 {
            SourceType::Pointer { to } => *to,
            _ => None,
        }
    }
}

fn primary(text: String) -> Text {
    (text, Binding::Primary)
}

/// The text in parentheses unless it binds as tightly as asked for.
fn within((text, binding): Text, least: Binding) -> String {
    if binding >= least { text } else { format!("({text})") }
}

fn is_negative_number((text, _): &Text) -> bool {
    text.strip_prefix('-').is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

fn binary(op: BinOp, a: Text, b: Text) -> Text {
    let additive = |sign: char, a, b| {
        (format!("{} {sign} {}", within(a, Binding::Additive), within(b, Binding::Multiplicative)), Binding::Additive)
    };
    let multiplicative = |sign: char, a, b| {
        (
            format!("{} {sign} {}", within(a, Binding::Multiplicative), within(b, Binding::Unary)),
            Binding::Multiplicative,
        )
    };
    let loose = |sign: &str, a, b| {
        (format!("{} {sign} {}", within(a, Binding::Unary), within(b, Binding::Unary)), Binding::Loose)
    };
    match op {
        BinOp::Add if is_negative_number(&b) => additive('-', a, primary(b.0[1..].to_owned())),
        BinOp::Add | BinOp::FAdd => additive('+', a, b),
        BinOp::Sub | BinOp::FSub => additive('-', a, b),
        BinOp::Mul | BinOp::FMul => multiplicative('*', a, b),
        BinOp::UDiv | BinOp::SDiv | BinOp::FDiv => multiplicative('/', a, b),
        BinOp::URem | BinOp::SRem => multiplicative('%', a, b),
        BinOp::And => loose("&", a, b),
        BinOp::Or => loose("|", a, b),
        BinOp::Xor => loose("^", a, b),
        BinOp::Shl => loose("<<", a, b),
        BinOp::LShr | BinOp::AShr => loose(">>", a, b),
        BinOp::UMin | BinOp::SMin => primary(format!("min({}, {})", a.0, b.0)),
        BinOp::UMax | BinOp::SMax => primary(format!("max({}, {})", a.0, b.0)),
        BinOp::FRem
        | BinOp::UAddSat
        | BinOp::USubSat
        | BinOp::SAddSat
        | BinOp::SSubSat
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::CopySign
        | BinOp::FPow => primary(format!("{op}({}, {})", a.0, b.0)),
    }
}
