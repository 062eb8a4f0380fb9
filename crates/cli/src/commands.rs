//! One module per command.

pub(crate) mod cc;
pub(crate) mod check;
pub(crate) mod dump;
pub(crate) mod explore;
pub(crate) mod hardware;
pub(crate) mod launch_on_gpu;
pub(crate) mod nvcc;
pub(crate) mod ptx;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod suite;
pub(crate) mod toolchain;
