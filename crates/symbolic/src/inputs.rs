//! Inputs named on the command line (design decisions D5 and D6): what `main` gets, and back from a solver's model to
//! an input to run the program with.
//!
//! Symbols are named by the access path a C programmer would write: `argv[1][0]`, `argc`, `stdin[3]`, `data.txt[0]`,
//! `getenv("HOME")[0]`.

mod concrete;

use std::sync::Arc;

use icsched_smt::{CmpOp, Term};
use serde::{Deserialize, Serialize};

use crate::symbolic::{SymValue, SymbolicDomain};
use icsched_machine::domain::MemoryByte;
use icsched_machine::step::{Argument, Arguments, Failures, Surroundings};

pub use concrete::TestInput;

/// Bytes of a symbolic argument given as plain `@`.
pub const DEFAULT_ARGUMENT: usize = 16;

/// A string that `main` gets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ArgSpec {
    /// This text.
    Concrete(String),
    /// Any string of at most this many bytes.
    Symbolic {
        /// Bytes without the NUL.
        max: usize,
    },
}

impl ArgSpec {
    /// `@` and `@N` are symbolic, everything else is text.
    pub fn parse(word: &str) -> Self {
        match word.strip_prefix('@') {
            Some("") => ArgSpec::Symbolic { max: DEFAULT_ARGUMENT },
            Some(digits) => match digits.parse() {
                Ok(max) => ArgSpec::Symbolic { max },
                Err(_) => ArgSpec::Concrete(word.to_owned()),
            },
            None => ArgSpec::Concrete(word.to_owned()),
        }
    }
}

/// A symbolic number of symbolic arguments (`--sym-args MIN MAX N`), after the others.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OptionalArguments {
    /// At least so many.
    pub min: u32,
    /// At most so many.
    pub max: u32,
    /// Bytes of each, without the NUL.
    pub bytes: usize,
}

/// A variable of the environment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EnvironmentVariable {
    /// Its name.
    pub name: String,
    /// Its value. A symbolic one may also be unset.
    pub value: ArgSpec,
}

/// Everything that is said about a program's inputs.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct InputSpec {
    /// `argv[0]`.
    pub program: String,
    /// The arguments after it.
    pub arguments: Vec<ArgSpec>,
    /// More arguments, if their number is symbolic.
    pub optional: Option<OptionalArguments>,
    /// The environment.
    pub environment: Vec<EnvironmentVariable>,
    /// Symbolic files and their sizes in bytes (`--sym-file NAME=SIZE`).
    pub files: Vec<(String, u64)>,
    /// Size of the symbolic standard input (`--sym-stdin SIZE`).
    pub stdin: Option<u64>,
    /// Files, and a standard input, with known contents (`--file`, `--no-file`, `--stdin`).
    pub surroundings: Arc<Surroundings>,
    /// Which calls of library functions may fail (`--may-fail`, `--max-failures`).
    pub failures: Arc<Failures>,
}

/// The input array of standard input.
pub const STDIN: &str = "stdin";

fn argument_name(index: usize) -> String {
    format!("argv[{index}]")
}

fn environment_name(name: &str) -> String {
    format!("getenv(\"{name}\")")
}

/// The symbol for "this variable is set".
fn is_set_name(name: &str) -> String {
    format!("(getenv(\"{name}\") != NULL)")
}

impl InputSpec {
    /// Only concrete arguments.
    pub fn concrete(program: &str, arguments: &[String]) -> Self {
        let arguments = arguments.iter().cloned().map(ArgSpec::Concrete).collect();
        InputSpec { program: program.to_owned(), arguments, ..InputSpec::default() }
    }

    /// What `main` gets, and the constraints that bound it (to be put on the path before the run).
    pub fn arguments(&self, domain: &mut SymbolicDomain) -> (Arguments<SymbolicDomain>, Vec<Term>) {
        for (name, size) in &self.files {
            domain.declare_input(name, *size);
        }
        if let Some(size) = self.stdin {
            domain.declare_input(STDIN, size);
        }
        let mut argv = vec![Argument { bytes: text_bytes(&self.program), present: None }];
        for spec in &self.arguments {
            let name = argument_name(argv.len());
            argv.push(Argument { bytes: string_bytes(domain, spec, &name), present: None });
        }
        let (argc, constraints) = self.optional_arguments(domain, &mut argv);
        let environment = self.environment.iter().map(|v| variable(domain, v)).collect();
        (Arguments { argc, argv, environment }, constraints)
    }

    /// Appends the optional arguments; the number of all arguments and its bounds.
    fn optional_arguments(
        &self,
        domain: &mut SymbolicDomain,
        argv: &mut Vec<Argument<SymbolicDomain>>,
    ) -> (SymValue, Vec<Term>) {
        let fixed = argv.len() as u64;
        let Some(OptionalArguments { min, max, bytes }) = self.optional else {
            return (SymValue::Constant(fixed), Vec::new());
        };
        let least = fixed + u64::from(min.min(max));
        let most = fixed + u64::from(max);
        let argc = if least == most { domain.pool.constant(32, most) } else { domain.pool.symbol("argc", 32) };
        let (low, high) = (domain.pool.constant(32, least), domain.pool.constant(32, most));
        let bounds = [domain.pool.cmp(CmpOp::Sle, low, argc), domain.pool.cmp(CmpOp::Sle, argc, high)];
        for index in fixed..most {
            let name = argument_name(index as usize);
            let bytes = string_bytes(domain, &ArgSpec::Symbolic { max: bytes }, &name);
            let index = domain.pool.constant(32, index);
            let present = domain.pool.cmp(CmpOp::Slt, index, argc);
            let present = (!domain.pool.is_true(present)).then_some(SymValue::Term(present));
            argv.push(Argument { bytes, present });
        }
        let constraints = bounds.into_iter().filter(|&t| !domain.pool.is_true(t)).collect();
        (domain.value(argc), constraints)
    }
}

