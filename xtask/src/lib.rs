//! Repository tasks: `cargo xtask tidy` checks the repository, `cargo xtask explore-native` explores programs without
//! icsched.

pub mod native;
pub mod tidy;
