//! Containers and files laid out by hand, for tests.

use crate::CONTAINER_MAGIC;

/// What an entry is made of.
pub(crate) struct Entry<'a> {
    pub(crate) kind: u16,
    pub(crate) architecture: u32,
    pub(crate) flags: u64,
    pub(crate) data: &'a [u8],
    pub(crate) size: u64,
    pub(crate) name: &'a str,
    pub(crate) options: &'a str,
}

impl Default for Entry<'_> {
    fn default() -> Self {
        Entry { kind: 1, architecture: 90, flags: 0x11, data: b"", size: 0, name: "", options: "" }
    }
}

pub(crate) const LZ4: u64 = 0x2000;
pub(crate) const ZSTD: u64 = 0x8000;
pub(crate) const SPECIFIC: u64 = 0x10_0000;
pub(crate) const FAMILY: u64 = 0x20_0000;

/// An entry as nvcc lays it out: the fixed header, the name, the options, the data.
pub(crate) fn entry(entry: &Entry<'_>) -> Vec<u8> {
    let mut texts = entry.name.as_bytes().to_vec();
    texts.resize(texts.len().next_multiple_of(8), 0);
    let options_at = 64 + texts.len() as u32;
    texts.extend_from_slice(&(options_at + 8).to_le_bytes());
    texts.extend_from_slice(&(entry.options.len() as u32).to_le_bytes());
    texts.extend_from_slice(entry.options.as_bytes());
    texts.resize(texts.len().next_multiple_of(8), 0);
    let mut data = entry.data.to_vec();
    data.resize(data.len().next_multiple_of(8), 0);

    let mut bytes = Vec::new();
    bytes.extend_from_slice(&entry.kind.to_le_bytes());
    bytes.extend_from_slice(&0x101u16.to_le_bytes());
    bytes.extend_from_slice(&(64 + texts.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
    let compressed = if entry.flags & (LZ4 | ZSTD) == 0 { 0 } else { entry.data.len() as u32 };
    bytes.extend_from_slice(&compressed.to_le_bytes());
    bytes.extend_from_slice(&options_at.to_le_bytes());
    bytes.extend_from_slice(&0u16.to_le_bytes());
    bytes.extend_from_slice(&9u16.to_le_bytes());
    bytes.extend_from_slice(&entry.architecture.to_le_bytes());
    bytes.extend_from_slice(&64u32.to_le_bytes());
    bytes.extend_from_slice(&(entry.name.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&entry.flags.to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&entry.size.to_le_bytes());
    assert_eq!(bytes.len(), 64);
    bytes.extend_from_slice(&texts);
    bytes.extend_from_slice(&data);
    bytes
}

/// A container with these entries.
pub(crate) fn container(entries: &[Entry<'_>]) -> Vec<u8> {
    let entries: Vec<u8> = entries.iter().flat_map(entry).collect();
    let mut bytes = CONTAINER_MAGIC.to_le_bytes().to_vec();
    bytes.extend_from_slice(&1u16.to_le_bytes());
    bytes.extend_from_slice(&16u16.to_le_bytes());
    bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&entries);
    bytes
}

/// What an ELF file says about itself in its header.
pub(crate) struct ElfHeader {
    pub(crate) kind: u16,
    pub(crate) machine: u16,
    pub(crate) abi_version: u8,
    pub(crate) flags: u32,
}

/// An executable for x86-64.
pub(crate) const PROGRAM: ElfHeader = ElfHeader { kind: 2, machine: 62, abi_version: 0, flags: 0 };

/// Machine code in the form of CUDA 13.
pub(crate) fn cubin_header(architecture: u32) -> ElfHeader {
    ElfHeader { kind: 2, machine: 190, abi_version: 8, flags: (architecture << 8) | 0x0600_0004 }
}

/// A symbol of a function: its name and `st_other`.
pub(crate) type Symbol<'a> = (&'a str, u8);

/// An ELF file with these sections and, if there are any, symbols.
pub(crate) fn elf(
    header: &ElfHeader,
    sections: &[(&str, &[u8])],
    symbols: &[Symbol<'_>],
) -> Vec<u8> {
    let mut strings = vec![0];
    let mut table = vec![0; 24];
    for (name, other) in symbols {
        table.extend_from_slice(&(strings.len() as u32).to_le_bytes());
        // A global function in section 1.
        table.extend_from_slice(&[0x12, *other, 1, 0]);
        table.extend_from_slice(&0u64.to_le_bytes());
        table.extend_from_slice(&128u64.to_le_bytes());
        strings.extend_from_slice(name.as_bytes());
        strings.push(0);
    }
    let mut all: Vec<(&str, u32, &[u8])> =
        sections.iter().map(|(name, data)| (*name, 1, *data)).collect();
    let string_section = all.len() as u32 + 1;
    all.push((".strtab", 3, &strings));
    all.push((".symtab", 2, &table));
    let mut names = vec![0];
    let name_offsets: Vec<u32> = all
        .iter()
        .map(|(name, ..)| *name)
        .chain([".shstrtab"])
        .map(|name| {
            let at = names.len() as u32;
            names.extend_from_slice(name.as_bytes());
            names.push(0);
            at
        })
        .collect();
    all.push((".shstrtab", 3, &names));

    let mut data = vec![0; 64];
    let mut headers = vec![0; 64];
    for ((_, kind, bytes), name_at) in all.iter().zip(&name_offsets) {
        data.resize(data.len().next_multiple_of(8), 0);
        let (link, info, size) = if *kind == 2 { (string_section, 1, 24u64) } else { (0, 0, 0) };
        headers.extend_from_slice(&name_at.to_le_bytes());
        headers.extend_from_slice(&kind.to_le_bytes());
        headers.extend_from_slice(&[0; 16]);
        headers.extend_from_slice(&(data.len() as u64).to_le_bytes());
        headers.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        headers.extend_from_slice(&link.to_le_bytes());
        headers.extend_from_slice(&(info as u32).to_le_bytes());
        headers.extend_from_slice(&8u64.to_le_bytes());
        headers.extend_from_slice(&size.to_le_bytes());
        data.extend_from_slice(bytes);
    }
    data.resize(data.len().next_multiple_of(8), 0);
    let section_table = data.len() as u64;
    data.extend_from_slice(&headers);
    let count = all.len() as u16 + 1;
    let mut head = b"\x7fELF\x02\x01\x01\x00".to_vec();
    head.push(header.abi_version);
    head.resize(16, 0);
    head.extend_from_slice(&header.kind.to_le_bytes());
    head.extend_from_slice(&header.machine.to_le_bytes());
    head.extend_from_slice(&1u32.to_le_bytes());
    head.extend_from_slice(&[0; 16]);
    head.extend_from_slice(&section_table.to_le_bytes());
    head.extend_from_slice(&header.flags.to_le_bytes());
    for number in [64, 56, 0, 64, count, count - 1] {
        head.extend_from_slice(&number.to_le_bytes());
    }
    data[..64].copy_from_slice(&head);
    data
}

/// A static library with these members.
pub(crate) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let name = format!("{name}/");
        bytes.extend_from_slice(
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len())
                .as_bytes(),
        );
        bytes.extend_from_slice(data);
        if data.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}
