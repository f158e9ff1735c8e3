//! The last step on the way to a terminal: whatever is in a text, nothing of it is a command to the terminal, but for
//! line ends, tabs and the [colours](crate::Painter) of icsched itself. These are told by a mark: the same sequence in
//! a name is no colour.
//!
//! Names from analysed files were made visible when they were read; this is for what comes another way: paths,
//! databases of others.

use std::borrow::Cow;
use std::io::{self, Write};

use icsched_schedule::{is_visible, visible};

use crate::paint::mark;

/// What a text is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people. Escape sequences of C stand for what cannot be seen.
    Plain,
    /// The same, with the colours that a [`Painter`](crate::Painter) gave it.
    Coloured,
    /// JSON: `\u202e` is the same character.
    Json,
}

/// The text as it may be written to a terminal. O(length).
pub fn harmless(text: &str, form: Form) -> Cow<'_, str> {
    if text.chars().all(|c| is_visible(c) || is_kept(c, form)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if form == Form::Coloured
            && let Some((colour, behind)) = colour(rest)
        {
            out.push('\u{1b}');
            out.push_str(colour);
            rest = behind;
            continue;
        }
        let (piece, behind) = rest.split_at(c.len_utf8());
        rest = behind;
        match form {
            _ if is_visible(c) || is_kept(c, form) => out.push_str(piece),
            Form::Json => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}")),
            Form::Plain | Form::Coloured => out.push_str(&visible(piece)),
        }
    }
    Cow::Owned(out)
}

/// What stays as it is although it cannot be seen.
fn is_kept(c: char, form: Form) -> bool {
    match form {
        Form::Plain | Form::Coloured => matches!(c, '\n' | '\t'),
        Form::Json => matches!(c, '\n' | '\t' | '\r'),
    }
}

/// The escape sequence for a colour, `[1;32m`, behind the mark that the text begins with, and what is behind it.
fn colour(text: &str) -> Option<(&str, &str)> {
    let sequence = text.strip_prefix(mark())?;
    let inside = sequence.strip_prefix('[')?;
    let end = inside.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    inside[end..].starts_with('m').then(|| sequence.split_at(1 + end + 1))
}

/// Writes to `to` what is harmless of a stream of bytes. What is no UTF-8 becomes replacement characters.
#[derive(Debug)]
pub struct Harmless<W> {
    to: W,
    form: Form,
    /// The beginning of a character whose end has not been written yet: less than four bytes.
    begun: Vec<u8>,
}

impl<W: Write> Harmless<W> {
    /// Around another writer.
    pub fn new(to: W, form: Form) -> Self {
        Self { to, form, begun: Vec::new() }
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&all) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Ok(_) | Err(_) => all.len(),
        };
        let text = String::from_utf8_lossy(&all[..whole]);
        self.to.write_all(harmless(&text, self.form).as_bytes())?;
        self.begun = all.split_off(whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::{Painter, Tone};

    #[test]
    fn colours_are_only_where_they_are_expected() {
        let text = |color: bool| format!("{}\tof 3\n", Painter { color }.paint(Tone::Bad, "none"));
        let coloured = "\u{1b}[1m\u{1b}[31mnone\u{1b}[0m\tof 3\n";
        assert_eq!(harmless(&text(true), Form::Coloured), coloured);
        assert!(!harmless(&text(true), Form::Plain).contains('\u{1b}'));
        for form in [Form::Plain, Form::Coloured] {
            assert_eq!(harmless(&text(false), form), "none\tof 3\n");
        }
    }

    /// A path, or a name in somebody's database, may have escape sequences in it.
    #[test]
    fn colours_of_others_are_none() {
        let name = "\u{1b}[1;32mfine\u{1b}[0m";
        let painted = Painter { color: true }.paint(Tone::Bad, name);
        let shown = "\u{1b}[1m\u{1b}[31m\\x1b[1;32mfine\\x1b[0m\u{1b}[0m";
        assert_eq!(harmless(&painted, Form::Coloured), shown);
        assert_eq!(harmless(name, Form::Plain), "\\x1b[1;32mfine\\x1b[0m");
    }

    #[test]
    fn other_sequences_are_never_passed_on() {
        for (text, shown) in [
            ("\u{1b}[2J", "\\x1b[2J"),
            ("\u{1b}]0;x\u{7}", "\\x1b]0;x\\x07"),
            ("\u{1b}[1", "\\x1b[1"),
            ("\u{1b}", "\\x1b"),
            ("\u{9b}31m", "\\u009b31m"),
            ("a\rb", "a\\rb"),
            ("\u{202e}c.niam", "\\u202ec.niam"),
        ] {
            assert_eq!(harmless(text, Form::Coloured), shown);
        }
    }

    #[test]
    fn json_means_the_same() {
        assert_eq!(
            harmless("{\"a\": \"\u{9b}\u{202e}\u{e0001}\"}\n", Form::Json),
            "{\"a\": \"\\u009b\\u202e\\udb40\\udc01\"}\n"
        );
    }

    #[test]
    fn characters_may_come_in_pieces() {
        let mut out = Vec::new();
        let mut to = Harmless::new(&mut out, Form::Plain);
        for byte in "µ\u{202e}\n".as_bytes() {
            to.write_all(&[*byte]).expect("a vector takes everything");
        }
        to.write_all(b"\xff\n").expect("a vector takes everything");
        assert_eq!(out, "µ\\u202e\n\u{fffd}\n".as_bytes());
    }
}
