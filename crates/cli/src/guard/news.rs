//! What a process tells of itself while it works, and why it ends without a result.

use icsched_driver::config::Limit;
use icsched_driver::symex::Totals;

/// What a child tells its parent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// What it is doing.
    Doing(String),
    /// At which line of the program; empty where there is none.
    At(String),
    /// A limit ends it at once, without a result.
    Limit(Limit),
    /// Something that was found is in the database.
    Stored,
    /// The result is being written to files.
    Writing,
    /// The result is being written to standard output.
    Printing,
    /// There was a panic.
    Bug,
    /// Of the paths of `icsched symex` so much has been written: counts as JSON.
    Paths(String),
}

/// Longest line that a pipe takes whole.
const LONGEST: usize = 4000;

impl News {
    pub(super) fn line(&self) -> String {
        let (word, text) = match self {
            News::Doing(text) => ("doing", text.as_str()),
            News::At(text) => ("at", text.as_str()),
            News::Limit(Limit::Time) => ("limit", "time"),
            News::Limit(Limit::Memory) => ("limit", "memory"),
            News::Limit(_) => ("limit", "interrupted"),
            News::Stored => ("stored", ""),
            News::Writing => ("writing", ""),
            News::Printing => ("printing", ""),
            News::Bug => ("bug", ""),
            News::Paths(text) => ("paths", text.as_str()),
        };
        let text: String = text.chars().filter(|c| !c.is_control()).take(LONGEST / 4).collect();
        format!("{word} {text}\n")
    }

    /// What a line says.
    pub(crate) fn of_line(line: &str) -> Option<News> {
        let (word, text) = line.split_once(' ')?;
        Some(match (word, text) {
            ("doing", _) => News::Doing(text.to_owned()),
            ("at", _) => News::At(text.to_owned()),
            ("limit", "time") => News::Limit(Limit::Time),
            ("limit", "memory") => News::Limit(Limit::Memory),
            ("limit", _) => News::Limit(Limit::Interrupted),
            ("stored", _) => News::Stored,
            ("writing", _) => News::Writing,
            ("printing", _) => News::Printing,
            ("bug", _) => News::Bug,
            ("paths", _) => News::Paths(text.to_owned()),
            _ => return None,
        })
    }
}

/// What a child has told of itself.
#[derive(Clone, Default, Debug)]
pub(crate) struct Heard {
    /// What it was doing.
    pub(crate) doing: String,
    /// At which line.
    pub(crate) at: String,
    /// Which limit has ended it.
    pub(crate) limit: Option<Limit>,
    /// Whether there was a panic.
    pub(crate) is_bug: bool,
    /// Whether something that it found is in the database.
    pub(crate) is_stored: bool,
    /// Whether it has begun to write files.
    pub(crate) is_writing: bool,
    /// Whether it has begun to write to standard output.
    pub(crate) is_printing: bool,
    /// What it has written of paths.
    pub(crate) paths: Option<Totals>,
}

impl Heard {
    /// Takes up all whole lines.
    pub(crate) fn take(&mut self, text: &mut Vec<u8>) {
        let Some(end) = text.iter().rposition(|&byte| byte == b'\n') else { return };
        let rest = text.split_off(end + 1);
        String::from_utf8_lossy(text).lines().filter_map(News::of_line).for_each(|news| self.hear(news));
        *text = rest;
    }

    /// Takes up one piece of news.
    pub(crate) fn hear(&mut self, news: News) {
        match news {
            News::Doing(text) => (self.doing, self.at) = (text, String::new()),
            News::At(text) => self.at = text,
            News::Limit(limit) => self.limit = Some(limit),
            News::Bug => self.is_bug = true,
            News::Stored => self.is_stored = true,
            News::Writing => self.is_writing = true,
            News::Printing => self.is_printing = true,
            News::Paths(text) => self.paths = serde_json::from_str(&text).ok(),
        }
    }
}

/// Why a command ends without a result of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// A limit, at which it did not stop in time.
    Limit(Limit),
    /// The system has killed it, which it does for want of memory.
    Killed,
    /// The system's limit of processor time (`ulimit -t`).
    ProcessorTime,
    /// A signal that it was not sent, with its number.
    Died(i32),
    /// A panic.
    Bug,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard() {
        for news in [
            News::Doing("placing epoch markers".to_owned()),
            News::At("pool.c:88".to_owned()),
            News::At(String::new()),
            News::Limit(Limit::Time),
            News::Limit(Limit::Memory),
            News::Limit(Limit::Interrupted),
            News::Stored,
            News::Writing,
            News::Printing,
            News::Bug,
            News::Paths("{\"paths\":3}".to_owned()),
        ] {
            let line = news.line();
            assert_eq!(News::of_line(line.trim_end_matches('\n')), Some(news));
        }
        assert_eq!(News::of_line("nonsense"), None);
    }

    /// File names are the user's.
    #[test]
    fn a_line_is_one_whatever_is_in_it() {
        let line = News::At("a\nlimit memory\n".repeat(1000)).line();
        assert!(line.len() <= LONGEST && line.matches('\n').count() == 1, "{line}");
    }
}
