//! What can be wrong with records.

use thiserror::Error;

/// Why a launch whose records were read was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ShippingError {
    /// A record says what cannot be.
    #[error("a record makes no sense ({what}): {record}")]
    BadRecord {
        /// What is wrong.
        what: String,
        /// The record in words.
        record: String,
    },
    /// Slots were reserved and never committed, or committed and not read.
    #[error(
        "queue {queue} lost records: {reserved} slots were reserved, {committed} committed, {read} read"
    )]
    Lost {
        /// The number of the queue.
        queue: usize,
        /// Slots that were ever reserved.
        reserved: u64,
        /// Slots that were ever committed.
        committed: u64,
        /// Slots that were ever read.
        read: u64,
    },
    /// All is read, and operations are left that wait for others.
    #[error("{count} operations wait for others that never came, among them {examples}")]
    Stuck {
        /// How many.
        count: usize,
        /// Some of them in words, with what they wait for.
        examples: String,
    },
    /// Operations wait, queues are as far ahead of them as they can be, and nothing comes.
    #[error("nothing could be put in order for {seconds} seconds; {examples}")]
    NoProgress {
        /// How long.
        seconds: u64,
        /// Some of those that wait in words.
        examples: String,
    },
    /// The launch ended, and blocks did not ship their end.
    #[error("{missing} of {blocks} blocks did not ship their end, the first is block {first}")]
    BlocksMissing {
        /// How many.
        missing: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// The first of them.
        first: u64,
    },
    /// The launch was ended from outside.
    #[error("the launch was stopped before its end")]
    Stopped,
}
