//! A strong read that observes a strong write orders it before what follows.

use warpsan_model::{Order, Scope};
use warpsan_report::RaceKind::{MissingSync, Scope as TooNarrow};

use super::story::{ACQUIRE, DATA, FLAG, RELAXED, RELEASE, Story, WEAK, strong};

const A: (u32, u32) = (0, 0);
const B: (u32, u32) = (1, 0);
const C: (u32, u32) = (2, 0);

#[test]
fn an_observed_write_is_before_later_accesses_to_its_place() {
    let mut story = Story::new();
    story.store(A, RELAXED, DATA);
    story.load(B, RELAXED, DATA);
    story.store(B, WEAK, DATA);
    story.is_clean();
}

#[test]
fn it_is_before_what_synchronisation_leads_to() {
    let mut story = Story::new();
    story.store(A, RELAXED, DATA);
    story.load(B, RELAXED, DATA);
    story.store(B, RELEASE, FLAG);
    story.load(C, ACQUIRE, FLAG);
    story.load(C, WEAK, DATA);
    story.is_clean();
}

#[test]
fn it_orders_nothing_else_of_its_thread() {
    let mut story = Story::new();
    let other = story.store(A, WEAK, FLAG);
    story.store(A, RELAXED, DATA);
    story.load(B, RELAXED, DATA);
    let read = story.load(B, WEAK, FLAG);
    let races = story.races();
    assert_eq!(races.len(), 1);
    assert_eq!((races[0].first.event, races[0].second.event), (other, read));
}

#[test]
fn writes_are_observed_through_chains_of_updates() {
    let mut story = Story::new();
    story.store(A, RELAXED, DATA);
    story.reduction(C, RELAXED, DATA);
    story.load(B, RELAXED, DATA);
    story.load(B, WEAK, DATA);
    story.is_clean();
}

#[test]
fn a_reduction_observes_nothing() {
    let mut story = Story::new();
    let write = story.store(A, RELAXED, DATA);
    story.reduction(B, RELAXED, DATA);
    let read = story.load(B, WEAK, DATA);
    story.race(&[(write, read, MissingSync)]);
}

#[test]
fn the_last_lane_of_a_store_and_every_lane_of_an_atomic_count() {
    use warpsan_event::AccessKind::{Read, ReadModifyWrite, Write};
    // Two lanes store to one place: what is read is the higher one's.
    let mut story = Story::new();
    story.lanes((0, 0), 3, Write, RELAXED, DATA, &[1, 2]);
    story.lanes((1, 0), 1, Read, RELAXED, DATA, &[]);
    let read = story.lanes((1, 0), 1, Read, WEAK, DATA, &[]);
    let races = story.races();
    assert_eq!(races.len(), 1);
    assert_eq!((races[0].first.lane, races[0].second.event), (0, read));
    // Lanes of an atomic follow each other: the second one observes the first.
    let mut story = Story::new();
    story.lanes((0, 0), 3, ReadModifyWrite, RELAXED, DATA, &[]);
    story.lanes((0, 0), 2, Read, WEAK, DATA, &[]);
    story.is_clean();
}

#[test]
fn a_chain_does_not_excuse_its_own_last_read() {
    // W and R are in different blocks at block scope; the link between them reaches both.
    let narrow = |order| strong(order, Scope::Cta);
    let mut story = Story::new();
    let write = story.store((0, 0), narrow(Order::Relaxed), DATA);
    story.atomic((0, 40), narrow(Order::Relaxed), DATA);
    let link = story.atomic((0, 40), RELAXED, DATA);
    let read = story.load((1, 0), RELAXED, DATA);
    let races: Vec<_> =
        story.races().iter().map(|race| (race.first.event, race.second.event, race.kind)).collect();
    assert!(races.contains(&(write, read, TooNarrow)), "{races:?}");
    assert!(!races.iter().any(|race| race.0 == link), "{races:?}");
}

#[test]
fn a_copy_or_a_weak_write_hides_what_was_there() {
    let mut story = Story::new();
    let write = story.store(A, RELAXED, DATA);
    let weak = story.store(B, WEAK, DATA);
    let strong_read = story.load(C, RELAXED, DATA);
    let read = story.load(C, WEAK, DATA);
    let races: Vec<_> =
        story.races().iter().map(|race| (race.first.event, race.second.event)).collect();
    assert_eq!(races, [(write, weak), (weak, strong_read), (write, read), (weak, read)]);
}
