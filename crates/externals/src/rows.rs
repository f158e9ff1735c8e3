//! The table, in one file per area.

mod files;
mod general;
mod harness;
mod math;
mod network;
mod posix;
mod streams;
mod strings;
mod system;
mod threads;
mod unmodelled;
mod wide;

use crate::row::Row;

/// Every part of the table.
pub(super) const ALL: &[&[Row]] = &[
    threads::ROWS,
    strings::ROWS,
    system::ROWS,
    streams::ROWS,
    files::ROWS,
    general::ROWS,
    harness::ROWS,
    math::ROWS,
    network::ROWS,
    posix::ROWS,
    wide::ROWS,
    unmodelled::ROWS,
];
