//! The instructions of an instrumented kernel.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use warpsan_event::{Site, SiteTable};
use warpsan_model::SourceFrame;

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
        self.read.get_or_init(|| Arc::new(sites_of(&self.kept))).clone()
    }

    /// The bytes that they are kept as.
    pub(super) fn to_keep(&self) -> Option<Vec<u8>> {
        let table = self.table();
        let sites: Vec<KeptSite<'_>> = table.sites.iter().map(site_to_keep).collect();
        serde_json::to_vec(&sites).ok()
    }
}

impl From<SiteTable> for Sites {
    fn from(table: SiteTable) -> Sites {
        Sites { read: OnceLock::from(Arc::new(table)), kept: Box::default() }
    }
}

#[derive(Serialize, Deserialize)]
struct KeptSite<'a> {
    instruction: Cow<'a, str>,
    ptx_line: u32,
    frames: Cow<'a, [SourceFrame]>,
}

fn site_to_keep(site: &Site) -> KeptSite<'_> {
    let Site { instruction, ptx_line, frames, .. } = site;
    KeptSite {
        instruction: Cow::Borrowed(instruction),
        ptx_line: *ptx_line,
        frames: Cow::Borrowed(frames),
    }
}

/// The instructions of a kernel, as they were kept. The file's checksum was right, so that they can be read.
fn sites_of(bytes: &[u8]) -> SiteTable {
    let kept: Vec<KeptSite<'_>> = serde_json::from_slice(bytes).unwrap_or_default();
    let site =
        |site: KeptSite<'_>| Site::new(&*site.instruction, site.ptx_line, site.frames.into_owned());
    SiteTable { sites: kept.into_iter().map(site).collect() }
}
