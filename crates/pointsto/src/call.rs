//! Calls: of functions, of what is only declared, and of operations of the engine.

use icsched_externals::{ArgEffect, ResultEffect};
use icsched_ir::{FuncId, Intrinsic, Operand, Origin, ProgramPoint, ValueId};

use crate::Note;
use crate::generate::is_own;
use crate::graph::NodeId;
use crate::integers::constant_bits;
use crate::object::{InstanceId, ObjectKind, Offsets, Shift};
use crate::solver::{Solver, index};

const POINTER: u32 = 8;

impl Solver<'_> {
    /// The call at `site` may run `func`, and if `only_target` nothing else.
    pub(crate) fn link_call(&mut self, site: u32, func: FuncId, only_target: bool) {
        let function = &self.program.functions[func];
        if function.is_declaration() {
            self.call_declared(site, func);
            return;
        }
        let call = &self.sites[site as usize];
        // With arguments missing the call is an error, and nothing is run.
        if call.args.len() < function.params.len() {
            return;
        }
        let (args, results) = (call.args.clone(), call.results.clone());
        let instance = self.callee_instance(call.instance, call.at, func);
        self.site_targets[site as usize].push(instance);
        let only_caller = self.instances[instance].caller.is_some();
        let row = Some(function)
            .filter(|f| f.origin == Origin::Model)
            .and_then(|f| icsched_externals::lookup(f.library_name()));
        for (at, arg) in args.iter().enumerate() {
            let Some(mut from) = *arg else { continue };
            if row.is_some_and(|row| row.argument_is_bytes(at)) {
                let bytes = self.graph.node();
                self.add_shift(from, bytes, Shift::BytesOnly);
                from = bytes;
            }
            if at < function.params.len() {
                if let Some(to) = self.parameter(instance, at) {
                    if only_caller { self.graph.merge(from, to) } else { self.graph.add_copy(from, to) }
                }
            } else if function.varargs {
                let area = self.object(ObjectKind::VarArgs(instance), None, 8);
                let area = self.pointer_to(area, Offsets::ANY);
                self.add_store(area, from, POINTER);
            }
        }
        for (at, result) in results.iter().enumerate() {
            if let (Some(to), Some(from)) = (*result, self.result(instance, at)) {
                if only_target { self.graph.merge(from, to) } else { self.graph.add_copy(from, to) }
            }
        }
    }

    /// A call of a function without a body, by its row in the table of externals.
    fn call_declared(&mut self, site: u32, func: FuncId) {
        let call = &self.sites[site as usize];
        let (instance, at, args, results) = (call.instance, call.at, call.args.clone(), call.results.clone());
        let name = self.program.functions[func].name.as_str();
        let row = icsched_externals::lookup(name);
        if row.is_none() {
            self.notes.insert(Note::UnknownFunction(func));
        }
        for (position, arg) in args.iter().enumerate() {
            let Some(from) = *arg else { continue };
            let effect = row.map_or(ArgEffect::Retains, |row| row.argument(position));
            match effect {
                ArgEffect::Retains | ArgEffect::Calls | ArgEffect::StoresPointer => {
                    let outside = self.outside();
                    self.graph.add_copy(from, outside);
                }
                ArgEffect::Value
                | ArgEffect::Reads
                | ArgEffect::ReadsBytes
                | ArgEffect::WritesBytes
                | ArgEffect::Writes
                | ArgEffect::ReadsWrites
                | ArgEffect::Frees => {}
            }
        }
        let Some(to) = results.first().copied().flatten() else { return };
        match row.map(|row| row.result()) {
            None => {
                let outside = self.outside();
                self.graph.add_copy(outside, to);
            }
            Some(ResultEffect::Value) => {}
            Some(ResultEffect::Fresh | ResultEffect::Library) => {
                let object = self.object(ObjectKind::Library { instance, at }, None, 16);
                let start = self.memory.locate(&mut self.graph, object, Offsets::Exact(0));
                self.graph.add_one(to, index(start));
            }
            Some(ResultEffect::Argument(position)) => {
                if let Some(from) = args.get(position).copied().flatten() {
                    self.add_shift(from, to, Shift::ANY);
                }
            }
        }
    }

    /// Everything that unknown functions may hold: what they were given, what can be reached from there, and memory of
    /// their own. They may store any of it in any of it, and call it.
    pub(crate) fn outside(&mut self) -> NodeId {
        if let Some(node) = self.outside {
            return node;
        }
        let node = self.graph.node();
        self.outside = Some(node);
        let object = self.object(ObjectKind::Outside, None, 1);
        let whole = self.memory.locate(&mut self.graph, object, Offsets::ANY);
        self.graph.add_one(node, index(whole));
        let anywhere = self.graph.node();
        self.add_shift(node, anywhere, Shift::Anywhere);
        self.graph.add_copy(anywhere, node);
        self.add_load(node, node, POINTER);
        self.add_store(node, node, POINTER);
        let mut own = self.program.functions.iter().filter(|(_, f)| is_own(f)).map(|(func, _)| func);
        if let Some(main) = self.program.main.or_else(|| own.next()) {
            let instance = self.shared_instance(main);
            let at = ProgramPoint { func: main, block: icsched_ir::EntityId::from_index(0), inst: u32::MAX };
            let site = self.site(instance, at, &[], &[]);
            // As many arguments as any function takes.
            let most = self.program.functions.values().map(|f| f.params.len()).max().unwrap_or(0);
            self.sites[site as usize].args = vec![Some(node); most];
            self.sites[site as usize].results = smallvec::smallvec![Some(node)];
            self.add_site(node, site);
        }
        node
    }

    /// What an operation of the engine does to pointers.
    pub(crate) fn intrinsic(
        &mut self,
        id: InstanceId,
        at: ProgramPoint,
        intrinsic: Intrinsic,
        args: &[Operand],
        results: &[ValueId],
    ) {
        let result = results.first().and_then(|&v| self.value(id, v));
        match intrinsic {
            Intrinsic::Malloc => {
                let object = self.heap_object(id, at, args[0]);
                let start = self.memory.locate(&mut self.graph, object, Offsets::Exact(0));
                if let Some(to) = result {
                    self.graph.add_one(to, index(start));
                }
            }
            Intrinsic::MemCopy | Intrinsic::MemMove => self.memory_copy(id, args[0], args[1], constant_bits(args[2])),
            Intrinsic::Select => {
                let Some(to) = result else { return };
                for operand in [args[1], args[2]] {
                    if let Some(from) = self.operand(id, operand) {
                        self.graph.add_copy(from, to);
                    }
                }
            }
            Intrinsic::HostWrite | Intrinsic::HostRead => self.file(id, intrinsic, args[1]),
            Intrinsic::ThreadCreate => self.call_pointer(id, at, args[0], &args[1..2]),
            Intrinsic::Interrupt => self.call_pointer(id, at, args[1], &[]),
            Intrinsic::Destructor => {
                let Some(to) = result else { return };
                for &func in &self.program.destructors {
                    if let Some(from) = self.constant(icsched_ir::Const::Func(func)) {
                        self.graph.add_copy(from, to);
                    }
                }
            }
            // Nothing of these stores, returns or calls a pointer.
            Intrinsic::Yield
            | Intrinsic::Pause
            | Intrinsic::Wait
            | Intrinsic::WaitTimed
            | Intrinsic::NotifyOne
            | Intrinsic::NotifyAll
            | Intrinsic::NotifyThread
            | Intrinsic::ThreadSelf
            | Intrinsic::ThreadExit
            | Intrinsic::Resume
            | Intrinsic::Leave
            | Intrinsic::Clock
            | Intrinsic::Acquire
            | Intrinsic::Release
            | Intrinsic::NotHeld
            | Intrinsic::BarrierInit
            | Intrinsic::BarrierArrive
            | Intrinsic::Event
            | Intrinsic::Order
            | Intrinsic::Free
            | Intrinsic::SetFamily
            | Intrinsic::CheckFamily
            | Intrinsic::ObjectSize
            | Intrinsic::Room
            | Intrinsic::MemSet
            | Intrinsic::Exit
            | Intrinsic::SaveContext
            | Intrinsic::RestoreContext
            | Intrinsic::Abort
            | Intrinsic::AssertFail
            | Intrinsic::Error
            | Intrinsic::Unsupported
            | Intrinsic::StackSave
            | Intrinsic::StackRestore
            | Intrinsic::IsSymbolicDomain
            | Intrinsic::IsExact
            | Intrinsic::MayFail
            | Intrinsic::IsSymbolic
            | Intrinsic::IsUnknown
            | Intrinsic::AnySymbolic
            | Intrinsic::StringSymbolic
            | Intrinsic::StringEnd
            | Intrinsic::HasNul
            | Intrinsic::Input
            | Intrinsic::InputOfString
            | Intrinsic::InputBytes
            | Intrinsic::Math
            | Intrinsic::Assume
            | Intrinsic::Known
            | Intrinsic::Handle
            | Intrinsic::HostOpen
            | Intrinsic::HostClose
            | Intrinsic::HostSeek
            | Intrinsic::HostFileSize
            | Intrinsic::HostClock
            | Intrinsic::HostFile
            | Intrinsic::HostQuery
            | Intrinsic::SymbolicFile
            | Intrinsic::SymbolicFileSize
            | Intrinsic::SymbolicFileRead => {}
        }
    }

    /// Bytes are written to a file, or read from one: any that were written, to any file, from wherever the pointer's
    /// objects are read or written.
    fn file(&mut self, id: InstanceId, intrinsic: Intrinsic, buffer: Operand) {
        let Some(buffer) = self.operand(id, buffer) else { return };
        let graph = &mut self.graph;
        let files = *self.files.get_or_insert_with(|| graph.node());
        let anywhere = self.graph.node();
        self.add_shift(buffer, anywhere, Shift::ANY);
        match intrinsic {
            Intrinsic::HostWrite => self.add_load(anywhere, files, POINTER),
            _ => self.add_store(anywhere, files, POINTER),
        }
    }

    /// The engine calls the function that an operand points to.
    fn call_pointer(&mut self, id: InstanceId, at: ProgramPoint, target: Operand, args: &[Operand]) {
        let site = self.site(id, at, args, &[]);
        if let Some(target) = self.operand(id, target) {
            self.add_site(target, site);
        }
    }
}
