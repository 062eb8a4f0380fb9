//! Tools and the oracle on the same trace.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use warpsan_thread_detect::{
    AllRules, Checker, Counters, FastTrack, Rules, RustAllocation, SlimFast, SlimFastSettings,
    Storage, Tool,
};
use warpsan_thread_trace::{Action, Race, Replayed, Trace, TraceThread, replay};

use crate::generator::random_trace;
use crate::oracle::{Judgement, Location, judge};

/// In what a tool and the oracle disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The seed of the trace.
    pub seed: u64,
    /// The tool.
    pub tool: &'static str,
    /// In words.
    pub what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trace {:#x}, {}: {}", self.seed, self.tool, self.what)
    }
}

/// What came of many traces.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many there were.
    pub traces: u64,
    /// Their events.
    pub events: u64,
    /// Traces with a race.
    pub racy_traces: u64,
    /// Locations that were accessed.
    pub locations: u64,
    /// Locations that race.
    pub racy_locations: u64,
    /// How many traces somebody disagrees on.
    pub disagreed: u64,
    /// The first few of the disagreements.
    pub disagreements: Vec<Disagreement>,
    /// What FastTrack has counted.
    pub fast_track: Counters,
    /// What SlimFast has counted.
    pub slim_fast: Counters,
}

/// So many disagreements are kept.
const KEPT: usize = 10;

/// Compares FastTrack, SlimFast and the oracle on so many random traces.
pub fn fuzz(traces: u64, seed: u64) -> Summary {
    fuzz_some(traces, seed, |_| true)
}

/// The same, of those traces that are wanted.
pub fn fuzz_some(traces: u64, seed: u64, wanted: impl Fn(&Trace) -> bool) -> Summary {
    let mut summary = Summary::default();
    for number in 0..traces {
        let seed = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let trace = random_trace(seed);
        if !wanted(&trace) {
            continue;
        }
        let judgement = judge(&trace);
        summary.traces += 1;
        summary.events += trace.events.len() as u64;
        summary.racy_traces += u64::from(!judgement.races.is_empty());
        summary.locations += judgement.locations as u64;
        summary.racy_locations += judgement.races.len() as u64;
        let settings = settings_of(seed);
        let results = [
            run(fast_track::<AllRules>(), &trace, &judgement, &mut summary.fast_track),
            run(slim_fast::<AllRules>(settings), &trace, &judgement, &mut summary.slim_fast),
        ];
        let found: Vec<Disagreement> =
            (results.into_iter().zip([FastTrack::<AllRules>::NAME, SlimFast::<AllRules>::NAME]))
                .filter_map(|(result, tool)| Some(Disagreement { seed, tool, what: result.err()? }))
                .collect();
        summary.disagreed += u64::from(!found.is_empty());
        let room = KEPT - summary.disagreements.len();
        summary.disagreements.extend(found.into_iter().take(room));
    }
    summary
}

/// Small arrays, so that they overflow, and those of everyday.
pub(crate) fn settings_of(seed: u64) -> SlimFastSettings {
    match seed % 3 {
        0 => SlimFastSettings { reads: 1, inflated: 1, compositions: 1, unnoted: 0, unmatched: 0 },
        1 => SlimFastSettings { reads: 2, inflated: 2, compositions: 2, unnoted: 0, unmatched: 32 },
        _ => SlimFastSettings::default(),
    }
}

pub(crate) fn storage() -> Arc<dyn Storage> {
    Arc::new(RustAllocation)
}

pub(crate) fn fast_track<R: Rules>() -> FastTrack<R> {
    FastTrack::new(storage())
}

pub(crate) fn slim_fast<R: Rules>(settings: SlimFastSettings) -> SlimFast<R> {
    SlimFast::new(storage(), settings)
}

/// What a tool and the oracle say differently about a trace; its counters are added.
pub(crate) fn run<T: Tool>(
    tool: T,
    trace: &Trace,
    judgement: &Judgement,
    counters: &mut Counters,
) -> Result<(), String> {
    let checker = Checker::new(tool, storage()).map_err(|error| error.to_string())?;
    let replayed = replay(&checker, trace).map_err(|error| error.to_string())?;
    counters.merge(&replayed.counters);
    compare(trace, judgement, &replayed)
}

/// What a replay and the oracle say differently.
pub fn compare(trace: &Trace, judgement: &Judgement, replayed: &Replayed) -> Result<(), String> {
    compare_races(trace, judgement, &replayed.races)
}

/// What somebody who has found these races and the oracle say differently.
pub fn compare_races(trace: &Trace, judgement: &Judgement, races: &[Race]) -> Result<(), String> {
    let found = first_races(trace, races);
    for (location, race) in &judgement.races {
        match found.get(location) {
            None => {
                return Err(format!("missed the race of {location:x?} at event {}", race.event));
            }
            Some((event, _)) if *event != race.event => {
                let expected = race.event;
                return Err(format!("{location:x?} races first at {expected}, not at {event}"));
            }
            Some((event, earlier)) if !race.earlier.contains(earlier) => {
                return Err(format!(
                    "event {event} does not race with {earlier:?} at {location:x?}"
                ));
            }
            Some(_) => {}
        }
    }
    match found.iter().find(|(location, _)| !judgement.races.contains_key(location)) {
        Some((location, (event, _))) => {
            Err(format!("invented a race of {location:x?} at event {event}"))
        }
        None => Ok(()),
    }
}

/// The first race of each location, with the thread of the earlier access.
fn first_races(trace: &Trace, races: &[Race]) -> BTreeMap<Location, (usize, TraceThread)> {
    let mut first = BTreeMap::new();
    let mut lives: HashMap<u64, u32> = HashMap::new();
    let mut races = races.iter().peekable();
    for (index, event) in trace.events.iter().enumerate() {
        while let Some(race) = races.next_if(|race| race.event == index) {
            for byte in race.span.address..race.span.address + race.span.size {
                let life = lives.get(&byte).copied().unwrap_or(0);
                first.entry(Location { byte, life }).or_insert((index, race.earlier));
            }
        }
        if let Action::Allocate(span) = event.action {
            for byte in span.address..span.address + span.size {
                *lives.entry(byte).or_default() += 1;
            }
        }
    }
    first
}
