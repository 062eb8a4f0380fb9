//! What holds for any workload.

use super::*;

/// One thing that a warp does.
#[derive(Debug, Clone, Copy)]
enum Step {
    Line { kind: AccessKind, strength: Strength, line: u64 },
    Scattered { kind: AccessKind, line: u64 },
    Poll { line: u64, turns: u32 },
    Fence(Scope),
    Barrier,
    EndLaunch,
}

fn step() -> impl Strategy<Value = (Who, Step)> {
    let kind = prop_oneof![
        3 => Just(AccessKind::Read),
        2 => Just(AccessKind::Write),
        1 => Just(AccessKind::ReadModifyWrite),
        1 => Just(AccessKind::Reduction),
    ];
    let strength = prop_oneof![Just(Strength::Weak), Just(Strength::Volatile), Just(RELAXED)];
    let what = prop_oneof![
        8 => (kind.clone(), strength, 0u64..400)
            .prop_map(|(kind, strength, line)| Step::Line { kind, strength, line }),
        2 => (kind, 0u64..400).prop_map(|(kind, line)| Step::Scattered { kind, line }),
        2 => (0u64..4, 1u32..4).prop_map(|(line, turns)| Step::Poll { line, turns }),
        1 => prop_oneof![Just(Scope::Cta), Just(Scope::Gpu)].prop_map(Step::Fence),
        1 => Just(Step::Barrier),
        1 => Just(Step::EndLaunch),
    ];
    ((0u32..40, 0u32..4), what)
}

fn workload(steps: &[(Who, Step)]) -> Workload {
    let mut story = Story::default().load((0, 0), 0);
    for (who, step) in steps {
        story = match *step {
            Step::Line { kind, strength, line } => story.line(*who, kind, strength, line),
            Step::Scattered { kind, line } => story.scattered(*who, kind, line),
            Step::Poll { line, turns } => story.polls(*who, line, turns),
            Step::Fence(scope) => story.fence(*who, scope),
            Step::Barrier => story.barrier(who.0, 4),
            Step::EndLaunch => story.end_launch(),
        };
    }
    story.workload()
}

/// Narrow everywhere, so that everything gets full.
fn narrow() -> Configuration {
    Configuration {
        multiprocessors: 2,
        l1_bytes: 1024,
        l2_bytes: 12 * 1024,
        channels: 3,
        outstanding_requests: 3,
        hit_buffer: 2,
        lookups_per_partition: 2,
        ..Configuration::default()
    }
}

fn detections() -> Vec<Option<Detection>> {
    let mut all = vec![None];
    for metadata in [Metadata::Full, Metadata::Cached] {
        for switches in 0..8 {
            let [lhd, noc, md] = [1, 2, 4].map(|bit| switches & bit != 0);
            all.push(Some(Detection { metadata, lhd, noc, md }));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_that_begins_ends(steps in proptest::collection::vec(step(), 0..250)) {
        let workload = workload(&steps);
        for base in [Configuration::default(), narrow()] {
            for detection in detections() {
                let configuration = Configuration { detection, ..base.clone() };
                let outcome = simulate(&workload, &configuration);
                prop_assert_eq!(outcome.operations, workload.size().operations);
                prop_assert_eq!(outcome.packets.requests, outcome.packets.answers);
                let lookups = outcome.l2_metadata;
                let begun = lookups.hits + lookups.misses + outcome.lookups_joined;
                prop_assert_eq!(outcome.lookups_ended, begun);
                let dram = outcome.dram;
                prop_assert!(dram.metadata_writes <= dram.metadata_reads);
            }
        }
    }

    #[test]
    fn with_detection_every_line_and_fence_is_told(
        steps in proptest::collection::vec(step(), 0..250),
    ) {
        let workload = workload(&steps);
        let fences = steps.iter().filter(|(_, step)| matches!(step, Step::Fence(_))).count() as u64;
        for base in [Configuration::default(), narrow()] {
            let none = simulate(&workload, &base);
            let with = simulate(&workload, &base.detecting(scord()));
            let told = workload.size().lines + with.polls + fences;
            prop_assert_eq!(with.packets.sent(), told);
            prop_assert!(with.packets.sent() - with.polls >= none.packets.sent() - none.polls);
        }
    }

    #[test]
    fn the_same_runs_take_the_same_time(steps in proptest::collection::vec(step(), 0..150)) {
        let configuration = with(scord());
        let once = simulate(&workload(&steps), &configuration);
        prop_assert_eq!(once, simulate(&workload(&steps), &configuration));
    }

    #[test]
    fn how_many_run_at_a_time_does_not_matter(steps in proptest::collection::vec(step(), 0..60)) {
        let workload = workload(&steps);
        let [one, three] = [1, 3].map(|jobs| crate::compare(&workload, jobs.try_into().unwrap()));
        prop_assert_eq!(one, three);
    }
}
