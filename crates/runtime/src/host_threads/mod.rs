//! Threads of the host: who has synchronised with whom, and in which order they call.
//!
//! A program with several threads calls CUDA in an order that the system's scheduler decides. Verdicts and reports must
//! not depend on that. So all that threads do to each other and to CUDA is done in turns (`turns.rs`): calls of the API,
//! and the functions of pthreads, C11 and C++ that synchronise, which `cuda-api` puts in front of the C library's. What
//! threads do between two turns runs in parallel as ever.
//!
//! Every thread has a clock (`clock.rs`), which the same functions pass on (`objects.rs`). By it, `order.rs` knows
//! whether work that one thread has waited for is before what another one asks for.
//!
//! Before a process has threads and uses CUDA, none of this is there.

mod clock;
mod objects;
mod turns;

pub(crate) use clock::Stamp;
pub use clock::{HostThread, Moment};
pub use objects::Object;
pub use turns::{
    Blocked, NewThread, Operation, Turn, cancel, cuda_is_near, end_thread, forget_in_child, is_own,
    is_shared, set_meeting, set_own_thread, set_shared, take_turn, while_away,
};
pub(crate) use turns::{
    Deed, announce_function, block_until_function_ends, callers, deed_of, forget_before, moment,
    own, pass_to_others, run_function, take_turns,
};
