//! Words that no committed text may contain: they would tie the project to one machine or one network.

use super::problem::Problem;

/// The parts of a forbidden word, kept apart so that this file does not contain it.
type Parts = &'static [&'static str];

/// Hosts of package registries and mirrors. A lock file names the default registry and cannot do otherwise.
const HOSTS: &[Parts] = &[
    &["crates", ".io"],
    &["deb.debian", ".org"],
    &["snapshot.debian", ".org"],
    &["pypi", ".org"],
    &["npmjs", ".org"],
    &["npmjs", ".com"],
    &["artif", "actory"],
];

/// Folders whose absolute paths belong to one machine.
const FOLDERS: &[Parts] = &[&["/wo", "rk/"], &["/ro", "ot/"], &["/ho", "me/"], &["/t", "mp/"], &["/Us", "ers/"]];

/// Forbidden words in a file; `file` is its path in the repository.
pub(super) fn check(file: &str, content: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in content.lines().enumerate() {
        let mut complain = |message: String| problems.push(Problem::new(file, index + 1, message));
        for host in HOSTS.iter().map(|parts| parts.concat()) {
            if line.contains(&host) && !is_default_registry(file, line) {
                complain(format!("names the package registry `{host}`"));
            }
        }
        for folder in FOLDERS.iter().map(|parts| parts.concat()) {
            if has_absolute(line, &folder) {
                complain(format!("has a path of one machine (`{folder}…`)"));
            }
        }
    }
    problems
}

fn is_default_registry(file: &str, line: &str) -> bool {
    file == "Cargo.lock" && line.starts_with("source = \"registry+https://github.com/rust-lang/")
}

/// Whether `folder` stands in the line as the beginning of a path, not in the middle of one.
fn has_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-$}~*/".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(file: &str, content: &str) -> usize {
        check(file, content).len()
    }

    #[test]
    fn every_host_and_folder_is_found() {
        for parts in HOSTS {
            assert_eq!(count("README.md", &format!("see https://{}/x\n", parts.concat())), 1, "{parts:?}");
        }
        for parts in FOLDERS {
            assert_eq!(count("README.md", &format!("cd {}x\n", parts.concat())), 1, "{parts:?}");
        }
    }

    #[test]
    fn the_place_is_named() {
        let found = check("a/b.md", &format!("fine\nPATH={}bin\n", FOLDERS[1].concat()));
        assert_eq!(found[0].to_string(), format!("a/b.md:2: has a path of one machine (`{}…`)", FOLDERS[1].concat()));
    }

    #[test]
    fn relative_paths_and_ordinary_words_are_fine() {
        for line in ["target/work/x", "$dir/tmp/x", "../home/x", "network/root/x", "/usr/lib/llvm-22", "homework/"] {
            assert_eq!(count("README.md", line), 0, "{line}");
        }
    }

    #[test]
    fn the_lock_file_names_the_default_registry() {
        let line = format!("source = \"registry+https://github.com/rust-lang/{}-index\"", HOSTS[0].concat());
        assert_eq!(count("Cargo.lock", &line), 0);
        assert_eq!(count("Cargo.toml", &line), 1);
    }
}
