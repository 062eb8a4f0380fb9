//! What a program has said about where its managed memory should be. Here the memory is in one place,
//! so that this is only kept to be asked for.

use std::ffi::c_int;

/// `cudaMemLocationType`.
const NOWHERE: c_int = 0;
const ON_DEVICE: c_int = 1;
const ON_HOST: c_int = 2;
const ON_NUMA_NODE: c_int = 3;
const ON_NEAREST_NUMA_NODE: c_int = 4;

/// `cudaCpuDeviceId` and `cudaInvalidDeviceId`.
pub const HOST_NUMBER: c_int = -1;
const NO_NUMBER: c_int = -2;

/// Where memory can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// The one device.
    Device,
    /// The host, whichever of its nodes.
    Host,
    /// One node of the host.
    Node(c_int),
}

impl Location {
    /// The location of a `cudaMemLocation`, or nothing where it is none.
    pub fn new(kind: c_int, id: c_int) -> Option<Location> {
        match (kind, id) {
            (ON_DEVICE, 0) => Some(Location::Device),
            (ON_HOST | ON_NEAREST_NUMA_NODE, _) => Some(Location::Host),
            (ON_NUMA_NODE, id) => Some(Location::Node(id)),
            _ => None,
        }
    }

    fn kind(self) -> c_int {
        match self {
            Location::Device => ON_DEVICE,
            Location::Host => ON_HOST,
            Location::Node(_) => ON_NUMA_NODE,
        }
    }

    fn id(self) -> c_int {
        match self {
            Location::Device | Location::Host => 0,
            Location::Node(id) => id,
        }
    }

    /// The number that stands for it where devices are numbers.
    fn number(self) -> c_int {
        match self {
            Location::Device => 0,
            Location::Host => HOST_NUMBER,
            Location::Node(_) => NO_NUMBER,
        }
    }
}

/// One thing that is said about a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// `cudaMemAdviseSetReadMostly`, or that it is unset.
    ReadMostly(bool),
    /// `cudaMemAdviseSetPreferredLocation`, or that it is unset.
    Preferred(Option<Location>),
    /// `cudaMemAdviseSetAccessedBy` the device, or that it is unset.
    AccessedByDevice(bool),
    /// `cudaMemAdviseSetAccessedBy` the host, or that it is unset.
    AccessedByHost(bool),
    /// `cudaMemPrefetchAsync`.
    PrefetchedTo(Location),
}

/// What holds for some bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct State {
    read_mostly: bool,
    preferred: Option<Location>,
    accessed_by_device: bool,
    accessed_by_host: bool,
    prefetched_to: Option<Location>,
}

impl State {
    fn apply(&mut self, said: Said) {
        match said {
            Said::ReadMostly(holds) => self.read_mostly = holds,
            Said::Preferred(location) => self.preferred = location,
            Said::AccessedByDevice(holds) => self.accessed_by_device = holds,
            Said::AccessedByHost(holds) => self.accessed_by_host = holds,
            Said::PrefetchedTo(location) => self.prefetched_to = Some(location),
        }
    }
}

/// All that was said, in order.
#[derive(Default)]
pub struct Advice {
    said: Vec<(u64, u64, Said)>,
}

impl Advice {
    /// Something is said about so many bytes.
    pub fn say(&mut self, address: u64, bytes: u64, said: Said) {
        let end = address + bytes;
        // What is said anew about all of a range takes the place of what was said.
        self.said.retain(|(start, stop, earlier)| {
            std::mem::discriminant(earlier) != std::mem::discriminant(&said)
                || *start < address
                || *stop > end
        });
        self.said.push((address, end, said));
    }

