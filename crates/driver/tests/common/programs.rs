//! The programs of `c-tests/` with inputs for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use icsched_frontend::LoadOptions;
use icsched_ir::Program;

use crate::common::random::Random;

/// A C file, and what is said at its top.
pub(crate) struct Source {
    pub(crate) name: String,
    path: PathBuf,
    flags: Vec<String>,
    levels: Vec<String>,
    variants: Vec<Vec<String>>,
    runs: Vec<Input>,
    /// The words behind `run: enumerate`.
    pub(crate) enumerate: Option<Vec<String>>,
}

/// What a run gets.
#[derive(Clone, Default, Debug)]
pub(crate) struct Input {
    pub(crate) arguments: Vec<String>,
    pub(crate) stdin: String,
}

impl Input {
    /// Other numbers and other texts, about as long.
    pub(crate) fn varied(&self, random: &mut Random) -> Input {
        let vary = |word: &String, random: &mut Random| match word.parse::<i64>() {
            _ if random.chance(40) => word.clone(),
            Ok(number) if random.chance(50) => (number + 2 - random.below(5).cast_signed()).to_string(),
            Ok(_) => random.below(12).to_string(),
            Err(_) => {
                word.chars().map(|c| if random.chance(20) { random.pick(&['a', 'x', '0', '-']) } else { c }).collect()
            }
        };
        Input { arguments: self.arguments.iter().map(|w| vary(w, random)).collect(), stdin: self.stdin.clone() }
    }
}

/// All programs of these folders of `c-tests/` and of the folders in them, each sorted by path.
pub(crate) fn sources(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../c-tests");
    let mut found = Vec::new();
    for folder in folders {
        let mut files = c_files(&root.join(folder));
        files.sort();
        found.extend(files.into_iter().map(|path| source(folder, path)));
    }
    found
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("it can be read").path()) {
        if path.is_dir() {
            found.extend(c_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
    found
}

/// The program in a file, named by `folder` and the file. Random inputs depend on the name, not on folders in between.
pub(crate) fn source(folder: &str, path: PathBuf) -> Source {
    let text = fs::read_to_string(&path).expect("it can be read");
    let name = path.file_stem().and_then(|n| n.to_str()).expect("names are text");
    let mut source = Source {
        name: format!("{folder}/{name}"),
        path: path.clone(),
        flags: Vec::new(),
        levels: vec!["O0".to_owned(), "O1".to_owned()],
        variants: vec![Vec::new()],
        runs: Vec::new(),
        enumerate: None,
    };
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    for line in text.lines().map_while(|l| l.strip_prefix("//")) {
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        match key {
            "cflags" => source.flags = words(value),
            "variants" => source.variants = value.split(',').map(words).collect(),
            "run" => source.enumerate = words(value).get(1..).map(<[String]>::to_vec),
            "levels" => source.levels = words(value),
            "exec" => source.runs.push(Input { arguments: words(value), stdin: String::new() }),
            "stdin" => {
                if let Some(run) = source.runs.last_mut() {
                    run.stdin += value.strip_prefix(' ').unwrap_or(value);
                    run.stdin.push('\n');
                }
            }
            _ => {}
        }
    }
    if source.runs.is_empty() {
        source.runs.push(Input::default());
    }
    source
}

impl Source {
    /// What its runs are given.
    pub(crate) fn runs(&self) -> &[Input] {
        &self.runs
    }

    pub(crate) fn input(&self, random: &mut Random) -> Input {
        let input = random.pick(&self.runs);
        if random.chance(50) { input } else { input.varied(random) }
    }

    /// The program, at one of its levels.
    pub(crate) fn load(&self, random: &mut Random) -> (String, Arc<Program>) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let bitcode = folder.path().join("program.bc");
        let level = random.pick(&self.levels);
        let clang = std::env::var_os("ICSCHED_CLANG").unwrap_or_else(|| "clang-22".into());
        let status = Command::new(clang)
            .args([&format!("-{level}"), "-g", "-w", "-c", "-emit-llvm"])
            .args(&self.flags)
            .args(random.pick(&self.variants))
            .arg(&self.path)
            .arg("-o")
            .arg(&bitcode)
            .status()
            .expect("clang can be started");
        assert!(status.success(), "{} does not compile", self.name);
        let program = icsched_frontend::load(&bitcode, &LoadOptions::default()).expect("clang makes valid bitcode");
        (format!("{} -{level}", self.name), Arc::new(program))
    }
}
