//! One program, variant and optimisation level: compile, run, compare.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::condition::Conditions;
use crate::expect::{Check, Enumerate, Exec, Expectations, Level};
use crate::locate::Tools;
use crate::process::{Outcome, run};
use crate::{check, enumerate, exec};

/// A run of `icsched` that takes longer hangs.
const ICSCHED_LIMIT: Duration = Duration::from_secs(120);
/// A native run or a compilation that takes longer hangs.
const NATIVE_LIMIT: Duration = Duration::from_secs(60);

/// What the names of C++ files end in.
const CPLUSPLUS: &str = "cpp";

/// One trial.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The C file.
    pub source: PathBuf,
    /// The C file as trials are listed under it, from the folder with all of them: `epochs/rings/two_belts.c`.
    pub listed: String,
    /// Compiler options of the variant.
    pub variant: Vec<String>,
    /// Optimisation level.
    pub level: Level,
    /// What the file expects.
    pub expectations: Expectations,
}

/// The directories of a trial.
struct Place {
    /// Where everything runs.
    work: TempDir,
    /// Where its runs keep the loaded program: loading takes longer than most of them. Programs that look around do not
    /// see it.
    loaded: TempDir,
}

impl Place {
    /// Where `enumerate` writes its database.
    fn database(&self) -> PathBuf {
        self.work.path().join("prog.icsdb")
    }
}

/// All trials of the C and C++ files below `root`, sorted by path; with the names they are listed under.
///
/// # Errors
/// A file cannot be read, or its expectations are malformed.
pub fn collect(root: &Path) -> Result<Vec<(String, Trial)>> {
    let mut all = Vec::new();
    for source in c_files(root)? {
        let file = file_name(&source)?;
        let expectations = Expectations::parse(&file, &fs::read_to_string(&source)?)?;
        let listed = source.strip_prefix(root).expect("files are found below the root").display().to_string();
        for variant in &expectations.variants {
            for &level in &expectations.levels {
                let mut name = vec![listed.clone()];
                name.extend(variant.iter().cloned());
                name.push(level.flag().to_owned());
                let (source, listed, expectations) = (source.clone(), listed.clone(), expectations.clone());
                all.push((name.join(" "), Trial { source, listed, variant: variant.clone(), level, expectations }));
            }
        }
    }
    ensure!(!all.is_empty(), "no C files below {}", root.display());
    Ok(all)
}

/// A part of these trials: of each folder one program in `one_in`, and at least one; of each program one trial. Which
/// ones is a matter of their names alone.
#[must_use]
pub fn sample(all: Vec<(String, Trial)>, one_in: usize) -> Vec<(String, Trial)> {
    let mut folders: BTreeMap<PathBuf, BTreeMap<(u64, String), Vec<&String>>> = BTreeMap::new();
    for (name, trial) in &all {
        let folder = trial.source.parent().map(Path::to_owned).unwrap_or_default();
        let program = (test_sample::rank(&trial.listed), trial.listed.clone());
        folders.entry(folder).or_default().entry(program).or_default().push(name);
    }
    let mut taken = BTreeSet::new();
    for programs in folders.into_values() {
        let count = programs.len().div_ceil(one_in);
        let trials = programs.into_values().take(count);
        taken.extend(trials.filter_map(|names| names.into_iter().min_by_key(|name| test_sample::rank(name)).cloned()));
    }
    all.into_iter().filter(|(name, _)| taken.contains(name)).collect()
}

/// The C and C++ files of a folder and of the folders in it, sorted by path; the runner has none of its own.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("runner") {
                found.extend(c_files(&path)?);
            }
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == CPLUSPLUS) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn file_name(path: &Path) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    Ok(name.with_context(|| format!("{} is not a text name", path.display()))?.to_owned())
}

impl Trial {
    /// Runs everything the file asks for.
    ///
    /// # Errors
    /// The first thing that is not as expected, with the command that showed it.
    pub fn run(&self, tools: &Tools) -> Result<()> {
        let place = Place { work: tempfile::tempdir()?, loaded: tempfile::tempdir()? };
        let bitcode = self.bitcode(&tools.clang, place.work.path())?;
        for (index, expected) in self.expectations.enumerates.iter().enumerate() {
            let result = enumerate(tools, &place, &bitcode, expected)?;
            if let Some(results) = &tools.results {
                self.keep(tools, &place, index, result, results)?;
            }
        }
        for expected in &self.expectations.checks {
            let places = (place.work.path(), place.loaded.path());
            let is_mended = self.expectations.mended.as_ref().is_some_and(|option| self.variant.contains(option));
            let nothing = Check { findings: Vec::new(), ..expected.clone() };
            let expected = if is_mended { &nothing } else { expected };
            let (found, command, outcome) = check::differences(&tools.icsched, &bitcode, places, expected)?;
            report(&command, &found, &outcome, "")?;
        }
        let native = match self.is_compared() {
            true => Some(self.compile(&tools.clang, place.work.path(), "prog", &["-pthread", "-lm"])?),
            false => None,
        };
        for expected in &self.expectations.execs {
            self.exec(tools, &place, &bitcode, native.as_deref(), expected)?;
        }
        Ok(())
    }

