//! Where the paths of `icsched symex` go: text on standard output, JSON in a file or there instead, progress on standard error.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use icsched_driver::config::{Limit, StopRequest};
use icsched_driver::symex::{Header, JsonWriter, PathReport, Sink, Summary, TextOptions, TextWriter};
use icsched_driver::{DriverError, Limits};
use icsched_report::terminal::{Form, Harmless};

use crate::args::SymexArgs;
use crate::progress::ShownProgress;

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

/// All of what a command shows.
pub(crate) struct SymexSink {
    text: Option<TextWriter<Harmless<Output>>>,
    json: Option<JsonWriter<BufWriter<Box<dyn Write>>>>,
    progress: ShownProgress,
}

impl SymexSink {
    pub(crate) fn new(args: &SymexArgs, quiet: bool, limits: &Limits) -> Result<Self, DriverError> {
        let output = |form| Harmless::new(Output { stop: Arc::clone(&limits.stop) }, form);
        let to_stdout = args.json.as_deref() == Some(Path::new("-"));
        let json = match &args.json {
            Some(_) if to_stdout => Some((Box::new(output(Form::Json)) as Box<dyn Write>, "standard output".into())),
            Some(file) => {
                let opened = File::create(file);
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
        Ok(Self {
            text: (!quiet && !to_stdout).then(|| TextWriter::new(output(Form::Plain), options)),
            json: json.map(|(to, name)| JsonWriter::new(BufWriter::new(to), name)),
            progress: ShownProgress::new(quiet),
        })
    }

    /// Takes the progress away.
    pub(crate) fn finish(self) {
        self.progress.finish();
    }

    fn all(&mut self, mut write: impl FnMut(&mut dyn Sink) -> Result<(), DriverError>) -> Result<(), DriverError> {
        if let Some(json) = &mut self.json {
            write(json)?;
        }
        match &mut self.text {
            // The line of progress must not be in the text.
            Some(text) if io::stdout().is_terminal() => self.progress.aside(|| write(text)),
            Some(text) => write(text),
            None => Ok(()),
        }
    }
}

impl Sink for SymexSink {
    fn begin(&mut self, header: &Header) -> Result<(), DriverError> {
        self.all(|sink| sink.begin(header))
    }

    fn path(&mut self, path: &PathReport) -> Result<(), DriverError> {
        self.all(|sink| sink.path(path))
    }

    fn end(&mut self, header: &Header, summary: &Summary) -> Result<(), DriverError> {
        self.all(|sink| sink.end(header, summary))
    }

    fn progress(&mut self, paths: usize, waiting: usize) {
        self.progress.paths(paths, waiting);
    }
}
