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

/// The same as Markdown.
pub(crate) fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<&str> = cells.collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(&mut header.iter().copied());
    text.push_str(&line(&mut header.iter().enumerate().map(|(column, _)| match column {
        0 => "---",
        _ => "---:",
    })));
    for row in rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn numbers_stand_on_the_right_in_markdown() {
        let rows = [vec!["a".to_owned(), "1".to_owned()]];
        assert_eq!(markdown(&["name", "s"], &rows), "| name | s |\n| --- | ---: |\n| a | 1 |\n");
    }
}
