//! The numbers of file operations, as `ics.h` has them.

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$each])* $variant,)* }

        impl $name {
            /// In the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The one with this number.
            pub fn from_number(number: u64) -> Option<Self> {
                Self::ALL.get(usize::try_from(number).ok()?).copied()
            }
        }
    };
}

numbered! {
    /// A system call that changes files or directories. Paths start from the directory `fd`.
    FileOperation {
        /// Opens `path` with flags `a` and mode `b`.
        Open,
        /// Whether `path` can be accessed in mode `a`, flags `b`.
        Access,
        /// Removes `path`; flags `a`.
        Unlink,
        /// Renames `path` to `other`, which starts from the directory `a`.
        Rename,
        /// Makes a directory with mode `a`.
        MakeDirectory,
        /// Makes `other`, which starts from the directory `a`, another name of `path`; flags `b`.
        Link,
        /// Makes `path` a link to the text `other`.
        SymbolicLink,
        /// Makes a named pipe with mode `a`.
        MakePipe,
        /// Sets the mode `a` of `path`.
        Mode,
        /// Sets the owner `a` and group `b` of `path` (-1: keep), following links.
        Owner,
        /// Sets times of last access `a` and change `b` of `path`, in nanoseconds since 1970; the least number means
        /// now, the one above it no change.
        Times,
        /// Makes `path` the current directory, or the directory `fd` if the path is empty.
        ChangeDirectory,
        /// Sets the mask `a` of new files' modes; returns the old one.
        Mask,
        /// Makes the file `fd` `a` bytes long.
        Resize,
        /// Waits until the file `fd` is stored.
        Synchronise,
        /// Sets the mode `a` of the file `fd`.
        ModeOf,
        /// Sets owner `a` and group `b` of the file `fd`.
        OwnerOf,
        /// Sets the times `a` and `b` of the file `fd`.
        TimesOf,
        /// The flags that `fd` was opened with.
        Flags,
        /// Sets the flags of `fd` to `a`.
        SetFlags,
        /// Locks the file `fd` as `flock` does with `a`, without waiting.
        Lock,
    }
}

numbered! {
    /// A system call that tells something about files.
    FileQuery {
        /// `struct stat` of the path.
        Status,
        /// The same of a link itself.
        LinkStatus,
        /// The same of an open file.
        StatusOf,
        /// What a symbolic link says.
        ReadLink,
        /// The current directory.
        CurrentDirectory,
        /// The path without links and dots.
        RealPath,
        /// All entries of an open directory, each as `struct dirent`.
        Entries,
    }
}
