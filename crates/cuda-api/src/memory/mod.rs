//! Memory: allocating, copying, filling, pools, page-locked and managed memory, variables of kernels.

mod advice;
mod allocation;
mod box_copy;
mod box_fill;
pub(crate) mod copy;
mod page_locked;
mod pointers;
mod pools;
mod registered;
pub(crate) mod symbols;
mod types;
