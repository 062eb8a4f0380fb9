//! The listing as text.

use super::listing::{FunctionKind, FunctionListing, ImageListing};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;
use warpsan_fatbin::{FatFile, Image, ImageKind};

/// The table of images, one line each.
pub(super) fn write_table(
    out: &mut impl Write,
    path: &Path,
    file: &FatFile<'_>,
    images: &[(usize, &Image<'_>)],
) -> io::Result<()> {
    writeln!(
        out,
        "{}: {}, {} in {}",
        path.display(),
        file.format,
        count(file.images.len(), "image"),
        count(file.container_count(), "container")
    )?;
    if images.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut rows = vec![
        ["image", "kind", "arch", "version", "compression", "stored", "size", "container", "from"]
            .map(String::from),
    ];
    for (number, image) in images {
        let (major, minor) = image.version;
        rows.push([
            number.to_string(),
            image.kind.to_string(),
            image.architecture.to_string(),
            format!("{major}.{minor}"),
            image.compression.to_string(),
            image.stored_size.to_string(),
            image.size.to_string(),
            (image.container + 1).to_string(),
            origin(image),
        ]);
    }
    write_columns(out, &rows, &[0, 5, 6, 7])
}

/// Where an image is and what it was compiled from.
fn origin(image: &Image<'_>) -> String {
    let mut words = image.place.to_string();
    if let Some(member) = image.member {
        words = format!("{words} of {member}");
    }
    if !image.name.is_empty() {
        words = format!("{words}: {}", image.name);
    }
    if image.debug {
        words.push_str(" (-G)");
    }
    words
}

/// One image in a few words.
pub(super) fn heading(image: &Image<'_>) -> String {
    let (major, minor) = image.version;
    let what = match image.kind {
        ImageKind::Ptx => format!("PTX {major}.{minor}"),
        kind => kind.in_words().to_string(),
    };
    format!("{what} for {}, {}", image.architecture, origin(image))
}

/// The kernels and functions of an image.
pub(super) fn write_functions(
    out: &mut impl Write,
    image: &Image<'_>,
    listing: &ImageListing,
) -> io::Result<()> {
    let functions = listing.functions.as_deref().unwrap_or_default();
    if functions.is_empty() && listing.unknown_instructions.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nimage {}: {}", listing.number(), heading(image))?;
    let mut symbols: HashMap<&str, HashSet<&str>> = HashMap::new();
    for function in functions {
        symbols.entry(&function.name).or_default().insert(&function.mangled);
    }
    let rows: Vec<[String; 3]> = functions
        .iter()
        .map(|function| {
            let kind = match function.kind {
                FunctionKind::Kernel => "  kernel",
                FunctionKind::Function => "  function",
                FunctionKind::Declaration => "  declared",
            };
            // Mangled names distinguish overloads.
            let overloaded =
                symbols.get(function.name.as_str()).is_some_and(|symbols| symbols.len() > 1);
            let name = match overloaded {
                true => format!("{} [{}]", function.name, function.mangled),
                false => function.name.clone(),
            };
            [kind.to_string(), size_of(function), name]
        })
        .collect();
    write_columns(out, &rows, &[1])?;
    for unknown in &listing.unknown_instructions {
        let times = match unknown.count {
            1 => String::new(),
            count => format!(", {count} times"),
        };
        writeln!(
            out,
            "  unknown instruction `{}`, first in line {}{times}",
            unknown.instruction, unknown.line
        )?;
    }
    Ok(())
}

fn size_of(function: &FunctionListing) -> String {
    match (function.instructions, function.code_bytes) {
        (Some(instructions), _) => count(instructions, "instruction"),
        (None, Some(bytes)) => format!("{bytes} bytes of code"),
        (None, None) => String::new(),
    }
}

/// `1 image`, `2 images`.
pub(super) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Lines with columns as wide as they need to be; those in `right` are numbers.
fn write_columns<const N: usize>(
    out: &mut impl Write,
    rows: &[[String; N]],
    right: &[usize],
) -> io::Result<()> {
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            line.push_str(&match right.contains(&column) {
                true => format!("{cell:>width$}  "),
                false => format!("{cell:<width$}  "),
            });
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need_to_be() {
        let rows = [["a", "1", "x"], ["bcd", "100", ""]].map(|row| row.map(String::from));
        let mut out = Vec::new();
        write_columns(&mut out, &rows, &[1]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a      1  x\nbcd  100\n");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!((count(1, "image"), count(0, "image")), ("1 image".into(), "0 images".into()));
    }
}
