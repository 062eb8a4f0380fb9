use super::*;
use std::os::unix::fs::PermissionsExt;
use warpsan_instrument::{CopiesMode, CopiesPlan, Shipping};

/// Three kernels: one with a block of its own, one that releases, which is not for hb's entries, and one that nothing is known of.
const TEXT: &str = ".version 9.0\n.target sm_90\n.address_size 64\n\
    .visible .entry first(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 1;\nret;\n}\n\
    .visible .entry second(.param .u64 p)\n.maxntid 64, 1, 1\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 2;\nret;\n}\n\
    .visible .entry third(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.release.gpu.global.u32 [%rd1], 3;\nret;\n}\n";

/// An assembler that copies the text, after it has slept so often for a moment.
fn assembler(folder: &Path, moments: u32) -> PathBuf {
    let path = folder.join("ptxas");
    let script = format!(
        "#!/bin/sh\nleft={moments}\nwhile [ $left -gt 0 ]; do sleep 0.1; left=$((left-1)); done\nfor word in \"$@\"; do case $word in *.ptx) from=$word;; *.cubin) to=$word;; esac; done\n\
         exec cp \"$from\" \"$to\"\n"
    );
    std::fs::write(&path, script).expect("a script");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    path
}

fn request(folder: &Path) -> AheadRequest {
    let document = Document::parse(TEXT.to_owned());
    assert_eq!(document.errors(), []);
    let plan = DevicePlan::HappensBefore;
    let (kernel, block, target) = ("first", [128, 1, 1], "sm_90");
    ask(folder, &document, &Wanted { kernel, block, blocks_at_once: None, target, plan });
    let requests = take_requests(folder);
    assert_eq!((requests.len(), take_requests(folder).len()), (1, 0), "once");
    requests.into_iter().next().expect("a request")
}

fn settings(folder: &Path, ptxas: PathBuf) -> AheadSettings {
    AheadSettings { plan: DevicePlan::HappensBefore, ptxas, cache: folder.join("cache"), jobs: 2 }
}

fn kept(settings: &AheadSettings) -> Vec<String> {
    let folder = std::fs::read_dir(settings.cache.join("cubins")).expect("a folder");
    let files = folder.map(|file| std::fs::read_to_string(file.expect("a file").path()));
    files.map(|text| text.expect("a text")).collect()
}

#[test]
fn the_other_kernels_of_a_module_are_assembled_for_the_block_that_is_likely() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), assembler(folder.path(), 0));
    let request = request(folder.path());
    assert_eq!(assemble_ahead(&request, &settings, &AtomicBool::new(false)), 2);
    let kept = kept(&settings);
    let has = |words: &[&str]| kept.iter().any(|text| words.iter().all(|word| text.contains(word)));
    assert!(has(&[".entry third(", ".maxntid 128, 1, 1", "ws_begin_strong"]), "shipped: {kept:?}");
    assert!(has(&[".entry second(", ".maxntid 64, 1, 1", ".minnctapersm 32"]), "{kept:?}");
    assert_eq!(kept.len(), 2, "no claims are left");
    let ship = DevicePlan::Ship(Shipping::Everything);
    let settings = AheadSettings { plan: ship, cache: folder.path().join("shipped"), ..settings };
    std::fs::write(&request.text, TEXT).expect("the text once more");
    assert_eq!(assemble_ahead(&request, &settings, &AtomicBool::new(false)), 2);
    let kept = self::kept(&settings);
    let has = |words: &[&str]| kept.iter().any(|text| words.iter().all(|word| text.contains(word)));
    assert!(has(&[".entry second(", ".maxntid 64, 1, 1"]) && !has(&[".entry first("]), "{kept:?}");
}

#[test]
fn it_ends_soon_when_the_program_has_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), assembler(folder.path(), 6000));
    let request = request(folder.path());
    let stop = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        let work = scope.spawn(|| assemble_ahead(&request, &settings, &stop));
        let begun = || std::fs::read_dir(settings.cache.join("cubins"));
        while !begun().is_ok_and(|files| files.count() > 0) {
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        work.join().expect("no panic")
    });
    assert_eq!(done, 0);
    assert_eq!(kept(&settings), [""; 0], "nothing is half made");
}

#[test]
fn libraries_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = |number: usize| format!(".visible .entry k{number}()\n{{\nret;\n}}\n");
    let text = |kernels: usize| {
        let head = ".version 9.0\n.target sm_90\n.address_size 64\n".to_owned();
        Document::parse(head + &(0..kernels).map(kernel).collect::<String>())
    };
    let entries = DevicePlan::HappensBefore;
    let copies = DevicePlan::Copies(CopiesPlan::new(CopiesMode::Detect));
    let (block, target) = ([128, 1, 1], "sm_90");
    for (kernels, plan, asked) in [
        (1, entries, 0),
        (2, entries, 1),
        (2, copies, 0),
        (MOST_KERNELS, entries, 1),
        (MOST_KERNELS + 1, entries, 0),
    ] {
        let wanted = Wanted { kernel: "k0", block, blocks_at_once: None, target, plan };
        ask(folder.path(), &text(kernels), &wanted);
        assert_eq!(take_requests(folder.path()).len(), asked, "{kernels}");
    }
}
