//! How much of what a program hands over by its address is there. A header may promise more than that, and reading on
//! would end the program.

use std::os::unix::fs::MetadataExt;

/// How many of `claimed` bytes from `address` on this process can read, without a gap. Where the system does not list
/// what is mapped, the claim is believed.
pub fn readable_bytes(address: usize, claimed: u64) -> usize {
    let most = claimed.min(isize::MAX as u64) as usize;
    match std::fs::read_to_string("/proc/self/maps") {
        Ok(mappings) => {
            most.min(readable_end(&mappings, address, length_of).saturating_sub(address))
        }
        Err(_) => most,
    }
}

/// A line of `/proc/self/maps`.
struct Mapping<'a> {
    first: usize,
    last: usize,
    is_readable: bool,
    /// Where it begins in its file.
    offset: u64,
    /// Device and number of the file; zeros for memory of no file.
    file: (&'a str, u64),
    path: &'a str,
}

impl Mapping<'_> {
    fn of(line: &str) -> Option<Mapping<'_>> {
        let mut words = line.splitn(6, ' ');
        let (first, last) = words.next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        Some(Mapping {
            first: number(first)?,
            last: number(last)?,
            is_readable: words.next()?.starts_with('r'),
            offset: u64::from_str_radix(words.next()?, 16).ok()?,
            file: (words.next()?, words.next()?.parse().ok()?),
            path: words.next().unwrap_or_default().trim_start(),
        })
    }
}

/// The length of a file, if it is the one of this number.
fn length_of(path: &str, number: u64) -> Option<u64> {
    let found = std::fs::metadata(path).ok().filter(|found| found.ino() == number)?;
    Some(found.len())
}

/// The end of what can be read from `address` on, by the lines of `/proc/self/maps`, which are ordered; `address` itself
/// where nothing can. A container does not go on in another file, and behind the end of its file nothing can be read.
fn readable_end(
    mappings: &str,
    address: usize,
    length_of: impl Fn(&str, u64) -> Option<u64>,
) -> usize {
    let mut end = address;
    let mut file = None;
    for mapping in mappings.lines().filter_map(Mapping::of) {
        if mapping.last <= end {
            continue;
        }
        let is_next = mapping.first <= end && file.is_none_or(|file| file == mapping.file);
        if !is_next || !mapping.is_readable {
            break;
        }
        file = Some(mapping.file);
        let length = (mapping.file.1 != 0).then(|| length_of(mapping.path, mapping.file.1));
        let stored = length.flatten().map_or(usize::MAX, |length| {
            usize::try_from(length.saturating_sub(mapping.offset)).unwrap_or(usize::MAX)
        });
        let stored_end = mapping.first.saturating_add(stored);
        end = end.max(mapping.last.min(stored_end));
        if stored_end < mapping.last {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPINGS: &str = "\
1000-3000 r--p 00000000 00:01 5    /bin/program
3000-4000 rw-p 00002000 00:01 5    /bin/program
4000-5000 ---p 00000000 00:00 0
6000-7000 r--p 00000000 00:00 0
7000-9000 rw-p 00000000 00:00 0
9000-f000 rw-s 00000000 00:01 7    /run/a log (deleted)
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
";

    #[test]
    fn what_can_be_read_ends_at_gaps_and_at_closed_pages() {
        let end = |address| readable_end(MAPPINGS, address, |_, _| None);
        assert_eq!(end(0x1010), 0x4000);
        assert_eq!(end(0x3ff8), 0x4000);
        assert_eq!(end(0x4000), 0x4000, "closed");
        assert_eq!(end(0x5800), 0x5800, "not mapped");
        assert_eq!(end(0x6000), 0x9000, "not the file behind it");
        assert_eq!(end(0x9010), 0xf000);
    }

    /// Whoever reads a page behind the end of its file is ended by a signal.
    #[test]
    fn what_can_be_read_ends_with_its_file() {
        let end = |address, length| readable_end(MAPPINGS, address, |_, _| Some(length));
        assert_eq!(end(0x9010, 0x1800), 0x9000 + 0x1800);
        assert_eq!(end(0xb000, 0x1800), 0xb000);
        assert_eq!(end(0x1010, 0x2500), 0x3500);
        assert_eq!(end(0x6000, 0), 0x9000, "memory has no length");
    }

    #[test]
    fn a_claim_is_believed_as_far_as_memory_goes() {
        let memory = vec![7u8; 10_000];
        let address = memory.as_ptr().addr();
        assert_eq!(readable_bytes(address, 10_000), 10_000);
        assert!((10_000..1 << 46).contains(&readable_bytes(address, u64::MAX)));
        assert_eq!(readable_bytes(8, 100), 0);
    }
}
