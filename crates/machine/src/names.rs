//! What people call the objects behind addresses.

use icsched_ir::{GlobalId, Program, ProgramPoint, SourceType, TypeId, describe_offset};

use crate::memory::{AddressClass, Death, Heap, ObjectId, ObjectKind, classify};
use crate::thread_table::{ENDED_SLOTS, THREAD_TABLE};
use crate::values::Values;

impl<D: Values> Heap<D> {
    /// An object as the user knows it: ``global `queue` ``, ``local `m` of main``, `heap object allocated at q.c:12`;
    /// with what became of it when it is dead.
    pub fn describe_object(&self, id: ObjectId) -> String {
        let Some(object) = self.object(id) else { return "nothing".to_owned() };
        let what = self.describe_live(id);
        let Some((cause, at)) = object.death() else { return what };
        let place = at.map(|p| format!(" at {}", self.place(p))).unwrap_or_default();
        match cause {
            Death::Freed => format!("{what}, which was freed{place}"),
            Death::Returned => format!("{what}, whose function has returned"),
            Death::ThreadEnded => format!("{what}, whose thread has ended"),
        }
    }

    fn describe_live(&self, id: ObjectId) -> String {
        let program = self.program();
        let Some(object) = self.object(id) else { return "nothing".to_owned() };
        match object.kind {
            ObjectKind::Global(g) => format!("global `{}`", program.globals[g].name),
            ObjectKind::ThreadLocal(g, t) => format!("thread-local `{}` of thread {t}", program.globals[g].name),
            ObjectKind::Stack { func, value, .. } => {
                let function = &program.functions[func];
                match &function.values[value].name {
                    Some(name) => format!("local `{name}` of {}", function.name),
                    None => format!("a local of {}", function.name),
                }
            }
            ObjectKind::Heap => match object.allocated_at {
                Some(p) => format!("heap object allocated at {}", self.place(p)),
                None => "heap object".to_owned(),
            },
            ObjectKind::Argument(i) => format!("`argv[{i}]`"),
            ObjectKind::ArgumentVector => "`argv`".to_owned(),
            ObjectKind::Environment(i) => format!("`environ[{i}]`"),
            ObjectKind::EnvironmentVector => "`environ`".to_owned(),
            ObjectKind::VarArgs(_) => "variable arguments".to_owned(),
            ObjectKind::Initial(_) => match object.allocated_at {
                Some(p) => format!("heap object allocated at {}", self.place(p)),
                None => "an object of the initial state".to_owned(),
            },
        }
    }

    /// `file.c:12`, or the function's name without debug information.
    pub fn place(&self, point: ProgramPoint) -> String {
        let program = self.program();
        match point.loc(program) {
            Some(loc) => program.describe_loc(loc),
            None => program.functions[point.func].name.clone(),
        }
    }

    /// A short name for a byte: `A`, `locks[2]`, `m in main`, `heap (queue.c:12)+8`, `&worker`.
    pub fn name_of(&self, address: u64) -> String {
        match classify(address) {
            AddressClass::Null => format!("{address:#x}"),
            AddressClass::Function(f) => {
                self.program().functions.get(f).map_or_else(|| "code".to_owned(), |f| format!("&{}", f.name))
            }
            AddressClass::Other => format!("{address:#x}"),
            AddressClass::Object(id, offset) => self.name_in(id, offset),
        }
    }

    /// Whether an object is the models' table of threads.
    pub(crate) fn is_thread_table(&self, id: ObjectId) -> bool {
        matches!(self.object(id).map(|o| o.kind), Some(ObjectKind::Global(g)) if self.program().globals[g].name == THREAD_TABLE)
    }

    fn name_in(&self, id: ObjectId, offset: i64) -> String {
        let program = self.program();
        let Some(object) = self.object(id) else { return format!("nothing{}", plus(offset)) };
        let base = match object.kind {
            ObjectKind::Global(g) if program.globals[g].name == THREAD_TABLE => return thread_name(program, g, offset),
            ObjectKind::Global(g) => return program.describe_global(g, offset),
            ObjectKind::ThreadLocal(g, t) => return format!("{} of thread {t}", program.describe_global(g, offset)),
            ObjectKind::Stack { func, value, .. } => {
                let function = &program.functions[func];
                let value = &function.values[value];
                let name = value.name.as_deref().unwrap_or("local");
                let path = match (value.source_type, u64::try_from(offset)) {
                    (Some(ty), Ok(offset)) => describe_offset(&program.types, ty, offset),
                    (None, _) | (_, Err(_)) => plus(offset),
                };
                return format!("{name}{path} in {}", function.name);
            }
            ObjectKind::Heap | ObjectKind::Initial(_) if let Some(p) = object.allocated_at => {
                let path = allocated_type(program, p).and_then(|ty| element_path(program, ty, offset));
                return format!("heap ({}){}", self.place(p), path.unwrap_or_else(|| plus(offset)));
            }
            ObjectKind::Heap => "heap".to_owned(),
            ObjectKind::Argument(i) => format!("argv[{i}]"),
            ObjectKind::ArgumentVector => "argv".to_owned(),
            ObjectKind::Environment(i) => format!("environ[{i}]"),
            ObjectKind::EnvironmentVector => "environ".to_owned(),
            ObjectKind::VarArgs(_) => "variable arguments".to_owned(),
            ObjectKind::Initial(_) => "an object of the initial state".to_owned(),
        };
        base + &plus(offset)
    }
}

