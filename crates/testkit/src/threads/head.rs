//! The lines at the head of a program: its verdict, and how it is built.

use anyhow::{Context, bail};

/// What a detector has to know for a program, beyond POSIX threads and C++ atomics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Need {
    /// `thrd_create` and its like.
    C11Threads,
    /// A child of `fork` goes on being watched.
    Fork,
    /// One memory in two processes.
    SharedMappings,
    /// Threads that the C library makes for itself.
    ForeignThreads,
}

/// What the head of a program says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Whether it has a race.
    pub is_racy: bool,
    /// More flags of the compiler.
    pub flags: Vec<String>,
    /// Libraries, after the program.
    pub libraries: Vec<String>,
    /// Files that are built as shared objects beside the program, below the folder of the suite.
    pub plugins: Vec<String>,
    /// So many threads are alive at once, where that is much.
    pub threads: Option<u32>,
    /// What a detector has to know.
    pub needs: Vec<Need>,
}

impl Head {
    /// Reads the head of a program's text. A line of it that is not understood is an error.
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        let first = text.lines().next().unwrap_or_default();
        let is_racy = match () {
            () if first.starts_with("// RACY. ") => true,
            () if first.starts_with("// CLEAN. ") => false,
            () => bail!("its first line is not `// RACY. sentence` or `// CLEAN. sentence`"),
        };
        let mut head = Head { is_racy, ..Head::default() };
        for line in text.lines().filter_map(|line| line.strip_prefix("//@ ")) {
            head.take(line).with_context(|| format!("`//@ {line}` is not understood"))?;
        }
        Ok(head)
    }

    fn take(&mut self, line: &str) -> anyhow::Result<()> {
        let (key, value) = line.split_once(':').context("it has no value")?;
        let words = || value.split_whitespace().map(str::to_owned);
        match key {
            "flags" => self.flags.extend(words()),
            "libs" => self.libraries.extend(words()),
            "plugin" => self.plugins.extend(words()),
            "threads" => self.threads = Some(value.trim().parse()?),
            "needs" => {
                for word in words() {
                    let need = <Need as clap::ValueEnum>::from_str(&word, false);
                    self.needs.push(need.map_err(anyhow::Error::msg)?);
                }
            }
            _ => bail!("there is no such key"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_head_is_read() {
        let text = "// RACY. So.\n//@ flags: -std=c++20 -mcx16\n//@ libs: -latomic\n//@ plugin: p/x.c\n\
                    //@ threads: 500\n//@ needs: fork\n//@ needs: shared-mappings\nint x;\n";
        let expected = Head {
            is_racy: true,
            flags: ["-std=c++20", "-mcx16"].map(str::to_owned).to_vec(),
            libraries: vec!["-latomic".to_owned()],
            plugins: vec!["p/x.c".to_owned()],
            threads: Some(500),
            needs: vec![Need::Fork, Need::SharedMappings],
        };
        assert_eq!(Head::read(text).expect("a head"), expected);
        assert_eq!(Head::read("// CLEAN. So.").expect("a head"), Head::default());
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for wrong in
            ["", "// Racy.", "// CLEAN. So.\n//@ needs: luck", "// CLEAN. So.\n//@ thread: 4"]
        {
            assert!(Head::read(wrong).is_err(), "{wrong}");
        }
        let message = format!("{:#}", Head::read("// CLEAN. So.\n//@ threads: x").expect_err("x"));
        assert!(message.contains("//@ threads: x"), "{message}");
    }
}
