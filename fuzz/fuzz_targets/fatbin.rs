//! Any file: its images are listed and given out, or refused, within bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpsan_fatbin::{Architecture, Container, FatFile, machine_functions};
use warpsan_fuzz::within_memory;

/// A decoder writes into a buffer that grows, so twice this is in use for a moment.
const MOST_EXPANSION: usize = 20;

fuzz_target!(|data: &[u8]| {
    within_memory(data, || {
        let limit = (MOST_EXPANSION * data.len()) as u64;
        if let Ok(container) = Container::parse(data) {
            for image in &container.images {
                let _ = image.bytes_within(limit);
            }
        }
        let Ok(file) = FatFile::open(data) else { return };
        let _ = file.choose(Architecture::plain(90));
        for image in &file.images {
            let _ = image.extracted_name(std::path::Path::new("a.out"));
            let _ = image.text_within(limit);
            if let Ok(bytes) = image.bytes_within(limit) {
                let _ = machine_functions(&bytes);
            }
        }
    });
});
