//! Source locations, names and types from debug information.

use icsched_ir::{Field, FileId, Loc, LocId, Program, SourceType, TypeId};
use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::llvm::Md;
use crate::llvm::meta::{Context, MdKind};

// DWARF tags.
const TAG_ARRAY: u16 = 0x01;
const TAG_ENUMERATION: u16 = 0x04;
const TAG_MEMBER: u16 = 0x0d;
const TAG_POINTER: u16 = 0x0f;
const TAG_REFERENCE: u16 = 0x10;
const TAG_STRUCTURE: u16 = 0x13;
const TAG_TYPEDEF: u16 = 0x16;
const TAG_UNION: u16 = 0x17;

/// Operands of a variable node that hold the scope it is in, its name and its type.
const SUBPROGRAM_NAME: usize = 2;
const BLOCK_SCOPE: usize = 1;
const VARIABLE_SCOPE: usize = 0;
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;
/// Operand of a derived or composite type node that holds the type it is made from, and the one with its members
/// (LLVM 22: file, scope, name, size and offset come first).
const BASE_TYPE: usize = 5;
const ELEMENTS: usize = 6;

/// Interns what debug metadata describes.
pub(crate) struct DebugInfo<'m> {
    context: Context<'m>,
    files: FxHashMap<String, FileId>,
    locs: FxHashMap<Loc, LocId>,
    nodes: FxHashMap<Md<'m>, Option<LocId>>,
    types: FxHashMap<Md<'m>, TypeId>,
    variables: FxHashMap<Md<'m>, Variable<'m>>,
    pieces: FxHashMap<Md<'m>, Piece>,
    /// Types that are known not to contain themselves; `false` while that is being found out.
    finite: FxHashMap<TypeId, bool>,
}

/// A variable of the source, local or global.
#[derive(Clone)]
pub(crate) struct Variable<'m> {
    pub(crate) name: Option<String>,
    pub(crate) ty: Option<TypeId>,
    /// The function that it is a parameter of.
    pub(crate) parameter_of: Option<Md<'m>>,
}

/// Which part of a variable a debug record speaks of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// All of it.
    Whole,
    /// The value is the address of all of it.
    Behind,
    /// The bytes from here on.
    From(u64),
    /// All of it, as a wider integer than the value is.
    Widened,
    /// Something computed from the value.
    Computed,
}

impl<'m> DebugInfo<'m> {
    pub(crate) fn new(context: Context<'m>) -> Self {
        Self {
            context,
            files: FxHashMap::default(),
            locs: FxHashMap::default(),
            nodes: FxHashMap::default(),
            types: FxHashMap::default(),
            variables: FxHashMap::default(),
            pieces: FxHashMap::default(),
            finite: FxHashMap::default(),
        }
    }

    fn file(&mut self, program: &mut Program, name: String) -> FileId {
        *self.files.entry(name).or_insert_with_key(|name| program.files.push(name.clone()))
    }

    fn intern(&mut self, program: &mut Program, loc: Loc) -> LocId {
        *self.locs.entry(loc).or_insert_with(|| program.locs.push(loc))
    }

    /// The location of a line without column.
    pub(crate) fn line(&mut self, program: &mut Program, file: String, line: u32) -> LocId {
        let file = self.file(program, file);
        self.intern(program, Loc { file, line, column: 0, inlined_at: None })
    }

    /// A `DILocation`. Line 0 stands for code without a place of its own; it has no location unless it was inlined.
    pub(crate) fn location(&mut self, program: &mut Program, node: Md<'m>) -> Option<LocId> {
        if let Some(&known) = self.nodes.get(&node) {
            return known;
        }
        let inlined_at = node.inlined_at().and_then(|at| self.location(program, at));
        let (line, column) = node.position();
        let found = if line == 0 {
            inlined_at
        } else {
            node.location_scope().and_then(Md::scope_file).map(|name| {
                let file = self.file(program, name);
                let loc = self.intern(program, Loc { file, line, column, inlined_at });
                if inlined_at.is_some()
                    && let Some(function) = self.function_of(node)
                {
                    program.inlined.entry(loc).or_insert(function);
                }
                loc
            })
        };
        self.nodes.insert(node, found);
        found
    }

    /// The function whose body a location is in, as the source calls it.
    fn function_of(&self, location: Md<'m>) -> Option<String> {
        let outer = |&scope: &Md<'m>| self.context.node_operand(scope, BLOCK_SCOPE);
        // Damaged debug information can have blocks within themselves.
        let scopes = std::iter::successors(location.location_scope(), outer).take(BUDGETS.nested_blocks);
        let function = { scopes }.find(|scope| scope.kind() == MdKind::Subprogram)?;
        self.context.string_operand(function, SUBPROGRAM_NAME).filter(|name| !name.is_empty())
    }