fn text_bytes(text: &str) -> Vec<MemoryByte<Term>> {
    text.bytes().chain([0]).map(MemoryByte::Constant).collect()
}

/// The bytes of a string, NUL included. Any symbolic byte may be NUL too, so that shorter strings are included.
fn string_bytes(domain: &mut SymbolicDomain, spec: &ArgSpec, name: &str) -> Vec<MemoryByte<Term>> {
    use icsched_machine::domain::Inputs as _;
    match spec {
        ArgSpec::Concrete(text) => text_bytes(text),
        ArgSpec::Symbolic { max } => {
            domain.declare_input(name, *max as u64);
            let mut bytes: Vec<_> = (0..*max as u64).map(|i| domain.input_byte(name, i)).collect();
            bytes.push(MemoryByte::Constant(0));
            bytes
        }
    }
}

/// `NAME=value`. A variable that may be unset is there always, but as an empty string when it is unset: a null pointer
/// in the middle of `environ` would hide those after it.
fn variable(domain: &mut SymbolicDomain, variable: &EnvironmentVariable) -> Argument<SymbolicDomain> {
    let mut bytes: Vec<_> = variable.name.bytes().chain(*b"=").map(MemoryByte::Constant).collect();
    bytes.extend(string_bytes(domain, &variable.value, &environment_name(&variable.name)));
    if let (ArgSpec::Symbolic { .. }, Some(&first)) = (&variable.value, variable.name.as_bytes().first()) {
        let is_set = domain.pool.symbol(&is_set_name(&variable.name), 1);
        let (first, end) = (domain.pool.constant(8, u64::from(first)), domain.pool.constant(8, 0));
        bytes[0] = MemoryByte::Symbolic(domain.pool.ite(is_set, first, end));
    }
    Argument { bytes, present: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icsched_smt::Z3Solver;

    fn domain() -> SymbolicDomain {
        SymbolicDomain::new(Box::new(Z3Solver::default()))
    }

    #[test]
    fn words_are_parsed_as_the_user_guide_says() {
        assert_eq!(ArgSpec::parse("@"), ArgSpec::Symbolic { max: 16 });
        assert_eq!(ArgSpec::parse("@3"), ArgSpec::Symbolic { max: 3 });
        assert_eq!(ArgSpec::parse("@home"), ArgSpec::Concrete("@home".to_owned()));
        assert_eq!(ArgSpec::parse("4"), ArgSpec::Concrete("4".to_owned()));
    }

    #[test]
    fn a_symbolic_argument_has_named_bytes_and_ends() {
        let spec = InputSpec {
            program: "prog".to_owned(),
            arguments: vec![ArgSpec::Concrete("-n".to_owned()), ArgSpec::Symbolic { max: 2 }],
            ..InputSpec::default()
        };
        let mut domain = domain();
        let (arguments, constraints) = spec.arguments(&mut domain);
        assert!(constraints.is_empty());
        assert_eq!(arguments.argc, SymValue::Constant(3));
        let names: Vec<_> = arguments.argv[2]
            .bytes
            .iter()
            .map(|b| match b {
                MemoryByte::Symbolic(t) => domain.pool.symbol_name(*t).unwrap_or("?").to_owned(),
                MemoryByte::Constant(c) => c.to_string(),
            })
            .collect();
        assert_eq!(names, ["argv[2][0]", "argv[2][1]", "0"]);
    }

    #[test]
    fn optional_arguments_are_there_up_to_argc() {
        let spec = InputSpec {
            program: "prog".to_owned(),
            optional: Some(OptionalArguments { min: 1, max: 2, bytes: 4 }),
            ..InputSpec::default()
        };
        let mut domain = domain();
        let (arguments, constraints) = spec.arguments(&mut domain);
        let SymValue::Term(argc) = arguments.argc else { panic!("argc is symbolic") };
        assert_eq!(arguments.argv.len(), 3);
        let Some(SymValue::Term(second)) = arguments.argv[2].present else { panic!("the second is optional") };
        for (value, holds) in [(1, None), (2, Some(false)), (3, Some(true)), (4, None)] {
            let mut model = icsched_smt::Model::new();
            model.set("argc", 32, value);
            let allowed = constraints.iter().all(|&c| domain.pool.eval_bool(c, &model));
            assert_eq!(allowed, holds.is_some(), "argc = {value}");
            if let Some(holds) = holds {
                assert_eq!(domain.pool.eval_bool(second, &model), holds);
            }
        }
        assert_eq!(domain.pool.eval(argc, &icsched_smt::Model::new()), 0);
    }
}
