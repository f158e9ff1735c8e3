//! From instructions to constraints.

use icsched_ir::{
    BinOp, BlockId, Callee, CastOp, Const, EntityId, FuncId, Function, GlobalId, IdVec, Op, Operand, Origin, Program,
    ProgramPoint, RmwOp, Terminator, ValueId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::graph::{Copy, NodeId};
use crate::integers::{self, constant_bits};
use crate::object::{InstanceId, Object, ObjectId, ObjectKind, Offsets, Shift, gcd};
use crate::shape::{Cloned, Flow, carries, flows, is_word};
use crate::solver::{Site, Solver, index};
use crate::{Instance, Note};

const POINTER: u32 = 8;

/// What `malloc` aligns to.
const HEAP_ALIGN: u64 = 16;

/// Bytes of a `va_list`, and where in it the pointer to the arguments is.
const VA_LIST: u64 = 24;
const VA_AREA: i64 = 8;

impl Solver<'_> {
    /// What runs without being called: constructors, `main`, what `exit` calls.
    pub(crate) fn generate_roots(&mut self) {
        let program = self.program;
        self.make_plain_constants();
        let mut roots: Vec<FuncId> = program.destructors.clone();
        // Returning from main runs `exit`.
        roots.extend(program.library_function("exit").filter(|&f| !program.functions[f].is_declaration()));
        for func in roots {
            self.shared_instance(func);
        }
        self.set_variables_of_start();
        // Constructors get what `main` gets.
        for &func in program.constructors.iter().chain(&program.main) {
            self.call_first(func);
        }
        if program.main.is_none() {
            self.call_everything();
        }
    }

    /// Makes the objects of constants without pointers, the string literals first of all, before any other.
    fn make_plain_constants(&mut self) {
        let program = self.program;
        let all = self.object(ObjectKind::PlainConstants, None, 1);
        for (id, global) in program.globals.iter() {
            if global.constant && !global.external && !global.thread_local && global.relocations.is_empty() {
                let object = self.global_object(id);
                self.memory.plain.insert(object);
                for offsets in [Offsets::Exact(0), Offsets::ANY] {
                    self.memory.locate(&mut self.graph, object, offsets);
                }
            }
        }
        let whole = self.memory.locate(&mut self.graph, all, Offsets::ANY);
        self.graph.sets.plain = index(whole);
    }

    /// A call of `main` or a constructor: with `argc`, `argv` and `envp`.
    fn call_first(&mut self, func: FuncId) {
        let instance = self.shared_instance(func);
        for (at, vector) in [(1, ObjectKind::ArgumentVector), (2, ObjectKind::EnvironmentVector)] {
            let pointer = self.vector(vector);
            if let Some(node) = self.parameter(instance, at) {
                self.graph.add_copy(pointer, node);
            }
        }
    }

    /// Without `main`, what other translation units can name is used from outside: functions are called with whatever
    /// is known there.
    fn call_everything(&mut self) {
        let program = self.program;
        self.notes.insert(if self.options.closed { Note::Closed } else { Note::NoMain });
        let exported = program.functions.iter().filter(|(_, f)| is_own(f) && !f.local);
        exported.for_each(|(func, _)| self.call_from_outside(func));
        if self.options.closed {
            return;
        }
        for (id, global) in program.globals.iter() {
            let is_own = global.origin == Origin::Program && !global.external;
            // What a constant points to can be written through it.
            let leads_on = !global.constant || !global.relocations.is_empty();
            if is_own && !global.local && leads_on {
                let (object, outside) = (self.global_object(id), self.outside());
                let start = self.memory.locate(&mut self.graph, object, Offsets::Exact(0));
                self.graph.add_one(outside, index(start));
            }
        }
    }

    /// Without `main`, functions that nobody is seen to call count as called from outside as well; false if there are
    /// none.
    pub(crate) fn call_unreached(&mut self) -> bool {
        let program = self.program;
        if program.main.is_some() {
            return false;
        }
        let mut is_reached: IdVec<FuncId, bool> = IdVec::filled(false, program.functions.len());
        let called = self.site_targets.iter().flatten().map(|&instance| self.instances[instance].func);
        called.for_each(|func| is_reached[func] = true);
        if self.options.closed {
            // They run without a call.
            let run = self.shared.iter().filter(|(_, instance)| instance.is_some()).map(|(func, _)| func);
            run.for_each(|func| is_reached[func] = true);
        }
        let mut unreached: Vec<FuncId> = program
            .functions
            .iter()
            .filter(|&(func, f)| is_own(f) && !is_reached[func])
            .map(|(func, _)| func)
            .collect();
        // The callers among them first: they reach the others.
        for &func in &unreached {
            for inst in program.functions[func].blocks.values().flat_map(|b| &b.insts) {
                match inst.op {
                    Op::Call { callee: Callee::Direct(callee), .. } if callee != func => is_reached[callee] = true,
                    _ => {}
                }
            }
        }
        let called: Vec<FuncId> = unreached.extract_if(.., |func| is_reached[*func]).collect();
        let next = if unreached.is_empty() { called.into_iter().take(1).collect() } else { unreached };
        next.iter().for_each(|&func| self.call_from_outside(func));
        !next.is_empty()
    }

    fn call_from_outside(&mut self, func: FuncId) {
        if self.options.closed {
            self.shared_instance(func);
            return;
        }
        let outside = self.outside();
        if let Some(function) = self.constant(Const::Func(func)) {
            self.graph.add_copy(function, outside);
        }
    }

    /// The variables that point to `argv` and `environ` before the first instruction.
    fn set_variables_of_start(&mut self) {
        for (id, global) in self.program.globals.iter() {
            let value = match icsched_externals::set_at_start(global.library_name()) {
                Some(icsched_externals::StartValue::Environment) => self.vector(ObjectKind::EnvironmentVector),
                Some(icsched_externals::StartValue::ProgramName) => self.vector(ObjectKind::Arguments),
                None => continue,
            };
            let object = self.global_object(id);
            let cell = self.memory.cell(&mut self.graph, object, 0);
            let moved = Shift::ANY;
            self.add_shift(value, cell, moved);
        }
    }

    /// A pointer to `argv`, `environ` or one of their strings.
    fn vector(&mut self, kind: ObjectKind) -> NodeId {
        let strings = match kind {
            ObjectKind::ArgumentVector => Some(ObjectKind::Arguments),
            ObjectKind::EnvironmentVector => Some(ObjectKind::Environment),
            _ => None,
        };
        let known = self.object_ids.contains_key(&kind);
        let object = self.object(kind, None, 1);
        let node = self.pointer_to(object, Offsets::Exact(0));
        if let Some(strings) = strings.filter(|_| !known) {
            let string = self.object(strings, None, 1);
            let string = self.pointer_to(string, Offsets::Exact(0));
            let anywhere = self.pointer_to(object, Offsets::strided(0, u64::from(POINTER)));
            self.add_store(anywhere, string, POINTER);
        }
        node
    }

    /// A node that points to one location.
    pub(crate) fn pointer_to(&mut self, object: ObjectId, offsets: Offsets) -> NodeId {
        let location = self.memory.locate(&mut self.graph, object, offsets);
        let node = self.graph.node();
        self.graph.add_one(node, index(location));
        node
    }

    /// The object of a kind; made when there is none.
    pub(crate) fn object(&mut self, kind: ObjectKind, size: Option<u64>, align: u64) -> ObjectId {
        if let Some(&id) = self.object_ids.get(&kind) {
            return id;
        }
        let id = self.memory.object(Object { kind, size, align, constant: false });
        self.object_ids.insert(kind, id);
        id
    }

    pub(crate) fn global_object(&mut self, id: GlobalId) -> ObjectId {
        let kind = ObjectKind::Global(id);
        if let Some(&known) = self.object_ids.get(&kind) {
            return known;
        }
        let global = &self.program.globals[id];
        let size = Some(global.size).filter(|&size| size > 0 || !global.external);
        let constant = global.constant && !global.external;
        let object = self.memory.object(Object { kind, size, align: global.align.max(1), constant });
        self.object_ids.insert(kind, object);
        self.new_globals.push(object);
        if global.external {
            self.memory.open.insert(object);
        }
        if global.external && icsched_externals::set_at_start(global.library_name()).is_none() {
            self.notes.insert(Note::ExternalVariable(id));
            // Whoever defines it is outside: it holds what is known there, and what is stored in it is.
            let outside = self.outside();
            let start = self.memory.locate(&mut self.graph, object, Offsets::Exact(0));
            self.graph.add_one(outside, index(start));
        }
        object
    }

    /// The shared instance of a function, generated when it is first needed.
    pub(crate) fn shared_instance(&mut self, func: FuncId) -> InstanceId {
        match self.shared[func] {
            Some(instance) => instance,
            None => {
                let instance = self.instance(func, None, 0);
                self.shared[func] = Some(instance);
                instance
            }
        }
    }

    fn instance(&mut self, func: FuncId, caller: Option<(InstanceId, ProgramPoint)>, depth: u32) -> InstanceId {
        let shape = &self.shapes[func];
        let nodes = shape.count as usize + self.program.functions[func].results.len();
        let first = self.graph.node();
        for _ in 1..nodes.max(1) {
            self.graph.node();
        }
        self.nodes.push(first);
        let id = self.instances.push(Instance { func, caller, depth });
        self.new_instances.push(id);
        id
    }

    /// The instance of `func` that a call at `at` of `caller` runs.
    pub(crate) fn callee_instance(&mut self, caller: InstanceId, at: ProgramPoint, func: FuncId) -> InstanceId {
        if let Some(&known) = self.clones.get(&(caller, at, func)) {
            return known;
        }
        let depth = self.instances[caller].depth + 1;
        let shape = &self.shapes[func];
        let affordable = self.cloned_instructions + shape.size <= self.options.clone_budget;
        let wanted = match shape.cloned {
            Cloned::Never => false,
            Cloned::WithCaller => depth > 1,
            Cloned::Always => true,
        };
        let apart = wanted && depth <= self.options.clone_depth && affordable && !self.is_within(caller, func);
        let instance = if apart {
            self.cloned_instructions += shape.size;
            self.instance(func, Some((caller, at)), depth)
        } else {
            self.shared_instance(func)
        };
        self.clones.insert((caller, at, func), instance);
        instance
    }

    /// Whether the instance, or one of the callers it was made for, is one of `func`.
    fn is_within(&self, mut instance: InstanceId, func: FuncId) -> bool {
        loop {
            let Instance { func: own, caller, .. } = self.instances[instance];
            if own == func {
                return true;
            }
            match caller {
                Some((up, _)) => instance = up,
                None => return false,
            }
        }
    }

    /// Generates what has become reachable.
    pub(crate) fn generate_pending(&mut self) {
        loop {
            if let Some(object) = self.new_globals.pop() {
                self.initialise(object);
            } else if let Some(instance) = self.new_instances.pop() {
                self.generate(instance);
            } else {
                return;
            }
        }
    }

    /// Puts the pointers of a global's initialiser into its cells.
    fn initialise(&mut self, object: ObjectId) {
        let program = self.program;
        let ObjectKind::Global(id) = self.memory.objects[object].kind else { return };
        let global = &program.globals[id];
        if global.relocations.len() > self.options.max_offsets as usize {
            let modulus = element_size(program, global).unwrap_or_else(|| {
                let offsets = global.relocations.windows(2).map(|w| w[0].offset.abs_diff(w[1].offset));
                offsets.fold(0, gcd)
            });
            self.memory.fold(&mut self.graph, object, modulus.max(1));
        }
        for relocation in &global.relocations {
            let Some(from) = self.constant(relocation.value) else { continue };
            let first = i64::try_from(relocation.offset).unwrap_or(0);
            for granule in first.div_euclid(8)..=(first + 7).div_euclid(8) {
                let cell = self.memory.cell(&mut self.graph, object, granule);
                self.graph.add_copy(from, cell);
            }
        }
    }

    /// The node of a value; `None` when it carries no pointer.
    pub(crate) fn value(&self, instance: InstanceId, value: ValueId) -> Option<NodeId> {
        let slot = self.shapes[self.instances[instance].func].slot(value)?;
        Some(NodeId::from_index(self.nodes[instance].index() + slot as usize))
    }

    /// The node of a returned scalar.
    pub(crate) fn result(&self, instance: InstanceId, at: usize) -> Option<NodeId> {
        let func = self.instances[instance].func;
        let first = self.nodes[instance].index() + self.shapes[func].count as usize;
        (at < self.program.functions[func].results.len()).then(|| NodeId::from_index(first + at))
    }

    pub(crate) fn parameter(&self, instance: InstanceId, at: usize) -> Option<NodeId> {
        let function = &self.program.functions[self.instances[instance].func];
        self.value(instance, *function.params.get(at)?)
    }

    pub(crate) fn constant(&mut self, value: Const) -> Option<NodeId> {
        if let Some(&node) = self.constants.get(&value) {
            return Some(node);
        }
        let (object, offset) = match value {
            Const::Global { global, offset } => (self.global_object(global), offset),
            Const::Func(func) => (self.object(ObjectKind::Function(func), Some(1), 16), 0),
            Const::Bits { .. } | Const::Block { .. } | Const::Undef(_) => return None,
        };
        let node = self.pointer_to(object, Offsets::Exact(offset));
        self.constants.insert(value, node);
        Some(node)
    }

    pub(crate) fn operand(&mut self, instance: InstanceId, operand: Operand) -> Option<NodeId> {
        match operand {
            Operand::Value(value) => self.value(instance, value),
            Operand::Const(value) => self.constant(value),
        }
    }

    /// Bytes that an access of the operand's type touches; 0 if no pointer fits in.
    fn width(&self, instance: InstanceId, operand: Operand) -> u32 {
        let ty = match operand {
            Operand::Value(v) => self.program.functions[self.instances[instance].func].values[v].ty,
            Operand::Const(c) => c.ty(),
        };
        if carries(ty) { ty.bytes() } else { 0 }
    }

    fn generate(&mut self, id: InstanceId) {
        let program = self.program;
        let func = self.instances[id].func;
        let function = &program.functions[func];
        let mut unions: FxHashMap<NodeId, SmallVec<[NodeId; 4]>> = FxHashMap::default();
        let mut params: Vec<NodeId> = Vec::new();
        for (block_id, block) in function.blocks.iter() {
            for (at, inst) in block.insts.iter().enumerate() {
                let point = point(func, block_id, at);
                self.instruction(id, point, &inst.op, &inst.results);
            }
            for edge in block.terminator.edges() {
                for (param, arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                    if let (Some(to), Some(from)) = (self.value(id, *param), self.operand(id, *arg)) {
                        unions
                            .entry(to)
                            .or_insert_with(|| {
                                params.push(to);
                                SmallVec::new()
                            })
                            .push(from);
                    }
                }
            }
            match &block.terminator {
                Terminator::Return(values) => {
                    for (at, value) in values.iter().enumerate() {
                        if let (Some(to), Some(from)) = (self.result(id, at), self.operand(id, *value)) {
                            self.graph.add_copy(from, to);
                        }
                    }
                }
                Terminator::Unsupported { text } => {
                    self.notes
                        .insert(Note::Unsupported { at: point(func, block_id, block.insts.len()), text: text.clone() });
                }
                Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Unreachable => {}
            }
        }
        for to in params {
            let sources = unions.remove(&to).unwrap_or_default();
            self.define_union(to, sources);
        }
    }

    fn instruction(&mut self, id: InstanceId, at: ProgramPoint, op: &Op, results: &[ValueId]) {
        let result = results.first().and_then(|&v| self.value(id, v));
        // Whoever asks for the address of a global gets an answer, even if no pointer is read or written there.
        op.for_each_operand(|operand| {
            if let Operand::Const(global @ Const::Global { .. }) = operand {
                self.constant(global);
            }
        });
        match op {
            Op::Load { address, .. } => {
                let width = results.first().map_or(0, |&v| self.width(id, v.into()));
                if let (Some(to), Some(address)) = (result, self.operand(id, *address)) {
                    self.define_load(address, to, width);
                }
            }
            Op::Store { address, value, .. } => self.store_operand(id, *address, *value),
            Op::AtomicRmw { op, address, value, .. } => self.read_modify_write(id, *op, *address, *value, result),
            Op::CompareExchange { address, new, .. } => {
                self.store_operand(id, *address, *new);
                let width = self.width(id, *new);
                if let (Some(to), Some(address)) = (result, self.operand(id, *address)) {
                    self.add_load(address, to, width);
                }
            }
            Op::Alloca { size, count, align } => {
                let Some(to) = result else { return };
                let value = results[0];
                let size = match count {
                    Operand::Const(Const::Bits { bits, .. }) => size.checked_mul(*bits),
                    Operand::Const(_) | Operand::Value(_) => None,
                };
                let object = self.object(ObjectKind::Stack { instance: id, value }, size, (*align).max(1));
                let location = self.memory.locate(&mut self.graph, object, Offsets::Exact(0));
                self.graph.add_one(to, index(location));
            }
            Op::MemCopy { to, from, bytes, .. } => self.memory_copy(id, *to, *from, constant_bits(*bytes)),
            Op::VaStart { list } => {
                let object = self.object(ObjectKind::VarArgs(id), None, 8);
                let area = self.pointer_to(object, Offsets::ANY);
                if let Some(list) = self.operand(id, *list) {
                    let place = self.graph.node();
                    self.add_shift(list, place, Shift::by(VA_AREA));
                    self.add_store(place, area, POINTER);
                }
            }
            Op::VaCopy { to, from } => self.memory_copy(id, *to, *from, Some(VA_LIST)),
            Op::Call { callee, args } => self.call(id, at, callee, args, results),
            Op::Unsupported { text } => {
                self.notes.insert(Note::Unsupported { at, text: text.clone() });
                if let Some(to) = result {
                    let outside = self.outside();
                    self.graph.add_copy(outside, to);
                }
            }
            _ => {
                if let Op::Cast { op: CastOp::Trunc, a } = op {
                    // Models do so to numbers and characters: `printf` to its arguments.
                    let function = &self.program.functions[at.func];
                    if function.origin == Origin::Model && !is_word(function.values[results[0]].ty) {
                        return;
                    }
                    self.split(id, *a);
                }
                if let Some(to) = result {
                    self.arithmetic(id, op, to);
                    self.assemble(id, results[0], to);
                    if self.shapes[self.instances[id].func].is_made_of_numbers(results[0]) {
                        let anywhere = self.object(ObjectKind::Outside, None, 1);
                        let anywhere = self.memory.locate(&mut self.graph, anywhere, Offsets::ANY);
                        self.graph.add_one(to, index(anywhere));
                    }
                }
            }
        }
    }

    /// A part of a word is taken: a pointer may be put together from such parts, wherever they have got to.
    fn split(&mut self, id: InstanceId, word: Operand) {
        if let Some(from) = self.operand(id, word).filter(|_| self.width(id, word) == POINTER) {
            let parts = self.parts();
            self.add_shift(from, parts, Shift::ANY);
        }
    }

    /// A narrower integer is moved to the upper part of a word. The lower part may be of the same pointer only.
    fn assemble(&mut self, id: InstanceId, word: ValueId, to: NodeId) {
        let Some(upper) = self.shapes[self.instances[id].func].upper_part(word) else { return };
        let parts = self.parts();
        self.graph.add_copy(parts, to);
        if let Some(from) = self.operand(id, upper) {
            self.add_shift(from, to, Shift::ANY);
        }
    }

    /// What points to wherever a pointer points to that a part was taken of.
    fn parts(&mut self) -> NodeId {
        let graph = &mut self.graph;
        *self.parts.get_or_insert_with(|| graph.node())
    }

    fn arithmetic(&mut self, id: InstanceId, op: &Op, to: NodeId) {
        let shape = &self.shapes[self.instances[id].func];
        let shifts = match op {
            Op::Address { offset, indices, .. } => integers::shifts(*offset, indices, &shape.indices),
            _ => SmallVec::from_elem(shift_of(op), 1),
        };
        let mut sources: SmallVec<[(Operand, Flow); 3]> = SmallVec::new();
        flows(&|o| shape.is_pointer(o), op, |operand, flow| sources.push((operand, flow)));
        let mut nodes: SmallVec<[(NodeId, Shift); 3]> = SmallVec::new();
        for (operand, flow) in sources {
            let Some(from) = self.operand(id, operand) else { continue };
            match flow {
                Flow::Same => nodes.push((from, Shift::NONE)),
                Flow::Derived => nodes.extend(shifts.iter().map(|&shift| (from, shift))),
            }
        }
        match nodes[..] {
            [(from, shift)] => self.define_shift(from, to, shift),
            _ => nodes.iter().for_each(|&(from, shift)| self.add_shift(from, to, shift)),
        }
    }

    pub(crate) fn store_operand(&mut self, id: InstanceId, address: Operand, value: Operand) {
        let width = self.width(id, value);
        if width == 0 {
            return;
        }
        if let (Some(from), Some(address)) = (self.operand(id, value), self.operand(id, address)) {
            self.add_store(address, from, width);
        }
    }

    fn read_modify_write(
        &mut self,
        id: InstanceId,
        op: RmwOp,
        address: Operand,
        value: Operand,
        result: Option<NodeId>,
    ) {
        let width = self.width(id, value);
        let Some(address) = self.operand(id, address).filter(|_| width > 0) else { return };
        if let Some(to) = result {
            self.add_load(address, to, width);
        }
        let value = self.operand(id, value);
        let changed = match op {
            RmwOp::Xchg => value,
            RmwOp::FAdd | RmwOp::FSub => None,
            RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => value,
            RmwOp::Add | RmwOp::Sub | RmwOp::And | RmwOp::Nand | RmwOp::Or | RmwOp::Xor => {
                let (old, new) = (self.graph.node(), self.graph.node());
                self.add_load(address, old, width);
                self.add_shift(old, new, Shift::ANY);
                if let Some(value) = value {
                    self.add_shift(value, new, Shift::ANY);
                }
                Some(new)
            }
        };
        if let Some(from) = changed {
            self.add_store(address, from, width);
        }
    }

    pub(crate) fn memory_copy(&mut self, id: InstanceId, to: Operand, from: Operand, len: Option<u64>) {
        if let (Some(to), Some(from)) = (self.operand(id, to), self.operand(id, from)) {
            self.copy_memory(to, from, len);
        }
    }

    pub(crate) fn copy_memory(&mut self, to: NodeId, from: NodeId, len: Option<u64>) {
        match len {
            Some(0) => return,
            Some(width @ 1..=8) => {
                let value = self.graph.node();
                let width = u32::try_from(width).unwrap_or(POINTER);
                self.add_load(from, value, width);
                self.add_store(to, value, width);
                return;
            }
            Some(_) | None => {}
        }
        let transfer = self.memory.object(Object { kind: ObjectKind::Transfer, size: None, align: 1, constant: false });
        self.add_memory_copy(from, Copy { transfer, into: true, len });
        self.add_memory_copy(to, Copy { transfer, into: false, len });
    }

    fn call(&mut self, id: InstanceId, at: ProgramPoint, callee: &Callee, args: &[Operand], results: &[ValueId]) {
        match callee {
            Callee::Direct(func) | Callee::Indirect(Operand::Const(Const::Func(func))) => {
                let site = self.site(id, at, args, results);
                self.link_call(site, *func, true);
            }
            Callee::Indirect(target) => {
                let site = self.site(id, at, args, results);
                if let Some(target) = self.operand(id, *target) {
                    self.add_site(target, site);
                }
            }
            Callee::Intrinsic(intrinsic) => self.intrinsic(id, at, *intrinsic, args, results),
        }
    }

    pub(crate) fn site(&mut self, id: InstanceId, at: ProgramPoint, args: &[Operand], results: &[ValueId]) -> u32 {
        let args = args.iter().map(|&a| self.operand(id, a)).collect();
        let results = results.iter().map(|&v| self.value(id, v)).collect();
        let site = u32::try_from(self.sites.len()).expect("fewer than 2^32 calls");
        self.sites.push(Site { instance: id, at, args, results });
        self.site_targets.push(Vec::new());
        site
    }

    /// What a new heap object is aligned to and how large it is, as far as the call says.
    pub(crate) fn heap_object(&mut self, id: InstanceId, at: ProgramPoint, bytes: Operand) -> ObjectId {
        let size = constant_bits(bytes).or_else(|| self.constant_argument(id, bytes));
        self.object(ObjectKind::Heap { instance: id, at }, size, HEAP_ALIGN)
    }

    /// The constant that the call an instance was made for passes as this parameter.
    fn constant_argument(&self, mut id: InstanceId, mut operand: Operand) -> Option<u64> {
        loop {
            let Instance { func, caller, .. } = self.instances[id];
            let value = match operand {
                Operand::Const(_) => return constant_bits(operand),
                Operand::Value(value) => value,
            };
            let position = self.program.functions[func].params.iter().position(|&p| p == value)?;
            let (up, at) = caller?;
            let block = &self.program.functions[at.func].blocks[at.block];
            match &block.insts.get(at.inst as usize)?.op {
                Op::Call { args, .. } => operand = *args.get(position)?,
                _ => return None,
            }
            id = up;
        }
    }
}

