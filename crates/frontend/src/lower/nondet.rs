//! Values that verification suites take from nowhere become inputs, each named after the variable that it is stored to.
//!
//! ```text
//! int x = __VERIFIER_nondet_int();     v1 = call ics_nondet("x", 32)
//!                                      v0 = trunc v1
//! ```
//!
//! The functions are known by their prefix, and only where nobody defines them: the suites have some dozens of names,
//! and programs declare more. How wide an input is, the declared result says. What is stored to no variable is named
//! after the function: `nondet_int`.

use icsched_ir::{
    Block, Callee, CastOp, Const, Definitions, FuncId, Function, Global, GlobalId, IdVec, Inst, LocId, Op, Operand,
    Origin, Program, SourceType, Terminator, Type, TypeId, Value, ValueId, describe_offset, describe_pointee,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// The model that reads the input.
pub(super) const MODEL: &str = "ics_nondet";

/// What the strings are called that name inputs; [`naming`](super::naming) numbers them.
const NAME: &str = "ics_input_name";

/// How the names of the functions begin, and which part of that is dropped from the name of an input.
const PREFIXES: [(&str, &str); 4] = [
    ("__VERIFIER_nondet_", "__VERIFIER_"),
    ("__ESBMC_nondet_", "__ESBMC_"),
    ("__CPROVER_nondet_", "__CPROVER_"),
    ("nondet_", ""),
];

/// What the names of functions end in whose results are truth values, whatever type a program declares them with.
const TRUTH_VALUES: [&str; 2] = ["_bool", "__Bool"];

/// The name of an input that is stored nowhere, if a function of this name gives inputs where nobody defines it.
pub(super) fn input_of(function: &str) -> Option<&str> {
    let (_, dropped) = PREFIXES.iter().find(|(prefix, _)| function.starts_with(prefix))?;
    function.strip_prefix(dropped)
}

/// Has undefined functions of these names give inputs. `model` is [`MODEL`]. O(instructions).
pub(super) fn make_inputs(program: &mut Program, model: FuncId) {
    let is_source = |f: &Function| f.is_declaration() && !f.results.is_empty() && input_of(&f.name).is_some();
    let sources: FxHashSet<FuncId> = program.functions.iter().filter(|(_, f)| is_source(f)).map(|(id, _)| id).collect();
    if sources.is_empty() {
        return;
    }
    let mut inputs = Inputs { model, names: FxHashMap::default() };
    for id in program.functions.ids().collect::<Vec<_>>() {
        if program.functions[id].origin == Origin::Program {
            inputs.replace_calls(program, id, &sources);
        }
    }
    let mut sources: Vec<FuncId> = sources.into_iter().collect();
    sources.sort_unstable();
    sources.into_iter().for_each(|source| inputs.define(program, source));
}

/// The inputs of a program so far.
struct Inputs {
    model: FuncId,
    /// The strings that name them.
    names: FxHashMap<String, GlobalId>,
}

impl Inputs {
    /// Makes inputs of the direct calls in one function.
    fn replace_calls(&mut self, program: &mut Program, id: FuncId, sources: &FxHashSet<FuncId>) {
        let source_of = |inst: &Inst| match inst.op {
            Op::Call { callee: Callee::Direct(f), .. } => sources.get(&f).copied(),
            _ => None,
        };
        let function = &program.functions[id];
        if !function.blocks.values().flat_map(|block| &block.insts).any(|inst| source_of(inst).is_some()) {
            return;
        }
        let variables = Variables::of(program, function);
        let mut function = function.clone();
        for block in function.blocks.ids().collect::<Vec<_>>() {
            let mut insts = Vec::new();
            for inst in std::mem::take(&mut function.blocks[block].insts) {
                let Some(source) = source_of(&inst) else {
                    insts.push(inst);
                    continue;
                };
                let name = program.functions[source].name.clone();
                for &result in &inst.results {
                    let variable = variables.name(result);
                    self.read(program, &mut function.values, (&name, variable), (result, inst.loc), &mut insts);
                }
            }
            function.blocks[block].insts = insts;
        }
        program.functions[id] = function;
    }

    /// Gives a body to a function of which somebody may take the address.
    fn define(&mut self, program: &mut Program, id: FuncId) {
        let mut function = program.functions[id].clone();
        let (name, mut insts) = (function.name.clone(), Vec::new());
        let results: SmallVec<[ValueId; 1]> =
            function.results.iter().map(|&ty| unnamed(&mut function.values, ty)).collect();
        for &result in &results {
            self.read(program, &mut function.values, (&name, None), (result, None), &mut insts);
        }
        let terminator = Terminator::Return(results.into_iter().map(Operand::Value).collect());
        let body = Block { params: Vec::new(), insts, terminator, terminator_loc: None };
        function.blocks = IdVec::filled(body, 1);
        function.origin = Origin::Model;
        program.functions[id] = function;
    }

    /// Instructions that read an input, of the type of `result`.
    fn read(
        &mut self,
        program: &mut Program,
        values: &mut IdVec<ValueId, Value>,
        (function, variable): (&str, Option<&str>),
        (result, loc): (ValueId, Option<LocId>),
        insts: &mut Vec<Inst>,
    ) {
        let ty = values[result].ty;
        let is_truth_value = TRUTH_VALUES.iter().any(|end| function.ends_with(end));
        let bits = if is_truth_value { 1 } else { u64::from(ty.bits()) };
        let name = self.name(program, variable.or_else(|| input_of(function)).unwrap_or(function));
        let (word, int) = (Type::Int(64), Type::Int(u8::try_from(ty.bits()).expect("a scalar has at most 64 bits")));
        let mut push = |result, op| insts.push(Inst { results: smallvec![result], op, loc });
        let args = vec![Operand::Const(name), Operand::Const(Const::int(Type::Int(32), bits))];
        let call = Op::Call { callee: Callee::Direct(self.model), args };
        if ty == word {
            return push(result, call);
        }
        let input = unnamed(values, word);
        push(input, call);
        if ty == int {
            return push(result, Op::Cast { op: CastOp::Trunc, a: input.into() });
        }
        let mut number = input;
        if int != word {
            number = unnamed(values, int);
            push(number, Op::Cast { op: CastOp::Trunc, a: input.into() });
        }
        push(result, Op::Cast { op: CastOp::Bitcast, a: number.into() });
    }

    /// The string that names an input.
    fn name(&mut self, program: &mut Program, name: &str) -> Const {
        let global = *self.names.entry(name.to_owned()).or_insert_with(|| {
            let data = [name.as_bytes(), &[0]].concat();
            program.globals.push(Global {
                name: NAME.to_owned(),
                origin: Origin::Model,
                size: data.len() as u64,
                align: 1,
                constant: true,
                thread_local: false,
                external: false,
                local: true,
                data,
                relocations: Vec::new(),
                source_type: None,
                loc: None,
            })
        });
        Const::Global { global, offset: 0 }
    }
}

fn unnamed(values: &mut IdVec<ValueId, Value>, ty: Type) -> ValueId {
    values.push(Value { ty, name: None, source_type: None })
}

/// The variables that the values of a function are stored to.
struct Variables {
    names: FxHashMap<ValueId, String>,
}

impl Variables {
    /// A value has the name of the variable that it is, of one that it is stored to as a whole, or of one that it
    /// becomes by a cast or at a join of paths. O(instructions).
    fn of(program: &Program, function: &Function) -> Self {
        let places = Places { program, function, definitions: Definitions::new(function) };
        let mut found = Self { names: FxHashMap::default() };
        for (id, value) in function.values.iter() {
            found.names.extend(value.name.clone().map(|name| (id, name)));
        }
        // Uses come behind what they use: whoever is met last knows the names of all that it becomes.
        for block in function.blocks.values().rev() {
            for edge in block.terminator.edges() {
                for (&arg, &param) in edge.args.iter().zip(&function.blocks[edge.target].params) {
                    found.becomes(arg, param);
                }
            }
            for inst in block.insts.iter().rev() {
                match inst.op {
                    Op::Cast { a, .. } => inst.results.iter().for_each(|&result| found.becomes(a, result)),
                    Op::Store { address, value, .. } => {
                        if let (Some(value), Some(name)) = (value.value(), places.name(address)) {
                            found.names.entry(value).or_insert(name);
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn becomes(&mut self, value: Operand, other: ValueId) {
        if let (Some(value), Some(name)) = (value.value(), self.names.get(&other).cloned()) {
            self.names.entry(value).or_insert(name);
        }
    }

    fn name(&self, value: ValueId) -> Option<&str> {
        self.names.get(&value).map(String::as_str)
    }
}

/// Names of addresses in a function.
struct Places<'p> {
    program: &'p Program,
    function: &'p Function,
    definitions: Definitions,
}

impl Places<'_> {
    /// What a programmer calls the memory at an address: `x`, `s.field`, `p->field`; of a subscript that is not
    /// constant the array only.
    fn name(&self, address: Operand) -> Option<String> {
        let value = match address {
            Operand::Const(Const::Global { global, offset }) => {
                return Some(self.program.describe_global(global, offset));
            }
            Operand::Const(_) => return None,
            Operand::Value(value) => value,
        };
        match self.definitions.inst(self.function, value).map(|inst| &inst.op) {
            Some(Op::Address { base, offset, indices }) if indices.is_empty() => self.at(*base, *offset),
            Some(Op::Address { base, .. }) => self.base(*base),
            _ => self.at(address, 0),
        }
    }

    /// The memory so many bytes behind an address.
    fn at(&self, base: Operand, offset: i64) -> Option<String> {
        let value = match base {
            Operand::Const(Const::Global { global, offset: start }) => {
                return Some(self.program.describe_global(global, start.checked_add(offset)?));
            }
            Operand::Const(_) => return None,
            Operand::Value(value) => value,
        };
        let Value { name, source_type, .. } = &self.function.values[value];
        let (name, types) = (name.as_ref()?, &self.program.types);
        if !self.is_local(value) {
            return Some(describe_pointee(types, name, source_type.and_then(|ty| self.pointed_to(ty)), offset));
        }
        let path = source_type.map_or_else(String::new, |ty| describe_offset(types, ty, offset.cast_unsigned()));
        Some(format!("{name}{path}"))
    }

    /// The variable that an address begins in, or the pointer that it comes of.
    fn base(&self, base: Operand) -> Option<String> {
        match base {
            Operand::Const(Const::Global { global, .. }) => Some(self.program.globals[global].name.clone()),
            Operand::Const(_) => None,
            Operand::Value(value) => self.function.values[value].name.clone(),
        }
    }

    fn is_local(&self, value: ValueId) -> bool {
        matches!(self.definitions.inst(self.function, value), Some(Inst { op: Op::Alloca { .. }, .. }))
    }

    fn pointed_to(&self, ty: TypeId) -> Option<TypeId> {
        match self.program.types.resolve(ty)?.1 {
            SourceType::Pointer { to } => *to,
            SourceType::Base { .. }
            | SourceType::Struct { .. }
            | SourceType::Union { .. }
            | SourceType::Array { .. }
            | SourceType::Named { .. }
            | SourceType::Opaque => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_by_their_prefix() {
        assert_eq!(input_of("__VERIFIER_nondet_uint"), Some("nondet_uint"));
        assert_eq!(input_of("nondet_foo"), Some("nondet_foo"));
        assert_eq!(input_of("__VERIFIER_assume"), None);
        assert_eq!(input_of("my_nondet_int"), None);
    }
}
