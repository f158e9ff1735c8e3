//! Where the two domains part by design.

use icsched_ir::{FuncId, Intrinsic};
use icsched_machine::Domain;
use icsched_machine::FrameId;
use icsched_machine::observe::Observer;
use icsched_symbolic::trace::FrameInfo;

/// What the two domains do differently by design.
pub(crate) fn differs(intrinsic: Intrinsic) -> bool {
    intrinsic.is_host()
        || intrinsic.is_input()
        || matches!(
            intrinsic,
            Intrinsic::IsSymbolicDomain
                | Intrinsic::IsExact
                | Intrinsic::MayFail
                | Intrinsic::IsSymbolic
                | Intrinsic::IsUnknown
                | Intrinsic::AnySymbolic
                | Intrinsic::StringSymbolic
                | Intrinsic::Clock
                | Intrinsic::Interrupt
                | Intrinsic::Resume
                | Intrinsic::Pause
                | Intrinsic::SaveContext
                | Intrinsic::RestoreContext
                | Intrinsic::StackSave
                | Intrinsic::ObjectSize
        )
}

/// Notices what the two domains do differently by design.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) outside: bool,
    pub(crate) asks_who: bool,
    /// The model that looks for a free slot for a new thread.
    pub(crate) starter: Option<FuncId>,
    pub(crate) starts: bool,
}

impl<D: Domain> Observer<D> for Watch {
    fn enter(&mut self, _: FrameId, info: FrameInfo, _: Option<(FrameId, u32)>) {
        self.starts |= Some(info.func) == self.starter;
    }

    fn intrinsic(&mut self, _: FrameId, _: u32, intrinsic: Intrinsic) {
        self.outside |= differs(intrinsic);
        self.asks_who |= matches!(intrinsic, Intrinsic::ThreadSelf | Intrinsic::NotifyThread);
    }
}
