//! Programs made by `csmith`, whose printed checksum must be the same natively and in the interpreter.
//!
//! Csmith's programs have no undefined or unspecified behaviour that shows, so compilers must agree about them. A
//! program about which `gcc` and `clang` do not agree, or whose native run takes long (some never end), says nothing
//! and is skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use crate::exec::disagreements;
use crate::expect::Level;
use crate::locate::Tools;
use crate::process::{Outcome, run};

/// Sets of options for the generator; seeds go through them in turn.
const OPTIONS: [&[&str]; 5] = [
    &[],
    &["--float"],
    &["--bitfields", "--packed-struct"],
    &["--volatiles", "--volatile-pointers", "--max-pointer-depth", "4"],
    &["--float", "--bitfields", "--packed-struct", "--volatiles", "--max-funcs", "15", "--max-struct-fields", "16"],
];
/// Optimisation levels of the bitcode; each set of options meets each.
const LEVELS: [Level; 4] = [Level::O0, Level::O1, Level::O2, Level::O3];
/// With floats the generator mixes pointers to floats and to integers, which compilers refuse or take for independent.
const FLAGS: [&str; 3] = ["-w", "-Wno-incompatible-pointer-types", "-fno-strict-aliasing"];
/// Seconds of processor time of a native run; what takes longer is too much for an interpreter.
const NATIVE_SECONDS: u32 = 1;
/// A command that takes longer hangs.
const HANGS: Duration = Duration::from_secs(600);

/// How a program is made and translated; a function of its seed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The generator's seed.
    pub seed: u64,
    /// The generator's other options.
    pub options: &'static [&'static str],
    /// Optimisation level of the bitcode.
    pub level: Level,
}

impl Setting {
    /// The setting of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let pick = |len: usize, at: u64| usize::try_from(at % len as u64).expect("a remainder is small");
        let options = OPTIONS[pick(OPTIONS.len(), seed)];
        Self { seed, options, level: LEVELS[pick(LEVELS.len(), seed / OPTIONS.len() as u64)] }
    }
}

/// What comparing one program came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The same output and exit status.
    Same,
    /// The native runs disagree or take too long.
    Skipped(Skip),
    /// The interpreter did not end in time.
    Slow,
    /// The interpreter did something else; in words.
    Differs(String),
}

/// Why a program is not compared.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Skip {
    /// The native run takes long, or forever.
    LongRunning,
    /// The native runs of `gcc` and `clang` disagree.
    CompilersDisagree,
}

/// Makes the program of `setting` in the directory `work`, runs it natively and in the interpreter (for at most
/// `seconds` of processor time).
///
/// # Errors
/// The generator or a compiler is missing or fails.
pub fn check(tools: &Tools, setting: Setting, work: &Path, seconds: u32) -> Result<Verdict> {
    generate(setting, work)?;
    let Some(native) = native(Path::new("gcc"), "-O0", work)? else {
        return Ok(Verdict::Skipped(Skip::LongRunning));
    };
    ensure!(native.stdout.starts_with("checksum = "), "the program of csmith prints {:?}", native.stdout);
    compile_bitcode(&tools.clang, setting, work)?;
    let Some(interpreted) = limited(&tools.icsched, &["exec", "program.bc"], seconds, work)? else {
        return Ok(Verdict::Slow);
    };
    let found = disagreements(&interpreted, &native);
    if found.is_empty() {
        return Ok(Verdict::Same);
    }
    if !compilers_agree(tools, setting, &native, work)? {
        return Ok(Verdict::Skipped(Skip::CompilersDisagree));
    }
    Ok(Verdict::Differs(format!("{}\n{}", found.join("\n"), interpreted.stderr.trim_end())))
}

/// Makes the program of `setting` in the directory `work` and translates it to bitcode, `program.bc`.
///
/// # Errors
/// The generator or the compiler is missing or fails.
pub fn bitcode(clang: &Path, setting: Setting, work: &Path) -> Result<PathBuf> {
    generate(setting, work)?;
    compile_bitcode(clang, setting, work)?;
    Ok(work.join("program.bc"))
}

fn generate(setting: Setting, work: &Path) -> Result<()> {
    let mut csmith = Command::new("csmith");
    csmith.arg("--seed").arg(setting.seed.to_string()).args(setting.options).args(["--output", "program.c"]);
    successful(&mut csmith, work).context("csmith makes the programs; ./scripts/setup installs it")
}

fn compile_bitcode(clang: &Path, setting: Setting, work: &Path) -> Result<()> {
    compile(clang, &[setting.level.flag(), "-g", "-emit-llvm", "-c"], "program.bc", work)
}

/// Whether the program does the same as `native` when it is optimised, or compiled by another compiler. Asked about
/// programs that seem to differ only, since compilers take most of the time.
fn compilers_agree(tools: &Tools, setting: Setting, expected: &Outcome, work: &Path) -> Result<bool> {
    let others: [(&Path, &str); 2] = [(Path::new("gcc"), "-O2"), (&tools.clang, setting.level.flag())];
    for (compiler, level) in others {
        if native(compiler, level, work)?.as_ref().is_none_or(|outcome| !disagreements(outcome, expected).is_empty()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A native run of the program; nothing if it takes long.
fn native(compiler: &Path, level: &str, work: &Path) -> Result<Option<Outcome>> {
    compile(compiler, &[level], "program", work)?;
    limited(Path::new("./program"), &[], NATIVE_SECONDS, work)
}

/// Runs a command for at most some seconds of processor time, which do not depend on what else the machine does;
/// nothing if it needs more.
fn limited(program: &Path, arguments: &[&str], seconds: u32, work: &Path) -> Result<Option<Outcome>> {
    const SIGKILL: i32 = 128 + 9;
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -t {seconds}; exec \"$0\" \"$@\"")]).arg(program).args(arguments);
    let outcome = run(&mut shell, work, "", HANGS)?;
    Ok((outcome.status != SIGKILL).then_some(outcome))
}

fn compile(compiler: &Path, options: &[&str], output: &str, work: &Path) -> Result<()> {
    let mut command = Command::new(compiler);
    command.args(options).args(FLAGS).args(include_options()).args(["program.c", "-o", output]);
    successful(&mut command, work)
}

/// Where the generator's headers are: on Debian where compilers look anyway, elsewhere in a directory of their own.
fn include_options() -> Vec<String> {
    let usual = ["/usr/include/csmith", "/usr/local/include/csmith", "/usr/local/include/csmith-2.3.0"];
    usual.iter().filter(|path| Path::new(path).is_dir()).map(|path| format!("-I{path}")).collect()
}

fn successful(command: &mut Command, work: &Path) -> Result<()> {
    let outcome = run(command, work, "", HANGS)?;
    if outcome.status == 0 {
        return Ok(());
    }
    bail!("{command:?}\n{}{}", outcome.stdout, outcome.stderr)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_seeds_meet_every_combination() {
        let mut seen: Vec<_> = (0..20).map(|seed| (Setting::of(seed).options, Setting::of(seed).level)).collect();
        seen.sort_by_key(|(options, level)| (options.join(" "), level.flag()));
        seen.dedup();
        assert_eq!(seen.len(), OPTIONS.len() * LEVELS.len());
    }
}
