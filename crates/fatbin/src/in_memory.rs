//! How much of what a program hands over by its address is there. A header may promise more than that, and reading on
//! would end the program.

/// How many of `claimed` bytes from `address` on this process can read, without a gap. Where the system does not list
/// what is mapped, the claim is believed.
pub fn readable_bytes(address: usize, claimed: u64) -> usize {
    let most = claimed.min(isize::MAX as u64) as usize;
    match std::fs::read_to_string("/proc/self/maps") {
        Ok(mappings) => most.min(readable_end(&mappings, address).saturating_sub(address)),
        Err(_) => most,
    }
}

/// The end of what can be read from `address` on, by the lines of `/proc/self/maps`, which are ordered; `address` itself
/// where nothing can.
fn readable_end(mappings: &str, address: usize) -> usize {
    let mut end = address;
    for line in mappings.lines() {
        let Some((range, rest)) = line.split_once(' ') else { continue };
        let Some((first, last)) = range.split_once('-') else { continue };
        let number = |text| usize::from_str_radix(text, 16);
        let (Ok(first), Ok(last)) = (number(first), number(last)) else { continue };
        if first > end {
            break;
        }
        if last > end {
            if !rest.starts_with('r') {
                break;
            }
            end = last;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPINGS: &str = "\
1000-3000 r--p 00000000 00:00 0 program
3000-4000 rw-p 00000000 00:01 5 program
4000-5000 ---p 00000000 00:00 0
6000-7000 r--p 00000000 00:00 0
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
";

    #[test]
    fn what_can_be_read_ends_at_gaps_and_at_closed_pages() {
        assert_eq!(readable_end(MAPPINGS, 0x1010), 0x4000);
        assert_eq!(readable_end(MAPPINGS, 0x3ff8), 0x4000);
        assert_eq!(readable_end(MAPPINGS, 0x4000), 0x4000, "closed");
        assert_eq!(readable_end(MAPPINGS, 0x5800), 0x5800, "not mapped");
        assert_eq!(readable_end(MAPPINGS, 0x6000), 0x7000);
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
