//! What a C program's leading comments expect.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail, ensure};

use crate::condition::Holds;

/// An optimisation level of clang.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Level {
    /// `-O0`
    O0,
    /// `-O1`
    O1,
    /// `-O2`
    O2,
    /// `-O3`
    O3,
}

impl Level {
    /// The level as clang's option.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::O0 => "-O0",
            Self::O1 => "-O1",
            Self::O2 => "-O2",
            Self::O3 => "-O3",
        }
    }
}

impl FromStr for Level {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "O0" => Self::O0,
            "O1" => Self::O1,
            "O2" => Self::O2,
            "O3" => Self::O3,
            other => bail!("`{other}` is not one of O0, O1, O2, O3"),
        })
    }
}

/// What a number of a result must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// `NAME=VALUE`: this value as JSON text, which may also be a truth value.
    Exactly(String),
    /// `NAME>=NUMBER`: this number or a larger one, for tests that are not about the number.
    AtLeast(u64),
}

impl Bound {
    /// Whether a value, as JSON text, is as expected.
    pub fn admits(&self, value: &str) -> bool {
        match self {
            Self::Exactly(wanted) => value == wanted,
            Self::AtLeast(least) => value.parse::<u64>().is_ok_and(|number| number >= *least),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(wanted) => write!(f, "{wanted}"),
            Self::AtLeast(least) => write!(f, "at least {least}"),
        }
    }
}

/// One `run: enumerate` and what its result must be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Enumerate {
    /// Options in front of `--`.
    pub options: Vec<String>,
    /// The program's arguments behind `--`.
    pub args: Vec<String>,
    /// Keys of `totals` (and `complete`) with what their values must be.
    pub totals: Vec<(String, Bound)>,
    /// Each must be part of the constraint of some schedule.
    pub constraints: Vec<String>,
    /// Each must be part of `PLACE: MESSAGE` of some memory error.
    pub memory_errors: Vec<String>,
    /// How the schedules end, sorted: the first word of `ends` of every schedule.
    pub ends: Option<Vec<String>>,
    /// With which status the schedules exit that exit, sorted; `any` where that is left open.
    pub exits: Option<Vec<String>>,
    /// Where the loops are that are assumed to end, all of them, sorted.
    pub assumes: Option<Vec<String>>,
    /// For each line, one of the alternatives must be part of some reason for incompleteness.
    pub reasons: Vec<Vec<String>>,
    /// Arguments with the schedules whose constraints, compiled as C, are to be true of them.
    pub holds: Vec<Holds>,
    /// Allowed exit statuses; derived from the totals if none is given.
    pub statuses: Vec<i32>,
}

/// One `run: check` and what must be found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Check {
    /// Options in front of `--`.
    pub options: Vec<String>,
    /// The program's arguments behind `--`.
    pub args: Vec<String>,
    /// All findings, in the order in which they are reported: each a list of texts that its line has, in order.
    pub findings: Vec<Vec<String>>,
    /// Allowed exit statuses; 1 with findings and 0 without, if none is given.
    pub statuses: Vec<i32>,
}

/// What an expectation belongs to.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
enum Under {
    #[default]
    Nothing,
    Enumerate,
    Check,
}

/// One run of the program with concrete arguments.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Exec {
    /// The program's arguments.
    pub args: Vec<String>,
    /// Standard input, line by line.
    pub stdin: String,
    /// Standard output, if it is given.
    pub stdout: Option<String>,
    /// Texts that standard error must contain.
    pub stderr: Vec<String>,
    /// Exit status, if it is given.
    pub exit: Option<i32>,
    /// The error that the interpreter must report; such a run is not done natively.
    pub error: Option<ErrorKind>,
}

macro_rules! error_kinds {
    ($($variant:ident = $word:literal, [$($phrase:literal),+], $doc:literal;)*) => {
        /// An error that the interpreter must report.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum ErrorKind { $(#[doc = $doc] $variant,)* }

        impl ErrorKind {
            /// The word for it in expectations and markers.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Ways of saying it; a message must contain one of them, in any case.
            pub const fn phrases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($phrase),+],)* }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

