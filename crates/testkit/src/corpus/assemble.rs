//! PTX to machine code by ptxas, reduced to what has to be the same.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::compile::all_text;
use super::cubin::{self, Section};
use super::store::Key;
use super::{Compilers, Unit};

/// What ptxas made of a text.
#[derive(Clone, Debug)]
pub enum Assembled {
    /// The sections of the machine code.
    Code(Vec<Section>),
    /// Its messages about a text that it does not take.
    Refused(String),
    /// It could not be used.
    Broken(String),
}

/// The file that ptxas reads. Its name goes into the machine code, so it is the same for all texts.
const INPUT: &str = "unit.ptx";
const OUTPUT: &str = "unit.cubin";

impl Compilers {
    /// Assembles a text as the PTX of that unit, or finds what was assembled before.
    pub fn assemble(&self, unit: &Unit, text: &str) -> Assembled {
        let mut flags = vec![format!("-arch={}", unit.architecture)];
        flags.extend(unit.mode.ptxas_flags().iter().map(ToString::to_string));
        let parts = [self.identity(), text].into_iter().chain(flags.iter().map(String::as_str));
        let key = Key::new("sections 5", parts.map(str::as_bytes));
        let stored = self.store.get(&key).and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(sections) = stored.and_then(|text| cubin::from_text(&text)) {
            return Assembled::Code(sections);
        }
        let assembled = self.run_ptxas(unit, text, &flags).map_or_else(
            |outcome| outcome,
            |(cubin, _)| match cubin::sections(&cubin) {
                Ok(sections) => Assembled::Code(sections),
                Err(error) => Assembled::Broken(format!("{error:#}")),
            },
        );
        if let Assembled::Code(sections) = &assembled
            && let Err(error) = self.store.put(&key, cubin::to_text(sections).as_bytes())
        {
            return Assembled::Broken(format!("cannot keep the sections: {error}"));
        }
        assembled
    }

    /// How long ptxas takes for a text, never anything kept from before.
    pub fn time_to_assemble(&self, unit: &Unit, text: &str) -> anyhow::Result<Duration> {
        let mut flags = vec![format!("-arch={}", unit.architecture)];
        flags.extend(unit.mode.ptxas_flags().iter().map(ToString::to_string));
        match self.run_ptxas(unit, text, &flags) {
            Ok((_, elapsed)) => Ok(elapsed),
            Err(Assembled::Refused(log) | Assembled::Broken(log)) => anyhow::bail!(log),
            Err(Assembled::Code(_)) => anyhow::bail!("ptxas gave an answer that is none"),
        }
    }

    /// How long ptxas takes for a text on its own, as the GPU engine calls it. `is_linked`: the text lacks functions.
    pub fn time_for(
        &self,
        text: &str,
        target: &str,
        is_linked: bool,
    ) -> Result<Duration, Assembled> {
        let mut flags = vec![format!("-arch={target}")];
        if is_linked {
            flags.push("-c".to_owned());
        }
        run_ptxas(self.toolchain().toolkit().ptxas(), text, &flags).map(|(_, elapsed)| elapsed)
    }

    fn run_ptxas(
        &self,
        unit: &Unit,
        text: &str,
        flags: &[String],
    ) -> Result<(Vec<u8>, Duration), Assembled> {
        run_ptxas(self.ptxas(unit), text, flags)
    }
}

/// The machine code and the time it took, or one of the two kinds of failure.
fn run_ptxas(
    ptxas: Option<PathBuf>,
    text: &str,
    flags: &[String],
) -> Result<(Vec<u8>, Duration), Assembled> {
    let broken = |what: &str, error: std::io::Error| Assembled::Broken(format!("{what}: {error}"));
    let ptxas = ptxas.ok_or_else(|| Assembled::Broken("the toolkit has no ptxas".to_owned()))?;
    let folder = tempfile::tempdir().map_err(|error| broken("no temporary folder", error))?;
    fs::write(folder.path().join(INPUT), text)
        .map_err(|error| broken("cannot write a temporary file", error))?;
    let start = Instant::now();
    let output = Command::new(ptxas)
        .args(flags)
        .args([INPUT, "-o", OUTPUT])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| broken("ptxas could not be started", error))?;
    let elapsed = start.elapsed();
    if !output.status.success() {
        return Err(Assembled::Refused(all_text(&output)));
    }
    let cubin = fs::read(folder.path().join(OUTPUT))
        .map_err(|error| broken("ptxas' output cannot be read", error))?;
    Ok((cubin, elapsed))
}
