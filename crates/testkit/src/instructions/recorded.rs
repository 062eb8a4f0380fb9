//! The outputs that a GPU gave, one file for each group of forms.
//!
//! A file holds, compressed by LZ4 as one block with its size before it: the number of forms; for each form its
//! name, its fingerprint and its number of tuples; then for each form its results, the first bytes of all tuples
//! before the second bytes of all tuples, because bytes of the same significance repeat. Numbers are of 32
//! bits, fingerprints of 64, all with the least significant byte first; a name has its length before it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::Form;

/// The results of one form, tuple by tuple.
pub type Outputs = Vec<Vec<u64>>;

/// What was recorded for one group.
#[derive(Debug, Default)]
pub struct Recorded {
    forms: HashMap<String, (u64, Vec<u8>, usize)>,
}

/// Why recorded outputs cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// The file is not there, or cannot be read or written.
    #[error(
        "cannot use {path}: {cause}; the outputs are recorded on a GPU: see suites/instructions/README.md"
    )]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The file was cut or changed.
    #[error("{path} is damaged: {what}; take it from the repository again, or record it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        what: String,
    },
    /// A form has no outputs, or these are of other code or inputs.
    #[error(
        "`{0}` has changed since its outputs were recorded, or is new: record it as suites/instructions/README.md says"
    )]
    Stale(String),
}

/// The file of a group.
pub fn file_name(group: &str) -> String {
    format!("{group}.bin")
}

impl Recorded {
    /// Reads the file of a group.
    pub fn read(path: &Path) -> Result<Self, RecordedError> {
        let packed = fs::read(path)
            .map_err(|cause| RecordedError::File { path: path.to_path_buf(), cause })?;
        let damaged = |what: String| RecordedError::Damaged { path: path.to_path_buf(), what };
        let bytes = lz4_flex::decompress_size_prepended(&packed)
            .map_err(|error| damaged(error.to_string()))?;
        Self::of_bytes(&bytes).ok_or_else(|| damaged("it ends too early".to_owned()))
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let count = number(&mut rest)?;
        let mut list = Vec::new();
        for _ in 0..count {
            let length = number(&mut rest)? as usize;
            let name = String::from_utf8(take(&mut rest, length)?.to_vec()).ok()?;
            let fingerprint = u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?);
            let tuples = number(&mut rest)? as usize;
            let bytes = number(&mut rest)? as usize;
            list.push((name, fingerprint, tuples, bytes));
        }
        let mut forms = HashMap::new();
        for (name, fingerprint, tuples, width) in list {
            let planes = take(&mut rest, tuples.checked_mul(width)?)?.to_vec();
            forms.insert(name, (fingerprint, planes, tuples));
        }
        Some(Self { forms })
    }

    /// The outputs of a form, one list of results for each tuple of its inputs.
    pub fn outputs(&self, form: &Form) -> Result<Outputs, RecordedError> {
        let stale = || RecordedError::Stale(form.name.clone());
        let (fingerprint, planes, tuples) = self.forms.get(&form.name).ok_or_else(stale)?;
        let width: usize = form.results.iter().map(|result| result.bytes()).sum();
        if *fingerprint != form.fingerprint() || planes.len() != tuples * width {
            return Err(stale());
        }
        let mut outputs = vec![Vec::new(); *tuples];
        let mut plane = 0;
        for result in &form.results {
            for (index, output) in outputs.iter_mut().enumerate() {
                let byte = |place: usize| u64::from(planes[(plane + place) * tuples + index]);
                output.push((0..result.bytes()).map(|place| byte(place) << (8 * place)).sum());
            }
            plane += result.bytes();
        }
        Ok(outputs)
    }

    /// Writes the file of a group.
    pub fn write(path: &Path, forms: &[(&Form, Outputs)]) -> Result<(), RecordedError> {
        let mut bytes = (forms.len() as u32).to_le_bytes().to_vec();
        for (form, outputs) in forms {
            let width: usize = form.results.iter().map(|result| result.bytes()).sum();
            bytes.extend((form.name.len() as u32).to_le_bytes());
            bytes.extend(form.name.bytes());
            bytes.extend(form.fingerprint().to_le_bytes());
            bytes.extend((outputs.len() as u32).to_le_bytes());
            bytes.extend((width as u32).to_le_bytes());
        }
        for (form, outputs) in forms {
            for (index, result) in form.results.iter().enumerate() {
                for place in 0..result.bytes() {
                    bytes.extend(outputs.iter().map(|output| (output[index] >> (8 * place)) as u8));
                }
            }
        }
        fs::write(path, lz4_flex::compress_prepend_size(&bytes))
            .map_err(|cause| RecordedError::File { path: path.to_path_buf(), cause })
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::ValueType::*;

    #[test]
    fn what_is_written_is_read() {
        let code = "setp.lt.and.u32 d|e, a, b, c;";
        let forms = [
            Form::new("add.u64", &[U64; 2], U64),
            Form::of_code("pair", code, &[U32, U32, Predicate], &[Predicate, U16]),
        ];
        let outputs = |form: &Form| -> Outputs {
            let tuple = |index: usize| {
                let value = |place: usize, bytes: usize| {
                    ((index as u64).wrapping_mul(0x0123_4567_89ab_cdef) >> place)
                        & (u64::MAX >> (64 - 8 * bytes))
                };
                form.results
                    .iter()
                    .enumerate()
                    .map(|(at, result)| value(at, result.bytes()))
                    .collect()
            };
            (0..form.inputs().len()).map(tuple).collect()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file_name("some"));
        let list: Vec<(&Form, Outputs)> = forms.iter().map(|form| (form, outputs(form))).collect();
        Recorded::write(&path, &list).unwrap();
        let recorded = Recorded::read(&path).unwrap();
        for form in &forms {
            assert_eq!(recorded.outputs(form).unwrap(), outputs(form));
        }
        let changed = Form::of_code("add.u64", "sub.u64 d, a, b;", &[U64; 2], &[U64]);
        assert!(matches!(recorded.outputs(&changed), Err(RecordedError::Stale(_))));
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(matches!(Recorded::read(&path), Err(RecordedError::Damaged { .. })));
    }
}
