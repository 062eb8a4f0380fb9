//! Every rule of the model matters: without it, the default detector is wrong about something that it is
//! right about with all rules.

mod by_hand;
mod story;

use warpsan_detect::hb::Rule;
use warpsan_oracle::differential::Machine;
use warpsan_oracle::load_bearing::{Judged, WITNESSES, shown_by};

/// Rules about several launches: the tests by hand say what is right, since the oracle cannot.
const OF_LAUNCHES: [Rule; 2] = [Rule::LaunchOrder, Rule::PrerequisiteWait];

fn kernels_that_do_not_show_their_rule(machine: &Machine) -> Vec<String> {
    let mut wrong = Vec::new();
    for (rule, seeds) in WITNESSES {
        for seed in seeds {
            let shown = match Judged::of_seed(machine, *seed) {
                Ok(judged) => shown_by(&judged, rule).map_err(|why| why.to_string()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(why) = shown {
                wrong.push(format!("{rule:?}, seed {seed}: {why}"));
            }
        }
    }
    wrong
}

#[test]
fn without_a_rule_the_detector_is_wrong_about_a_kernel() {
    let machine = Machine::new().expect("there is memory for a few words");
    let wrong = kernels_that_do_not_show_their_rule(&machine);
    assert!(
        wrong.is_empty(),
        "these kernels do not show that their rules matter; `warpsan-testkit rules --search 9000` finds \
         others:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn without_a_rule_the_detector_is_wrong_about_a_story() {
    for (rule, story) in by_hand::stories() {
        if let Err(why) = shown_by(&story.judged(), rule) {
            panic!("{rule:?}: {why}");
        }
    }
}

#[test]
fn without_the_order_of_launches_the_detector_misses_races_between_them() {
    by_hand::launches_in_two_streams_race_only_with_the_order_of_launches();
}

#[test]
fn without_waits_for_earlier_launches_the_detector_reports_what_they_order() {
    by_hand::a_programmatic_launch_is_clean_only_by_its_wait();
}

#[test]
fn every_rule_is_shown() {
    let by_hand: Vec<Rule> = by_hand::stories().iter().map(|(rule, _)| *rule).collect();
    for rule in Rule::ALL {
        let by_kernels = WITNESSES.iter().any(|(known, seeds)| *known == rule && !seeds.is_empty());
        assert!(
            by_kernels || by_hand.contains(&rule) || OF_LAUNCHES.contains(&rule),
            "nothing shows that the rule {rule:?} matters"
        );
    }
}
