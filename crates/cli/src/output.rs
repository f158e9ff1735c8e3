//! Everything that is written to the terminal.

use std::io::{self, IsTerminal, Write};

use icsched_driver::config::Limit;
use icsched_driver::{Diagnostic, DriverError};
use icsched_report::Painter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::guard::{self, News};

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
        .with_writer(io::stderr)
        .with_target(false)
        .without_time()
        .with_ansi(io::stderr().is_terminal());
    // Libraries have their own ideas of what is worth saying.
    let ours = Targets::new().with_target("icsched", level);
    tracing_subscriber::registry().with(lines.with_filter(ours)).init();
}

/// A panic is a bug in icsched, and is told as one.
pub(crate) fn report_panics_as_bugs() {
    std::panic::set_hook(Box::new(|info| {
        // Libraries are not told that there is no more memory in a way that they could stand.
        if guard::is_out_of_memory() {
            guard::tell(&News::Limit(Limit::Memory));
            return;
        }
        guard::tell(&News::Bug);
        let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or("unknown");
        let diagnostic = Diagnostic::error("bug", format!("icsched has a bug: {message}{place}"))
            .help("please report it with the program and the command that show it");
        write(&mut io::stderr(), &icsched_report::diagnostic::render(&diagnostic, Painter { color: false }));
    }));
}

/// Writes to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
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
    write(&mut io::stderr(), &icsched_report::diagnostic::render(diagnostic, painter));
}

/// Colours for standard output.
pub(crate) fn painter() -> Painter {
    Painter { color: io::stdout().is_terminal() }
}

/// Where messages cannot be written, nothing can be said about it either.
fn write(to: &mut dyn Write, text: &str) {
    let _ = to.write_all(text.as_bytes());
    let _ = to.flush();
}

/// Writes a line of progress to standard error.
pub(crate) fn note(text: &str) {
    write(&mut io::stderr(), text);
}
