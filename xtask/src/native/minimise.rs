//! Makes a program smaller while something holds: takes out lines, and blocks in braces, one after the other.

/// A smaller text for which `still` holds, after at most `budget` questions.
pub(super) fn minimise(text: &str, mut budget: usize, still: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    loop {
        let before = lines.len();
        let mut at = 0;
        while at < lines.len() {
            let mut shorter = None;
            for candidate in candidates(&lines, at) {
                if budget == 0 {
                    return join(&lines);
                }
                budget -= 1;
                if still(&join(&candidate)) {
                    shorter = Some(candidate);
                    break;
                }
            }
            match shorter {
                Some(candidate) => lines = candidate,
                None => at += 1,
            }
        }
        if lines.len() == before {
            return join(&lines);
        }
    }
}

fn join(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

/// Texts without the line, and without the block that begins there or without its braces.
fn candidates(lines: &[String], at: usize) -> Vec<Vec<String>> {
    let without = |from: usize, to: usize| [&lines[..from], &lines[to + 1..]].concat();
    match end_of_block(lines, at) {
        None => vec![without(at, at)],
        Some(end) => vec![without(at, end), [&lines[..at], &lines[at + 1..end], &lines[end + 1..]].concat()],
    }
}

/// The line with the brace that closes what a line opens.
fn end_of_block(lines: &[String], at: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (number, line) in lines.iter().enumerate().skip(at) {
        for c in line.chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
        }
        if depth <= 0 {
            return (number > at).then_some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let text = "a\nif (x) {\nb\nc\n}\nd\n";
        let small = minimise(text, 100, &mut |text| text.contains('b'));
        assert_eq!(small, "b\n");
        let whole = minimise(text, 0, &mut |_| true);
        assert_eq!(whole, text);
    }
}
