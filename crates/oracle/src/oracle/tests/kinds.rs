//! Kinds and severities, and which pairs do not count.

use warpsan_event::AccessKind::{Read, Write};
use warpsan_model::{Order, Scope};
use warpsan_report::{RaceKind, Severity, Treatment};

use super::story::{
    ACQUIRE, DATA, DATA_ADDRESS, FLAG, RELAXED, RELEASE, Story, VOLATILE, WEAK, strong,
};

const A: (u32, u32) = (0, 0);
const B: (u32, u32) = (1, 0);

fn only(story: &Story) -> (RaceKind, Severity) {
    let races = story.races();
    assert_eq!(races.len(), 1, "{races:?}");
    (races[0].kind, races[0].severity)
}

#[test]
fn morally_strong_accesses_do_not_race() {
    let mut story = Story::new();
    story.atomic(A, RELAXED, DATA);
    story.load(B, RELAXED, DATA);
    story.store(B, RELAXED, DATA);
    story.is_clean();
}

#[test]
fn a_weak_load_races_with_an_atomic() {
    let mut story = Story::new();
    story.atomic(A, RELAXED, DATA);
    story.load(B, WEAK, DATA);
    assert_eq!(only(&story), (RaceKind::MissingSync, Severity::Error));
}

#[test]
fn strong_accesses_whose_scopes_are_not_mutual_race() {
    let mut story = Story::new();
    story.atomic(A, strong(Order::Relaxed, Scope::Cta), DATA);
    story.atomic(B, RELAXED, DATA);
    assert_eq!(only(&story), (RaceKind::Scope, Severity::Error));
}

#[test]
fn strong_accesses_of_different_bytes_race() {
    let mut story = Story::new();
    story.store(A, RELAXED, DATA);
    story.load(B, RELAXED, DATA.bytes(8));
    assert_eq!(only(&story), (RaceKind::MixedSize, Severity::Error));
    assert_eq!(story.races()[0].bytes, DATA_ADDRESS..DATA_ADDRESS + 4);
}

#[test]
fn volatile_accesses_are_a_race_of_their_own() {
    for other in [VOLATILE, RELAXED] {
        let mut story = Story::new();
        story.store(A, VOLATILE, DATA);
        story.load(B, other, DATA);
        assert_eq!(only(&story), (RaceKind::Volatile, Severity::Warning));
        story.choices.volatile = Treatment::Error;
        assert_eq!(only(&story), (RaceKind::Volatile, Severity::Error));
        story.choices.volatile = Treatment::Allow;
        story.is_clean();
    }
}

#[test]
fn lanes_of_one_warp_diverged_or_not() {
    let mut story = Story::new();
    story.lanes((0, 0), 1, Write, WEAK, DATA, &[7]);
    story.lanes((0, 0), 2, Read, WEAK, DATA, &[]);
    assert_eq!(only(&story), (RaceKind::Divergence, Severity::Error));
    let mut story = Story::new();
    story.lanes((0, 0), 1, Write, WEAK, DATA, &[7]);
    story.lanes((0, 0), 3, Read, WEAK, DATA, &[]);
    assert_eq!(only(&story), (RaceKind::WarpSync, Severity::Warning));
    story.choices.warp_sync = Treatment::Allow;
    story.is_clean();
}

#[test]
fn stores_of_the_same_bytes() {
    let mut story = Story::new();
    story.lanes((0, 0), 3, Write, WEAK, DATA, &[7, 7]);
    assert_eq!(only(&story), (RaceKind::SameValue, Severity::Info));
    let mut story = Story::new();
    story.lanes((0, 0), 3, Write, WEAK, DATA, &[7, 8]);
    assert_eq!(only(&story), (RaceKind::MissingSync, Severity::Error));
    let mut story = Story::new();
    story.store_value(A, WEAK, DATA, 7);
    story.store_value(B, WEAK, DATA, 7);
    assert_eq!(only(&story), (RaceKind::SameValue, Severity::Warning));
    story.choices.same_value = Treatment::Error;
    assert_eq!(only(&story), (RaceKind::SameValue, Severity::Error));
    story.choices.same_value = Treatment::Allow;
    story.is_clean();
}

