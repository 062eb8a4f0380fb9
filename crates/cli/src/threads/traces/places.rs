//! What sites of a trace are.

use std::collections::HashMap;
use warpsan_thread_report::{Memory, Stack, StackFrame};
use warpsan_thread_trace::{Module, ModuleNumber, Place, Site};

/// All places that a trace has named so far.
#[derive(Debug, Default)]
pub(super) struct Places {
    places: HashMap<Site, Place>,
    modules: HashMap<ModuleNumber, Module>,
}

impl Places {
    pub(super) fn add(&mut self, site: Site, place: Place) {
        self.places.insert(site, place);
    }

    pub(super) fn add_module(&mut self, number: ModuleNumber, module: Module) {
        self.modules.insert(number, module);
    }

    /// The calls that lead to a site, from the inside out. A trace may be damaged: circles are not followed for ever.
    pub(super) fn stack(&self, site: Site) -> Option<Stack> {
        const FRAMES: usize = 256;
        let mut stack = Stack::new();
        let mut next = site;
        while let Some(place) = self.places.get(&next).filter(|_| stack.len() < FRAMES) {
            let module = place.module.and_then(|number| self.modules.get(&number));
            // Code of warpsan itself has no place.
            if module.is_some() || place.offset != 0 {
                let module = module.map(|module| module.path.clone()).unwrap_or_default();
                stack.push(StackFrame { module, offset: place.offset });
            }
            next = place.caller;
        }
        (!stack.is_empty()).then_some(stack)
    }

    /// The variable's file, where an address is within one.
    pub(super) fn memory_at(&self, address: u64) -> Memory {
        let around = |module: &&Module| (module.start..module.end).contains(&address);
        match self.modules.values().find(around) {
            Some(module) => Memory::Global {
                module: module.path.clone(),
                offset: address.wrapping_sub(module.bias),
            },
            None => Memory::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_goes_from_call_to_call_and_ends_in_a_circle_too() {
        let mut places = Places::default();
        let module = ModuleNumber(0);
        let file = Module { path: "/bin/app".to_owned(), start: 0x1000, end: 0x9000, bias: 0x1000 };
        places.add_module(module, file);
        let place = |caller, offset| Place { caller: Site(caller), module: Some(module), offset };
        places.add(Site(1), place(0, 0x10));
        places.add(Site(2), Place { caller: Site(1), module: None, offset: 0 });
        places.add(Site(3), place(2, 0x30));
        places.add(Site(4), place(4, 0x40));
        let offsets = |site| -> Option<Vec<u64>> {
            Some(places.stack(Site(site))?.iter().map(|frame| frame.offset).collect())
        };
        assert_eq!(offsets(3), Some(vec![0x30, 0x10]));
        assert_eq!(offsets(0), None);
        assert!(offsets(4).is_some_and(|circle| circle.len() > 100));
        let global = Memory::Global { module: "/bin/app".to_owned(), offset: 0x500 };
        assert_eq!(places.memory_at(0x1500), global);
        assert_eq!(places.memory_at(0x9000), Memory::Other);
    }
}
