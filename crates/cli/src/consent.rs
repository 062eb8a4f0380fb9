//! The conversation with the user about fetching the compiler: the question, and the progress bar.

use std::io::{self, BufRead, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use warpsan_toolchain::{
    Consent, ConsentSource, Decision, Offer, Progress, ProgressEvent, Search, Step, Toolchain,
};

/// The compiler of this machine, fetched now if there is none and the user agrees.
pub(crate) fn toolchain(global: &crate::Global) -> anyhow::Result<Toolchain> {
    let search = Search::new(global.cuda_path.clone());
    let mut ask = |offer: &Offer| decide(offer, global.yes);
    Ok(search.find_or_install(&mut ask, &mut FetchProgress::default())?)
}

/// Shows the offer and finds out whether the user agrees: by the flag `--yes`, by the variable `CI`, or
/// by an answer in the terminal. The offer is shown in each case, because fetching accepts a licence.
pub(crate) fn decide(offer: &Offer, yes: bool) -> Decision {
    let granted = |source| Decision::Granted(Consent::given_by(source));
    let mut out = io::stderr();
    let _ = writeln!(out, "{offer}");
    if yes {
        return granted(ConsentSource::Flag);
    }
    if is_continuous_integration() {
        let _ = writeln!(out, "  consent   the variable CI is set");
        return granted(ConsentSource::ContinuousIntegration);
    }
    if !(io::stdin().is_terminal() && out.is_terminal()) {
        return Decision::NobodyToAsk;
    }
    let _ = write!(out, "Fetch it now? [y/N] ");
    let _ = out.flush();
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(_) if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) => {
            granted(ConsentSource::Terminal)
        }
        _ => Decision::Refused,
    }
}

fn is_continuous_integration() -> bool {
    std::env::var_os("CI").is_some_and(|value| !["", "0", "false"].iter().any(|no| value == *no))
}

/// A bar by bytes in a terminal; elsewhere a line at the start and a line at the end.
#[derive(Default)]
pub(crate) struct FetchProgress {
    bar: Option<(Step, ProgressBar)>,
}

impl FetchProgress {
    fn say(&self, line: &str) {
        // A failed write to stderr is no reason to stop a fetch.
        let _ = writeln!(io::stderr(), "warpsan: {line}");
    }

    fn clear(&mut self) {
        if let Some((_, bar)) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn bar_for(&mut self, step: Step, total: u64) -> &ProgressBar {
        if self.bar.as_ref().is_some_and(|(shown, _)| *shown != step) {
            self.clear();
        }
        let (_, bar) = self.bar.get_or_insert_with(|| {
            let (label, speed) = match step {
                Step::Fetch => ("fetching ", "{bytes_per_sec}"),
                Step::Unpack => ("unpacking", ""),
            };
            let template = format!("{label} [{{wide_bar}}] {{bytes}} of {{total_bytes}} {speed}");
            let style = ProgressStyle::with_template(&template)
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            (step, ProgressBar::new(total).with_style(style))
        });
        bar
    }
}

/// A fetch that fails leaves no half bar above its error message.
impl Drop for FetchProgress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for FetchProgress {
    fn report(&mut self, event: ProgressEvent<'_>) {
        match event {
            ProgressEvent::WaitingForOther { lock } => {
                self.say(&format!("waiting for another warpsan that holds {}", lock.display()));
            }
            ProgressEvent::Started { .. } => self.say("fetching the CUDA compiler with pip"),
            ProgressEvent::Advanced { step, done, total } => {
                self.bar_for(step, total).set_position(done);
            }
            ProgressEvent::Finished { root } => {
                self.clear();
                self.say(&format!("the CUDA compiler is in {}", root.display()));
            }
        }
    }
}
