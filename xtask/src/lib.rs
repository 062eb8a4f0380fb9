//! What `cargo xtask` and its tests share: the checks that hold the workspace to ARCHITECTURE.md.

pub mod architecture;
