//! How far addresses are from where they start, by how large indices can be.

use icsched_ir::{EntityId as _, Indices, ValueId, parse};

/// Bytes from the first to the last address that `v0 + 8 * index` can be, where these instructions compute the index of
/// `v1`, which may be any number, and of `v2`, which may be known. Values are numbered from 3.
fn span(index: &[&str], known: Option<u64>) -> Option<u64> {
    let computed: String = (3..).zip(index).map(|(value, op)| format!("    v{value}: i64 = {op}\n")).collect();
    let address = index.len() + 3;
    let text = format!(
        "function @f(v0: ptr \"rows\", v1: i64 \"any\", v2: i64 \"bits\") {{\nb0:\n{computed}    v{address}: ptr = address v0 + v{}*8\n    \
         v{}: i64 = load [v{address}]\n    return\n}}\n",
        address - 1,
        address + 1
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let function = program.functions.values().next().expect("there is a function");
    let mut is = |value: ValueId| known.filter(|_| value.index() == 2);
    Indices::new(function).reach_where(ValueId::from_index(address), &mut is).map(|reach| reach.span)
}

#[test]
fn a_mask_that_is_known_makes_an_index_small() {
    let index: &[&str] = &["and v1, v2"];
    assert_eq!(span(index, Some(255)), Some(255 * 8));
    assert_eq!(span(index, None), None);
}

#[test]
fn a_divisor_that_is_known_makes_a_remainder_small() {
    let index: &[&str] = &["urem v1, v2"];
    assert_eq!(span(index, Some(10)), Some(9 * 8));
    assert_eq!(span(index, Some(0)), None);
    // The remainder of a negative number is negative.
    assert_eq!(span(&["srem v1, v2"], Some(10)), None);
    assert_eq!(span(&["and v1, 1000", "srem v3, v2"], Some(10)), Some(9 * 8));
}

#[test]
fn a_shift_to_the_right_makes_an_index_smaller() {
    assert_eq!(span(&["and v1, 1023", "ashr v3, v2"], Some(4)), Some(63 * 8));
    assert_eq!(span(&["and v1, 1023", "lshr v3, v2"], Some(64)), None);
    // What is shifted may be negative.
    assert_eq!(span(&["ashr v1, v2"], Some(60)), None);
    assert_eq!(span(&["lshr v1, v2"], Some(60)), Some(15 * 8));
}
