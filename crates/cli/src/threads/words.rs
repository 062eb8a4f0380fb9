//! Why two accesses of threads race, and what would order them.

use warpsan_thread_report::{RaceRecord, SideAccess};

/// Why it is a race.
pub(super) fn reason(race: &RaceRecord) -> String {
    let accesses = [race.first.access, race.second.access];
    let text = if accesses.contains(&SideAccess::Free) {
        "nothing makes the free wait for the other access, or keeps that from coming after it"
    } else if accesses.into_iter().any(is_atomic) {
        "one access is atomic and the other is not, and nothing else orders the two threads there"
    } else {
        "nothing orders the two threads between these accesses: no lock that both hold, no start or end of a thread that \
         the other waits for, no hand-over by an atomic"
    };
    text.to_string()
}

/// What would order the two.
pub(super) fn advice(race: &RaceRecord) -> String {
    let accesses = [race.first.access, race.second.access];
    let has = |access| accesses.contains(&access);
    let has_locks = [&race.first, &race.second].map(|side| !side.locks.is_empty());
    let text = if has(SideAccess::Free) {
        "let the thread that frees the memory wait until no other uses it: join the others first, or count the users"
    } else if has(SideAccess::VptrWrite) {
        "let no other thread use the object before its constructor has ended, or after its destructor has begun"
    } else if accesses.into_iter().any(is_atomic) {
        "make the plain access atomic, too, or order it behind the atomic one"
    } else if has_locks == [true, false] || has_locks == [false, true] {
        "hold on both sides the lock that one of them holds"
    } else if has_locks == [true, true] {
        "hold the same lock on both sides, and not only for reading where one of them writes"
    } else {
        "hold one lock on both sides, make both accesses atomic, or let one thread wait for the other"
    };
    text.to_string()
}

fn is_atomic(access: SideAccess) -> bool {
    matches!(access, SideAccess::AtomicRead | SideAccess::AtomicWrite)
}
