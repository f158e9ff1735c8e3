//! From a solver's model back to an input of the program.

use std::collections::BTreeMap;

use icsched_smt::{Model, ModelValue};
use serde::{Deserialize, Serialize};

use super::{ArgSpec, InputSpec, STDIN, argument_name, environment_name, is_set_name};

/// An input to run the program with. Bytes are not necessarily text.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct TestInput {
    /// `argv`, the program's name first.
    pub argv: Vec<Vec<u8>>,
    /// `NAME=value` strings.
    pub environment: Vec<Vec<u8>>,
    /// Standard input, if it was symbolic.
    pub stdin: Option<Vec<u8>>,
    /// Contents of the symbolic files.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Inputs of the model that no argument, file or variable gives: returns of input calls (`time()`, `read(...)#2`),
    /// by name.
    pub others: BTreeMap<String, u64>,
}

impl TestInput {
    /// The values of inputs that are symbolic: bytes, and numbers that the C library reads from arguments.
    pub fn model(&self) -> Model {
        let mut model = Model::new();
        for (name, &number) in &self.others {
            for width in [1, 8, 31, 32, 63, 64] {
                model.set(name, width, number.into());
            }
        }
        let mut set = |name: &str, bytes: &[u8]| {
            for (index, &byte) in bytes.iter().enumerate() {
                model.set(&format!("{name}[{index}]"), 8, byte.into());
            }
        };
        for (index, argument) in self.argv.iter().enumerate() {
            set(&argument_name(index), argument);
        }
        self.stdin.iter().for_each(|bytes| set(STDIN, bytes));
        self.files.iter().for_each(|(name, bytes)| set(name, bytes));
        for (index, argument) in self.argv.iter().enumerate() {
            let name = |function: &str| format!("{function}({})", argument_name(index));
            if let Some(number) = leading_number(argument) {
                for function in SIGNED.iter().chain(&UNSIGNED) {
                    for width in [32, 64] {
                        model.set(&name(function), width, u128::from(number.cast_unsigned()));
                    }
                }
            }
            let Ok(text) = std::str::from_utf8(argument) else { continue };
            if let Ok(number) = text.trim().parse::<f64>() {
                for function in FLOAT {
                    model.set(&name(function), 64, number.to_bits().into());
                }
            }
        }
        model.set("argc", 32, self.argv.len() as u128);
        model
    }
}

/// The number that a text begins with, as `atoi` reads it; 0 if it begins with none, `None` if it is too large.
fn leading_number(text: &[u8]) -> Option<i64> {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    let text = &text[blanks..];
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    match digits {
        0 => Some(0),
        _ => std::str::from_utf8(&text[..sign + digits]).ok()?.parse().ok(),
    }
}

const SIGNED: [&str; 5] = ["atoi", "atol", "atoll", "strtol", "strtoll"];
const UNSIGNED: [&str; 2] = ["strtoul", "strtoull"];
const FLOAT: [&str; 2] = ["atof", "strtod"];

impl InputSpec {
    /// The input that a model describes. Where the model fixes the value of a number read from a string
    /// (`atoi(argv[1])`) and no byte of the string, the string is that number.
    pub fn test_input(&self, model: &Model) -> TestInput {
        let argument = |index: usize, spec: &ArgSpec| string(model, spec, &argument_name(index));
        let mut argv = vec![self.program.clone().into_bytes()];
        for spec in &self.arguments {
            argv.push(argument(argv.len(), spec));
        }
        if let Some(optional) = self.optional {
            let argc = number(model, "argc", 32).unwrap_or(0) as usize;
            let (least, most) = (argv.len() + optional.min as usize, argv.len() + optional.max as usize);
            while argv.len() < argc.clamp(least, most.max(least)) {
                argv.push(argument(argv.len(), &ArgSpec::Symbolic { max: optional.bytes }));
            }
        }
        let mut environment = Vec::new();
        for variable in &self.environment {
            let is_symbolic = matches!(variable.value, ArgSpec::Symbolic { .. });
            if is_symbolic && number(model, &is_set_name(&variable.name), 1).unwrap_or(0) == 0 {
                continue;
            }
            let mut text = format!("{}=", variable.name).into_bytes();
            text.extend(string(model, &variable.value, &environment_name(&variable.name)));
            environment.push(text);
        }
        let stdin = self.stdin.map(|size| bytes(model, STDIN, size));
        let files = self.files.iter().map(|(name, size)| (name.clone(), bytes(model, name, *size))).collect();
        TestInput { argv, environment, stdin, files, others: self.others(model) }
    }