/// The type of what an allocation makes, by what the source takes its result for.
fn allocated_type(program: &Program, at: ProgramPoint) -> Option<TypeId> {
    let function = &program.functions[at.func];
    let &pointer = function.blocks[at.block].insts.get(at.inst as usize)?.results.first()?;
    let ty = function.values[pointer].source_type?;
    match program.types.resolve(ty)?.1 {
        SourceType::Pointer { to } => *to,
        _ => None,
    }
}

/// How the byte at an offset of one or several values of a type is reached: `.lock`, `[2].lock`.
fn element_path(program: &Program, ty: TypeId, offset: i64) -> Option<String> {
    let size = program.types.size(ty);
    let offset = u64::try_from(offset).ok().filter(|_| size > 1)?;
    let path = describe_offset(&program.types, ty, offset % size);
    Some(match offset / size {
        0 => path,
        index => format!("[{index}]{path}"),
    })
}

/// A name for the bytes between two of one object, by the names of these: `locks[*]` for `locks[0]` and `locks[3]`,
/// `table[*].lock`, `table[*]` where they are different members.
pub(crate) fn any_between(first: &str, last: &str) -> String {
    let (a, b) = (first.as_bytes(), last.as_bytes());
    // What both begin with, up to where an index, an offset or a member begins; what they end with, from a member or
    // word on.
    let is_end = |at: usize| [a, b].iter().all(|name| matches!(name.get(at), None | Some(b'[' | b'+' | b'.' | b' ')));
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let start = (0..=same).rev().find(|&at| is_end(at)).unwrap_or(0);
    let most = a.len().min(b.len()) - start;
    let same = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let end = (1..=same).rev().find(|&len| matches!(a[a.len() - len], b'.' | b' ')).unwrap_or(0);
    format!("{}[*]{}", &first[..start], &first[first.len() - end..])
}

/// The function that new threads of the models begin with.
pub const THREAD_MAIN: &str = "__ics_thread_main";

/// `thread 3` for an entry of the models' table of threads, `ended thread 1` for the last one: those are for threads
/// that ended before the initial state.
fn thread_name(program: &Program, table: GlobalId, offset: i64) -> String {
    let global = &program.globals[table];
    let element = global.source_type.and_then(|ty| match program.types.resolve(ty)?.1 {
        SourceType::Array { element, .. } => element.map(|e| program.types.size(e)),
        _ => None,
    });
    match (element, u64::try_from(offset)) {
        (Some(size @ 1..), Ok(offset)) => match (global.size / size).saturating_sub(offset / size) {
            left @ 1..=ENDED_SLOTS => format!("ended thread {left}"),
            _ => format!("thread {}", offset / size),
        },
        _ => program.describe_global(table, offset),
    }
}

fn plus(offset: i64) -> String {
    match offset {
        0 => String::new(),
        1.. => format!("+{offset}"),
        _ => format!("{offset}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_two_names_is_any_index() {
        assert_eq!(any_between("locks[0]", "locks[3]"), "locks[*]");
        assert_eq!(any_between("locks[1] in main", "locks[12] in main"), "locks[*] in main");
        assert_eq!(any_between("table[0].lock", "table[31].lock"), "table[*].lock");
        assert_eq!(any_between("table[0].row[1]", "table[2].row[3]"), "table[*]");
        assert_eq!(any_between("table[0].n", "table[3].lock+39"), "table[*]");
        assert_eq!(any_between("heap (q.c:12)+8", "heap (q.c:12)+152"), "heap (q.c:12)[*]");
        assert_eq!(any_between("heap (q.c:12)", "heap (q.c:12)+152"), "heap (q.c:12)[*]");
        assert_eq!(any_between("lock", "lock+39"), "lock[*]");
        assert_eq!(any_between("locks in main", "locks+48 in main"), "locks[*] in main");
        assert_eq!(any_between("s.lock_a", "s.lock_b"), "s[*]");
        assert_eq!(any_between("table[0].a.lock", "table[1].b.lock"), "table[*].lock");
    }
}
