//! Kernels and functions, down to their statements.

use super::{Parse, Parser};
use crate::lexer::Token;
use crate::tree::*;

impl<'a> Parser<'a> {
    pub(super) fn function(&mut self, linkage: Linkage, start: u32) -> Parse<&'a Function<'a>> {
        let is_kernel = self.take_any() == ".entry";
        let first = self.words.len();
        while self.take_dot_word_if(".attribute") {
            let text = self.parenthesised()?;
            self.words.push(text);
        }
        let attributes = self.new_list(&self.words[first..]);
        self.words.truncate(first);
        let returns = self.parameters_if_any()?.unwrap_or_default();
        let name = self.take(Token::Word)?;
        let parameters = self.parameters_if_any()?;
        let directives = self.function_directives()?;
        let span = self.span_from(start);
        let body = if self.take_if(Token::Semicolon) {
            None
        } else if self.take_if(Token::OpenCurly) {
            Some(self.block()?)
        } else {
            return self.error("`{` or `;` behind the head of the function");
        };
        Ok(self.new_node(Function {
            name,
            linkage,
            is_kernel,
            attributes,
            returns,
            parameters,
            directives,
            body,
            span,
        }))
    }

    fn parameters_if_any(&mut self) -> Parse<Option<&'a [Variable<'a>]>> {
        if self.peek() == Token::OpenRound { self.parameters().map(Some) } else { Ok(None) }
    }

    /// Directives behind the parameters, each with its numbers or strings.
    fn function_directives(&mut self) -> Parse<&'a [FunctionDirective<'a>]> {
        let mut directives = Vec::new();
        while self.peek() == Token::DotWord {
            if self.is_dot_word(".pragma") {
                let name = self.here();
                directives.push(FunctionDirective { name, values: self.pragma()? });
                continue;
            }
            let name = self.take_any();
            let values = match self.peek() {
                Token::Integer => self.words(|parser| parser.number().map(|number| number.text))?,
                _ => &[],
            };
            directives.push(FunctionDirective { name, values });
        }
        Ok(self.new_list(&directives))
    }

    /// The statements behind `{`, up to and with `}`.
    fn block(&mut self) -> Parse<&'a [Statement<'a>]> {
        let first = self.statements.len();
        let read = self.nested(Self::statements);
        let statements = self.new_list(&self.statements[first..]);
        self.statements.truncate(first);
        read.map(|()| statements)
    }

    fn statements(&mut self) -> Parse<()> {
        loop {
            match self.peek() {
                Token::End => return self.error("`}` at the end of the body"),
                Token::CloseCurly => {
                    self.advance();
                    return Ok(());
                }
                _ => {
                    let before = self.start();
                    if let Err(error) = self.statement() {
                        self.recover(error, before);
                    }
                }
            }
        }
    }

    fn statement(&mut self) -> Parse<()> {
        let statement = match self.peek() {
            Token::At | Token::DottedWord => Statement::Instruction(self.instruction()?),
            Token::Word if self.peek_second() == Token::Colon => self.labelled()?,
            Token::Word => Statement::Instruction(self.instruction()?),
            Token::DotWord => match self.here() {
                ".loc" => Statement::Location(self.location()?),
                ".reg" => Statement::Registers(self.registers()?),
                ".pragma" => {
                    let strings = self.pragma()?;
                    Statement::Pragma(self.new_node(Pragma { strings }))
                }
                ".shared" | ".local" | ".param" | ".global" | ".const" => {
                    let start = self.start();
                    let first = self.statements.len();
                    let mut list = std::mem::take(&mut self.statements);
                    let read = self.variables(Linkage::Local, start, |variable| {
                        list.push(Statement::Variable(variable));
                    });
                    self.statements = list;
                    if read.is_err() {
                        self.statements.truncate(first);
                    }
                    return read;
                }
                _ => return self.error("a statement"),
            },
            Token::OpenCurly => {
                self.advance();
                let statements = self.block()?;
                Statement::Block(self.new_node(Block { statements }))
            }
            Token::Semicolon => {
                self.advance();
                return Ok(());
            }
            _ => return self.error("a statement"),
        };
        self.statements.push(statement);
        Ok(())
    }

    /// `name:` and what belongs to it.
    fn labelled(&mut self) -> Parse<Statement<'a>> {
        let span = self.span();
        let name = self.take_any();
        self.advance();
        let label = name;
        if self.is_dot_word(".branchtargets") || self.is_dot_word(".calltargets") {
            let are_functions = self.take_any() == ".calltargets";
            let names = self.words(|parser| parser.take(Token::Word))?;
            self.take(Token::Semicolon)?;
            return Ok(Statement::Targets(self.new_node(Targets { label, are_functions, names })));
        }
        if self.take_dot_word_if(".callprototype") {
            let returns = self.parameters_if_any()?.unwrap_or_default();
            let name = match self.peek() {
                Token::Word | Token::Underscore => self.take_any(),
                _ => return self.error("`_` in the place of the function's name"),
            };
            let parameters = self.parameters_if_any()?;
            let directives = self.function_directives()?;
            self.take(Token::Semicolon)?;
            let prototype = CallPrototype { label, returns, name, parameters, directives };
            return Ok(Statement::CallPrototype(self.new_node(prototype)));
        }
        Ok(Statement::Label(self.new_node(Label { name, span })))
    }
}
