//! One cause, one group: races on one object that lack the same piece are shown together.
//!
//! Two races belong together if they are of one kernel and one kind, if the same advice is given on both, and if they
//! share an object: the allocation or the shared array that they access, or the flag, the lock or the fence that is named
//! beside them. What belongs to one of a group belongs to the group.
//!
//! A group is no data of its own that could come apart from the races: it follows from their list.

use crate::{AccessType, Race, RaceKind, RelatedSite};
use std::collections::HashMap;
use warpsan_model::Space;

/// Races of one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceGroup<'a> {
    /// Its number, counted from 1 in the order in which groups are shown.
    pub id: u64,
    /// The race that is shown in full.
    pub first: &'a Race,
    /// The others, in the order of the list.
    pub rest: Vec<&'a Race>,
}

impl<'a> RaceGroup<'a> {
    /// All races of the group.
    pub fn races(&self) -> impl Iterator<Item = &'a Race> {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }

    /// Those of its races that are of a kernel, as a group of the same number.
    pub(crate) fn of_kernel(&self, kernel: &str) -> Option<RaceGroup<'a>> {
        let mut races = self.races().filter(|race| race.kernel == kernel);
        Some(RaceGroup { id: self.id, first: races.next()?, rest: races.collect() })
    }
}

/// The groups of a list of races, in the order of their first race.
pub(crate) fn groups(races: &[Race]) -> Vec<RaceGroup<'_>> {
    let mut groups: Vec<RaceGroup<'_>> = Vec::new();
    for (race, id) in races.iter().zip(group_ids(races)) {
        match groups.get_mut(id as usize - 1) {
            Some(group) => group.rest.push(race),
            None => groups.push(RaceGroup { id, first: race, rest: Vec::new() }),
        }
    }
    groups
}

/// The number of the group of each race, counted from 1 in the order in which they come.
pub(crate) fn group_ids(races: &[Race]) -> Vec<u64> {
    let mut leaders = Leaders::new(races.len());
    let mut seen: HashMap<Cause<'_>, usize> = HashMap::new();
    for (index, race) in races.iter().enumerate() {
        for cause in causes(race) {
            let other = *seen.entry(cause).or_insert(index);
            leaders.join(index, other);
        }
    }
    let mut numbers: HashMap<usize, u64> = HashMap::new();
    (0..races.len())
        .map(|index| {
            let next = numbers.len() as u64 + 1;
            *numbers.entry(leaders.of(index)).or_insert(next)
        })
        .collect()
}

/// What two races have in common if they have one cause.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Cause<'a> {
    /// Its name without template arguments: the instances of a template have one text. None for races of two launches,
    /// whose missing piece is outside of either, and of threads, whose sides are in functions of their own.
    kernel: Option<&'a str>,
    kind: RaceKind,
    advice: &'a str,
    object: Object<'a>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Object<'a> {
    /// An allocation or a variable.
    Memory { space: Option<Space>, label: &'a str, bytes: u64 },
    /// A flag, a lock or a fence, known by its line, or where there is none by its instruction.
    Place { file: &'a str, line: u32, message: &'a str },
}

fn causes(race: &Race) -> impl Iterator<Item = Cause<'_>> {
    // A barrier has no memory, and an access out of bounds is not in the memory that it was meant for.
    let has_object = race.first.access != AccessType::Barrier && !race.is_one_access();
    let memory = race.location.allocation.as_ref().map(|allocation| Object::Memory {
        space: race.location.space,
        label: &allocation.label,
        bytes: allocation.bytes,
    });
    // What is named beside a race of threads is where they were started, which says nothing about the cause.
    let is_of_kernels = race.threads.is_none();
    let places = race.related.iter().filter(move |_| is_of_kernels).map(place);
    let objects = memory.into_iter().chain(places);
    let cause = move |object| Cause {
        kernel: (race.kind != RaceKind::InterKernel && is_of_kernels)
            .then(|| template(&race.kernel)),
        kind: race.kind,
        advice: &race.advice,
        object,
    };
    objects.filter(move |_| has_object).map(cause)
}

fn place(site: &RelatedSite) -> Object<'_> {
    let (file, line) = match &site.position {
        Some(position) => (&*position.file, position.line),
        None => ("", site.ptx_line),
    };
    Object::Place { file, line, message: &site.message }
}

fn template(kernel: &str) -> &str {
    kernel.split('<').next().unwrap_or(kernel)
}

/// Sets of numbers that are joined one by one; the lowest number of a set leads it.
struct Leaders(Vec<usize>);

impl Leaders {
    fn new(count: usize) -> Leaders {
        Leaders((0..count).collect())
    }

    fn of(&self, mut one: usize) -> usize {
        while self.0[one] != one {
            one = self.0[one];
        }
        one
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests;
