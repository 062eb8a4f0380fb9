//! A table with a title, for a terminal or a document.

/// Rows of text. The first column is aligned to the left, the others to the right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// What stands below it.
    pub(crate) notes: Vec<String>,
}

impl Table {
    /// For a terminal.
    pub(crate) fn text(&self) -> String {
        let mut widths: Vec<usize> = self.head.iter().map(|cell| cell.chars().count()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            let line = cells.collect::<Vec<String>>().join("  ");
            format!("{}\n", line.trim_end())
        };
        let mut text = format!("{}\n", self.title);
        text.extend(std::iter::once(&self.head).chain(&self.rows).map(line));
        text.extend(self.notes.iter().map(|note| format!("{note}\n")));
        text
    }

    /// For a document.
    pub(crate) fn markdown(&self) -> String {
        let line = |row: &[String]| format!("| {} |\n", row.join(" | "));
        let rule = self.head.iter().enumerate().map(|(column, _)| match column {
            0 => "---".to_string(),
            _ => "---:".to_string(),
        });
        let mut text = format!("**{}**\n\n", self.title);
        text.push_str(&line(&self.head));
        text.push_str(&line(&rule.collect::<Vec<String>>()));
        text.extend(self.rows.iter().map(|row| line(row)));
        text.extend(self.notes.iter().map(|note| format!("\n{note}\n")));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |cells: [&str; 2]| cells.map(str::to_string).to_vec();
        Table {
            title: "Apples".to_string(),
            head: row(["who", "how many"]),
            rows: vec![row(["Anna", "3"]), row(["Bo", "12"])],
            notes: vec!["They are red.".to_string()],
        }
    }

    #[test]
    fn columns_line_up_on_a_terminal() {
        let expected = "\
Apples
who   how many
Anna         3
Bo          12
They are red.
";
        assert_eq!(table().text(), expected);
    }

    #[test]
    fn a_document_gets_rules() {
        let expected = "\
**Apples**

| who | how many |
| --- | ---: |
| Anna | 3 |
| Bo | 12 |

They are red.
";
        assert_eq!(table().markdown(), expected);
    }
}
