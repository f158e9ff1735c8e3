//! Memory that is kept for the end: when an allocation fails, it is given back, and the run is asked to stop.
//!
//! An allocation fails where the address space of the process is limited (`ulimit -v`), or the machine promises no more
//! memory than it has. Limits are looked at all the time, so that this happens to what grows at once. What fails after
//! that ends the process, which its parent tells.
#![expect(
    unsafe_code,
    reason = "allocators are, and nothing that allocates may be called when an allocation has failed"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::os::fd::RawFd;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use icsched_driver::config::MemoryLimits;

use crate::status::INCOMPLETE;

/// The allocator of the process.
#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

/// What is kept, and where.
const KEPT: Layout = match Layout::from_size_align(32 << 20, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Where to store which number when the reserve is given back.
static REQUEST: OnceLock<(Arc<AtomicUsize>, usize)> = OnceLock::new();

/// Whether an allocation has failed.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

/// The pipe to the parent, or none.
static PARENT: AtomicI32 = AtomicI32::new(NOBODY);
const NOBODY: RawFd = -1;

const TO_PARENT: &[u8] = b"limit memory\n";
const TO_USER: &[u8] = b"warning[limit]: stopped: there is no more memory\n";

/// Gives back the reserve, and in the end ends the process.
struct Reserving;

// SAFETY: all memory comes from the system's allocator and goes back there.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by whoever calls.
        again(layout, || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by whoever calls.
        again(layout, || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as promised by whoever calls.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised by whoever calls; memory that could not grow is as it was.
        again(layout, || unsafe { System.realloc(memory, layout, size) })
    }
}

/// Allocates; once more without the reserve if that fails. What fails then ends the process.
#[inline]
fn again(layout: Layout, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let memory = allocate();
    if !memory.is_null() || layout.size() == 0 {
        return memory;
    }
    without_reserve(allocate)
}

#[cold]
fn without_reserve(allocate: impl Fn() -> *mut u8) -> *mut u8 {
    HAS_FAILED.store(true, Ordering::Relaxed);
    let reserve = RESERVE.swap(ptr::null_mut(), Ordering::AcqRel);
    if !reserve.is_null() {
        // SAFETY: it was allocated so, and whoever swaps has it alone.
        unsafe { System.dealloc(reserve, KEPT) };
    }
    if let Some((flag, number)) = REQUEST.get() {
        // A cause that was there before stays.
        let _ = flag.compare_exchange(0, *number, Ordering::Relaxed, Ordering::Relaxed);
    }
    let memory = allocate();
    if memory.is_null() { end_for_want_of_memory() } else { memory }
}

/// Ends the process from wherever it is; nothing here allocates.
pub(crate) fn end_for_want_of_memory() -> ! {
    let parent = PARENT.load(Ordering::Relaxed);
    let (to, text) = if parent == NOBODY { (libc::STDERR_FILENO, TO_USER) } else { (parent, TO_PARENT) };
    // SAFETY: the text is as long as that. Where it cannot be written, nothing can be said.
    let _ = unsafe { libc::write(to, text.as_ptr().cast(), text.len()) };
    end_at_once(INCOMPLETE)
}

/// Ends the process without what libraries do at an exit: other threads may be at work in them.
pub(super) fn end_at_once(status: i32) -> ! {
    // SAFETY: it does not return, and touches nothing of this process.
    unsafe { libc::_exit(status) }
}

/// When there is no more memory, the number is stored there.
pub(super) fn keep(flag: &Arc<AtomicUsize>, number: usize) {
    // Whoever was first is asked to stop: a command has one run.
    let _ = REQUEST.set((Arc::clone(flag), number));
    // SAFETY: the size is not 0.
    let memory = unsafe { System.alloc(KEPT) };
    let before = RESERVE.swap(memory, Ordering::AcqRel);
    if !before.is_null() {
        // SAFETY: it was allocated so, and whoever swaps has it alone.
        unsafe { System.dealloc(before, KEPT) };
    }
}

/// A process that ends for want of memory tells so there.
pub(super) fn tell_failures_to(pipe: RawFd) {
    PARENT.store(pipe, Ordering::Relaxed);
}

/// Whether an allocation has failed.
fn has_failed() -> bool {
    HAS_FAILED.load(Ordering::Relaxed)
}

/// Whether something failed that may have failed for want of memory.
pub(crate) fn is_out_of_memory() -> bool {
    let limits = MemoryLimits { resident: None, ..MemoryLimits::of_process(None) };
    has_failed() || limits.are_reached()
}

/// From here on an allocation counts as failed.
#[cfg(test)]
pub(crate) fn lack_memory() {
    HAS_FAILED.store(true, Ordering::Relaxed);
}
