//! Names for places in memory, as a C programmer would write them: `locks[3].owner`.
//!
//! A byte offset into a source type becomes the path of fields and indices to the scalar that holds the byte. Where
//! several paths lead there (a union, bit-fields in one byte) the first declared one is taken. Objects of the types in
//! [`WHOLE`] are named as a whole at their start, because what is inside is the library's business. What the types do
//! not tell (padding, the middle of a scalar, no debug information) is left as a number of bytes, `x+2`.

use crate::entity::{GlobalId, TypeId};
use crate::program::Program;
use crate::types::{Field, SourceType, TypeTable};

/// Library types whose start names the object itself and not its first member. Sorted.
pub const WHOLE: [&str; 14] = [
    "cnd_t",
    "mtx_t",
    "once_flag",
    "pthread_attr_t",
    "pthread_barrier_t",
    "pthread_cond_t",
    "pthread_key_t",
    "pthread_mutex_t",
    "pthread_mutexattr_t",
    "pthread_once_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "pthread_t",
    "sem_t",
];

/// What to append to the name of an object of type `ty` to name the byte at `offset` from its start: `[3].owner`, or
/// nothing when that is the object itself. An index beyond an array's end is printed as it is. O(depth of the type).
pub fn describe_offset(types: &TypeTable, ty: TypeId, offset: u64) -> String {
    let mut path = String::new();
    walk(types, ty, offset, &mut path);
    path
}

/// The name of the byte at `offset` from where the pointer `pointer` (a C expression) of target type `to` points:
/// `q->items[3]`, `*p`, `p[2].key`. Without a target type, and before the target: `*(p-8)`.
pub fn describe_pointee(types: &TypeTable, pointer: &str, to: Option<TypeId>, offset: i64) -> String {
    let is_postfix = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let is_plain = pointer.replace("->", ".").chars().all(is_postfix);
    let pointer = if is_plain { pointer.to_owned() } else { format!("({pointer})") };
    let size = to.map_or(0, |to| types.size(to));
    let (Some(to), Ok(offset), true) = (to, u64::try_from(offset), size > 0) else {
        return if offset == 0 { format!("*{pointer}") } else { format!("*({pointer}{offset:+})") };
    };
    let path = describe_offset(types, to, offset % size);
    match (offset / size, path.strip_prefix('.')) {
        (0, Some(member)) => format!("{pointer}->{member}"),
        (0, None) if path.is_empty() => format!("*{pointer}"),
        (0, None) if path.starts_with('[') => format!("(*{pointer}){path}"),
        (index, _) => format!("{pointer}[{index}]{path}"),
    }
}

/// The scalar that holds the byte at `offset` of a value of type `ty`, and which of its bytes that is; none for padding
/// and for what has no known inside. O(depth of the type).
pub fn scalar_at(types: &TypeTable, mut ty: TypeId, mut offset: u64) -> Option<(TypeId, u64)> {
    for _ in 0..=types.len() {
        let (id, resolved) = types.resolve(ty)?;
        if matches!(resolved, SourceType::Base { .. } | SourceType::Pointer { .. }) {
            return (offset < types.size(id)).then_some((id, offset));
        }
        (ty, offset) = step(types, id, offset, &mut String::new())?;
    }
    None
}

impl Program {
    /// The byte at `offset` of a global variable, as [`describe_offset`] names it.
    pub fn describe_global(&self, global: GlobalId, offset: i64) -> String {
        let global = &self.globals[global];
        match (global.source_type, u64::try_from(offset)) {
            (_, Err(_)) => format!("{}{offset}", global.name),
            (Some(ty), Ok(offset)) => format!("{}{}", global.name, describe_offset(&self.types, ty, offset)),
            (None, Ok(0)) => global.name.clone(),
            (None, Ok(offset)) => format!("{}+{offset}", global.name),
        }
    }
}

