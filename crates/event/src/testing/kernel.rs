use crate::{KernelFacts, Site, SiteTable};
use std::sync::Arc;
use warpsan_model::{Dim3, Geometry};

/// A kernel that a story launches, and how: on four blocks of 64 threads unless it says otherwise.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// What is known of it.
    pub facts: Arc<KernelFacts>,
    /// Its instructions.
    pub sites: Arc<SiteTable>,
    /// The extents of its launches.
    pub geometry: Geometry,
    /// The extent of its clusters, if it has any.
    pub cluster: Option<Dim3>,
}

/// 64 instructions, which may be anything.
impl Default for Kernel {
    fn default() -> Self {
        Kernel::new(&["st.global.u32 [%rd1], %r1;"; 64])
    }
}

impl Kernel {
    /// A kernel of these instructions: the first is site 0, on line 1 of the PTX text.
    pub fn new(code: &[&str]) -> Kernel {
        let site = |(text, line): (&&str, u32)| Site::new(*text, line, Vec::new());
        Kernel {
            facts: Arc::default(),
            sites: Arc::new(SiteTable { sites: code.iter().zip(1..).map(site).collect() }),
            geometry: Geometry { grid: Dim3::new(4, 1, 1), block: Dim3::new(64, 1, 1) },
            cluster: None,
        }
    }

    /// In place of a kernel, a call of the host that accesses memory: its instructions have no lines.
    pub fn of_host(mut self) -> Kernel {
        for site in &mut Arc::make_mut(&mut self.sites).sites {
            *site = Site::of_api_call(&site.instruction, std::mem::take(&mut site.frames));
        }
        self
    }

    /// In place of a kernel, accesses that the host makes itself.
    pub fn of_host_itself(mut self) -> Kernel {
        for site in &mut Arc::make_mut(&mut self.sites).sites {
            *site = Site::of_host(std::mem::take(&mut site.frames));
        }
        self
    }

    /// The kernel with these facts.
    pub fn facts(self, facts: KernelFacts) -> Kernel {
        Kernel { facts: Arc::new(facts), ..self }
    }

    /// The kernel on so many blocks of so many threads.
    pub fn on(self, blocks: u32, threads: u32) -> Kernel {
        let geometry = Geometry { grid: Dim3::new(blocks, 1, 1), block: Dim3::new(threads, 1, 1) };
        Kernel { geometry, ..self }
    }

    /// The kernel in clusters of so many blocks.
    pub fn in_clusters(self, blocks: u32) -> Kernel {
        Kernel { cluster: Some(Dim3::new(blocks, 1, 1)), ..self }
    }
}
