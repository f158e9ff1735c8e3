//! What symbols are called: as C where C can compute the input, else by a name that is no C.
//!
//! `atoi(argv[1])`, `argv[1][0]` and `(getenv("HOME") != NULL)` are C. `strtol(argv[1])` is what models call the input
//! that C writes as `strtol(argv[1], NULL, 10)`. Names such as `open#2`, `stdin`, `sum@1` or `strtol_end(argv[1])` are
//! none. Each that a text has is remembered, with a C type for it: if all of them are replaced by variables of these
//! types, the text is C.

use icsched_smt::Term;

use super::bytes::split_index;
use super::c_type::{CType, Range};
use super::floats::float_type;
use super::text::Text;
use super::value::Value;
use super::{InputName, Printer};

/// What C can compute.
enum InC {
    Integer(String, CType),
    Double(String),
}

/// Functions of `<math.h>` that inputs are named after.
const MATH: [&str; 14] =
    ["sin", "cos", "exp", "exp2", "log", "log2", "log10", "pow", "sqrt", "floor", "ceil", "trunc", "rint", "fabs"];
/// Functions that read a number from a string, and other words that C knows.
const WORDS: [&str; 25] = [
    "getenv", "atoi", "atol", "atoll", "atof", "strtol", "strtoll", "strtoul", "strtoull", "strtod", "toupper",
    "tolower", "fmod", "strlen", "argv", "argc", "NULL", "unsigned", "char", "short", "int", "long", "float", "double",
    "__int128",
];

const LONG: CType = CType { bits: 64, signed: true };
const UNSIGNED_LONG: CType = CType { bits: 64, signed: false };

impl Printer<'_> {
    /// A symbol as an integer.
    pub(super) fn symbol(&self, t: Term) -> Value {
        let width = self.pool.width(t);
        let name = self.pool.symbol_name(t).unwrap_or_default();
        if let Some((base, index)) = split_index(name).filter(|_| width == 8) {
            let text = self.named_bytes(base, t).index(Text::atom(&index.to_string()));
            return Value::new(text, CType { bits: 8, signed: true });
        }
        match in_c(name) {
            Some(InC::Integer(text, ty)) if ty.bits == width => Value::new(Text::atom(&text), ty),
            Some(InC::Double(text)) => self.bits_of(&format!("{}{text}", cast_to(width)), width),
            Some(InC::Integer(text, _)) if width == 1 => Value::truth(Text::atom(&text)),
            _ if self.has_type(name, float_type(width)) && matches!(width, 32 | 64) => self.bits_of(name, width),
            _ => self.named(name, width, t),
        }
    }

    /// A name that is no C as an integer of a width: signed, but for odd widths, whose values are not negative.
    fn named(&self, name: &str, width: u32, symbol: Term) -> Value {
        let text = Text::atom(name);
        if let Some(ty) = CType::exactly(width, true) {
            self.remember(name, ty.name(), Some(symbol));
            return Value::new(text, ty);
        }
        let ty = if width < 32 { CType::INT } else { CType::holding(width, true) };
        self.remember(name, if width == 1 { "_Bool" } else { ty.name() }, Some(symbol));
        Value { text, ty, range: Range::of_bits(width, false) }
    }

    /// The low 32 bits of a number that `strtol` has read: what `atoi` gives.
    pub(super) fn low_half(&self, number: Term) -> Option<Value> {
        let call = as_atoi(self.pool.symbol_name(number)?)?;
        Some(if is_c(&call) { Value::new(Text::atom(&call), CType::INT) } else { self.named(&call, 32, number) })
    }

    /// The name of an array of bytes.
    pub(super) fn named_bytes(&self, name: &str, symbol: Term) -> Text {
        if !is_c(name) {
            self.remember(name, "char[]", Some(symbol));
        }
        Text::atom(name)
    }

    /// A symbol as a float.
    pub(super) fn float_symbol(&self, t: Term) -> Text {
        let width = self.pool.width(t);
        let name = self.pool.symbol_name(t).unwrap_or_default();
        match in_c(name) {
            Some(InC::Double(text)) if width == 64 => Text::atom(&text),
            Some(InC::Double(text)) => Text::atom(&text).cast(float_type(width)),
            Some(InC::Integer(..)) => self.float_of_bits(t),
            None => {
                let integer = CType::exactly(width, true).map_or("", CType::name);
                if self.has_type(name, integer) {
                    return self.float_of_bits(t);
                }
                self.remember(name, float_type(width), Some(t));
                Text::atom(name)
            }
        }
    }

    /// The address of something.
    pub(super) fn address(&self, text: &str) -> Value {
        self.remember(text, "long", None);
        Value::new(Text::atom(text), LONG)
    }

    /// A relation that C has no operator for, as a whole.
    pub(super) fn relation(&self, text: String) -> Text {
        self.remember(&text, "_Bool", None);
        Text::relation(text)
    }

    /// Remembers a name that is no C.
    pub(super) fn remember(&self, name: &str, ty: &str, symbol: Option<Term>) {
        let mut names = self.names.borrow_mut();
        if !names.iter().any(|known| known.name == name) {
            names.push(InputName { name: name.to_owned(), ty: ty.to_owned(), symbol });
        }
    }

    fn has_type(&self, name: &str, ty: &str) -> bool {
        self.names.borrow().iter().any(|known| known.name == name && known.ty == ty)
    }

    /// The same printer, in a text beside others with these names.
    #[must_use]
    pub fn with_names(self, known: &[InputName]) -> Self {
        self.names.borrow_mut().extend_from_slice(known);
        self
    }

    /// Names of what has been printed so far that are no C, longest first: none is a part of a later one.
    pub fn names(&self) -> Vec<InputName> {
        let mut names = self.names.borrow().clone();
        names.sort_by(|a, b| b.name.len().cmp(&a.name.len()).then_with(|| a.name.cmp(&b.name)));
        names
    }
}

