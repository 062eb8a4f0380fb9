//! An instrumented kernel that is ready to be loaded, made now or kept from a former run.

use super::ahead;
use super::cache::{keep, name_of};
use super::code::Code;
use super::compiler::{Assembler, is_kept};
use super::error::{CodeError, EngineError};
use super::identity::Identity;
use super::instrumented::Ready;
use super::kept;
use super::linking::{compile_and_link, kernel_flags};
use super::variants::Key;
use super::{Engine, EngineSettings};
use std::path::PathBuf;
use warpsan_fatbin::{Architecture, Suffix};
use warpsan_instrument::{Wanted, instrument};

/// Finds a kernel that was kept, or makes it and keeps it. Why there is none is kept as well, where that is for good.
pub(super) fn provide(
    engine: &Engine,
    code: &mut Code,
    identity: &Identity,
    key: &Key,
    architecture: u32,
) -> Result<Ready, EngineError> {
    let place = match place_of(&engine.settings, code, identity, key, architecture) {
        Some(place) => place?,
        None => return make(engine, code, identity, key, architecture, None),
    };
    match std::fs::read(&place).ok().and_then(|bytes| kept::read(&bytes)) {
        Some(kept) => Ok(kept?),
        None => make(engine, code, identity, key, architecture, Some(place)),
    }
}

/// The file for a kernel: its name says all that the kernel is made of, and with what. Kernels
/// that ship or run on copies are not kept: a file lacks what the host has to know of them.
fn place_of(
    settings: &EngineSettings,
    code: &Code,
    identity: &Identity,
    key: &Key,
    architecture: u32,
) -> Option<Result<PathBuf, CodeError>> {
    if key.plan.ships() || key.plan.copies().is_some() {
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
        key.plan.name(),
        settings.ptxas.as_deref().map_or(String::new(), |ptxas| Assembler::of(ptxas).in_words()),
    );
    let name = name_of(&[words.as_bytes(), &digest]);
    Some(Ok(cache.join("kernels").join(format!("{name}.kernel"))))
}

/// While it is there, a kernel is being instrumented and compiled. The listener hears of both ends.
struct Compiling<'e>(&'e Engine);

impl<'e> Compiling<'e> {
    fn of(engine: &'e Engine, kernel: &str) -> Compiling<'e> {
        engine.listener.compiles(kernel);
        Compiling(engine)
    }
}

impl Drop for Compiling<'_> {
    fn drop(&mut self) {
        self.0.listener.compiled();
    }
}

fn make(
    engine: &Engine,
    code: &mut Code,
    identity: &Identity,
    key: &Key,
    architecture: u32,
    place: Option<PathBuf>,
) -> Result<Ready, EngineError> {
    let _compiling = Compiling::of(engine, &identity.name);
    let was_asked_for = code.is_asked_for;
    let source = code.source(architecture)?;
    // The newest instructions of an architecture are in its own dialect.
    let written_for = source.document().module().target().first();
    let written_for = written_for.and_then(|word| word.parse::<Architecture>().ok());
    let suffix = match written_for.map(|architecture| architecture.suffix) {
        Some(Suffix::Specific) => Suffix::Specific,
        Some(Suffix::Family | Suffix::None) | None => Suffix::None,
    };
    let target = Architecture { number: architecture, suffix }.to_string();
    let wanted = Wanted {
        kernel: &identity.name,
        block: key.block,
        blocks_at_once: key.blocks_at_once,
        target: &target,
        plan: key.plan,
    };
    let mut made = match instrument(source.document(), source.index(), &wanted) {
        Ok(made) => made,
        Err(refused) => {
            if let Some(place) = place {
                keep(&place, &kept::refused((&refused).into()));
            }
            return Err(refused.into());
        }
    };
    let text = std::mem::take(&mut made.text);
    // Other kernels of code that is new here are likely to follow.
    if let Some(folder) = engine.settings.requests.as_deref().filter(|_| !was_asked_for)
        && !is_kept(engine.settings.assembly(), &text, &target, kernel_flags(made.linked.as_ref()))
    {
        ahead::ask(folder, source.document(), &wanted);
        code.is_asked_for = true;
    }
    let code = compile_and_link(engine, key.plan, text, made.linked.as_ref(), &target)?;
    let ready = Ready::new(made, code);
    if let Some(place) = place
        && let Some(bytes) = kept::ready(&ready)
    {
        keep(&place, &bytes);
    }
    Ok(ready)
}
