//! The operating system, as far as programs in the concrete domain see it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// System calls. Negative results are `-errno`.
pub trait Host {
    /// Writes bytes.
    fn write(&mut self, fd: i32, bytes: &[u8]) -> i64;
    /// Reads up to `n` bytes.
    fn read(&mut self, fd: i32, n: u64) -> Result<Vec<u8>, i64>;
    /// Opens a file with Linux's flags.
    fn open(&mut self, path: &[u8], flags: i32, mode: u32) -> i64;
    /// Closes a file.
    fn close(&mut self, fd: i32) -> i64;
    /// Moves the position of a file; 0 from the start, 1 from here, 2 from the end.
    fn seek(&mut self, fd: i32, offset: i64, whence: i32) -> i64;
    /// Size of a file.
    fn file_size(&mut self, fd: i32) -> i64;
    /// Seconds and nanoseconds of a clock.
    fn clock(&mut self, clock: i32) -> Result<(i64, i64), i64>;
}

const EBADF: i64 = -9;
const EINVAL: i64 = -22;
const EIO: i64 = -5;

/// The flags of `open` that `OpenOptions` wants said in its own way (x86-64 Linux).
const O_ACCMODE: i32 = 0o3;
const O_WRONLY: i32 = 0o1;
const O_RDWR: i32 = 0o2;
const O_CREAT: i32 = 0o100;
const O_EXCL: i32 = 0o200;
const O_TRUNC: i32 = 0o1000;
const O_APPEND: i32 = 0o2000;

/// The system that this process runs on. Standard input and outputs are this process's; other descriptors are the
/// program's own, numbered from 3.
#[derive(Debug)]
pub struct OsHost {
    files: BTreeMap<i32, File>,
    started: Instant,
}

impl OsHost {
    /// With the standard descriptors open.
    pub fn new() -> Self {
        let mut files = BTreeMap::new();
        let standard = [
            (0, io::stdin().as_fd().try_clone_to_owned()),
            (1, io::stdout().as_fd().try_clone_to_owned()),
            (2, io::stderr().as_fd().try_clone_to_owned()),
        ];
        for (fd, file) in standard {
            if let Ok(file) = file {
                files.insert(fd, File::from(file));
            }
        }
        Self { files, started: Instant::now() }
    }

    fn file(&mut self, fd: i32) -> Result<&mut File, i64> {
        self.files.get_mut(&fd).ok_or(EBADF)
    }
}

impl Default for OsHost {
    fn default() -> Self {
        Self::new()
    }
}

fn errno(error: &io::Error) -> i64 {
    error.raw_os_error().map_or(EIO, |code| -i64::from(code))
}

/// The value or the error, whichever it is, as system calls return it.
fn flat(result: Result<i64, i64>) -> i64 {
    result.unwrap_or_else(|error| error)
}

impl Host for OsHost {
    fn write(&mut self, fd: i32, bytes: &[u8]) -> i64 {
        flat(self.file(fd).and_then(|f| f.write(bytes).map(|n| n as i64).map_err(|e| errno(&e))))
    }

    fn read(&mut self, fd: i32, n: u64) -> Result<Vec<u8>, i64> {
        /// One read gives at most this much, so that a huge `n` does not allocate as much.
        const MOST: u64 = 1 << 24;
        let mut bytes = vec![0; usize::try_from(n.min(MOST)).map_err(|_| EINVAL)?];
        let got = self.file(fd)?.read(&mut bytes).map_err(|e| errno(&e))?;
        bytes.truncate(got);
        Ok(bytes)
    }

    fn open(&mut self, path: &[u8], flags: i32, mode: u32) -> i64 {
        let access = flags & O_ACCMODE;
        let writes = access == O_WRONLY || access == O_RDWR;
        let mut options = OpenOptions::new();
        options.read(access != O_WRONLY).mode(mode);
        options.append(writes && flags & O_APPEND != 0).write(writes);
        options.truncate(writes && flags & O_TRUNC != 0 && flags & O_APPEND == 0);
        if writes && flags & O_CREAT != 0 {
            options.create(true).create_new(flags & O_EXCL != 0);
        }
        options.custom_flags(flags & !(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND));
        let file = match options.open(OsStr::from_bytes(path)) {
            Ok(file) => file,
            Err(error) => return errno(&error),
        };
        let fd = (3..).find(|fd| !self.files.contains_key(fd)).unwrap_or(i32::MAX);
        self.files.insert(fd, file);
        i64::from(fd)
    }

    fn close(&mut self, fd: i32) -> i64 {
        if self.files.remove(&fd).is_some() { 0 } else { EBADF }
    }

    fn seek(&mut self, fd: i32, offset: i64, whence: i32) -> i64 {
        let to = match (whence, u64::try_from(offset)) {
            (0, Ok(offset)) => SeekFrom::Start(offset),
            (1, _) => SeekFrom::Current(offset),
            (2, _) => SeekFrom::End(offset),
            _ => return EINVAL,
        };
        flat(self.file(fd).and_then(|f| f.seek(to).map(|at| at as i64).map_err(|e| errno(&e))))
    }

