//! Call stacks as users write them: `lu.c:120`, `work`, `work+3`, `work@lu.c:120`, `main>run>work@lu.c:120`.

use icsched_ir::{BlockId, CallStack, FuncId, Op, Origin, Program, ProgramPoint};
use icsched_pointsto::PointsTo;

use crate::context::{Status, ThreadContext};

/// Why a text does not name one call stack.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StackError {
    /// It is not of the form that the module describes.
    #[error("`{0}` is no place: expected FILE:LINE, FUNCTION, FUNCTION+K or FUNCTION@FILE:LINE")]
    Malformed(String),
    /// No function has this name and code.
    #[error("the program has no code of a function `{0}`")]
    NoFunction(String),
    /// The function is shorter.
    #[error("`{function}` has {count} instructions, numbered from 0: there is no {asked}")]
    NoInstruction {
        /// The function.
        function: String,
        /// How many it has, ends of blocks included.
        count: usize,
        /// Which was asked for.
        asked: usize,
    },
    /// The line has no code.
    #[error("there is no code at {place}{}", next.as_ref().map_or_else(String::new, |next| format!("; the next line with code is {next}")))]
    NoCode {
        /// `lu.c:120`, or `work@lu.c:120`.
        place: String,
        /// The next line that has some.
        next: Option<String>,
    },
    /// A frame's function does not call the next one's.
    #[error("`{caller}` has no call of `{callee}` there")]
    NoCall {
        /// The frame.
        caller: String,
        /// The function of the next frame.
        callee: String,
    },
    /// More than one place fits.
    #[error("`{text}` can be any of {}", places.join(", "))]
    Ambiguous {
        /// The frame as written.
        text: String,
        /// The places, as one can write them.
        places: Vec<String>,
    },
}

/// One frame as written.
struct Frame<'t> {
    text: &'t str,
    function: Option<&'t str>,
    at: At<'t>,
}

#[derive(Copy, Clone)]
enum At<'t> {
    /// Where the function starts, or anywhere in it for a frame that has made a call.
    Anywhere,
    /// The instruction of this number.
    Number(usize),
    Line {
        file: &'t str,
        line: u32,
    },
}

/// The running thread that a text stands for. Frames are separated by `>`, the oldest first; each but the last stands
/// for its call of the next one's function. Functions of the program are meant before those of models. The stack is
/// complete if it starts with `main`.
///
/// # Errors
/// The text names no place, or several.
pub fn parse_stack(program: &Program, points_to: &PointsTo, text: &str) -> Result<ThreadContext, StackError> {
    let frames: Vec<Frame<'_>> = text.split('>').map(frame).collect::<Result<_, _>>()?;
    let names = Places { program, points_to };
    let mut points = Vec::new();
    let mut callee: Option<FuncId> = None;
    for frame in frames.iter().rev() {
        let point = match callee {
            None => names.innermost(frame)?,
            Some(callee) => names.call(frame, callee)?,
        };
        callee = Some(point.func);
        points.push(point);
    }
    points.reverse();
    let complete = points.first().is_some_and(|oldest| program.main == Some(oldest.func));
    Ok(ThreadContext { stack: CallStack(points), complete, folds: Vec::new(), status: Status::Running })
}

fn frame(text: &str) -> Result<Frame<'_>, StackError> {
    let text = text.trim();
    let malformed = || StackError::Malformed(text.to_owned());
    let (function, place) = match text.split_once('@') {
        Some((function, place)) => (Some(function), Some(place)),
        None if text.contains(':') => (None, Some(text)),
        None => (Some(text), None),
    };
    let at = match (place, function.and_then(|f| f.split_once('+'))) {
        (None, Some((_, number))) => At::Number(number.parse().map_err(|_| malformed())?),
        (None, None) => At::Anywhere,
        (Some(place), None) => {
            let (file, line) = place.rsplit_once(':').ok_or_else(malformed)?;
            At::Line { file, line: line.parse().map_err(|_| malformed())? }
        }
        (Some(_), Some(_)) => return Err(malformed()),
    };
    let function = function.map(|f| f.split_once('+').map_or(f, |(name, _)| name));
    if function == Some("") || matches!(at, At::Line { file: "", .. }) {
        return Err(malformed());
    }
    Ok(Frame { text, function, at })
}

struct Places<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
}