    /// Values of the model that are not bytes of a declared input.
    fn others(&self, model: &Model) -> BTreeMap<String, u64> {
        let is_byte = |name: &str| {
            name.strip_suffix(']').and_then(|n| n.rsplit_once('[')).is_some_and(|(base, _)| {
                base == STDIN
                    || base.starts_with("argv[")
                    || base.starts_with("getenv(")
                    || self.files.iter().any(|(file, _)| file == base)
            })
        };
        let mut others = BTreeMap::new();
        for (name, value) in model.iter() {
            if let Some(bits) = value.as_u64()
                && name != "argc"
                && !is_byte(name)
            {
                others.insert(name.to_owned(), bits);
            }
        }
        others
    }
}

fn number(model: &Model, name: &str, width: u32) -> Option<u64> {
    model.get_sized(name, width).and_then(ModelValue::as_u64)
}

fn bytes(model: &Model, name: &str, size: u64) -> Vec<u8> {
    (0..size).map(|i| number(model, &format!("{name}[{i}]"), 8).unwrap_or(0) as u8).collect()
}

/// A string's bytes up to its NUL.
fn string(model: &Model, spec: &ArgSpec, name: &str) -> Vec<u8> {
    match spec {
        ArgSpec::Concrete(text) => text.clone().into_bytes(),
        ArgSpec::Symbolic { max } => {
            let mut text = bytes(model, name, *max as u64);
            let has_bytes = (0..*max).any(|i| model.get(&format!("{name}[{i}]")).is_some());
            if !has_bytes && let Some(digits) = number_text(model, name) {
                return digits.into_bytes();
            }
            let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
            text.truncate(end);
            text
        }
    }
}

/// The number that the model says a function of the string gives.
fn number_text(model: &Model, name: &str) -> Option<String> {
    let value = |function: &str| match model.get(&format!("{function}({name})"))? {
        ModelValue::Bv { width, bits } => Some((*width, *bits as u64)),
        ModelValue::Array(_) => None,
    };
    let signed = |(width, bits): (u32, u64)| ((bits << (64 - width)) as i64) >> (64 - width);
    let float = |(width, bits): (u32, u64)| match width {
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    let first = |names: &[&str]| names.iter().find_map(|f| value(f));
    first(&SIGNED)
        .map(|v| signed(v).to_string())
        .or_else(|| first(&UNSIGNED).map(|(_, bits)| bits.to_string()))
        .or_else(|| first(&FLOAT).map(|v| format!("{:?}", float(v))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_where_no_byte_is_fixed() {
        let spec = InputSpec {
            program: "prog".to_owned(),
            arguments: vec![ArgSpec::Symbolic { max: 16 }, ArgSpec::Symbolic { max: 4 }],
            ..InputSpec::default()
        };
        let mut model = Model::new();
        model.set("atoi(argv[1])", 32, (-7i32 as u32).into());
        model.set("argv[2][0]", 8, b'x'.into());
        model.set("time()", 64, 5);
        let input = spec.test_input(&model);
        assert_eq!(input.argv, [b"prog".to_vec(), b"-7".to_vec(), b"x".to_vec()]);
        assert_eq!(input.others.get("time()"), Some(&5));
        assert!(!input.others.contains_key("argv[2][0]"));
    }

    #[test]
    fn the_model_of_an_input_describes_it() {
        let arguments = vec![ArgSpec::Symbolic { max: 4 }, ArgSpec::Concrete("x".to_owned())];
        let spec = InputSpec { program: "prog".to_owned(), arguments, stdin: Some(2), ..InputSpec::default() };
        let argv = [&b"prog"[..], b"-7", b"x"].map(<[u8]>::to_vec).to_vec();
        let input = TestInput { argv, stdin: Some(b"ab".to_vec()), ..TestInput::default() };
        let model = input.model();
        assert_eq!(number(&model, "atoi(argv[1])", 32), Some(u64::from((-7i32).cast_unsigned())));
        let again = spec.test_input(&model);
        assert_eq!((again.argv, again.stdin), (input.argv, input.stdin));
    }

    #[test]
    fn unset_variables_are_left_out() {
        let symbolic = |name: &str| super::super::EnvironmentVariable {
            name: name.to_owned(),
            value: ArgSpec::Symbolic { max: 2 },
        };
        let spec = InputSpec { environment: vec![symbolic("A"), symbolic("B")], ..InputSpec::default() };
        let mut model = Model::new();
        model.set("(getenv(\"B\") != NULL)", 1, 1);
        model.set("getenv(\"B\")[0]", 8, b'y'.into());
        assert_eq!(spec.test_input(&model).environment, [b"B=y".to_vec()]);
    }
}
