//! Loads, stores, atomics and fences.

use super::place::{Place, Where};
use super::statement::Statement;
use super::templates::Generator;

/// A type, its bytes, the elements of a vector, and the registers to load and to store: the same value by
/// all threads, or different ones.
struct Shape {
    suffix: &'static str,
    bytes: u32,
    to: &'static str,
    same: &'static str,
    different: &'static str,
}

const WORD: Shape = Shape { suffix: "u32", bytes: 4, to: "%x0", same: "%k1", different: "%kt" };

const SHAPES: [Shape; 9] = [
    Shape { suffix: "u8", bytes: 1, to: "%xh", same: "%h1", different: "%ht" },
    Shape { suffix: "u16", bytes: 2, to: "%xh", same: "%h1", different: "%ht" },
    Shape { suffix: "u64", bytes: 8, to: "%xd0", same: "%d1", different: "%dt" },
    Shape {
        suffix: "v2.u32",
        bytes: 8,
        to: "{%x0, %x1}",
        same: "{%k1, %k0}",
        different: "{%kt, %k1}",
    },
    Shape {
        suffix: "v4.u32",
        bytes: 16,
        to: "{%x0, %x1, %x2, %x3}",
        same: "{%k1, %k0, %k1, %k1}",
        different: "{%kt, %k1, %kt, %kt}",
    },
    Shape {
        suffix: "v2.u64",
        bytes: 16,
        to: "{%xd0, %xd1}",
        same: "{%d1, %d1}",
        different: "{%dt, %d1}",
    },
    Shape { suffix: "b128", bytes: 16, to: "%xq", same: "%q1", different: "%q1" },
    Shape {
        suffix: "v2.u8",
        bytes: 2,
        to: "{%xh, %xh}",
        same: "{%h1, %h1}",
        different: "{%ht, %h1}",
    },
    Shape {
        suffix: "v2.u16",
        bytes: 4,
        to: "{%xh, %xh}",
        same: "{%h1, %h1}",
        different: "{%ht, %ht}",
    },
];

pub(super) const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

impl Generator {
    /// A place for data in one of the memories.
    pub(super) fn data(&mut self) -> Place {
        let memory = self.memory();
        self.data_in(memory)
    }

    pub(super) fn data_in(&mut self, memory: Where) -> Place {
        let slots = self.slots;
        Place { memory, offset: 16 * self.random.below(slots) as u32 }
    }

    /// A place for a flag, a lock or a counter.
    pub(super) fn flag(&mut self) -> Place {
        let memory = self.memory();
        self.flag_in(memory)
    }

    pub(super) fn flag_in(&mut self, memory: Where) -> Place {
        self.flags = (self.flags + 1) % 8;
        Place { memory, offset: 64 + 8 * self.flags }
    }

    fn memory(&mut self) -> Where {
        match self.random.below(10) {
            0..6 => Where::Global,
            6..9 => Where::Shared,
            _ if self.extents.cluster > 1 => Where::Peer,
            _ => Where::Global,
        }
    }

