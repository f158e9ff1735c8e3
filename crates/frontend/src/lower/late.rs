//! Initial values that are no constants of the IR, such as the distance between two objects.
//!
//! The linker knows them before the program starts; here a function that runs before the program's constructors
//! computes them. A value that only a linker can give (a distance in fewer bits than an address has) is an error when
//! that function runs, not before.

use icsched_ir::{Access, Block, Const, FuncId, Function, IdVec, Op, Operand, Origin, Terminator, Type};
use smallvec::SmallVec;

use super::error::Reason;
use super::function::Body;
use super::lowering::{LatePart, Lowering};
use super::reach::Reachable;

/// Name of the function.
const NAME: &str = "__ics_initial_values";

/// Makes the function, if it is needed.
pub(crate) fn lower_late_parts<'m>(cx: &mut Lowering<'m>, kept: &Reachable<'m>) -> Option<FuncId> {
    let parts = std::mem::take(&mut cx.late_parts);
    let &anything = kept.functions.first()?;
    if parts.is_empty() {
        return None;
    }
    let empty =
        Block { params: Vec::new(), insts: Vec::new(), terminator: Terminator::Unreachable, terminator_loc: None };
    let function = Function {
        name: NAME.to_owned(),
        origin: Origin::Model,
        local: true,
        params: Vec::new(),
        results: Vec::new(),
        varargs: false,
        no_return: false,
        values: IdVec::new(),
        blocks: IdVec::filled(empty, 1),
        loc: None,
    };
    let mut body = Body::new(cx, anything, function);
    for part in parts {
        if let Err(reason) = body.store_part(part) {
            body.emit_void(Op::Unsupported { text: format!("{reason}: initial value {}", part.value.print()) });
        }
    }
    let block = body.block;
    body.function.blocks[block].terminator = Terminator::Return(SmallVec::new());
    let function = body.finish();
    Some(cx.program.functions.push(function))
}

impl<'m> Body<'_, 'm> {
    fn store_part(&mut self, part: LatePart<'m>) -> Result<(), Reason> {
        let shape = self.check(part.value.ty())?;
        let short = shape.types().any(|ty| ty.bits() < Type::Ptr.bits());
        if short {
            return Err(Reason::from("address in fewer bits than it has"));
        }
        let operands = self.operands(part.value)?;
        for (leaf, value) in shape.leaves.iter().zip(operands) {
            let offset = (part.offset + leaf.offset).cast_signed();
            let address = Operand::Const(Const::Global { global: part.global, offset });
            self.emit_void(Op::Store { address, value, access: Access::default() });
        }
        Ok(())
    }
}
