use std::collections::BTreeMap;
use warpsan_event::KernelFacts;
use warpsan_model::DeviceAddress;
use warpsan_report::AllocationReport;

/// The live allocations, to name what an address belongs to.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    live: BTreeMap<u64, (u64, String)>,
}

impl Allocations {
    pub(crate) fn add(&mut self, address: DeviceAddress, bytes: u64, label: &str) {
        self.live.insert(address.0, (bytes, label.to_string()));
    }

    /// Takes away what begins at an address, and says how long it was.
    pub(crate) fn remove(&mut self, address: DeviceAddress) -> Option<u64> {
        self.live.remove(&address.0).map(|(bytes, _)| bytes)
    }

    /// Addresses and sizes, lowest address first.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.live.iter().map(|(address, (bytes, _))| (*address, *bytes))
    }

    pub(crate) fn describe(&self, address: u64) -> Option<AllocationReport> {
        let (start, (bytes, label)) = self.live.range(..=address).next_back()?;
        let offset = address - start;
        (offset < *bytes).then(|| AllocationReport { label: label.clone(), bytes: *bytes, offset })
    }
}

/// The variable of a kernel that an offset in shared memory belongs to.
pub fn shared_variable(facts: &KernelFacts, offset: u64) -> Option<AllocationReport> {
    let variables = facts.shared_variables.iter();
    let variable =
        variables.filter(|variable| variable.offset <= offset).max_by_key(|v| v.offset)?;
    Some(AllocationReport {
        label: variable.name.clone(),
        bytes: variable.bytes,
        offset: offset - variable.offset,
    })
}