    /// What a variable node describes.
    pub(crate) fn variable(&mut self, program: &mut Program, node: Md<'m>) -> Variable<'m> {
        if let Some(known) = self.variables.get(&node) {
            return known.clone();
        }
        let name = self.context.string_operand(node, VARIABLE_NAME).filter(|name| !name.is_empty());
        let ty = self.context.node_operand(node, VARIABLE_TYPE).map(|ty| self.source_type(program, ty));
        if let Some(ty) = ty {
            self.break_cycles(program, ty);
        }
        let is_parameter = node.print(self.context).contains(", arg: ");
        let parameter_of = self.context.node_operand(node, VARIABLE_SCOPE).filter(|_| is_parameter);
        let variable = Variable { name, ty, parameter_of };
        self.variables.insert(node, variable.clone());
        variable
    }

    /// Damaged debug information can have types that contain themselves by value; where they do, they end.
    fn break_cycles(&mut self, program: &mut Program, root: TypeId) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            self.break_cycles_by_value(program, id, &mut pending);
        }
    }

    /// One type and its parts; what it points to is left for later.
    fn break_cycles_by_value(&mut self, program: &mut Program, id: TypeId, pending: &mut Vec<TypeId>) {
        if self.finite.contains_key(&id) {
            return;
        }
        self.finite.insert(id, false);
        let parts: Vec<TypeId> = match program.types.get(id) {
            SourceType::Struct { fields, .. } | SourceType::Union { fields, .. } => {
                fields.iter().filter_map(|field| field.ty).collect()
            }
            SourceType::Array { element: part, .. } | SourceType::Named { to: part, .. } => {
                part.iter().copied().collect()
            }
            SourceType::Pointer { to } => {
                pending.extend(to);
                Vec::new()
            }
            SourceType::Base { .. } | SourceType::Opaque => Vec::new(),
        };
        for part in parts {
            self.break_cycles_by_value(program, part, pending);
            if self.finite.get(&part) == Some(&false) {
                program.types.set(id, SourceType::Opaque);
            }
        }
        self.finite.insert(id, true);
    }

    /// Reads a `DIExpression`.
    pub(crate) fn piece(&mut self, expression: Md<'m>) -> Piece {
        let context = self.context;
        *self.pieces.entry(expression).or_insert_with(|| parse_piece(&expression.print(context)))
    }

    /// A type node.
    pub(crate) fn source_type(&mut self, program: &mut Program, node: Md<'m>) -> TypeId {
        if let Some(&known) = self.types.get(&node) {
            return known;
        }
        let id = program.types.push(SourceType::Opaque);
        self.types.insert(node, id);
        let ty = match node.kind() {
            MdKind::BasicType => SourceType::Base {
                name: node.type_name(),
                size: node.type_size_bits() / 8,
                signed: self.is_signed(node),
            },
            MdKind::DerivedType => {
                return self.derived_type(program, node, id);
            }
            MdKind::CompositeType => self.composite_type(program, node),
            MdKind::SubroutineType | MdKind::Subrange | MdKind::Subprogram | MdKind::Other => SourceType::Opaque,
        };
        program.types.set(id, ty);
        id
    }

    fn is_signed(&self, node: Md<'m>) -> bool {
        let text = node.print(self.context);
        text.contains("DW_ATE_signed") || text.contains("DW_ATE_float")
    }

    fn base(&mut self, program: &mut Program, node: Md<'m>) -> Option<TypeId> {
        self.context.node_operand(node, BASE_TYPE).map(|base| self.source_type(program, base))
    }

    /// Qualifiers are looked through: the id of `const T` is a nameless alias of `T`'s.
    fn derived_type(&mut self, program: &mut Program, node: Md<'m>, id: TypeId) -> TypeId {
        let base = self.base(program, node);
        let ty = match node.tag() {
            TAG_POINTER | TAG_REFERENCE => SourceType::Pointer { to: base },
            TAG_TYPEDEF => SourceType::Named { name: node.type_name(), to: base },
            _ => match base {
                Some(base) => {
                    self.types.insert(node, base);
                    return base;
                }
                None => SourceType::Opaque,
            },
        };
        program.types.set(id, ty);
        id
    }

    fn composite_type(&mut self, program: &mut Program, node: Md<'m>) -> SourceType {
        let (name, size) = (node.type_name(), node.type_size_bits() / 8);
        match node.tag() {
            TAG_STRUCTURE => SourceType::Struct { name, size, fields: self.fields(program, node) },
            TAG_UNION => SourceType::Union { name, size, fields: self.fields(program, node) },
            TAG_ENUMERATION => SourceType::Base { name, size, signed: false },
            TAG_ARRAY => self.array_type(program, node),
            _ => SourceType::Opaque,
        }
    }

    fn members(&self, node: Md<'m>) -> Vec<Md<'m>> {
        let Some(list) = self.context.node_operand(node, ELEMENTS) else { return Vec::new() };
        let count = self.context.operands(list).len();
        (0..count).filter_map(|i| self.context.node_operand(list, i)).collect()
    }

    fn fields(&mut self, program: &mut Program, node: Md<'m>) -> Vec<Field> {
        let members = self.members(node);
        members
            .into_iter()
            .filter(|member| member.kind() == MdKind::DerivedType && member.tag() == TAG_MEMBER)
            .map(|member| Field {
                name: member.type_name(),
                offset: member.type_offset_bits() / 8,
                ty: self.base(program, member),
            })
            .collect()
    }

    /// One dimension per subrange; the innermost is the last.
    fn array_type(&mut self, program: &mut Program, node: Md<'m>) -> SourceType {
        let mut element = self.base(program, node);
        let dimensions: Vec<u64> = self
            .members(node)
            .into_iter()
            .filter(|member| member.kind() == MdKind::Subrange)
            .map(|range| self.context.int_operand(range, 0).and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
            .collect();
        let Some((&outer, inner)) = dimensions.split_first() else {
            return SourceType::Array { element, count: 0 };
        };
        for &count in inner.iter().rev() {
            element = Some(program.types.push(SourceType::Array { element, count }));
        }
        SourceType::Array { element, count: outer }
    }
}

/// Understands the empty expression, one dereference, one fragment and zero-extension: all that names a value.
fn parse_piece(text: &str) -> Piece {
    let inside = text.split_once("!DIExpression(").and_then(|(_, rest)| rest.split_once(')')).map(|(args, _)| args);
    let Some(inside) = inside else { return Piece::Computed };
    let words: Vec<&str> = inside.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [] => Piece::Whole,
        ["DW_OP_deref"] => Piece::Behind,
        [
            "DW_OP_LLVM_convert",
            _,
            "DW_ATE_unsigned",
            "DW_OP_LLVM_convert",
            _,
            "DW_ATE_unsigned",
            "DW_OP_stack_value",
        ] => Piece::Widened,
        ["DW_OP_LLVM_fragment", offset, _] => {
            offset.parse::<u64>().map_or(Piece::Computed, |bits| Piece::From(bits / 8))
        }
        _ => Piece::Computed,
    }
}

