//! The statements of random bodies.

use icsched_ir::{BinOp, Callee, Const, IntPredicate, Op, Operand, Type};

use super::body::Body;
use super::code::{null, word};
use super::library::walk;
use super::unit::{COMMAND, COMMANDS};
use super::world::{Member, Pointee};

/// How often each statement is written, in the order of [`Body::statement`].
const WEIGHTS: [usize; 16] = [44, 16, 22, 10, 17, 2, 1, 2, 28, 3, 3, 1, 2, 14, 4, 1];

/// Deepest nesting of branches and loops.
const DEPTH: usize = 4;

impl Body<'_> {
    /// Statements until the function has `length` instructions.
    pub(super) fn statements(&mut self, length: usize, depth: usize) {
        while self.code.written < length {
            let choice = self.random.weighted(&WEIGHTS);
            self.statement(choice, length, depth);
        }
    }

    fn statement(&mut self, choice: usize, length: usize, depth: usize) {
        match choice {
            0 => self.read_number(),
            1 => self.write_number(),
            2 => self.read_pointer(),
            3 => self.write_pointer(),
            4 => self.call_one(),
            5 => self.put_in(),
            6 => self.get_out(),
            7 => self.call_method(),
            8 => self.branch(length, depth),
            9 if depth < DEPTH => self.walk_list(length, depth),
            10 if depth < DEPTH => self.count_up(length, depth),
            11 => self.run_command(),
            12 => self.copy_struct(),
            13 => self.calculate(),
            14 => self.use_variable(),
            15 => self.visit(),
            _ => self.fill_slot(),
        }
    }

    /// A struct in scope, or a new one.
    fn some_record(&mut self) -> (Operand, usize) {
        if let Some((pointer, Pointee::Record(record))) = self.find(|_, p| matches!(p, Pointee::Record(_))) {
            return (pointer, record);
        }
        let record = *self.random.pick(&self.unit.records);
        (self.pointer(Pointee::Record(record)), record)
    }

    /// A member that `wanted` accepts of a struct that has one.
    fn member(&mut self, wanted: impl Fn(Member) -> bool) -> Option<(Operand, u64, Member)> {
        let (pointer, record) = self.some_record();
        let fitting: Vec<_> =
            self.world.records[record].members.iter().filter(|&&(_, member)| wanted(member)).copied().collect();
        if fitting.is_empty() {
            return None;
        }
        let (offset, member) = *self.random.pick(&fitting);
        Some((pointer, offset, member))
    }

    fn read_number(&mut self) {
        if let Some((base, offset, member)) = self.member(|m| matches!(m, Member::Word | Member::Int)) {
            let value = match member {
                Member::Int => self.code.load_int(base, offset),
                _ => self.code.load_word(base, offset),
            };
            self.words.push(value);
        }
    }

    fn write_number(&mut self) {
        let value = self.word();
        if let Some((base, offset, _)) = self.member(|m| matches!(m, Member::Word)) {
            self.code.store_field(base, offset, value);
        }
    }

    fn read_pointer(&mut self) {
        let pointers = |m| matches!(m, Member::Pointer(_) | Member::Pointers(..) | Member::Inline(_));
        let Some((base, offset, member)) = self.member(pointers) else { return };
        match member {
            Member::Pointer(pointee) => {
                let value = self.code.load_field(base, offset);
                if self.random.chance(25) {
                    self.check(value, null());
                }
                self.keep(value, pointee);
                if pointee == Pointee::Any {
                    self.keep(value, Pointee::Record(self.unit.opaque()));
                }
            }
            Member::Pointers(pointee, _) => {
                let array = self.code.field(base, offset);
                let index = self.word();
                let place = self.code.element(array, index, 8);
                let value = self.code.load(Type::Ptr, place);
                self.keep(value, pointee);
            }
            Member::Inline(record) => {
                let inner = self.code.field(base, offset);
                self.keep(inner, Pointee::Record(record));
            }
            Member::Word | Member::Int => {}
        }
    }

    fn write_pointer(&mut self) {
        // The table of operations in an object is set when it is made, and never again.
        let object = self.group.object;
        let (base, record) = self.some_record();
        let members = self.world.records[record].members.iter();
        let places: Vec<_> = members
            .filter(|_| record != object)
            .filter_map(|&(offset, member)| match member {
                Member::Pointer(pointee) => Some((offset, pointee, false)),
                Member::Pointers(pointee, _) => Some((offset, pointee, true)),
                Member::Word | Member::Int | Member::Inline(_) => None,
            })
            .collect();
        if places.is_empty() {
            return;
        }
        let (offset, pointee, array) = *self.random.pick(&places);
        let value = self.pointer(pointee);
        if array {
            let start = self.code.field(base, offset);
            let index = self.word();
            let place = self.code.element(start, index, 8);
            self.code.store(place, value);
        } else {
            self.code.store_field(base, offset, value);
        }
    }

    fn call_one(&mut self) {
        let callee = match self.random.below(10) {
            0 => self.id,
            1 => self.random.pick(&self.unit.makers).1,
            _ => *self.random.pick(&self.unit.callees),
        };
        self.call(callee);
        if self.random.chance(30) {
            let status = self.word();
            self.check(status, word(0));
        }
    }

    fn put_in(&mut self) {
        let containers = self.group.containers;
        let callee = if self.random.chance(20) { containers.append } else { *self.random.pick(&containers.stores) };
        self.call(callee);
    }

    fn get_out(&mut self) {
        let item = self.taken_out();
        self.check(item, null());
        self.keep(item, Pointee::Record(self.unit.opaque()));
    }

    fn call_method(&mut self) {
        let this = self.pointer(Pointee::Record(self.group.object));
        let operations = self.code.load(Type::Ptr, this);
        let slot = 8 * self.random.below(usize::try_from(self.group.methods).expect("few")) as u64;
        let method = self.code.load_field(operations, slot);
        let context = self.pointer(Pointee::Record(self.shared.context));
        let data = self.pointer(Pointee::Any);
        let result = self.code.call_for(Type::Ptr, Callee::Indirect(method), vec![this, context, data]);
        self.keep(result, Pointee::Any);
    }

    fn run_command(&mut self) {
        let index = self.word();
        let command = self.code.element(self.unit.commands, index, COMMAND);
        let run = self.code.load_field(command, 8);
        let context = self.pointer(Pointee::Record(self.shared.context));
        let data = self.pointer(Pointee::Any);
        let status = self.code.call_for(Type::Int(64), Callee::Indirect(run), vec![context, data]);
        let left = self.code.compare(IntPredicate::Ult, status, word(COMMANDS));
        let end = self.code.block(&[]);
        self.code.branch(left, (end, &[]), (self.failed, &[]));
        self.code.start(end);
        self.words.push(status);
    }

    fn visit(&mut self) {
        self.call(self.group.containers.each);
    }

    /// Leaves the function if the two are equal.
    fn check(&mut self, a: Operand, b: Operand) {
        let bad = self.code.compare(IntPredicate::Eq, a, b);
        let go_on = self.code.block(&[]);
        self.code.branch(bad, (self.failed, &[]), (go_on, &[]));
        self.code.start(go_on);
    }

    /// A condition over numbers or a null check.
    fn condition(&mut self) -> Operand {
        if self.random.chance(40)
            && let Some((pointer, _)) = self.find(|_, _| true)
        {
            return self.code.compare(IntPredicate::Ne, pointer, null());
        }
        let (a, b) = (self.word(), self.word());
        let a = if self.random.chance(40) { self.code.binary(BinOp::And, a, word(64)) } else { a };
        let predicate = *self.random.pick(&[IntPredicate::Eq, IntPredicate::Ne, IntPredicate::Slt, IntPredicate::Sgt]);
        self.code.compare(predicate, a, b)
    }

    /// `if` with an `else`, or without; sometimes both sides choose a pointer.
    fn branch(&mut self, length: usize, depth: usize) {
        let condition = self.condition();
        if depth >= DEPTH || self.random.chance(35) {
            let go_on = self.code.block(&[]);
            self.code.branch(condition, (go_on, &[]), (self.failed, &[]));
            self.code.start(go_on);
            return;
        }
        let chosen = self.random.chance(30).then(|| *self.random.pick(&self.unit.records)).map(Pointee::Record);
        let params: &[Type] = if chosen.is_some() { &[Type::Ptr] } else { &[] };
        let (yes, no, join) = (self.code.block(&[]), self.code.block(&[]), self.code.block(params));
        self.code.branch(condition, (yes, &[]), (no, &[]));
        for (block, most) in [(yes, 24), (no, 10)] {
            self.code.start(block);
            let (pointers, words) = (self.pointers.len(), self.words.len());
            let end = length.min(self.code.written + self.random.below(most));
            self.statements(end, depth + 1);
            let value = chosen.map(|pointee| self.pointer(pointee));
            self.code.jump(join, value.as_slice());
            self.pointers.truncate(pointers);
            self.words.truncate(words);
        }
        let joined = self.code.start(join);
        if let (Some(pointee), [value]) = (chosen, &joined[..]) {
            self.keep(*value, pointee);
        }
    }

    /// Walks a list of a container, or a chain of structs that point to their own kind.
    fn walk_list(&mut self, length: usize, depth: usize) {
        let containers = self.group.containers;
        let own = self.random.chance(50).then(|| self.chain()).flatten();
        let (first, next, item) = match own {
            Some((record, next)) => (self.pointer(Pointee::Record(record)), next, Pointee::Record(record)),
            None => {
                let list = self.pointer(Pointee::Record(containers.list));
                (self.code.load(Type::Ptr, list), 0, Pointee::Record(containers.node))
            }
        };
        let (pointers, words) = (self.pointers.len(), self.words.len());
        let (node, [head, end]) = walk(&mut self.code, first);
        self.keep(node, item);
        if own.is_none() {
            let content = self.code.load_field(node, 16);
            self.keep(content, Pointee::Record(self.unit.opaque()));
        }
        let until = length.min(self.code.written + self.random.below(25));
        self.statements(until, depth + 1);
        let following = self.code.load_field(node, next);
        self.code.jump(head, &[following]);
        self.code.start(end);
        self.pointers.truncate(pointers);
        self.words.truncate(words);
    }

    /// A struct of this unit with a member that points to its own kind, and where that is.
    fn chain(&mut self) -> Option<(usize, u64)> {
        let record = *self.random.pick(&self.unit.records);
        let members = &self.world.records[record].members;
        let own = Member::Pointer(Pointee::Record(record));
        members.iter().find(|&&(_, member)| member == own).map(|&(offset, _)| (record, offset))
    }

    /// A loop over an array of structs; only one kind of struct of a unit is kept in arrays.
    fn count_up(&mut self, length: usize, depth: usize) {
        let record = *self.unit.records.last().expect("a unit has structs");
        let array = self.pointer(Pointee::Record(record));
        let size = self.world.records[record].size;
        let limit = self.word();
        let (head, body, end) = (self.code.block(&[Type::Int(64)]), self.code.block(&[]), self.code.block(&[]));
        self.code.jump(head, &[word(0)]);
        let i = self.code.start(head)[0];
        let more = self.code.compare(IntPredicate::Slt, i, limit);
        self.code.branch(more, (body, &[]), (end, &[]));
        self.code.start(body);
        let (pointers, words) = (self.pointers.len(), self.words.len());
        let element = self.code.element(array, i, size);
        self.keep(element, Pointee::Record(record));
        self.words.push(i);
        let until = length.min(self.code.written + self.random.below(20));
        self.statements(until, depth + 1);
        let next = self.code.binary(BinOp::Add, i, word(1));
        self.code.jump(head, &[next]);
        self.code.start(end);
        self.pointers.truncate(pointers);
        self.words.truncate(words);
    }

    /// Copies a struct to a local variable, or to another one.
    fn copy_struct(&mut self) {
        let record = *self.random.pick(&self.unit.records);
        let from = self.pointer(Pointee::Record(record));
        let size = self.world.records[record].size;
        let to = if self.random.chance(50) { self.code.local(size) } else { self.pointer(Pointee::Record(record)) };
        self.code.copy(to, from, word(size));
        self.keep(to, Pointee::Record(record));
    }

    fn calculate(&mut self) {
        let (a, b) = (self.word(), self.word());
        let op = *self.random.pick(&[BinOp::Add, BinOp::Add, BinOp::And, BinOp::Sub, BinOp::Or, BinOp::Mul]);
        let mut value = self.code.binary(op, a, b);
        if self.random.chance(20) {
            let condition = self.code.compare(IntPredicate::Slt, value, b);
            value = self.code.define(Type::Int(64), Op::Select { condition, a: value, b });
        }
        self.words.push(value);
    }

    fn use_variable(&mut self) {
        let (variable, pointee) = *self.random.pick(&self.unit.variables);
        if self.random.chance(35) {
            let value = self.pointer(pointee);
            self.code.store(variable, value);
        } else {
            let value = self.code.load(Type::Ptr, variable);
            self.keep(value, pointee);
        }
    }

    /// Sets an out-parameter, or a visitor of the context.
    fn fill_slot(&mut self) {
        if let Some((slot, Pointee::Slot(record))) = self.find(|_, p| matches!(p, Pointee::Slot(_))) {
            let value = self.pointer(Pointee::Record(record));
            self.code.store(slot, value);
        } else if self.random.chance(10) {
            let visitor: Operand = Const::Func(*self.random.pick(&self.unit.visitors)).into();
            let context = self.pointer(Pointee::Record(self.shared.context));
            self.code.store_field(context, 32, visitor);
        }
    }
}
