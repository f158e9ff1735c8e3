//! Locks that guard nothing and never block: any address can be one, any number of threads can hold it, often.

use super::{Generator, Scope};

/// Something like a read-write lock that is only read.
pub(super) const SHARED_LOCKS: &str = "function @share(%m: ptr) model {
entry:
    call __ics_acquire(%m)
    call __ics_yield()
    return
}
function @unshare(%m: ptr) model {
entry:
    call __ics_release(%m)
    return
}
";

impl Generator {
    /// Takes a lock or gives one up, mostly both.
    pub(super) fn share(&mut self, scope: &mut Scope, depth: u32) {
        let lock = self.lock(scope);
        match self.random.below(5) {
            0 => self.line(&format!("call @share({lock})")),
            1 => self.line(&format!("call @unshare({lock})")),
            _ => {
                self.line(&format!("call @share({lock})"));
                self.statements(scope, 3, depth.min(1));
                if self.random.chance(80) {
                    self.line(&format!("call @unshare({lock})"));
                }
            }
        }
    }

    fn lock(&mut self, scope: &mut Scope) -> String {
        let random = self.random.below(6);
        match (random, scope.pointers.is_empty()) {
            (0, _) | (_, true) => (*self.random.pick(&["@l0", "@l1"])).to_owned(),
            (1 | 2, false) => self.random.pick(&scope.pointers).clone(),
            (3 | 4, false) => {
                let (pointer, number) = (self.random.pick(&scope.pointers).clone(), self.number(scope));
                let (masked, index, at) = (self.fresh(), self.fresh(), self.fresh());
                self.line(&format!("{masked}: i32 = and {number}, 1"));
                self.line(&format!("{index}: i64 = zext {masked}"));
                self.line(&format!("{at} = address {pointer} + {index}*8"));
                at
            }
            _ => {
                let (pointer, at) = (self.random.pick(&scope.pointers).clone(), self.fresh());
                let offset = *self.random.pick(&[4, 8]);
                self.line(&format!("{at} = address {pointer} + {offset}"));
                at
            }
        }
    }
}
