//! Function bodies from text: labels, values, blocks.

use std::collections::BTreeMap;

use super::cursor::{Cursor, Parsed, id_index};
use super::inst::{self, Statement};
use super::lexer::Kind;
use super::reader::{Body, Reader};
use super::scope::Scope;
use crate::entity::{BlockId, EntityId, FuncId, IdVec};
use crate::inst::Inst;
use crate::program::Block;

/// Reads the blocks up to and including the closing brace.
pub(super) fn read<'s>(reader: &mut Reader, cursor: &mut Cursor<'_, 's>, func: FuncId, scope: Scope<'s>) -> Parsed<()> {
    let mut body = Body { reader, func, scope, labels: BTreeMap::new(), params: IdVec::new() };
    body.collect_labels(cursor.clone())?;
    let mut blocks = IdVec::new();
    while !cursor.eat('}') {
        if !is_label(cursor) {
            return cursor.error("expected a label like `b0:` or `}`");
        }
        skip_label(cursor);
        let block = body.block(cursor, blocks.next_id())?;
        blocks.push(block);
    }
    if blocks.is_empty() {
        return cursor.error("a function has at least one block; write `declare` for one without");
    }
    let Body { reader, scope, .. } = body;
    let function = &mut reader.program.functions[func];
    function.values = scope.finish()?;
    function.blocks = blocks;
    Ok(())
}

/// A word at the start of a line (but no value, which has a colon too), an optional parameter list, a colon.
fn is_label(cursor: &Cursor<'_, '_>) -> bool {
    let mut ahead = cursor.clone();
    match ahead.peek() {
        Kind::Word(word) if ahead.token().first_on_line && id_index(word, "v").is_none() => {}
        _ => return false,
    }
    skip_label(&mut ahead)
}

/// Goes behind a label's colon; false when there is none.
fn skip_label(cursor: &mut Cursor<'_, '_>) -> bool {
    cursor.bump();
    if cursor.is_punct('(') {
        while !cursor.eat(')') {
            if *cursor.peek() == Kind::End || cursor.token().first_on_line && cursor.is_punct('}') {
                return false;
            }
            cursor.bump();
        }
    }
    cursor.eat(':')
}

impl<'s> Body<'_, 's> {
    /// Numbers the labels and reads the block parameters, so that edges may come first.
    fn collect_labels(&mut self, mut cursor: Cursor<'_, 's>) -> Parsed<()> {
        while *cursor.peek() != Kind::End && !cursor.is_punct('}') {
            if !is_label(&cursor) {
                cursor.bump();
                continue;
            }
            let token = cursor.token();
            let label = cursor.word("a label")?;
            let mut params = Vec::new();
            if cursor.eat('(') {
                while !cursor.eat(')') {
                    if !params.is_empty() {
                        cursor.expect(',')?;
                    }
                    params.push(self.scope.param(&mut cursor)?);
                }
            }
            let id = self.params.push(params);
            if id_index(label, "b").is_some_and(|b| b != id.index()) {
                return Err(token.error(format!("blocks are numbered in order; this is {id}")));
            }
            if self.labels.insert(label, id).is_some() {
                return Err(token.error(format!("there are two blocks {label}")));
            }
        }
        Ok(())
    }

    /// The instructions behind a label, with the terminator.
    fn block(&mut self, cursor: &mut Cursor<'_, 's>, id: BlockId) -> Parsed<Block> {
        let params = self.params[id].clone();
        let mut insts = Vec::new();
        loop {
            cursor.end_of_line()?;
            if is_label(cursor) || cursor.is_punct('}') || *cursor.peek() == Kind::End {
                return cursor.error("the block does not end with a jump, branch, return or unreachable before this");
            }
            let statement = inst::statement(self, cursor)?;
            let loc = self.reader.locs.eat_at(cursor, &mut self.reader.program)?;
            match statement {
                Statement::Inst { results, op } => insts.push(Inst { results, op, loc }),
                Statement::End(terminator) => {
                    cursor.end_of_line()?;
                    return Ok(Block { params, insts, terminator, terminator_loc: loc });
                }
            }
        }
    }
}
