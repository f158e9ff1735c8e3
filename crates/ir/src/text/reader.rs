//! The program while its text is read, and its names.

use std::collections::BTreeMap;

use super::constant::{self, Read};
use super::cursor::{Cursor, Parsed};
use super::lexer::{Kind, Token};
use super::scope::Scope;
use super::table::LocReader;
use crate::entity::{BlockId, EntityId, FuncId, GlobalId, IdVec, ValueId};
use crate::inst::Const;
use crate::program::Program;
use crate::types::Type;

/// What a name stands for.
#[derive(Copy, Clone)]
pub(super) enum Symbol {
    Func(FuncId),
    Global(GlobalId),
}

/// The program so far and its names.
pub(super) struct Reader {
    pub(super) program: Program,
    pub(super) symbols: BTreeMap<String, Symbol>,
    pub(super) locs: LocReader,
    /// Types of the parameters of every function.
    pub(super) param_types: IdVec<FuncId, Vec<Option<Type>>>,
}

impl Reader {
    pub(super) fn add_symbol(&mut self, token: &Token<'_>, symbol: Symbol) -> Parsed<()> {
        let Kind::Symbol(name) = &token.kind else { return Ok(()) };
        match self.symbols.insert(name.clone(), symbol) {
            None => Ok(()),
            Some(_) => Err(token.error(format!("@{name} is defined twice"))),
        }
    }

    pub(super) fn function_name(&self, cursor: &mut Cursor<'_, '_>) -> Parsed<FuncId> {
        let token = cursor.token();
        let name = cursor.symbol()?;
        match self.symbols.get(name) {
            Some(Symbol::Func(id)) => Ok(*id),
            Some(Symbol::Global(_)) => Err(token.error(format!("@{name} is a global, not a function"))),
            None => Err(token.error(format!("there is no @{name}"))),
        }
    }

    /// `@name`, `@global + 8` (with `offsets`), `@function:b1`.
    pub(super) fn address_constant(&self, cursor: &mut Cursor<'_, '_>, offsets: bool) -> Parsed<Const> {
        let token = cursor.token();
        let name = cursor.symbol()?;
        match self.symbols.get(name) {
            None => Err(token.error(format!("there is no @{name}"))),
            Some(Symbol::Func(func)) if cursor.eat(':') => match cursor.eat_id("b") {
                Some(block) => Ok(Const::Block { func: *func, block: BlockId::from_index(block) }),
                None => cursor.error("expected a block like `b0`"),
            },
            Some(Symbol::Func(func)) => Ok(Const::Func(*func)),
            Some(Symbol::Global(global)) => {
                let negative = cursor.is_punct('-');
                let mut offset = 0;
                if offsets && (negative || cursor.is_punct('+')) {
                    cursor.bump();
                    let place = cursor.token();
                    let magnitude = i128::from(cursor.number::<u64>("an offset")?);
                    let value = i64::try_from(if negative { -magnitude } else { magnitude });
                    offset = value.map_err(|_| place.error("the offset has more than 64 bits"))?;
                }
                Ok(Const::Global { global: *global, offset })
            }
        }
    }

    /// An operand that is not a value, if the next token starts one.
    pub(super) fn constant<'t, 's>(&self, cursor: &mut Cursor<'t, 's>, offsets: bool) -> Parsed<Option<Read<'t, 's>>> {
        match cursor.peek() {
            Kind::Symbol(_) => self.address_constant(cursor, offsets).map(|c| Some(Read::Const(c))),
            _ => constant::read(cursor),
        }
    }
}

/// A function's body while it is read.
pub(super) struct Body<'r, 's> {
    pub(super) reader: &'r mut Reader,
    pub(super) func: FuncId,
    pub(super) scope: Scope<'s>,
    pub(super) labels: BTreeMap<&'s str, BlockId>,
    pub(super) params: IdVec<BlockId, Vec<ValueId>>,
}
