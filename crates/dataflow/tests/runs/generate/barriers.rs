//! Initialisations of barriers that nobody waits at: what they are told to expect comes from numbers, variables and
//! parameters.

use super::{Generator, Place, Scope};

pub(super) const BARRIERS: &str = "function @barrier_init(%b: ptr, %n: i32) model {
entry:
    call __ics_barrier_init(%b, %n)
    return
}
function @init(%b: ptr, %n: i32) {
entry:
    call @barrier_init(%b, %n)
    return
}
";

impl Generator {
    pub(super) fn barrier(&mut self, scope: &mut Scope) {
        if self.place == Place::Alone && self.random.chance(30) {
            let value = self.number(scope);
            return self.line(&format!("store [@count], {value}"));
        }
        let barrier = if scope.pointers.is_empty() || self.random.chance(80) {
            (*self.random.pick(&["@b0", "@b1", "@b2", "@b3"])).to_owned()
        } else {
            self.random.pick(&scope.pointers).clone()
        };
        let count = if self.random.chance(40) {
            let count = self.fresh();
            self.line(&format!("{count}: i32 = load [@count]"));
            count
        } else {
            self.number(scope)
        };
        let function = *self.random.pick(&["init", "barrier_init"]);
        self.line(&format!("call @{function}({barrier}, {})", count.trim_end_matches(":i32")));
    }
}
