//! Conditions as a C program that evaluates them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use icsched_smt::{Term, TermPool};
use icsched_symbolic::print::InputName;

use crate::printed::inputs::{ARRAYS, BYTES, Inputs, Kind, symbols};

/// A printed condition.
pub(crate) struct Condition {
    pub(crate) seed: u64,
    pub(crate) term: Term,
    pub(crate) text: String,
    pub(crate) names: Vec<InputName>,
}

/// The functions of the C library that read inputs, and the loop around all conditions. `V(k)` is the value of input
/// `k`.
const HEADER: &str = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
static unsigned long values[INPUTS];
#define V(k) values[k]
static char arguments[3][64], *argv[] = {arguments[0], arguments[1], arguments[2]};
static char arrays[ARRAYS][64];
static long in_strtol(const char *s, int base) { return base == 16 ? V(STRTOL_16) : s == argv[1] ? V(STRTOL_1) : V(STRTOL_2); }
static double in_atof(void) { double d; memcpy(&d, &V(ATOF), 8); return d; }
#define atoi(s) ((int)in_strtol(s, 10))
#define strtol(s, end, base) in_strtol(s, base)
#define strtoul(s, end, base) V(STRTOUL)
#define atof(s) in_atof()
#define argc ((int)V(ARGC))
#define getenv(s) (V(GETENV) ? s : NULL)
#define FLOAT(k, type) (*(type *)&values[k])
"#;

const MAIN: &str = "
static sigjmp_buf trap;
static void trapped(int signal) { siglongjmp(trap, 1); }
int main(void) {
    signal(SIGFPE, trapped);
    signal(SIGILL, trapped);
    while (fread(values, sizeof values, 1, stdin) == 1) {
        load();
        for (int i = 0; i < sizeof conditions / sizeof *conditions; i++)
            putchar(sigsetjmp(trap, 1) ? '!' : '0' + conditions[i]());
        putchar('\\n');
    }
    return 0;
}
";

/// Which conditions hold for which inputs: a list of truth values for each condition, `None` where C stops the program.
pub(crate) fn evaluated(pool: &TermPool, conditions: &[Condition], inputs: &[Inputs]) -> Vec<Vec<Option<bool>>> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, program) = (directory.path().join("conditions.c"), directory.path().join("conditions"));
    std::fs::write(&source, file(pool, conditions)).expect("written");
    let is_gcc = conditions.first().is_none_or(|first| first.seed % 500 < 250);
    let trap = if is_gcc { "-fsanitize-undefined-trap-on-error" } else { "-fsanitize-trap=all" };
    let options = ["-w", "-fwrapv", "-fsanitize=shift-exponent,integer-divide-by-zero", trap, "-o"];
    let compiler = if is_gcc { "gcc" } else { "clang-22" };
    let compiled = Command::new(compiler).args(options).arg(&program).arg(&source).arg("-lm").output().expect("runs");
    let errors = String::from_utf8_lossy(&compiled.stderr).chars().take(4000).collect::<String>();
    assert!(compiled.status.success(), "{compiler}: {errors}");
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let bytes: Vec<u8> = inputs.iter().flat_map(|input| input.values().iter().flat_map(|v| v.to_le_bytes())).collect();
    let mut to = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || to.write_all(&bytes));
    let output = child.wait_with_output().expect("ends");
    let written = writer.join().expect("no panic");
    assert!(output.status.success() && written.is_ok(), "{}", output.status);
    let text = String::from_utf8(output.stdout).expect("digits");
    let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    assert_eq!(lines.len(), inputs.len());
    let truth = |byte: u8| matches!(byte, b'0' | b'1').then_some(byte == b'1');
    (0..conditions.len()).map(|k| lines.iter().map(|line| truth(line[k])).collect()).collect()
}

fn file(pool: &TermPool, conditions: &[Condition]) -> String {
    let symbols = symbols();
    let mut text = String::new();
    for (name, at) in [
        ("STRTOL_1", "strtol(argv[1])"),
        ("STRTOL_2", "strtol(argv[2])"),
        ("STRTOL_16", "strtol_16(argv[1])"),
        ("STRTOUL", "strtoul(argv[2])"),
        ("ATOF", "atof(argv[1])"),
        ("ARGC", "argc"),
        ("GETENV", "(getenv(\"HOME\") != NULL)"),
    ] {
        let at = symbols.iter().position(|(known, ..)| known == at).expect("an input");
        let _ = writeln!(text, "#define {name} {at}");
    }
    let _ = write!(text, "#define INPUTS {}\n#define ARRAYS {}\n{HEADER}", symbols.len(), ARRAYS.len());
    text.push_str("static void load(void) {\n");
    for (at, (_, _, kind)) in symbols.iter().enumerate() {
        let _ = match kind {
            Kind::Argument(a, i) => writeln!(text, "    arguments[{a}][{i}] = V({at});"),
            Kind::Element(k, i) => writeln!(text, "    arrays[{k}][{i}] = V({at});"),
            Kind::Call | Kind::Named | Kind::Float => Ok(()),
        };
    }
    text.push_str("}\n");
    for (k, condition) in conditions.iter().enumerate() {
        let _ = writeln!(
            text,
            "/* seed {} */ static int c{k}(void) {{ return !!({}); }}",
            condition.seed,
            in_c(pool, condition)
        );
    }
    let names: Vec<String> = (0..conditions.len()).map(|k| format!("c{k}")).collect();
    let _ = write!(text, "static int (*conditions[])(void) = {{ {} }};\n{MAIN}", names.join(", "));
    const { assert!(BYTES < 64, "an argument ends in NUL") };
    text
}

/// The text with an expression of the right type for each name that is no C.
fn in_c(pool: &TermPool, condition: &Condition) -> String {
    let replacements: BTreeMap<String, String> =
        condition.names.iter().map(|name| (name.name.clone(), variable(pool, name))).collect();
    replaced(&condition.text, &condition.names, &replacements)
}

fn variable(pool: &TermPool, name: &InputName) -> String {
    if let Some(at) = ARRAYS.iter().position(|array| *array == name.name) {
        assert_eq!(name.ty, "char[]", "{name:?}");
        return format!("arrays[{at}]");
    }
    let symbol = name.symbol.expect("inputs are symbols");
    let symbol = (pool.symbol_name(symbol).expect("a symbol").to_owned(), pool.width(symbol));
    let at = symbols().iter().position(|(known, width, _)| (known, *width) == (&symbol.0, symbol.1)).expect("an input");
    match &*name.ty {
        "float" | "double" => format!("FLOAT({at}, {})", name.ty),
        ty => format!("(({ty})V({at}))"),
    }
}

/// Replaces names, which come longest first, where they are no part of a longer word.
fn replaced(text: &str, names: &[InputName], by: &BTreeMap<String, String>) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let before = result.chars().next_back();
        let fits = |name: &&InputName| {
            let (first, last) = (name.name.chars().next(), name.name.chars().next_back());
            let after = rest[name.name.len().min(rest.len())..].chars().next();
            rest.starts_with(&name.name)
                && !(first.is_some_and(is_word) && before.is_some_and(is_word))
                && !(last.is_some_and(is_word) && after.is_some_and(is_word))
        };
        if let Some(name) = names.iter().find(fits) {
            result.push_str(&by[&name.name]);
            rest = &rest[name.name.len()..];
        } else {
            result.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    result
}
