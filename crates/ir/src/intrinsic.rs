//! The operations of the engine that C models call by name (`__ics_…`).
//!
//! Their C declarations are in `runtime-models/ics.h`; what each does to threads, wait queues and schedules is Bergan
//! 2.5, figures 2.11 and 2.12. The table below is the only place that lists them.

use serde::{Deserialize, Serialize};

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $arity:literal;)*) => {
        /// An operation of the engine, called from a model.
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum Intrinsic { $($(#[$doc])* $variant,)* }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// The C name.
            pub const fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => $name,)* }
            }

            /// Number of arguments.
            pub const fn arity(self) -> usize {
                match self { $(Intrinsic::$variant => $arity,)* }
            }

            /// The intrinsic with this C name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Intrinsic::$variant),)* _ => None }
            }
        }
    };
}

intrinsics! {
    // --- threads and wait queues -------------------------------------------------------------------------------
    /// `void (void)`: a scheduling point; the scheduler may switch threads.
    Yield = "__ics_yield", 0;
    /// `void (void)`: the thread waits for another one's progress by polling; the scheduler switches if it can.
    Pause = "__ics_pause", 0;
    /// `void (const void *queue)`: blocks on the FIFO queue named by the address until notified.
    Wait = "__ics_wait", 1;
    /// `int (const void *queue, unsigned long deadline)`: the same, but gives up when the run's clock has reached the
    /// deadline (nanoseconds); 0 notified, 1 timed out. When every thread is blocked, the clock jumps to the earliest
    /// deadline. All ones: only when every thread is blocked and there is no real deadline, the longest-waiting first.
    WaitTimed = "__ics_wait_timed", 2;
    /// `void (const void *queue)`: wakes the first waiter, if any.
    NotifyOne = "__ics_notify_one", 1;
    /// `void (const void *queue)`: wakes all waiters.
    NotifyAll = "__ics_notify_all", 1;
    /// `int (int slot)`: takes the thread of that slot out of the wait queue it is in, if any, and enables it; 1 if
    /// it was in one.
    NotifyThread = "__ics_notify_thread", 1;
    /// `int (void *(*start)(void *), void *arg, int slot)`: a new enabled thread that runs `start(arg)`; `slot` is
    /// what [`ThreadSelf`](Intrinsic::ThreadSelf) returns in it. Returns the engine's thread number (1, 2, ...).
    ThreadCreate = "__ics_thread_create", 3;
    /// `int (void)`: the slot given at creation; 0 in the main thread.
    ThreadSelf = "__ics_thread_self", 0;
    /// `void (void)`, no return: ends the calling thread at once.
    ThreadExit = "__ics_thread_exit", 0;
    /// `int (int slot, void (*handler)(void))`: the thread of that slot, if it is another one and can run, runs
    /// `handler` before the next instruction of the program that it executes; 1 if so. The handler ends with
    /// `__ics_resume`. Concrete domain only.
    Interrupt = "__ics_interrupt", 2;
    /// `void (void)`, no return: the function that calls this ends, and what it interrupted goes on.
    Resume = "__ics_resume", 0;
    /// `void (unsigned activations)`: the function that calls this is about to return; so many activations of its
    /// recursion are there without it. Inserted by the [frontend](crate::activations), in no model.
    Leave = "__ics_leave", 1;
    /// `unsigned long (int busy)`: the run's clock, in nanoseconds since its start: a fixed time per instruction, and
    /// what was slept unless `busy`. Concrete domain only.
    Clock = "__ics_clock", 1;
    // --- annotations -------------------------------------------------------------------------------------------
    /// `void (const void *lock)`: the thread now holds the lock (lockset L+).
    Acquire = "__ics_acquire", 1;
    /// `void (const void *lock)`: the thread no longer holds it.
    Release = "__ics_release", 1;
    /// `void (const void *lock)`: the thread does not hold it here. For analyses; running it does nothing.
    NotHeld = "__ics_not_held", 1;
    /// `void (const void *barrier, unsigned count)`: the barrier's expected arrivals.
    BarrierInit = "__ics_barrier_init", 2;
    /// `void (const void *barrier)`: the thread arrives.
    BarrierArrive = "__ics_barrier_arrive", 1;
    /// `void (const void *object, int mode)`: a node of the happens-before graph, labelled with the program's call
    /// that led here; ordered on `object`. Mode 0: against every other node on it; 1: not against other mode-1 nodes.
    Event = "__ics_event", 2;
    /// `void (const void *object, int mode)`: orders the thread's latest node on one more object.
    Order = "__ics_order", 2;
    // --- memory ------------------------------------------------------------------------------------------------
    /// `void *(size_t bytes, int zeroed)`: a heap object attributed to the program's call; null if no process can have
    /// so much, and not supported if it is more than [`MAX_OBJECT`](crate::MAX_OBJECT).
    Malloc = "__ics_malloc", 2;
    /// `void (void *)`: frees a heap object; null is ignored; everything else is a memory error.
    Free = "__ics_free", 1;
    /// `void (void *object, int family)`: only functions of this family may free the heap object: 0 `free`, 1 `delete`,
    /// 2 `delete[]`.
    SetFamily = "__ics_set_family", 2;
    /// `void (const void *, int family)`: a memory error if the address is the start of a live heap object of another
    /// family.
    CheckFamily = "__ics_check_family", 2;
    /// `size_t (const void *)`: size of the live object that the address is the start of; else a memory error.
    ObjectSize = "__ics_object_size", 1;
    /// `size_t (const void *)`: bytes from the address to the end of the live object it points into; 0 if it points
    /// into none. Never a memory error.
    Room = "__ics_room", 1;
    /// `void (void *to, const void *from, size_t n)`.
    MemCopy = "__ics_memcpy", 3;
    /// `void (void *to, const void *from, size_t n)`, overlap allowed.
    MemMove = "__ics_memmove", 3;
    /// `void (void *to, int byte, size_t n)`.
    MemSet = "__ics_memset", 3;
    // --- process -----------------------------------------------------------------------------------------------
    /// `void (*(int index))(void)`: the function with this index among those to run at exit
    /// (`__attribute__((destructor))`), in order; null behind the last.
    Destructor = "__ics_destructor", 1;
    /// `void (int status)`, no return: the process exits at once.
    Exit = "__ics_exit", 1;
    /// `void (void *buffer)`: remembers the call of the model that executes it in the first three words of the buffer
    /// (`setjmp`).
    SaveContext = "__ics_save_context", 1;
    /// `void (void *buffer, int value)`, no return: the remembered call returns once more, with this value (`longjmp`).
    /// Concrete domain only.
    RestoreContext = "__ics_restore_context", 2;
    /// `void (void)`, no return: the process aborts (`SIGABRT`).
    Abort = "__ics_abort", 0;
    /// `void (const char *expression, const char *file, unsigned line, const char *function)`, no return.
    AssertFail = "__ics_assert_fail", 4;
    /// `void (const char *message)`, no return: undefined behaviour found by a model.
    Error = "__ics_error", 1;
    /// `void (const char *what)`, no return: the program asks for something that the models do not have (`longjmp`);
    /// not the program's fault but a reason for incompleteness.
    Unsupported = "__ics_unsupported", 1;
    /// `void *(void)`: marks how far the thread's stack reaches.
    StackSave = "__ics_stack_save", 0;
    /// `void (void *mark)`: the locals made since the mark, by calls of `alloca` or as arrays of variable length, die.
    StackRestore = "__ics_stack_restore", 1;
    // --- domain and inputs -------------------------------------------------------------------------------------
    /// `int (void)`: 1 in the symbolic domain, 0 in the concrete one. A constant per run, never symbolic.
    IsSymbolicDomain = "__ics_is_symbolic_domain", 0;
    /// `int (void)`: 1 if models are to look at each byte of text, whatever is known of it. A constant per run.
    IsExact = "__ics_is_exact", 0;
    /// `unsigned (const char *name)`: how many calls may fail on a path, if one of the library function with this name
    /// may that the program makes here (`--may-fail`); else 0. A constant per place.
    MayFail = "__ics_may_fail", 1;
    /// `int (unsigned long value)`: 1 if the value is not a constant now.
    IsSymbolic = "__ics_is_symbolic", 1;
    /// `int (unsigned long value)`: 1 if the run began in the middle of the program and the value is not a constant
    /// now. A constant per call, never symbolic.
    IsUnknown = "__ics_is_unknown", 1;
    /// `int (const void *p, size_t n)`: 1 if any of the bytes is not a constant now.
    AnySymbolic = "__ics_any_symbolic", 2;
    /// `int (const char *s)`: 1 if any byte up to and including the first constant NUL is not a constant.
    StringSymbolic = "__ics_string_symbolic", 1;
    /// `unsigned long (const char *s, size_t room)`: how many of the bytes come before the first one that is a constant
    /// NUL; `room` if none is.
    StringEnd = "__ics_string_end", 2;
    /// `int (const char *s, size_t n)`: whether one of the bytes is NUL, as one value.
    HasNul = "__ics_has_nul", 2;
    /// `unsigned long (unsigned long c, unsigned long a, unsigned long b)`: `c ? a : b` without a branch.
    Select = "__ics_select", 3;
    /// `unsigned long (const char *name, unsigned bits)`: a new input value, named `name`, `name#2`, ...; symbolic
    /// domain only.
    Input = "__ics_input", 2;
    /// `unsigned long (const char *name, const char *s, unsigned bits)`: the value of a pure function of the string
    /// at `s` (`atoi` and the like): the input `name(path of s)`, the same one for the same string; symbolic domain.
    InputOfString = "__ics_input_of_string", 3;
    /// `void (void *p, size_t n, const char *name)`: makes `n` bytes new inputs `name[0..n]`; symbolic domain only.
    InputBytes = "__ics_input_bytes", 3;
    /// `unsigned long (int function, unsigned long a, unsigned long b)`: bits of a double, from bits of doubles that
    /// are constants: what the host's libm gives. The functions, from 0: tan, asin, acos, atan, atan2(a, b), sinh,
    /// cosh, tanh, asinh, acosh, atanh, cbrt, hypot(a, b), expm1, log1p.
    Math = "__ics_math", 3;
    /// `void (int condition)`: the inputs satisfy the condition (only to bound what `__ics_input` returned).
    Assume = "__ics_assume", 1;
    /// `void (int what, const void *field, const void *object)`: a model is about to look at a word of an object of
    /// synchronisation. In a run that began in the middle of the program, where nobody knows the word, what holds of
    /// all such words is assumed (Bergan 2.5.3); else nothing happens. `what`: 0 zero unless some thread holds the lock
    /// `object`; 1 what the barrier `object` was told to expect; 2 how many threads wait for `object`; 3 a count of
    /// permits: at most `SEM_VALUE_MAX`, and zero while one does; 4 not zero while one does; 5 how many threads live.
    Known = "__ics_known", 3;
    /// `unsigned long (unsigned long handle)`: the handle of a thread. In a run that began in the middle of the
    /// program, where nobody knows it, it is compared with those of the threads that live, so that it becomes a
    /// constant if it is one of theirs.
    Handle = "__ics_handle", 1;
    // --- host (concrete domain; in the symbolic domain only where said) -----------------------------------------
    /// `long (int fd, const void *p, size_t n)`: writes to the host; a sink in the symbolic domain (returns n).
    HostWrite = "__ics_host_write", 3;
    /// `long (int fd, void *p, size_t n)`: reads from the host; -errno on error.
    HostRead = "__ics_host_read", 3;
    /// `int (const char *path, int flags, int mode)`: -errno on error.
    HostOpen = "__ics_host_open", 3;
    /// `int (int fd)`: -errno on error.
    HostClose = "__ics_host_close", 1;
    /// `long (int fd, long offset, int whence)`: -errno on error.
    HostSeek = "__ics_host_seek", 3;
    /// `long (int fd)`: the file's size, or -errno.
    HostFileSize = "__ics_host_file_size", 1;
    /// `long (int clock, long *seconds_and_nanoseconds)`: -errno on error.
    HostClock = "__ics_host_clock", 2;
    /// `long (int operation, int fd, const char *path, const char *other, long a, long b)`: changes files or
    /// directories; the operations are `FileOperation` in `crates/machine`. -errno on error.
    HostFile = "__ics_host_file", 6;
    /// `long (int query, int fd, const char *path, void *to, size_t n)`: stores up to n bytes of the answer and returns
    /// how many there are; the queries are `FileQuery` in `crates/machine`. -errno on error.
    HostQuery = "__ics_host_query", 5;
    /// `int (const char *path)`: index of the `--sym-file` with this name, or -1. Symbolic domain.
    SymbolicFile = "__ics_symbolic_file", 1;
    /// `long (int file)`: size in bytes of the symbolic file (`--sym-file`; index from above, -1: `--sym-stdin`), or
    /// -1 if there is none.
    SymbolicFileSize = "__ics_symbolic_file_size", 1;
    /// `void (int file, long offset, void *p, size_t n)`: copies bytes of the symbolic file.
    SymbolicFileRead = "__ics_symbolic_file_read", 4;
}

