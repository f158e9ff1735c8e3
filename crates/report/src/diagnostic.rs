//! Messages to the user.

use icsched_schedule::{Diagnostic, Severity};

use crate::paint::{Painter, Tone};

/// Renders a message over as many lines as it needs, with a newline at the end.
pub fn render(diagnostic: &Diagnostic, paint: Painter) -> String {
    let Diagnostic { severity, code, at, message, notes, help } = diagnostic;
    let tone = match severity {
        Severity::Note => Tone::Good,
        Severity::Warning => Tone::Warning,
        Severity::Error => Tone::Bad,
    };
    let title = match *code {
        "" => severity.word().to_owned(),
        code => format!("{}[{code}]", severity.word()),
    };
    let mut out = format!("{}: {}\n", paint.paint(tone, title), indent(message, "  "));
    if let Some(at) = at {
        out += &format!("  {} {at}\n", paint.paint(Tone::Aside, "-->"));
    }
    for note in notes {
        out += &entry("note", note, paint);
    }
    if let Some(help) = help {
        out += &entry("help", help, paint);
    }
    out
}

fn entry(name: &str, text: &str, paint: Painter) -> String {
    format!(
        "  {} {}: {}\n",
        paint.paint(Tone::Aside, "="),
        paint.paint(Tone::Heading, name),
        indent(text, "          ")
    )
}

/// Further lines of a text stand below its first one.
fn indent(text: &str, by: &str) -> String {
    text.trim_end().replace('\n', &format!("\n{by}"))
}
