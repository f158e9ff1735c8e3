//! From a C file to bitcode, and from marks in it to lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::MarkError;
use super::manifest::Run;
use super::outcome::Failure;

/// The bitcode of a run's program, compiled into `directory` if it is source text.
pub(super) fn bitcode(run: &Run, clang: &Path, directory: &Path) -> Result<PathBuf, Failure> {
    let is_source = run.program.extension().is_some_and(|extension| extension == "c");
    if !is_source {
        return Ok(run.program.clone());
    }
    let output = directory.join(format!("{}.bc", run.name));
    let mut command = Command::new(clang);
    command.args(&run.flags).args(["-emit-llvm", "-c"]).arg(&run.program).arg("-o").arg(&output);
    let ended = command
        .output()
        .map_err(|error| Failure::not_runnable(format!("cannot start the compiler {}: {error}", clang.display())))?;
    if ended.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let first = said.lines().find(|line| line.contains("error")).or(said.lines().next()).unwrap_or("no message");
    Err(Failure::not_runnable(format!("{} does not compile: {first}", run.program.display())))
}

/// The threads of a run, each `{NAME}` replaced by the `file.c:line` of the line that ends in `//~ NAME`.
pub(super) fn threads(run: &Run) -> Result<Vec<String>, Failure> {
    if !run.threads.iter().any(|thread| thread.contains('{')) {
        return Ok(run.threads.clone());
    }
    let program = run.program.display();
    let source = fs::read_to_string(&run.program)
        .map_err(|error| Failure::not_runnable(format!("cannot look for marks in {program}: {error}")))?;
    let file = run.program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let failed = |error: MarkError| Failure::not_runnable(format!("{program}: {error}"));
    run.threads.iter().map(|thread| expand(thread, &source, &file)).collect::<Result<_, _>>().map_err(failed)
}

fn expand(thread: &str, source: &str, file: &str) -> Result<String, MarkError> {
    let mut result = String::new();
    let mut rest = thread;
    while let Some((before, tail)) = rest.split_once('{') {
        let (name, after) = tail.split_once('}').ok_or_else(|| MarkError::Open { thread: thread.to_owned() })?;
        let marked = (1..).zip(source.lines()).filter(|(_, text)| mark(text) == Some(name));
        let lines: Vec<usize> = marked.map(|(line, _)| line).collect();
        let [line] = lines[..] else {
            return Err(MarkError::NotOneLine { name: name.to_owned(), lines: lines.len() });
        };
        result.push_str(&format!("{before}{file}:{line}"));
        rest = after;
    }
    Ok(result + rest)
}

fn mark(line: &str) -> Option<&str> {
    line.split_once("//~ ").map(|(_, name)| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "int a; //~ one\nint b;\nint c; //~ two words\nint d; //~ same\nint e; //~ same\n";

    #[test]
    fn marks_become_lines() {
        assert_eq!(expand("main>f@{one}", SOURCE, "a.c"), Ok("main>f@a.c:1".to_owned()));
        assert_eq!(expand("{one}>g@{two words}", SOURCE, "a.c"), Ok("a.c:1>g@a.c:3".to_owned()));
        assert_eq!(expand("main", SOURCE, "a.c"), Ok("main".to_owned()));
    }

    #[test]
    fn wrong_marks_are_named() {
        let said = |thread: &str| expand(thread, SOURCE, "a.c").map_err(|error| error.to_string());
        assert_eq!(said("{three}"), Err("0 lines end in `//~ three`".to_owned()));
        assert_eq!(said("{same}"), Err("2 lines end in `//~ same`".to_owned()));
        assert_eq!(said("{one"), Err("`{one` has `{` without `}`".to_owned()));
    }
}
