//! Colours, where the output is a terminal.

use std::fmt::Display;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};

/// What a piece of text means; each meaning has one style.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tone {
    Heading,
    Good,
    Warning,
    Bad,
    Code,
    Aside,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Heading => Style::new().bold(),
            Self::Good => AnsiColor::Green.on_default().bold(),
            Self::Warning => AnsiColor::Yellow.on_default().bold(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Code => AnsiColor::Cyan.on_default(),
            Self::Aside => Style::new().dimmed(),
        }
    }
}

/// Knows whether to use colours.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Painter {
    /// Emit ANSI escape sequences: say so only for a terminal that wants them.
    pub color: bool,
}

impl Painter {
    /// The text in a style. Its escape sequences begin with a [mark](mark()), which
    /// [`harmless`](crate::terminal::harmless) takes off.
    pub(crate) fn paint(self, tone: Tone, text: impl Display) -> String {
        if !self.color {
            return text.to_string();
        }
        let marked = |sequences: String| sequences.replace('\u{1b}', mark());
        let style = tone.style();
        format!("{}{text}{}", marked(style.to_string()), marked(format!("{style:#}")))
    }
}

/// What stands for ESC in painted text, in this process: nobody who wrote a name or a path can know it.
pub(crate) fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| format!("\u{1b}<{:016x}>", RandomState::new().build_hasher().finish()))
}
