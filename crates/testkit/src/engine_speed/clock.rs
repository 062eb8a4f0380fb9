//! Processor time.

/// The processor time of this process in seconds, all of its threads together.
pub(crate) fn processor_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of ours that the call fills in.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::processor_seconds;

    #[test]
    fn work_takes_processor_time() {
        let start = processor_seconds();
        let mut sum = 0u64;
        for i in 0..3_000_000u64 {
            sum = std::hint::black_box(sum ^ i);
        }
        assert!(processor_seconds() > start);
    }
}
