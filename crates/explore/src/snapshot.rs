//! A state of a run that began in the middle of the program, for people (Smans 6.2).

use icsched_ir::{EntityId as _, Origin};
use icsched_smt::Term;

use icsched_machine::Machine;
use icsched_machine::memory::{AddressClass, classify};
use icsched_machine::state::State;
use icsched_machine::thread::{Thread, ThreadStatus};
use icsched_symbolic::places::StatePlaces;
use icsched_symbolic::print::{Places as _, Printer};
use icsched_symbolic::symbolic::InitialObjects as _;
use icsched_symbolic::symbolic::{SymValue, SymbolSource, SymbolicDomain};

/// A state of a run that began in the middle of the program, with the machine whose terms it holds.
#[derive(Copy, Clone)]
pub struct Snapshot<'a> {
    state: &'a State<SymbolicDomain>,
    machine: &'a Machine<SymbolicDomain>,
}

impl<'a> Snapshot<'a> {
    /// A state as a machine sees it.
    pub fn new(state: &'a State<SymbolicDomain>, machine: &'a Machine<SymbolicDomain>) -> Self {
        Self { state, machine }
    }

    /// Locals of the thread that runs, memory that was written or whose place is known, locks and wait queues, one per
    /// line.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.locals(&mut lines);
        self.pointers(&mut lines);
        self.written(&mut lines);
        for thread in self.state.live_threads() {
            self.synchronisation(thread, &mut lines);
        }
        lines
    }

    fn text(&self, value: &SymValue) -> String {
        match *value {
            SymValue::Constant(bits) => self.place(bits).unwrap_or_else(|| bits.to_string()),
            SymValue::Term(t) => self.in_c(|printer| printer.value(t)),
        }
    }

    /// Terms as C, in which addresses of the state's objects have names.
    pub fn in_c(&self, print: impl FnOnce(&Printer<'_>) -> String) -> String {
        let names = |address| self.place(address);
        print(&Printer::with_places(&self.machine.domain.pool, &self.places(&names)))
    }

    /// An address of an object or a function as C: `&queue`, or the pointer of the initial state that points there.
    pub fn place(&self, address: u64) -> Option<String> {
        match classify(address) {
            AddressClass::Object(id, offset) => match self.state.heap.root_of(id) {
                Some(root) => Some(self.machine.domain.root_place(root, offset)),
                None => self.state.heap.object(id).map(|_| format!("&{}", self.state.heap.name_of(address))),
            },
            AddressClass::Function(_) => Some(self.state.heap.name_of(address)),
            AddressClass::Null | AddressClass::Other => None,
        }
    }

    /// What a path decided, or takes for granted, as a C condition for each conjunct. What only says that pointers are
    /// valid is left out, and in what order threads began to wait: nobody can name that.
    pub fn conditions(&self, constraints: &[Term], of_accesses: bool) -> Vec<String> {
        let is_start = |&t: &Term| matches!(self.machine.domain.source_of(t), Some(SymbolSource::WaitStart { .. }));
        let says_when = |c: Term| {
            let symbols = self.machine.domain.pool.symbols_of(c);
            !symbols.is_empty() && symbols.iter().all(is_start)
        };
        let told = constraints.iter().copied().filter(|&c| !self.state.path.is_granted(c) && !says_when(c));
        let told: Vec<Term> = told.collect();
        let names = |address| self.place(address);
        let places = self.places(&names);
        let printer = Printer::with_places(&self.machine.domain.pool, &places);
        let printer = if of_accesses { printer.of_accesses() } else { printer };
        printer.conjuncts(&told)
    }

    fn places<'b>(&'b self, names: &'b dyn Fn(u64) -> Option<String>) -> StatePlaces<'b, SymbolicDomain> {
        StatePlaces::new(&self.state.heap, &self.state.path, &self.machine.domain, names)
    }

    /// Named values of the innermost frame of the program.
    fn locals(&self, lines: &mut Vec<String>) {
        let thread = self.state.current_thread();
        let program = self.state.program();
        let own = thread.frames.iter().rev().find(|f| program.functions[f.func].origin == Origin::Program);
        let Some(frame) = own else { return };
        let function = &program.functions[frame.func];
        let (block, _) = self.machine.code.functions[frame.func].points[frame.pc as usize];
        let liveness = self.machine.code.liveness(program, frame.func);
        for (id, value) in function.values.iter() {
            let Some(name) = &value.name else { continue };
            if liveness.is_live(block, id.index()) {
                let holds = &thread.registers[frame.base as usize + id.index()];
                lines.push(format!("{name} in {} = {}", function.name, self.text(holds)));
            }
        }
    }

    /// Pointers of the initial state that were used.
    fn pointers(&self, lines: &mut Vec<String>) {
        let mut shown = Vec::new();
        let named = |at: u64| self.place(at).unwrap_or_else(|| format!("{at:#x}"));
        let names = |address| self.place(address);
        let objects = self.places(&names);
        for (pointer, alternatives) in self.state.path.all_exposed() {
            let name = self.machine.domain.pool.symbol_name(pointer).unwrap_or("?");
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
    fn written(&self, lines: &mut Vec<String>) {
        for array in self.state.heap.live_objects().filter_map(|(id, _)| self.state.heap.contents_of(id)) {
            for (name, value) in self.machine.domain.written_cells(array) {
                lines.push(format!("{name} = {value}"));
            }
        }
    }

    fn synchronisation(&self, thread: &Thread<SymbolicDomain>, lines: &mut Vec<String>) {
        let list = |values: &[SymValue]| values.iter().map(|v| self.text(v)).collect::<Vec<_>>().join(", ");
        if !thread.locks.is_empty() {
            lines.push(format!("thread {} holds {}", thread.id, list(&thread.locks)));
        }
        if !thread.maybe_locks.is_empty() {
            lines.push(format!("thread {} may hold {}", thread.id, list(&thread.maybe_locks)));
        }
        match thread.status {
            ThreadStatus::Waiting { .. } => {
                lines.push(format!("thread {} waits for {}", thread.id, self.text(&thread.queue)));
            }
            ThreadStatus::Left => lines.push(format!("thread {} has left the context", thread.id)),
            ThreadStatus::AtMarker => lines.push(format!("thread {} is at an epoch marker", thread.id)),
            ThreadStatus::Endless => lines.push(format!("thread {} goes round for ever", thread.id)),
            ThreadStatus::Enabled | ThreadStatus::Finished => {}
        }
    }
}