/// Whether an input of this name is a floating-point number.
pub(super) fn is_float(name: &str) -> bool {
    matches!(in_c(name), Some(InC::Double(_)))
}

/// The cast in front of a `double` that stands for a float of this width.
fn cast_to(width: u32) -> &'static str {
    if width == 32 { "(float)" } else { "" }
}

/// The C expression for the input of this name, if there is one.
fn in_c(name: &str) -> Option<InC> {
    if !is_c(name) {
        return number_read(name);
    }
    if name == "argc" {
        return Some(InC::Integer(name.to_owned(), CType::INT));
    }
    match name.split_once('(') {
        Some(("", _)) if name.ends_with("!= NULL)") => Some(InC::Integer(name.to_owned(), CType::INT)),
        Some((function, _)) if MATH.contains(&function) => Some(InC::Double(name.to_owned())),
        Some(_) => number_read(name),
        None => None,
    }
}

/// What a function of the C library reads from a string: `strtol_16(s)` is `strtol(s, NULL, 16)`.
fn number_read(name: &str) -> Option<InC> {
    let (function, rest) = name.split_once('(')?;
    let arguments = rest.strip_suffix(')').filter(|arguments| is_c(arguments) && is_balanced(arguments))?;
    let (function, base) = match function.rsplit_once('_') {
        Some((function, base)) => (function, base.parse::<u32>().ok()?),
        None => (function, 10),
    };
    // Names of later epochs have all arguments.
    let is_whole = arguments.contains(", ");
    let of_base = |ty: CType| {
        let text = if is_whole { name.to_owned() } else { format!("{function}({arguments}, NULL, {base})") };
        InC::Integer(text, ty)
    };
    match function {
        "atoi" => Some(InC::Integer(name.to_owned(), CType::INT)),
        "atol" | "atoll" => Some(InC::Integer(name.to_owned(), LONG)),
        "strtol" | "strtoll" => Some(of_base(LONG)),
        "strtoul" | "strtoull" => Some(of_base(UNSIGNED_LONG)),
        "strtod" if !is_whole => Some(InC::Double(format!("strtod({arguments}, NULL)"))),
        "atof" | "strtod" => Some(InC::Double(name.to_owned())),
        _ => None,
    }
}

fn is_balanced(text: &str) -> bool {
    let mut open = 0;
    text.chars().all(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open >= 0
    })
}

/// `atoi(s)` for the low half of the number that a symbol of this name is: how the C library defines `atoi`, and what
/// compilers make of it. The symbol is an input, `strtol(s)`, or what a call of the initial state returned, `strtol(s,
/// NULL, 10)@0`.
pub(super) fn as_atoi(name: &str) -> Option<String> {
    // Which function has called it does not matter for what it gives, if it reads an argument.
    let call = match name.rsplit_once("::") {
        Some((_, call)) if call.contains("(argv[") => call,
        _ => name,
    };
    let arguments = call.strip_prefix("strtol(").or_else(|| call.strip_prefix("atol("))?;
    match arguments.rsplit_once(", NULL, 10)") {
        Some((string, place)) => Some(format!("atoi({string}){place}")),
        None => (!arguments.contains(", ")).then(|| format!("atoi({arguments}")),
    }
}

/// Whether a name is an expression of C's own words, functions of its library, and the arguments of `main`.
fn is_c(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let len = match byte {
            b'"' => match literal_len(&bytes[at..]) {
                Some(len) => len,
                None => return false,
            },
            _ if is_word(&byte) => {
                let len = bytes[at..].iter().take_while(|byte| is_word(byte)).count();
                let word = &name[at..at + len];
                let is_known = byte.is_ascii_digit() || WORDS.contains(&word) || MATH.contains(&word);
                if !is_known {
                    return false;
                }
                len
            }
            b'.' => {
                let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
                if !is_digit(at.checked_sub(1)) || !is_digit(Some(at + 1)) {
                    return false;
                }
                1
            }
            b'(' | b')' | b'[' | b']' | b',' | b' ' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!'
            | b'&' | b'|' | b'^' | b'~' | b'?' | b':' => 1,
            _ => return false,
        };
        at += len;
    }
    true
}

/// Bytes of the string literal at the start.
fn literal_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    while *bytes.get(at)? != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    Some(at + 1)
}
