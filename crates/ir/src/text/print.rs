//! Programs, globals and functions as text.

use std::fmt::{self, Write};

use super::constant::{Bytes, Quoted};
use super::name::{FunctionName, Symbol, list_of};
use super::print_inst::{InstText, OperandText, TerminatorText};
use super::table::{self, LocNames};
use crate::entity::{FuncId, LocId, TypeId, ValueId};
use crate::inst::Operand;
use crate::program::{Block, Function, Global, Origin, Program, Relocation};
use crate::types::Type;

/// What printing needs beside the thing printed.
pub(super) struct Context<'a> {
    pub(super) program: &'a Program,
    locs: LocNames,
}

impl Program {
    /// The text form; [`parse`](crate::text::parse) reads it back.
    pub fn to_text(&self) -> String {
        self.to_string()
    }
}

impl Function {
    /// The text form of one function of `program`, without its id.
    pub fn to_text(&self, program: &Program) -> String {
        let context = Context { program, locs: LocNames::new(program) };
        let mut text = String::new();
        write_function(&mut text, &context, None, self).expect("strings take everything");
        text
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let context = Context { program: self, locs: LocNames::new(self) };
        // Text accumulates here, so that no part needs to know whether it comes first.
        let mut text = String::new();
        header(&mut text, self)?;
        blank_line(&mut text);
        for global in self.globals.values() {
            write_global(&mut text, &context, global)?;
        }
        for (id, function) in self.functions.iter() {
            if !function.is_declaration() || text.ends_with("}\n") {
                blank_line(&mut text);
            }
            write_function(&mut text, &context, Some(id), function)?;
        }
        blank_line(&mut text);
        table::write(&mut text, self)?;
        f.write_str(text.trim_end())?;
        f.write_str("\n")
    }
}

fn blank_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
}

fn header(f: &mut impl Write, program: &Program) -> fmt::Result {
    if !program.name.is_empty() {
        writeln!(f, "program {}", Quoted(&program.name))?;
    }
    if program.main != program.default_main() {
        match program.main {
            Some(main) => writeln!(f, "main {}", FunctionName(program, main))?,
            None => writeln!(f, "main none")?,
        }
    }
    for (word, list) in [("constructors", &program.constructors), ("destructors", &program.destructors)] {
        if !list.is_empty() {
            writeln!(f, "{word} {}", list_of(list, |&id| FunctionName(program, id)))?;
        }
    }
    Ok(())
}

impl Program {
    /// The `main` of a text that does not name it: the first function of that name with a body.
    pub(super) fn default_main(&self) -> Option<FuncId> {
        self.functions.iter().find(|(_, f)| f.name == "main" && !f.is_declaration()).map(|(id, _)| id)
    }
}

impl Context<'_> {
    /// ` at file.c:3:1`, or nothing.
    fn at(&self, loc: Option<LocId>) -> String {
        loc.map_or(String::new(), |loc| format!(" at {}", self.locs.name(loc)))
    }
}

/// ` t3`, or nothing.
fn type_suffix(ty: Option<TypeId>) -> String {
    ty.map_or(String::new(), |t| format!(" {t}"))
}

fn origin_suffix(origin: Origin) -> &'static str {
    match origin {
        Origin::Program => "",
        Origin::Model => " model",
    }
}

fn write_global(f: &mut impl Write, context: &Context<'_>, global: &Global) -> fmt::Result {
    let Global { name, origin, size, align, .. } = global;
    write!(f, "global {} size {size} align {align}", Symbol(name))?;
    let flags = [
        ("constant", global.constant),
        ("thread_local", global.thread_local),
        ("external", global.external),
        ("local", global.local),
    ];
    for (word, _) in flags.iter().filter(|(_, set)| *set) {
        write!(f, " {word}")?;
    }
    write!(f, "{}{}{}", origin_suffix(*origin), type_suffix(global.source_type), context.at(global.loc))?;
    if !global.data.is_empty() || !global.relocations.is_empty() {
        f.write_str(" =")?;
    }
    if !global.data.is_empty() {
        write!(f, " {}", Bytes(&global.data))?;
    }
    if !global.relocations.is_empty() {
        let (start, between, end) =
            if global.relocations.len() > 4 { ("{\n    ", ",\n    ", "\n}") } else { ("{ ", ", ", " }") };
        let pointer = |r: &Relocation| {
            let operand = Operand::Const(r.value);
            let value = OperandText { program: context.program, operand, expected: Some(Type::Ptr) };
            format!("{}: {value}", r.offset)
        };
        let pointers: Vec<String> = global.relocations.iter().map(pointer).collect();
        write!(f, " {start}{}{end}", pointers.join(between))?;
    }
    f.write_str("\n")
}

fn write_function(f: &mut impl Write, context: &Context<'_>, id: Option<FuncId>, function: &Function) -> fmt::Result {
    let keyword = if function.is_declaration() { "declare" } else { "function" };
    let mut params = list_of(&function.params, |&p| definition(function, p));
    if function.varargs {
        params.push_str(if params.is_empty() { "..." } else { ", ..." });
    }
    let id = id.map_or(String::new(), |id| format!(" {id}"));
    write!(f, "{keyword}{id} {}({params})", Symbol(&function.name))?;
    if !function.results.is_empty() {
        write!(f, " -> {}", list_of(&function.results, |ty| *ty))?;
    }
    let local = if function.local { " local" } else { "" };
    let no_return = if function.no_return { " no_return" } else { "" };
    write!(f, "{local}{no_return}{}{}", origin_suffix(function.origin), context.at(function.loc))?;
    if function.is_declaration() {
        return f.write_str("\n");
    }
    f.write_str(" {\n")?;
    for (block, body) in function.blocks.iter() {
        if body.params.is_empty() {
            writeln!(f, "{block}:")?;
        } else {
            writeln!(f, "{block}({}):", list_of(&body.params, |&p| definition(function, p)))?;
        }
        write_block(f, context, function, body)?;
    }
    f.write_str("}\n")
}

fn write_block(f: &mut impl Write, context: &Context<'_>, function: &Function, block: &Block) -> fmt::Result {
    let program = context.program;
    for inst in &block.insts {
        f.write_str("    ")?;
        if !inst.results.is_empty() {
            write!(f, "{} = ", list_of(&inst.results, |&r| definition(function, r)))?;
        }
        writeln!(f, "{}{}", InstText { program, function, inst }, context.at(inst.loc))?;
    }
    let terminator = TerminatorText { program, function, terminator: &block.terminator };
    writeln!(f, "    {terminator}{}", context.at(block.terminator_loc))
}

/// `v1: i32 "count" t3`: a value where it is defined.
fn definition(function: &Function, id: ValueId) -> String {
    let Some(value) = function.values.get(id) else { return id.to_string() };
    let name = value.name.as_ref().map_or(String::new(), |name| format!(" {}", Quoted(name)));
    format!("{id}: {}{name}{}", value.ty, type_suffix(value.source_type))
}
