use std::collections::{BTreeMap, HashMap};
use warpsan_ptx::{Document, File, Function, Item, LineIndex, Module, SectionItem, Variable};

/// A module with its names looked up: made once, used by every pass.
#[derive(Debug)]
pub struct ModuleIndex<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: LineIndex,
    /// Kernels and functions; of a declaration and a definition the definition counts.
    pub(crate) functions: HashMap<&'a str, &'a Function<'a>>,
    /// The number of each kernel and function, in the order of the text.
    function_numbers: HashMap<&'a str, u32>,
    pub(crate) variables: HashMap<&'a str, &'a Variable<'a>>,
    pub(crate) aliases: HashMap<&'a str, &'a str>,
    pub(crate) files: BTreeMap<u32, &'a str>,
    /// Labelled strings of `.debug_str`, which `.loc … function_name` refers to.
    pub(crate) debug_strings: HashMap<&'a str, String>,
    pub(crate) module: Module<'a>,
}

impl<'a> ModuleIndex<'a> {
    /// Looks the names of a document up.
    pub fn of(document: &'a Document) -> ModuleIndex<'a> {
        let module = document.module();
        let mut index = ModuleIndex {
            text: document.text(),
            lines: LineIndex::new(document.text()),
            functions: HashMap::new(),
            function_numbers: HashMap::new(),
            variables: HashMap::new(),
            aliases: HashMap::new(),
            files: BTreeMap::new(),
            debug_strings: HashMap::new(),
            module,
        };
        for item in module.items {
            match item {
                Item::Function(function) => {
                    let next = index.function_numbers.len() as u32;
                    index.function_numbers.entry(function.name).or_insert(next);
                    let known = index.functions.entry(function.name).or_insert(function);
                    if function.body.is_some() {
                        *known = function;
                    }
                }
                Item::Variable(variable) => {
                    index.variables.insert(variable.name, variable);
                }
                Item::Alias(alias) => {
                    index.aliases.insert(alias.name, alias.target);
                }
                Item::File(File { number, path, .. }) => {
                    index.files.insert(*number, path);
                }
                Item::Section(section) if section.name == ".debug_str" => {
                    index.read_strings(section.items);
                }
                _ => {}
            }
        }
        index
    }

    /// The function of this name, aliases followed.
    pub(crate) fn function(&self, name: &str) -> Option<&'a Function<'a>> {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        self.functions.get(name).copied()
    }

    /// The number of the function of this name, aliases followed.
    pub(crate) fn function_number(&self, name: &str) -> Option<u32> {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        self.function_numbers.get(name).copied()
    }

    /// Where pointers to the function of this name point, in code and in initial values.
    pub fn function_address(&self, name: &str) -> Option<u64> {
        self.function_number(name).map(function_address)
    }

    fn read_strings(&mut self, items: &'a [SectionItem<'a>]) {
        let mut label = None;
        for item in items {
            match item {
                SectionItem::Label(name) => label = Some(*name),
                SectionItem::Data { values, .. } => {
                    let Some(label) = label else { continue };
                    let text = self.debug_strings.entry(label).or_default();
                    for value in *values {
                        if let warpsan_ptx::SectionValue::Number(number) = value
                            && let Some(byte @ 1..=255) = number.integer()
                        {
                            text.push(char::from(byte as u8));
                        }
                    }
                }
            }
        }
    }
}

/// Where pointers to functions point: the first function of a module has this address. Nothing else
/// lies there.
const FUNCTIONS: u64 = 0x2C00_0000_0000;
/// How far apart the addresses of functions are.
const FUNCTION_BYTES: u64 = 16;

/// The address of the function of this number.
pub(crate) fn function_address(number: u32) -> u64 {
    FUNCTIONS + u64::from(number) * FUNCTION_BYTES
}
