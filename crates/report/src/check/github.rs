//! Workflow commands of GitHub Actions: each finding becomes a remark at its line.

use icsched_schedule::{CheckResult, Finding, Verdict, visible};

use super::format::Format;
use super::options::Options;
use super::phrases;
use super::place::{SourcePlace, relative};

/// The [`Format`].
pub struct Github;

impl Format for Github {
    fn word(&self) -> &'static str {
        "github"
    }

    fn render(&self, result: &CheckResult, options: &Options<'_>) -> String {
        render(result, options)
    }
}

/// One command per finding, and one that says whether that is all.
pub fn render(result: &CheckResult, options: &Options<'_>) -> String {
    let commands = result.findings.iter().enumerate().map(|(number, finding)| {
        let name = match phrases::standing(finding) {
            Verdict::Confirmed => "error",
            Verdict::Possible => "warning",
            Verdict::Predicted => "notice",
        };
        let properties = properties(finding, options);
        format!("::{name} {properties}::{}\n", data(&message(result, number, finding, options)))
    });
    let commands: String = commands.collect();
    let summary = data(&visible(&phrases::headline(result, options)));
    commands + &format!("::notice title=icsched check::{summary}\n")
}

fn properties(finding: &Finding, options: &Options<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(at) = finding.at.first() {
        let place = SourcePlace::parse(at);
        if !place.file.is_empty() {
            parts.push(format!("file={}", property(relative(options.directory, place.file))));
        }
        for (name, number) in [("line", place.line), ("col", place.column)] {
            if number > 0 {
                parts.push(format!("{name}={number}"));
            }
        }
    }
    let title = format!("{} {}", phrases::standing(finding), phrases::rule(finding));
    parts.push(format!("title={}", property(&title)));
    parts.join(",")
}

/// A few lines: what happens, who waits, how to see it again.
fn message(result: &CheckResult, number: usize, finding: &Finding, options: &Options<'_>) -> String {
    let mut lines = vec![finding.message.clone()];
    lines.extend(finding.threads.iter().map(|thread| phrases::thread(finding, thread, options)));
    lines.extend(finding.input.as_ref().map(|input| format!("run: {}", phrases::shell_line(result, input))));
    lines.extend(phrases::doubt(finding));
    lines.extend(phrases::replay_line(number, options).map(|line| format!("again: {line}")));
    let lines: Vec<_> = lines.iter().map(|line| visible(line)).collect();
    lines.join("\n")
}

/// The message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::check::sample;

    #[test]
    fn remarks() {
        let files = sample::finding_files(3);
        expect![[r#"
            ::error file=demo.c,line=4,col=5,title=confirmed deadlock/leaked-lock::T2 waits for seats.lock, which T1 locked and never unlocked%0AT0 waits for thread 2 to end%0AT1 has ended at demo.c:14:1%0AT2 waits for the mutex seats.lock to be unlocked; T1 has held it since demo.c:4:5, and has ended%0Arun: printf %25s $'go\n' | MODE='it'\''s' ./demo 101%0Aagain: icsched replay findings/1.json
            ::error file=loop.c,line=13,col=7,title=confirmed assert::assertion `n < 3 && "100%25"' fails%0AT0 is at loop.c:13:7%0Arun: ./demo%0Aagain: icsched replay findings/2.json
            ::warning file=abba.c,line=10,col=3,title=possible deadlock/lock-cycle::T1 waits for B, which T2 holds, and T2 for A, which T1 holds%0AT1 waits for the mutex B to be unlocked; T2 has held it since abba.c:17:3%0AT2 waits for the mutex A to be unlocked; T1 has held it since abba.c:8:3%0Anot confirmed: no chain of epochs from main was realised in 200 runs%0Aagain: icsched replay findings/3.json
            ::notice title=icsched check::3 findings: 2 confirmed, 1 possible; not complete: `tgamma` has no model; called by `main`, and 1 other reason
        "#]].assert_eq(&render(&sample::result(), &sample::options(&files)));
        expect![[r#"
            ::notice title=icsched check::nothing found, for all inputs
        "#]]
        .assert_eq(&render(&sample::nothing(), &Options::default()));
    }

    #[test]
    fn nobody_can_add_a_command_or_a_property() {
        assert_eq!(property("a,line=9:50%\r\n"), "a%2Cline=9%3A50%25\\r\\n");
        assert_eq!(data("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        let mut result = sample::result();
        result.findings[0].at = vec!["x.c,title=fine::all good\n::error::more:3:4".into()];
        let text = render(&result, &Options::default());
        let first = text.lines().next().expect("a line");
        assert!(first.starts_with("::error file=x.c%2Ctitle=fine%3A%3Aall good\\n%3A%3Aerror%3A%3Amore,line=3,col=4,"));
        assert_eq!(text.lines().count(), result.findings.len() + 1);
    }
}
