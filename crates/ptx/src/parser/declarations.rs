//! Variables, parameters and registers.

use super::{Parse, Parser};
use crate::error::SyntaxError;
use crate::lexer::Token;
use crate::tree::*;

impl<'a> Parser<'a> {
    /// One or more variables of a state space, with the `;`.
    pub(super) fn variables(
        &mut self,
        linkage: Linkage,
        start: u32,
        mut each: impl FnMut(&'a Variable<'a>),
    ) -> Parse<()> {
        let space = self.take(Token::DotWord)?;
        let prototype = self.variable_type(linkage, space, start)?;
        let mut is_first = true;
        loop {
            let mut variable = prototype;
            // Each variable of a declaration has a place of its own.
            if !std::mem::take(&mut is_first) {
                variable.span.start = self.start();
            }
            self.variable_name(&mut variable)?;
            each(self.new_node(variable));
            if !self.take_if(Token::Comma) {
                break;
            }
        }
        self.take(Token::Semicolon).map(drop)
    }

    /// The list of parameters, with its parentheses.
    pub(super) fn parameters(&mut self) -> Parse<&'a [Variable<'a>]> {
        self.take(Token::OpenRound)?;
        let mut parameters = Vec::new();
        while self.peek() != Token::CloseRound {
            parameters.push(self.parameter()?);
            if !self.take_if(Token::Comma) {
                break;
            }
        }
        self.take(Token::CloseRound)?;
        Ok(self.new_list(&parameters))
    }

    fn parameter(&mut self) -> Parse<Variable<'a>> {
        let start = self.start();
        if !self.is_dot_word(".param") && !self.is_dot_word(".reg") {
            return self.error("`.param` or `.reg`");
        }
        let space = self.take_any();
        let mut variable = self.variable_type(Linkage::Local, space, start)?;
        if self.take_dot_word_if(".ptr") {
            variable.pointer = Some(self.pointer()?);
        }
        if self.take_dot_word_if(".align") {
            variable.alignment = self.number()?.integer();
        }
        self.variable_name(&mut variable)?;
        Ok(variable)
    }

    /// What stands behind `.ptr`.
    fn pointer(&mut self) -> Parse<&'a Pointer<'a>> {
        let mut pointer = Pointer { space: None, alignment: None };
        while self.peek() == Token::DotWord {
            match self.take_any() {
                ".align" => pointer.alignment = self.number()?.integer(),
                space => pointer.space = Some(space),
            }
        }
        Ok(self.new_node(pointer))
    }

    /// The type in front of one or more variables.
    fn variable_type(
        &mut self,
        linkage: Linkage,
        space: &'a str,
        start: u32,
    ) -> Parse<Variable<'a>> {
        let (mut alignment, mut vector) = (None, 1);
        let first = self.words.len();
        let data_type = loop {
            match self.take(Token::DotWord)? {
                ".attribute" => {
                    let text = self.parenthesised()?;
                    self.words.push(text);
                }
                ".align" => alignment = self.number()?.integer(),
                ".v2" => vector = 2,
                ".v4" => vector = 4,
                ".v8" => vector = 8,
                data_type => break data_type,
            }
        };
        let attributes = self.new_list(&self.words[first..]);
        self.words.truncate(first);
        Ok(Variable {
            name: "",
            linkage,
            space,
            data_type,
            alignment,
            attributes,
            vector,
            pointer: None,
            extents: &[],
            initial: None,
            span: self.span_from(start),
        })
    }

    /// The text of a pair of parentheses, without them.
    pub(super) fn parenthesised(&mut self) -> Parse<&'a str> {
        let start = self.start();
        self.take(Token::OpenRound)?;
        let mut open = 1;
        while open > 0 {
            match self.peek() {
                Token::OpenRound => open += 1,
                Token::CloseRound => open -= 1,
                Token::End | Token::Semicolon | Token::OpenCurly => {
                    return self.error("`)`");
                }
                _ => {}
            }
            self.advance();
        }
        let text = self.slice(self.span_from(start));
        Ok(text[1..text.len() - 1].trim())
    }

    fn variable_name(&mut self, variable: &mut Variable<'a>) -> Parse<()> {
        variable.name = match self.peek() {
            Token::Word | Token::Underscore => self.take_any(),
            _ => return self.error("the name of a variable"),
        };
        let mut extents = Vec::new();
        while self.take_if(Token::OpenSquare) {
            let open = self.peek() == Token::CloseSquare;
            extents.push(if open { None } else { Some(self.constant_value()?) });
            self.take(Token::CloseSquare)?;
        }
        variable.extents = self.new_list(&extents);
        if self.take_if(Token::Equals) {
            let value = self.initial_value()?;
            variable.initial = Some(self.new_node(value));
        }
        variable.span.end = self.tokens.end_of_previous;
        Ok(())
    }

    fn initial_value(&mut self) -> Parse<Operand<'a>> {
        if !self.take_if(Token::OpenCurly) {
            return self.initial_element();
        }
        let first = self.operands.len();
        let list = self.nested(|parser| {
            while parser.peek() != Token::CloseCurly {
                let value = parser.initial_value()?;
                parser.operands.push(value);
                if !parser.take_if(Token::Comma) {
                    break;
                }
            }
            parser.take(Token::CloseCurly)
        });
        let items = self.new_list(&self.operands[first..]);
        self.operands.truncate(first);
        list.map(|_| Operand::Vector(items))
    }

    fn initial_element(&mut self) -> Parse<Operand<'a>> {
        if self.peek() == Token::Word && self.peek_second() == Token::Equals {
            let key = self.take_any();
            self.advance();
            let value = self.operand()?;
            return Ok(Operand::Setting(self.new_node((key, value))));
        }
        if self.peek() == Token::Integer && self.peek_second() == Token::OpenRound {
            let bits = self.number()?;
            self.advance();
            let inner = self.nested(Self::operand)?;
            self.take(Token::CloseRound)?;
            return Ok(Operand::Mask(self.new_node((bits, inner))));
        }
        self.operand()
    }

    pub(super) fn registers(&mut self) -> Parse<&'a RegisterDeclaration<'a>> {
        let start = self.start();
        self.advance();
        let prototype = self.variable_type(Linkage::Local, ".reg", start)?;
        let mut names = Vec::new();
        loop {
            let name = self.take(Token::Word)?;
            let mut count = None;
            if self.take_if(Token::Less) {
                let span = self.span();
                let value = u32::try_from(self.constant_value_of_term()?);
                count =
                    Some(value.map_err(|_| SyntaxError {
                        span,
                        expected: "a count of at most 32 bits",
                    })?);
                self.take(Token::Greater)?;
            }
            names.push((name, count));
            if !self.take_if(Token::Comma) {
                break;
            }
        }
        self.take(Token::Semicolon)?;
        Ok(self.new_node(RegisterDeclaration {
            data_type: prototype.data_type,
            vector: prototype.vector,
            alignment: prototype.alignment,
            names: self.new_list(&names),
            span: self.span_from(start),
        }))
    }
}
