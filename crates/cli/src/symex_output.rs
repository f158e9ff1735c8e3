//! Where the paths of `icsched symex` go: text on standard output, JSON in a file or there instead, progress on
//! standard error.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use icsched_driver::config::{Limit, StopRequest};
use icsched_driver::symex::{Header, JsonWriter, PathReport, Sink, Summary, TextOptions, TextWriter, Totals};
use icsched_driver::{DriverError, Limits, Reason};
use icsched_report::terminal::{Form, Harmless};

use crate::args::SymexArgs;
use crate::guard;
use crate::guard::news::News;
use crate::output;
use crate::progress::ShownProgress;
use crate::status::Status;

/// Standard output. A reader that went away (`| head`) wants no more: that is no error.
struct Output {
    stop: Arc<StopRequest>,
}

impl Output {
    fn forgiving<T: Default>(&self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.stop.ask(Limit::Interrupted);
                Ok(instead)
            }
            result => result,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.forgiving(io::stdout().write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.forgiving(io::stdout().flush(), ())
    }
}

/// Paths after which JSON that is kept back is written, and bytes of it.
const KEPT_PATHS: usize = 64;
const KEPT_BYTES: usize = 1 << 18;

/// A document, and where whole parts of it go: whatever ends the process, what is written ends where a path does.
struct Json {
    document: JsonWriter<Vec<u8>>,
    to: Box<dyn Write>,
    name: PathBuf,
    /// Paths that are not written yet.
    kept: usize,
}

impl Json {
    fn write(&mut self) -> Result<(), DriverError> {
        self.kept = 0;
        let text = std::mem::take(self.document.get_mut());
        let written = self.to.write_all(&text).and_then(|()| self.to.flush());
        written.map_err(|error| DriverError::Write { path: self.name.clone(), error })
    }

    /// Whether a path is to be kept back.
    fn keeps(&mut self) -> bool {
        self.kept += 1;
        self.kept < KEPT_PATHS && self.document.get_mut().len() < KEPT_BYTES
    }
}

/// All of what a command shows.
pub(crate) struct SymexSink {
    text: Option<TextWriter<Harmless<Output>>>,
    /// What is not wanted unless the JSON cannot be written.
    instead: Option<TextWriter<Harmless<Output>>>,
    json: Option<Json>,
    /// The paths that were told of.
    totals: Totals,
    progress: ShownProgress,
    /// Why the JSON cannot be written; there is text instead.
    failure: Option<DriverError>,
}

impl SymexSink {
    pub(crate) fn new(args: &SymexArgs, quiet: bool, limits: &Limits) -> Result<Self, DriverError> {
        Self::open(args, quiet, &limits.stop, None)
    }

    /// From the beginning, or after so many paths.
    fn open(
        args: &SymexArgs,
        quiet: bool,
        stop: &Arc<StopRequest>,
        written: Option<Totals>,
    ) -> Result<Self, DriverError> {
        let output = |form| Harmless::new(Output { stop: Arc::clone(stop) }, form);
        let to_stdout = args.json.as_deref() == Some(Path::new("-"));
        let json = match &args.json {
            Some(_) if to_stdout => {
                Some((Box::new(output(Form::Json)) as Box<dyn Write>, PathBuf::from("standard output")))
            }
            Some(file) => {
                let mut options = OpenOptions::new();
                let opened = match written {
                    Some(_) => options.append(true).open(file),
                    None => options.write(true).create(true).truncate(true).open(file),
                };
                let opened = opened.map_err(|error| DriverError::Write { path: file.clone(), error })?;
                Some((Box::new(opened) as Box<dyn Write>, file.clone()))
            }
            None => None,
        };
        let is_explained = args.explain.is_some();
        let options = TextOptions {
            traces: args.traces || is_explained,
            assumed: args.assumed || is_explained,
            only: args.explain.map(|path| path as usize),
        };
        let totals = written.unwrap_or_default();
        let json = json.map(|(to, name)| {
            let document = JsonWriter::resumed(Vec::new(), name.clone(), totals.paths > 0);
            Json { document, to, name, kept: 0 }
        });
        let text = (!to_stdout).then(|| TextWriter::new(output(Form::Plain), options));
        let (text, instead) = if quiet { (None, text) } else { (text, None) };
        Ok(Self { text, instead, json, totals, progress: ShownProgress::new(quiet), failure: None })
    }

    /// Ends what another process has begun, if it has: `written` are the paths that are there.
    pub(crate) fn close(args: &SymexArgs, quiet: bool, reason: &Reason, written: Option<Totals>) -> Status {
        let header = Header::new(&args.program.program);
        let totals = written.unwrap_or_default();
        let status = if totals.is_something_found() { Status::Found } else { Status::Incomplete };
        let summary = Summary { reasons: vec![reason.clone()], totals, ..Summary::default() };
        let told = Self::open(args, quiet, &Arc::default(), written).and_then(|mut sink| {
            if written.is_none() {
                sink.begin(&header)?;
            }
            sink.end(&header, &summary)
        });
        match told {
            Ok(()) => status,
            Err(error) => {
                output::driver_error(&error);
                Status::Wrong
            }
        }
    }

    /// Takes the progress away.
    pub(crate) fn finish(self) {
        self.progress.finish();
    }

    /// Writes to the JSON document, if it can be written. `is_kept`: what is written then may be kept back.
    fn json(&mut self, is_kept: bool, write: impl FnOnce(&mut dyn Sink) -> Result<(), DriverError>) {
        let Some(json) = &mut self.json else { return };
        let told = write(&mut json.document).and_then(|()| if is_kept && json.keeps() { Ok(()) } else { json.write() });
        if let Err(error) = told {
            (self.json, self.failure) = (None, Some(error));
            self.text = self.text.take().or_else(|| self.instead.take());
        }
    }

    fn text(&mut self, write: impl FnOnce(&mut dyn Sink) -> Result<(), DriverError>) -> Result<(), DriverError> {
        match &mut self.text {
            // The line of progress must not be in the text.
            Some(text) if io::stdout().is_terminal() => self.progress.aside(|| write(text)),
            Some(text) => write(text),
            None => Ok(()),
        }
    }

    /// Tells the parent what is written by now.
    fn tell(&self) {
        if self.json.as_ref().is_none_or(|json| json.kept == 0) {
            let totals = serde_json::to_string(&self.totals).expect("plain data has a JSON form");
            guard::tell::tell(&News::Paths(totals));
        }
    }
}

impl Sink for SymexSink {
    fn begin(&mut self, header: &Header) -> Result<(), DriverError> {
        self.json(false, |sink| sink.begin(header));
        self.text(|sink| sink.begin(header))?;
        self.tell();
        Ok(())
    }

    fn path(&mut self, path: &PathReport) -> Result<(), DriverError> {
        self.totals.count(path.ends);
        self.json(true, |sink| sink.path(path));
        self.text(|sink| sink.path(path))?;
        self.tell();
        Ok(())
    }

    fn end(&mut self, header: &Header, summary: &Summary) -> Result<(), DriverError> {
        guard::tell::tell(&News::Printing);
        self.json(false, |sink| sink.end(header, summary));
        self.text(|sink| sink.end(header, summary))?;
        self.failure.take().map_or(Ok(()), Err)
    }

    fn progress(&mut self, paths: usize, waiting: usize) {
        self.progress.paths(paths, waiting);
    }
}
