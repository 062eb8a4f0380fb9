//! Regions of memory, and sets of them. Knows no events.

/// Neighbouring bytes that one thread, or some threads of one block, accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) source: Source,
    /// The thread of the last access, in its block.
    pub(super) thread: u32,
}

/// Where accesses stand in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    /// The instruction of the last access.
    pub(super) site: u32,
    /// It is that of all accesses: no other was forgotten when regions were merged.
    pub(super) complete: bool,
}

impl Source {
    /// That of one instruction.
    pub(super) fn of(site: u32) -> Source {
        Source { site, complete: true }
    }

    /// That of merged regions: the newer one stays.
    #[inline]
    pub(super) fn merged(self, newer: Source) -> Source {
        let complete = self.complete && newer.complete && self.site == newer.site;
        Source { site: newer.site, complete }
    }
}

/// Elements of a set that can become one where they overlap or are neighbours.
pub(super) trait Merge: Copy {
    /// Both as one, if that is the same memory of the same threads; and whether it is more than this one was.
    fn merged(&self, newer: &Self) -> Option<(Self, bool)>;
}

impl Merge for Region {
    #[inline]
    fn merged(&self, newer: &Region) -> Option<(Region, bool)> {
        if newer.start > self.end || newer.end < self.start {
            return None;
        }
        let (start, end) = (self.start.min(newer.start), self.end.max(newer.end));
        let source = self.source.merged(newer.source);
        let grows = (start, end) != (self.start, self.end);
        Some((Region { start, end, source, thread: newer.thread }, grows))
    }
}

/// What an insertion did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inserted {
    /// There is one element more.
    Added,
    /// It was merged with other elements.
    Merged {
        /// How many.
        count: u32,
        /// The first one that was looked at was one of them.
        at_once: bool,
    },
    /// There is no room for it.
    Full,
}

/// A set as an array without order: the element that was added or merged last stands last, searches begin there, and
/// look at a few elements only. So elements may overlap or be neighbours.
#[derive(Debug)]
pub(super) struct Set<E> {
    elements: Vec<E>,
}

impl<E> Default for Set<E> {
    fn default() -> Self {
        Set { elements: Vec::new() }
    }
}

impl<E: Merge> Set<E> {
    /// Adds an element to a set that may have so many, after looking at so many for one that it can be merged with.
    #[inline]
    pub(super) fn insert(&mut self, element: E, search: u32, limit: usize) -> Inserted {
        let mut current = element;
        let (mut count, mut at_once) = (0, false);
        let mut at = self.elements.len();
        for _ in 0..search {
            let Some(before) = at.checked_sub(1) else { break };
            at = before;
            let Some((both, grows)) = self.elements[at].merged(&current) else { continue };
            at_once |= at + 1 == self.elements.len() && count == 0;
            count += 1;
            current = both;
            self.elements.remove(at);
            // What has not grown has no neighbours that the element it was did not have.
            if !grows {
                break;
            }
        }
        if count == 0 && self.elements.len() >= limit {
            return Inserted::Full;
        }
        self.elements.push(current);
        if count == 0 { Inserted::Added } else { Inserted::Merged { count, at_once } }
    }

    pub(super) fn elements(&self) -> &[E] {
        &self.elements
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Forgets the elements and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.elements.clear();
    }
}

impl Set<Region> {
    /// Merges whatever can be merged.
    pub(super) fn merge_all(&mut self) {
        self.elements.sort_by_key(|region| region.start);
        let mut kept: usize = 0;
        for index in 0..self.elements.len() {
            let region = self.elements[index];
            match kept.checked_sub(1).and_then(|last| self.elements[last].merged(&region)) {
                Some((both, _)) => self.elements[kept - 1] = both,
                None => {
                    self.elements[kept] = region;
                    kept += 1;
                }
            }
        }
        self.elements.truncate(kept);
    }
}

#[cfg(test)]
mod tests;
