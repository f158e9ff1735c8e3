//! What icsched found, made for people and for programs.
//!
//! Every renderer takes a [`View`], which is a result or the part of it that the user asked for, and returns a string:
//! [`text`] for a terminal, [`json`] for programs, [`dot`] for Graphviz, [`svg`] and [`html`] for browsers.
//! [`diagnostic`] renders messages, and [`check`] what `icsched check` found.
//!
//! Architecture invariant: nothing is computed here that another renderer could want to know differently; numbers and
//! verdicts come from the result. The same view gives the same bytes.

pub mod check;
pub mod diagnostic;
pub mod dot;
pub mod html;
pub mod json;
pub mod layout;
mod paint;
pub mod svg;
pub mod terminal;
pub mod text;
pub mod view;
mod words;

pub use paint::Painter;
pub use view::{EpochView, ScheduleView, SelectError, Selected, View};
