//! Places in source files: taken apart, and relative to where the command runs.

use icsched_schedule::Site;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SourcePlace<'a> {
    /// The file as the result names it. Empty if it is not known.
    pub(crate) file: &'a str,
    /// From 1; 0 if it is not known.
    pub(crate) line: u32,
    /// From 1; 0 if it is not known.
    pub(crate) column: u32,
}

impl<'a> SourcePlace<'a> {
    /// Takes `dir/file.c:12:5` or `dir/file.c:12` apart.
    pub(crate) fn parse(text: &'a str) -> Self {
        let number = |text: &'a str| {
            let (rest, last) = text.rsplit_once(':')?;
            last.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
            Some((rest, last.parse::<u32>().ok()?))
        };
        match number(text).map(|(rest, last)| (rest, last, number(rest))) {
            None => Self { file: text, line: 0, column: 0 },
            Some((file, line, None)) => Self { file, line, column: 0 },
            Some((_, column, Some((file, line)))) => Self { file, line, column },
        }
    }

    /// The place of a call.
    pub(crate) fn of(site: &'a Site) -> Self {
        Self { file: &site.file, line: site.line, column: site.column }
    }
}

/// A file or place relative to a directory, if it is below it: `src/file.c:12:5`.
pub(crate) fn relative<'a>(directory: &str, place: &'a str) -> &'a str {
    let directory = directory.trim_end_matches('/');
    let inside = |rest: &'a str| rest.strip_prefix('/').filter(|rest| !rest.is_empty());
    match directory {
        "" => place,
        _ => place.strip_prefix(directory).and_then(inside).unwrap_or(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_apart() {
        let parts = |text| {
            let SourcePlace { file, line, column } = SourcePlace::parse(text);
            (file, line, column)
        };
        assert_eq!(parts("/src/app/a.c:12:5"), ("/src/app/a.c", 12, 5));
        assert_eq!(parts("a.c:12"), ("a.c", 12, 0));
        assert_eq!(parts("a:b.c"), ("a:b.c", 0, 0));
        assert_eq!(parts("a.c:+1"), ("a.c:+1", 0, 0));
        assert_eq!(parts("99999999999:1"), ("99999999999", 1, 0));
        assert_eq!(parts(""), ("", 0, 0));
    }

    #[test]
    fn only_files_below_the_directory_are_relative() {
        assert_eq!(relative("/src/app", "/src/app/lib/a.c:3"), "lib/a.c:3");
        assert_eq!(relative("/src/app/", "/src/app/a.c"), "a.c");
        assert_eq!(relative("/src/app", "/src/application/a.c"), "/src/application/a.c");
        assert_eq!(relative("", "/src/app/a.c"), "/src/app/a.c");
        assert_eq!(relative("/", "/a.c"), "/a.c");
    }
}
