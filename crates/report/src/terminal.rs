//! The last step on the way to a terminal: whatever is in a text, nothing of it is a command to the terminal, but for line ends, tabs and
//! the [colours](crate::Painter) of icsched itself.
//!
//! Names from analysed files were made visible when they were read; this is for what comes another way: paths, databases of others.

use std::borrow::Cow;
use std::io::{self, Write};

use icsched_schedule::{is_visible, visible};

/// What a text is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people. Escape sequences of C stand for what cannot be seen.
    Plain,
    /// The same, with escape sequences that set colours.
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
        let taken = match form {
            Form::Coloured if c == '\u{1b}' => colour(rest).unwrap_or(1),
            Form::Plain | Form::Coloured | Form::Json => c.len_utf8(),
        };
        let (piece, behind) = rest.split_at(taken);
        rest = behind;
        match form {
            _ if is_visible(c) || is_kept(c, form) || piece.len() > c.len_utf8() => out.push_str(piece),
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

/// Length of the escape sequence for a colour that the text begins with: `ESC [ 1 ; 32 m`.
fn colour(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\u{1b}[")?;
    let end = inside.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    inside[end..].starts_with('m').then_some(2 + end + 1)
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

    #[test]
    fn colours_are_only_where_they_are_expected() {
        let text = "\u{1b}[1;32mdone\u{1b}[0m\tof 3\n";
        assert_eq!(harmless(text, Form::Coloured), text);
        assert_eq!(harmless(text, Form::Plain), "\\x1b[1;32mdone\\x1b[0m\tof 3\n");
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
