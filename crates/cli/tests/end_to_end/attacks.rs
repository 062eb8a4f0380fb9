//! Programs that hinder those who watch them. `cargo xtask attacks programs` runs them by themselves.

use std::path::Path;

use warpsan_testkit::attacks::programs::{attempt, compile, names};
use warpsan_toolchain::Search;

use crate::support::build::need_compiler;

/// Each attack has a race that must not be called clean, and a twin without one that must not be accused.
#[test]
fn no_attack_makes_a_race_clean() {
    need_compiler();
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = compile(&toolchain, &root).unwrap_or_else(|error| panic!("{error:#}"));
    let warpsan = Path::new(env!("CARGO_BIN_EXE_warpsan"));
    let names = names(warpsan, &program).expect("the attacks have names");
    assert!(names.len() >= 40, "{} attacks", names.len());
    let attacks = names.iter().map(|name| attempt(warpsan, &program, name));
    let wrong: Vec<String> = attacks
        .flat_map(|attack| {
            let name = attack.name;
            attack.wrong.into_iter().map(move |wrong| format!("{name}, {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
