//! Source files, locations and types as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use super::constant::Quoted;
use super::cursor::{Cursor, Parsed, id_index};
use super::lexer::{Kind, is_word};
use super::name::list_of;
use crate::entity::{EntityId, FileId, IdVec, LocId, TypeId};
use crate::program::{Loc, Program};
use crate::types::{Field, SourceType};

/// How each location is spelled behind `at`: `file.c:3:1` when that names it and no other one, else its id.
pub(super) struct LocNames {
    names: IdVec<LocId, Option<String>>,
}

impl LocNames {
    pub(super) fn new(program: &Program) -> Self {
        let mut short: BTreeMap<&str, u32> = BTreeMap::new();
        for file in program.files.values() {
            *short.entry(last_component(file)).or_default() += 1;
        }
        let mut seen = BTreeSet::new();
        let name = |loc: &Loc| {
            let file = last_component(program.files.get(loc.file)?);
            let is_first = seen.insert(*loc);
            if !is_first || loc.inlined_at.is_some() || short[file] > 1 {
                return None;
            }
            let is_plain = is_word(file) && ["loc", "v"].iter().all(|prefix| id_index(file, prefix).is_none());
            let file = if is_plain { file.to_owned() } else { Quoted(file).to_string() };
            Some(match loc {
                Loc { line, column: 0, .. } => format!("{file}:{line}"),
                Loc { line, column, .. } => format!("{file}:{line}:{column}"),
            })
        };
        Self { names: program.locs.values().map(name).collect() }
    }

    pub(super) fn name(&self, loc: LocId) -> String {
        self.names.get(loc).and_then(Clone::clone).unwrap_or_else(|| loc.to_string())
    }
}

fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Prints all tables.
pub(super) fn write(f: &mut impl Write, program: &Program) -> fmt::Result {
    for (id, ty) in program.types.iter() {
        writeln!(f, "{id} = {}", TypeText(ty))?;
    }
    for (id, name) in program.files.iter() {
        writeln!(f, "{id} = {}", Quoted(name))?;
    }
    for (id, Loc { file, line, column, inlined_at }) in program.locs.iter() {
        write!(f, "{id} = {file}:{line}:{column}")?;
        if let Some(at) = inlined_at {
            write!(f, " inlined_at {at}")?;
            if let Some(name) = program.inlined.get(&id) {
                write!(f, " in {}", Quoted(name))?;
            }
        }
        f.write_str("\n")?;
    }
    Ok(())
}

struct TypeText<'a>(&'a SourceType);

impl fmt::Display for TypeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            SourceType::Base { name, size, signed } => {
                write!(f, "base {} size {size}{}", Quoted(name), if *signed { " signed" } else { "" })
            }
            SourceType::Pointer { to } => write!(f, "pointer {}", part(*to)),
            SourceType::Struct { name, size, fields } => write_fields(f, "struct", name, *size, fields),
            SourceType::Union { name, size, fields } => write_fields(f, "union", name, *size, fields),
            SourceType::Array { element, count } => write!(f, "array {} x {count}", part(*element)),
            SourceType::Named { name, to } => write!(f, "typedef {} {}", Quoted(name), part(*to)),
            SourceType::Opaque => f.write_str("opaque"),
        }
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, word: &str, name: &str, size: u64, fields: &[Field]) -> fmt::Result {
    let fields = list_of(fields, |Field { name, offset, ty }| format!("{} {offset} {}", Quoted(name), part(*ty)));
    write!(f, "{word} {} size {size} {{ {fields} }}", Quoted(name))
}

fn part(ty: Option<TypeId>) -> String {
    ty.map_or("?".to_owned(), |t| t.to_string())
}

/// What a line of a table says.
pub(super) enum Row {
    File(usize, String),
    /// A location, and the function that was inlined there.
    Loc(usize, Loc, Option<String>),
    Type(usize, SourceType),
}

/// Whether the cursor is at a table row: `t1 = …`, `file1 = …`, `loc1 = …`.
pub(super) fn is_row(cursor: &Cursor<'_, '_>) -> bool {
    let Kind::Word(word) = cursor.peek() else { return false };
    *cursor.peek_at(1) == Kind::Punct('=') && ["t", "file", "loc"].iter().any(|p| id_index(word, p).is_some())
}

/// Reads the row that [`is_row`] saw.
pub(super) fn row(cursor: &mut Cursor<'_, '_>) -> Parsed<Row> {
    if let Some(index) = cursor.eat_id("t") {
        cursor.expect('=')?;
        return Ok(Row::Type(index, source_type(cursor)?));
    }
    if let Some(index) = cursor.eat_id("file") {
        cursor.expect('=')?;
        return Ok(Row::File(index, cursor.text()?));
    }
    let Some(index) = cursor.eat_id("loc") else { return cursor.error("expected a table row") };
    cursor.expect('=')?;
    let file = id(cursor, "file")?;
    cursor.expect(':')?;
    let line = cursor.number("a line")?;
    cursor.expect(':')?;
    let column = cursor.number("a column")?;
    let inlined_at = if cursor.eat_word("inlined_at") { Some(id(cursor, "loc")?) } else { None };
    let function = if inlined_at.is_some() && cursor.eat_word("in") { Some(cursor.text()?) } else { None };
    let loc = Loc { file: FileId::from_index(file), line, column, inlined_at: inlined_at.map(LocId::from_index) };
    Ok(Row::Loc(index, loc, function))
}

