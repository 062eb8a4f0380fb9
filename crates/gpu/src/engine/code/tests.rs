//! Code in each form in which a program may load it.

use super::*;

const TEXT: &str =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";

/// A container with one entry of PTX for each architecture, not compressed.
fn container(texts: &[(u32, &str)]) -> Vec<u8> {
    let mut entries = Vec::new();
    for (architecture, text) in texts {
        let mut data = text.as_bytes().to_vec();
        data.resize(data.len().next_multiple_of(8), 0);
        let mut header = vec![0u8; 64];
        header[0..2].copy_from_slice(&1u16.to_le_bytes());
        header[2..4].copy_from_slice(&0x101u16.to_le_bytes());
        header[4..8].copy_from_slice(&64u32.to_le_bytes());
        header[8..16].copy_from_slice(&(data.len() as u64).to_le_bytes());
        header[26..28].copy_from_slice(&8u16.to_le_bytes());
        header[28..32].copy_from_slice(&architecture.to_le_bytes());
        header[40..48].copy_from_slice(&0x11u64.to_le_bytes());
        entries.extend(header);
        entries.extend(data);
    }
    let mut bytes = CONTAINER.to_le_bytes().to_vec();
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(16u16.to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    bytes.extend(entries);
    bytes
}

fn code(images: Vec<Image>) -> Code {
    Code { images, sources: HashMap::new(), is_asked_for: false }
}

fn of_bytes(bytes: &[u8]) -> Code {
    code(vec![Image::Bytes(bytes.to_vec())])
}

#[test]
fn a_digest_is_of_the_entry_that_is_chosen() {
    let other = TEXT.replace("sm_80", "sm_75");
    let both = of_bytes(&container(&[(75, &other), (80, TEXT)]));
    let one = of_bytes(&container(&[(80, TEXT)]));
    assert_eq!(both.digest(90), one.digest(90));
    assert_ne!(both.digest(75), one.digest(90));
    assert_eq!(both.digest(75), of_bytes(&container(&[(75, &other)])).digest(75));
    assert_ne!(
        one.digest(90),
        of_bytes(&container(&[(80, &TEXT.replace("ret", "exit"))])).digest(90)
    );
}

#[test]
fn each_architecture_has_its_own_text() {
    let mut both = of_bytes(&container(&[(75, &TEXT.replace("sm_80", "sm_75")), (80, TEXT)]));
    for (architecture, target) in [(90, "sm_80"), (75, "sm_75"), (90, "sm_80")] {
        let source = both.source(architecture).expect("text");
        assert!(source.document().text().contains(target), "{architecture}");
    }
}

#[test]
fn a_digest_is_of_all_units_in_order() {
    let first = Image::Bytes(TEXT.as_bytes().to_vec());
    let second = || Image::Bytes(TEXT.replace(" k(", " l(").into_bytes());
    let both = code(vec![first, second()]).digest(90);
    assert!(both.is_ok());
    assert_ne!(both, code(vec![second()]).digest(90));
    let other_way = code(vec![second(), Image::Bytes(TEXT.as_bytes().to_vec())]).digest(90);
    assert_ne!(both, other_way);
}

#[test]
fn where_there_is_no_text_there_is_no_digest_for_the_same_reason() {
    let images: [fn() -> Image; 4] = [
        || Image::Nothing(CodeError::LinkedFromMachineCode),
        || Image::Bytes(b"\x7fELF and more".to_vec()),
        || Image::Bytes(container(&[(100, TEXT)])),
        || image_in(Path::new("/no/such/file.ptx")),
    ];
    for image in images {
        let reason = code(vec![image()]).digest(90).expect_err("no text");
        let mut code = code(vec![image()]);
        assert_eq!(code.source(90).err(), Some(reason));
    }
}

#[test]
fn a_file_may_be_gone_once_it_was_loaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.ptx");
    std::fs::write(&file, TEXT).expect("a file");
    let mut code = Code::of(CodeSource::File(&file));
    std::fs::remove_file(&file).expect("it is there");
    assert_eq!(code.source(90).expect("text").document().text(), TEXT);
}

#[test]
fn text_is_read_up_to_its_zero() {
    let mut code = of_bytes(format!("{TEXT}\0and what follows").as_bytes());
    assert_eq!(code.digest(90), of_bytes(TEXT.as_bytes()).digest(90));
    let source = code.source(90).expect("text");
    assert_eq!(source.document().text(), TEXT);
}
