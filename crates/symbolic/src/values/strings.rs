//! Names of inputs that are functions of a string (design decisions D5 and D6).

use icsched_smt::Term;

use crate::domain::SymbolicDomain;
use crate::print::Printer;
use icsched_machine::domain::MemoryByte;

impl SymbolicDomain {
    /// `atoi(argv[1])` for the bytes of `argv[1]`. The name is a function of the bytes, and different for different
    /// bytes: a string that the program has put together is spelled out. Behind a comma `function` has its other
    /// arguments.
    pub(crate) fn name_of_string_function(&self, function: &str, bytes: &[MemoryByte<Term>]) -> String {
        let end = bytes.iter().position(|b| *b == MemoryByte::Constant(0)).unwrap_or(bytes.len());
        let text = &bytes[..end];
        let mut parts = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let run = self.input_run(&text[at..]);
            let (part, len) = match run {
                Some((base, first, len)) => {
                    let whole = at + len == text.len() && self.reaches_end(base, first + len as u64);
                    (run_name(base, first, (!whole).then_some(len)), len)
                }
                None => self.literal_run(&text[at..]),
            };
            parts.push(part);
            at += len;
        }
        if parts.is_empty() {
            parts.push("\"\"".to_owned());
        }
        let text = parts.join(" . ");
        match function.split_once(", ") {
            Some((function, others)) => format!("{function}({text}, {others})"),
            None => format!("{function}({text})"),
        }
    }

    /// Consecutive bytes of one input at the start of `bytes`: its name, the first index and how many.
    fn input_run(&self, bytes: &[MemoryByte<Term>]) -> Option<(&str, u64, usize)> {
        let symbol = |byte: &MemoryByte<Term>| match byte {
            MemoryByte::Symbolic(t) => {
                let (base, index) = self.pool.symbol_name(*t)?.strip_suffix(']')?.rsplit_once('[')?;
                Some((base, index.parse::<u64>().ok()?))
            }
            MemoryByte::Constant(_) => None,
        };
        let (base, first) = symbol(bytes.first()?)?;
        let len = bytes.iter().zip(first..).take_while(|&(b, i)| symbol(b) == Some((base, i))).count();
        Some((base, first, len))
    }

    /// Whether index `end` is where the string in an input ends by itself.
    fn reaches_end(&self, base: &str, end: u64) -> bool {
        self.input_sizes.get(base).is_none_or(|&size| end == size)
    }

    /// Constant bytes, or one byte that is neither constant nor a plain input.
    fn literal_run(&self, bytes: &[MemoryByte<Term>]) -> (String, usize) {
        let constants: Vec<u8> = bytes
            .iter()
            .map_while(|b| match b {
                MemoryByte::Constant(c) => Some(*c),
                MemoryByte::Symbolic(_) => None,
            })
            .collect();
        match bytes[0] {
            MemoryByte::Symbolic(t) => (Printer::new(&self.pool).value(t), 1),
            MemoryByte::Constant(_) => {
                let text: String = constants.iter().flat_map(|c| c.escape_ascii()).map(char::from).collect();
                (format!("\"{text}\""), constants.len())
            }
        }
    }
}

/// `base`, `base + 3`, or with its length `base[3..5]`.
fn run_name(base: &str, first: u64, len: Option<usize>) -> String {
    match (len, first) {
        (None, 0) => base.to_owned(),
        (None, _) => format!("{base} + {first}"),
        (Some(len), _) => format!("{base}[{first}..{}]", first + len as u64),
    }
}