/// Appends the path to `offset` within `ty`, one member or index per step.
fn walk(types: &TypeTable, mut ty: TypeId, mut offset: u64, path: &mut String) {
    // A well-formed type is no deeper than the table is long.
    for _ in 0..=types.len() {
        let next = if offset == 0 && is_whole(types, ty) { None } else { step(types, ty, offset, path) };
        match next {
            Some((inner, rest)) => (ty, offset) = (inner, rest),
            None => break,
        }
    }
    if offset > 0 {
        path.push_str(&format!("+{offset}"));
    }
}

/// The part of `ty` that holds `offset`, with the offset in it.
fn step(types: &TypeTable, ty: TypeId, offset: u64, path: &mut String) -> Option<(TypeId, u64)> {
    match types.resolve(ty)?.1 {
        SourceType::Struct { fields, size, .. } => member(types, fields, *size, offset, path),
        SourceType::Union { fields, size, .. } => member(types, fields, *size, offset, path),
        SourceType::Array { element, .. } => {
            let element = (*element)?;
            let size = types.size(element);
            if size == 0 {
                return None;
            }
            path.push_str(&format!("[{}]", offset / size));
            Some((element, offset % size))
        }
        SourceType::Base { .. } | SourceType::Pointer { .. } | SourceType::Named { .. } | SourceType::Opaque => None,
    }
}

fn member(types: &TypeTable, fields: &[Field], size: u64, offset: u64, path: &mut String) -> Option<(TypeId, u64)> {
    let holds = |f: &&Field| {
        let rest = offset.checked_sub(f.offset);
        rest.is_some_and(|rest| rest == 0 || f.ty.is_some_and(|ty| rest < types.size(ty)))
    };
    // Behind the end of a struct only the elements of a flexible array member can be meant.
    let flexible = || {
        let last = fields.last().filter(|f| offset >= size.max(f.offset))?;
        let is_array = matches!(types.resolve(last.ty?)?.1, SourceType::Array { .. });
        is_array.then_some(last)
    };
    let field = fields.iter().find(holds).or_else(flexible)?;
    // Members of an anonymous struct or union belong to the one around it.
    if !field.name.is_empty() {
        path.push('.');
        path.push_str(&field.name);
    }
    field.ty.map(|ty| (ty, offset - field.offset))
}

