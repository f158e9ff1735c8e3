//! Tokens of the text form.

use super::ParseError;

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind<'s> {
    /// A word: letters, digits, `_`, `.` and `$`, not starting with a digit. Includes `v1`, `b2`, `i32` and `...`.
    Word(&'s str),
    /// `@name` or `@"any name"`.
    Symbol(String),
    /// `%name`.
    Local(&'s str),
    /// An unsigned number as written.
    Number(&'s str),
    /// `"…"`, decoded.
    Text(Vec<u8>),
    /// `x"…"`, decoded.
    Hex(Vec<u8>),
    /// One character of punctuation; `->` is `>`.
    Punct(char),
    /// The end of the input.
    End,
}

/// A token and its place.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token<'s> {
    pub(super) kind: Kind<'s>,
    pub(super) line: u32,
    pub(super) column: u32,
    /// Nothing but space before it on its line.
    pub(super) first_on_line: bool,
}

impl Token<'_> {
    /// An error at this token.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.column, message: message.into() }
    }
}

/// Whether a name can be written without quotes.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_word_char)
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Splits `text` into tokens, the last of which is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: 0, line: 1, column: 1, fresh_line: true };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token()?;
        let is_last = token.kind == Kind::End;
        tokens.push(token);
        if is_last {
            return Ok(tokens);
        }
    }
}

struct Lexer<'s> {
    text: &'s str,
    at: usize,
    line: u32,
    column: u32,
    fresh_line: bool,
}

impl<'s> Lexer<'s> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.column += 1;
        if c == '\n' {
            self.line += 1;
            self.column = 1;
            self.fresh_line = true;
        }
        Some(c)
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'s str {
        let start = self.at;
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
        &self.text[start..self.at]
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, column: self.column, message: message.into() })
    }

    fn skip_space(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.peek() != Some(';') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token<'s>, ParseError> {
        self.skip_space();
        let (line, column) = (self.line, self.column);
        let first_on_line = std::mem::replace(&mut self.fresh_line, false);
        let kind = self.kind()?;
        Ok(Token { kind, line, column, first_on_line })
    }

    fn kind(&mut self) -> Result<Kind<'s>, ParseError> {
        let Some(c) = self.peek() else { return Ok(Kind::End) };
        match c {
            '@' => {
                self.bump();
                self.symbol().map(Kind::Symbol)
            }
            '%' => {
                self.bump();
                match self.take_while(is_word_char) {
                    "" => self.error("expected a name after `%`"),
                    name => Ok(Kind::Local(name)),
                }
            }
            '"' => self.string().map(Kind::Text),
            '0'..='9' => Ok(Kind::Number(self.number())),
            c if is_word_char(c) => match self.take_while(is_word_char) {
                "x" if self.peek() == Some('"') => self.hex().map(Kind::Hex),
                word => Ok(Kind::Word(word)),
            },
            '-' => {
                self.bump();
                if self.peek() == Some('>') {
                    self.bump();
                    return Ok(Kind::Punct('>'));
                }
                Ok(Kind::Punct('-'))
            }
            '(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=' | '+' | '*' | '?' => {
                self.bump();
                Ok(Kind::Punct(c))
            }
            c => self.error(format!("unexpected character `{}`", c.escape_default())),
        }
    }

    fn symbol(&mut self) -> Result<String, ParseError> {
        if self.peek() == Some('"') {
            let bytes = self.string()?;
            return String::from_utf8(bytes).or_else(|_| self.error("the name is not UTF-8"));
        }
        match self.take_while(is_word_char) {
            "" => self.error("expected a name after `@`"),
            name => Ok(name.to_owned()),
        }
    }

    /// Digits, or `0x` digits, or a decimal fraction with an exponent.
    fn number(&mut self) -> &'s str {
        let start = self.at;
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
        let so_far = &self.text[start..self.at];
        if so_far.ends_with('e') && !so_far.starts_with("0x") && matches!(self.peek(), Some('-' | '+')) {
            self.bump();
            self.take_while(|c| c.is_ascii_digit());
        }
        &self.text[start..self.at]
    }

    fn string(&mut self) -> Result<Vec<u8>, ParseError> {
        self.bump();
        let mut bytes = Vec::new();
        loop {
            match self.peek() {
                None | Some('\n') => return self.error("the string does not end on its line"),
                Some('"') => {
                    self.bump();
                    return Ok(bytes);
                }
                Some('\\') => {
                    self.bump();
                    bytes.push(self.escape()?);
                }
                Some(c) => {
                    self.bump();
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u8, ParseError> {
        match self.peek() {
            Some('n') => {
                self.bump();
                Ok(b'\n')
            }
            Some('t') => {
                self.bump();
                Ok(b'\t')
            }
            Some(c @ ('"' | '\\')) => {
                self.bump();
                Ok(if c == '"' { b'"' } else { b'\\' })
            }
            _ => self.hex_byte(),
        }
    }

    fn hex_byte(&mut self) -> Result<u8, ParseError> {
        let mut byte = 0;
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else {
                return self.error("expected two hexadecimal digits");
            };
            self.bump();
            byte = byte << 4 | u8::try_from(digit).expect("a digit is below 16");
        }
        Ok(byte)
    }

    fn hex(&mut self) -> Result<Vec<u8>, ParseError> {
        self.bump();
        let mut bytes = Vec::new();
        loop {
            self.take_while(|c| c == ' ');
            if self.peek() == Some('"') {
                self.bump();
                return Ok(bytes);
            }
            bytes.push(self.hex_byte()?);
        }
    }
}