fn id(cursor: &mut Cursor<'_, '_>, prefix: &str) -> Parsed<usize> {
    match cursor.eat_id(prefix) {
        Some(index) => Ok(index),
        None => cursor.error(format!("expected an id like `{prefix}0`")),
    }
}

fn source_type(cursor: &mut Cursor<'_, '_>) -> Parsed<SourceType> {
    let token = cursor.token();
    Ok(match cursor.word("a kind of type")? {
        "base" => {
            let name = cursor.text()?;
            cursor.expect_word("size")?;
            let size = cursor.number("a size")?;
            SourceType::Base { name, size, signed: cursor.eat_word("signed") }
        }
        "pointer" => SourceType::Pointer { to: type_part(cursor)? },
        "struct" => {
            let (name, size, fields) = members(cursor)?;
            SourceType::Struct { name, size, fields }
        }
        "union" => {
            let (name, size, fields) = members(cursor)?;
            SourceType::Union { name, size, fields }
        }
        "array" => {
            let element = type_part(cursor)?;
            cursor.expect_word("x")?;
            SourceType::Array { element, count: cursor.number("a count")? }
        }
        "typedef" => {
            let name = cursor.text()?;
            SourceType::Named { name, to: type_part(cursor)? }
        }
        "opaque" => SourceType::Opaque,
        other => return Err(token.error(format!("`{other}` is not a kind of type"))),
    })
}

fn members(cursor: &mut Cursor<'_, '_>) -> Parsed<(String, u64, Vec<Field>)> {
    let name = cursor.text()?;
    cursor.expect_word("size")?;
    let size = cursor.number("a size")?;
    cursor.expect('{')?;
    let mut fields = Vec::new();
    while !cursor.eat('}') {
        if !fields.is_empty() {
            cursor.expect(',')?;
        }
        fields.push(Field { name: cursor.text()?, offset: cursor.number("an offset")?, ty: type_part(cursor)? });
    }
    Ok((name, size, fields))
}

/// `t3`, or `?` for an unknown type.
fn type_part(cursor: &mut Cursor<'_, '_>) -> Parsed<Option<TypeId>> {
    if cursor.eat('?') { Ok(None) } else { id(cursor, "t").map(|t| Some(TypeId::from_index(t))) }
}

/// Finds the locations written behind `at` in the tables and adds new ones.
#[derive(Default)]
pub(super) struct LocReader {
    /// Files by path and by last component; `None` where several files share it.
    files: BTreeMap<String, Option<FileId>>,
    /// The first location with these contents.
    locs: BTreeMap<Loc, LocId>,
}

impl LocReader {
    pub(super) fn new(program: &Program) -> Self {
        let mut this = Self::default();
        for (id, path) in program.files.iter() {
            this.add_file(path, id);
        }
        for (id, loc) in program.locs.iter() {
            this.locs.entry(*loc).or_insert(id);
        }
        this
    }

    fn add_file(&mut self, path: &str, id: FileId) {
        let mut add = |name: &str| {
            let entry = self.files.entry(name.to_owned()).or_insert(Some(id));
            *entry = entry.filter(|&known| known == id);
        };
        add(path);
        add(last_component(path));
    }

    /// `at file.c:3:1`, `at file.c:3` or `at loc5`, if the next token is `at`.
    pub(super) fn eat_at(&mut self, cursor: &mut Cursor<'_, '_>, program: &mut Program) -> Parsed<Option<LocId>> {
        if !cursor.eat_word("at") {
            return Ok(None);
        }
        let token = cursor.token();
        if let Some(index) = cursor.eat_id("loc") {
            let id = LocId::from_index(index);
            let is_known = program.locs.get(id).is_some();
            return if is_known { Ok(Some(id)) } else { Err(token.error(format!("{id} is not defined"))) };
        }
        let name = match cursor.eat_text()? {
            Some(name) => name,
            None => cursor.word("a file name or `loc0`")?.to_owned(),
        };
        cursor.expect(':')?;
        let line = cursor.number("a line")?;
        let column = if cursor.eat(':') { cursor.number("a column")? } else { 0 };
        let file = match self.files.get(&name) {
            Some(Some(file)) => *file,
            Some(None) => return Err(token.error(format!("several files are called `{name}`"))),
            None => {
                let id = program.files.push(name.clone());
                self.add_file(&name, id);
                id
            }
        };
        let loc = Loc { file, line, column, inlined_at: None };
        Ok(Some(*self.locs.entry(loc).or_insert_with(|| program.locs.push(loc))))
    }
}
