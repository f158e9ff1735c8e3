//! Idioms: coding patterns that say what the threads of a context have in common, or must differ in.
//!
//! `for (i = 0; i < n; i++) pthread_create(&t[i], 0, start, &args[i]);` is one: any two threads have got another
//! address. To add one, write its file here and its row in [`table`]. [`idiom`] is what it can ask and say; the shapes
//! of code that several idioms look for are in [`patterns`](crate::patterns).

pub(crate) mod all_present;
pub(crate) mod distinct;
pub(crate) mod handed_over;
pub(crate) mod idiom;
pub(crate) mod in_step;
pub(crate) mod least_expected;
pub(crate) mod same_iteration;
pub(crate) mod table;
