//! Numbers and texts as bytes, and back.

/// Something in the contents of a frame that no writer writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault(pub(super) String);

pub(super) fn fault<T>(what: &str) -> Result<T, Fault> {
    Err(Fault(what.to_string()))
}

/// A number, seven bits in each byte, lowest first.
pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A number as its distance from another one, which is short in both directions.
pub(super) fn put_difference(out: &mut Vec<u8>, number: u64, from: u64) {
    let difference = number.wrapping_sub(from) as i64;
    put_number(out, ((difference << 1) ^ (difference >> 63)) as u64);
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Bytes that are read one after the other.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Cursor { bytes, at }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        let Some(byte) = self.bytes.get(self.at) else { return fault("an item ends too early") };
        self.at += 1;
        Ok(*byte)
    }

    pub(super) fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let left = self.bytes.get(self.at..).unwrap_or_default();
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let Some(taken) = left.get(..count) else { return fault("an item ends too early") };
        self.at += count;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u64, Fault> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        fault("a number has more than 64 bits")
    }

    pub(super) fn number32(&mut self) -> Result<u32, Fault> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| Fault(format!("{number} is too large for its place")))
    }

    pub(super) fn flag(&mut self) -> Result<bool, Fault> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Fault(format!("{other} is neither yes nor no"))),
        }
    }

    pub(super) fn difference(&mut self, from: u64) -> Result<u64, Fault> {
        let number = self.number()?;
        let difference = (number >> 1) ^ (number & 1).wrapping_neg();
        Ok(from.wrapping_add(difference))
    }

    /// A number of 32 bits that was written as a difference.
    pub(super) fn difference32(&mut self, from: u32) -> Result<u32, Fault> {
        let number = self.difference(u64::from(from))?;
        u32::try_from(number).map_err(|_| Fault("a difference leads nowhere".to_string()))
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Fault> {
        let length = self.number()?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|_| Fault("a text is not UTF-8".to_string()))
    }
}
