//! The question whether NVIDIA's packages may be fetched, and the bar while they come.

use std::io::{BufRead, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use warpsan_toolchain::{Consent, ConsentSource, Decision, Offer, Progress, ProgressEvent, Step};

/// By the flag, by the variable `CI`, or by an answer. The offer is shown in each case, because fetching
/// accepts a licence.
pub(crate) fn decide(offer: &Offer, yes: bool) -> Decision {
    eprintln!("{offer}");
    let granted = |source| Decision::Granted(Consent::given_by(source));
    let is_ci = std::env::var_os("CI")
        .is_some_and(|value| !["", "0", "false"].iter().any(|no| value == *no));
    if yes {
        return granted(ConsentSource::Flag);
    }
    if is_ci {
        return granted(ConsentSource::ContinuousIntegration);
    }
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Decision::NobodyToAsk;
    }
    eprint!("Fetch it now? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    match std::io::stdin().lock().read_line(&mut answer) {
        Ok(_) if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) => {
            granted(ConsentSource::Terminal)
        }
        _ => Decision::Refused,
    }
}

/// A bar by bytes.
#[derive(Default)]
pub(crate) struct FetchProgress {
    bar: Option<(Step, ProgressBar)>,
}

impl Progress for FetchProgress {
    fn report(&mut self, event: ProgressEvent<'_>) {
        match event {
            ProgressEvent::WaitingForOther { lock } => {
                eprintln!("waiting for whoever holds {}", lock.display());
            }
            ProgressEvent::Started { offer } => {
                eprintln!("fetching {} with pip", offer.wheels.package_list());
            }
            ProgressEvent::Advanced { step, done, total } => {
                if self.bar.as_ref().is_some_and(|(shown, _)| *shown != step) {
                    self.clear();
                }
                let (_, bar) = self.bar.get_or_insert_with(|| (step, new_bar(step, total)));
                bar.set_position(done);
            }
            ProgressEvent::Finished { .. } => self.clear(),
        }
    }
}

impl FetchProgress {
    fn clear(&mut self) {
        if let Some((_, bar)) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A fetch that fails leaves no half bar above its error message.
impl Drop for FetchProgress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn new_bar(step: Step, total: u64) -> ProgressBar {
    let label = match step {
        Step::Fetch => "fetching ",
        Step::Unpack => "unpacking",
    };
    let template = format!("{label} [{{wide_bar}}] {{bytes}} of {{total_bytes}}");
    let style =
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style)
}
