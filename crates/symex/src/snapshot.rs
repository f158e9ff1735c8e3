//! A state of a run that began in the middle of the program, for people (Smans 6.2).

use icsched_ir::{EntityId as _, Origin};
use icsched_smt::Term;

use crate::Machine;
use crate::memory::{AddressClass, classify};
use crate::places::StatePlaces;
use crate::print::{Places as _, Printer};
use crate::state::State;
use crate::symbolic::{SymValue, SymbolSource, SymbolicDomain};
use crate::thread::{Thread, ThreadStatus};

impl State<SymbolicDomain> {
    /// Locals of the thread that runs, memory that was written or whose place is known, locks and wait queues, one per line.
    pub fn describe(&self, machine: &Machine<SymbolicDomain>) -> Vec<String> {
        let mut lines = Vec::new();
        self.locals(machine, &mut lines);
        self.pointers(machine, &mut lines);
        self.written(machine, &mut lines);
        for thread in self.live_threads() {
            self.synchronisation(machine, thread, &mut lines);
        }
        lines
    }

    fn text(&self, machine: &Machine<SymbolicDomain>, value: &SymValue) -> String {
        match *value {
            SymValue::Constant(bits) => self.place(machine, bits).unwrap_or_else(|| bits.to_string()),
            SymValue::Term(t) => self.in_c(machine, |printer| printer.value(t)),
        }
    }

    /// Terms as C, in which addresses of the state's objects have names.
    pub fn in_c(&self, machine: &Machine<SymbolicDomain>, print: impl FnOnce(&Printer<'_>) -> String) -> String {
        let names = |address| self.place(machine, address);
        print(&Printer::with_places(&machine.domain.pool, &self.places(machine, &names)))
    }

    /// An address of an object or a function as C: `&queue`, or the pointer of the initial state that points there.
    pub fn place(&self, machine: &Machine<SymbolicDomain>, address: u64) -> Option<String> {
        match classify(address) {
            AddressClass::Object(id, offset) => match self.heap.root_of(id) {
                Some(root) => Some(machine.domain.root_place(root, offset)),
                None => self.heap.object(id).map(|_| format!("&{}", self.heap.name_of(address))),
            },
            AddressClass::Function(_) => Some(self.heap.name_of(address)),
            AddressClass::Null | AddressClass::Other => None,
        }
    }

    /// What a path decided, or takes for granted, as a C condition for each conjunct. What only says that pointers are valid is left
    /// out, and in what order threads began to wait: nobody can name that.
    pub fn conditions(
        &self,
        machine: &Machine<SymbolicDomain>,
        constraints: &[Term],
        of_accesses: bool,
    ) -> Vec<String> {
        let is_start = |&t: &Term| matches!(machine.domain.source_of(t), Some(SymbolSource::WaitStart { .. }));
        let says_when = |c: Term| {
            let symbols = machine.domain.pool.symbols_of(c);
            !symbols.is_empty() && symbols.iter().all(is_start)
        };
        let told = constraints.iter().copied().filter(|&c| !self.path.is_granted(c) && !says_when(c));
        let told: Vec<Term> = told.collect();
        let names = |address| self.place(machine, address);
        let places = self.places(machine, &names);
        let printer = Printer::with_places(&machine.domain.pool, &places);
        let printer = if of_accesses { printer.of_accesses() } else { printer };
        printer.conjuncts(&told)
    }

    fn places<'a>(
        &'a self,
        machine: &'a Machine<SymbolicDomain>,
        names: &'a dyn Fn(u64) -> Option<String>,
    ) -> StatePlaces<'a, SymbolicDomain> {
        StatePlaces { heap: &self.heap, path: &self.path, domain: &machine.domain, names }
    }

    /// Named values of the innermost frame of the program.
    fn locals(&self, machine: &Machine<SymbolicDomain>, lines: &mut Vec<String>) {
        let thread = self.current_thread();
        let program = self.program();
        let own = thread.frames.iter().rev().find(|f| program.functions[f.func].origin == Origin::Program);
        let Some(frame) = own else { return };
        let function = &program.functions[frame.func];
        let (block, _) = machine.code.functions[frame.func].points[frame.pc as usize];
        let liveness = machine.code.liveness(program, frame.func);
        for (id, value) in function.values.iter() {
            let Some(name) = &value.name else { continue };
            if liveness.is_live(block, id.index()) {
                let holds = &thread.registers[frame.base as usize + id.index()];
                lines.push(format!("{name} in {} = {}", function.name, self.text(machine, holds)));
            }
        }
    }

    /// Pointers of the initial state that were used.
    fn pointers(&self, machine: &Machine<SymbolicDomain>, lines: &mut Vec<String>) {
        let mut shown = Vec::new();
        let named = |at: u64| self.place(machine, at).unwrap_or_else(|| format!("{at:#x}"));
        let names = |address| self.place(machine, address);
        let objects = self.places(machine, &names);
        for (pointer, alternatives) in self.path.all_exposed() {
            let name = machine.domain.pool.symbol_name(pointer).unwrap_or("?");
            let places: Vec<String> = alternatives
                .iter()
                .filter(|a| !a.dangling)
                .map(|a| match a.constant {
                    0 => "null".to_owned(),
                    at if a.rest.is_some() => {
                        format!("in {}", objects.object(at).map_or_else(|| named(at), |o| o.name))
                    }
                    at => named(at),
                })
                .collect();
            if places.iter().any(|p| p != name && p != "null") {
                shown.push(format!("{name} is {}", places.join(" or ")));
            }
        }
        shown.sort_unstable();
        lines.extend(shown);
    }

    /// What objects of the initial state hold that was written since.
    fn written(&self, machine: &Machine<SymbolicDomain>, lines: &mut Vec<String>) {
        for array in self.heap.live_objects().filter_map(|(id, _)| self.heap.contents_of(id)) {
            for (name, value) in machine.domain.written_cells(array) {
                lines.push(format!("{name} = {value}"));
            }
        }
    }

    fn synchronisation(
        &self,
        machine: &Machine<SymbolicDomain>,
        thread: &Thread<SymbolicDomain>,
        lines: &mut Vec<String>,
    ) {
        let list = |values: &[SymValue]| values.iter().map(|v| self.text(machine, v)).collect::<Vec<_>>().join(", ");
        if !thread.locks.is_empty() {
            lines.push(format!("thread {} holds {}", thread.id, list(&thread.locks)));
        }
        if !thread.maybe_locks.is_empty() {
            lines.push(format!("thread {} may hold {}", thread.id, list(&thread.maybe_locks)));
        }
        match thread.status {
            ThreadStatus::Waiting { .. } => {
                lines.push(format!("thread {} waits for {}", thread.id, self.text(machine, &thread.queue)));
            }
            ThreadStatus::Left => lines.push(format!("thread {} has left the context", thread.id)),
            ThreadStatus::AtMarker => lines.push(format!("thread {} is at an epoch marker", thread.id)),
            ThreadStatus::Endless => lines.push(format!("thread {} goes round for ever", thread.id)),
            ThreadStatus::Enabled | ThreadStatus::Finished => {}
        }
    }
}
