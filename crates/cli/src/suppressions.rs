//! Files with suppressions. They are read with the flags, before anything runs.

use crate::bounded_file::{MOST_LIST_BYTES, read_text};
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::path::Path;
use warpsan_report::{SuppressionError, Suppressions};

/// Reads the file that a flag names.
pub(crate) fn parser() -> impl TypedValueParser<Value = Suppressions> {
    OsStringValueParser::new().try_map(read)
}

/// A file without suppressions that could be used.
#[derive(Debug, thiserror::Error)]
enum SuppressionFileError {
    #[error("cannot read it: {0}")]
    File(#[from] std::io::Error),
    #[error("{}", listed(.0))]
    Lines(Vec<SuppressionError>),
}

fn listed(errors: &[SuppressionError]) -> String {
    errors.iter().map(|error| format!("\n  {error}")).collect()
}

fn read(file: OsString) -> Result<Suppressions, SuppressionFileError> {
    let path = Path::new(&file);
    let text = read_text(path, MOST_LIST_BYTES)?;
    let parsed = Suppressions::parse(&path.display().to_string(), &text);
    parsed.map_err(SuppressionFileError::Lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrong_line_is_named_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("known.supp");
        std::fs::write(&file, "race: kernel:a\nrice: b\nrace: kind:none\n").unwrap();
        let error = read(file.clone().into_os_string()).unwrap_err().to_string();
        let name = file.display();
        assert!(error.contains(&format!("\n  {name}:2: ")), "{error}");
        assert!(error.contains(&format!("\n  {name}:3: `none` is no kind")), "{error}");
        assert!(!error.contains(":1:"), "{error}");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path().into()).unwrap_err().to_string();
        assert!(error.contains("cannot read it"), "{error}");
        let file = folder.path().join("binary");
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        let error = read(file.into_os_string()).unwrap_err().to_string();
        assert!(error.contains("cannot read it"), "{error}");
        let error = read("/dev/zero".into()).unwrap_err().to_string();
        assert!(error.contains("more than 1 MiB"), "{error}");
    }
}
