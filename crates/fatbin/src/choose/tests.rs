use super::*;
use crate::Container;
use crate::container::handmade::{
    Entry, FAMILY, PROGRAM, SPECIFIC, Symbol, container, cubin_header, elf,
};

/// A container with images like `ptx 90a` and `elf 80`, and the choice for a device in words.
fn chosen(images: &[&str], device: &str) -> (String, String, Vec<String>) {
    let entries: Vec<Entry<'_>> = images
        .iter()
        .map(|image| {
            let (kind, architecture) = image.split_once(' ').unwrap();
            let architecture: Architecture = architecture.parse().unwrap();
            Entry {
                kind: match kind {
                    "ptx" => 1,
                    "elf" => 2,
                    _ => 8,
                },
                architecture: architecture.number,
                flags: match architecture.to_string().as_bytes().last() {
                    Some(b'a') => SPECIFIC,
                    Some(b'f') => FAMILY,
                    _ => 0,
                },
                ..Entry::default()
            }
        })
        .collect();
    let bytes = container(&entries);
    let container = Container::parse(&bytes).unwrap();
    let choice = choose(&container.images, device.parse().unwrap());
    let name = |image: Option<&Image<'_>>| {
        image.map_or("none".to_string(), |image| image.architecture.to_string())
    };
    let warnings = choice.warnings.iter().map(ToString::to_string).collect();
    (name(choice.ptx), name(choice.machine_code), warnings)
}

/// The cases up to the empty line were tried on an H200.
#[test]
fn the_choice_is_the_drivers() {
    let runs = |images: &[&str], device: &str| {
        let (ptx, code, _) = chosen(images, device);
        if code == "none" { format!("ptx {ptx}") } else { format!("elf {code}") }
    };
    assert_eq!(runs(&["ptx 90", "ptx 90a"], "sm_90"), "ptx sm_90a");
    assert_eq!(runs(&["ptx 90a", "ptx 90"], "sm_90"), "ptx sm_90a");
    assert_eq!(runs(&["elf 90", "elf 90a"], "sm_90"), "elf sm_90a");
    assert_eq!(runs(&["elf 80", "ptx 90"], "sm_90"), "ptx sm_90");
    assert_eq!(runs(&["elf 90", "ptx 90a"], "sm_90"), "elf sm_90");
    assert_eq!(runs(&["ptx 80", "ptx 75"], "sm_90"), "ptx sm_80");
    assert_eq!(runs(&["ptx 100", "ptx 80"], "sm_90"), "ptx sm_80");
    assert_eq!(runs(&["ptx 100f"], "sm_90"), "ptx none");

    assert_eq!(runs(&["ptx 100", "ptx 100f", "ptx 90"], "sm_103"), "ptx sm_100f");
    assert_eq!(runs(&["ptx 90a", "ptx 80"], "sm_100"), "ptx sm_80");
}

#[test]
fn ptx_for_the_same_architecture_needs_no_warning() {
    for images in [&["elf 90", "ptx 90"][..], &["ptx 80"], &["elf 80", "ptx 80"], &[]] {
        assert_eq!(chosen(images, "sm_90").2, Vec::<String>::new(), "{images:?}");
    }
    assert_eq!(chosen(&["elf 80", "ptx 80"], "sm_86").2, Vec::<String>::new());
}

#[test]
fn what_is_missing_is_said_with_the_flag_that_adds_it() {
    let warns = |images: &[&str], device: &str, expected: &[&str]| {
        let (_, _, warnings) = chosen(images, device);
        let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
        for text in expected {
            assert!(warning.contains(text), "{warning}");
        }
    };
    let compute_90 = "-gencode arch=compute_90,code=compute_90";
    warns(&["elf 90", "ptx 80"], "sm_90", &["code for sm_90", "PTX is for sm_80", compute_90]);
    warns(&["elf 80", "elf 90"], "sm_90", &["machine code for sm_80, sm_90 and no", compute_90]);
    warns(&["elf 90a"], "sm_90", &["-gencode arch=compute_90a,code=compute_90a"]);
    warns(&["ptx 100", "ptx 120"], "sm_90", &["for sm_100, sm_120 only", compute_90]);
    warns(&["lto 90"], "sm_90", &["link-time optimisation", compute_90]);
}

/// Machine code with these kernels.
fn code(kernels: &[&str]) -> Vec<u8> {
    let symbols: Vec<Symbol<'_>> = kernels.iter().map(|name| (*name, 0x10)).collect();
    match kernels {
        [] => elf(&cubin_header(90), &[(".nv.info", b"")], &[]),
        _ => elf(&cubin_header(90), &[(".text.k", b"code")], &symbols),
    }
}

fn warnings_of_program(linked: &[&[&str]], parts: &[&[&str]]) -> usize {
    let entry = |kernels: &[&str]| {
        let data = code(kernels);
        container(&[Entry { kind: 2, data: &data, ..Entry::default() }])
    };
    let with_ptx = |kernels: &[&str]| {
        let data = code(kernels);
        container(&[Entry { kind: 2, data: &data, ..Entry::default() }, Entry::default()])
    };
    let executable: Vec<u8> = linked.iter().flat_map(|kernels| entry(kernels)).collect();
    let relocatable: Vec<u8> = parts.iter().flat_map(|kernels| with_ptx(kernels)).collect();
    let bytes =
        elf(&PROGRAM, &[(".nv_fatbin", &executable), ("__nv_relfatbin", &relocatable)], &[]);
    let file = FatFile::open(&bytes).unwrap();
    assert_eq!(file.faults, []);
    file.choose(Architecture::plain(90)).iter().map(|choice| choice.warnings.len()).sum()
}

#[test]
fn code_that_was_linked_from_parts_with_ptx_needs_no_warning() {
    assert_eq!(warnings_of_program(&[&["k", "l"]], &[&["k"], &["l"]]), 0);
    assert_eq!(warnings_of_program(&[&["k", "l"], &["other"]], &[&["k"], &["l"]]), 1);
    assert_eq!(warnings_of_program(&[&["k"]], &[]), 1);
}

#[test]
fn a_placeholder_without_code_needs_no_warning() {
    assert_eq!(warnings_of_program(&[&[]], &[]), 0);
    assert_eq!(warnings_of_program(&[&[], &["k"]], &[]), 1);
}
