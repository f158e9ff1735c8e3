//! Modules one behind the other: a linker puts the bitcode of all objects into one section.

/// How a module begins.
const MAGIC: &[u8; 4] = b"BC\xC0\xDE";

/// The abbreviation that enters a block, in the two bits in front.
const ENTER_BLOCK: u32 = 1;

/// The modules of a section, in order. Between them there may be zeros. Linear.
///
/// At its top level a module has blocks only: a word that enters one, the number of words that follow, and these.
pub(super) fn modules(section: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = section.get(at..).and_then(|rest| rest.windows(4).position(|four| four == MAGIC)) {
        let start = at + start;
        let mut end = start + MAGIC.len();
        while let Some(next) = end_of_block(section, end) {
            end = next;
        }
        found.push(&section[start..end]);
        at = end;
    }
    found
}

/// Where a block ends, if one begins here.
fn end_of_block(section: &[u8], at: usize) -> Option<usize> {
    let word = |at: usize| Some(u32::from_le_bytes(section.get(at..at + 4)?.try_into().ok()?));
    if word(at)? & 3 != ENTER_BLOCK {
        return None;
    }
    let words = usize::try_from(word(at + 4)?).ok()?;
    let end = words.checked_mul(4)?.checked_add(at + 8)?;
    (end <= section.len()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_told_apart() {
        let block = [0x35, 0x14, 0, 0, 1, 0, 0, 0, 9, 9, 9, 9];
        let module: Vec<u8> = MAGIC.iter().copied().chain(block).collect();
        let section = [&module[..], &[0, 0, 0, 0], &module[..], &block[..]].concat();
        let long = [&module[..], &block[..]].concat();
        assert_eq!(modules(&section), [&module[..], &long[..]]);
        assert_eq!(modules(b""), [b""; 0]);
        // A length that is too long ends it.
        assert_eq!(modules(b"BC\xC0\xDE\x35\x14\0\0\xff\xff\xff\xff"), [b"BC\xC0\xDE"]);
    }
}