/// Whether the function is defined, and not by a model.
pub(crate) fn is_own(function: &Function) -> bool {
    !function.is_declaration() && function.origin == Origin::Program
}

/// What an operation does to the offset of a pointer that goes through it.
fn shift_of(op: &Op) -> Shift {
    match op {
        Op::Binary { op, a, b, .. } => {
            let constant = constant_bits(*b).or_else(|| constant_bits(*a));
            match (op, constant.map(u64::cast_signed)) {
                (BinOp::Add, Some(c)) => Shift::by(c),
                (BinOp::Sub, Some(c)) if constant_bits(*b).is_some() => Shift::by(c.wrapping_neg()),
                (BinOp::And, Some(c)) if c < 0 && c.unsigned_abs().is_power_of_two() => {
                    Shift::RoundDown(c.unsigned_abs())
                }
                (BinOp::Or, Some(c)) if c >= 0 => Shift::SetBits(c.unsigned_abs()),
                _ => Shift::ANY,
            }
        }
        _ => Shift::ANY,
    }
}

/// Bytes of an element, if the global is an array in the source.
fn element_size(program: &Program, global: &icsched_ir::Global) -> Option<u64> {
    let (_, ty) = program.types.resolve(global.source_type?)?;
    match ty {
        icsched_ir::SourceType::Array { element: Some(element), .. } => {
            Some(program.types.size(*element)).filter(|&size| size > 0)
        }
        _ => None,
    }
}

fn point(func: FuncId, block: BlockId, inst: usize) -> ProgramPoint {
    ProgramPoint { func, block, inst: u32::try_from(inst).unwrap_or(u32::MAX) }
}
