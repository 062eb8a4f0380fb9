//! Source files and the names of inlined functions, which `.loc` refers to.

use super::Unit;
use std::collections::{HashMap, HashSet};
use warpsan_ptx::{Arena, File, Item, Module, Section, SectionItem, SectionValue};

/// The section with the names of inlined functions.
const STRINGS: &str = ".debug_str";

/// What makes a file the same: path, and time and size where they are given.
type FileKey<'a> = (&'a str, Option<(&'a str, &'a str)>);

/// Files and strings of the program.
pub(super) struct DebugData<'a> {
    arena: &'a Arena,
    files: Vec<&'a File<'a>>,
    /// Numbers in the program.
    file_numbers: HashMap<FileKey<'a>, u32>,
    strings: Vec<SectionItem<'a>>,
    /// Labels in the program by what stands behind them.
    labels: HashMap<Vec<(&'a str, &'a str)>, &'a str>,
    used_labels: HashSet<&'a str>,
}

/// What one unit calls its files and strings.
#[derive(Debug, Default)]
pub(super) struct UnitFiles<'a> {
    numbers: HashMap<u32, u32>,
    strings: HashMap<&'a str, &'a str>,
}

impl UnitFiles<'_> {
    /// The program's number of a file; an unknown one stays as it is.
    pub(super) fn number(&self, number: u32) -> u32 {
        self.numbers.get(&number).copied().unwrap_or(number)
    }
}

impl<'a> DebugData<'a> {
    pub(super) fn new(arena: &'a Arena) -> DebugData<'a> {
        DebugData {
            arena,
            files: Vec::new(),
            file_numbers: HashMap::new(),
            strings: Vec::new(),
            labels: HashMap::new(),
            used_labels: HashSet::new(),
        }
    }

    /// Takes in the files and strings of a unit.
    pub(super) fn add_unit(&mut self, module: &Module<'a>) -> UnitFiles<'a> {
        let mut unit = UnitFiles::default();
        for item in module.items {
            match item {
                Item::File(file) => {
                    unit.numbers.insert(file.number, self.file(file));
                }
                Item::Section(section) if section.name == STRINGS => {
                    self.add_strings(section, &mut unit);
                }
                _ => {}
            }
        }
        unit
    }

    fn file(&mut self, file: &File<'a>) -> u32 {
        let details = file.details.map(|(time, size)| (time.text, size.text));
        *self.file_numbers.entry((file.path, details)).or_insert_with(|| {
            let number = self.files.len() as u32 + 1;
            self.files.push(self.arena.keep(File { number, ..*file }));
            number
        })
    }

    fn add_strings(&mut self, section: &Section<'a>, unit: &mut UnitFiles<'a>) {
        let mut items = section.items;
        while let Some((first, rest)) = items.split_first() {
            items = rest;
            let SectionItem::Label(label) = first else { continue };
            let is_label = |item: &SectionItem<'_>| matches!(item, SectionItem::Label(_));
            let end = rest.iter().position(is_label).unwrap_or(rest.len());
            let (data, behind) = rest.split_at(end);
            items = behind;
            unit.strings.insert(label, self.add_string(data));
        }
    }

    fn add_string(&mut self, data: &[SectionItem<'a>]) -> &'a str {
        let mut key = Vec::new();
        for item in data {
            let SectionItem::Data { width, values } = item else { continue };
            for value in *values {
                if let SectionValue::Number(number) = value {
                    key.push((*width, number.text));
                }
            }
        }
        if let Some(label) = self.labels.get(&key) {
            return label;
        }
        let label: &'a str = self.arena.keep_text(&format!("$L__info_string{}", self.labels.len()));
        self.labels.insert(key, label);
        self.strings.push(SectionItem::Label(label));
        self.strings.extend(data);
        label
    }

    /// The program's label of a unit's string, which is thereby used.
    pub(super) fn string(&mut self, unit: &UnitFiles<'a>, label: &str) -> Option<&'a str> {
        let label = *unit.strings.get(label)?;
        self.used_labels.insert(label);
        Some(label)
    }

    /// The files, and the strings that are used.
    pub(super) fn items(&self) -> Vec<Item<'a>> {
        let mut items: Vec<Item<'a>> = self.files.iter().map(|file| Item::File(file)).collect();
        let mut is_used = false;
        let mut strings = Vec::new();
        for item in &self.strings {
            if let SectionItem::Label(label) = item {
                is_used = self.used_labels.contains(label);
            }
            if is_used {
                strings.push(*item);
            }
        }
        if !strings.is_empty() {
            let strings = self.arena.keep_list(&strings);
            items.push(Item::Section(self.arena.keep(Section { name: STRINGS, items: strings })));
        }
        items
    }
}

/// The units with debug data that the program does not keep.
pub(super) fn dropped(units: &[Unit<'_>]) -> Vec<String> {
    let is_dropped = |item: &Item<'_>| match item {
        Item::Section(section) => section.name != STRINGS,
        Item::OldDebugData(_) => true,
        _ => false,
    };
    let with_debug_data = units.iter().filter(|unit| unit.module.items.iter().any(is_dropped));
    with_debug_data.map(|unit| unit.name.to_owned()).collect()
}
