//! Programs, globals and signatures from text.
//!
//! Names may be used before their definition, so the text is gone through in three steps: the tables at its end, the
//! signatures, then everything that refers to names. All are linear in its length.

use std::collections::BTreeMap;

use super::ParseError;
use super::body;
use super::constant::{self, Read};
use super::cursor::{Cursor, Parsed};
use super::lexer::{self, Kind, Token};
use super::reader::{Reader, Symbol};
use super::scope::Scope;
use super::table::{self, LocReader, Row};
use crate::entity::{EntityId, FuncId, GlobalId, IdVec, TypeId};
use crate::inst::Const;
use crate::program::{Function, Global, Origin, Program, Relocation};
use crate::types::Type;

/// Reads the text form. Checks its syntax and that names exist; see [`verify`](crate::verify()) for the rest.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let items = items(lexer::tokens(text)?);
    let mut program = Program::default();
    read_tables(&items, &mut program)?;
    let locs = LocReader::new(&program);
    let mut reader = Reader { program, symbols: BTreeMap::new(), locs, param_types: IdVec::new() };
    let mut deferred = Vec::new();
    for item in &items {
        let mut cursor = Cursor::new(item, 0);
        if let Some(rest) = reader.declare(&mut cursor, item)? {
            deferred.push((cursor, rest));
        }
    }
    let mut names_main = false;
    for (mut cursor, rest) in deferred {
        names_main |= matches!(rest, Rest::Header("main"));
        reader.define(&mut cursor, rest)?;
        cursor.end_of_item()?;
    }
    let mut program = reader.program;
    if !names_main {
        program.main = program.default_main();
    }
    Ok(program)
}

