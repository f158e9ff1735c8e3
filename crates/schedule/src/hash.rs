//! Short stable hashes: the names that schedules and epochs have in files, on the command line and in pictures.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Number of bytes kept of a hash.
const LEN: usize = 6;

/// The first 48 bits of a BLAKE3 hash; prints as 12 hexadecimal digits.
///
/// Two of a million hashed values are alike with a probability of 0.2 %, and the database refuses to hold two epochs
/// of one name, so a collision is an error and never a mix-up.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ShortHash([u8; LEN]);

/// A text that is not 12 hexadecimal digits.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id: ids are 12 hexadecimal digits")]
pub struct BadHash(pub String);

impl fmt::Display for ShortHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.0.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        f.pad(&format!("{bits:012x}"))
    }
}

impl fmt::Debug for ShortHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ShortHash {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        let digits = text.len() == 2 * LEN && text.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = digits.then(|| u64::from_str_radix(text, 16).ok()).flatten().ok_or_else(|| BadHash(text.into()))?;
        let mut bytes = [0; LEN];
        bytes.copy_from_slice(&bits.to_be_bytes()[8 - LEN..]);
        Ok(Self(bytes))
    }
}

impl From<ShortHash> for String {
    fn from(hash: ShortHash) -> String {
        hash.to_string()
    }
}

impl TryFrom<String> for ShortHash {
    type Error = BadHash;

    fn try_from(text: String) -> Result<Self, BadHash> {
        text.parse()
    }
}

/// Collects the parts of a value so that no two different sequences of parts feed the hash the same bytes.
pub(crate) struct Hasher(blake3::Hasher);

impl Hasher {
    /// `domain` keeps hashes of different kinds of values apart.
    pub(crate) fn new(domain: &str) -> Self {
        let mut hasher = Self(blake3::Hasher::new());
        hasher.text(domain);
        hasher
    }

    pub(crate) fn number(&mut self, n: u64) -> &mut Self {
        self.0.update(&n.to_le_bytes());
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
        self
    }

    pub(crate) fn finish(&self) -> ShortHash {
        let hash = self.0.finalize();
        let mut bytes = [0; LEN];
        bytes.copy_from_slice(&hash.as_bytes()[..LEN]);
        ShortHash(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_parses() {
        let hash = Hasher::new("test").text("x").finish();
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!("00000000000a".parse::<ShortHash>().expect("an id").to_string(), "00000000000a");
        for bad in ["", "12", "00000000000g", "+00000000000", "0000000000000"] {
            assert_eq!(bad.parse::<ShortHash>(), Err(BadHash(bad.into())));
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(Hasher::new("t").text("ab").text("c").finish(), Hasher::new("t").text("a").text("bc").finish());
    }
}