    /// The memory is gone, and what was said about it.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        self.said.retain(|(start, end, _)| *end <= address || *start >= address + bytes);
    }

    /// The states of all parts of a range.
    fn states(&self, address: u64, bytes: u64) -> Vec<State> {
        let end = address + bytes;
        let edges = self.said.iter().flat_map(|(start, stop, _)| [*start, *stop]);
        let mut starts: Vec<u64> = edges.filter(|edge| (address..end).contains(edge)).collect();
        starts.push(address);
        starts.sort_unstable();
        starts.dedup();
        let state_at = |at: u64| {
            let mut state = State::default();
            for (start, stop, said) in &self.said {
                if (*start..*stop).contains(&at) {
                    state.apply(*said);
                }
            }
            state
        };
        starts.into_iter().map(state_at).collect()
    }

    /// Whether something holds for all parts of a range.
    fn all(&self, address: u64, bytes: u64, holds: impl Fn(&State) -> bool) -> bool {
        self.states(address, bytes).iter().all(holds)
    }

    /// The one location that all parts of a range have.
    fn common(
        &self,
        address: u64,
        bytes: u64,
        location: impl Fn(&State) -> Option<Location>,
    ) -> Option<Location> {
        let states = self.states(address, bytes);
        let first = states.first().and_then(&location)?;
        states.iter().all(|state| location(state) == Some(first)).then_some(first)
    }

    /// The answer to a `cudaMemRangeAttribute`: so many numbers as there is room for.
    pub fn attribute(
        &self,
        attribute: c_int,
        address: u64,
        bytes: u64,
        room: usize,
    ) -> Option<Vec<c_int>> {
        let preferred = || self.common(address, bytes, |state| state.preferred);
        let prefetched = || self.common(address, bytes, |state| state.prefetched_to);
        let kind = |location: Option<Location>| location.map_or(NOWHERE, Location::kind);
        let id = |location: Option<Location>| location.map_or(NO_NUMBER, Location::id);
        let number = |location: Option<Location>| location.map_or(NO_NUMBER, Location::number);
        let one = match attribute {
            1 => c_int::from(self.all(address, bytes, |state| state.read_mostly)),
            2 => number(preferred()),
            3 => {
                let by_device = self.all(address, bytes, |state| state.accessed_by_device);
                let by_host = self.all(address, bytes, |state| state.accessed_by_host);
                let mut users = Vec::new();
                users.extend(by_device.then_some(0));
                users.extend(by_host.then_some(HOST_NUMBER));
                users.resize(room, NO_NUMBER);
                return Some(users);
            }
            4 => number(prefetched()),
            5 => kind(preferred()),
            6 => id(preferred()),
            7 => kind(prefetched()),
            8 => id(prefetched()),
            _ => return None,
        };
        (room == 1).then(|| vec![one])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_for_a_range_holds_for_all_of_it() {
        let mut advice = Advice::default();
        assert_eq!(advice.attribute(1, 1000, 100, 1), Some(vec![0]));
        advice.say(1000, 100, Said::ReadMostly(true));
        assert_eq!(advice.attribute(1, 1000, 100, 1), Some(vec![1]));
        assert_eq!(advice.attribute(1, 1000, 101, 1), Some(vec![0]));
        advice.say(1050, 10, Said::ReadMostly(false));
        assert_eq!(advice.attribute(1, 1000, 100, 1), Some(vec![0]));
        assert_eq!(advice.attribute(1, 1000, 50, 1), Some(vec![1]));
        advice.say(1000, 100, Said::ReadMostly(true));
        assert_eq!(advice.attribute(1, 1000, 100, 1), Some(vec![1]));
        advice.forget(1099, 1);
        assert_eq!(advice.attribute(1, 1000, 10, 1), Some(vec![0]));
    }

    /// The answers of an H200 for fresh memory and for memory that was advised about and fetched.
    #[test]
    fn locations_are_read_as_numbers_and_as_kinds() {
        let mut advice = Advice::default();
        let asked = |advice: &Advice| -> Vec<c_int> {
            (1..=8).map(|id| advice.attribute(id, 0, 99, 1).expect("an answer")[0]).collect()
        };
        assert_eq!(asked(&advice), [0, -2, -2, -2, 0, -2, 0, -2]);
        advice.say(0, 8192, Said::ReadMostly(true));
        advice.say(0, 8192, Said::Preferred(Some(Location::Device)));
        advice.say(0, 8192, Said::AccessedByDevice(true));
        advice.say(0, 8192, Said::PrefetchedTo(Location::Device));
        assert_eq!(asked(&advice), [1, 0, 0, 0, 1, 0, 1, 0]);
        advice.say(0, 8192, Said::Preferred(Location::new(ON_HOST, 7)));
        advice.say(0, 10, Said::PrefetchedTo(Location::Host));
        assert_eq!(asked(&advice), [1, -1, 0, -2, 2, 0, 0, -2]);
    }

    #[test]
    fn there_is_room_for_more_users_than_there_are() {
        let mut advice = Advice::default();
        advice.say(0, 64, Said::AccessedByHost(true));
        assert_eq!(advice.attribute(3, 0, 64, 3), Some(vec![-1, -2, -2]));
        assert_eq!(advice.attribute(1, 0, 64, 2), None, "one number has room for one");
        assert_eq!(advice.attribute(9, 0, 64, 1), None);
    }
}
