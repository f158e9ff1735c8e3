//! Manifests: which programs are run how, and which tables are made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::column::Column;
use super::figure::Figure;
use crate::error::DriverError;
use crate::symex::WitnessInput;

/// A checked manifest.
#[derive(Clone, PartialEq, Debug)]
pub struct Manifest {
    /// What it is about.
    pub title: String,
    /// The runs, in the order of the file.
    pub runs: Vec<Run>,
    /// The configurations that runs name, the usual ones included.
    pub configurations: BTreeMap<String, Configuration>,
    /// The tables to make.
    pub tables: Vec<TableSpec>,
    /// Figures of others, to print beside ours.
    pub reference: Option<Reference>,
}

/// A program and a command on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Run {
    /// Names rows and files.
    pub name: String,
    /// The command.
    pub command: Command,
    /// A C file, or bitcode.
    pub program: PathBuf,
    /// Compiler options.
    pub flags: Vec<String>,
    /// Where threads are, `{NAME}` for the `file.c:line` of the line that ends in `//~ NAME`; ` waiting` behind a place
    /// says that the thread waits in the call that is there.
    pub threads: Vec<String>,
    /// Most conditional branches on a path.
    pub branches: Option<u32>,
    /// Whether all threads live that could have ended; see `--none-ended` of `symex`.
    pub none_ended: bool,
    /// Further options of the command.
    pub options: Vec<String>,
    /// Options that name inputs, for runs from the program's entry.
    pub inputs: Vec<String>,
    /// The program's arguments, for runs from its entry.
    pub args: Vec<String>,
    /// Inputs of real runs, which tell the paths that are feasible and the way to the context.
    pub witness: Vec<WitnessInput>,
    /// The configurations to run; a result depends on its own only.
    #[serde(skip)]
    pub configurations: Vec<String>,
    /// Time for one configuration.
    pub timeout: Duration,
    /// Memory for one configuration, as on the command line.
    pub max_memory: Option<String>,
}

/// A command that can be run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// `icsched enumerate`.
    Enumerate,
    /// `icsched symex`.
    Symex,
}

impl Command {
    /// The subcommand.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Enumerate => "enumerate",
            Self::Symex => "symex",
        }
    }

    /// What its option `--without` knows.
    const fn techniques(self) -> &'static [&'static str] {
        match self {
            Self::Enumerate => &[
                "prefix-schedules",
                "prefix-failures",
                "quiet-branches",
                "shortest-path",
                "slicing",
                "pointsto",
                "marker-pruning",
                "schedule-trees",
                "reaching-defs",
                "sync-invariants",
                "input-abstraction",
                "conservative-order",
                "combinations",
                "symbolic-tids",
                "code-duplication",
                "library-sync",
                "whole-runs",
                "epochs",
            ],
            Self::Symex => &["reaching-defs", "sync-invariants", "pointsto", "memory-checks"],
        }
    }
}

/// How a run is varied.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Configuration {
    /// Techniques that are turned off.
    pub without: Vec<String>,
    /// From the program's entry, whatever `threads` says.
    pub whole_program: bool,
}

/// A table to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableSpec {
    /// Names the files.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// Its columns; the first one, the name of the run, is always there.
    pub columns: Vec<Column>,
    /// The figures that are drawn; those of the columns if none are named.
    pub plot: Vec<Figure>,
}

/// Figures from elsewhere: by run, by configuration.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Whose they are.
    pub source: String,
    /// The figures.
    pub run: BTreeMap<String, BTreeMap<String, BTreeMap<Figure, Quoted>>>,
}

/// A figure from elsewhere.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub enum Quoted {
    /// A number.
    Number(f64),
    /// What stands in place of one, such as `26000+`, or `dnf` for what did not finish.
    Words(String),
}