/// The member that starts `offset` bytes into a value of type `ty`, as `.a.b` or `[2]`, with its type.
pub(crate) fn member_at(program: &Program, ty: TypeId, offset: u64) -> Option<(String, TypeId)> {
    let mut path = String::new();
    let (mut ty, mut offset) = (ty, offset);
    loop {
        let (_, resolved) = program.types.resolve(ty)?;
        match resolved {
            SourceType::Struct { fields, .. } => {
                let field = fields.iter().rev().find(|field| field.offset <= offset)?;
                if !field.name.is_empty() {
                    path.push('.');
                    path.push_str(&field.name);
                }
                offset -= field.offset;
                ty = field.ty?;
            }
            SourceType::Array { element: Some(element), .. } => {
                let size = program.types.size(*element);
                path.push_str(&format!("[{}]", offset.checked_div(size)?));
                offset %= size;
                ty = *element;
            }
            _ => return (offset == 0 && !path.is_empty()).then_some((path, ty)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_name_a_value() {
        assert_eq!(parse_piece("!DIExpression()"), Piece::Whole);
        assert_eq!(parse_piece("!DIExpression(DW_OP_deref)"), Piece::Behind);
        assert_eq!(parse_piece("!DIExpression(DW_OP_LLVM_fragment, 64, 32)"), Piece::From(8));
        assert_eq!(parse_piece("!DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value)"), Piece::Computed);
        let widened =
            "DW_OP_LLVM_convert, 1, DW_ATE_unsigned, DW_OP_LLVM_convert, 8, DW_ATE_unsigned, DW_OP_stack_value";
        assert_eq!(parse_piece(&format!("!DIExpression({widened})")), Piece::Widened);
    }
}
