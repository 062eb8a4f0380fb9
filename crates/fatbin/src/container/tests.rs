//! Containers: well-formed ones, broken ones, and their images.

use super::handmade::{Entry, FAMILY, LZ4, SPECIFIC, ZSTD, container};
use super::*;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const TEXT: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

fn compressed() -> [(u64, Vec<u8>); 3] {
    [
        (0, TEXT.as_bytes().to_vec()),
        (LZ4, lz4_flex::block::compress(TEXT.as_bytes())),
        (ZSTD, compress_to_vec(TEXT.as_bytes(), CompressionLevel::Fastest)),
    ]
}

#[test]
fn text_comes_back_from_every_compression() {
    for (flags, data) in compressed() {
        let entry = Entry { flags, data: &data, size: TEXT.len() as u64, ..Entry::default() };
        let bytes = container(&[entry]);
        let parsed = Container::parse(&bytes).unwrap();
        assert_eq!(parsed.images[0].text().unwrap(), TEXT, "{flags:#x}");
    }
}

#[test]
fn text_ends_before_the_zeros_that_it_is_padded_with() {
    let bytes = container(&[Entry { data: b"abc\0", ..Entry::default() }]);
    let parsed = Container::parse(&bytes).unwrap();
    assert_eq!(parsed.images[0].bytes().unwrap().len(), 8);
    assert_eq!(parsed.images[0].text().unwrap(), "abc");
}

#[test]
fn all_fields_of_an_entry_are_read() {
    let bytes = container(&[
        Entry {
            flags: 0x13 | SPECIFIC,
            name: "dir/a.cu ",
            options: " -g --compile-only ",
            data: b"text",
            ..Entry::default()
        },
        Entry { kind: 2, architecture: 100, flags: FAMILY, ..Entry::default() },
        Entry { kind: 8, ..Entry::default() },
        Entry { kind: 77, ..Entry::default() },
        Entry::default(),
    ]);
    let images = Container::parse(&bytes).unwrap().images;
    let first = &images[0];
    assert_eq!((first.kind, first.architecture.to_string()), (ImageKind::Ptx, "sm_90a".into()));
    assert_eq!((first.debug, first.wide_addresses, first.version), (true, true, (9, 0)));
    assert_eq!((&*first.name, &*first.options), ("dir/a.cu", "-g --compile-only"));
    assert!(first.is_relocatable());
    assert_eq!(images[1].architecture.to_string(), "sm_100f");
    assert!(!images[1].wide_addresses && !images[1].debug && !images[1].is_relocatable());
    let kinds: Vec<_> = images[1..].iter().map(|image| image.kind).collect();
    assert_eq!(kinds, [ImageKind::Elf, ImageKind::LtoIr, ImageKind::Other(77), ImageKind::Ptx]);
    assert_eq!(images.iter().map(|image| image.ordinal).collect::<Vec<_>>(), [1, 1, 1, 1, 2]);
}

#[test]
fn images_are_named_as_cuobjdump_names_them() {
    let name = |entry: Entry<'_>, file: &str| {
        let bytes = container(&[Entry::default(), entry]);
        Container::parse(&bytes).unwrap().images[1].extracted_name(file.as_ref())
    };
    let plain = Entry::default();
    assert_eq!(name(plain, "x/lib.b.so.10").unwrap(), "lib.b.so.2.sm_90.ptx");
    let sources = Entry { kind: 2, name: "s/x.y.cu s/b.cu ", ..Entry::default() };
    assert_eq!(name(sources, "app").unwrap(), "x.y-b.sm_90.cubin");
    let family = |kind| Entry { kind, architecture: 100, flags: FAMILY, ..Entry::default() };
    assert_eq!(name(family(1), "app").unwrap(), "app.2.sm_100f.ptx");
    assert_eq!(name(family(2), "app").unwrap(), "app.1.sm_100.cubin");
    assert_eq!(name(family(8), "app"), None);
}

#[test]
fn only_ptx_has_text() {
    let bytes = container(&[
        Entry { kind: 2, data: b"text", ..Entry::default() },
        Entry { data: b"ab\xff", ..Entry::default() },
    ]);
    let images = Container::parse(&bytes).unwrap().images;
    assert!(images[0].text().unwrap_err().to_string().contains("is machine code, not PTX"));
    assert!(images[1].text().unwrap_err().to_string().contains("byte 2 of it is not UTF-8"));
}

#[test]
fn a_container_without_entries_is_good() {
    assert!(Container::parse(&container(&[])).unwrap().images.is_empty());
}

#[test]
fn broken_containers_say_what_is_wrong_and_where() {
    let says = |bytes: &[u8], expected: &str| {
        let error = Container::parse(bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    says(&[0; 64], "starts with 0x00000000");
    says(&[], "cut off at byte 0x0");
    let whole = container(&[Entry { data: TEXT.as_bytes(), name: "a.cu", ..Entry::default() }]);
    for length in 0..whole.len() {
        assert!(Container::parse(&whole[..length]).is_err(), "{length}");
    }
    let with = |at: usize, bytes: &[u8]| {
        let mut broken = whole.clone();
        broken[at..at + bytes.len()].copy_from_slice(bytes);
        broken
    };
    says(&with(4, &[2]), "has version 2");
    says(&with(6, &[8]), "the size of a fat binary's header at byte 0x6 is 8");
    says(&with(16 + 4, &[63]), "the size of an image's header at byte 0x14 is 63");
    says(&with(16 + 8, &[0xff; 8]), "the data of an image needs 18446744073709551615 bytes");
    says(&with(16 + 40, &[0, 0xa0]), "the compression of an image at byte 0x38");
    says(&with(16 + 36, &[0xff; 4]), "an image's name needs 4294967295 bytes");
    says(&with(16 + 20, &[0xff; 4]), "an image's options needs 4 bytes");
}

#[test]
fn broken_data_says_so_when_it_is_asked_for() {
    let entry = Entry { flags: ZSTD, data: b"not zstd", size: 8, ..Entry::default() };
    let bytes = container(&[entry]);
    let error = Container::parse(&bytes).unwrap().images[0].text().unwrap_err();
    assert!(error.to_string().contains("the zstd data at byte 0x58 is broken"), "{error}");
}

proptest! {
    #[test]
    fn damaged_containers_never_panic(
        which in 0usize..3,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        cut_it in any::<bool>(),
    ) {
        let (flags, data) = Vec::from(compressed()).swap_remove(which);
        let entry = |flags| Entry {
            flags,
            data: &data,
            size: TEXT.len() as u64,
            name: "a.cu",
            options: "-g",
            ..Entry::default()
        };
        let mut bytes = container(&[entry(flags), entry(flags | SPECIFIC)]);
        for (place, byte) in damage {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if cut_it {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(parsed) = Container::parse(&bytes) {
            for image in &parsed.images {
                if let Ok(text) = image.text_within(1 << 20) {
                    prop_assert!(text.len() <= 1 << 20);
                }
            }
        }
    }
}
