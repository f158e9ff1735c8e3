//! Colours, where the output is a terminal.

use std::fmt::Display;

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
    pub(crate) fn paint(self, tone: Tone, text: impl Display) -> String {
        let style = if self.color { tone.style() } else { Style::new() };
        format!("{style}{text}{style:#}")
    }
}
