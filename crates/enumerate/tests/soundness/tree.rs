//! A C program as nested lines, so that parts can be taken out.

/// A line, or lines around others.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Line(String),
    Block { head: String, body: Vec<Node>, tail: &'static str },
}

impl Node {
    pub(crate) fn line(text: impl Into<String>) -> Self {
        Node::Line(text.into())
    }

    pub(crate) fn block(head: impl Into<String>, body: Vec<Node>) -> Self {
        Node::Block { head: head.into(), body, tail: "}" }
    }
}

/// The text of a program.
pub(crate) fn render(nodes: &[Node]) -> String {
    fn walk(nodes: &[Node], depth: usize, out: &mut String) {
        let indent = "    ".repeat(depth);
        for node in nodes {
            match node {
                Node::Line(text) => out.push_str(&format!("{indent}{text}\n")),
                Node::Block { head, body, tail } => {
                    out.push_str(&format!("{indent}{head}\n"));
                    walk(body, depth + 1, out);
                    out.push_str(&format!("{indent}{tail}\n"));
                }
            }
        }
    }
    let mut out = String::new();
    walk(nodes, 0, &mut out);
    out
}

/// Number of nodes.
fn size(nodes: &[Node]) -> usize {
    let of = |n: &Node| match n {
        Node::Line(_) => 1,
        Node::Block { body, .. } => 1 + size(body),
    };
    nodes.iter().map(of).sum()
}

/// What to do to one node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Edit {
    Delete,
    /// A block becomes its body.
    Unwrap,
    /// A text in parentheses becomes this.
    Simplify(usize, &'static str),
}

/// The program with the `at`th node (in order of the text) changed; `None` if the edit does not fit there.
fn edit(nodes: &[Node], at: &mut usize, edit_as: Edit) -> Option<Vec<Node>> {
    let mut out = Vec::with_capacity(nodes.len());
    let mut done = false;
    for node in nodes {
        if done {
            out.push(node.clone());
            continue;
        }
        if *at == 0 {
            done = true;
            match (edit_as, node) {
                (Edit::Delete, _) => {}
                (Edit::Unwrap, Node::Block { body, .. }) => out.extend(body.iter().cloned()),
                (Edit::Unwrap, Node::Line(_)) => return None,
                (Edit::Simplify(which, by), Node::Line(text)) => out.push(Node::Line(simplified(text, which, by)?)),
                (Edit::Simplify(which, by), Node::Block { head, body, tail }) => {
                    out.push(Node::Block { head: simplified(head, which, by)?, body: body.clone(), tail });
                }
            }
            continue;
        }
        *at -= 1;
        match node {
            Node::Block { head, body, tail } if *at < size(body) => {
                let body = edit(body, at, edit_as)?;
                out.push(Node::Block { head: head.clone(), body, tail });
                done = true;
            }
            Node::Block { body, .. } => {
                *at -= size(body);
                out.push(node.clone());
            }
            Node::Line(_) => out.push(node.clone()),
        }
    }
    Some(out)
}

/// The text with its `which`th group in parentheses replaced.
fn simplified(text: &str, which: usize, by: &str) -> Option<String> {
    let start = text.char_indices().filter(|(_, c)| *c == '(').nth(which)?.0;
    let mut depth = 0;
    for (i, c) in text[start..].char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            let inner = &text[start..=start + i];
            let changed = inner != format!("({by})") && inner.len() > by.len() + 2;
            return changed.then(|| format!("{}({by}){}", &text[..start], &text[start + i + 1..]));
        }
    }
    None
}

/// Makes a program smaller while `still` holds, at most `budget` attempts.
pub(crate) fn minimise(mut nodes: Vec<Node>, mut budget: usize, still: &mut dyn FnMut(&str) -> bool) -> Vec<Node> {
    loop {
        let before = render(&nodes);
        let mut at = 0;
        while at < size(&nodes) {
            let simpler = (0..6).flat_map(|which| ["0", "1", "x", "y"].map(|by| Edit::Simplify(which, by)));
            let mut kept = true;
            for try_edit in [Edit::Delete, Edit::Unwrap].into_iter().chain(simpler) {
                if budget == 0 {
                    return nodes;
                }
                let mut place = at;
                let Some(candidate) = edit(&nodes, &mut place, try_edit) else { continue };
                budget -= 1;
                if still(&render(&candidate)) {
                    nodes = candidate;
                    kept = matches!(try_edit, Edit::Simplify(..));
                    if !kept {
                        break;
                    }
                }
            }
            at += usize::from(kept);
        }
        if render(&nodes) == before {
            return nodes;
        }
    }
}