    pub(super) fn any_scope(&mut self) -> &'static str {
        self.random.choose(&SCOPES)
    }

    fn shape(&mut self) -> &'static Shape {
        match self.random.once_in(4) {
            true => &SHAPES[self.random.index(SHAPES.len())],
            false => &WORD,
        }
    }

    /// The space of an access; sometimes the address is generic.
    fn space(&mut self, place: Place, offset: u32) -> (&'static str, String) {
        match place.memory {
            Where::Global if self.random.once_in(6) => ("", place.at(offset)),
            Where::Shared if self.random.once_in(6) => {
                ("", format!("[%sg+{}]", place.offset + offset))
            }
            memory => (memory.space(), place.at(offset)),
        }
    }

    /// A weak load or store of a place for data, mostly of its first word.
    pub(super) fn weak_access(&mut self, place: Place) -> Statement {
        if !place.is_flag() && self.random.once_in(12) {
            return self.own_word(place);
        }
        let is_store = self.random.once_in(2);
        self.access(place, is_store, "")
    }

    /// A load or store with these qualifiers.
    fn access(&mut self, place: Place, is_store: bool, strength: &str) -> Statement {
        let shape = match self.shape() {
            // A flag has eight bytes.
            large if large.bytes > 8 && place.is_flag() => &WORD,
            shape => shape,
        };
        let offset = match self.random.once_in(3) && !place.is_flag() {
            true => shape.bytes * self.random.below(u64::from(16 / shape.bytes)) as u32,
            false => 0,
        };
        let (space, address) = self.space(place, offset);
        let suffix = shape.suffix;
        Statement::line(if is_store {
            let value = if self.random.once_in(3) { shape.same } else { shape.different };
            format!("st{strength}{space}.{suffix} {address}, {value};")
        } else {
            format!("ld{strength}{space}.{suffix} {}, {address};", shape.to)
        })
    }

    /// A weak or strong access of each thread to its own word of a place.
    fn own_word(&mut self, place: Place) -> Statement {
        let base = match place.memory {
            Where::Global => "%gt",
            Where::Shared => "%st",
            Where::Peer => "%rt",
        };
        let scope = self.any_scope();
        let strength = match self.random.below(4) {
            0 => format!(".relaxed.{scope}"),
            _ => String::new(),
        };
        let (space, offset) = (place.memory.space(), place.offset);
        Statement::line(match self.random.below(2) {
            0 => format!("ld{strength}{space}.u32 %x0, [{base}+{offset}];"),
            _ => format!("st{strength}{space}.u32 [{base}+{offset}], %kt;"),
        })
    }

    /// Any access of a place for data.
    pub(super) fn any_access(&mut self, place: Place) -> Statement {
        let scope = self.any_scope();
        match self.random.below(18) {
            16 if !place.is_flag() => self.own_word(place),
            0..5 => self.weak_access(place),
            5 => self.access(place, true, ".volatile"),
            6 => self.access(place, false, ".volatile"),
            7 => self.access(place, true, &format!(".relaxed.{scope}")),
            8 => self.access(place, false, &format!(".relaxed.{scope}")),
            9 => self.access(place, true, &format!(".release.{scope}")),
            10 => self.access(place, false, &format!(".acquire.{scope}")),
            11 if place.memory == Where::Global => self.read_only_load(place),
            12 => self.any_reduction(place),
            _ => self.any_atomic(place),
        }
    }

    pub(super) fn read_only_load(&mut self, place: Place) -> Statement {
        let (suffix, to) =
            self.random.choose(&[("u32", "%x0"), ("u64", "%xd0"), ("v2.u32", "{%x0, %x1}")]);
        Statement::line(format!("ld.global.nc.{suffix} {to}, {};", place.at(0)))
    }

    fn any_order(&mut self) -> String {
        let scope = self.any_scope();
        let order = self.random.choose(&["relaxed", "relaxed", "acquire", "release", "acq_rel"]);
        match self.random.below(5) {
            0 => String::new(),
            1 => format!(".{scope}"),
            _ => format!(".{order}.{scope}"),
        }
    }

    fn any_reduction(&mut self, place: Place) -> Statement {
        let scope = self.any_scope();
        let order = match self.random.below(4) {
            0 => String::new(),
            1 => format!(".release.{scope}"),
            _ => format!(".relaxed.{scope}"),
        };
        let operation =
            self.random.choose(&["add.u32", "add.u32", "or.b32", "max.u32", "add.u64", "and.b32"]);
        let value = if operation.ends_with("64") { "%d1" } else { "%k1" };
        let (space, address) = self.space(place, 0);
        Statement::line(format!("red{order}{space}.{operation} {address}, {value};"))
    }

    fn any_atomic(&mut self, place: Place) -> Statement {
        let order = self.any_order();
        if place.memory == Where::Global && self.random.once_in(16) {
            // Two elements, each updated on its own.
            let at = place.at(0);
            return Statement::line(match self.random.once_in(2) {
                true => format!("atom{order}.global.v2.f32.add {{%f0, %f1}}, {at}, {{%f0, %f1}};"),
                false => format!("red.relaxed.gpu.global.v2.f32.add {at}, {{%f0, %f1}};"),
            });
        }
        let most = if place.is_flag() { 11 } else { 13 };
        let (operation, to, operands) = self.random.choose(
            &[
                ("add.u32", "%x0", "%k1"),
                ("add.u32", "%x0", "%k0"),
                ("exch.b32", "%x0", "%kt"),
                ("cas.b32", "%x0", "%k0, %kt"),
                ("cas.b32", "%x0", "%k1, %k0"),
                ("max.u32", "%x0", "%kt"),
                ("inc.u32", "%x0", "%k1"),
                ("add.u64", "%xd0", "%d1"),
                ("exch.b64", "%xd0", "%dt"),
                ("cas.b64", "%xd0", "%d1, %dt"),
                ("cas.b16", "%xh", "%h1, %ht"),
                ("exch.b128", "%xq", "%q1"),
                ("cas.b128", "%xq", "%q1, %q1"),
            ][..most],
        );
        let (space, address) = self.space(place, 0);
        Statement::line(format!("atom{order}{space}.{operation} {to}, {address}, {operands};"))
    }

    /// A fence of any order and scope.
    pub(super) fn any_fence(&mut self) -> Statement {
        let scope = self.any_scope();
        Statement::line(match self.random.below(8) {
            0 => {
                let level = self.random.choose(&["cta", "gl", "sys"]);
                format!("membar.{level};")
            }
            1 | 2 => format!("fence.sc.{scope};"),
            3 => format!("fence.acquire.{scope};"),
            4 => format!("fence.release.{scope};"),
            _ => format!("fence.acq_rel.{scope};"),
        })
    }

    pub(super) fn proxy_fence(&mut self) -> Statement {
        let which = self.random.choose(&["", "", ".global", ".shared::cta", ".shared::cluster"]);
        match self.random.below(16) {
            0 => Statement::line("fence.proxy.alias;"),
            1 => Statement::line(
                "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
            ),
            2 => Statement::line(
                "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
            ),
            _ => Statement::line(format!("fence.proxy.async{which};")),
        }
    }
}
