//! Files with suppressions. They are read with the flags, before anything runs.

use crate::bounded_file::{MOST_LIST_BYTES, read_text};
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::path::Path;
use warpsan_report::Suppressions;

/// Reads the file that a flag names.
pub(crate) fn parser() -> impl TypedValueParser<Value = Suppressions> {
    OsStringValueParser::new().try_map(read)
}

fn read(file: OsString) -> Result<Suppressions, String> {
    let path = Path::new(&file);
    let text =
        read_text(path, MOST_LIST_BYTES).map_err(|error| format!("cannot read it: {error}"))?;
    Suppressions::parse(&path.display().to_string(), &text).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|error| format!("\n  {error}")).collect();
        lines.concat()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrong_line_is_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("known.supp");
        std::fs::write(&file, "race: kernel:a\nrice: b\nrace: kind:none\n").unwrap();
        let told = read(file.clone().into_os_string()).unwrap_err();
        let name = file.display();
        assert!(told.contains(&format!("\n  {name}:2: ")), "{told}");
        assert!(told.contains(&format!("\n  {name}:3: `none` is no kind")), "{told}");
        assert!(!told.contains(":1:"), "{told}");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path().into()).unwrap_err().contains("cannot read it"));
        let file = folder.path().join("binary");
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(read(file.into_os_string()).unwrap_err().contains("cannot read it"));
        assert!(read("/dev/zero".into()).unwrap_err().contains("more than 1 MiB"));
    }
}
