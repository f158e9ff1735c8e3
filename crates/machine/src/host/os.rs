//! The system that this process runs on.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{self, AtFlags, CWD, Gid, Mode, OFlags, Stat, Timespec, Timestamps, Uid};
use rustix::io::Errno;

use super::proc::proc_name;
use super::refused::is_memory;
use super::{EBADF, EINVAL, FileArguments, FileOperation, FileQuery, Host, flat};
use crate::budgets::BUDGETS;

const EIO: i64 = -5;
/// "The current directory" where a descriptor is asked for.
const AT_CURRENT: i32 = -100;

/// The system that this process runs on. Standard input and outputs are this process's; other descriptors are the
/// program's own, numbered from 3. The current directory is the program's own too.
#[derive(Debug)]
pub struct OsHost {
    files: BTreeMap<i32, File>,
    started: Instant,
    /// The directory that paths start from, once the program changed it.
    directory: Option<OwnedFd>,
    /// By path, as the program names it: the file that stands for it, or `None` if there is to be none.
    replaced: BTreeMap<Vec<u8>, Option<PathBuf>>,
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
        Self { files, started: Instant::now(), directory: None, replaced: BTreeMap::new() }
    }

    /// With other files in place of those that the program names, or with none; and another standard input.
    #[must_use]
    pub fn with(mut self, files: &[(String, Option<PathBuf>)], stdin: Option<File>) -> Self {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let name = |name: &String| name.as_bytes().to_vec();
        self.replaced = files.iter().map(|(file, path)| (name(file), path.as_ref().map(absolute))).collect();
        if let Some(stdin) = stdin {
            self.files.insert(0, stdin);
        }
        self
    }

    /// The path that stands for one of the program's.
    fn path<'p>(&'p self, path: &'p [u8]) -> Result<&'p [u8], Errno> {
        match self.replaced.get(path) {
            Some(Some(other)) => Ok(other.as_os_str().as_bytes()),
            Some(None) => Err(Errno::NOENT),
            None => Ok(path),
        }
    }

    fn open_file(&mut self, fd: i32) -> Result<&mut File, i64> {
        self.files.get_mut(&fd).ok_or(EBADF)
    }

    fn descriptor(&self, fd: i32) -> Result<&File, Errno> {
        self.files.get(&fd).ok_or(Errno::BADF)
    }

    /// What paths start from that are relative to `fd`.
    fn base(&self, fd: i32) -> Result<std::os::fd::BorrowedFd<'_>, Errno> {
        if fd == AT_CURRENT {
            return Ok(self.directory.as_ref().map_or(CWD, AsFd::as_fd));
        }
        self.descriptor(fd).map(AsFd::as_fd)
    }

    fn insert(&mut self, file: OwnedFd) -> i64 {
        let fd = (3..).find(|fd| !self.files.contains_key(fd)).unwrap_or(i32::MAX);
        self.files.insert(fd, File::from(file));
        i64::from(fd)
    }

    fn open_at(&mut self, fd: i32, path: &[u8], flags: i32, mode: u32) -> Result<i64, Errno> {
        let flags = OFlags::from_bits_retain(flags.cast_unsigned()) | OFlags::CLOEXEC;
        let file = fs::openat(self.base(fd)?, self.path(path)?, flags, Mode::from_bits_retain(mode))?;
        if is_memory(&file) {
            return Err(Errno::ACCESS);
        }
        Ok(self.insert(file))
    }

    fn current_directory(&self) -> io::Result<PathBuf> {
        match &self.directory {
            None => std::env::current_dir(),
            Some(fd) => fs::readlinkat(CWD, proc_name(fd), Vec::new())
                .map(|path| PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
                .map_err(Into::into),
        }
    }

    fn change_directory(&mut self, arguments: &FileArguments) -> Result<i64, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let empty = arguments.path.is_empty();
        let base = self.base(if empty { arguments.fd } else { AT_CURRENT })?;
        let path: &[u8] = if empty { b"." } else { &arguments.path };
        self.directory = Some(fs::openat(base, path, flags, Mode::empty())?);
        Ok(0)
    }

    fn operate(&mut self, operation: FileOperation, arguments: &FileArguments) -> Result<i64, Errno> {
        let FileArguments { fd, path, other, a, b } = arguments;
        let (fd, path, other, a, b) = (*fd, path.as_slice(), other.as_slice(), *a, *b);
        match operation {
            FileOperation::Open => return self.open_at(fd, path, a as i32, b as u32),
            FileOperation::Access => fs::accessat(
                self.base(fd)?,
                self.path(path)?,
                fs::Access::from_bits_retain(a as u32),
                AtFlags::from_bits_retain(b as u32),
            )?,
            FileOperation::Unlink => fs::unlinkat(self.base(fd)?, path, AtFlags::from_bits_retain(a as u32))?,
            FileOperation::Rename => fs::renameat(self.base(fd)?, path, self.base(a as i32)?, other)?,
            FileOperation::MakeDirectory => fs::mkdirat(self.base(fd)?, path, mode(a))?,
            FileOperation::Link => {
                let flags = AtFlags::from_bits_retain(b as u32);
                fs::linkat(self.base(fd)?, path, self.base(a as i32)?, other, flags)?;
            }
            FileOperation::SymbolicLink => fs::symlinkat(other, self.base(fd)?, path)?,
            FileOperation::MakePipe => fs::mknodat(self.base(fd)?, path, fs::FileType::Fifo, mode(a), 0)?,
            FileOperation::Mode => fs::chmodat(self.base(fd)?, path, mode(a), AtFlags::empty())?,
            FileOperation::Owner => fs::chownat(self.base(fd)?, path, uid(a), gid(b), AtFlags::empty())?,
            FileOperation::Times => fs::utimensat(self.base(fd)?, path, &times(a, b), AtFlags::empty())?,
            FileOperation::ChangeDirectory => return self.change_directory(arguments),
            FileOperation::Mask => return Ok(i64::from(rustix::process::umask(mode(a)).bits())),
            FileOperation::Resize => {
                fs::ftruncate(self.descriptor(fd)?, u64::try_from(a).map_err(|_| Errno::INVAL)?)?;
            }
            FileOperation::Synchronise => fs::fsync(self.descriptor(fd)?)?,
            FileOperation::ModeOf => fs::fchmod(self.descriptor(fd)?, mode(a))?,
            FileOperation::OwnerOf => fs::fchown(self.descriptor(fd)?, uid(a), gid(b))?,
            FileOperation::TimesOf => fs::futimens(self.descriptor(fd)?, &times(a, b))?,
            FileOperation::Flags => return fs::fcntl_getfl(self.descriptor(fd)?).map(|f| i64::from(f.bits())),
            FileOperation::SetFlags => {
                fs::fcntl_setfl(self.descriptor(fd)?, OFlags::from_bits_retain(a as u32))?;
            }
            FileOperation::Lock => fs::flock(self.descriptor(fd)?, lock(a).ok_or(Errno::INVAL)?)?,
        }
        Ok(0)
    }

    fn ask(&mut self, query: FileQuery, fd: i32, path: &[u8]) -> Result<Vec<u8>, Errno> {
        match query {
            FileQuery::Status => fs::statat(self.base(fd)?, path, AtFlags::empty()).map(|s| status(&s)),
            FileQuery::LinkStatus => fs::statat(self.base(fd)?, path, AtFlags::SYMLINK_NOFOLLOW).map(|s| status(&s)),
            FileQuery::StatusOf => fs::fstat(self.descriptor(fd)?).map(|s| status(&s)),
            FileQuery::ReadLink => fs::readlinkat(self.base(fd)?, path, Vec::new()).map(std::ffi::CString::into_bytes),
            FileQuery::CurrentDirectory => {
                self.current_directory().map(|path| path.into_os_string().into_vec()).map_err(code)
            }
            FileQuery::RealPath => {
                let from = match &self.directory {
                    Some(fd) => PathBuf::from(proc_name(fd)).join(OsStr::from_bytes(path)),
                    None => PathBuf::from(OsStr::from_bytes(path)),
                };
                if path.is_empty() {
                    return Err(Errno::NOENT);
                }
                std::fs::canonicalize(from).map(|path| path.into_os_string().into_vec()).map_err(code)
            }
            FileQuery::Entries => entries(self.descriptor(fd)?),
        }
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

fn code(error: io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

fn negative(error: Errno) -> i64 {
    -i64::from(error.raw_os_error())
}

fn mode(bits: i64) -> Mode {
    Mode::from_bits_retain(bits as u32)
}

/// -1 keeps the owner.
fn uid(number: i64) -> Option<Uid> {
    (number as u32 != u32::MAX).then(|| Uid::from_raw(number as u32))
}

fn gid(number: i64) -> Option<Gid> {
    (number as u32 != u32::MAX).then(|| Gid::from_raw(number as u32))
}

fn times(access: i64, change: i64) -> Timestamps {
    const SECOND: i64 = 1_000_000_000;
    let time = |at: i64| match at {
        i64::MIN => Timespec { tv_sec: 0, tv_nsec: fs::UTIME_NOW },
        at if at == i64::MIN + 1 => Timespec { tv_sec: 0, tv_nsec: fs::UTIME_OMIT },
        at => Timespec { tv_sec: at.div_euclid(SECOND), tv_nsec: at.rem_euclid(SECOND) },
    };
    Timestamps { last_access: time(access), last_modification: time(change) }
}

/// The operations of `flock`: shared 1, exclusive 2, unlock 8; never waits.
fn lock(operation: i64) -> Option<fs::FlockOperation> {
    match operation & !4 {
        1 => Some(fs::FlockOperation::NonBlockingLockShared),
        2 => Some(fs::FlockOperation::NonBlockingLockExclusive),
        8 => Some(fs::FlockOperation::Unlock),
        _ => None,
    }
}

/// `struct stat` of x86-64.
fn status(s: &Stat) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(144);
    for word in [s.st_dev, s.st_ino, s.st_nlink] {
        bytes.extend(word.to_le_bytes());
    }
    for word in [s.st_mode, s.st_uid, s.st_gid, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(s.st_rdev.to_le_bytes());
    for word in [s.st_size, s.st_blksize, s.st_blocks] {
        bytes.extend(word.to_le_bytes());
    }
    let times = [(s.st_atime, s.st_atime_nsec), (s.st_mtime, s.st_mtime_nsec), (s.st_ctime, s.st_ctime_nsec)];
    for (seconds, nanoseconds) in times {
        bytes.extend(seconds.to_le_bytes());
        bytes.extend(nanoseconds.to_le_bytes());
    }
    bytes.resize(144, 0);
    bytes
}

/// All entries, in the order of the file system, each a `struct dirent` cut off behind the name.
fn entries(directory: &File) -> Result<Vec<u8>, Errno> {
    const HEAD: usize = 19;
    let mut bytes = Vec::new();
    let mut all = fs::Dir::read_from(directory)?;
    all.rewind();
    for entry in all {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        let length = (HEAD + name.len() + 1).next_multiple_of(8);
        let end = bytes.len() + length;
        bytes.extend(entry.ino().to_le_bytes());
        bytes.extend((end as u64).to_le_bytes());
        bytes.extend((length as u16).to_le_bytes());
        bytes.push((entry.file_type().as_raw_mode() >> 12) as u8);
        bytes.extend(name);
        bytes.resize(end, 0);
    }
    Ok(bytes)
}

/// What one read can give at most, so that a huge request does not allocate as much: what is left of a file, but
/// anything for one that only looks empty.
fn at_once(file: &mut File) -> u64 {
    let size = file.metadata().map_or(0, |m| m.len());
    let left = size.saturating_sub(file.stream_position().unwrap_or(size));
    left.max(BUDGETS.host_read_bytes)
}

impl Host for OsHost {
    fn write(&mut self, fd: i32, bytes: &[u8]) -> i64 {
        flat(self.open_file(fd).and_then(|f| f.write(bytes).map(|n| n as i64).map_err(|e| errno(&e))))
    }

    fn read(&mut self, fd: i32, n: u64) -> Result<Vec<u8>, i64> {
        let file = self.open_file(fd)?;
        let mut bytes = vec![0; usize::try_from(n.min(at_once(file))).map_err(|_| EINVAL)?];
        let got = file.read(&mut bytes).map_err(|e| errno(&e))?;
        bytes.truncate(got);
        Ok(bytes)
    }

    fn open(&mut self, path: &[u8], flags: i32, mode: u32) -> i64 {
        flat(self.open_at(AT_CURRENT, path, flags, mode).map_err(negative))
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
        flat(self.open_file(fd).and_then(|f| f.seek(to).map(|at| at as i64).map_err(|e| errno(&e))))
    }

    fn file_size(&mut self, fd: i32) -> i64 {
        flat(self.open_file(fd).and_then(|f| f.metadata().map(|m| m.len() as i64).map_err(|e| errno(&e))))
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

    fn file(&mut self, operation: FileOperation, arguments: &FileArguments) -> i64 {
        flat(self.operate(operation, arguments).map_err(negative))
    }

    fn query(&mut self, query: FileQuery, fd: i32, path: &[u8]) -> Result<Vec<u8>, i64> {
        let path = self.path(path).map_err(negative)?.to_vec();
        self.ask(query, fd, &path).map_err(negative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCESS_DENIED: i64 = -13;
    const READ_WRITE: i32 = 2;

    fn open(host: &mut OsHost, path: &str) -> i64 {
        host.open(path.as_bytes(), READ_WRITE, 0)
    }

    #[test]
    fn the_memory_of_processes_is_refused_by_whatever_path() {
        let mut host = OsHost::new();
        let process = std::process::id();
        for path in [
            "/proc/self/mem",
            "/proc/thread-self/mem",
            "/proc/self/../self/./mem",
            &format!("/proc/{process}/mem"),
            &format!("/proc/self/task/{process}/mem"),
            &format!("/proc/self/root/proc/{process}/mem"),
        ] {
            assert_eq!(open(&mut host, path), ACCESS_DENIED, "{path}");
        }
        assert!(host.open(b"/proc/self/status", 0, 0) >= 3);
    }

    #[test]
    fn links_and_directories_lead_to_the_same_file() {
        let mut host = OsHost::new();
        let link = std::env::temp_dir().join(format!("icsched-memory-{}", std::process::id()));
        std::os::unix::fs::symlink("/proc/self/mem", &link).expect("the directory of temporary files can be written");
        let opened = open(&mut host, link.to_str().expect("a plain path"));
        std::fs::remove_file(&link).expect("it was made above");
        assert_eq!(opened, ACCESS_DENIED);
        let there = |path: &str| FileArguments { fd: AT_CURRENT, path: path.into(), other: Vec::new(), a: 0, b: 0 };
        assert_eq!(host.file(FileOperation::ChangeDirectory, &there("/proc/self")), 0);
        assert_eq!(open(&mut host, "mem"), ACCESS_DENIED);
        let directory = i32::try_from(host.open(b"/proc/self", 0, 0)).expect("a descriptor");
        let relative = FileArguments { fd: directory, a: READ_WRITE.into(), ..there("mem") };
        assert_eq!(host.file(FileOperation::Open, &relative), ACCESS_DENIED);
    }

    #[test]
    fn a_file_that_is_only_called_so_is_none_of_them() {
        let mut host = OsHost::new();
        let directory = std::env::temp_dir().join(format!("icsched-called-memory-{}", std::process::id()));
        std::fs::create_dir(&directory).expect("the directory of temporary files can be written");
        std::fs::write(directory.join("mem"), "text").expect("it was made above");
        let opened = open(&mut host, directory.join("mem").to_str().expect("a plain path"));
        std::fs::remove_dir_all(&directory).expect("it was made above");
        assert!(opened >= 3, "{opened}");
    }
}
