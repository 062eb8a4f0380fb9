//! Measures the memory that reading an input takes, and fails when it is out of proportion.

#[path = "../../crates/ir/tests/memory/meter.rs"]
mod meter;

/// Memory may be this many times the input.
const MOST_TIMES: usize = 50;
/// What may be there besides, whatever the size of the input: tables, and the window of a decoder.
const CONSTANT: usize = 1 << 20;

/// Runs something over an input and fails if it took more memory than the input justifies.
pub fn within_memory<T>(input: &[u8], run: impl FnOnce() -> T) -> T {
    let (result, taken) = meter::measure(run);
    let most = MOST_TIMES * input.len() + CONSTANT;
    assert!(taken <= most, "{taken} bytes of memory for an input of {} bytes", input.len());
    result
}
