//! Tables on the terminal.

/// Prints rows with aligned columns: the first to the left, the others to the right.
pub(crate) fn print(header: &[&str], rows: &[Vec<String>]) {
    let header: Vec<String> = header.iter().map(ToString::to_string).collect();
    let all = || std::iter::once(&header).chain(rows);
    let width = |column: usize| {
        all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    for row in all() {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if index == 0 {
                line.push_str(&format!("{cell:<width$}"));
            } else {
                line.push_str(&format!("  {cell:>width$}"));
            }
        }
        println!("{}", line.trim_end());
    }
}