#[test]
fn paths_of_a_warp_that_store_the_same_bytes() {
    let mut story = Story::new();
    story.lanes((0, 0), 1, Write, WEAK, DATA, &[7]);
    story.lanes((0, 0), 2, Write, WEAK, DATA, &[7]);
    assert_eq!(only(&story), (RaceKind::SameValue, Severity::Warning));
    let mut story = Story::new();
    story.lanes((0, 0), 1, Write, WEAK, DATA, &[7]);
    story.lanes((0, 0), 2, Write, WEAK, DATA, &[8]);
    assert_eq!(only(&story), (RaceKind::Divergence, Severity::Error));
}

#[test]
fn volatile_lockstep_is_warp_sync() {
    let mut story = Story::new();
    story.lanes((0, 0), 1, Write, VOLATILE, DATA, &[7]);
    story.lanes((0, 0), 3, Read, VOLATILE, DATA, &[]);
    assert_eq!(only(&story), (RaceKind::WarpSync, Severity::Warning));
    let mut story = Story::new();
    story.lanes((0, 0), 1, Write, VOLATILE, DATA, &[7]);
    story.lanes((0, 0), 2, Read, VOLATILE, DATA, &[]);
    assert_eq!(only(&story), (RaceKind::Volatile, Severity::Warning));
}

#[test]
fn volatile_data_behind_a_volatile_flag_lacks_a_fence() {
    let mut story = Story::new();
    story.store(A, VOLATILE, DATA);
    story.store(A, VOLATILE, FLAG);
    story.load(B, VOLATILE, FLAG);
    story.load(B, VOLATILE, DATA);
    let kinds: Vec<_> = story.races().iter().map(|race| (race.kind, race.severity)).collect();
    assert_eq!(
        kinds,
        [(RaceKind::Volatile, Severity::Warning), (RaceKind::MissingFence, Severity::Error)]
    );
}

#[test]
fn the_read_only_path_races_with_every_write_of_the_launch() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store(A, RELEASE, FLAG);
    story.load(B, ACQUIRE, FLAG);
    story.read_only(B, DATA);
    story.read_only(A, DATA);
    let races = story.races();
    assert_eq!(races.len(), 2, "ordered, and of the same thread");
    assert!(races.iter().all(|race| race.kind == RaceKind::ReadonlyPath));
    assert!(races.iter().all(|race| race.severity == Severity::Error), "before the reads");
    let mut story = Story::new();
    story.read_only(A, DATA);
    story.store(A, WEAK, DATA);
    assert_eq!(only(&story), (RaceKind::ReadonlyPath, Severity::Info), "before as well as after");
    let mut story = Story::new();
    story.read_only(A, DATA);
    story.store(B, WEAK, DATA);
    assert_eq!(only(&story), (RaceKind::ReadonlyPath, Severity::Error), "unordered");
}

#[test]
fn launches_are_ordered() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.read_only(B, FLAG);
    story.launch();
    story.load(B, WEAK, DATA);
    story.store(B, WEAK, FLAG);
    story.is_clean();
}

#[test]
fn memories_are_apart() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA);
    story.store((0, 33), WEAK, DATA.shared_of(0));
    story.store((1, 33), WEAK, DATA.shared_of(1));
    story.is_clean();
    story.load((1, 2), WEAK, DATA.shared_of(0));
    assert_eq!(only(&story).0, RaceKind::MissingSync);
}

#[test]
fn elements_of_a_vector_are_operations() {
    let mut story = Story::new();
    story.store(A, WEAK, DATA.plus(8));
    story.load(B, WEAK, DATA.elements(4));
    let races = story.races();
    assert_eq!(races.len(), 1);
    assert_eq!(races[0].second.element, 2);
}

#[test]
fn a_missing_fence_goes_before_what_the_warp_did() {
    let mut story = Story::new();
    story.store((0, 0), WEAK, DATA);
    story.store((0, 0), RELAXED, FLAG);
    story.load((0, 1), RELAXED, FLAG);
    story.load((0, 1), WEAK, DATA);
    assert_eq!(only(&story), (RaceKind::MissingFence, Severity::Error));
}
