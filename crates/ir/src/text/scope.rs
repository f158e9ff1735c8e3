//! The values of a function while its text is read.

use std::collections::BTreeMap;

use super::cursor::{Cursor, Parsed, id_index};
use super::lexer::{Kind, Token};
use crate::entity::{EntityId, IdVec, TypeId, ValueId};
use crate::program::Value;
use crate::types::Type;

/// The values of one function: their ids, and what is known of them so far.
pub(super) struct Scope<'s> {
    /// Ids of the values written `%name`, behind the numbered ones in the order they appear.
    locals: BTreeMap<&'s str, ValueId>,
    /// Types, from annotations anywhere in the function and from definitions already read.
    types: IdVec<ValueId, Option<Type>>,
    values: IdVec<ValueId, Option<Value>>,
    /// Where each value appears first.
    places: IdVec<ValueId, Option<(u32, u32)>>,
    /// Where the function starts.
    start: (u32, u32),
}

impl<'s> Scope<'s> {
    /// Collects the ids and type annotations in a function's tokens.
    pub(super) fn new(item: &[Token<'s>]) -> Parsed<Self> {
        let mut numbered = 0;
        let mut names = Vec::new();
        for token in item {
            match token.kind {
                Kind::Word(word) => {
                    let Some(index) = id_index(word, "v") else { continue };
                    if index >= item.len() {
                        return Err(token.error(format!("{word} is too large: ids are numbered without gaps")));
                    }
                    numbered = numbered.max(index + 1);
                }
                Kind::Local(name) => names.push(name),
                _ => {}
            }
        }
        let mut locals = BTreeMap::new();
        for name in names {
            let next = ValueId::from_index(numbered + locals.len());
            locals.entry(name).or_insert(next);
        }
        let count = numbered + locals.len();
        let mut scope = Self {
            locals,
            types: IdVec::filled(None, count),
            values: IdVec::filled(None, count),
            places: IdVec::filled(None, count),
            start: item.first().map_or((1, 1), |token| (token.line, token.column)),
        };
        for (at, token) in item.iter().enumerate() {
            let Some(value) = scope.value_of(&token.kind) else { continue };
            scope.places[value].get_or_insert((token.line, token.column));
            if item.get(at + 1).is_some_and(|t| t.kind == Kind::Punct(':')) && item.len() > at + 2 {
                let annotation = Cursor::new(item, at + 2).ty().ok();
                scope.types[value] = annotation.or(scope.types[value]);
            }
        }
        Ok(scope)
    }

    fn value_of(&self, kind: &Kind<'s>) -> Option<ValueId> {
        match kind {
            Kind::Word(word) => id_index(word, "v").map(ValueId::from_index),
            Kind::Local(name) => self.locals.get(name).copied(),
            _ => None,
        }
    }

    /// `v1` or `%name`, if the next token is one.
    pub(super) fn eat_value(&self, cursor: &mut Cursor<'_, 's>) -> Option<ValueId> {
        let value = self.value_of(cursor.peek())?;
        cursor.bump();
        Some(value)
    }

    pub(super) fn ty(&self, value: ValueId) -> Option<Type> {
        self.types[value]
    }

    /// `v1: i32 "name" t3`, where all but the id may be missing.
    pub(super) fn definition<'t>(&mut self, cursor: &mut Cursor<'t, 's>) -> Parsed<Definition<'t, 's>> {
        let token = cursor.token();
        let Some(value) = self.eat_value(cursor) else { return cursor.error("expected a value like `v0` or `%name`") };
        if cursor.eat(':') {
            self.types[value] = Some(cursor.ty()?);
        }
        let name = cursor.eat_text()?;
        let source_type = cursor.eat_id("t").map(TypeId::from_index);
        Ok(Definition { token, value, name, source_type })
    }

    /// Gives the defined value its type; `inferred` is what the operation tells.
    pub(super) fn define(&mut self, definition: Definition<'_, 's>, inferred: Option<Type>) -> Parsed<ValueId> {
        let Definition { token, value, name, source_type } = definition;
        let Some(ty) = self.types[value].or(inferred) else {
            return Err(token.error("the type of this value is not clear here: write it as in `v0: i32`"));
        };
        self.types[value] = Some(ty);
        if self.values[value].replace(Value { ty, name, source_type }).is_some() {
            return Err(token.error("this value is already defined"));
        }
        Ok(value)
    }

    /// A parameter of the function or of a block; its type must be written.
    pub(super) fn param(&mut self, cursor: &mut Cursor<'_, 's>) -> Parsed<ValueId> {
        let definition = self.definition(cursor)?;
        self.define(definition, None)
    }

    /// All values.
    pub(super) fn finish(self) -> Parsed<IdVec<ValueId, Value>> {
        let missing = || self.values.ids().filter(|&v| self.values[v].is_none());
        // A gap in the numbers says less than a value that is used.
        let Some(value) = missing().find(|&v| self.places[v].is_some()).or_else(|| missing().next()) else {
            return Ok(self.values.values().flatten().cloned().collect());
        };
        let (line, column) = self.places[value].unwrap_or(self.start);
        let name = self.locals.iter().find(|(_, local)| **local == value);
        let name = name.map_or(value.to_string(), |(name, _)| format!("%{name}"));
        Err(super::ParseError { line, column, message: format!("{name} is never defined") })
    }
}

/// A value where it is defined.
pub(super) struct Definition<'t, 's> {
    token: &'t Token<'s>,
    pub(super) value: ValueId,
    name: Option<String>,
    source_type: Option<TypeId>,
}
