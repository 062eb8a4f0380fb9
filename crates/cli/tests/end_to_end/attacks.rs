//! Programs that hinder those who watch them. `cargo xtask attacks programs` runs them by themselves.

use std::path::Path;

use warpsan_testkit::attacks::programs::{Attack, Attacker};
use warpsan_toolchain::Search;

use crate::support::build::need_compiler;

/// Each attack has a race that must not be called clean, and a twin without one that must not be accused.
#[test]
fn no_attack_makes_a_race_clean() {
    need_compiler();
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let attacker = Attacker::compile(&toolchain, &root).unwrap_or_else(|error| panic!("{error:#}"));
    let warpsan = Path::new(env!("CARGO_BIN_EXE_warpsan"));
    let attacks = attacker.attacks(warpsan).expect("the attacks have names");
    assert!(attacks.len() >= 150, "{} attacks", attacks.len());
    let wrong = |attacks: &[Attack]| -> Vec<(String, String)> {
        let attempts = attacker.attempt_all(warpsan, attacks, 2).into_iter();
        attempts
            .flat_map(|attempt| {
                let name = attempt.name;
                attempt.wrong.into_iter().map(move |wrong| (name.clone(), wrong))
            })
            .collect()
    };
    let first = wrong(&attacks);
    // Work that a program without a race has left when it ends is named, and on a busy machine more may be left. A race
    // that was not found is wrong at once.
    let is_named = |wrong: &str| wrong.starts_with("clean: it ended with 3");
    let missed: Vec<_> = first.iter().filter(|(_, wrong)| !is_named(wrong)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let again: Vec<Attack> = attacks
        .into_iter()
        .filter(|attack| first.iter().any(|(name, _)| *name == attack.in_words()))
        .collect();
    assert_eq!(wrong(&again), []);
}
