//! Compares FastTrack, SlimFast and the oracle on random traces: `fuzz TRACES SEED`.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use warpsan_thread_oracle::fuzz;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let traces: u64 = numbers.next().unwrap_or(100_000);
    let seed: u64 = numbers.next().unwrap_or(1);
    let start = Instant::now();
    let summary = fuzz(traces, seed);
    println!("{} traces, {} events, {:?}", summary.traces, summary.events, start.elapsed());
    println!(
        "{} of them race, in {} of {} locations",
        summary.racy_traces, summary.racy_locations, summary.locations
    );
    println!("disagreed: {}", summary.disagreed);
    for disagreement in &summary.disagreements {
        println!("  {disagreement}");
    }
    println!("FastTrack {:?}", summary.fast_track);
    println!("SlimFast {:?}", summary.slim_fast);
}