error_kinds! {
    OutOfBounds = "out-of-bounds", ["out of bounds", "out-of-bounds", "behind the end", "before the start", "past the end",
        "outside"], "An access outside of its object.";
    UseAfterFree = "use-after-free", ["use after free", "use-after-free", "was freed", "freed object", "no longer alive",
        "dead object", "returned"], "An access to an object that is no more.";
    DoubleFree = "double-free", ["double free", "double-free", "freed twice", "already freed"], "A second free.";
    InvalidFree = "invalid-free", ["invalid free", "invalid-free", "not allocated", "not a heap object",
        "not the start of a heap"], "A free of what was not allocated.";
    NullPointer = "null-pointer", ["null"], "An access through a null pointer.";
    WildPointer = "wild-pointer", ["wild", "no object", "invalid pointer"], "An access through a pointer to nothing.";
    DivisionByZero = "division-by-zero", ["division by zero", "divided by zero", "division-by-zero"], "x / 0 or x % 0.";
    UseAfterReturn = "use-after-return", ["use-after-return", "has returned"], "An access to a local of a function that has returned.";
    Overlap = "overlapping-copy", ["overlapping-copy", "overlap"], "A memcpy between overlapping ranges.";
    BadCall = "bad-call", ["bad-call"], "A call with the wrong arguments, or to what is no function.";
    StackOverflow = "stack-overflow", ["stack-overflow"], "Calls nested too deeply, or too large locals.";
    Uninitialised = "uninitialised", ["uninitialised"], "A decision that depends on what was never written.";
    Unreachable = "unreachable", ["unreachable"], "Reaching what must not be reached.";
    Deadlock = "deadlock", ["deadlock"], "Every thread waits.";
}

/// A C program's expectations.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Expectations {
    /// Compiler options of each variant, at least one (empty) variant.
    pub variants: Vec<Vec<String>>,
    /// Compiler options of all variants.
    pub cflags: Vec<String>,
    /// Optimisation levels.
    pub levels: Vec<Level>,
    /// Enumerations.
    pub enumerates: Vec<Enumerate>,
    /// Checks.
    pub checks: Vec<Check>,
    /// The compiler option of a variant in which checks find nothing.
    pub mended: Option<String>,
    /// What was begun last.
    under: Under,
    /// Concrete runs.
    pub execs: Vec<Exec>,
    /// Why native runs are not compared, if they are not.
    pub ignore_native: Option<String>,
    /// Lines that end in `//~ NAME`, by name, counted from 1.
    pub markers: BTreeMap<String, usize>,
}

impl Expectations {
    /// Reads the expectations of a program; `file` is its name as messages print it (`lock.c`).
    ///
    /// # Errors
    /// An unknown key, a key out of place, a value that cannot be read, a marker that is missing, or a program that is
    /// never run concretely and does not say why.
    pub fn parse(file: &str, source: &str) -> Result<Self> {
        let mut all = Self { markers: markers(source)?, ..Self::default() };
        for (index, line) in source.lines().enumerate().take_while(|(_, line)| line.starts_with("//")) {
            if let Some((key, value)) = directive(line) {
                all.apply(file, key, value).with_context(|| format!("{file}:{}: `{key}`", index + 1))?;
            }
        }
        if all.variants.is_empty() {
            all.variants.push(Vec::new());
        }
        if all.levels.is_empty() {
            all.levels = vec![Level::O0, Level::O1, Level::O2];
        }
        ensure!(
            !all.execs.is_empty() || all.ignore_native.is_some(),
            "{file}: no `exec:` and no `ignore-native:` with a reason"
        );
        Ok(all)
    }

    fn apply(&mut self, file: &str, key: &str, value: &str) -> Result<()> {
        match key {
            "variants" => self.variants = value.split(',').map(words).collect(),
            "mended" => {
                self.mended = Some(value.to_owned());
                self.variants = vec![Vec::new(), words(value)];
            }
            "cflags" => self.cflags = words(value),
            "levels" => self.levels = value.split_whitespace().map(str::parse).collect::<Result<_>>()?,
            "ignore-native" => {
                ensure!(!value.is_empty(), "needs a reason");
                self.ignore_native = Some(value.to_owned());
            }
            "run" => self.begin(value)?,
            "exec" => self.execs.push(Exec { args: words(value), ..Exec::default() }),
            "finding" => {
                let value = self.fill_in(file, value)?;
                let parts = value.split("...").map(|part| part.trim().to_owned()).collect();
                self.check()?.findings.push(parts);
            }
            "status" if self.under == Under::Check => self.check()?.statuses = numbers(value)?,
            "expect" | "constraint" | "ends" | "exits" | "assumes" | "memory-error" | "reason" | "holds" | "status" => {
                let value = self.fill_in(file, value)?;
                let run = self.enumerates.last_mut().context("belongs under a `run:`")?;
                run.apply(key, &value)?;
            }
            "stdin" | "stdout" | "stderr" | "exit" | "error" => {
                let value = self.fill_in(file, value)?;
                self.execs.last_mut().context("belongs under an `exec:`")?.apply(key, &value)?;
            }
            _ => bail!("unknown key"),
        }
        Ok(())
    }