    fn file_size(&mut self, fd: i32) -> i64 {
        flat(self.file(fd).and_then(|f| f.metadata().map(|m| m.len() as i64).map_err(|e| errno(&e))))
    }

    fn clock(&mut self, clock: i32) -> Result<(i64, i64), i64> {
        const REALTIME: i32 = 0;
        let since = match clock {
            REALTIME => SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| EINVAL)?,
            // Any starting point will do for the others.
            _ => self.started.elapsed(),
        };
        Ok((since.as_secs() as i64, i64::from(since.subsec_nanos())))
    }
}

/// A host in memory: given files and standard input, recorded output, a clock that ticks once per look. For tests.
#[derive(Clone, Default, Debug)]
pub struct MemoryHost {
    /// Files that exist, by path; what the program writes is kept here.
    pub files: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// What was written to standard output.
    pub stdout: Vec<u8>,
    /// What was written to standard error.
    pub stderr: Vec<u8>,
    open: BTreeMap<i32, (Vec<u8>, usize)>,
    read: usize,
    looks: i64,
}

impl MemoryHost {
    fn position(&mut self, fd: i32) -> Result<(&mut Vec<u8>, &mut usize), i64> {
        let (path, at) = self.open.get_mut(&fd).ok_or(EBADF)?;
        Ok((self.files.entry(path.clone()).or_default(), at))
    }
}

impl Host for MemoryHost {
    fn write(&mut self, fd: i32, bytes: &[u8]) -> i64 {
        match fd {
            1 => self.stdout.extend_from_slice(bytes),
            2 => self.stderr.extend_from_slice(bytes),
            _ => match self.position(fd) {
                Ok((file, at)) => {
                    file.resize(file.len().max(*at + bytes.len()), 0);
                    file[*at..*at + bytes.len()].copy_from_slice(bytes);
                    *at += bytes.len();
                }
                Err(error) => return error,
            },
        }
        bytes.len() as i64
    }

    fn read(&mut self, fd: i32, n: u64) -> Result<Vec<u8>, i64> {
        let n = usize::try_from(n).map_err(|_| EINVAL)?;
        let take = |file: &[u8], at: &mut usize| {
            let start = (*at).min(file.len());
            *at = file.len().min(start.saturating_add(n));
            file[start..*at].to_vec()
        };
        if fd == 0 {
            return Ok(take(&self.stdin, &mut self.read));
        }
        self.position(fd).map(|(file, at)| take(file, at))
    }

    fn open(&mut self, path: &[u8], flags: i32, _mode: u32) -> i64 {
        const ENOENT: i64 = -2;
        if !self.files.contains_key(path) && flags & O_CREAT == 0 {
            return ENOENT;
        }
        let file = self.files.entry(path.to_vec()).or_default();
        if flags & O_TRUNC != 0 {
            file.clear();
        }
        let at = if flags & O_APPEND != 0 { file.len() } else { 0 };
        let fd = (3..).find(|fd| !self.open.contains_key(fd)).unwrap_or(i32::MAX);
        self.open.insert(fd, (path.to_vec(), at));
        i64::from(fd)
    }

    fn close(&mut self, fd: i32) -> i64 {
        if self.open.remove(&fd).is_some() || fd < 3 { 0 } else { EBADF }
    }

    fn seek(&mut self, fd: i32, offset: i64, whence: i32) -> i64 {
        let (file, at) = match self.position(fd) {
            Ok(found) => found,
            Err(error) => return error,
        };
        let base = match whence {
            0 => 0,
            1 => *at as i64,
            _ => file.len() as i64,
        };
        match usize::try_from(base + offset) {
            Ok(to) => {
                *at = to;
                to as i64
            }
            Err(_) => EINVAL,
        }
    }

    fn file_size(&mut self, fd: i32) -> i64 {
        flat(self.position(fd).map(|(file, _)| file.len() as i64))
    }

    fn clock(&mut self, _clock: i32) -> Result<(i64, i64), i64> {
        self.looks += 1;
        Ok((1_700_000_000 + self.looks, 0))
    }
}

/// Several owners of one host, so that a test can look at it afterwards.
impl<H: Host> Host for std::rc::Rc<std::cell::RefCell<H>> {
    fn write(&mut self, fd: i32, bytes: &[u8]) -> i64 {
        self.borrow_mut().write(fd, bytes)
    }
    fn read(&mut self, fd: i32, n: u64) -> Result<Vec<u8>, i64> {
        self.borrow_mut().read(fd, n)
    }
    fn open(&mut self, path: &[u8], flags: i32, mode: u32) -> i64 {
        self.borrow_mut().open(path, flags, mode)
    }
    fn close(&mut self, fd: i32) -> i64 {
        self.borrow_mut().close(fd)
    }
    fn seek(&mut self, fd: i32, offset: i64, whence: i32) -> i64 {
        self.borrow_mut().seek(fd, offset, whence)
    }
    fn file_size(&mut self, fd: i32) -> i64 {
        self.borrow_mut().file_size(fd)
    }
    fn clock(&mut self, clock: i32) -> Result<(i64, i64), i64> {
        self.borrow_mut().clock(clock)
    }
}