impl Reference {
    /// The figure of a run, if there is one.
    pub fn get(&self, run: &str, configuration: &str, figure: Figure) -> Option<&Quoted> {
        self.run.get(run)?.get(configuration)?.get(&figure)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    title: String,
    reference: Option<PathBuf>,
    #[serde(default)]
    defaults: Defaults,
    #[serde(default)]
    configuration: Vec<FileConfiguration>,
    #[serde(default)]
    run: Vec<FileRun>,
    #[serde(default)]
    table: Vec<FileTable>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Defaults {
    flags: Option<Vec<String>>,
    options: Option<Vec<String>>,
    configurations: Option<Vec<Spanned<String>>>,
    timeout: Option<Spanned<String>>,
    max_memory: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileConfiguration {
    name: Spanned<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    whole_program: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileRun {
    name: Spanned<String>,
    program: PathBuf,
    command: Spanned<Command>,
    flags: Option<Vec<String>>,
    #[serde(default)]
    threads: Vec<String>,
    branches: Option<u32>,
    #[serde(default)]
    none_ended: bool,
    options: Option<Vec<String>>,
    #[serde(default)]
    inputs: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    witness: Vec<WitnessInput>,
    configurations: Option<Vec<Spanned<String>>>,
    timeout: Option<Spanned<String>>,
    max_memory: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileTable {
    name: Spanned<String>,
    title: String,
    columns: Vec<Spanned<String>>,
    #[serde(default)]
    plot: Vec<Figure>,
}

/// A part of a manifest that is wrong.
struct Wrong {
    at: Option<Range<usize>>,
    message: String,
}

fn wrong<T>(at: &Spanned<T>, message: String) -> Wrong {
    Wrong { at: Some(at.span()), message }
}

impl Manifest {
    /// Reads a manifest; paths in it are relative to its directory.
    ///
    /// # Errors
    /// If it, or the file of references it names, cannot be read or is wrong; the error names the line.
    pub fn read(path: &Path) -> Result<Self, DriverError> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let text = text_of(path)?;
        let file: File = parse(path, &text)?;
        let reference = file.reference.as_ref().map(|name| {
            let path = directory.join(name);
            parse(&path, &text_of(&path)?)
        });
        let reference = reference.transpose()?;
        checked(file, directory, reference).map_err(|error| located(path, &text, error))
    }
}

fn text_of(path: &Path) -> Result<String, DriverError> {
    std::fs::read_to_string(path).map_err(|error| DriverError::Read { path: path.to_path_buf(), error })
}

fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, DriverError> {
    toml::from_str(text)
        .map_err(|error| located(path, text, Wrong { at: error.span(), message: error.message().replace('\n', "; ") }))
}

fn located(path: &Path, text: &str, Wrong { at, message }: Wrong) -> DriverError {
    let line = at.map(|span| text.as_bytes().iter().take(span.start).filter(|&&byte| byte == b'\n').count() + 1);
    DriverError::Manifest { path: path.to_path_buf(), line, message }
}

/// The configurations of Bergan's tables 2.1 and 2.2: all, without reaching definitions, without synchronisation
/// invariants, without either, and from the program's entry.
fn usual_configurations() -> BTreeMap<String, Configuration> {
    let without = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    [
        ("full", &[][..], false),
        ("no-rd", &["reaching-defs"], false),
        ("no-si", &["sync-invariants"], false),
        ("naive", &["reaching-defs", "sync-invariants"], false),
        ("wp", &[], true),
    ]
    .map(|(name, off, whole_program)| (name.to_owned(), Configuration { without: without(off), whole_program }))
    .into()
}

fn checked(file: File, directory: &Path, reference: Option<Reference>) -> Result<Manifest, Wrong> {
    let mut configurations = usual_configurations();
    let mut own = BTreeSet::new();
    for FileConfiguration { name, without, whole_program } in file.configuration {
        check_name(&name)?;
        if !own.insert(name.as_ref().clone()) {
            return Err(wrong(&name, format!("there are two configurations `{}`", name.as_ref())));
        }
        configurations.insert(name.into_inner(), Configuration { without, whole_program });
    }
    let mut runs: Vec<Run> = Vec::new();
    for run in file.run {
        if runs.iter().any(|other| other.name == *run.name.as_ref()) {
            return Err(wrong(&run.name, format!("there are two runs `{}`", run.name.as_ref())));
        }
        runs.push(checked_run(run, &file.defaults, directory, &configurations)?);
    }
    if runs.is_empty() {
        return Err(Wrong { at: None, message: "there is no [[run]]".to_owned() });
    }
    let mut tables = Vec::new();
    let names: Vec<_> = configurations.keys().map(String::as_str).collect();
    for FileTable { name, title, columns, plot } in file.table {
        check_name(&name)?;
        let column = |text: &Spanned<String>| {
            Column::parse(text.as_ref(), &names).map_err(|error| wrong(text, error.to_string()))
        };
        let columns = columns.iter().map(column).collect::<Result<_, _>>()?;
        tables.push(TableSpec { name: name.into_inner(), title, columns, plot });
    }
    Ok(Manifest { title: file.title, runs, configurations, tables, reference })
}

fn checked_run(
    run: FileRun,
    defaults: &Defaults,
    directory: &Path,
    all: &BTreeMap<String, Configuration>,
) -> Result<Run, Wrong> {
    check_name(&run.name)?;
    let command = *run.command.as_ref();
    if command == Command::Enumerate && !run.threads.is_empty() {
        return Err(wrong(&run.command, "`enumerate` starts at the program's entry; it takes no `threads`".to_owned()));
    }
    if command == Command::Enumerate && run.branches.is_some() {
        return Err(wrong(&run.command, "`enumerate` takes no `branches`".to_owned()));
    }
    if command == Command::Enumerate && !run.witness.is_empty() {
        return Err(wrong(&run.command, "`enumerate` takes no `witness`".to_owned()));
    }
    let named = run.configurations.as_ref().or(defaults.configurations.as_ref());
    let mut configurations = Vec::new();
    for name in named.into_iter().flatten() {
        let Some(configuration) = all.get(name.as_ref()) else {
            let known: Vec<_> = all.keys().map(String::as_str).collect();
            return Err(wrong(name, format!("no configuration `{}`; there are {}", name.as_ref(), known.join(", "))));
        };
        let unknown =
            configuration.without.iter().find(|technique| !command.techniques().contains(&technique.as_str()));
        if let Some(technique) = unknown {
            let known = command.techniques().join(", ");
            let message =
                format!("`{}` is without `{technique}`, but `{}` knows {known}", name.as_ref(), command.word());
            return Err(wrong(name, message));
        }
        if configurations.contains(name.as_ref()) {
            return Err(wrong(name, format!("`{}` is there twice", name.as_ref())));
        }
        configurations.push(name.as_ref().clone());
    }
    if named.is_none() {
        configurations.push("full".to_owned());
    }
    let timeout = run.timeout.as_ref().or(defaults.timeout.as_ref()).map(duration).transpose()?;
    Ok(Run {
        name: run.name.into_inner(),
        command,
        program: directory.join(run.program),
        flags: run.flags.or_else(|| defaults.flags.clone()).unwrap_or_else(|| vec!["-g".to_owned()]),
        threads: run.threads,
        branches: run.branches,
        none_ended: run.none_ended,
        options: run.options.or_else(|| defaults.options.clone()).unwrap_or_default(),
        inputs: run.inputs,
        args: run.args,
        witness: run.witness,
        configurations,
        timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
        max_memory: run.max_memory.or_else(|| defaults.max_memory.clone()),
    })
}

/// A batch is left alone; no run of it may take for ever.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

fn duration(text: &Spanned<String>) -> Result<Duration, Wrong> {
    humantime::parse_duration(text.as_ref())
        .map_err(|error| wrong(text, format!("`{}` is no duration like 30s or 5m: {error}", text.as_ref())))
}

/// Names become parts of file names.
fn check_name(name: &Spanned<String>) -> Result<(), Wrong> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.as_ref().is_empty() && name.as_ref().chars().all(fits) {
        return Ok(());
    }
    Err(wrong(name, format!("the name `{}` is not of letters, digits, - and _", name.as_ref())))
}
