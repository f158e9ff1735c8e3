//! Variables that are the same for all threads: a global, or what a pointer variable points to that does not change.

use icsched_ir::{Const, Op, Operand, ValueId};

use crate::place::{Base, Place};
use crate::reaching::solver::Solver;
use crate::symbol::{SUMMARISED, Symbol};

/// One variable, the same for all threads.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Cell {
    /// Some bytes of a global.
    Global(Place),
    /// Some bytes from where a pointer variable points that is written before there are threads only.
    Behind { pointer: Place, offset: i64, bytes: u32 },
}

impl Solver<'_, '_, '_> {
    /// The place that a load reads.
    pub(crate) fn loaded_from(&mut self, loaded: ValueId) -> Option<Place> {
        let (function, structure) = (self.function, std::rc::Rc::clone(&self.structure));
        let Op::Load { address, .. } = structure.inst(function, loaded)?.op else { return None };
        self.place(address, function.values[loaded].ty.bytes())
    }

    /// The same for a symbol; in an activation that has returned, if it is a variable with a name.
    fn pointer_loaded_from(&mut self, symbol: Symbol) -> Option<Place> {
        let Some(path) = symbol.inside else { return self.loaded_from(symbol.value) };
        let func = self.view.pool.path(path).func;
        let (function, structure) = (&self.view.program.functions[func], self.view.structure(func));
        let Op::Load { address: Operand::Const(Const::Global { global, offset }), .. } =
            structure.inst(function, symbol.value)?.op
        else {
            return None;
        };
        Some(Place { base: Base::Global(global), offset, bytes: function.values[symbol.value].ty.bytes() })
    }

    /// A place as a variable that is the same for all threads.
    pub(crate) fn cell(&mut self, place: Place) -> Option<Cell> {
        match place.base {
            Base::Global(_) => Some(Cell::Global(place)),
            Base::Symbol(symbol) if symbol.frame == SUMMARISED => {
                let pointer = self.pointer_loaded_from(symbol)?;
                let is_fixed = matches!(pointer.base, Base::Global(_))
                    && self.view.reach(&self.frames, pointer).is_some_and(|r| r.early_only);
                is_fixed.then_some(Cell::Behind { pointer, offset: place.offset, bytes: place.bytes })
            }
            Base::Symbol(_) => None,
        }
    }
}
