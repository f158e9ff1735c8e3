//! Whether a state satisfies conditions on the symbols of an epoch, as far as that can be told.

use icsched_smt::Term;
use icsched_symbolic::symbolic::{SymValue, SymbolSource, SymbolicDomain};

use crate::common::programs::Input;
use crate::common::recorded::Recorded;
use crate::common::relation::Relation;
use crate::coverage::inputs;
use crate::coverage::subject::{Epoch, Path};

/// What is known of a condition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    True,
    False,
    /// It is about an input that is not seen in the state: what is read later, or what a replaced loop leaves.
    Unknown,
}

/// The symbols of an epoch on one path, with their values in a state of a run.
pub(crate) struct Conditions<'a> {
    domain: &'a SymbolicDomain,
    relation: Relation<'a>,
    /// What the run was given, if the epoch is the first.
    input: Option<&'a Input>,
}

impl<'a> Conditions<'a> {
    pub(crate) fn new(epoch: &'a Epoch, path: &Path, recorded: &'a Recorded, input: Option<&'a Input>) -> Self {
        let initial = &epoch.searched.initial;
        let domain = &epoch.searched.machine.domain;
        let mut relation = Relation::new(recorded, initial);
        relation.follow(&epoch.pointers);
        // A pointer to none of what the path says is one of a state that takes another path, or does not matter.
        for _ in 0..=path.state.path.exposures().count() {
            if relation.expose(domain, &path.state).is_ok() {
                break;
            }
        }
        Self { domain, relation, input }
    }

    /// Whether all conditions hold.
    pub(crate) fn all(&mut self, conditions: &[Term]) -> Truth {
        let mut truth = Truth::True;
        for &condition in conditions {
            match self.one(condition) {
                Truth::True => {}
                Truth::False => return Truth::False,
                Truth::Unknown => truth = Truth::Unknown,
            }
        }
        truth
    }

    pub(crate) fn one(&mut self, condition: Term) -> Truth {
        let symbols = self.domain.pool.symbols_of(condition);
        if !symbols.iter().all(|&symbol| self.is_seen(symbol)) {
            return self.of_inputs(condition);
        }
        match self.relation.eval(self.domain, condition) {
            Ok(value) if value & 1 == 1 => Truth::True,
            Ok(_) => Truth::False,
            Err(_) => Truth::Unknown,
        }
    }

    /// A condition on what the program was called with.
    fn of_inputs(&self, condition: Term) -> Truth {
        let Some(input) = self.input else { return Truth::Unknown };
        let pool = &self.domain.pool;
        let mut model = icsched_smt::Model::new();
        for &symbol in pool.symbols_of(condition).iter() {
            let name = pool.symbol_name(symbol).expect("it is a symbol");
            let width = pool.width(symbol);
            let Some(value) = inputs::value(input, name) else { return Truth::Unknown };
            let value = if width < 64 { value & ((1 << width) - 1) } else { value };
            model.set(name, width, u128::from(value));
        }
        if pool.eval_with(condition, &model, &mut Default::default()) & 1 == 1 { Truth::True } else { Truth::False }
    }

    /// Whether a symbol has its value in the state.
    fn is_seen(&mut self, symbol: Term) -> bool {
        match self.domain.source_of(symbol) {
            None => false,
            Some(SymbolSource::Register { .. } | SymbolSource::WaitStart { .. }) => true,
            Some(SymbolSource::Memory { root, offset }) => self.is_root_seen(root) && self.is_value_seen(offset),
            Some(SymbolSource::ExtentStart { root } | SymbolSource::ExtentEnd { root }) => self.is_root_seen(root),
            Some(SymbolSource::Quotient { a, b, .. }) => {
                self.is_value_seen(SymValue::Term(a)) && self.is_value_seen(SymValue::Term(b))
            }
            Some(SymbolSource::NoThread { handle }) => self.is_value_seen(handle),
        }
    }

    fn is_value_seen(&mut self, value: SymValue) -> bool {
        match value {
            SymValue::Constant(_) => true,
            SymValue::Term(t) => self.domain.pool.symbols_of(t).iter().all(|&symbol| self.is_seen(symbol)),
        }
    }

    fn is_root_seen(&mut self, root: u32) -> bool {
        match self.domain.pointer_of_root(root) {
            Some((pointer, _)) => self.is_seen(pointer),
            None => self.relation.knows_root(root),
        }
    }

    /// The values of a condition's symbols, for messages.
    pub(crate) fn values(&mut self, condition: Term) -> String {
        self.relation.values(self.domain, condition)
    }
}
