//! The body of one function: what is in scope, and how a pointer of a wanted type is come by.

use icsched_ir::{BlockId, Callee, Const, FuncId, Operand, Type};

use super::code::{Code, null, word};
use super::random::Random;
use super::unit::{Group, Shared, Unit, implements};
use super::world::{Kind, Member, Pointee, World};

/// A function that is being written.
pub(super) struct Body<'a> {
    pub(super) world: &'a mut World,
    pub(super) random: &'a mut Random,
    pub(super) shared: &'a Shared,
    pub(super) group: &'a Group,
    pub(super) unit: &'a Unit,
    pub(super) id: FuncId,
    pub(super) code: Code,
    /// Pointers that may be used here, the newest last.
    pub(super) pointers: Vec<(Operand, Pointee)>,
    /// Numbers that may be used here.
    pub(super) words: Vec<Operand>,
    /// Where an error returns from.
    pub(super) failed: BlockId,
}

impl<'a> Body<'a> {
    pub(super) fn open(
        world: &'a mut World,
        random: &'a mut Random,
        shared: &'a Shared,
        group: &'a Group,
        unit: &'a Unit,
        id: FuncId,
    ) -> Self {
        let mut code = world.open(id);
        let failed = code.block(&[]);
        let (mut pointers, mut words) = (Vec::new(), vec![word(0), word(1)]);
        for (i, &kind) in world.signature(id).params.iter().enumerate() {
            match kind {
                Kind::Word => words.push(code.param(i)),
                Kind::Pointer(pointee) => pointers.push((code.param(i), pointee)),
            }
        }
        Self { world, random, shared, group, unit, id, code, pointers, words, failed }
    }

    /// A random body of about `length` instructions. With `downcast`, the first parameter points to that struct.
    pub(super) fn write(mut self, downcast: Option<usize>, length: usize) {
        if let Some(record) = downcast {
            let this = self.code.param(0);
            self.pointers.push((this, Pointee::Record(record)));
        }
        self.statements(length, 0);
        self.finish();
    }

    /// A body that sets the unit's variables and calls these functions, one after the other.
    pub(super) fn write_calls(mut self, callees: &[FuncId]) {
        for &(variable, pointee) in &self.unit.variables {
            let value = self.pointer(pointee);
            self.code.store(variable, value);
        }
        for &callee in callees {
            self.call(callee);
            self.pointers.truncate(12);
        }
        self.finish();
    }

    fn finish(mut self) {
        let result = self.world.signature(self.id).result;
        let value = result.map(|kind| self.argument(kind));
        self.code.give(value.as_slice());
        self.code.start(self.failed);
        let nothing = result.map(|kind| match kind {
            Kind::Word => word(u64::MAX),
            Kind::Pointer(_) => null(),
        });
        self.code.give(nothing.as_slice());
        self.world.close(self.id, self.code);
    }

    /// A number in scope.
    pub(super) fn word(&mut self) -> Operand {
        *self.random.pick(&self.words)
    }

    /// A value to pass for a parameter of this type.
    pub(super) fn argument(&mut self, kind: Kind) -> Operand {
        match kind {
            Kind::Word => self.word(),
            Kind::Pointer(pointee) => self.pointer(pointee),
        }
    }

    /// Makes a pointer usable from here on.
    pub(super) fn keep(&mut self, pointer: Operand, pointee: Pointee) -> Operand {
        self.pointers.push((pointer, pointee));
        pointer
    }

    /// One of the newest pointers in scope for which `fits` holds.
    pub(super) fn find(&mut self, fits: impl Fn(&Self, Pointee) -> bool) -> Option<(Operand, Pointee)> {
        let fitting: Vec<_> = self.pointers.iter().rev().filter(|&&(_, p)| fits(self, p)).take(4).copied().collect();
        (!fitting.is_empty()).then(|| *self.random.pick(&fitting))
    }

    /// Whether a pointer to `have` can be used as one to `want` without a cast or with an upcast.
    fn fits(&self, have: Pointee, want: Pointee) -> bool {
        let upcast =
            |record| want == Pointee::Record(self.group.object) && implements(self.world, record, self.group.object);
        have == want || matches!(have, Pointee::Record(record) if upcast(record))
    }

