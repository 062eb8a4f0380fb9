//! LZ4 and zstd, with a bound on the memory that a broken header can ask for.

use crate::region::Region;
use crate::{Compression, FatbinError};
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// How many times larger than its stored data an image may get, if it is larger than
/// [`SMALL_IMAGE`].
const LARGEST_RATIO: u64 = 50;
/// How many times larger an image usually gets at most. CUB's kernels reach 13, with `-G` and
/// `--compress-mode=size`; they reach 8 with the default mode and 4 with LZ4.
pub(crate) const LIKELY_RATIO: u64 = 20;
/// Images up to this size may have any ratio: a table of a million equal numbers is 3 MB of PTX and
/// 600 bytes of zstd.
const SMALL_IMAGE: u64 = 64 << 20;
/// Every zstd decoder is expected to support a window of this size.
const USUAL_WINDOW: u64 = 8 << 20;
/// A window of this size costs no more than the decoder itself, whatever the limit is.
const SMALL_WINDOW: u64 = 1 << 20;

/// How much decompressed data is believed where the caller names no limit of its own.
pub(crate) fn usual_limit(stored: u64) -> u64 {
    stored.saturating_mul(LARGEST_RATIO).max(SMALL_IMAGE)
}

/// Decompresses data that has to have the size that its header claims. At most, twice the limit and
/// a few megabytes are in use at a time.
pub(crate) fn decompress(
    data: Region<'_>,
    compression: Compression,
    claimed: u64,
    limit: u64,
) -> Result<Vec<u8>, FatbinError> {
    let broken = |reason: String| FatbinError::Compressed { at: data.base, compression, reason };
    if claimed > limit {
        let stored = data.length();
        return Err(FatbinError::TooLarge { at: data.base, claimed, stored, limit });
    }
    let bytes = match compression {
        Compression::None => data.bytes.to_vec(),
        Compression::Lz4 => lz4(data.bytes, claimed).map_err(broken)?,
        Compression::Zstd => zstd(data.bytes, claimed, limit).map_err(broken)?,
    };
    let length = bytes.len() as u64;
    match compression {
        Compression::None => Ok(bytes),
        _ if length == claimed => Ok(bytes),
        _ => Err(broken(format!("it has {length} bytes, its header says {claimed}"))),
    }
}

/// One byte of LZ4 cannot become more than 255, so a claim beyond that needs no memory to refute.
fn lz4(data: &[u8], claimed: u64) -> Result<Vec<u8>, String> {
    if claimed > (data.len() as u64).saturating_mul(255).saturating_add(64) {
        return Err(format!("{} bytes of LZ4 cannot become {claimed}", data.len()));
    }
    let mut bytes = vec![0; claimed as usize];
    let length = lz4_flex::block::decompress_into(data, &mut bytes).map_err(|e| e.to_string())?;
    bytes.truncate(length);
    Ok(bytes)
}

/// The decoder keeps a window of the size that the frame asks for, which is usually all of the image.
fn zstd(data: &[u8], claimed: u64, limit: u64) -> Result<Vec<u8>, String> {
    let window = claimed.max(USUAL_WINDOW.min(limit.max(SMALL_WINDOW)));
    let decoder = StreamingDecoder::new_with_max_window_size(data, window)
        .map_err(|error| error.to_string())?;
    // One byte more than claimed shows that there is more. The pages of memory that the data does
    // not reach are never touched.
    let mut bytes = Vec::with_capacity(claimed as usize + 1);
    decoder.take(claimed + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn region(bytes: &[u8]) -> Region<'_> {
        Region { bytes, base: 7 }
    }

    #[test]
    fn a_claim_that_is_too_large_is_refused_before_any_memory_is_taken() {
        for compression in [Compression::Lz4, Compression::Zstd] {
            let error = decompress(region(&[0; 16]), compression, 1 << 40, usual_limit(16));
            assert!(matches!(error, Err(FatbinError::TooLarge { at: 7, .. })), "{error:?}");
        }
        let error = decompress(region(&[0; 16]), Compression::Lz4, 1 << 20, usual_limit(16));
        assert!(error.unwrap_err().to_string().contains("cannot become"));
    }

    #[test]
    fn a_size_that_differs_from_the_claim_is_an_error() {
        let text = b"the same text, the same text, the same text";
        let lz4 = lz4_flex::block::compress(text);
        let zstd = compress_to_vec(text.as_slice(), CompressionLevel::Fastest);
        for (compression, data) in [(Compression::Lz4, lz4), (Compression::Zstd, zstd)] {
            let size = text.len() as u64;
            let whole = decompress(region(&data), compression, size, 1000);
            assert_eq!(whole.as_deref(), Ok(text.as_slice()));
            for wrong in [0, size - 1, size + 1] {
                assert!(decompress(region(&data), compression, wrong, 1000).is_err(), "{wrong}");
            }
        }
    }

    #[test]
    fn a_table_of_equal_numbers_may_shrink_to_almost_nothing() {
        let table = vec![b'1'; 3 << 20];
        let data = compress_to_vec(table.as_slice(), CompressionLevel::Fastest);
        let size = table.len() as u64;
        assert!(size > LARGEST_RATIO * data.len() as u64);
        let limit = usual_limit(data.len() as u64);
        let bytes = decompress(region(&data), Compression::Zstd, size, limit).unwrap();
        assert!(bytes == table);
    }
}
