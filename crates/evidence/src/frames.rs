//! Payloads in a stream: the length and the checksum of each, four bytes each, and then the payload.
//!
//! A process that is killed leaves whole frames and at most one that is cut off.

const HEADER: usize = 8;

/// The bytes of a frame; none for a payload of 4 GiB or more.
pub fn frame(payload: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok()?;
    let mut frame = Vec::with_capacity(HEADER + payload.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    frame.extend_from_slice(payload);
    Some(frame)
}

/// What the whole frames at the start of a stream hold, as far as `read` can read it, and whether that was all. What comes
/// behind a frame that is cut off or damaged was never written in good order.
pub fn read_frames<T>(mut bytes: &[u8], read: impl Fn(&[u8]) -> Option<T>) -> (Vec<T>, bool) {
    let mut payloads = Vec::new();
    while let Some((header, rest)) = bytes.split_at_checked(HEADER) {
        let number = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let Some((payload, rest)) = rest.split_at_checked(number(0) as usize) else { break };
        if crc32fast::hash(payload) != number(4) {
            break;
        }
        let Some(payload) = read(payload) else { break };
        payloads.push(payload);
        bytes = rest;
    }
    (payloads, bytes.is_empty())
}
