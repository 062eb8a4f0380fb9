//! PARSNIP's verdicts beside the oracle's, whatever its sizes and switches are.

use warpsan_hardware::parsnip::{Order, Outcome, Residence, Settings, ShortCut, Simulation};
use warpsan_thread_detect::Span;
use warpsan_thread_oracle::{Random, compare_races, judge, random_trace};
use warpsan_thread_trace::{Action, Event, Lock, Race, Site, Trace, TraceThread};

/// Settings by a number: every size of a table and a buffer, caches that hold next to nothing, and all switches.
fn settings_of(number: u64) -> Settings {
    let pick = |list: &[usize], by: u64| list[(by % list.len() as u64) as usize];
    let residence = [Residence::Llc, Residence::L1, Residence::Adaptive][(number / 2 % 3) as usize];
    // No trace has more lines.
    let usual = Settings { l1_lines: 64, l2_lines: 128, l3_lines: 256, ..Settings::default() };
    let small = Settings { l1_lines: 8, l2_lines: 8, l3_lines: 16, ..usual };
    Settings {
        cores: pick(&[1, 2, 16], number / 3),
        table_entries: (number % 15 + 1) as usize,
        buffer_entries: pick(&[0, 1, 2, 32], number / 7),
        predicts: number.is_multiple_of(2),
        residence,
        ..if number % 5 < 3 { small } else { usual }
    }
}

/// Somebody else reads other memory now and then, so that lines leave caches.
fn stirred(trace: Trace, seed: u64) -> Trace {
    let mut random = Random::new(seed);
    let mut events = Vec::new();
    for event in trace.events {
        while random.percent(60) {
            let span = Span { address: 0x100_0000 + random.below(64) * 64, size: 8 };
            let action = Action::Read(span);
            events.push(Event { thread: TraceThread(1000), site: Site::default(), action });
        }
        events.push(event);
    }
    Trace { events }
}

/// Accesses are to single bytes anywhere in a line, so that these have many different histories.
fn scattered(mut trace: Trace, seed: u64) -> Trace {
    let mut random = Random::new(seed);
    for event in &mut trace.events {
        if let Action::Read(span) | Action::Write(span) = &mut event.action {
            *span = Span { address: span.address / 64 * 64 + random.below(64), size: 1 };
        }
    }
    trace
}

fn run(settings: &Settings, trace: &Trace) -> (Outcome, Vec<Race>) {
    let order = Order::new().expect("there is memory");
    let mut simulation = Simulation::new(&order, &[*settings]);
    let mut races = Vec::new();
    for event in &trace.events {
        simulation.event(event, &mut |race| races.push(race)).expect("a trace that can be");
    }
    (simulation.finish().remove(0), races)
}

#[test]
fn verdicts_are_those_of_the_oracle() {
    let (mut racy, mut sources) = (0, [0; 5]);
    let (mut switches, mut evictions, mut rejections, mut drains) = (0, 0, 0, 0);
    for number in 0..50_000u64 {
        let seed = 0x5a5a_u64.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let trace = random_trace(seed);
        let trace = if number % 8 < 2 { scattered(trace, seed) } else { trace };
        let trace = if number.is_multiple_of(2) { stirred(trace, seed) } else { trace };
        let judgement = judge(&trace);
        racy += u64::from(!judgement.races.is_empty());
        let settings = settings_of(number);
        let (outcome, races) = run(&settings, &trace);
        if let Err(what) = compare_races(&trace, &judgement, &races) {
            panic!("trace {number} ({seed:#x}), {settings:?}: {what}");
        }
        sources.iter_mut().zip(outcome.sources).for_each(|(all, one)| *all += one);
        switches += outcome.events.mode_switches;
        evictions += outcome.events.evictions;
        rejections += outcome.events.rejections;
        drains += outcome.events.drains;
    }
    assert!(racy > 10_000, "{racy} traces race");
    // Every part had something to do.
    let events = [switches, evictions, rejections, drains];
    assert!(sources.iter().all(|checks| *checks > 1000), "{sources:?}");
    assert!(events.iter().all(|events| *events > 1000), "{events:?}");
}

/// What threads do, each to a byte or to a lock.
fn story(steps: &[(u32, Action)]) -> Trace {
    let events = steps.iter().map(|(thread, action)| Event {
        thread: TraceThread(*thread),
        site: Site::default(),
        action: *action,
    });
    Trace { events: events.collect() }
}

const fn byte(address: u64) -> Span {
    Span { address, size: 1 }
}

const X: Span = byte(0x1_0000);
const LOCK: Lock = Lock(1);

/// The short cut misses a race that is there without it.
fn misses(short_cut: ShortCut, settings: Settings, trace: &Trace) {
    let judgement = judge(trace);
    assert_eq!(judgement.races.len(), 1, "there is one race");
    let (_, races) = run(&settings, trace);
    assert_eq!(compare_races(trace, &judgement, &races), Ok(()));
    let (_, races) = run(&Settings { short_cut: Some(short_cut), ..settings }, trace);
    assert_eq!(races, [], "{short_cut:?} misses it");
}

#[test]
fn a_write_behind_the_own_read_has_other_readers() {
    // Step 13 of table 4.2 with a reader between: the last read is the writer's own, and another one is not ordered before it.
    use Action::{Acquire, Read, Release, Write};
    let trace = story(&[
        (1, Write(X)),
        (1, Release(LOCK)),
        (2, Acquire(LOCK)),
        (2, Release(LOCK)),
        (3, Acquire(LOCK)),
        (2, Read(X)),
        (3, Read(X)),
        (3, Write(X)),
    ]);
    misses(ShortCut::OwnRead, Settings::default(), &trace);
}

#[test]
fn a_write_behind_a_predicted_read_has_readers() {
    // Software looks at one byte for thread 3, and expects it to read the next one. It writes that, which thread 2 has read.
    use Action::{Acquire, Read, Release, Write};
    let next = byte(X.address + 1);
    let mut steps = vec![
        (1, Write(Span { address: X.address, size: 2 })),
        (1, Release(LOCK)),
        (2, Acquire(LOCK)),
        (2, Release(LOCK)),
        (3, Acquire(LOCK)),
        (2, Read(next)),
    ];
    // The line leaves the caches.
    for line in 0..64 {
        steps.push((4, Read(byte(0x100_0000 + line * 64))));
    }
    steps.extend([(3, Read(X)), (3, Write(next))]);
    let small = Settings { l1_lines: 8, l2_lines: 8, l3_lines: 16, ..Settings::default() };
    misses(ShortCut::OwnRead, small, &story(&steps));
}

#[test]
fn reads_of_two_threads_are_two() {
    // Both go to software by the buffer of the core that reads next; only the first is not ordered before the write.
    use Action::{Acquire, Read, Release, Write};
    let (forks, others) = (Lock(7), [Lock(2), Lock(3), Lock(4)]);
    let mut steps = vec![(1, Write(X)), (1, Release(forks))];
    for thread in 2..=5 {
        steps.extend([(thread, Acquire(forks)), (thread, Release(forks))]);
    }
    steps.extend([(2, Read(X)), (3, Read(X)), (5, Read(X)), (4, Read(X))]);
    for (lock, thread) in others.into_iter().zip([3, 5, 4]) {
        steps.extend([(thread, Release(lock)), (1, Acquire(lock))]);
    }
    steps.push((1, Write(X)));
    // One core has all threads, and so one buffer.
    let settings = Settings { cores: 1, ..Settings::default() };
    misses(ShortCut::Coalescing, settings, &story(&steps));
}
