//! What a run of the machine says.

use serde::Serialize;

/// What came of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Accesses of memory.
    pub accesses: u64,
    /// Instructions, of which accesses are a part.
    pub instructions: u64,
    /// Cycles of all cores without detection.
    pub plain_cycles: u64,
    /// Cycles with it.
    pub cycles: u64,
    /// What checks cost.
    pub costs: Costs,
    /// Checks by what resolved them: references alone, the core's own table, another core's, an epoch store buffer, software.
    pub sources: [u64; 5],
    /// What is expensive.
    pub events: Events,
    /// Lines by the most different histories that they had at a time.
    #[serde(serialize_with = "as_list")]
    pub histories: [u64; 65],
}

fn as_list<S: serde::Serializer>(list: &[u64; 65], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(list)
}

/// Cycles of checks by what they are for (figure 4.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// Accesses of ParsnipLines in caches.
    pub references: u64,
    /// Software handlers for lines that are in no cache, and for those that leave.
    pub missing_lines: u64,
    /// Clocks in the core's own table.
    pub local_tables: u64,
    /// Clocks in tables of others.
    pub remote_tables: u64,
    /// Software handlers that check.
    pub software_checks: u64,
    /// Epoch store buffers that are full.
    pub drains: u64,
}

/// What happened (table 4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Events {
    /// Epoch store buffers that were full.
    pub drains: u64,
    /// ParsnipLines that left the caches with clocks in tables.
    pub evictions: u64,
    /// Clocks that a table had no room for.
    pub rejections: u64,
    /// Checks that software made.
    pub software_checks: u64,
    /// Lines that went from one mode to the other.
    pub mode_switches: u64,
}

impl Costs {
    /// All of them.
    pub fn total(&self) -> u64 {
        let Costs {
            references,
            missing_lines,
            local_tables,
            remote_tables,
            software_checks,
            drains,
        } = *self;
        references + missing_lines + local_tables + remote_tables + software_checks + drains
    }
}

impl Outcome {
    /// Cycles of an instruction without detection.
    pub fn plain_cpi(&self) -> f64 {
        self.plain_cycles as f64 / self.instructions.max(1) as f64
    }

    /// Cycles of an instruction with it.
    pub fn cpi(&self) -> f64 {
        self.cycles as f64 / self.instructions.max(1) as f64
    }

    /// How many times as long it takes.
    pub fn slowdown(&self) -> f64 {
        self.cycles as f64 / self.plain_cycles.max(1) as f64
    }
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome {
            accesses: 0,
            instructions: 0,
            plain_cycles: 0,
            cycles: 0,
            costs: Costs::default(),
            sources: [0; 5],
            events: Events::default(),
            histories: [0; 65],
        }
    }
}
