//! Running other programs with a time limit.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use wait_timeout::ChildExt as _;

/// What a process did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Exit status; 128 + n after signal n, as a shell says it.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a command in `directory` with the given standard input.
///
/// Output goes through files, so that a process that writes much cannot block.
///
/// # Errors
/// The command cannot be started, or is still running after `limit` (it is then killed).
pub fn run(command: &mut Command, directory: &Path, stdin: &str, limit: Duration) -> Result<Outcome> {
    let mut input = tempfile::tempfile()?;
    input.write_all(stdin.as_bytes())?;
    input.seek(SeekFrom::Start(0))?;
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = command
        .current_dir(directory)
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(out.try_clone()?))
        .stderr(Stdio::from(err.try_clone()?))
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let Some(status) = child.wait_timeout(limit)? else {
        child.kill()?;
        child.wait()?;
        bail!("still running after {} s: {command:?}\n{}", limit.as_secs(), text_of(&mut err)?);
    };
    Ok(Outcome { status: number_of(status), stdout: text_of(&mut out)?, stderr: text_of(&mut err)? })
}

fn text_of(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn number_of(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().expect("a process without exit code died of a signal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, stdin: &str, limit: Duration) -> Result<Outcome> {
        run(Command::new("sh").args(["-c", script]), Path::new("."), stdin, limit)
    }

    #[test]
    fn output_input_and_status() {
        let outcome = shell("cat; echo oops >&2; exit 3", "text", Duration::from_secs(60)).expect("sh runs");
        assert_eq!(outcome, Outcome { status: 3, stdout: "text".into(), stderr: "oops\n".into() });
    }

    #[test]
    fn signals_are_statuses() {
        assert_eq!(shell("kill -ABRT $$", "", Duration::from_secs(60)).expect("sh runs").status, 134);
    }

    #[test]
    fn an_endless_process_is_an_error() {
        let error = shell("exec tail -f /dev/null", "", Duration::from_millis(50)).expect_err("never ends");
        assert!(error.to_string().contains("still running"), "{error}");
    }
}
