//! How far a long launch is, on a terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use warpsan_runtime::{Progress, ProgressListener};

/// Launches that are over sooner show nothing.
const LONG: Duration = Duration::from_millis(500);

/// The terminal, shared by everything that runs at the same time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terminal {
    bars: Option<MultiProgress>,
}

impl Terminal {
    /// Standard error, if it is a terminal and the user wants to see something.
    pub(crate) fn new(quiet: bool) -> Terminal {
        let shown = !quiet && std::io::stderr().is_terminal();
        let bars = || MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        Terminal { bars: shown.then(bars) }
    }

    /// Does something that writes, with all bars out of the way.
    pub(crate) fn without_bars<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bars {
            Some(bars) => bars.suspend(write),
            None => write(),
        }
    }

    /// The progress of a file whose seeds are explored, if it is shown.
    pub(crate) fn seeds(&self, file: &str, count: u64) -> Option<StepProgress> {
        self.steps(file, count, "seeds")
    }

    /// The progress of something that has so many steps, if it is shown.
    pub(crate) fn steps(&self, what: &str, count: u64, unit: &str) -> Option<StepProgress> {
        let style = ProgressStyle::with_template(&format!(
            "{{prefix}} [{{wide_bar}}] {{pos}} of {{len}} {unit}"
        ));
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(count).with_style(style).with_prefix(what.to_string());
        Some(StepProgress { bar: self.bars.as_ref()?.add(bar) })
    }

    /// The progress of one session, if it is shown.
    pub(crate) fn session(&self) -> Option<LaunchProgress> {
        let bars = self.bars.clone()?;
        Some(LaunchProgress { state: Arc::new(Mutex::new(State { bars, launch: None })) })
    }
}

/// How many steps are done, if that is shown.
#[derive(Debug)]
pub(crate) struct StepProgress {
    bar: ProgressBar,
}

impl StepProgress {
    /// One more is done.
    pub(crate) fn done(&self) {
        self.bar.inc(1);
    }
}

impl Drop for StepProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The bar of a session's launches, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct LaunchProgress {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    bars: MultiProgress,
    launch: Option<Launch>,
}

/// The launch that runs.
#[derive(Debug)]
struct Launch {
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl LaunchProgress {
    /// What the session calls to show how far a launch is.
    pub(crate) fn listener(&self) -> ProgressListener {
        let own = self.clone();
        Arc::new(move |kernel, progress| own.show(kernel, progress))
    }

    fn show(&self, kernel: &str, progress: Progress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { bars, launch } = &mut *state;
        let Launch { begun, bar } =
            launch.get_or_insert_with(|| Launch { begun: Instant::now(), bar: None });
        let time = begun.elapsed();
        if time < LONG {
            return;
        }
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new(progress.blocks).with_style(style());
            bar.set_prefix(kernel.to_string());
            bars.add(bar)
        });
        bar.set_message(speed(progress.instructions, time));
        bar.set_position(progress.blocks_done);
    }

    /// The launch is over: its bar goes away.
    pub(crate) fn launch_ended(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Launch { bar: Some(bar), .. }) = state.launch.take() {
            bar.finish_and_clear();
            state.bars.remove(&bar);
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{prefix} [{wide_bar}] {pos} of {len} blocks, {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn speed(instructions: u64, time: Duration) -> String {
    let millions = instructions as f64 / 1e6 / time.as_secs_f64().max(1e-9);
    format!("{millions:.1} million warp instructions/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_in_millions() {
        let speed = speed(30_000_000, Duration::from_secs(2));
        assert_eq!(speed, "15.0 million warp instructions/s");
    }
}
