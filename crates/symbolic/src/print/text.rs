//! Text with the precedence of its outermost operator, so that parentheses stand where C needs them.

use std::collections::BTreeSet;

/// C's precedence levels, loosest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Unary,
    Atom,
}

/// A printed expression.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    level: Level,
}

impl Text {
    pub(super) fn atom(text: &str) -> Self {
        Text { text: text.to_owned(), level: Level::Atom }
    }

    /// A number; a negative one binds like a unary operator.
    pub(super) fn number(text: String) -> Self {
        let level = if text.starts_with('-') { Level::Unary } else { Level::Atom };
        Text { text, level }
    }

    /// With a prefix operator in it.
    pub(super) fn unary(text: String) -> Self {
        Text { text, level: Level::Unary }
    }

    /// A relation that C has no operator for.
    pub(super) fn relation(text: String) -> Self {
        Text { text, level: Level::Equality }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// The text as an operand of a chain of this level's operators.
    pub(super) fn inside(self, level: Level) -> String {
        // `&&` inside `||` is put in parentheses, as compilers advise.
        let needed = if level == Level::Or { Level::BitOr } else { level.tighter() };
        if self.level == level { self.text } else { self.at(needed) }
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text in parentheses if it binds looser than `level`.
    pub(super) fn at(self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text }
    }

    /// `left operator right`, grouping to the left. Like compilers do in their warnings, mixed bit operators, shifts
    /// and comparisons get parentheses also where C would not need them.
    pub(super) fn infix(level: Level, left: Text, operator: &str, right: Text) -> Self {
        let compares = |level: Level| matches!(level, Level::Equality | Level::Order);
        let unclear = |operand: &Text| {
            let is_mixed = operand.level != level
                && matches!(operand.level, Level::BitOr | Level::BitXor | Level::BitAnd | Level::Shift)
                && level <= Level::Shift
                && level > Level::And;
            is_mixed || compares(level) && compares(operand.level)
        };
        let wrap = |operand: Text, needed: Level| {
            if unclear(&operand) { format!("({})", operand.text) } else { operand.at(needed) }
        };
        let (left, right) = (wrap(left, level), wrap(right, level.tighter()));
        Text { text: format!("{left} {operator} {right}"), level }
    }

    /// `a operator b operator c`; `None` for no operands, the operand itself for one.
    pub(super) fn chain(level: Level, operator: &str, operands: Vec<Text>) -> Option<Self> {
        if operands.len() < 2 {
            return operands.into_iter().next();
        }
        let parts: Vec<String> = operands.into_iter().map(|t| t.inside(level)).collect();
        Some(Text { text: parts.join(&format!(" {operator} ")), level })
    }

    pub(super) fn choice(condition: Text, yes: Text, no: Text) -> Self {
        let (condition, yes, no) = (condition.at(Level::Or), yes.at(Level::Or), no.at(Level::Choice));
        Text { text: format!("{condition} ? {yes} : {no}"), level: Level::Choice }
    }

    /// With a prefix operator.
    pub(super) fn prefixed(self, operator: &str) -> Self {
        let operand = self.at(Level::Unary);
        // `- -1`, not `--1`.
        let space = if operator == "-" && operand.starts_with('-') { " " } else { "" };
        Text { text: format!("{operator}{space}{operand}"), level: Level::Unary }
    }

    pub(super) fn cast(self, ty: &str) -> Self {
        Text { text: format!("({ty}){}", self.at(Level::Unary)), level: Level::Unary }
    }

    pub(super) fn call(function: &str, arguments: Vec<Text>) -> Self {
        let arguments: Vec<String> = arguments.into_iter().map(Text::into_text).collect();
        Text::atom(&format!("{function}({})", arguments.join(", ")))
    }

    pub(super) fn index(self, index: Text) -> Self {
        let base = self.at(Level::Atom);
        Text::atom(&format!("{base}[{}]", index.text))
    }
}

/// Operands without those that were there before, and without the one that changes nothing.
pub(super) fn once_each(operands: Vec<Text>, neutral: &str) -> Vec<Text> {
    let mut seen = BTreeSet::new();
    operands.into_iter().filter(|o| o.text != neutral && seen.insert(o.text.clone())).collect()
}

impl Level {
    /// The next tighter level: what the right operand of a left-associative operator needs.
    fn tighter(self) -> Level {
        match self {
            Level::Choice => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::BitOr,
            Level::BitOr => Level::BitXor,
            Level::BitXor => Level::BitAnd,
            Level::BitAnd => Level::Equality,
            Level::Equality => Level::Order,
            Level::Order => Level::Shift,
            Level::Shift => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Unary,
            Level::Unary | Level::Atom => Level::Atom,
        }
    }
}
