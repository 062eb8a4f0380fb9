//! How long the parts of a launch take on the device, by events between its kernels.

use crate::driver::Driver;
use crate::driver_types::{CUevent, CUstream};
use std::time::Duration;

/// The events of a launch, each behind a part.
#[derive(Debug, Default)]
pub(super) struct Times {
    events: Vec<(&'static str, CUevent)>,
}

impl Times {
    /// What was launched since the mark before is this part. What cannot be measured is left out.
    pub(super) fn mark(&mut self, driver: &Driver, stream: CUstream, part: &'static str) {
        let mut event = CUevent::NULL;
        // SAFETY: an event of ours, in the stream of the launch.
        let result = unsafe {
            driver.cuEventCreate(&mut event, 0);
            driver.cuEventRecord(event, stream)
        };
        if result.is_success() {
            self.events.push((part, event));
        }
    }

    /// Waits for the launch.
    pub(super) fn read(self, driver: &Driver) -> Vec<(&'static str, Duration)> {
        let mut times = Vec::new();
        if let Some((_, last)) = self.events.last() {
            // SAFETY: it was recorded.
            unsafe { driver.cuEventSynchronize(*last) };
        }
        for pair in self.events.windows(2) {
            let mut milliseconds = 0.0;
            // SAFETY: both were recorded, and the last one has been waited for.
            let result =
                unsafe { driver.cuEventElapsedTime(&mut milliseconds, pair[0].1, pair[1].1) };
            if result.is_success() && milliseconds >= 0.0 {
                times.push((pair[1].0, Duration::from_secs_f32(milliseconds / 1e3)));
            }
        }
        for (_, event) in self.events {
            // SAFETY: nobody else has it.
            unsafe { driver.cuEventDestroy_v2(event) };
        }
        times
    }
}
