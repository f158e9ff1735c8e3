//! The places that an address may be: `&a[0]` if `c` holds, else `&b[0]`.

use icsched_smt::Term;
use smallvec::SmallVec;

/// `constant + rest` under a guard.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Alternative {
    pub(crate) guard: Option<Term>,
    /// The constant part: an address.
    pub constant: u64,
    /// What is added to it.
    pub rest: Option<Term>,
    /// The constant is the value of a pointer of the initial state: what is no object there is null or code.
    pub(crate) exposed: bool,
    /// A pointer of the initial state that points nowhere: taken not to be used.
    pub dangling: bool,
}

pub(crate) type Alternatives = SmallVec<[Alternative; 4]>;

impl Alternative {
    pub(crate) fn opaque(t: Term) -> Self {
        Alternative { guard: None, constant: 0, rest: Some(t), exposed: false, dangling: false }
    }
}
