//! The whole machine: multiprocessors, interconnect, partitions and the detector, from one thing that
//! happens to the next.

mod detecting;
mod issuing;
mod serving;

use crate::agenda::Agenda;
use crate::configuration::{Configuration, Detection};
use crate::metadata::MetadataRegion;
use crate::multiprocessor::Multiprocessor;
use crate::outcome::Outcome;
use crate::partition::{Partition, Stripes};
use crate::recorder::MOST_WARPS;
use crate::transactions::{Number, Transactions};
use crate::workload::{LaunchProgram, Workload};

/// What can be on the agenda.
#[derive(Debug, Clone, Copy)]
enum Happening {
    /// A multiprocessor issues the next instruction.
    Issue { multiprocessor: usize },
    /// A warp goes on.
    Wake { multiprocessor: usize, warp: u32 },
    /// A packet is at a partition.
    Arrive { partition: usize, packet: Number },
    /// A packet has come in there with all its flits.
    Inside { partition: usize, packet: Number },
    /// The channel of a partition takes requests.
    Channel { partition: usize },
    /// A line has come from memory.
    Fill { partition: usize, local: u32 },
    /// An answer is at its multiprocessor.
    Answer { request: Number },
    /// The detector looks metadata up.
    LookUp { lookup: Number },
    /// Metadata is there.
    LookedUp { lookup: Number },
}

struct Machine<'w> {
    configuration: &'w Configuration,
    detection: Option<Detection>,
    region: Option<MetadataRegion>,
    stripes: Stripes,
    memory_lines: u32,
    agenda: Agenda<Happening>,
    transactions: Transactions,
    multiprocessors: Vec<Multiprocessor<'w>>,
    partitions: Vec<Partition>,
    /// The launch that runs, and its first block that has not begun.
    launch: &'w LaunchProgram,
    next_block: usize,
    /// Operations that each warp of the launch has issued.
    issued: Vec<u32>,
    outcome: Outcome,
}

/// Runs a workload on a configuration.
pub fn simulate(workload: &Workload, configuration: &Configuration) -> Outcome {
    let nothing = LaunchProgram::default();
    let mut machine = Machine::new(workload, configuration, &nothing);
    for launch in &workload.launches {
        machine.run(launch);
    }
    machine.finish()
}

impl<'w> Machine<'w> {
    fn new(
        workload: &Workload,
        configuration: &'w Configuration,
        nothing: &'w LaunchProgram,
    ) -> Machine<'w> {
        let channels = configuration.channels.max(1);
        let detection = configuration.detection;
        Machine {
            configuration,
            detection,
            region: detection
                .map(|detection| MetadataRegion::new(detection.metadata, workload.memory_lines)),
            stripes: Stripes { channels },
            memory_lines: workload.memory_lines,
            agenda: Agenda::new(),
            transactions: Transactions::default(),
            multiprocessors: (0..configuration.multiprocessors.max(1))
                .map(|_| Multiprocessor::new(configuration))
                .collect(),
            partitions: (0..channels).map(|_| Partition::new(configuration)).collect(),
            launch: nothing,
            next_block: 0,
            issued: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    /// Runs one launch until nothing of it is on its way. The L1s begin empty, the L2 as it was left.
    fn run(&mut self, launch: &'w LaunchProgram) {
        self.launch = launch;
        self.next_block = 0;
        self.issued.clear();
        self.issued.resize(launch.blocks.len() * MOST_WARPS as usize, 0);
        for multiprocessor in &mut self.multiprocessors {
            multiprocessor.l1.clear();
        }
        // Blocks are dealt out one by one, as long as somebody has room.
        let mut without_room = 0;
        let mut at = 0;
        while without_room < self.multiprocessors.len() {
            without_room = if self.begin_block(at) { 0 } else { without_room + 1 };
            at = (at + 1) % self.multiprocessors.len();
        }
        while let Some(happening) = self.agenda.take() {
            self.happen(happening);
        }
        debug_assert_eq!(self.transactions.open(), 0, "something is still on its way");
        debug_assert_eq!(self.next_block, launch.blocks.len(), "a block never began");
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Issue { multiprocessor } => self.issue(multiprocessor),
            Happening::Wake { multiprocessor, warp } => self.wake(multiprocessor, warp),
            Happening::Arrive { partition, packet } => self.arrive(partition, packet),
            Happening::Inside { partition, packet } => self.inside(partition, packet),
            Happening::Channel { partition } => self.ask_channel(partition),
            Happening::Fill { partition, local } => self.fill(partition, local),
            Happening::Answer { request } => self.answer(request),
            Happening::LookUp { lookup } => self.look_up(lookup),
            Happening::LookedUp { lookup } => self.looked_up(lookup),
        }
    }

    /// Begins the next block at a multiprocessor, if there is one and it has room.
    fn begin_block(&mut self, at: usize) -> bool {
        let Some(block) = self.launch.blocks.get(self.next_block) else { return false };
        if !self.multiprocessors[at].has_room(block) {
            return false;
        }
        let number = self.next_block;
        self.next_block += 1;
        let now = self.agenda.now();
        for warp in self.multiprocessors[at].admit(block, number) {
            self.agenda.put(now, Happening::Wake { multiprocessor: at, warp });
        }
        true
    }

    fn finish(mut self) -> Outcome {
        self.outcome.cycles = self.agenda.now();
        let packets = &mut self.outcome.packets;
        packets.flits_out = self.multiprocessors.iter().map(|one| one.out.flits).sum();
        packets.flits_back = self.multiprocessors.iter().map(|one| one.into.flits).sum();
        self.outcome
    }
}

#[cfg(test)]
mod tests;
