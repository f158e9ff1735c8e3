//! How a command ended, and exit statuses.

use std::process::ExitCode;

/// How a command ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Done, nothing found.
    Clean,
    /// Done, something found.
    Found,
    /// The command or its input is wrong.
    Wrong,
    /// Done, but incomplete.
    Incomplete,
    /// icsched itself is wrong.
    Bug,
    /// The status of the program that was run.
    Program(u8),
}

impl Status {
    /// The exit status of the process.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Status::Clean => 0,
            Status::Found => 1,
            Status::Wrong => 2,
            Status::Incomplete => 3,
            Status::Bug => 4,
            Status::Program(status) => status,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
    }
}

/// Exit status after a second Ctrl-C: what a shell says of a process that ended by SIGINT.
pub(crate) const INTERRUPTED: i32 = 130;

/// Exit status of a command that a limit ended.
pub(crate) const INCOMPLETE: i32 = 3;