    /// A pointer of the wanted type: one in scope, or one that is made for it.
    pub(super) fn pointer(&mut self, want: Pointee) -> Operand {
        if self.random.chance(85)
            && let Some((pointer, _)) = self.find(|body, have| body.fits(have, want))
        {
            return pointer;
        }
        match want {
            Pointee::Bytes => Operand::Const(*self.random.pick(&self.unit.literals)),
            Pointee::Any if self.random.chance(5) => self.find(|_, _| true).map_or_else(null, |(pointer, _)| pointer),
            Pointee::Any => self.pointer(Pointee::Record(self.unit.opaque())),
            Pointee::Visitor => Const::Func(*self.random.pick(&self.unit.visitors)).into(),
            Pointee::Slot(_) => {
                let slot = self.code.local(8);
                self.keep(slot, want)
            }
            Pointee::Record(record) => self.record(record),
        }
    }

    /// A pointer to a struct that is not in scope.
    fn record(&mut self, record: usize) -> Operand {
        let want = Pointee::Record(record);
        let statics: Vec<_> = self.unit.statics.iter().filter(|&&(_, p)| p == want).collect();
        if !statics.is_empty() && self.random.chance(50) {
            return self.random.pick(&statics).0;
        }
        let makers = self.unit.makers.iter().chain(&self.group.makers);
        let maker = makers.copied().find(|&(made, _)| made == record);
        let made = match self.random.weighted(&[50, 40, 10]) {
            0 => maker.map(|(_, maker)| self.make(maker)),
            1 => self.variable(want),
            _ => {
                let size = self.world.records[record].size;
                Some(self.code.local(size))
            }
        };
        let made = match (made, maker) {
            (Some(made), _) => made,
            (None, Some((_, maker))) => self.make(maker),
            (None, None) => {
                let size = self.world.records[record].size;
                let allocate = Callee::Direct(self.shared.base.allocate);
                self.code.call_for(Type::Ptr, allocate, vec![word(size)])
            }
        };
        self.keep(made, want)
    }

    fn make(&mut self, maker: FuncId) -> Operand {
        let context = self.pointer(Pointee::Record(self.shared.context));
        self.code.call_for(Type::Ptr, Callee::Direct(maker), vec![context])
    }

    /// Loads a variable of this type.
    pub(super) fn variable(&mut self, want: Pointee) -> Option<Operand> {
        let (variable, _) = *self.unit.variables.iter().find(|&&(_, pointee)| pointee == want)?;
        Some(self.code.load(Type::Ptr, variable))
    }

    /// Gets something out of a container.
    pub(super) fn taken_out(&mut self) -> Operand {
        let find = *self.random.pick(&self.group.containers.finds);
        let params = self.world.signature(find).params.clone();
        let args = params.into_iter().map(|kind| self.argument(kind)).collect();
        self.code.call_for(Type::Ptr, Callee::Direct(find), args)
    }

    /// Calls a function with arguments of its types; a result comes into scope.
    pub(super) fn call(&mut self, callee: FuncId) {
        let routine = self.world.signature_mut(callee);
        routine.used = true;
        let (params, result) = (routine.params.clone(), routine.result);
        let args: Vec<Operand> = params.iter().map(|&kind| self.argument(kind)).collect();
        let out: Vec<_> = args.iter().copied().zip(params).collect();
        match result {
            None => self.code.call(callee, args),
            Some(kind) => {
                let result = self.code.call_for(kind.ty(), Callee::Direct(callee), args);
                match kind {
                    Kind::Word => self.words.push(result),
                    Kind::Pointer(pointee) => self.pointers.push((result, pointee)),
                }
            }
        }
        for (slot, kind) in out {
            if let Kind::Pointer(Pointee::Slot(record)) = kind {
                let filled = self.code.load(Type::Ptr, slot);
                self.keep(filled, Pointee::Record(record));
            }
        }
    }
}

/// Writes the constructor of a struct: allocates it and sets what must not stay null.
pub(super) fn write_maker(world: &mut World, shared: &Shared, id: FuncId, record: usize, operations: Option<Operand>) {
    let mut code = world.open(id);
    let context = code.param(0);
    let size = world.records[record].size;
    let allocate = Callee::Direct(shared.base.allocate);
    let made = code.call_for(Type::Ptr, allocate, vec![word(size)]);
    if let Some(table) = operations {
        code.store(made, table);
        code.store_field(made, 8, word(1));
    }
    for &(offset, member) in &world.records[record].members {
        match member {
            Member::Word => code.store_field(made, offset, word(0)),
            Member::Pointer(Pointee::Record(to)) if to == shared.context => code.store_field(made, offset, context),
            _ => {}
        }
    }
    code.give(&[made]);
    world.close(id, code);
}
