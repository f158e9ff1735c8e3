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
        match self.random.below(8) {
            0 => self.line(&format!("call @share({lock})")),
            1 => self.line(&format!("call @unshare({lock})")),
            _ => {
                self.line(&format!("call @share({lock})"));
                self.statements(scope, 3, depth.min(1));
                if self.random.chance(90) {
                    self.line(&format!("call @unshare({lock})"));
                }
            }
        }
    }

    fn lock(&mut self, scope: &mut Scope) -> String {
        let random = self.random.below(4);
        match (random, scope.pointers.is_empty()) {
            (0, _) | (_, true) => (*self.random.pick(&["@l0", "@l1"])).to_owned(),
            (1 | 2, false) => self.random.pick(&scope.pointers).clone(),
            _ => {
                let (pointer, at) = (self.random.pick(&scope.pointers).clone(), self.fresh());
                let offset = *self.random.pick(&[4, 8]);
                self.line(&format!("{at} = address {pointer} + {offset}"));
                at
            }
        }
    }
}
