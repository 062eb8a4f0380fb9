use std::ops::BitOr;

/// A set of event classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventMask(u8);

impl EventMask {
    /// No event at all: the engine runs as if nobody listened.
    pub const NONE: EventMask = EventMask(0);
    /// Launches, blocks and allocations.
    pub const STRUCTURE: EventMask = EventMask(1);
    /// Accesses to shared and global memory.
    pub const ACCESSES: EventMask = EventMask(2);
    /// Fences and barriers.
    pub const SYNCHRONISATION: EventMask = EventMask(4);
    /// The values that stores write.
    pub const VALUES: EventMask = EventMask(8);
    /// The values that strong operations read and write, and the versions of their locations.
    pub const OBSERVATIONS: EventMask = EventMask(16);
    /// Every event has all lanes of a warp that have reconverged in the code, also where a device has let them
    /// go on without reconvergence. No events of their own.
    pub const JOINED: EventMask = EventMask(32);
    /// Where lanes of a warp reconverge. An engine that runs a device does not know it.
    pub const RECONVERGENCE: EventMask = EventMask(64);
    /// All events but those of reconvergence, as they happened.
    pub const ALL: EventMask = EventMask(31);

    /// Whether all of `other` is in the set.
    pub fn contains(self, other: EventMask) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for EventMask {
    type Output = EventMask;

    fn bitor(self, other: EventMask) -> EventMask {
        EventMask(self.0 | other.0)
    }
}
