//! The operating system, as far as programs in the concrete domain see it.

mod operation;
mod os;
mod proc;
mod refused;

use std::collections::BTreeMap;

pub use operation::{FileOperation, FileQuery};
pub use os::OsHost;

/// What [`Host::file`] is given; what each field means depends on the [`FileOperation`].
#[derive(Clone, Debug)]
pub struct FileArguments {
    /// A descriptor, or the directory that paths start from (-100: the current one).
    pub fd: i32,
    /// A path.
    pub path: Vec<u8>,
    /// A second path.
    pub other: Vec<u8>,
    /// A number.
    pub a: i64,
    /// Another.
    pub b: i64,
}

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
    /// Changes files and directories. A host without them has no such call.
    fn file(&mut self, _operation: FileOperation, _arguments: &FileArguments) -> i64 {
        ENOSYS
    }
    /// Asks about files and directories; the bytes are laid out as Linux's C library has them.
    fn query(&mut self, _query: FileQuery, _fd: i32, _path: &[u8]) -> Result<Vec<u8>, i64> {
        Err(ENOSYS)
    }
}

const ENOENT: i64 = -2;
const EBADF: i64 = -9;
const EINVAL: i64 = -22;
const ENOSYS: i64 = -38;
const O_CREAT: i32 = 0o100;
const O_TRUNC: i32 = 0o1000;
const O_APPEND: i32 = 0o2000;

/// The value or the error, whichever it is, as system calls return it.
fn flat(result: Result<i64, i64>) -> i64 {
    result.unwrap_or_else(|error| error)
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
    /// What `stat` says of a file.
    fn status(&self, path: &[u8]) -> Result<Vec<u8>, i64> {
        const REGULAR: u32 = 0o100_644;
        const BLOCK: u64 = 4096;
        let size = self.files.get(path).ok_or(ENOENT)?.len() as u64;
        let device_inode_links = [1_u64, 1, 1];
        let mode_owner_group = [REGULAR, 0, 0, 0];
        let mut bytes: Vec<u8> = device_inode_links.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(mode_owner_group.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend([0, size, BLOCK, size.div_ceil(512)].iter().flat_map(|word| word.to_le_bytes()));
        bytes.resize(144, 0);
        Ok(bytes)
    }

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

    fn query(&mut self, query: FileQuery, fd: i32, path: &[u8]) -> Result<Vec<u8>, i64> {
        match query {
            FileQuery::Status | FileQuery::LinkStatus => self.status(path),
            FileQuery::StatusOf => match self.open.get(&fd) {
                Some((path, _)) => self.status(path),
                None => Err(EBADF),
            },
            FileQuery::ReadLink | FileQuery::CurrentDirectory | FileQuery::RealPath | FileQuery::Entries => Err(ENOSYS),
        }
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
    fn file(&mut self, operation: FileOperation, arguments: &FileArguments) -> i64 {
        self.borrow_mut().file(operation, arguments)
    }
    fn query(&mut self, query: FileQuery, fd: i32, path: &[u8]) -> Result<Vec<u8>, i64> {
        self.borrow_mut().query(query, fd, path)
    }
}
