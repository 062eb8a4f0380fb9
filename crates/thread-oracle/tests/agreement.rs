//! FastTrack, SlimFast and the oracle agree on random traces.

use warpsan_thread_oracle::{fuzz, fuzz_some, random_trace};
use warpsan_thread_trace::{About, Action, Ending, Trace, decode, encode};

#[test]
fn fasttrack_slimfast_and_the_oracle_agree_on_the_first_race_of_every_location() {
    let summary = fuzz(2000, 7);
    let shown: Vec<String> = summary.disagreements.iter().map(ToString::to_string).collect();
    assert_eq!(summary.disagreed, 0, "{shown:#?}");
    // Traces that all race, or never, would show nothing.
    assert!(summary.racy_traces > 500, "{} race", summary.racy_traces);
    assert!(summary.traces - summary.racy_traces > 500, "{} race", summary.racy_traces);
    assert!(summary.racy_locations > 1000 && summary.racy_locations < summary.locations / 2);
}

fn in_whole_words(action: Action) -> bool {
    match action {
        Action::Read(span)
        | Action::Write(span)
        | Action::AtomicRead(span, _)
        | Action::AtomicWrite(span, _)
        | Action::AtomicUpdate(span, _)
        | Action::Allocate(span)
        | Action::Free(span) => span.address.is_multiple_of(8) && span.size.is_multiple_of(8),
        _ => true,
    }
}

#[test]
fn tools_agree_on_which_rule_applies_where_they_differ_in_allocation_only() {
    use warpsan_thread_detect::Count;
    // Where words are accessed in parts, the tools have different numbers of pieces of metadata for them.
    let whole = |trace: &Trace| trace.events.iter().all(|event| in_whole_words(event.action));
    let summary = fuzz_some(600, 11, whole);
    let (fast, slim) = (summary.fast_track, summary.slim_fast);
    assert_eq!(fast.accesses(), slim.accesses());
    assert_eq!(fast.vector_accesses(), slim.vector_accesses());
    for count in [
        Count::ReadSameEpoch,
        Count::ReadSharedSameEpoch,
        Count::WriteSameEpoch,
        Count::WriteExclusive,
        Count::WriteShared,
        Count::PlainOfMixed,
        Count::Atomic,
    ] {
        assert_eq!(fast.get(count), slim.get(count), "{count:?}");
        assert!(fast.get(count) > 0, "no trace has {count:?}");
    }
}

#[test]
fn random_traces_come_back_from_their_file_as_they_were() {
    for seed in 0..200 {
        let trace = random_trace(seed);
        let file = encode(&trace, &About::default());
        let read = decode(&file).expect("what was encoded");
        assert_eq!(read, (trace, Ending::Whole), "seed {seed}");
    }
}
