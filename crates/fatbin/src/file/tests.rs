//! Files of every format that nvcc writes, and broken ones.

use super::*;
use crate::container::handmade::{
    ElfHeader, Entry, PROGRAM, SPECIFIC, archive, container, cubin_header, elf,
};
use crate::{Suffix, machine_functions};
use proptest::prelude::*;

fn ptx(architecture: u32) -> Entry<'static> {
    Entry { architecture, data: b".version 9.0", ..Entry::default() }
}

fn program() -> Vec<u8> {
    let code = elf(&cubin_header(90), &[(".text.k", b"code")], &[("k", 0x10)]);
    let mut executable = container(&[Entry { kind: 2, data: &code, ..Entry::default() }]);
    // Padding, as the linker puts it between objects.
    executable.extend_from_slice(&[0; 12]);
    executable.extend_from_slice(&container(&[ptx(80), ptx(90)]));
    let relocatable = container(&[ptx(75)]);
    let sections = [
        (".text", b"host".as_slice()),
        (".nv_fatbin", &executable),
        ("__nv_relfatbin", &relocatable),
    ];
    elf(&PROGRAM, &sections, &[])
}

#[test]
fn a_program_has_containers_in_two_sections() {
    let bytes = program();
    let file = FatFile::open(&bytes).unwrap();
    assert_eq!(file.faults, []);
    assert_eq!((file.format, file.container_count()), (FileFormat::Program, 3));
    let found: Vec<_> = file
        .images
        .iter()
        .map(|image| (image.kind, image.architecture.number, image.place, image.container))
        .collect();
    assert_eq!(
        found,
        [
            (ImageKind::Elf, 90, Place::Executable, 0),
            (ImageKind::Ptx, 80, Place::Executable, 1),
            (ImageKind::Ptx, 90, Place::Executable, 1),
            (ImageKind::Ptx, 75, Place::Relocatable, 2),
        ]
    );
    for image in &file.images {
        let at = image.offset() as usize;
        assert_eq!(*image.bytes().unwrap(), bytes[at..at + image.size as usize]);
    }
}

#[test]
fn a_program_without_cuda_code_has_no_images() {
    let bytes = elf(&PROGRAM, &[(".text", b"host")], &[]);
    let file = FatFile::open(&bytes).unwrap();
    assert!(file.images.is_empty() && file.faults.is_empty());
}

#[test]
fn an_archive_lists_its_members() {
    let object =
        elf(&ElfHeader { kind: 1, ..PROGRAM }, &[(".nv_fatbin", &container(&[ptx(90)]))], &[]);
    assert_eq!(FatFile::open(&object).unwrap().format, FileFormat::Object);
    let bytes = archive(&[
        ("a.o", &object),
        ("notes.txt", b"nothing to see"),
        ("broken.o", b"\x7fELF"),
        ("b.fatbin", &container(&[ptx(80)])),
    ]);
    let file = FatFile::open(&bytes).unwrap();
    assert_eq!(file.format, FileFormat::Archive);
    let found: Vec<_> = file
        .images
        .iter()
        .map(|image| (image.member, image.architecture.number, image.container, image.ordinal))
        .collect();
    assert_eq!(found, [(Some("a.o"), 90, 0, 1), (Some("b.fatbin"), 80, 1, 2)]);
    assert_eq!(file.faults.len(), 1, "{:?}", file.faults);
    let thin = FatFile::open(b"!<thin>\n").unwrap_err();
    assert!(thin.to_string().contains("thin"), "{thin}");
}

#[test]
fn a_cubin_says_its_architecture_and_its_kernels() {
    let code = (".text.k", b"code".as_slice());
    let open = |header: &ElfHeader, sections: &[(&str, &[u8])]| {
        let bytes = elf(header, sections, &[("k", 0x10), ("f", 0)]);
        let file = FatFile::open(&bytes).unwrap();
        assert_eq!((file.format, file.images.len()), (FileFormat::Cubin, 1));
        let functions = machine_functions(&bytes).unwrap();
        let names: Vec<_> = functions.iter().map(|f| (f.name.as_str(), f.is_kernel)).collect();
        assert_eq!(names, [("k", true), ("f", false)]);
        file.images[0].architecture.to_string()
    };
    assert_eq!(open(&cubin_header(120), &[code]), "sm_120");
    let attributes = [4, 11, 2, 0, 9, 9, 2, 9, 1, 0];
    assert_eq!(open(&cubin_header(90), &[code, (".nv.compat", &attributes)]), "sm_90a");
    let attributes = [2, 9, 0, 0];
    assert_eq!(open(&cubin_header(90), &[code, (".nv.compat", &attributes)]), "sm_90");
    let old = |flags| ElfHeader { flags, abi_version: 7, ..cubin_header(0) };
    assert_eq!(open(&old(0x5a_0d5a), &[code]), "sm_90a");
    assert_eq!(open(&old(0x32_0532), &[code]), "sm_50");
    let flag = ElfHeader { flags: 0x600_640a, ..cubin_header(0) };
    assert_eq!(open(&flag, &[code]), "sm_100a");
}

