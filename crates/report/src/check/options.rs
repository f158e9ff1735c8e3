//! What renderers of findings need beside the result.

use icsched_schedule::FindingKind;

use crate::paint::Painter;

/// What renderers of findings need beside the result. The default knows nothing, and is enough for all of them.
#[derive(Copy, Clone)]
pub struct Options<'a> {
    /// Where the command runs, as an absolute path: files below it are named relative to it. May be empty.
    pub directory: &'a str,
    /// The files that `icsched replay` takes, one per finding in their order. Empty: none were written.
    pub finding_files: &'a [String],
    /// What was looked for.
    pub kinds: &'a [FindingKind],
    /// Contents of a source file by its name in the result, if it can be read.
    pub sources: &'a dyn Fn(&str) -> Option<String>,
    /// Whether text has colours.
    pub painter: Painter,
    /// The version of icsched.
    pub version: &'a str,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            directory: "",
            finding_files: &[],
            kinds: &FindingKind::ALL,
            sources: &|_| None,
            painter: Painter::default(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { directory, finding_files, kinds, sources: _, painter, version } = self;
        f.debug_struct("Options")
            .field("directory", directory)
            .field("finding_files", finding_files)
            .field("kinds", kinds)
            .field("painter", painter)
            .field("version", version)
            .finish_non_exhaustive()
    }
}
