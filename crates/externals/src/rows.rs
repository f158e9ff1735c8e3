//! The table, in one file per area, and the notation of its rows.

mod general;
mod math;
mod streams;
mod strings;
mod threads;
mod unmodelled;

use crate::{Kind, Row};

/// Every part of the table.
pub(super) const ALL: &[&[Row]] =
    &[threads::ROWS, strings::ROWS, streams::ROWS, general::ROWS, math::ROWS, unmodelled::ROWS];

const fn row(name: &'static str, kind: Kind, effects: &'static str) -> Row {
    Row { name, kind, synchronises: false, no_return: false, effects }
}

/// A function that is defined in `runtime-models/FILE.c`.
const fn model(name: &'static str, file: &'static str, effects: &'static str) -> Row {
    row(name, Kind::Model { file }, effects)
}

impl Row {
    const fn synchronises(self) -> Row {
        Row { synchronises: true, ..self }
    }

    const fn no_return(self) -> Row {
        Row { no_return: true, ..self }
    }
}
