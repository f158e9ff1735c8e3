//! Everything that is written to the terminal.

use std::io::{self, IsTerminal, Write};

use icsched_driver::config::Limit;
use icsched_driver::{Diagnostic, DriverError};
use icsched_report::Painter;
use icsched_report::terminal::{Form, Harmless, harmless};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::guard;
use crate::guard::news::News;
use crate::status::Status;

/// Log lines on standard error: warnings, with `-v` progress, with `-vv` every path.
pub(crate) fn start_logging(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, 2) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| Harmless::new(io::stderr(), Form::Plain))
        .with_target(false)
        .without_time()
        // Their colours could not be told from those that a name has in it.
        .with_ansi(false);
    // Libraries have their own ideas of what is worth saying.
    let ours = Targets::new().with_target("icsched", level);
    tracing_subscriber::registry().with(lines.with_filter(ours)).init();
}

/// A panic is a bug in icsched, and is told as one. It ends the process, whichever thread it is in: others may wait for
/// what that thread will not do any more.
pub(crate) fn report_panics_as_bugs() {
    std::panic::set_hook(Box::new(|info| {
        // Libraries are not told that there is no more memory in a way that they could stand.
        if guard::reserve::is_out_of_memory() {
            guard::tell::tell(&News::Limit(Limit::Memory));
            end_unless_somebody_waits();
            return;
        }
        guard::tell::tell(&News::Bug);
        let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or("unknown");
        let diagnostic = Diagnostic::error("bug", format!("icsched has a bug: {message}{place}"))
            .help("please report it with the program and the command that show it");
        write(&icsched_report::diagnostic::render(&diagnostic, Painter { color: false }));
        std::process::exit(Status::Bug.code().into());
    }));
}

/// After a panic for want of memory: the parent tells what is known. Without one, whoever joins the thread does, if
/// anybody does.
fn end_unless_somebody_waits() {
    let thread = std::thread::current();
    let is_joined = thread.name().is_some_and(|name| name == "main" || name.starts_with("icsched"));
    if guard::tell::has_parent() || !is_joined {
        guard::reserve::end_for_want_of_memory();
    }
}

/// Writes a text to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_as(text, if painter().color { Form::Coloured } else { Form::Plain })
}

/// The same with JSON.
pub(crate) fn print_json(text: &str) -> io::Result<()> {
    print_as(text, Form::Json)
}

/// Standard output for what is written piece by piece.
pub(crate) fn harmless_stdout(is_json: bool) -> impl Write {
    Harmless::new(io::stdout(), if is_json { Form::Json } else { Form::Plain })
}

fn print_as(text: &str, form: Form) -> io::Result<()> {
    let mut out = io::stdout();
    match out.write_all(harmless(text, form).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes an error message to standard error.
pub(crate) fn error(message: &str) {
    diagnostic(&Diagnostic::error("error", message.to_owned()));
}

/// Writes an error of the pipeline to standard error.
pub(crate) fn driver_error(error: &DriverError) {
    diagnostic(&error.diagnostic());
}

/// Writes a message to standard error.
pub(crate) fn diagnostic(diagnostic: &Diagnostic) {
    let painter = Painter { color: io::stderr().is_terminal() };
    write(&icsched_report::diagnostic::render(diagnostic, painter));
}

/// Colours for standard output.
pub(crate) fn painter() -> Painter {
    Painter { color: io::stdout().is_terminal() }
}

/// What standard error takes.
fn errors_form() -> Form {
    if io::stderr().is_terminal() { Form::Coloured } else { Form::Plain }
}

/// Writes to standard error. Where messages cannot be written, nothing can be said about it either.
fn write(text: &str) {
    let mut to = io::stderr();
    let _ = to.write_all(harmless(text, errors_form()).as_bytes());
    let _ = to.flush();
}

/// Writes a line of progress to standard error.
pub(crate) fn note(text: &str) {
    write(text);
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// Set in the processes that tests start to be wrong.
    const PLANTED: &str = "ICSCHED_TEST_PLANTED_BUG";

    /// Longer than any test takes: whoever waits so long hangs.
    const FOR_EVER: Duration = Duration::from_secs(3600);

    /// How this test ends, started again in a process of its own where `plant` is executed: its exit status, and what
    /// it says on standard error. In that process it does not return.
    fn ended_with(test: &str, plant: impl FnOnce()) -> (Option<i32>, String) {
        if std::env::var_os(PLANTED).is_some() {
            report_panics_as_bugs();
            plant();
            std::process::exit(0);
        }
        let own = std::env::current_exe().expect("a test has a file");
        let name = format!("output::tests::{test}");
        let output = Command::new(own).args([&*name, "--exact", "--nocapture"]).env(PLANTED, "1").output();
        let output = output.expect("the file of this test is there");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// The exit status where that is a bug.
    fn status_with(test: &str, plant: impl FnOnce()) -> Option<i32> {
        let (status, said) = ended_with(test, plant);
        assert!(said.contains("error[bug]: icsched has a bug: planted"), "{said}");
        status
    }

    /// Waits for ever for a thread that is wrong.
    fn wait_for_a_thread_that_is_wrong() {
        let (sender, receiver) = channel::<()>();
        let worker = std::thread::spawn(move || {
            let none: Option<u32> = "".parse().ok();
            none.expect("planted");
        });
        // The sender lives, so this waits for ever.
        let _ = receiver.recv_timeout(FOR_EVER);
        drop((sender, worker));
    }

    #[test]
    fn a_broken_invariant_in_a_command_is_status_4() {
        assert_eq!(status_with("a_broken_invariant_in_a_command_is_status_4", || panic!("planted")), Some(4));
    }

    #[test]
    fn nobody_waits_for_a_thread_that_is_wrong() {
        let plant = wait_for_a_thread_that_is_wrong;
        assert_eq!(status_with("nobody_waits_for_a_thread_that_is_wrong", plant), Some(4));
    }

    /// A library may panic when it gets no memory.
    #[test]
    fn nobody_waits_for_a_thread_without_memory() {
        let plant = || {
            guard::reserve::lack_memory();
            wait_for_a_thread_that_is_wrong();
        };
        let (status, said) = ended_with("nobody_waits_for_a_thread_without_memory", plant);
        assert_eq!((status, said.contains("there is no more memory")), (Some(3), true), "{said}");
    }

    #[test]
    fn a_panic_that_somebody_catches_is_a_bug_all_the_same() {
        let plant = || drop(std::panic::catch_unwind(|| panic!("planted")));
        assert_eq!(status_with("a_panic_that_somebody_catches_is_a_bug_all_the_same", plant), Some(4));
    }
}