impl Places<'_> {
    fn function(&self, name: &str) -> Result<FuncId, StackError> {
        let found = self.program.function_named(name).filter(|&f| !self.program.functions[f].is_declaration());
        found.ok_or_else(|| StackError::NoFunction(name.to_owned()))
    }

    /// All points of a function, ends of blocks included, in the order in which `inspect ir` shows them.
    fn points(&self, func: FuncId) -> impl Iterator<Item = ProgramPoint> {
        let blocks = self.program.functions[func].blocks.iter();
        blocks.flat_map(move |(block, body)| points_of(func, block, body.insts.len()))
    }

    fn is_at(&self, point: ProgramPoint, file: &str, line: u32) -> bool {
        self.line(point).is_some_and(|(path, at)| at == line && is_file(path, file))
    }

    fn line(&self, point: ProgramPoint) -> Option<(&str, u32)> {
        let loc = &self.program.locs[point.loc(self.program)?];
        (loc.line > 0).then(|| (self.program.files[loc.file].as_str(), loc.line))
    }

    /// Where a thread is that has called nothing.
    fn innermost(&self, frame: &Frame<'_>) -> Result<ProgramPoint, StackError> {
        match frame.at {
            At::Anywhere | At::Number(_) => {
                let name = frame.function.unwrap_or(frame.text);
                let func = self.function(name)?;
                let asked = if let At::Number(number) = frame.at { number } else { 0 };
                self.points(func).nth(asked).ok_or_else(|| StackError::NoInstruction {
                    function: name.to_owned(),
                    count: self.points(func).count(),
                    asked,
                })
            }
            At::Line { file, line } => self.first_of_line(frame, file, line),
        }
    }

    /// The first instruction of a line.
    fn first_of_line(&self, frame: &Frame<'_>, file: &str, line: u32) -> Result<ProgramPoint, StackError> {
        let of =
            |origin: Origin| self.program.functions.iter().filter(move |(_, f)| f.origin == origin).map(|(id, _)| id);
        let mut candidates: Vec<FuncId> = match frame.function {
            Some(name) => vec![self.function(name)?],
            None => of(Origin::Program).collect(),
        };
        let first = |func: &FuncId| self.points(*func).find(|&point| self.is_at(point, file, line));
        let mut found: Vec<ProgramPoint> = candidates.iter().filter_map(first).collect();
        if found.is_empty() && frame.function.is_none() {
            candidates = of(Origin::Model).collect();
            found = candidates.iter().filter_map(first).collect();
        }
        match found[..] {
            [point] => Ok(point),
            [] => {
                Err(StackError::NoCode { place: frame.text.to_owned(), next: self.next_line(&candidates, file, line) })
            }
            _ => {
                let name = |p: &ProgramPoint| format!("{}@{}", self.program.functions[p.func].name, frame.text);
                Err(StackError::Ambiguous { text: frame.text.to_owned(), places: found.iter().map(name).collect() })
            }
        }
    }

    /// The next line of a file with code of these functions.
    fn next_line(&self, functions: &[FuncId], file: &str, line: u32) -> Option<String> {
        let of_program = |f: &&FuncId| self.program.functions[**f].origin == Origin::Program;
        let own: Vec<FuncId> = functions.iter().filter(of_program).copied().collect();
        let searched = if own.is_empty() { self.program.functions.ids().collect() } else { own };
        let points = searched.iter().flat_map(|&f| self.points(f));
        let lines = points.filter_map(|p| self.line(p)).filter(|(path, at)| is_file(path, file) && *at > line);
        lines.map(|(_, at)| at).min().map(|at| format!("{file}:{at}"))
    }

    /// The call of `callee` that a frame stands for.
    fn call(&self, frame: &Frame<'_>, callee: FuncId) -> Result<ProgramPoint, StackError> {
        let callers: Vec<FuncId> = match frame.function {
            Some(name) => vec![self.function(name)?],
            None => self.program.functions.ids().collect(),
        };
        let fits = |(number, point): &(usize, ProgramPoint)| match frame.at {
            At::Anywhere => true,
            At::Number(asked) => *number == asked,
            At::Line { file, line } => self.is_at(*point, file, line),
        };
        let numbered = callers.iter().flat_map(|&f| self.points(f).enumerate());
        let calls: Vec<(usize, ProgramPoint)> = numbered.filter(fits).filter(|(_, p)| self.calls(*p, callee)).collect();
        match calls[..] {
            [(_, point)] => Ok(point),
            [] => Err(StackError::NoCall {
                caller: frame.text.to_owned(),
                callee: self.program.functions[callee].name.clone(),
            }),
            _ => {
                let name =
                    |(number, p): &(usize, ProgramPoint)| format!("{}+{number}", self.program.functions[p.func].name);
                Err(StackError::Ambiguous { text: frame.text.to_owned(), places: calls.iter().map(name).collect() })
            }
        }
    }

    fn calls(&self, point: ProgramPoint, callee: FuncId) -> bool {
        let inst = self.program.functions[point.func].blocks[point.block].insts.get(point.inst as usize);
        inst.is_some_and(|inst| matches!(inst.op, Op::Call { .. }))
            && self.points_to.call_targets(self.program, point).contains(&callee)
    }
}

fn points_of(func: FuncId, block: BlockId, insts: usize) -> impl Iterator<Item = ProgramPoint> {
    (0..=insts).map(move |inst| ProgramPoint { func, block, inst: u32::try_from(inst).unwrap_or(u32::MAX) })
}

/// Whether a path is the file that is meant: its last parts.
fn is_file(path: &str, file: &str) -> bool {
    path.strip_suffix(file).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}
