//! What is said of bytes that a path leaves.

use super::*;

/// Eight bytes of which the first ones are those of a number.
fn beginning(number: u64, known: usize) -> Vec<Option<MemoryByte<Term>>> {
    let all = number.to_le_bytes();
    (0..8).map(|at| (at < known).then(|| MemoryByte::Constant(all[at]))).collect()
}

#[test]
fn the_offset_of_an_address_is_no_number_if_nobody_knows_of_which_object() {
    let word = address(ObjectId(7), 8);
    assert!(may_be_one_of_several(&beginning(word, 4)));
    assert!(may_be_one_of_several(&beginning(word, 7)));
    assert!(!may_be_one_of_several(&beginning(word, 8)), "it is known which one");
    assert!(!may_be_one_of_several(&beginning(word, 3)), "it is not known whether that is an offset");
    assert!(!may_be_one_of_several(&beginning(41, 4)), "a counter in front of what nobody knows");
}
