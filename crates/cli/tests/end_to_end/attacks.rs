//! Programs that hinder those who watch them. `cargo xtask attacks programs` runs them by themselves.

use std::path::Path;

use warpsan_testkit::attacks::programs::Attacker;
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
    let attempts = attacker.attempt_all(warpsan, &attacks, 2);
    let wrong: Vec<String> = attempts
        .into_iter()
        .flat_map(|attempt| {
            let name = attempt.name;
            attempt.wrong.into_iter().map(move |wrong| format!("{name}, {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