    /// Writes what `enumerate` found to two files of the folder `results`: its JSON and the dump of its database,
    /// without what differs from run to run.
    fn keep(&self, tools: &Tools, place: &Place, index: usize, mut result: Value, results: &Path) -> Result<()> {
        let (listed, variant) = (self.listed.replace('/', "-"), self.variant.join("").replace('/', "_"));
        let name = format!("{listed}{variant}{}.{index}", self.level.flag());
        let work = place.work.path().display().to_string();
        let fields = result.as_object_mut().context("the result is no object")?;
        fields.remove("statistics");
        let comparable = |text: &str| {
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("\"digest\":"));
            lines.map(|line| line.replace(&work, "") + "\n").collect::<String>()
        };
        let json = comparable(&serde_json::to_string_pretty(&result)?);
        let mut show = Command::new(&tools.icsched);
        show.arg("show").arg(place.database()).args(["--format", "dump"]);
        let dump = run(&mut show, place.work.path(), "", ICSCHED_LIMIT)?;
        fs::create_dir_all(results)?;
        fs::write(results.join(format!("{name}.json")), json)?;
        fs::write(results.join(format!("{name}.dump")), comparable(&dump.stdout))?;
        Ok(())
    }

    fn is_compared(&self) -> bool {
        self.expectations.ignore_native.is_none() && self.expectations.execs.iter().any(|exec| exec.error.is_none())
    }

    /// Compiles the program to bitcode in the directory `work`.
    ///
    /// # Errors
    /// The compiler refuses it.
    pub fn bitcode(&self, clang: &Path, work: &Path) -> Result<PathBuf> {
        self.compile(clang, work, "prog.bc", &["-g", "-emit-llvm", "-c"])
    }

    fn compile(&self, clang: &Path, work: &Path, name: &str, options: &[&str]) -> Result<PathBuf> {
        let output = work.join(name);
        let mut clang = Command::new(clang);
        clang.arg(self.level.flag()).arg("-w").args(&self.expectations.cflags).args(&self.variant);
        if self.source.extension().is_some_and(|extension| extension == CPLUSPLUS) {
            clang.arg("--driver-mode=g++");
        }
        clang.arg(&self.source).arg("-o").arg(&output).args(options);
        let outcome = run(&mut clang, work, "", NATIVE_LIMIT)?;
        ensure!(outcome.status == 0, "{clang:?}\n{}", outcome.stderr);
        Ok(output)
    }

    fn exec(&self, tools: &Tools, place: &Place, bitcode: &Path, native: Option<&Path>, expected: &Exec) -> Result<()> {
        let mut command = Command::new(&tools.icsched);
        command.arg("exec").arg(bitcode).arg("--load-cache").arg(place.loaded.path()).arg("--").args(&expected.args);
        let outcome = run(&mut command, place.work.path(), &expected.stdin, ICSCHED_LIMIT)?;
        let file = file_name(&self.source)?;
        let mut found = exec::differences(expected, &outcome, &file, &self.expectations.markers);
        if let Some(native) = native.filter(|_| expected.error.is_none()) {
            let mut command = Command::new(native);
            command.args(&expected.args);
            let native = run(&mut command, place.work.path(), &expected.stdin, NATIVE_LIMIT)?;
            found.extend(exec::disagreements(&outcome, &native));
        }
        report(&command, &found, &outcome, "")
    }
}

/// The JSON result of a run that is as expected.
fn enumerate(tools: &Tools, place: &Place, bitcode: &Path, expected: &Enumerate) -> Result<Value> {
    let work = place.work.path();
    let (json, database) = (work.join("result.json"), place.database());
    let mut command = Command::new(&tools.icsched);
    command.arg("enumerate").arg(bitcode).arg("-o").arg(&database).arg("--json").arg(&json);
    command.arg("--load-cache").arg(place.loaded.path());
    command.args(&expected.options).arg("--").args(&expected.args);
    let outcome = run(&mut command, work, "", ICSCHED_LIMIT)?;
    let statuses = expected.allowed_statuses();
    let text = fs::read_to_string(&json);
    let Ok(result) = text.map_err(anyhow::Error::from).and_then(|text| Ok(serde_json::from_str::<Value>(&text)?))
    else {
        report(&command, &["it wrote no JSON result".to_owned()], &outcome, "")?;
        return Ok(Value::Null);
    };
    let mut found = enumerate::differences(expected, &result)?;
    found.extend(held(tools, work, expected, &result)?);
    if !statuses.contains(&outcome.status) {
        found.push(format!("exit status is {}, expected one of {statuses:?}", outcome.status));
    }
    if !database.is_file() {
        found.push("it wrote no database".to_owned());
    }
    report(&command, &found, &outcome, &enumerate::summary(&result))?;
    Ok(result)
}

/// What is wrong with the constraints of the first epoch, read as C.
fn held(tools: &Tools, work: &Path, expected: &Enumerate, result: &Value) -> Result<Vec<String>> {
    if expected.holds.is_empty() {
        return Ok(Vec::new());
    }
    let schedules = result["epochs"][0]["schedules"].as_array().context("`schedules` is not a list")?;
    let texts: Vec<&str> = schedules.iter().filter_map(|schedule| schedule["constraint"].as_str()).collect();
    let conditions = match Conditions::compile(&tools.clang, &texts, work) {
        Ok(conditions) => conditions,
        Err(error) => return Ok(vec![format!("{error:#}")]),
    };
    let found = expected.holds.iter().map(|holds| holds.difference(schedules, &conditions));
    Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn report(command: &Command, found: &[String], outcome: &Outcome, summary: &str) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let said = outcome.stderr.trim_end();
    bail!("{}\ncommand: {command:?}\nexit status: {}\n{summary}\n{said}", found.join("\n"), outcome.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_with_their_folders() {
        let root = tempfile::tempdir().expect("a directory");
        for file in ["sync/pool.c", "epochs/rings/two_belts.c", "epochs/pool.c", "epochs/notes.md", "runner/src/a.c"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a directory");
            fs::write(path, "// levels: O0\n// exec:\n").expect("a file");
        }
        let found = collect(root.path()).expect("the headers are right");
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["epochs/pool.c -O0", "epochs/rings/two_belts.c -O0", "sync/pool.c -O0"]);
        assert_eq!(found[1].1.listed, "epochs/rings/two_belts.c");
    }
}
