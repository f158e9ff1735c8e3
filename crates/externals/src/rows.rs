//! The table, in one file per area, and the notation of its rows.

mod files;
mod general;
mod math;
mod network;
mod posix;
mod streams;
mod strings;
mod system;
mod threads;
mod unmodelled;
mod wide;

use crate::{Initialised, Kind, Row};

/// Every part of the table.
pub(super) const ALL: &[&[Row]] = &[
    threads::ROWS,
    strings::ROWS,
    system::ROWS,
    streams::ROWS,
    files::ROWS,
    general::ROWS,
    math::ROWS,
    network::ROWS,
    posix::ROWS,
    wide::ROWS,
    unmodelled::ROWS,
];

const fn row(name: &'static str, kind: Kind, effects: &'static str) -> Row {
    Row { name, kind, synchronises: false, initialises: None, no_return: false, effects }
}

/// A function that is defined in `runtime-models/FILE.c`.
const fn model(name: &'static str, file: &'static str, effects: &'static str) -> Row {
    row(name, Kind::Model { file }, effects)
}

impl Row {
    const fn synchronises(self) -> Row {
        Row { synchronises: true, ..self }
    }

    const fn initialises(self, new: Initialised) -> Row {
        Row { initialises: Some(new), ..self }
    }

    const fn no_return(self) -> Row {
        Row { no_return: true, ..self }
    }
}