    fn begin(&mut self, value: &str) -> Result<()> {
        let mut all = words(value).into_iter();
        let command = all.next();
        let mut options: Vec<_> = all.collect();
        let args = match options.iter().position(|word| word == "--") {
            Some(at) => options.split_off(at).split_off(1),
            None => Vec::new(),
        };
        match command.as_deref() {
            Some("enumerate") => {
                self.under = Under::Enumerate;
                self.enumerates.push(Enumerate { options, args, ..Enumerate::default() });
            }
            Some("check") => {
                self.under = Under::Check;
                self.checks.push(Check { options, args, ..Check::default() });
            }
            _ => bail!("only `enumerate` and `check` can be run"),
        }
        Ok(())
    }

    fn check(&mut self) -> Result<&mut Check> {
        ensure!(self.under == Under::Check, "belongs under a `run: check`");
        self.checks.last_mut().context("belongs under a `run: check`")
    }

    /// Replaces `{name}` by `file.c:LINE` of the marker `//~ name`.
    fn fill_in(&self, file: &str, value: &str) -> Result<String> {
        let mut result = String::new();
        let mut rest = value;
        while let Some((before, tail)) = rest.split_once('{') {
            let (name, after) = tail.split_once('}').context("`{` without `}`")?;
            let line = self.markers.get(name).with_context(|| format!("no line ends in `//~ {name}`"))?;
            result.push_str(&format!("{before}{file}:{line}"));
            rest = after;
        }
        result.push_str(rest);
        Ok(result)
    }
}

impl Enumerate {
    fn apply(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "expect" => {
                for pair in value.split_whitespace() {
                    self.totals.push(total(pair)?);
                }
            }
            "constraint" => self.constraints.push(value.to_owned()),
            "memory-error" => self.memory_errors.push(value.to_owned()),
            "ends" => {
                let mut ends = words(value);
                ends.sort();
                self.ends = Some(ends);
            }
            "exits" => {
                let mut exits = words(value);
                exits.sort();
                self.exits = Some(exits);
            }
            "assumes" => {
                let mut places: Vec<String> = words(value).into_iter().filter(|word| word != "none").collect();
                places.sort();
                self.assumes = Some(places);
            }
            "reason" => self.reasons.push(value.split("||").map(|one| one.trim().to_owned()).collect()),
            "holds" => self.holds.push(Holds::parse(value)?),
            "status" => self.statuses = numbers(value)?,
            _ => bail!("does not belong under a `run:`"),
        }
        Ok(())
    }

    /// The exit statuses that the command may end with (design, section 5).
    pub fn allowed_statuses(&self) -> Vec<i32> {
        let total = |name: &str| self.totals.iter().find(|(key, _)| key == name).map(|(_, bound)| bound);
        let is = |name: &str, value: &str| matches!(total(name), Some(Bound::Exactly(exact)) if exact == value);
        match total("deadlocked") {
            _ if !self.statuses.is_empty() => self.statuses.clone(),
            None => vec![0, 1, 3],
            Some(_) if is("deadlocked", "0") && is("complete", "true") => vec![0],
            Some(_) if is("deadlocked", "0") && is("complete", "false") => vec![3],
            Some(_) => vec![1],
        }
    }
}

impl Exec {
    fn apply(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "stdin" => {
                self.stdin.push_str(value);
                self.stdin.push('\n');
            }
            "stdout" => {
                let text = self.stdout.get_or_insert_default();
                text.push_str(value);
                text.push('\n');
            }
            "stderr" => self.stderr.push(value.to_owned()),
            "exit" => self.exit = Some(value.parse().context("is not a number")?),
            "error" => {
                self.error = Some(ErrorKind::from_word(value).with_context(|| format!("unknown error `{value}`"))?);
            }
            _ => bail!("does not belong under an `exec:`"),
        }
        Ok(())
    }
}

