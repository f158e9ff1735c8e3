//! Runs a program again and again: one process waits for requests and forks for each run, before `main`.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use super::build::Program;
use super::trace::{Choice, Decoder, Operation, Run, State, Step, Touched, operations};

/// Bounds of one run.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// Steps.
    pub(super) steps: u64,
    /// Basic blocks that a thread may execute between two operations; about a fifth as many as instructions.
    pub(super) blocks: u64,
    /// How often a thread's time may be up while others can go on.
    pub(super) timeouts: u64,
    /// Seconds of processor time.
    pub(super) seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 4000, blocks: 20_000_000, timeouts: 2, seconds: 20 }
    }
}

/// How a run chooses when its prefix is over.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Threads go on; choices that sleep are left out.
    Search,
    /// At random, from this seed.
    Random(u64),
    /// It asks.
    Ask,
}

/// A choice that is not made again until something that matters to it has happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Asleep {
    /// The choice.
    pub(super) choice: Choice,
    /// What its step touched.
    pub(super) touched: Touched,
}

/// One run.
#[derive(Clone, Debug)]
pub(super) struct Request<'a> {
    /// What comes behind the prefix.
    pub(super) mode: Mode,
    /// Choices that are made first.
    pub(super) prefix: &'a [Choice],
    /// What sleeps where the last choice of the prefix is made.
    pub(super) asleep: &'a [Asleep],
    /// Arguments of the program, from `argv[1]` on.
    pub(super) arguments: &'a [String],
}

/// Answers a run that asks: who goes on, or `None` to stop it.
pub(super) type Asked<'a> = dyn FnMut(&State, &[Step]) -> Option<Choice> + 'a;

/// A program that waits for requests.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    stream: UnixStream,
    limits: Limits,
    cancels: bool,
    /// The operations, by number.
    pub(super) operations: Vec<Operation>,
}

impl Server {
    /// Starts a program. Its output goes nowhere; each run reads `stdin` from its beginning.
    ///
    /// # Errors
    /// It does not start, or does not answer.
    pub(super) fn start(program: &Program, limits: Limits, stdin: Option<&Path>) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let path = place.path().join("s");
        let listener = UnixListener::bind(&path).context("cannot make a socket")?;
        listener.set_nonblocking(true)?;
        let mut command = Command::new(&program.executable);
        command.env("EXPLORE_NATIVE", &path).current_dir(program.directory());
        command.env("GLIBC_TUNABLES", "glibc.malloc.arena_max=1:glibc.pthread.rseq=0");
        if let Some(stdin) = stdin {
            command.env("EXPLORE_NATIVE_STDIN", stdin.canonicalize()?);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start the program")?;
        let stream = accept(&listener, &mut child)?;
        let mut server = Self { child, stream, limits, cancels: program.cancels, operations: Vec::new() };
        let length = usize::try_from(server.word()?)?;
        let mut text = vec![0; length];
        server.stream.read_exact(&mut text)?;
        server.operations = operations(&String::from_utf8(text)?, program.cancels)?;
        Ok(server)
    }

    fn word(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.stream.read_exact(&mut bytes).context("the program does not answer any more")?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn words(&mut self, count: u64) -> Result<Vec<u64>> {
        let mut bytes = vec![0; usize::try_from(count)? * 8];
        self.stream.read_exact(&mut bytes).context("the program does not answer any more")?;
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("chunks of eight"));
        Ok(bytes.chunks_exact(8).map(word).collect())
    }

    fn send(&mut self, words: &[u64]) -> Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.stream.write_all(&bytes).context("the program does not listen any more")
    }

    /// Makes one run.
    ///
    /// # Errors
    /// The program is not there any more.
    pub(super) fn run(&mut self, request: &Request<'_>, asked: &mut Asked<'_>) -> Result<Run> {
        let words = encode(request, &self.limits, self.cancels);
        self.send(&words)?;
        let mut decoder = Decoder::default();
        loop {
            match self.word()? {
                1 => {
                    let count = self.word()?;
                    let words = self.words(count)?;
                    decoder.take(&words)?;
                    let state = decoder.state().context("a question without a state")?;
                    let answer = match asked(state, decoder.steps()) {
                        Some(choice) => [choice.thread, choice.variant],
                        None => [u64::MAX, 0],
                    };
                    self.send(&answer)?;
                }
                2 => {
                    let (status, late, count) = (self.word()?, self.word()? != 0, self.word()?);
                    let words = self.words(count)?;
                    let mut whole = Decoder::default();
                    whole.take(&words)?;
                    return Ok(whole.finish(status, late));
                }
                tag => bail!("the program answers with {tag}"),
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is only waiting for a request.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The connection of the program, which has ten seconds for it.
fn accept(listener: &UnixListener, child: &mut Child) -> Result<UnixStream> {
    for _ in 0..10_000 {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        ensure!(child.try_wait()?.is_none(), "the program ended before its main function");
        thread::sleep(Duration::from_millis(1));
    }
    bail!("the program does not come to its main function")
}

fn encode(request: &Request<'_>, limits: &Limits, cancels: bool) -> Vec<u64> {
    let (mode, seed) = match request.mode {
        Mode::Search => (0, 0),
        Mode::Random(seed) => (1, seed),
        Mode::Ask => (2, 0),
    };
    let mut words = vec![mode, seed, limits.steps, limits.blocks, limits.timeouts, u64::from(cancels), limits.seconds];
    words.push(request.prefix.len() as u64);
    words.extend(request.prefix.iter().map(|choice| choice.thread | choice.variant << 32));
    let mut asleep = Vec::new();
    for entry in request.asleep {
        let count = match &entry.touched {
            Touched::Everything => u64::MAX,
            Touched::Words(words) => words.len() as u64,
        };
        asleep.extend([entry.choice.thread, entry.choice.variant, count]);
        asleep.extend(entry.touched.words().iter().map(|access| access.0));
    }
    words.push(asleep.len() as u64);
    words.extend(asleep);
    let mut text: Vec<u8> = Vec::new();
    for argument in request.arguments {
        text.extend(argument.bytes().chain([0]));
    }
    text.resize(text.len().next_multiple_of(8), 0);
    words.push(1 + text.len() as u64 / 8);
    words.push(request.arguments.len() as u64);
    words.extend(text.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("chunks of eight"))));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_in_words() {
        let choice = Choice { thread: 2, variant: 1 };
        let asleep = [Asleep { choice, touched: Touched::Words(vec![]) }];
        let arguments = ["3".to_owned(), "seventeen".to_owned()];
        let request = Request { mode: Mode::Random(5), prefix: &[choice], asleep: &asleep, arguments: &arguments };
        let limits = Limits { steps: 10, blocks: 20, timeouts: 1, seconds: 2 };
        let words = encode(&request, &limits, true);
        assert_eq!(words[..9], [1, 5, 10, 20, 1, 1, 2, 1, 2 | 1 << 32]);
        assert_eq!(words[9..14], [3, 2, 1, 0, 3]);
        assert_eq!(words[14..], [2, u64::from_le_bytes(*b"3\0sevent"), u64::from_le_bytes(*b"een\0\0\0\0\0")]);
    }
}
