//! The tools that only developers of warpsan fetch.

use std::fs;

use warpsan_toolchain::{
    Consent, ConsentSource, Decision, DeveloperTools, Error, Offer, OlderCompiler, Silent,
};

use crate::support::Machine;

#[test]
fn they_are_fetched_once_and_only_with_consent() {
    let mut machine = Machine::new();
    machine.add_python("developer");
    let environment = machine.environment();
    for decision in [Decision::Refused, Decision::NobodyToAsk] {
        let mut offered = String::new();
        let mut ask = |offer: &Offer| {
            offered = offer.to_string();
            decision
        };
        let error =
            DeveloperTools::find_or_install(&environment, &mut ask, &mut Silent).unwrap_err();
        assert!(matches!(error, Error::DeveloperToolsUnavailable { .. }), "{error}");
        assert!(error.to_string().contains("--yes"), "{error}");
        for expected in ["nvidia-cuda-cuobjdump", OlderCompiler::CUDA_VERSION, "EULA"] {
            assert!(offered.contains(expected), "{expected} is missing in:\n{offered}");
        }
    }
    assert_eq!(machine.count("pip.runs"), 0);

    let mut agree = |_: &Offer| Decision::Granted(Consent::given_by(ConsentSource::Flag));
    let tools = DeveloperTools::find_or_install(&environment, &mut agree, &mut Silent).unwrap();
    assert!(tools.cuobjdump().is_file());
    assert!(tools.older_compiler().ptxas().is_file());
    assert!(tools.older_compiler().include_folders().iter().all(|folder| folder.is_dir()));
    let saw = fs::read_to_string(machine.path("pip.saw")).unwrap();
    assert!(saw.contains("--require-hashes") && saw.contains("nvidia-cuda-nvrtc-cu12=="), "{saw}");
    assert!(!saw.contains("nvidia-nvvm"), "{saw}");

    let mut never = |_: &Offer| panic!("asked though the tools are there");
    DeveloperTools::find_or_install(&environment, &mut never, &mut Silent).unwrap();
    assert_eq!(machine.count("pip.runs"), 1);
    // They are no compiler for users, whose search does not see them.
    assert!(machine.search().find().unwrap().is_none());
}

#[test]
fn an_incomplete_fetch_is_not_used() {
    let mut machine = Machine::new();
    machine.add_python("ok");
    let mut agree = |_: &Offer| Decision::Granted(Consent::given_by(ConsentSource::Flag));
    let environment = machine.environment();
    let error = DeveloperTools::find_or_install(&environment, &mut agree, &mut Silent).unwrap_err();
    assert!(matches!(error, Error::FetchIncomplete { .. }), "{error}");
    assert!(DeveloperTools::find(&environment).is_none());
}