/// `NAME=VALUE` or `NAME>=NUMBER`.
fn total(pair: &str) -> Result<(String, Bound)> {
    let (name, bound) = match pair.split_once(">=") {
        Some((name, least)) => (name, Bound::AtLeast(least.parse().context("is not a number")?)),
        None => {
            let (name, value) = pair.split_once('=').context("is a list of NAME=VALUE and NAME>=NUMBER")?;
            (name, Bound::Exactly(value.to_owned()))
        }
    };
    ensure!(bound != Bound::AtLeast(0), "`{pair}` is always so");
    Ok((name.to_owned(), bound))
}

/// The key and value of `// key: value`; prose has no key.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix("// ")?.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.strip_prefix(' ').unwrap_or(value)))
}

fn markers(source: &str) -> Result<BTreeMap<String, usize>> {
    let mut found = BTreeMap::new();
    for (index, line) in source.lines().enumerate() {
        if let Some((_, name)) = line.split_once("//~ ") {
            let before = found.insert(name.trim().to_owned(), index + 1);
            ensure!(before.is_none(), "the marker `//~ {}` is on two lines", name.trim());
        }
    }
    Ok(found)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn numbers(text: &str) -> Result<Vec<i32>> {
    text.split_whitespace().map(|word| word.parse().with_context(|| format!("`{word}` is not a number"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "\
// A sentence: with a colon in prose that is not a key.
// run: enumerate --timeout 5s -- @ 3
// expect: schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) == 0
// ends: exit deadlock
// reason: {loop} || other
// memory-error: {loop}: null
// exec: 1 2
// stdout: a
// stdout:   b
// exit: 3
// exec:
// error: use-after-free
int main(void) {
    return 0; //~ loop
}
";

    fn parse(text: &str) -> Result<Expectations> {
        Expectations::parse("sample.c", text)
    }

    #[test]
    fn a_full_header() {
        let all = parse(SAMPLE).expect("sample is well formed");
        let run = &all.enumerates[0];
        assert_eq!(run.options, ["--timeout", "5s"]);
        assert_eq!(run.args, ["@", "3"]);
        assert_eq!(run.ends.as_deref(), Some(&["deadlock".to_owned(), "exit".to_owned()][..]));
        assert_eq!(run.reasons, [["sample.c:15", "other"]]);
        assert_eq!(run.memory_errors, ["sample.c:15: null"]);
        assert_eq!(run.allowed_statuses(), [1]);
        assert_eq!(all.execs[0].stdout.as_deref(), Some("a\n  b\n"));
        assert_eq!(all.execs[0].exit, Some(3));
        assert_eq!(all.execs[1].error, Some(ErrorKind::UseAfterFree));
        assert_eq!(all.levels, [Level::O0, Level::O1, Level::O2]);
    }

    #[test]
    fn mistakes_are_errors_with_a_place() {
        for (text, expected) in [
            ("// exec:\n// expct: schedules=1\n", "sample.c:2: `expct`"),
            ("// expect: schedules=1\n// exec:\n", "sample.c:1: `expect`"),
            ("// exec:\n// error: crash\n", "sample.c:2: `error`"),
            ("// exec:\n// stdout: {nowhere}\n", "sample.c:2: `stdout`"),
            ("// run: chekc\n// exec:\n", "sample.c:1: `run`"),
            ("// run: enumerate\n// expect: schedules>=many\n// exec:\n", "sample.c:2: `expect`"),
            ("// run: enumerate\n// expect: deadlocked>=0\n// exec:\n", "sample.c:2: `expect`"),
            ("// run: enumerate\n", "no `exec:`"),
        ] {
            let error = format!("{:#}", parse(text).expect_err(text));
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn statuses_follow_from_the_totals() {
        let statuses = |expect: &str| {
            let all = parse(&format!("// run: enumerate\n// expect: {expect}\n// exec:\n")).expect("well formed");
            all.enumerates[0].allowed_statuses()
        };
        assert_eq!(statuses("deadlocked=0 complete=true"), [0]);
        assert_eq!(statuses("deadlocked=0 complete=false"), [3]);
        assert_eq!(statuses("deadlocked=2 complete=false"), [1]);
        assert_eq!(statuses("schedules=2"), [0, 1, 3]);
        assert_eq!(statuses("schedules>=1 deadlocked=0 complete=true"), [0]);
        assert_eq!(statuses("deadlocked>=1 complete=true"), [1]);
    }
}
