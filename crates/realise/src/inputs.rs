//! Inputs as the machine, the solver and people have them.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_machine::MemoryByte;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::step::{Answers, Argument, Arguments, GivenInputs};
use icsched_schedule::{Answer, Bytes, Input};
use icsched_symbolic::inputs::{STDIN, TestInput};

/// An input for people and files; of answers, those that a run with it has asked for.
pub fn input_of(input: &TestInput, asked: &BTreeMap<String, u32>) -> Input {
    let text = |bytes: &Vec<u8>| Bytes(bytes.clone());
    let variable = |entry: &Vec<u8>| {
        let at = entry.iter().position(|&byte| byte == b'=')?;
        Some((String::from_utf8_lossy(&entry[..at]).into_owned(), Bytes(entry[at + 1..].to_vec())))
    };
    let was_asked = |name: &str| {
        let name = name.split_once('[').map_or(name, |(name, _)| name);
        let (base, number) = match name.rsplit_once('#') {
            Some((base, number)) => (base, number.parse().unwrap_or(u32::MAX)),
            None => (name, 1),
        };
        asked.get(base).is_some_and(|&count| number <= count)
    };
    let numbers = input.others.iter().filter(|&(name, &value)| value != 0 && was_asked(name));
    Input {
        argv: input.argv.iter().map(text).collect(),
        env: input.environment.iter().filter_map(variable).collect(),
        stdin: input.stdin.as_ref().map(text),
        files: input.files.iter().map(|(name, bytes)| (name.clone(), text(bytes))).collect(),
        answers: numbers.map(|(name, &value)| Answer { name: name.clone(), value }).collect(),
    }
}

/// The same back again.
pub fn test_input_of(input: &Input) -> TestInput {
    let variable = |(name, value): (&String, &Bytes)| [name.as_bytes(), b"=", &value.0].concat();
    TestInput {
        argv: input.argv.iter().map(|word| word.0.clone()).collect(),
        environment: input.env.iter().map(variable).collect(),
        stdin: input.stdin.as_ref().map(|bytes| bytes.0.clone()),
        files: input.files.iter().map(|(name, bytes)| (name.clone(), bytes.0.clone())).collect(),
        others: input.answers.iter().map(|answer| (answer.name.clone(), answer.value)).collect(),
    }
}

/// What a run in the concrete domain is given: arguments, and answers to what it asks.
pub fn given(input: &TestInput) -> (Arguments<ConcreteDomain>, Answers) {
    let string = |text: &Vec<u8>| Argument {
        bytes: text.iter().chain(&[0]).map(|&byte| MemoryByte::Constant(byte)).collect(),
        present: None,
    };
    let arguments = Arguments {
        argc: input.argv.len() as u64,
        argv: input.argv.iter().map(string).collect(),
        environment: input.environment.iter().map(string).collect(),
    };
    let mut files: BTreeMap<String, Vec<u8>> = input.files.clone();
    if let Some(stdin) = &input.stdin {
        files.insert(STDIN.to_owned(), stdin.clone());
    }
    (arguments, Answers::Given(Arc::new(GivenInputs { numbers: input.others.clone(), files })))
}
