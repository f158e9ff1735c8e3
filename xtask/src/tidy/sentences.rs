//! Finds sentences of `docs/` that are too long to be read once.
//!
//! Code blocks, tables and headings are left out. Each item of a list begins anew. A span of code counts as one word,
//! and a link as the words of its text.

use super::problem::Problem;

/// The most words of a sentence. What the style asks for is 25.
const LONGEST: usize = 40;

/// Sentences of a page of Markdown that are too long; `file` is its path in the repository.
pub(super) fn check(file: &str, content: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for paragraph in paragraphs(content) {
        for (line, words) in sentences(&paragraph) {
            if words.len() > LONGEST {
                let message =
                    format!("a sentence of {} words; {LONGEST} is the most: {} …", words.len(), words[..6].join(" "));
                problems.push(Problem::new(file, line, message));
            }
        }
    }
    problems
}

/// Lines of text that belong together, each with its number.
type Paragraph = Vec<(usize, String)>;

fn paragraphs(content: &str) -> Vec<Paragraph> {
    let mut paragraphs = vec![Paragraph::new()];
    // The fence that ends the code block around the line.
    let mut fence: Option<&str> = None;
    for (index, line) in content.lines().enumerate() {
        let text = line.trim_start();
        if let Some(end) = fence {
            fence = (!text.starts_with(end)).then_some(end);
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|begin| text.starts_with(begin));
        let code = line.starts_with("    ") && paragraphs.last().is_some_and(Vec::is_empty);
        if fence.is_some() || text.is_empty() || text.starts_with(['#', '|']) || code {
            paragraphs.push(Paragraph::new());
            continue;
        }
        let item = item(text);
        if item.is_some() {
            paragraphs.push(Paragraph::new());
        }
        let last = paragraphs.last_mut().expect("there is always a last one");
        last.push((index + 1, item.unwrap_or(text).to_owned()));
    }
    paragraphs
}

/// The text of an item of a list: what stands after `- `, `* ` or `12. `.
fn item(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return text[digits..].strip_prefix(". ");
    }
    text.strip_prefix("- ").or_else(|| text.strip_prefix("* "))
}

/// The words of each sentence, with the line in which it begins.
fn sentences(paragraph: &Paragraph) -> Vec<(usize, Vec<String>)> {
    let mut sentences = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut begin = 0;
    for (line, word) in plain_words(paragraph) {
        if words.is_empty() {
            begin = line;
        }
        let ends = word.trim_end_matches(['"', ')', '*', '_', ']']).ends_with(['.', '?', '!']);
        // A dash or a sign alone is no word.
        if word.chars().any(char::is_alphanumeric) {
            words.push(word);
        }
        if ends {
            sentences.push((begin, std::mem::take(&mut words)));
        }
    }
    sentences.push((begin, words));
    sentences
}

/// The words with their lines; a span of code is one word, and targets of links are left out.
fn plain_words(paragraph: &Paragraph) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let (mut word, mut in_code, mut in_target) = (String::new(), false, false);
    for (line, text) in paragraph {
        for mark in text.chars().chain([' ']) {
            match mark {
                '`' => in_code = !in_code,
                ')' if in_target => in_target = false,
                _ if in_target => {}
                '(' if !in_code && word.ends_with(']') => in_target = true,
                _ if mark.is_whitespace() && !in_code => {
                    if !word.is_empty() {
                        words.push((*line, std::mem::take(&mut word)));
                    }
                }
                _ if in_code && mark.is_whitespace() => word.push('_'),
                // `a.b` in code ends no sentence.
                _ if in_code => word.push(if mark.is_alphanumeric() { mark } else { '_' }),
                _ => word.push(mark),
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `number` words.
    fn words(number: usize) -> String {
        vec!["word"; number].join(" ")
    }

    fn lines(content: &str) -> Vec<usize> {
        check("docs/a.md", content).iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn a_long_sentence_is_named_with_the_line_where_it_begins() {
        let content = format!("# Title\n\nShort. Begin\n{}. Short.\n", words(40));
        assert_eq!(
            check("docs/a.md", &content)[0].to_string(),
            "docs/a.md:3: a sentence of 41 words; 40 is the most: Begin word word word word word …"
        );
        assert_eq!(lines(&format!("{}.\n{}.\n", words(40), words(40))), Vec::<usize>::new());
    }

    #[test]
    fn code_tables_and_headings_are_no_sentences() {
        let long = words(50);
        let content = format!("# {long}\n\n```\n{long}\n```\n\n| {long} |\n\n    {long}\n\n~~~sh\n{long}\n~~~\n");
        assert_eq!(lines(&content), Vec::<usize>::new());
    }

    #[test]
    fn items_of_lists_begin_anew() {
        let half = words(30);
        assert_eq!(lines(&format!("{half}\n- {half}\n* {half}\n12. {half}\n")), Vec::<usize>::new());
        assert_eq!(lines(&format!("- {half}\n  {half}\n")), [1]);
    }

    #[test]
    fn spans_of_code_and_links_are_what_is_read_of_them() {
        let content = format!("`{}` {} [a link]({}).", words(20), words(37), "a/b/c.md#d");
        assert_eq!(lines(&content), Vec::<usize>::new());
        assert_eq!(lines(&format!("{} in `f.rs` {}.", words(20), words(20))), [1]);
    }

    #[test]
    fn ends_of_sentences_may_be_quoted() {
        assert_eq!(
            lines(&format!("{}.\" ({}.) *{}!* {}?", words(30), words(30), words(30), words(30))),
            Vec::<usize>::new()
        );
    }
}
