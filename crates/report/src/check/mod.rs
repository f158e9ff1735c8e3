//! What `icsched check` found, in every form in which it is given to people and programs.
//!
//! Each renderer takes a [`CheckResult`](icsched_schedule::CheckResult) and [`Options`], and returns a string. The page
//! for browsers is [`html`](crate::html): it shows schedules, too.

mod format;
pub mod github;
pub mod json;
pub mod junit;
mod options;
pub(crate) mod phrases;
pub(crate) mod place;
#[cfg(test)]
pub(crate) mod sample;
pub mod sarif;
pub(crate) mod source;
pub(crate) mod steps;
pub mod text;

pub use format::Format;
pub use options::Options;

/// Every format, the one for people first.
pub const FORMATS: [&dyn Format; 5] = [&text::Text, &json::Json, &sarif::SarifFormat, &github::Github, &junit::Junit];

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is in a result, none of it is a command to a terminal or a format.
    #[test]
    fn hostile_names_stay_names() {
        let options = sample::options(&[]);
        for format in FORMATS {
            let text = format.render(&sample::hostile(), &options);
            assert!(!text.contains('\u{1b}'), "{}: {text}", format.word());
            let is_command = |line: &str| line.starts_with("::error::");
            assert!(!text.lines().any(is_command), "{}: {text}", format.word());
            assert_eq!(text.chars().last(), Some('\n'), "{}", format.word());
        }
    }

    #[test]
    fn words_are_different() {
        let words: std::collections::BTreeSet<_> = FORMATS.iter().map(|format| format.word()).collect();
        assert_eq!(words.len(), FORMATS.len());
    }
}
