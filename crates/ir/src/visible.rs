//! Text from analysed files as it can be shown: what a terminal would act upon, or a reader cannot see, is spelled out.
//!
//! ```
//! assert_eq!(icsched_ir::visible("clear\u{1b}[2J\n"), r"clear\x1b[2J\n");
//! ```

use std::borrow::Cow;

/// Whether a character looks like what it is. Control characters do not (C0 and C1, a terminal's escape sequences begin
/// with one), nor what turns the direction of text, separates lines, or has no width.
pub fn is_visible(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text with an escape sequence of C in place of each character that is not [visible](is_visible). O(length).
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_visible) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_visible(c) => out.push(c),
            c if c.is_ascii() => out += &format!("\\x{:02x}", u32::from(c)),
            c => out += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_visible_stays() {
        for text in ["", "main", "größe µ 数", "a b\\n", "\u{fffd}"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn what_is_not_is_spelled_out() {
        assert_eq!(visible("a\nb\r\tc"), "a\\nb\\r\\tc");
        assert_eq!(visible("\u{1b}]0;title\u{7}\u{7f}\u{0}"), "\\x1b]0;title\\x07\\x7f\\x00");
        assert_eq!(visible("\u{9b}31m\u{85}"), "\\u009b31m\\u0085");
        assert_eq!(
            visible("/*\u{202e} } \u{2066}if\u{2069}\u{200b}\u{feff}*/"),
            "/*\\u202e } \\u2066if\\u2069\\u200b\\ufeff*/"
        );
    }
}