impl Intrinsic {
    /// Whether executing it is synchronisation: it creates or ends threads, blocks, wakes, switches or makes a node
    /// of the schedule.
    pub const fn is_synchronisation(self) -> bool {
        matches!(
            self,
            Intrinsic::Wait
                | Intrinsic::WaitTimed
                | Intrinsic::NotifyOne
                | Intrinsic::NotifyAll
                | Intrinsic::NotifyThread
                | Intrinsic::ThreadCreate
                | Intrinsic::ThreadExit
                | Intrinsic::Event
                | Intrinsic::Order
                | Intrinsic::Acquire
                | Intrinsic::Release
                | Intrinsic::BarrierInit
                | Intrinsic::BarrierArrive
        )
    }

    /// Whether it is a call of the host.
    pub const fn is_host(self) -> bool {
        matches!(
            self,
            Intrinsic::HostWrite
                | Intrinsic::HostRead
                | Intrinsic::HostOpen
                | Intrinsic::HostClose
                | Intrinsic::HostSeek
                | Intrinsic::HostFileSize
                | Intrinsic::HostClock
                | Intrinsic::HostFile
                | Intrinsic::HostQuery
        )
    }

    /// Whether it makes or asks for symbolic inputs, and so exists in the symbolic domain only.
    pub const fn is_input(self) -> bool {
        matches!(
            self,
            Intrinsic::Input
                | Intrinsic::InputOfString
                | Intrinsic::InputBytes
                | Intrinsic::SymbolicFile
                | Intrinsic::SymbolicFileSize
                | Intrinsic::SymbolicFileRead
        )
    }

    /// Whether it ends the process, so that nothing behind it is executed.
    pub const fn ends_process(self) -> bool {
        matches!(
            self,
            Intrinsic::Exit | Intrinsic::Abort | Intrinsic::AssertFail | Intrinsic::Error | Intrinsic::Unsupported
        )
    }
}
