//! What the CPU engine emitted means the same after it went through queues of records.

use warpsan_detect::hb::HappensBefore;
use warpsan_event::Event;
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_oracle::differential::{Machine, NotRun, Recorded, Setup, detect};
use warpsan_oracle::oracle::judge;
use warpsan_oracle::random::Random;
use warpsan_oracle::seeds::Seeds;
use warpsan_oracle::synchronised::SynchronisedKernel;
use warpsan_testkit::shipping::{
    ShippedTrace, Way, depends_on_weak_order, differences_of_oracle, encode, ship_trace,
    wrong_sites,
};

/// The kernels of `cargo xtask test`.
const KERNELS: u64 = 1000;

/// What came of all kernels.
#[derive(Default)]
struct Results {
    shipped: usize,
    racy: usize,
    not_encoded: usize,
    /// Kernels of which other pairs race after shipping, because the order of weak accesses is another.
    other_pairs: usize,
    wrong: Vec<String>,
}

impl Results {
    fn compare(&mut self, recorded: &Recorded, shipped: &ShippedTrace, way: Way, setup: &Setup) {
        let (before, after) = (&recorded.events, &shipped.events);
        self.wrong.extend(shipped.launches.failed.iter().map(ToString::to_string));
        self.shipped += shipped.launches.shipped;
        self.not_encoded += shipped.launches.not_encoded.len();
        let was = judge(&before.batch(), setup.choices, false);
        let is = judge(&after.batch(), setup.choices, false);
        self.racy += usize::from(!was.races.is_empty());
        let differences = differences_of_oracle(&was, &is);
        if !differences.is_empty() && way != Way::Tickets && depends_on_weak_order(&was, before) {
            self.other_pairs += 1;
            if is.races.is_empty() {
                self.wrong.push("the oracle finds no race any more".to_owned());
            }
        } else {
            self.wrong.extend(differences.iter().map(ToString::to_string));
        }
        let is_racy = |events| {
            let mut detector = HappensBefore::new(setup.settings());
            !detect(events, &mut detector).races.is_empty()
        };
        if is_racy(before) != is_racy(after) {
            let said = if is_racy(after) { "has a race only" } else { "is clean only" };
            self.wrong.push(format!("the detector says that it {said} after shipping"));
        }
    }
}

/// What comes of the kernels with these seeds.
fn ship_and_compare(seeds: &mut dyn Iterator<Item = u64>) -> Results {
    let machine = Machine::new().expect("there is memory for a few words");
    let mut results = Results::default();
    for seed in seeds {
        let setup = Setup::random(seed);
        let kernel = match seed % 4 {
            0 => SynchronisedKernel::warp_wide(seed),
            _ => SynchronisedKernel::random(seed),
        };
        let recorded = match machine.run(&kernel, &setup) {
            Ok(recorded) => recorded,
            Err(NotRun::Failed(_)) => continue,
            Err(other) => panic!("seed {seed}: {other}"),
        };
        let way = Way::ALL[seed as usize / 4 % Way::ALL.len()];
        let shipped = ship_trace(&recorded.events, way, seed);
        let known = results.wrong.len();
        results.compare(&recorded, &shipped, way, &setup);
        for wrong in &mut results.wrong[known..] {
            *wrong = format!("seed {seed}, {way:?}: {wrong}");
        }
    }
    results
}

#[test]
fn random_kernels_have_the_same_races_after_shipping() {
    let seeds = Seeds::of_test(KERNELS);
    let parts = seeds.on_all_cores(ship_and_compare);
    let sum = |of: fn(&Results) -> usize| parts.iter().map(of).sum::<usize>();
    let (shipped, racy) = (sum(|part| part.shipped), sum(|part| part.racy));
    let (not_encoded, other_pairs) = (sum(|part| part.not_encoded), sum(|part| part.other_pairs));
    let wrong: Vec<&str> = parts.iter().flat_map(|part| &part.wrong).map(String::as_str).collect();
    let first = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "{} are wrong:\n{first}", wrong.len());
    assert!(shipped > seeds.share(2), "{shipped} launches shipped");
    assert!(
        racy > seeds.share(4) && racy < shipped - seeds.share(8),
        "{racy} of {shipped} are racy"
    );
    assert!(not_encoded < seeds.share(100), "{not_encoded} launches were not written as records");
    assert!(
        other_pairs < seeds.share(50),
        "in {other_pairs} kernels the order of weak accesses mattered"
    );
}

/// What the tables of sites say is what instructions do.
#[test]
fn instructions_are_what_the_engine_says_that_they_did() {
    let machine = Machine::new().expect("there is memory for a few words");
    let (mut sites, mut wrong) = (0, Vec::new());
    for seed in 0..300 {
        let kernel = SynchronisedKernel::mixed(seed);
        let Ok(recorded) = machine.run(&kernel, &Setup::random(seed)) else { continue };
        let events: Vec<Event<'_>> = recorded.events.batch().events().collect();
        let end = events.iter().position(|event| matches!(event, Event::LaunchEnd { .. }));
        let of_launch = &events[..=end.expect("the launch has ended")];
        let Ok(encoded) = encode(of_launch, &mut Random::new(seed)) else { continue };
        let document = warpsan_ptx::Document::parse(recorded.text.clone());
        let lowered = warpsan_ir::kernel(&ModuleIndex::of(&document), &SymbolTable::new(), "k")
            .expect("it ran");
        sites += lowered.sites.len();
        let found = wrong_sites(&lowered, &encoded.launch.infos);
        wrong.extend(found.into_iter().map(|what| format!("seed {seed}: {what}")));
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(sites > 3000, "{sites} sites");
}