#[test]
fn ptx_text_is_one_image() {
    let text = b"// Generated\n.version 8.8\n.target sm_100f, debug\n.address_size 64\n";
    let file = FatFile::open(text).unwrap();
    let image = &file.images[0];
    assert_eq!((file.format, image.version, image.debug), (FileFormat::Ptx, (8, 8), true));
    assert_eq!(image.architecture, Architecture { number: 100, suffix: Suffix::Family });
    assert_eq!(image.text().unwrap().as_bytes(), text);
    assert_eq!(FatFile::of_ptx_text(b"nonsense").images[0].text().unwrap(), "nonsense");
}

#[test]
fn other_files_are_refused_with_their_first_bytes() {
    let says = |bytes: &[u8], expected: &str| {
        let error = FatFile::open(bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    says(b"", "it is empty");
    says(b"#include <cstdio>", "#include");
    says(&[0xff; 40], "ff");
    says(b"\x7fELF", "cut off");
    says(b"\x7fELF, but not really, and long enough for a header of 64 bytes", "is broken");
}

#[test]
fn what_is_whole_is_listed_beside_what_is_broken() {
    let mut bytes = container(&[ptx(80)]);
    bytes.extend_from_slice(b"stray");
    bytes.extend_from_slice(&container(&[ptx(90)]));
    let cut_off = container(&[ptx(100), ptx(120)]);
    bytes.extend_from_slice(&cut_off[..cut_off.len() - 4]);
    let file = FatFile::open(&bytes).unwrap();
    let found: Vec<_> = file.images.iter().map(|image| image.architecture.number).collect();
    assert_eq!(found, [80, 90, 100]);
    let faults: Vec<_> = file.faults.iter().map(ToString::to_string).collect();
    assert!(faults[0].contains("5 bytes at byte 0x68 belong to no fat binary"), "{faults:?}");
    assert!(faults[1].contains("a fat binary needs"), "{faults:?}");
    assert!(faults[2].contains("the data of an image needs"), "{faults:?}");
}

#[test]
fn sections_over_the_same_bytes_are_read_once() {
    let data = container(&[ptx(90)]);
    let sections: Vec<(&str, &[u8])> = vec![(".nv_fatbin", &data); 20];
    let mut bytes = elf(&PROGRAM, &sections, &[]);
    let table = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let first = bytes[table + 64 + 24..table + 64 + 32].to_vec();
    for section in 2..=20 {
        let at = table + section * 64 + 24;
        bytes[at..at + 8].copy_from_slice(&first);
    }
    let file = FatFile::open(&bytes).unwrap();
    assert_eq!((file.images.len(), file.faults.len()), (1, 19));
}

#[test]
fn many_faults_are_cut_short() {
    let mut bytes = Vec::new();
    for _ in 0..100 {
        bytes.extend_from_slice(&MAGIC);
    }
    let file = FatFile::open(&bytes).unwrap();
    assert_eq!(file.faults.len(), MOST_FAULTS + 1);
    assert!(matches!(file.faults.last(), Some(FatbinError::Others { .. })));
}

/// Reads all that there is to read.
fn read_all(bytes: &[u8]) {
    let Ok(file) = FatFile::open(bytes) else { return };
    let limit = 20 * bytes.len() as u64;
    for image in &file.images {
        let _ = image.text_within(limit);
        if let Ok(code) = image.bytes_within(limit) {
            let _ = machine_functions(&code);
        }
        let _ = image.extracted_name("file".as_ref());
    }
    for choice in file.choose(Architecture::plain(90)) {
        for warning in &choice.warnings {
            assert!(!warning.to_string().is_empty());
        }
    }
}

proptest! {
    #[test]
    fn damaged_files_never_panic(
        which in 0usize..4,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let compat = [2, 9, 1, 0];
        let cubin = elf(
            &cubin_header(90),
            &[(".text.k", b"code"), (".nv.compat", &compat)],
            &[("k", 0x10)],
        );
        let fatbin = container(&[
            Entry { kind: 2, data: &cubin, flags: SPECIFIC, ..Entry::default() },
            ptx(90),
        ]);
        let mut bytes = match which {
            0 => program(),
            1 => archive(&[("a.o", &program()), ("b.cubin", &cubin)]),
            2 => cubin,
            _ => fatbin,
        };
        for (place, byte) in damage {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(&bytes);
    }

    #[test]
    fn any_bytes_never_panic(
        start in prop::sample::select(vec![
            b"".as_slice(), b"\x7fELF\x02\x01\x01", b"\x7fELF\x01\x01\x01", &MAGIC, b"!<arch>\n", b".",
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        read_all(&[start, &rest].concat());
    }
}
