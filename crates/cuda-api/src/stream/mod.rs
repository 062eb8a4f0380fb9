//! Streams: making them, waiting for them, capturing them.

mod attributes;
mod capture;
mod entry_points;
mod per_thread_default;
