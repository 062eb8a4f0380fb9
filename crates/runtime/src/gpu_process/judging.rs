//! What the device says of two accesses, as the race of a report.

use warpsan_detect::specification::device::{ByValues, DeviceFinding, MetOnDevice, UnknownRule};
use warpsan_detect::{Circumstances, DetectorId, Settings, Side};
use warpsan_event::KernelFacts;
use warpsan_gpu::{Access, CheckedAccess, DevicePlan, ReportedRace, entry_rules};
use warpsan_ir::display_name;
use warpsan_model::{
    BlockIndex, Dim3, Geometry, LaunchId, SiteId, Space, ThreadInBlock, WARP_LANES,
};
use warpsan_report::{AccessType, AllocationReport, Race};

/// By whose rules the device checks.
pub struct Judge {
    /// The detector.
    pub detector: DetectorId,
    /// What the user wants of it.
    pub settings: Settings,
    /// What the device does for it.
    pub plan: DevicePlan,
}

impl Judge {
    /// The race behind a finding; none if the user does not want its kind.
    pub fn race(
        &self,
        finding: &ReportedRace,
        allocation_at: impl FnOnce(u64) -> Option<AllocationReport>,
    ) -> Result<Option<Race>, UnknownRule> {
        let Judge { detector, settings, plan } = self;
        let report = &finding.report;
        let dim3 = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
        let geometry = Geometry { grid: dim3(finding.grid), block: dim3(finding.block) };
        let has_line_information = finding.sites.sites.iter().any(|site| site.position().is_some());
        let facts = KernelFacts {
            name: finding.kernel.to_string(),
            display_name: display_name(&finding.kernel),
            has_line_information,
            ..KernelFacts::default()
        };
        let side = |site: u32, thread: (u32, u32)| side(finding, &geometry, site, thread);
        let earlier = side(report.previous_site, report.previous_thread());
        let current = side(report.site, report.thread());
        let circumstances = Circumstances {
            facts: &facts,
            sites: &finding.sites,
            geometry: &geometry,
            launch: LaunchId(report.launch),
            seed: settings.seed,
        };
        // Metadata is kept of global memory only.
        let (rule, space) = match (plan.has_sets(), report.is_in_shared()) {
            _ if plan.copies().is_some() => match report.raced_in_shared() {
                true => (report.value_rule(), Space::Shared),
                false => (report.value_rule(), Space::Global),
            },
            _ if plan.has_entries() => match report.is_in_shared() {
                true => (report.class(), Space::Shared),
                false => (report.class(), Space::Global),
            },
            (true, true) => (report.class(), Space::Shared),
            (true, false) => (report.class(), Space::Global),
            (false, _) => (report.rule_number(), Space::Global),
        };
        let sides = [earlier, current];
        let by_values = plan.copies().is_some().then(|| ByValues {
            region: report.region(),
            units: report.units(),
            bytes: report.bytes(),
            in_registers: report.raced_in_registers(),
        });
        let met = if plan.has_entries() { met(finding) } else { MetOnDevice::default() };
        let address = report.address;
        let found = DeviceFinding { rule, space, address, met, sides, by_values };
        let allocation = match space {
            Space::Global => allocation_at(address),
            _ => None,
        };
        (detector.device_race)(&found, settings, &circumstances, allocation)
    }
}

fn side(finding: &ReportedRace, geometry: &Geometry, site: u32, (warp, lane): (u32, u32)) -> Side {
    let warps = geometry.warps_per_block().max(1);
    let unknown = CheckedAccess::default();
    let access = finding.accesses.get(site as usize).unwrap_or(&unknown);
    Side {
        // An instruction that is not there would be a bug of the device's side; the report names another one then.
        site: SiteId(site.min(finding.sites.sites.len().saturating_sub(1) as u32)),
        block: BlockIndex(warp / warps),
        thread: ThreadInBlock(warp % warps * WARP_LANES + lane),
        access: match access.access {
            Access::Load => AccessType::Read,
            Access::Store => AccessType::Write,
            Access::Atomic { .. } => AccessType::Atomic,
        },
        strength: access.strength,
        bytes: access.bytes,
    }
}

/// How the two sides of a race met, where entries are kept.
fn met(finding: &ReportedRace) -> MetOnDevice {
    let ReportedRace { report, accesses, .. } = finding;
    let has = |flag: u32| report.rule & flag != 0;
    let access = |site: u32| accesses.get(site as usize).copied().unwrap_or_default();
    let sites = [report.previous_site, report.site];
    let [one, other] = sites.map(access);
    let is_stored_by_both =
        one.stored.is_some() && (one.stored, one.bytes) == (other.stored, other.bytes);
    MetOnDevice {
        same_value: has(entry_rules::SAME_VALUE) || is_stored_by_both,
        one_instruction: has(entry_rules::ONE_INSTRUCTION),
        converged: has(entry_rules::LANE_IS_HERE)
            || sites.iter().any(|site| access(*site).of_whole_warp),
        ordered: has(entry_rules::ORDERED_ANYWAY),
        read_only_path: sites.iter().any(|site| access(*site).read_only_path),
        copies: [one.copies, other.copies],
    }
}
