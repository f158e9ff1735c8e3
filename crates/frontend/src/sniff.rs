//! What a file is, judged by its first bytes: names and extensions do not count.

use crate::budgets::BUDGETS;
use crate::error::LoadError;

/// A form of LLVM IR.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Bitcode, possibly with a wrapper header.
    Bitcode,
    /// Textual IR.
    Text,
}

const RAW: &[u8] = b"BC\xC0\xDE";
const WRAPPER: &[u8] = &[0xDE, 0xC0, 0x17, 0x0B];

/// Recognises LLVM IR, or says what the file is instead.
pub(crate) fn recognise(path: &str, bytes: &[u8]) -> Result<Form, LoadError> {
    if bytes.is_empty() {
        return Err(LoadError::Empty { path: path.to_owned() });
    }
    if bytes.starts_with(RAW) || bytes.starts_with(WRAPPER) {
        return Ok(Form::Bitcode);
    }
    if RAW.starts_with(bytes) || WRAPPER.starts_with(bytes) {
        return Err(LoadError::Corrupt { path: path.to_owned(), detail: "it ends within its first four bytes".into() });
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if looks_like_ir(text) => Ok(Form::Text),
        _ => Err(LoadError::NotBitcode { path: path.to_owned(), what: describe(bytes).to_owned() }),
    }
}

/// Who wrote the bitcode: `LLVM23.1.0`. LLVM itself does not say when it fails to read the file. The name is a string
/// of six bits per character, at any bit.
pub(crate) fn producer(bytes: &[u8]) -> Option<String> {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let bit = |at: usize| usize::from(bytes.get(at / 8).copied().unwrap_or(0) >> (at % 8) & 1);
    let letter = |at: usize| char::from(LETTERS[(0..6).map(|i| bit(at + i) << i).sum::<usize>()]);
    let text = |from: usize| (0..).map(move |i| letter(from + 6 * i));
    let start =
        (0..BUDGETS.identification_bits.min(8 * bytes.len())).find(|&at| text(at).take(4).eq("LLVM".chars()))?;
    let number: String = text(start + 24).take(12).take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    (!number.is_empty()).then(|| format!("LLVM{number}"))
}

/// Whether any line in front of the first `{` starts the way top-level entities of textual IR do.
fn looks_like_ir(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "; ModuleID",
        "source_filename = ",
        "target datalayout",
        "target triple",
        "define ",
        "declare ",
        "module asm ",
    ];
    text.lines().take(BUDGETS.sniffed_lines).any(|line| {
        STARTS.iter().any(|start| line.starts_with(start))
            || ((line.starts_with('@') || line.starts_with('%') || line.starts_with('!')) && line.contains(" = "))
    })
}

/// A name, with its article, for what is no LLVM IR.
pub(crate) fn describe(bytes: &[u8]) -> &'static str {
    let is = |magic: &[u8]| bytes.starts_with(magic);
    if is(b"\x7fELF") {
        // e_type: two bytes at offset 16.
        return match bytes.get(16) {
            Some(1) => "an ELF object file",
            Some(2) => "an ELF executable",
            Some(3) => "an ELF executable or shared library",
            _ => "an ELF file",
        };
    }
    if is(b"!<arch>\n") || is(b"!<thin>\n") {
        return "a static library";
    }
    if is(&[0xCF, 0xFA, 0xED, 0xFE]) || is(&[0xFE, 0xED, 0xFA, 0xCF]) || is(&[0xCA, 0xFE, 0xBA, 0xBE]) {
        return "a Mach-O file";
    }
    if is(b"MZ") {
        return "a Windows executable";
    }
    if is(b"\x1f\x8b") || is(b"PK\x03\x04") || is(b"BZh") || is(b"\xFD7zXZ") || is(&[0x28, 0xB5, 0x2F, 0xFD]) {
        return "a compressed file";
    }
    if is(b"SQLite format 3\0") {
        return "an SQLite database";
    }
    if is(b"#!") {
        let is_wrapper = bytes.windows(b"libtool".len()).any(|word| word == b"libtool");
        return if is_wrapper { "a script of libtool, which keeps the program itself in .libs" } else { "a script" };
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if looks_like_c(text) => "C source text",
        Ok(text) if !text.contains('\0') => "a text file",
        _ => "a binary file of another kind",
    }
}

fn looks_like_c(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("#include") || line.starts_with("int main") || line.starts_with("#define")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(bytes: &[u8]) -> String {
        match recognise("f", bytes) {
            Err(LoadError::NotBitcode { what, .. }) => what,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn names_what_is_not_bitcode() {
        assert_eq!(what(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0"), "an ELF object file");
        assert_eq!(what(b"#include <stdio.h>\nint main(void) { return 0; }\n"), "C source text");
        assert_eq!(what(b"hello\n"), "a text file");
        assert_eq!(what(b"#!/bin/sh\necho\n"), "a script");
        assert!(what(b"#!/bin/sh\n# a wrapper of libtool\n").contains(".libs"));
        assert_eq!(what(b"\0\x01\x02\xff"), "a binary file of another kind");
        assert_eq!(what(b"!<arch>\n"), "a static library");
    }

    #[test]
    fn the_writer_of_bitcode_is_named() {
        // What clang 22.1 writes: the magic number, a block, an abbreviation, the string.
        let mut start = b"BC\xC0\xDE".to_vec();
        assert_eq!(producer(&start), None);
        start.extend([
            0x35, 0x14, 0, 0, 0x05, 0, 0, 0, 0x62, 0x0C, 0x30, 0x24, 0x4A, 0x59, 0xBE, 0xA6, 0x6D, 0xFB, 0xB5,
        ]);
        start.extend([0xCF, 0x0B, 0x51, 0x80, 0x4C, 1, 0, 0]);
        assert_eq!(producer(&start), Some("LLVM22.1.8".to_owned()));
    }

    #[test]
    fn ir_is_recognised_by_content() {
        assert_eq!(recognise("f", b"BC\xC0\xDE rest"), Ok(Form::Bitcode));
        assert_eq!(recognise("f", b"; a comment\ndefine i32 @main() {\n"), Ok(Form::Text));
        assert!(matches!(recognise("f", b"BC"), Err(LoadError::Corrupt { .. })));
        assert!(matches!(recognise("f", b""), Err(LoadError::Empty { .. })));
    }
}
