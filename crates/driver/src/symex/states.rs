//! A concrete initial state that takes a path.

use icsched_explore::Snapshot;
use icsched_machine::{Machine, State};
use icsched_smt::Term;
use icsched_symbolic::symbolic::SymbolicDomain;

/// What registers and memory hold in some state that satisfies the constraints, by access path; `None` if the solver
/// finds none. What is not listed may hold anything.
pub(super) fn listing(
    machine: &mut Machine<SymbolicDomain>,
    state: &State<SymbolicDomain>,
    constraints: &[Term],
) -> Option<Vec<(String, String)>> {
    let model = machine.domain.model_of(constraints).ok()??;
    let mut symbols: Vec<Term> = Vec::new();
    for &constraint in constraints {
        symbols.extend_from_slice(&machine.domain.pool.symbols_of(constraint));
    }
    symbols.sort_unstable();
    symbols.dedup();
    let pool = &machine.domain.pool;
    let shown = symbols.into_iter().filter_map(|symbol| {
        let width = pool.width(symbol);
        let name = pool.symbol_name(symbol).filter(|_| (1..=64).contains(&width))?.to_owned();
        let bits = pool.eval(symbol, &model);
        let place = Snapshot::new(state, machine).place(bits).filter(|_| width == 64);
        let number = || ((bits << (64 - width)).cast_signed() >> (64 - width)).to_string();
        Some((
            name.clone(),
            place.map_or_else(number, |p| if p == name { "a pointer to an object of its own".to_owned() } else { p }),
        ))
    });
    Some(shown.collect())
}
