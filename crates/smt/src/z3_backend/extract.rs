//! Z3's models to ours.

use z3::Model as Z3Model;
use z3::ast::BV;

use super::translate::{z3_array, z3_numeral, z3_symbol};
use crate::terms::eval::Evaluation;
use crate::terms::model::{ArrayValue, Model};
use crate::terms::node::{Node, Term};
use crate::terms::pool::TermPool;

/// The values of the query's symbols in a model of Z3. Of arrays only the elements that the query reads get a value:
/// without equality between arrays no other element can matter.
pub(super) fn model(pool: &TermPool, constraints: &[Term], extra: Term, z3: &Z3Model) -> Model {
    let mut roots = constraints.to_vec();
    roots.push(extra);
    let order = pool.postorder(&roots, |_| false);
    let mut model = Model::new();
    for &t in &order {
        if let Node::Symbol { id, width } = *pool.node(t)
            && let Some(bits) = value(z3, &z3_symbol(t, width))
        {
            model.set(pool.name(id), width, bits);
        }
    }
    // Operands come first: when a read is met, the model has what its index depends on.
    let mut known = Evaluation::default();
    for &t in &order {
        if let Node::Select(array, index) = *pool.node(t) {
            let index = pool.eval_with(index, &model, &mut known) as u64;
            for symbol in arrays_under(pool, array) {
                let element = z3_array(symbol).select(&z3_numeral(64, u128::from(index)));
                let bits = element.as_bv().and_then(|element| value(z3, &element));
                add_entry(pool, &mut model, symbol, index, bits.unwrap_or(0) as u8);
            }
        }
    }
    model
}

/// Whether our own evaluator agrees that a model satisfies a query.
pub(super) fn satisfies(pool: &TermPool, constraints: &[Term], extra: Term, model: &Model) -> bool {
    let mut known = Evaluation::default();
    constraints.iter().chain([&extra]).all(|&t| pool.eval_with(t, model, &mut known) == 1)
}

/// The value Z3's model gives to a bit-vector expression.
fn value(z3: &Z3Model, expression: &BV) -> Option<u128> {
    let width = expression.get_size();
    let value = z3.eval(expression, true)?;
    if width <= 64 {
        return value.as_u64().map(u128::from);
    }
    let part = |hi, lo| z3.eval(&value.extract(hi, lo), true)?.as_u64().map(u128::from);
    Some(part(width - 1, 64)? << 64 | part(63, 0)?)
}

/// The array symbols an array is made from by stores and choices.
fn arrays_under(pool: &TermPool, array: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut todo = vec![array];
    while let Some(t) = todo.pop() {
        match *pool.node(t) {
            Node::Store(older, ..) => todo.push(older),
            Node::Ite(_, a, b) => todo.extend([a, b]),
            Node::ArraySymbol { .. } if !found.contains(&t) => found.push(t),
            _ => {}
        }
    }
    found
}

fn add_entry(pool: &TermPool, model: &mut Model, symbol: Term, index: u64, byte: u8) {
    let name = pool.symbol_name(symbol).expect("array symbols have names");
    let mut array = match model.get_sized(name, 0) {
        Some(crate::terms::model::ModelValue::Array(array)) => array.clone(),
        _ => ArrayValue::default(),
    };
    array.entries.insert(index, byte);
    model.set_array(name, array);
}
