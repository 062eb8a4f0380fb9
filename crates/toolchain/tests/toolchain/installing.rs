//! The installation: consent, completeness, failure, and several at once.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Barrier;

use warpsan_toolchain::{
    Consent, ConsentSource, Decision, Error, Installer, Offer, Origin, Progress, ProgressEvent,
    Silent,
};

use crate::support::Machine;

fn consent() -> Consent {
    Consent::given_by(ConsentSource::Flag)
}

fn installer(machine: &Machine) -> Installer {
    Installer::new(&machine.environment()).unwrap()
}

/// Names in the folder of toolchains, the lock aside.
fn shelf(machine: &Machine) -> Vec<String> {
    let entries = fs::read_dir(machine.path("home/.cache/warpsan/toolchain")).unwrap();
    let names = entries.flatten().map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name != "lock").collect()
}

/// The names of the events, each once.
#[derive(Default)]
struct Recorder(Vec<&'static str>);

impl Progress for Recorder {
    fn report(&mut self, event: ProgressEvent<'_>) {
        let name = match event {
            ProgressEvent::WaitingForOther { .. } => "waiting",
            ProgressEvent::Started { .. } => "started",
            ProgressEvent::Advanced { done, total, .. } => {
                assert!(done <= total);
                "advanced"
            }
            ProgressEvent::Finished { root } => {
                assert!(root.is_dir());
                "finished"
            }
        };
        if self.0.last() != Some(&name) {
            self.0.push(name);
        }
    }
}

#[test]
fn an_installation_is_complete_found_again_and_made_once() {
    let mut machine = Machine::new();
    machine.add_python("slow");
    let installer = installer(&machine);
    assert!(installer.installed().is_none());
    let mut recorder = Recorder::default();
    let toolkit = installer.install(consent(), &mut recorder).unwrap();
    assert_eq!(recorder.0, ["started", "advanced", "finished"]);
    let link = fs::read_link(toolkit.root().join("lib/libcudart.so")).unwrap();
    assert_eq!(link, Path::new("libcudart.so.13"));
    let folder = installer.offer().destination.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(shelf(&machine), [folder]);

    assert_eq!(machine.toolchain().toolkit().origin(), Origin::Cache);
    assert_eq!(machine.toolchain().toolkit().root(), toolkit.root());
    installer.install(consent(), &mut Silent).unwrap();
    assert_eq!(machine.count("pip.runs"), 1);
}

#[test]
fn pip_has_to_check_hashes_and_keeps_the_users_settings() {
    let mut machine = Machine::new();
    machine.set("PIP_INDEX_URL", "https://mirror.invalid/simple");
    machine.set("PIP_USER", "1");
    machine.set("PIP_PREFIX", "/elsewhere");
    machine.add_python("ok");
    installer(&machine).install(consent(), &mut Silent).unwrap();
    let saw = fs::read_to_string(machine.path("pip.saw")).unwrap();
    for expected in [
        "--no-deps --only-binary=:all: --require-hashes",
        "PIP_INDEX_URL=https://mirror.invalid/simple",
        "PIP_USER=0",
        "nvidia-cuda-nvcc==13.0.88 \\\n    --hash=sha256:",
    ] {
        assert!(saw.contains(expected), "{expected} is missing in:\n{saw}");
    }
    assert!(!saw.contains("PIP_PREFIX"), "{saw}");
    let folder = saw.lines().next().unwrap();
    assert!(folder.contains("/toolchain/staging-"), "pip ran in {folder}");
}

#[test]
fn a_failing_pip_leaves_nothing_and_the_error_says_all() {
    let mut machine = Machine::new();
    machine.add_python("fail");
    let error = installer(&machine).install(consent(), &mut Silent).unwrap_err();
    assert!(matches!(error, Error::FetchFailed { .. }), "{error}");
    let text = error.to_string();
    for expected in
        ["nvidia-cuda-nvcc 13.0.88", "index cannot be reached", "CUDA_HOME", "--cuda-path"]
    {
        assert!(text.contains(expected), "{expected} is missing in:\n{text}");
    }
    assert_eq!(shelf(&machine), [""; 0]);
    machine.add_python("ok");
    installer(&machine).install(consent(), &mut Silent).unwrap();
}

#[test]
fn an_installation_that_lacks_a_file_is_not_used() {
    let mut machine = Machine::new();
    machine.add_python("incomplete");
    let error = installer(&machine).install(consent(), &mut Silent).unwrap_err();
    assert!(
        matches!(error, Error::FetchIncomplete { missing: "nvidia/cu13/nvvm/bin/cicc" }),
        "{error}"
    );
    assert_eq!(shelf(&machine), [""; 0]);
    assert!(machine.search().find().unwrap().is_none());
}

#[test]
fn a_folder_without_a_valid_marker_is_never_used_and_gets_replaced() {
    let mut machine = Machine::new();
    machine.add_python("ok");
    let installer = installer(&machine);
    let root = installer.install(consent(), &mut Silent).unwrap().root().to_path_buf();
    let marker = installer.offer().destination.join("complete.txt");
    let text = fs::read_to_string(&marker).unwrap();
    for damaged in
        [None, Some(""), Some(&text[..text.len() - 1]), Some(&text.replace(".88", ".89"))]
    {
        fs::remove_file(&marker).unwrap();
        if let Some(damaged) = damaged {
            fs::write(&marker, damaged).unwrap();
        }
        fs::write(root.join("left over"), "").unwrap();
        assert!(installer.installed().is_none(), "{damaged:?}");
        assert!(machine.search().find().unwrap().is_none(), "{damaged:?}");
        installer.install(consent(), &mut Silent).unwrap();
        assert!(installer.installed().is_some());
        assert!(!root.join("left over").exists());
        assert_eq!(shelf(&machine).len(), 1);
    }
    assert_eq!(machine.count("pip.runs"), 5);
}

#[test]
fn many_at_once_give_one_installation_and_the_others_wait() {
    let mut machine = Machine::new();
    machine.add_python("slow");
    let installer = installer(&machine);
    let start = Barrier::new(4);
    let install = || {
        let mut recorder = Recorder::default();
        start.wait();
        let toolkit = installer.install(consent(), &mut recorder).unwrap();
        (toolkit.root().to_path_buf(), recorder.0)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(install)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(machine.count("pip.runs"), 1);
    assert!(results.iter().all(|(root, _)| *root == results[0].0));
    let with = |name| results.iter().filter(|(_, events)| events.contains(&name)).count();
    assert_eq!((with("started"), with("finished")), (1, 1), "{results:?}");
    assert!(with("waiting") >= 1, "{results:?}");
}

#[test]
fn nothing_is_fetched_without_consent() {
    let mut machine = Machine::new();
    machine.add_python("ok");
    let mut offers = Vec::new();
    for decision in [Decision::Refused, Decision::NobodyToAsk] {
        let mut ask = |offer: &Offer| {
            offers.push(offer.to_string());
            decision
        };
        let error = machine.search().find_or_install(&mut ask, &mut Silent).unwrap_err();
        match decision {
            Decision::Refused => assert!(matches!(error, Error::ConsentRefused), "{error}"),
            _ => assert!(error.to_string().contains("nvidia-nvvm 13.0.88"), "{error}"),
        }
        assert!(error.to_string().contains("CUDA_HOME"), "{error}");
    }
    assert_eq!(offers.len(), 2);
    assert_eq!(machine.count("pip.runs"), 0);
    assert!(!machine.path("home/.cache").exists());

    let mut agree = |_: &Offer| Decision::Granted(consent());
    machine.search().find_or_install(&mut agree, &mut Silent).unwrap();
    assert_eq!(machine.count("pip.runs"), 1);
    let mut never = |_: &Offer| panic!("asked though a compiler is there");
    machine.search().find_or_install(&mut never, &mut Silent).unwrap();
}

#[test]
fn a_missing_python_and_a_missing_pip_are_different_errors() {
    let mut machine = Machine::new();
    let error = installer(&machine).install(consent(), &mut Silent).unwrap_err();
    assert!(matches!(error, Error::PythonMissing { .. }), "{error}");
    machine.add_python("absent");
    let error = installer(&machine).install(consent(), &mut Silent).unwrap_err();
    assert!(matches!(error, Error::PipMissing { .. }), "{error}");
    assert!(error.to_string().contains("No module named pip"), "{error}");
    assert_eq!(shelf(&machine), [""; 0]);
}

#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let mut machine = Machine::new();
    machine.add_python("ok");
    machine.write("file", "");
    machine.set("WARPSAN_CACHE_DIR", machine.path("file/below"));
    let error = installer(&machine).install(consent(), &mut Silent).unwrap_err().to_string();
    assert!(error.contains("file/below"), "{error}");
    symlink("/nonexistent/warpsan", machine.path("dangling")).unwrap();
    machine.set("WARPSAN_CACHE_DIR", machine.path("dangling"));
    let error = installer(&machine).install(consent(), &mut Silent).unwrap_err().to_string();
    assert!(error.contains("dangling"), "{error}");
}
