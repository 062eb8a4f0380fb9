//! Pieces of metadata: records of a few words, and the arena that they come from.
//!
//! The thesis leaves reclamation to Java's garbage collector, and rests its argument against ABA on it (section 3.3.5). Here
//! records are counted: the slots, sets, compositions and threads that hold one. At zero it goes back to the arena at once, and what
//! it held in its turn is counted less: a composition holds each of its parts once, and no composition, so that is one level deep. Three
//! properties make that safe without any cooperation of threads, which may block or compute for as long as they like:
//! - **Memory of a class of records stays memory of that class** until the tool is dropped. So a thread that looks at
//!   a record which was given back meanwhile reads words of the right meaning, only of another location. (But for the link to the next
//!   unused record, which is in the place of an epoch or of a name: so a name that was read from a composition is followed only when the
//!   slot was seen to have the composition still. Capacities are never overwritten.)
//! - **A name is never used twice.** A slot's word has the generation of the record, which grows when the record is given
//!   back; a record whose generations are used up is left alone (24 bytes for every 131,072 reuses). So a word that is
//!   still in its slot after the record was read proves that what was read is right, and a compare-and-swap cannot be
//!   deceived. This is stronger than the monotonicity that the thesis argues with, and needs no clocks for it.
//!   What a composition names lives as long as the composition, or as long as it has the name if it is one that changes in place; so the
//!   same word, and the same names in it, prove what was read from its parts.
//! - **Contents are stored with release order**, as `Slot::still_has` needs it.
//!
//! Why not the others: quiescent states or hazard pointers ask every thread for a store or a fence in every access, or stop
//! reclaiming while one thread sleeps; a tracing collector has to visit all shadow memory. Counting costs nothing in the same
//! epoch, and little elsewhere, since threads pay in advance for what they will share, and give back in batches
//! ([`RecordCache`], `slim_fast/share.rs`).
//!
//! To hold a record that a slot or a composition names takes the name alone: counting further holders fails if the generation is another
//! one or nobody holds it (`Record::try_retain`), and then the slot has changed.

mod arena;
mod class;
mod composition;
mod description;
mod memory_meter;
mod mixed;
mod pair;
mod parts;
mod reads;
mod record;

pub(crate) use arena::{Arena, RecordCache};
pub(crate) use class::Class;
pub(crate) use composition::{Composition, Placed};
pub use description::Description;
pub(crate) use description::describe;
pub use memory_meter::Memory;
pub(crate) use mixed::{Mixed, Room};
pub(crate) use pair::Pair;
pub(crate) use parts::Parts;
pub(crate) use reads::{Place, Reads};
pub(crate) use record::{Generation, Record};