/// The tokens cut before each first token of a line outside braces; every item gets its own end.
fn items(tokens: Vec<Token<'_>>) -> Vec<Vec<Token<'_>>> {
    let mut depth = 0_u32;
    let mut items = Vec::new();
    let mut item = Vec::new();
    for token in tokens {
        let starts = depth == 0 && token.first_on_line || token.kind == Kind::End;
        if starts && !item.is_empty() {
            item.push(Token { kind: Kind::End, ..token.clone() });
            items.push(std::mem::take(&mut item));
        }
        match token.kind {
            Kind::Punct('{') => depth += 1,
            Kind::Punct('}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        item.push(token);
    }
    items
}

fn read_tables(items: &[Vec<Token<'_>>], program: &mut Program) -> Parsed<()> {
    for item in items {
        let mut cursor = Cursor::new(item, 0);
        if !table::is_row(&cursor) {
            continue;
        }
        let token = cursor.token();
        let in_order = match table::row(&mut cursor)? {
            Row::File(index, name) => program.files.push(name).index() == index,
            Row::Loc(index, loc, function) => {
                let id = program.locs.push(loc);
                program.inlined.extend(function.map(|name| (id, name)));
                id.index() == index
            }
            Row::Type(index, ty) => program.types.push(ty).index() == index,
        };
        if !in_order {
            return Err(token.error("the rows of a table are numbered 0, 1, 2, ..."));
        }
        cursor.end_of_item()?;
    }
    Ok(())
}

/// What is left of an item once every name is known; the cursor is behind the part already read.
enum Rest<'s> {
    Header(&'s str),
    Global(GlobalId),
    Function(FuncId, Scope<'s>),
}

impl Reader {
    /// First step: names and signatures. `item` holds the cursor's tokens.
    fn declare<'s>(&mut self, cursor: &mut Cursor<'_, 's>, item: &[Token<'s>]) -> Parsed<Option<Rest<'s>>> {
        if table::is_row(cursor) {
            return Ok(None);
        }
        let token = cursor.token();
        match cursor.word("`function`, `declare`, `global`, `program`, `main` or a table row")? {
            word @ ("program" | "main" | "constructors" | "destructors") => Ok(Some(Rest::Header(word))),
            "global" => {
                let name = cursor.token();
                let id = self.program.globals.push(empty_global(cursor.symbol()?));
                self.add_symbol(name, Symbol::Global(id))?;
                Ok(Some(Rest::Global(id)))
            }
            word @ ("function" | "declare") => {
                let expected = self.program.functions.next_id();
                let place = cursor.token();
                if cursor.eat_id("f").is_some_and(|f| f != expected.index()) {
                    return Err(place.error(format!("functions are numbered in order; this is {expected}")));
                }
                let name = cursor.token();
                let function = empty_function(cursor.symbol()?);
                let scope = Scope::new(item)?;
                let id = self.program.functions.push(function);
                self.add_symbol(name, Symbol::Func(id))?;
                let scope = self.signature(cursor, id, scope)?;
                let params = &self.program.functions[id].params;
                self.param_types.push(params.iter().map(|&p| scope.ty(p)).collect());
                if word == "function" {
                    cursor.expect('{')?;
                    return Ok(Some(Rest::Function(id, scope)));
                }
                cursor.end_of_item()?;
                self.program.functions[id].values = scope.finish()?;
                Ok(None)
            }
            other => Err(token.error(format!("`{other}` does not start a function, global or table row"))),
        }
    }

    fn signature<'s>(&mut self, cursor: &mut Cursor<'_, 's>, id: FuncId, mut scope: Scope<'s>) -> Parsed<Scope<'s>> {
        cursor.expect('(')?;
        while !cursor.eat(')') {
            let function = &mut self.program.functions[id];
            if !function.params.is_empty() {
                cursor.expect(',')?;
            }
            if cursor.eat_word("...") {
                function.varargs = true;
                cursor.expect(')')?;
                break;
            }
            function.params.push(scope.param(cursor)?);
            if !cursor.is_punct(')') && !cursor.is_punct(',') {
                return cursor.error("expected `,` or `)`");
            }
        }
        if cursor.eat('>') {
            let results = &mut self.program.functions[id].results;
            results.push(cursor.ty()?);
            while cursor.eat(',') {
                results.push(cursor.ty()?);
            }
        }
        self.program.functions[id].local = cursor.eat_word("local");
        self.program.functions[id].no_return = cursor.eat_word("no_return");
        if cursor.eat_word("model") {
            self.program.functions[id].origin = Origin::Model;
        }
        self.program.functions[id].loc = self.locs.eat_at(cursor, &mut self.program)?;
        Ok(scope)
    }

    /// Second step: everything that may refer to names.
    fn define<'s>(&mut self, cursor: &mut Cursor<'_, 's>, rest: Rest<'s>) -> Parsed<()> {
        match rest {
            Rest::Header(word) => self.header(cursor, word),
            Rest::Global(id) => self.global(cursor, id),
            Rest::Function(id, scope) => body::read(self, cursor, id, scope),
        }
    }

    fn header(&mut self, cursor: &mut Cursor<'_, '_>, word: &str) -> Parsed<()> {
        match word {
            "program" => self.program.name = cursor.text()?,
            "main" => {
                self.program.main = if cursor.eat_word("none") { None } else { Some(self.function_name(cursor)?) };
            }
            _ => {
                let mut list = vec![self.function_name(cursor)?];
                while cursor.eat(',') {
                    list.push(self.function_name(cursor)?);
                }
                let program = &mut self.program;
                *(if word == "constructors" { &mut program.constructors } else { &mut program.destructors }) = list;
            }
        }
        Ok(())
    }

    /// `@name` of a function.
    fn global(&mut self, cursor: &mut Cursor<'_, '_>, id: GlobalId) -> Parsed<()> {
        let mut global = self.program.globals[id].clone();
        let mut size = None;
        while !cursor.is_punct('=') && *cursor.peek() != Kind::End {
            if let Some(index) = cursor.eat_id("t") {
                global.source_type = Some(TypeId::from_index(index));
                continue;
            }
            if cursor.is_word("at") {
                global.loc = self.locs.eat_at(cursor, &mut self.program)?;
                continue;
            }
            let token = cursor.token();
            match cursor.word("an attribute or `=`")? {
                "size" => size = Some(cursor.number("a size")?),
                "align" => global.align = cursor.number("an alignment")?,
                "constant" => global.constant = true,
                "thread_local" => global.thread_local = true,
                "external" => global.external = true,
                "local" => global.local = true,
                "model" => global.origin = Origin::Model,
                other => return Err(token.error(format!("`{other}` is not an attribute of a global"))),
            }
        }
        if cursor.eat('=') {
            global.data = data(cursor)?;
            global.relocations = self.relocations(cursor)?;
        }
        global.size = size.unwrap_or(global.data.len() as u64);
        self.program.globals[id] = global;
        Ok(())
    }

    /// `{ 0: @f, 8: @g + 4 }`, if it is there.
    fn relocations(&self, cursor: &mut Cursor<'_, '_>) -> Parsed<Vec<Relocation>> {
        let mut relocations = Vec::new();
        if !cursor.eat('{') {
            return Ok(relocations);
        }
        while !cursor.eat('}') {
            if !relocations.is_empty() {
                cursor.expect(',')?;
            }
            let offset = cursor.number("an offset")?;
            cursor.expect(':')?;
            let value = match constant::read(cursor)? {
                Some(Read::Const(value)) => value,
                Some(Read::Literal(literal)) => literal.with_type(Type::Ptr)?,
                None => self.address_constant(cursor, true)?,
            };
            relocations.push(Relocation { offset, value });
        }
        Ok(relocations)
    }
}

/// Initial bytes: `"text"`, `x"00ff"` or `i32 1, ptr 0`.
fn data(cursor: &mut Cursor<'_, '_>) -> Parsed<Vec<u8>> {
    if let Kind::Text(bytes) | Kind::Hex(bytes) = cursor.peek() {
        cursor.bump();
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    if cursor.is_punct('{') {
        return Ok(bytes);
    }
    loop {
        let ty = cursor.ty()?;
        let value = match constant::read(cursor)? {
            Some(Read::Literal(literal)) => literal.with_type(ty)?,
            Some(Read::Const(value)) => value,
            None => return cursor.error("expected a number"),
        };
        let Const::Bits { bits, .. } = value else { return cursor.error("expected a number before this") };
        bytes.extend_from_slice(&bits.to_le_bytes()[..ty.bytes() as usize]);
        if !cursor.eat(',') {
            return Ok(bytes);
        }
    }
}

fn empty_global(name: &str) -> Global {
    Global {
        name: name.to_owned(),
        origin: Origin::Program,
        size: 0,
        align: 1,
        constant: false,
        thread_local: false,
        external: false,
        local: false,
        data: Vec::new(),
        relocations: Vec::new(),
        source_type: None,
        loc: None,
    }
}

fn empty_function(name: &str) -> Function {
    Function {
        name: name.to_owned(),
        origin: Origin::Program,
        params: Vec::new(),
        results: Vec::new(),
        local: false,
        varargs: false,
        no_return: false,
        values: IdVec::new(),
        blocks: IdVec::new(),
        loc: None,
    }
}
