//! A walk over a unit's tree that puts in the names, file numbers and strings of the program.

use super::debug_data::{DebugData, UnitFiles};
use super::scope::Scope;
use super::symbols::{NewNames, UnitSymbols};
use std::collections::HashSet;
use warpsan_ptx::{
    Address, AddressBase, Alias, Arena, Block, Function, Inlined, Instruction, Item, Location,
    Operand, Place, Statement, Targets, Variable,
};

/// Rewrites what one unit contributes, and notes which names of the module's scope it uses.
pub(super) struct Rewriter<'a, 'w> {
    arena: &'a Arena,
    symbols: &'w UnitSymbols<'a>,
    new_names: &'w NewNames<'a>,
    files: &'w UnitFiles<'a>,
    debug_data: &'w mut DebugData<'a>,
    scopes: Vec<Scope<'a>>,
    used: HashSet<&'a str>,
}

impl<'a, 'w> Rewriter<'a, 'w> {
    pub(super) fn new(
        arena: &'a Arena,
        symbols: &'w UnitSymbols<'a>,
        new_names: &'w NewNames<'a>,
        files: &'w UnitFiles<'a>,
        debug_data: &'w mut DebugData<'a>,
    ) -> Rewriter<'a, 'w> {
        let (scopes, used) = (Vec::new(), HashSet::new());
        Rewriter { arena, symbols, new_names, files, debug_data, scopes, used }
    }

    /// The names of the module's scope that what was rewritten uses, as the unit calls them.
    pub(super) fn into_used(self) -> HashSet<&'a str> {
        self.used
    }

    /// The program's name of what the unit declares.
    fn declared(&self, name: &'a str) -> &'a str {
        self.new_names.get(name).copied().unwrap_or(name)
    }

    /// The program's name of what the unit uses.
    fn name(&mut self, name: &'a str) -> &'a str {
        // Most names are registers, which end here.
        if !self.symbols.by_name.contains_key(name) {
            return name;
        }
        if self.scopes.iter().any(|scope| scope.has(name)) {
            return name;
        }
        self.used.insert(name);
        self.declared(name)
    }

    pub(super) fn alias(&mut self, name: &'a str, target: &'a str) -> Item<'a> {
        let target = self.name(target);
        Item::Alias(self.arena.keep(Alias { name: self.declared(name), target }))
    }

    /// The head of a function, without its body.
    pub(super) fn prototype(&mut self, function: &Function<'a>) -> Function<'a> {
        let attributes = function.attributes.iter().copied();
        // The assembler takes functions with an identity of their own in single units only.
        let attributes: Vec<_> =
            attributes.filter(|text| text.split('(').next() != Some(".unified")).collect();
        let attributes = self.arena.keep_list(&attributes);
        Function { name: self.declared(function.name), body: None, attributes, ..*function }
    }

    pub(super) fn function(&mut self, function: &Function<'a>) -> Function<'a> {
        self.scopes.push(Scope::of_parameters(function));
        let body = function.body.map(|body| self.statements(body));
        self.scopes.pop();
        Function { body, ..self.prototype(function) }
    }

    /// A variable of the module's scope.
    pub(super) fn variable(&mut self, variable: &Variable<'a>) -> Variable<'a> {
        let variable = self.initialised(variable);
        Variable { name: self.declared(variable.name), ..variable }
    }

    fn initialised(&mut self, variable: &Variable<'a>) -> Variable<'a> {
        let initial = variable.initial.map(|value| self.arena.keep(self.operand(value)));
        Variable { initial, ..*variable }
    }

    fn statements(&mut self, statements: &'a [Statement<'a>]) -> &'a [Statement<'a>] {
        self.scopes.push(Scope::of(statements));
        let rewritten: Vec<_> =
            statements.iter().map(|statement| self.statement(statement)).collect();
        self.scopes.pop();
        self.arena.keep_list(&rewritten)
    }

    fn statement(&mut self, statement: &Statement<'a>) -> Statement<'a> {
        match *statement {
            Statement::Location(location) => {
                Statement::Location(self.arena.keep(self.location(location)))
            }
            Statement::Variable(variable) => {
                Statement::Variable(self.arena.keep(self.initialised(variable)))
            }
            Statement::Instruction(instruction) => {
                let operands = self.operands(instruction.operands);
                let instruction = Instruction { operands, ..*instruction };
                Statement::Instruction(self.arena.keep(instruction))
            }
            Statement::Block(block) => {
                let statements = self.statements(block.statements);
                Statement::Block(self.arena.keep(Block { statements }))
            }
            Statement::Targets(targets) if targets.are_functions => {
                let names: Vec<_> = targets.names.iter().map(|name| self.name(name)).collect();
                let names = self.arena.keep_list(&names);
                Statement::Targets(self.arena.keep(Targets { names, ..*targets }))
            }
            other => other,
        }
    }

    fn location(&mut self, location: &Location<'a>) -> Location<'a> {
        let inlined = location.inlined.and_then(|inlined| {
            // A name that the unit does not have the string of is left out, not the place.
            let function = self.debug_data.string(self.files, inlined.function)?;
            Some(Inlined { function, at: self.place(inlined.at), ..inlined })
        });
        Location { place: self.place(location.place), inlined }
    }

    fn place(&self, place: Place) -> Place {
        Place { file: self.files.number(place.file), ..place }
    }

    fn operands(&mut self, operands: &'a [Operand<'a>]) -> &'a [Operand<'a>] {
        let rewritten: Vec<_> = operands.iter().map(|operand| self.operand(operand)).collect();
        self.arena.keep_list(&rewritten)
    }

    fn operand(&mut self, operand: &Operand<'a>) -> Operand<'a> {
        match *operand {
            Operand::Name(name) => Operand::Name(self.name(name)),
            Operand::NameOffset((name, offset)) => {
                Operand::NameOffset(self.arena.keep((self.name(name), *offset)))
            }
            Operand::Address(address) => {
                let base = match address.base {
                    AddressBase::Name(name) => AddressBase::Name(self.name(name)),
                    AddressBase::Absolute => AddressBase::Absolute,
                };
                let further = self.operands(address.further);
                Operand::Address(self.arena.keep(Address { base, further, ..*address }))
            }
            Operand::Vector(items) => Operand::Vector(self.operands(items)),
            Operand::List(items) => Operand::List(self.operands(items)),
            Operand::Pair((first, second)) => {
                let pair = (self.operand(first), self.operand(second));
                Operand::Pair(self.arena.keep(pair))
            }
            Operand::Generic(inner) => Operand::Generic(self.arena.keep(self.operand(inner))),
            Operand::Mask((bits, inner)) => {
                Operand::Mask(self.arena.keep((*bits, self.operand(inner))))
            }
            // The values of a sampler's settings are words of PTX, not names.
            other => other,
        }
    }
}
