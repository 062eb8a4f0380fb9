//! From a finding to a report: kind and words.

use super::AfterRace;
use super::finding::{Between, Pattern, Region, Symptom, ValueRace};
use crate::Settings;
use crate::last_access::sides::{self, Circumstances, Judgement};
use warpsan_model::SiteId;
use warpsan_report::{AccessOrder, AllocationReport, Race, RaceKind, RelatedSite, Treatment};

/// The report of a finding; none if users do not want to hear of it.
pub fn race(
    found: &ValueRace,
    settings: &Settings,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Option<Race> {
    let treatment = match found.pattern {
        Pattern::OneInstruction => settings.warp_sync,
        Pattern::WriteWrite | Pattern::ReadWrite => Treatment::Error,
    };
    let severity = treatment.severity()?;
    let judgement = Judgement {
        kind: kind(found),
        severity,
        reason: reason(found, circumstances) + rest(found, settings),
        advice: advice(found),
    };
    let [first, second] = &found.sides;
    let mut race =
        sides::race(judgement, found.address, (first, second), circumstances, allocation);
    race.location.space = Some(found.space);
    // Values say what a region left behind, not what came first in it.
    race.order = AccessOrder::Unknown;
    race.related = related(found.region, circumstances);
    Some(race)
}

fn kind(found: &ValueRace) -> RaceKind {
    match found.pattern {
        Pattern::OneInstruction => RaceKind::WarpSync,
        Pattern::WriteWrite | Pattern::ReadWrite => RaceKind::MissingSync,
    }
}

fn reason(found: &ValueRace, circumstances: &Circumstances<'_>) -> String {
    let who = match found.between {
        Between::Lanes => "lanes of a warp",
        Between::Warps => "warps of a block",
        Between::Blocks => "blocks",
    };
    let what = match (found.pattern, found.symptom) {
        (Pattern::WriteWrite, _) => {
            format!("a write-write race of {who}: both changed the byte, each on its own copy")
        }
        (Pattern::OneInstruction, _) => {
            format!("{who} write different values to one place by one instruction")
        }
        (Pattern::ReadWrite, Symptom::Memory) => format!(
            "a read-write race of {who}: what the reader leaves in memory changes when it sees the write"
        ),
        (Pattern::ReadWrite, Symptom::Registers) => format!(
            "a read-write race of {who}: what the reader keeps in its registers changes when it sees the write"
        ),
        (Pattern::ReadWrite, Symptom::Fault) => format!(
            "a read-write race of {who}: the reader fails, or does not end, when it sees the write"
        ),
    };
    format!("LD, {what}; {}{}", place(found, circumstances), extent(found))
}

/// What became of the rest of the launch.
fn rest(found: &ValueRace, settings: &Settings) -> &'static str {
    match (found.pattern, settings.ld.after_race) {
        (Pattern::OneInstruction, _) | (_, AfterRace::GoOn) => "",
        (_, AfterRace::Stop) => {
            "; the rest of the launch was not checked, which --ld-after-race=go-on does"
        }
    }
}

/// The region, by its lines.
fn place(found: &ValueRace, circumstances: &Circumstances<'_>) -> String {
    if found.between == Between::Blocks {
        return "in the whole kernel, since nothing in it orders blocks".to_owned();
    }
    let line = |site: SiteId| match circumstances.sites.get(site).position() {
        Some(position) => format!("the barrier of line {}", position.line),
        None => format!("the barrier of PTX line {}", circumstances.sites.get(site).ptx_line),
    };
    let from = found.region.from.map_or_else(|| "the kernel's beginning".to_owned(), line);
    let to = found.region.to.map_or_else(|| "its end".to_owned(), line);
    format!("in the region from {from} to {to}")
}

fn extent(found: &ValueRace) -> String {
    match (found.extent.warps, found.extent.bytes) {
        (0, _) | (_, 0) => String::new(),
        (warps, bytes) => format!(" ({warps} warps, {bytes} bytes)"),
    }
}

fn advice(found: &ValueRace) -> &'static str {
    match found.between {
        Between::Lanes => "let one lane write, or give each lane a place of its own",
        Between::Warps => "put __syncthreads() between the two accesses",
        Between::Blocks => {
            "split the work into two launches, or let each block have memory of its own"
        }
    }
}

/// The barriers around the region.
fn related(region: Region, circumstances: &Circumstances<'_>) -> Vec<RelatedSite> {
    let around = [
        (region.from, "the region begins behind this barrier"),
        (region.to, "the region ends at this barrier"),
    ];
    let known = around.into_iter().filter_map(|(site, message)| {
        let site = circumstances.sites.get(site?);
        Some(RelatedSite {
            message: message.to_owned(),
            position: site.position().cloned(),
            source_line: None,
            instruction: site.instruction.to_string(),
            ptx_line: site.ptx_line,
        })
    });
    known.collect()
}
