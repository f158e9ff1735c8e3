//! A position in the tokens, with the small steps every part of the parser takes.

use super::ParseError;
use super::lexer::{Kind, Token};
use crate::types::Type;

/// What a step of the parser returns.
pub(super) type Parsed<T> = Result<T, ParseError>;

/// A position in the tokens.
#[derive(Clone)]
pub(super) struct Cursor<'t, 's> {
    tokens: &'t [Token<'s>],
    at: usize,
}

impl<'t, 's> Cursor<'t, 's> {
    /// Starts at token `at`; the last token must be [`Kind::End`].
    pub(super) fn new(tokens: &'t [Token<'s>], at: usize) -> Self {
        Self { tokens, at }
    }

    pub(super) fn token(&self) -> &'t Token<'s> {
        &self.tokens[self.at]
    }

    pub(super) fn peek(&self) -> &'t Kind<'s> {
        &self.token().kind
    }

    /// The kind of the token `ahead` places further.
    pub(super) fn peek_at(&self, ahead: usize) -> &'t Kind<'s> {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn bump(&mut self) -> &'t Token<'s> {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(self.token().error(message))
    }

    pub(super) fn is_punct(&self, c: char) -> bool {
        *self.peek() == Kind::Punct(c)
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.is_punct(c);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) {
            Ok(())
        } else {
            self.error(format!("expected `{}`", if c == '>' { "->".into() } else { c.to_string() }))
        }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        *self.peek() == Kind::Word(word)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.error(format!("expected `{word}`")) }
    }

    pub(super) fn word(&mut self, what: &str) -> Parsed<&'s str> {
        match self.peek() {
            Kind::Word(word) => {
                self.bump();
                Ok(word)
            }
            _ => self.error(format!("expected {what}")),
        }
    }

    pub(super) fn symbol(&mut self) -> Parsed<&'t str> {
        match self.peek() {
            Kind::Symbol(name) => {
                self.bump();
                Ok(name)
            }
            _ => self.error("expected a name with `@`"),
        }
    }

    /// A quoted text, if there is one.
    pub(super) fn eat_text(&mut self) -> Parsed<Option<String>> {
        let Kind::Text(bytes) = self.peek() else { return Ok(None) };
        match String::from_utf8(bytes.clone()) {
            Ok(text) => {
                self.bump();
                Ok(Some(text))
            }
            Err(_) => self.error("the text is not UTF-8"),
        }
    }

    pub(super) fn text(&mut self) -> Parsed<String> {
        match self.eat_text()? {
            Some(text) => Ok(text),
            None => self.error("expected a quoted text"),
        }
    }

    /// An id such as `t12`: the prefix and a number.
    pub(super) fn eat_id(&mut self, prefix: &str) -> Option<usize> {
        let Kind::Word(word) = self.peek() else { return None };
        let index = id_index(word, prefix)?;
        self.bump();
        Some(index)
    }

    /// A decimal or hexadecimal whole number without sign.
    pub(super) fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Parsed<T> {
        let Kind::Number(text) = self.peek() else { return self.error(format!("expected {what}")) };
        match unsigned(text).and_then(|n| T::try_from(n).ok()) {
            Some(n) => {
                self.bump();
                Ok(n)
            }
            None => self.error(format!("`{text}` is not {what}")),
        }
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let token = self.token();
        let word = self.word("a type")?;
        type_named(word).ok_or_else(|| token.error(format!("`{word}` is not a type")))
    }

    /// Nothing is left.
    pub(super) fn end_of_item(&self) -> Parsed<()> {
        if *self.peek() == Kind::End { Ok(()) } else { self.error("expected the end of the line") }
    }

    /// The statement is over: the next token is on another line or closes the body.
    pub(super) fn end_of_line(&self) -> Parsed<()> {
        let ends = self.token().first_on_line || *self.peek() == Kind::End || self.is_punct('}');
        if ends { Ok(()) } else { self.error("expected the end of the line") }
    }
}

/// The number in an id such as `v12`; `None` for other words and for numbers with leading zeros.
pub(super) fn id_index(word: &str, prefix: &str) -> Option<usize> {
    let digits = word.strip_prefix(prefix)?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    // Ids are 32 bits wide; the bound also keeps a typo from making huge tables.
    if plain { digits.parse().ok().filter(|&n: &usize| n < u32::MAX as usize) } else { None }
}

pub(super) fn unsigned(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn type_named(word: &str) -> Option<Type> {
    match word {
        "ptr" => Some(Type::Ptr),
        "f32" => Some(Type::F32),
        "f64" => Some(Type::F64),
        _ => id_index(word, "i").and_then(|n| u8::try_from(n).ok()).filter(|n| (1..=64).contains(n)).map(Type::Int),
    }
}
