//! JUnit XML, for services that show tests: each finding is a test that fails, each kind without one passes.

use std::time::Duration;

use icsched_schedule::{CheckResult, Finding, Verdict, visible};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::format::Format;
use super::options::Options;
use super::place::relative;
use super::{phrases, text};

/// The [`Format`].
pub struct Junit;

impl Format for Junit {
    fn word(&self) -> &'static str {
        "junit"
    }

    fn render(&self, result: &CheckResult, options: &Options<'_>) -> String {
        render(result, options)
    }
}

/// Renders a result.
///
/// A confirmed finding is a failure, another one a test that was skipped. The test `complete` is skipped if the check
/// is not.
pub fn render(result: &CheckResult, options: &Options<'_>) -> String {
    let program = visible(&result.program).into_owned();
    let mut suite = TestSuite::new(program.clone());
    suite.set_time(Duration::try_from_secs_f64(result.statistics.seconds).unwrap_or_default());
    suite.add_test_case(completeness(result, options));
    for &kind in options.kinds {
        let mut found = result.findings.iter().enumerate().filter(|(_, finding)| finding.kind == kind).peekable();
        if found.peek().is_none() {
            let mut passed = TestCase::new(kind.word(), TestCaseStatus::success());
            passed.set_classname(program.clone());
            suite.add_test_case(passed);
        }
        for (number, found) in found {
            let mut test = finding(result, number, found, options);
            test.set_classname(program.clone());
            suite.add_test_case(test);
        }
    }
    let mut report = Report::new("icsched check");
    report.add_test_suite(suite);
    report.to_string().expect("strings and numbers have an XML form")
}

fn completeness(result: &CheckResult, options: &Options<'_>) -> TestCase {
    let status = if result.complete {
        TestCaseStatus::success()
    } else {
        let mut skipped = TestCaseStatus::skipped();
        skipped.set_message(visible(&phrases::coverage(result, options)));
        skipped
    };
    let mut test = TestCase::new("complete", status);
    test.set_classname(visible(&result.program));
    test
}

fn finding(result: &CheckResult, number: usize, finding: &Finding, options: &Options<'_>) -> TestCase {
    let (message, rule) = (visible(&finding.message), phrases::rule(finding));
    let mut status = match phrases::standing(finding) {
        Verdict::Confirmed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Possible | Verdict::Predicted => TestCaseStatus::skipped(),
    };
    status.set_type(rule.clone()).set_message(message.clone());
    status.set_description(text::finding(result, number, options));
    let place = finding.at.first().map(|at| format!(" at {}", visible(relative(options.directory, at))));
    TestCase::new(format!("{rule}: {message}{}", place.unwrap_or_default()), status)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::check::sample;

    #[test]
    fn tests_of_a_result() {
        let mut result = sample::result();
        result.findings.remove(0);
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="icsched check" tests="6" skipped="2" failures="1" errors="0">
                <testsuite name="demo.bc" tests="6" skipped="2" errors="0" failures="1" time="1.250">
                    <testcase name="complete" classname="demo.bc">
                        <skipped message="not complete: `tgamma` has no model; called by `main`, and 1 other reason"/>
                    </testcase>
                    <testcase name="deadlock/lock-cycle: T1 waits for B, which T2 holds, and T2 for A, which T1 holds at abba.c:10:3" classname="demo.bc">
                        <skipped message="T1 waits for B, which T2 holds, and T2 for A, which T1 holds" type="deadlock/lock-cycle">possible[deadlock/lock-cycle]: T1 waits for B, which T2 holds, and T2 for A, which T1 holds
              --&gt; abba.c:10:3
              --&gt; abba.c:19:3
              Each thread waits for the next one, for a lock that it holds or for its end, and the last one for the first.

              T1 waits for the mutex B to be unlocked; T2 has held it since abba.c:17:3
                stack   left (abba.c:10:3)
                holds   A since abba.c:8:3, in left

              T2 waits for the mutex A to be unlocked; T1 has held it since abba.c:8:3
                stack   right (abba.c:19:3)
                holds   B since abba.c:17:3, in right

              why     not confirmed: no chain of epochs from main was realised in 200 runs
              state   used == 2 &amp;&amp; atoi(argv[1]) &lt; 0
                      the state that would have to be where its epoch begins
              also    in 1 other schedule
            </skipped>
                    </testcase>
                    <testcase name="no-progress" classname="demo.bc"/>
                    <testcase name="assert: assertion `n &lt; 3 &amp;&amp; &quot;100%&quot;&apos; fails at loop.c:13:7" classname="demo.bc">
                        <failure message="assertion `n &lt; 3 &amp;&amp; &quot;100%&quot;&apos; fails" type="assert">confirmed[assert]: assertion `n &lt; 3 &amp;&amp; &quot;100%&quot;&apos; fails
              --&gt; loop.c:13:7

              T0 is at loop.c:13:7
                stack   main (loop.c:30) &gt; count (loop.c:13:7)

              run     ./demo
              inputs  all
            </failure>
                    </testcase>
                    <testcase name="abort" classname="demo.bc"/>
                    <testcase name="memory-error" classname="demo.bc"/>
                </testsuite>
            </testsuites>
        "#]].assert_eq(&render(&result, &sample::options(&[])));
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="icsched check" tests="6" skipped="0" failures="0" errors="0">
                <testsuite name="demo.bc" tests="6" skipped="0" errors="0" failures="0" time="1.250">
                    <testcase name="complete" classname="demo.bc"/>
                    <testcase name="deadlock" classname="demo.bc"/>
                    <testcase name="no-progress" classname="demo.bc"/>
                    <testcase name="assert" classname="demo.bc"/>
                    <testcase name="abort" classname="demo.bc"/>
                    <testcase name="memory-error" classname="demo.bc"/>
                </testsuite>
            </testsuites>
        "#]]
        .assert_eq(&render(&sample::nothing(), &Options::default()));
    }

    #[test]
    fn what_was_not_looked_for_is_no_test() {
        let options = Options { kinds: &[icsched_schedule::FindingKind::Assert], ..Options::default() };
        let text = render(&sample::nothing(), &options);
        assert!(text.contains("name=\"assert\"") && !text.contains("name=\"deadlock\""), "{text}");
    }

    #[test]
    fn names_come_back_from_the_xml() {
        let text = render(&sample::hostile(), &Options::default());
        let report = Report::deserialize_from_str(&text).expect("well-formed XML");
        let names: Vec<_> = report.test_suites[0].test_cases.iter().map(|test| test.name.to_string()).collect();
        assert!(names.iter().any(|name| name.contains("<script>alert(1)")), "{names:?}");
    }
}
