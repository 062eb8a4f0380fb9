//! A syntax tree back to PTX text.
//!
//! What is printed means to the assembler what was read: names, numbers, and the order of everything
//! are kept as they were written; blanks, line ends and comments are not.

use crate::Number;
use crate::tree::*;
use std::fmt::{self, Write};

/// The text of a module.
pub fn print(module: &Module<'_>) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    for item in module.items {
        printer.item(item);
    }
    printer.out
}

/// The text of one instruction, without the `;`.
pub fn print_instruction(instruction: &Instruction<'_>) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    printer.instruction(instruction);
    printer.out
}

/// The text of something at the module's scope.
pub fn print_item(item: &Item<'_>) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    printer.item(item);
    printer.out
}

/// The text of one statement.
pub fn print_statement(statement: &Statement<'_>) -> String {
    let mut printer = Printer { out: String::new(), depth: 1 };
    printer.statement(statement);
    printer.out
}

/// The text of a variable or parameter, without what ends it.
pub fn print_variable(variable: &Variable<'_>) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    printer.variable(variable);
    printer.out
}

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { out: String::new(), depth: 0 };
        printer.operand(self);
        f.write_str(&printer.out)
    }
}

struct Printer {
    out: String,
    depth: usize,
}

/// Writing to a string cannot fail, so the result of `write!` says nothing.
macro_rules! put {
    ($printer:expr, $($format:tt)*) => {
        let _ = write!($printer.out, $($format)*);
    };
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Starts a statement on a line of its own.
    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.out.push('\t');
        }
    }

    fn item(&mut self, item: &Item<'_>) {
        match item {
            Item::Version(version) => {
                put!(self, ".version {}.{}\n", version.major, version.minor);
            }
            Item::Target(words) => {
                self.text(".target ");
                self.separated(words, |printer, word| printer.text(word));
                self.text("\n");
            }
            Item::AddressSize(bits) => {
                put!(self, ".address_size {bits}\n");
            }
            Item::File(file) => self.file(file),
            Item::Section(section) => self.section(section),
            Item::Location(location) => self.location(location),
            Item::Pragma(strings) => self.pragma(strings),
            Item::Alias(alias) => {
                put!(self, ".alias {}, {};\n", alias.name, alias.target);
            }
            Item::Variable(variable) => {
                self.variable(variable);
                self.text(";\n");
            }
            Item::Function(function) => self.function(function),
            Item::OldDebugData(text) => {
                put!(self, "{text}\n");
            }
        }
    }

    fn separated<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            each(self, item);
        }
    }

    fn file(&mut self, file: &File<'_>) {
        put!(self, ".file {} \"{}\"", file.number, file.path);
        if let Some((time, size)) = file.details {
            self.text(", ");
            self.number(time);
            self.text(", ");
            self.number(size);
        }
        self.text("\n");
    }

    fn section(&mut self, section: &Section<'_>) {
        put!(self, ".section {}\n{{\n", section.name);
        for item in section.items {
            match item {
                SectionItem::Label(name) => {
                    put!(self, "{name}:\n");
                }
                SectionItem::Data { width, values } => {
                    put!(self, "{width} ");
                    self.separated(values, |printer, value| match *value {
                        SectionValue::Number(number) => printer.number(number),
                        SectionValue::Label(name, offset) => {
                            printer.text(name);
                            printer.offset(offset);
                        }
                        SectionValue::Difference(&(minuend, subtrahend)) => {
                            put!(printer, "{minuend}-{subtrahend}");
                        }
                    });
                    self.text("\n");
                }
            }
        }
        self.text("}\n");
    }

    fn location(&mut self, location: &Location<'_>) {
        self.text(".loc ");
        self.place(location.place);
        if let Some(inlined) = location.inlined {
            put!(self, ", function_name {}", inlined.function);
            if inlined.offset != 0 {
                put!(self, "+{}", inlined.offset);
            }
            self.text(", inlined_at ");
            self.place(inlined.at);
        }
        self.text("\n");
    }

    fn place(&mut self, place: Place) {
        put!(self, "{} {} {}", place.file, place.line, place.column);
    }

    fn pragma(&mut self, strings: &[&str]) {
        self.text(".pragma ");
        self.separated(strings, |printer, string| printer.text(string));
        self.text(";\n");
    }

    fn linkage(&mut self, linkage: Linkage) {
        self.text(match linkage {
            Linkage::Local => "",
            Linkage::Visible => ".visible ",
            Linkage::Extern => ".extern ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        });
    }

    fn attributes(&mut self, attributes: &[&str]) {
        for text in attributes {
            put!(self, ".attribute({text}) ");
        }
    }

    /// A variable or a parameter, without what ends it.
    fn variable(&mut self, variable: &Variable<'_>) {
        self.linkage(variable.linkage);
        put!(self, "{} ", variable.space);
        self.attributes(variable.attributes);
        if let Some(alignment) = variable.alignment {
            put!(self, ".align {alignment} ");
        }
        self.vector_type(variable.vector, variable.data_type);
        if let Some(pointer) = variable.pointer {
            self.text(".ptr ");
            if let Some(space) = pointer.space {
                put!(self, "{space} ");
            }
            if let Some(alignment) = pointer.alignment {
                put!(self, ".align {alignment} ");
            }
        }
        self.text(variable.name);
        for extent in variable.extents {
            match extent {
                Some(extent) => {
                    put!(self, "[{extent}]");
                }
                None => self.text("[]"),
            }
        }
        if let Some(initial) = variable.initial {
            self.text(" = ");
            self.operand(initial);
        }
    }

    fn vector_type(&mut self, vector: u32, data_type: &str) {
        if vector > 1 {
            put!(self, ".v{vector} ");
        }
        put!(self, "{data_type} ");
    }

    fn parameters(&mut self, parameters: &[Variable<'_>]) {
        self.text("(");
        self.separated(parameters, |printer, parameter| printer.variable(parameter));
        self.text(")");
    }

    fn function(&mut self, function: &Function<'_>) {
        self.linkage(function.linkage);
        self.text(if function.is_kernel { ".entry " } else { ".func " });
        self.attributes(function.attributes);
        if !function.returns.is_empty() {
            self.parameters(function.returns);
            self.text(" ");
        }
        self.text(function.name);
        if let Some(parameters) = function.parameters {
            self.parameters(parameters);
        }
        self.directives(function.directives);
        match function.body {
            None => self.text("\n;\n"),
            Some(body) => {
                self.text("\n");
                self.block(body);
            }
        }
    }

    fn directives(&mut self, directives: &[FunctionDirective<'_>]) {
        for directive in directives {
            put!(self, "\n{} ", directive.name);
            self.separated(directive.values, |printer, value| printer.text(value));
            if directive.name == ".pragma" {
                self.text(";");
            }
        }
    }

    fn block(&mut self, statements: &[Statement<'_>]) {
        self.indent();
        self.text("{\n");
        self.depth += 1;
        for statement in statements {
            self.statement(statement);
        }
        self.depth -= 1;
        self.indent();
        self.text("}\n");
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        if let Statement::Block(block) = statement {
            return self.block(block.statements);
        }
        if !matches!(statement, Statement::Label(_)) {
            self.indent();
        }
        match statement {
            Statement::Label(label) => {
                put!(self, "{}:\n", label.name);
            }
            Statement::Location(location) => self.location(location),
            Statement::Registers(registers) => self.registers(registers),
            Statement::Variable(variable) => {
                self.variable(variable);
                self.text(";\n");
            }
            Statement::Instruction(instruction) => {
                self.instruction(instruction);
                self.text(";\n");
            }
            Statement::Targets(targets) => {
                let directive =
                    if targets.are_functions { ".calltargets" } else { ".branchtargets" };
                put!(self, "{}: {directive} ", targets.label);
                self.separated(targets.names, |printer, name| printer.text(name));
                self.text(";\n");
            }
            Statement::CallPrototype(prototype) => self.prototype(prototype),
            Statement::Pragma(pragma) => self.pragma(pragma.strings),
            Statement::Block(_) => {}
        }
    }

    fn prototype(&mut self, prototype: &CallPrototype<'_>) {
        put!(self, "{}: .callprototype ", prototype.label);
        self.parameters(prototype.returns);
        put!(self, " {} ", prototype.name);
        if let Some(parameters) = prototype.parameters {
            self.parameters(parameters);
        }
        self.directives(prototype.directives);
        self.text(";\n");
    }

    fn registers(&mut self, registers: &RegisterDeclaration<'_>) {
        self.text(".reg ");
        if let Some(alignment) = registers.alignment {
            put!(self, ".align {alignment} ");
        }
        self.vector_type(registers.vector, registers.data_type);
        self.separated(registers.names, |printer, (name, count)| {
            printer.text(name);
            if let Some(count) = count {
                put!(printer, "<{count}>");
            }
        });
        self.text(";\n");
    }

    fn instruction(&mut self, instruction: &Instruction<'_>) {
        if let Some(guard) = instruction.guard {
            put!(self, "@{}{} ", if guard.negated { "!" } else { "" }, guard.register);
        }
        self.text(instruction.mnemonic.text);
        if !instruction.operands.is_empty() {
            self.text(" ");
        }
        self.separated(instruction.operands, Printer::operand);
    }

    fn number(&mut self, number: Number<'_>) {
        self.text(number.text);
    }

    fn offset(&mut self, offset: i64) {
        if offset != 0 {
            put!(self, "+{offset}");
        }
    }

    fn list(&mut self, open: &str, items: &[Operand<'_>], close: &str) {
        self.text(open);
        self.separated(items, Printer::operand);
        self.text(close);
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        match operand {
            Operand::Name(name) | Operand::Text(name) => self.text(name),
            Operand::NameOffset((name, offset)) => {
                put!(self, "{name}+{offset}");
            }
            Operand::Integer(number) | Operand::Float(number) => self.number(*number),
            Operand::Expression(expression) => self.text(expression.text),
            Operand::Address(address) => self.address(address),
            Operand::Vector(items) => self.list("{", items, "}"),
            Operand::List(items) => self.list("(", items, ")"),
            Operand::Pair((first, second)) => {
                self.operand(first);
                self.text("|");
                self.operand(second);
            }
            Operand::Not(name) => {
                put!(self, "!{name}");
            }
            Operand::Negated(name) => {
                put!(self, "-{name}");
            }
            // The offset of a generic address stands behind the parenthesis.
            Operand::Generic(Operand::NameOffset((name, offset))) => {
                put!(self, "generic({name})+{offset}");
            }
            Operand::Generic(inner) => {
                self.text("generic(");
                self.operand(inner);
                self.text(")");
            }
            Operand::Mask((bits, inner)) => {
                self.number(*bits);
                self.text("(");
                self.operand(inner);
                self.text(")");
            }
            Operand::Setting((key, value)) => {
                put!(self, "{key} = ");
                self.operand(value);
            }
            Operand::Ignored => self.text("_"),
        }
    }

    fn address(&mut self, address: &Address<'_>) {
        self.text("[");
        match address.base {
            AddressBase::Name(name) => {
                self.text(name);
                if address.has_offset {
                    put!(self, "+{}", address.offset);
                }
            }
            AddressBase::Absolute => {
                put!(self, "{}", address.offset);
            }
        }
        for operand in address.further {
            self.text(", ");
            self.operand(operand);
        }
        self.text(if address.is_unified { "].unified" } else { "]" });
    }
}

#[cfg(test)]
mod tests;
