//! What stands at the module's scope.

use super::{Parse, Parsed, Parser};
use crate::Span;
use crate::error::SyntaxError;
use crate::lexer::Token;
use crate::tree::*;

impl<'a> Parser<'a> {
    pub(super) fn module(mut self) -> Parsed<'a> {
        let mut items = Vec::new();
        let first = self.span();
        while self.peek() != Token::End {
            let before = self.start();
            if let Err(error) = self.item(&mut items) {
                self.recover(error, before);
            }
        }
        let module = Module { items: self.new_list(&items) };
        if module.version().is_none() {
            let expected = "`.version` at the start of the module";
            self.errors.insert(0, SyntaxError { span: first, expected });
        }
        Parsed { module, errors: self.errors }
    }

    fn item(&mut self, items: &mut Vec<Item<'a>>) -> Parse<()> {
        match self.peek() {
            Token::Semicolon => self.advance(),
            Token::At if self.peek_second() == Token::At => items.push(self.old_debug_data()?),
            Token::DotWord => match self.here() {
                ".version" => items.push(self.version()?),
                ".target" => {
                    self.advance();
                    items.push(Item::Target(self.words(|parser| parser.take(Token::Word))?));
                }
                ".address_size" => {
                    self.advance();
                    items.push(Item::AddressSize(self.small_integer()?));
                }
                ".file" => items.push(self.file()?),
                ".section" => items.push(self.section()?),
                ".loc" => items.push(Item::Location(self.location()?)),
                ".pragma" => items.push(Item::Pragma(self.pragma()?)),
                ".alias" => items.push(self.alias()?),
                _ => return self.linked_item(items),
            },
            _ => return self.error("a directive such as `.visible .entry`"),
        }
        Ok(())
    }

    fn version(&mut self) -> Parse<Item<'a>> {
        self.advance();
        let span = self.span();
        let wrong = SyntaxError { span, expected: "a version such as `9.0`" };
        let text = self.take(Token::Decimal)?;
        let (major, minor) = text.split_once('.').ok_or(wrong)?;
        match (major.parse(), minor.parse()) {
            (Ok(major), Ok(minor)) => Ok(Item::Version(Version { major, minor })),
            _ => Err(wrong),
        }
    }

    fn file(&mut self) -> Parse<Item<'a>> {
        self.advance();
        let number = self.small_integer()?;
        let path = self.take(Token::Text)?;
        let mut details = None;
        if self.take_if(Token::Comma) {
            let time = self.number()?;
            self.take(Token::Comma)?;
            details = Some((time, self.number()?));
        }
        let path = &path[1..path.len() - 1];
        Ok(Item::File(self.new_node(File { number, path, details })))
    }

    /// The strings of `.pragma`, with the `;`.
    pub(super) fn pragma(&mut self) -> Parse<&'a [&'a str]> {
        self.advance();
        let strings = self.words(|parser| parser.take(Token::Text))?;
        self.take(Token::Semicolon)?;
        Ok(strings)
    }

    fn alias(&mut self) -> Parse<Item<'a>> {
        self.advance();
        let name = self.take(Token::Word)?;
        self.take(Token::Comma)?;
        let target = self.take(Token::Word)?;
        self.take(Token::Semicolon)?;
        Ok(Item::Alias(self.new_node(Alias { name, target })))
    }

    /// `@@dwarf .byte 1, 2` up to the end of the line.
    fn old_debug_data(&mut self) -> Parse<Item<'a>> {
        let start = self.start();
        let rest = &self.tokens.text[start as usize..];
        let end = start + rest.find('\n').unwrap_or(rest.len()) as u32;
        while self.peek() != Token::End && self.start() < end {
            self.advance();
        }
        Ok(Item::OldDebugData(self.slice(Span::new(start, end))))
    }

    fn linked_item(&mut self, items: &mut Vec<Item<'a>>) -> Parse<()> {
        let start = self.start();
        let mut linkage = Linkage::Local;
        while self.peek() == Token::DotWord {
            match self.here() {
                ".visible" => linkage = Linkage::Visible,
                ".weak" => linkage = Linkage::Weak,
                ".common" => linkage = Linkage::Common,
                ".extern" => linkage = Linkage::Extern,
                ".entry" | ".func" => {
                    items.push(Item::Function(self.function(linkage, start)?));
                    return Ok(());
                }
                ".global" | ".const" | ".shared" | ".tex" => {
                    return self.variables(linkage, start, |variable| {
                        items.push(Item::Variable(variable));
                    });
                }
                _ => return self.error("a directive of a module"),
            }
            self.advance();
        }
        self.error("`.entry`, `.func` or a state space")
    }

    pub(super) fn location(&mut self) -> Parse<&'a Location<'a>> {
        self.advance();
        let place = self.place()?;
        let mut inlined = None;
        if self.take_if(Token::Comma) {
            self.expect_word("function_name", "`function_name`")?;
            let function = self.take(Token::Word)?;
            let mut offset = 0;
            if self.take_if(Token::Plus) {
                offset = self.number()?.integer().unwrap_or_default();
            }
            self.take(Token::Comma)?;
            self.expect_word("inlined_at", "`inlined_at`")?;
            inlined = Some(Inlined { function, offset, at: self.place()? });
        }
        Ok(self.new_node(Location { place, inlined }))
    }

    fn expect_word(&mut self, word: &str, expected: &'static str) -> Parse<()> {
        if self.peek() == Token::Word && self.here() == word {
            self.advance();
            return Ok(());
        }
        self.error(expected)
    }

    fn place(&mut self) -> Parse<Place> {
        let (file, line) = (self.small_integer()?, self.small_integer()?);
        Ok(Place { file, line, column: self.small_integer()? })
    }
}
