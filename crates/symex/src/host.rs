//! The operating system, as far as programs in the concrete domain see it.

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
