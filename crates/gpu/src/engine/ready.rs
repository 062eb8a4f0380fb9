//! An instrumented kernel that is ready to be loaded, made now or kept from a former run.

use super::code::Code;
use super::compiler::{self, Assembler, Compiled};
use super::identity::Identity;
use super::kept;
use super::variants::Key;
use super::{Engine, EngineSettings};
use crate::engine::compiler::keep;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_instrument::record::{Paths, SiteInfo};
use warpsan_instrument::{
    CheckedAccess, Cost, Instrumented, Uses, VariableUse, Wanted, instrument,
};

/// All that is known of an instrumented kernel, and its code.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) code: Compiled,
    pub(super) sites: Sites,
    pub(super) accesses: Vec<CheckedAccess>,
    pub(super) variables: Vec<VariableUse>,
    pub(super) uses: Uses,
    pub(super) parameters: Vec<(usize, usize)>,
    pub(super) cost: Cost,
    pub(super) has_line_information: bool,
    /// What the host is told of each site, where it is told.
    pub(super) infos: Vec<SiteInfo>,
    pub(super) paths: Paths,
    pub(super) facts: KernelFacts,
}

/// The instructions of a kernel. Only reports need them, so that what was kept is read for the first of them.
#[derive(Debug)]
pub(super) struct Sites {
    read: OnceLock<Arc<SiteTable>>,
    kept: Box<[u8]>,
}

impl Sites {
    pub(super) fn kept(bytes: &[u8]) -> Sites {
        Sites { read: OnceLock::new(), kept: bytes.into() }
    }

    pub(super) fn table(&self) -> Arc<SiteTable> {
        self.read.get_or_init(|| Arc::new(kept::sites_of(&self.kept))).clone()
    }
}

impl From<SiteTable> for Sites {
    fn from(table: SiteTable) -> Sites {
        Sites { read: OnceLock::from(Arc::new(table)), kept: Box::default() }
    }
}

impl Ready {
    fn new(made: Instrumented, code: Compiled) -> Ready {
        let has_line_information = made.sites.sites.iter().any(|site| site.position().is_some());
        Ready {
            code,
            sites: made.sites.into(),
            accesses: made.accesses,
            variables: made.variables,
            uses: made.uses,
            parameters: made.parameters,
            cost: made.cost,
            has_line_information,
            infos: made.infos,
            paths: made.paths,
            facts: made.facts,
        }
    }
}

/// Finds a kernel that was kept, or makes it and keeps it. Why there is none is kept as well, where that is for good.
pub(super) fn provide(
    engine: &Engine,
    code: &mut Code,
    identity: &Identity,
    key: &Key,
    architecture: u32,
) -> Result<Ready, String> {
    let place = match place_of(&engine.settings, code, identity, key, architecture) {
        Some(place) => place?,
        None => return make(engine, code, identity, key, architecture, None),
    };
    match std::fs::read(&place).ok().and_then(|bytes| kept::read(&bytes)) {
        Some(kept) => kept,
        None => make(engine, code, identity, key, architecture, Some(place)),
    }
}

/// The file for a kernel: its name says all that the kernel is made of, and with what. What the host has to know where
/// it is told of operations is not kept.
fn place_of(
    settings: &EngineSettings,
    code: &Code,
    identity: &Identity,
    key: &Key,
    architecture: u32,
) -> Option<Result<PathBuf, String>> {
    if key.checks.tells() {
        return None;
    }
    let (cache, build) = (settings.cache.as_deref()?, settings.build.as_deref()?);
    let digest = match code.digest(architecture) {
        Ok(digest) => digest,
        Err(reason) => return Some(Err(reason)),
    };
    let [x, y, z] = key.block;
    let words = format!(
        "{build}\n{} {x} {y} {z} {:?} {architecture} {}\n{}\n",
        identity.name,
        key.blocks_at_once,
        key.checks.name(),
        settings.ptxas.as_deref().map_or(String::new(), |ptxas| Assembler::of(ptxas).in_words()),
    );
    let name = kept::name_of(&[words.as_bytes(), &digest]);
    Some(Ok(cache.join("kernels").join(format!("{name}.kernel"))))
}

fn make(
    engine: &Engine,
    code: &mut Code,
    identity: &Identity,
    key: &Key,
    architecture: u32,
    place: Option<PathBuf>,
) -> Result<Ready, String> {
    let source = code.source(architecture)?;
    // The newest instructions of an architecture are in its own dialect.
    let dialect =
        source.document().module().target().first().is_some_and(|word| word.ends_with('a'));
    let target = format!("sm_{architecture}{}", if dialect { "a" } else { "" });
    let wanted = Wanted {
        kernel: &identity.name,
        block: key.block,
        blocks_at_once: key.blocks_at_once,
        target: &target,
        checks: key.checks,
    };
    let mut made = match instrument(source.document(), source.index(), &wanted) {
        Ok(made) => made,
        Err(refused) => {
            let reason = refused.to_string();
            if let Some(place) = place {
                keep(&place, &kept::refused(&reason));
            }
            return Err(reason);
        }
    };
    let text = std::mem::take(&mut made.text);
    let ready = Ready::new(made, compiler::compile(&engine.settings, text, &target)?);
    if let Some(place) = place
        && let Some(bytes) = kept::ready(&ready)
    {
        keep(&place, &bytes);
    }
    Ok(ready)
}
