//! The rules that random kernels show rarely or never.

use warpsan_detect::Settings;
use warpsan_detect::hb::{HappensBefore, Rule, Rules};
use warpsan_event::testing::{ACQUIRE, RELAXED, RELEASE, strong};
use warpsan_model::{Order, Scope, Strength};
use warpsan_oracle::differential::detect;

use super::story::{DATA, FLAG, Story};

/// Threads of three blocks; the first two blocks are a cluster.
const WRITER: (u32, u32) = (0, 0);
const NEIGHBOUR: (u32, u32) = (1, 0);
const READER: (u32, u32) = (2, 0);

/// By rule: a story that shows it.
pub(crate) fn stories() -> Vec<(Rule, Story)> {
    vec![
        (Rule::ClusterRelaxed, relaxed_arrival()),
        (Rule::LinksAreMorallyStrong, narrow_store_behind_a_wide_fence()),
        (Rule::ReductionsNeverAcquire, reduction_before_a_fence()),
        (Rule::AcquireOperation, flag()),
    ]
}

fn relaxed_arrival() -> Story {
    Story::new()
        .store(WRITER, DATA, Strength::Weak)
        .cluster_arrive(WRITER, Order::Relaxed)
        .cluster_arrive(NEIGHBOUR, Order::Relaxed)
        .cluster_wait(NEIGHBOUR)
        .cluster_wait(WRITER)
        .load(NEIGHBOUR, DATA, Strength::Weak)
}

fn narrow_store_behind_a_wide_fence() -> Story {
    Story::new()
        .store(WRITER, DATA, Strength::Weak)
        .fence(WRITER, Order::AcqRel, Scope::Gpu)
        .store(WRITER, FLAG, strong(Order::Relaxed, Scope::Cta))
        .load(READER, FLAG, ACQUIRE)
        .load(READER, DATA, Strength::Weak)
}

fn reduction_before_a_fence() -> Story {
    Story::new()
        .store(WRITER, DATA, Strength::Weak)
        .store(WRITER, FLAG, RELEASE)
        .reduction(READER, FLAG, RELAXED)
        .fence(READER, Order::AcqRel, Scope::Gpu)
        .load(READER, DATA, Strength::Weak)
}

fn flag() -> Story {
    Story::new()
        .store(WRITER, DATA, Strength::Weak)
        .store(WRITER, FLAG, RELEASE)
        .load(READER, FLAG, ACQUIRE)
        .load(READER, DATA, Strength::Weak)
}

/// The oracle looks at launches one by one, so what is right is said here.
pub(crate) fn launches_in_two_streams_race_only_with_the_order_of_launches() {
    let races = |after: &[u32], rules: Rules| {
        let story = Story::new().store(WRITER, DATA, Strength::Weak).next_launch(1, after).load(
            READER,
            DATA,
            Strength::Weak,
        );
        detect(&story.events(), &mut HappensBefore::with_rules(Settings::default(), rules))
            .races
            .len()
    };
    assert_eq!(races(&[], Rules::all()), 1, "nothing orders the two launches");
    assert_eq!(races(&[0], Rules::all()), 0, "the second one waits for the first");
    assert_eq!(races(&[], Rules::without(Rule::LaunchOrder)), 0, "every launch waits for all");
}

/// As above.
pub(crate) fn a_programmatic_launch_is_clean_only_by_its_wait() {
    let races = |waits: bool, rules: Rules| {
        let story = Story::new().store(WRITER, DATA, Strength::Weak);
        let story = story.next_programmatic_launch(1, &[], &[0]);
        let story = if waits { story.prerequisite_wait(READER) } else { story };
        let story = story.load(READER, DATA, Strength::Weak);
        detect(&story.events(), &mut HappensBefore::with_rules(Settings::default(), rules))
            .races
            .len()
    };
    assert_eq!(races(true, Rules::all()), 0, "the thread waits for the first launch");
    assert_eq!(races(false, Rules::all()), 1, "nobody waits");
    assert_eq!(races(true, Rules::without(Rule::PrerequisiteWait)), 1, "waits do not count");
}
