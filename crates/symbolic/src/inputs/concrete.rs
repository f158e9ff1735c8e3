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
        self.give_options(model, &mut argv);
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
        let content = |name: &str, size: u64| lines(model, name, size).unwrap_or_else(|| bytes(model, name, size));
        let stdin = self.stdin.map(|size| content(STDIN, size));
        let files = self.files.iter().map(|(name, size)| (name.clone(), content(name, *size))).collect();
        TestInput { argv, environment, stdin, files, others: self.others(model) }
    }

    /// Where options are inputs by themselves (`option`, `option -n`, `operand 1`): makes arguments of them, as far as
    /// there are symbolic ones.
    fn give_options(&self, model: &Model, argv: &mut [Vec<u8>]) {
        let is_free = |at: usize| !matches!(self.arguments.get(at - 1), Some(ArgSpec::Concrete(_)));
        let places: Vec<usize> = (1..argv.len()).filter(|&at| is_free(at)).collect();
        let numbered = |name: &str, n: usize| if n == 1 { name.to_owned() } else { format!("{name}#{n}") };
        // `option("vn:")` says which options there are.
        let asked = model.iter().map(|(name, _)| name).find(|name| name.starts_with("option(\""));
        let Some(asked) = asked.map(|name| name.split_once('#').map_or(name, |(name, _)| name).to_owned()) else {
            return;
        };
        let takes_value = |option: u8| asked.contains(&format!("{}:", char::from(option)));
        let longest = |spec: &ArgSpec| if let ArgSpec::Symbolic { max } = spec { *max } else { 0 };
        let optional = self.optional.map_or(0, |optional| optional.bytes);
        let longest = self.arguments.iter().map(longest).max().unwrap_or(0).max(optional);
        let mut words: Vec<Vec<u8>> = Vec::new();
        for n in 1.. {
            let Some(option) = number(model, &numbered(&asked, n), 8) else { break };
            let option = option as u8;
            if !option.is_ascii_graphic() {
                break;
            }
            let name = format!("option -{}", char::from(option));
            let count = words.iter().filter(|word| word.get(1) == Some(&option)).count();
            let mut word = vec![b'-', option];
            if takes_value(option) {
                let value = text(model, &numbered(&name, count + 1), longest);
                word.extend(if value.is_empty() { b"0".to_vec() } else { value });
            }
            words.push(word);
        }
        if words.is_empty() {
            return;
        }
        let operands = number(model, "operands", 31).unwrap_or(0);
        let room = places.len().saturating_sub(usize::try_from(operands).unwrap_or(usize::MAX)).max(1);
        // Flags can be one word: `-v -n3` is `-vn3`.
        while words.len() > room
            && let Some(at) = words.iter().position(|word| word.len() == 2)
        {
            let Some(next) = words.get(at + 1).cloned() else { break };
            words[at].extend_from_slice(&next[1..]);
            words.remove(at + 1);
        }
        words.extend((1..=operands).map(|n| text(model, &format!("operand {n}"), longest)));
        for (&at, word) in places.iter().zip(words.into_iter().chain(std::iter::repeat(Vec::new()))) {
            argv[at] = word;
        }
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

/// The content of a file whose lines are inputs by themselves, if they are: as many bytes as it has.
fn lines(model: &Model, name: &str, size: u64) -> Option<Vec<u8>> {
    let line = |n: u64| format!("line {n} of {name}");
    let first = line(1);
    if !model.iter().any(|(name, _)| name.contains(&first)) {
        return None;
    }
    let mut content: Vec<u8> = Vec::new();
    for n in (1..=size).take_while(|&n| n == 1 || number(model, &line(n), 1) == Some(1)) {
        if n > 1 && content.last() != Some(&b'\n') {
            content.push(b'\n');
        }
        content.extend(text(model, &line(n), usize::try_from(size).unwrap_or(usize::MAX)));
    }
    content.resize(usize::try_from(size).unwrap_or(usize::MAX), 0);
    Some(content)
}

/// A string's bytes up to its NUL.
fn string(model: &Model, spec: &ArgSpec, name: &str) -> Vec<u8> {
    match spec {
        ArgSpec::Concrete(text) => text.clone().into_bytes(),
        ArgSpec::Symbolic { max } => text(model, name, *max),
    }
}

/// Bytes of an input that are a string, up to the first NUL; where the model says which number they are read as, and no
/// byte there, that number.
fn text(model: &Model, name: &str, max: usize) -> Vec<u8> {
    let is_given = |at: usize| model.get(&format!("{name}[{at}]")).is_some();
    let given = (0..max).rev().find(|&at| is_given(at)).map_or(0, |at| at + 1);
    let mut text = bytes(model, name, max as u64);
    // `atoi(argv[1] + 5)`: behind the last byte that is given.
    for at in given..max {
        let place = if at == 0 { name.to_owned() } else { format!("{name} + {at}") };
        if let Some(digits) = number_text(model, &place) {
            text.truncate(at);
            text.extend(digits.into_bytes());
            text.truncate(max);
            break;
        }
    }
    let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
    text.truncate(end);
    text
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