/// Whether `ty` is one of [`WHOLE`], by any of the typedefs it is behind.
fn is_whole(types: &TypeTable, mut ty: TypeId) -> bool {
    for _ in 0..types.len() {
        match types.get(ty) {
            SourceType::Named { name, .. } if WHOLE.binary_search(&name.as_str()).is_ok() => return true,
            SourceType::Named { to: Some(to), .. } => ty = *to,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::EntityId;
    use crate::text::parse;

    const TYPES: &str = r#"
global @locks size 120 t7
global @table size 48 t9
global @n size 4 t0
global @raw size 64
t0 = base "int" size 4 signed
t1 = base "char" size 1 signed
t2 = pointer t0
t3 = struct "__pthread_mutex_s" size 40 { "__lock" 0 t0, "__owner" 8 t0 }
t4 = union "" size 40 { "__data" 0 t3, "__size" 0 t11 }
t5 = typedef "pthread_mutex_t" t4
t6 = typedef "lock_t" t5
t7 = array t6 x 3
t8 = array t0 x 4
t9 = array t8 x 3
t10 = struct "queue" size 64 { "lock" 0 t5, "head" 40 t2, "" 48 t12, "tail" 56 t13 }
t11 = array t1 x 40
t12 = union "" size 4 { "count" 0 t0, "bytes" 0 t14 }
t13 = array t10 x 0
t14 = array t1 x 4
t15 = typedef "loop" t15
t16 = struct "bits" size 4 { "a" 0 t0, "b" 0 t0 }
t17 = struct "odd" size 8 { "x" 0 ?, "y" 4 t0 }
t18 = array ? x 4
"#;

    fn offset(ty: usize, offset: u64) -> String {
        describe_offset(&parse(TYPES).unwrap().types, TypeId::from_index(ty), offset)
    }

    fn pointee(name: &str, ty: usize, offset: i64) -> String {
        describe_pointee(&parse(TYPES).unwrap().types, name, Some(TypeId::from_index(ty)), offset)
    }

    #[test]
    fn scalars() {
        let types = parse(TYPES).unwrap().types;
        let at = |ty: usize, offset| {
            scalar_at(&types, TypeId::from_index(ty), offset).map(|(scalar, byte)| (scalar.index(), byte))
        };
        assert_eq!(at(0, 0), Some((0, 0)));
        assert_eq!(at(9, 20), Some((0, 0)), "an element of an element");
        assert_eq!(at(10, 43), Some((2, 3)), "in the middle of a pointer");
        assert_eq!(at(10, 52), None, "padding");
        assert_eq!(at(17, 0), None, "nobody knows what it is");
        assert_eq!(at(15, 0), None, "a type that is itself");
    }

    #[test]
    fn globals() {
        let program = parse(TYPES).unwrap();
        let global = |name: &str, offset| {
            let (id, _) = program.globals.iter().find(|(_, g)| g.name == name).unwrap();
            program.describe_global(id, offset)
        };
        assert_eq!(global("n", 0), "n");
        assert_eq!(global("n", 2), "n+2");
        assert_eq!(global("n", 4), "n+4");
        assert_eq!(global("n", -4), "n-4");
        assert_eq!(global("raw", 0), "raw");
        assert_eq!(global("raw", 8), "raw+8");
        assert_eq!(global("table", 0), "table[0][0]");
        assert_eq!(global("table", 24), "table[1][2]");
        assert_eq!(global("table", 26), "table[1][2]+2");
        assert_eq!(global("table", 48), "table[3][0]", "one past the end is worth seeing");
        assert_eq!(global("locks", 80), "locks[2]", "the lock, not its first word");
        assert_eq!(global("locks", 48), "locks[1].__data.__owner");
        assert_eq!(global("locks", 45), "locks[1].__data+5", "padding");
    }

    #[test]
    fn members() {
        assert_eq!(offset(10, 0), ".lock");
        assert_eq!(offset(10, 8), ".lock.__data.__owner");
        assert_eq!(offset(10, 40), ".head");
        assert_eq!(offset(10, 48), ".count", "the first member of the anonymous union");
        assert_eq!(offset(10, 49), ".count+1");
        assert_eq!(offset(10, 52), "+52", "padding");
        assert_eq!(offset(16, 0), ".a");
    }

    #[test]
    fn flexible_array_members() {
        assert_eq!(offset(10, 56 + 40), ".tail[0].head");
        assert_eq!(offset(10, 56 + 64), ".tail[1].lock");
        assert_eq!(offset(16, 4), "+4", "behind a struct without one");
    }

    #[test]
    fn what_the_types_do_not_tell() {
        assert_eq!(offset(15, 0), "", "a typedef of itself");
        assert_eq!(offset(15, 3), "+3");
        assert_eq!(offset(17, 0), ".x", "a member of unknown type");
        assert_eq!(offset(17, 2), "+2");
        assert_eq!(offset(18, 8), "+8", "elements of unknown size");
    }

    #[test]
    fn pointees() {
        assert_eq!(pointee("q", 10, 40), "q->head");
        assert_eq!(pointee("q", 10, 64 + 40), "q[1].head");
        assert_eq!(pointee("q", 10, -8), "*(q-8)");
        assert_eq!(pointee("s->next", 0, 0), "*s->next");
        assert_eq!(pointee("p", 0, 8), "p[2]");
        assert_eq!(pointee("p", 0, 2), "p[0]+2");
        assert_eq!(pointee("rows", 8, 4), "(*rows)[1]");
        assert_eq!(pointee("*pp", 10, 0), "(*pp)->lock");
        assert_eq!(pointee("a-b", 0, 0), "*(a-b)");
        let types = parse(TYPES).unwrap().types;
        assert_eq!(describe_pointee(&types, "v", None, 0), "*v");
        assert_eq!(describe_pointee(&types, "v", None, 12), "*(v+12)");
    }

    #[test]
    fn the_whole_types_are_sorted() {
        assert!(WHOLE.is_sorted());
    }
}
