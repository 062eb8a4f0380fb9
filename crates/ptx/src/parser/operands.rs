//! Operands of instructions and elements of initial values.

use super::{Parse, Parser};
use crate::lexer::{Token, Tokens};
use crate::tree::*;
use crate::{Number, Span};

impl<'a> Parser<'a> {
    pub(super) fn operand(&mut self) -> Parse<Operand<'a>> {
        let first = self.simple_operand()?;
        if self.take_if(Token::Bar) {
            let second = self.simple_operand()?;
            return Ok(Operand::Pair(self.new_node((first, second))));
        }
        Ok(first)
    }

    fn simple_operand(&mut self) -> Parse<Operand<'a>> {
        match self.peek() {
            Token::Word | Token::DottedWord => self.name_operand(),
            Token::OpenSquare => self.address(),
            Token::Integer | Token::Tilde | Token::Plus => self.constant(),
            Token::Minus => match self.peek_second() {
                Token::Word | Token::DottedWord => {
                    self.advance();
                    Ok(Operand::Negated(self.take_any()))
                }
                Token::Float32Bits | Token::Float64Bits | Token::Decimal => {
                    let minus = self.span();
                    self.advance();
                    let text = self.negative(minus, self.span());
                    self.advance();
                    Ok(Operand::Float(Number { text }))
                }
                _ => self.constant(),
            },
            Token::Float32Bits | Token::Float64Bits | Token::Decimal => {
                Ok(Operand::Float(Number { text: self.take_any() }))
            }
            Token::OpenCurly => {
                self.advance();
                Ok(Operand::Vector(self.operand_list(Token::CloseCurly)?))
            }
            // Only calls have lists; elsewhere a constant expression begins.
            Token::OpenRound if !self.in_call => self.constant(),
            Token::OpenRound => {
                self.advance();
                Ok(Operand::List(self.operand_list(Token::CloseRound)?))
            }
            Token::Underscore => {
                self.advance();
                Ok(Operand::Ignored)
            }
            Token::Bang => match self.peek_second() {
                Token::Word | Token::DottedWord => {
                    self.advance();
                    Ok(Operand::Not(self.take_any()))
                }
                Token::Integer | Token::OpenRound => self.constant(),
                _ => {
                    self.advance();
                    self.error("a predicate")
                }
            },
            Token::Text => Ok(Operand::Text(self.take_any())),
            _ => self.error("an operand"),
        }
    }

    fn operand_list(&mut self, end: Token) -> Parse<&'a [Operand<'a>]> {
        let first = self.operands.len();
        let read = self.nested(|parser| {
            while parser.peek() != end {
                let operand = parser.operand()?;
                parser.operands.push(operand);
                if !parser.take_if(Token::Comma) {
                    break;
                }
            }
            parser.take(end)
        });
        let list = self.new_list(&self.operands[first..]);
        self.operands.truncate(first);
        read.map(|_| list)
    }

    fn name_operand(&mut self) -> Parse<Operand<'a>> {
        let name = self.take_any();
        match self.peek() {
            Token::OpenRound if name == "generic" => {
                self.advance();
                let inner = self.nested(Self::operand)?;
                self.take(Token::CloseRound)?;
                let inner = match (inner, self.peek()) {
                    (Operand::Name(name), Token::Plus | Token::Minus) => {
                        let offset = self.offset()?;
                        Operand::NameOffset(self.new_node((name, offset)))
                    }
                    _ => inner,
                };
                Ok(Operand::Generic(self.new_node(inner)))
            }
            Token::Plus | Token::Minus => {
                let offset = self.offset()?;
                Ok(Operand::NameOffset(self.new_node((name, offset))))
            }
            _ => Ok(Operand::Name(name)),
        }
    }

    /// `+4`, `-4`, `+-4`, or `+` and a constant expression.
    pub(super) fn offset(&mut self) -> Parse<i64> {
        self.take_if(Token::Plus);
        Ok(self.constant_value()? as i64)
    }

    fn address(&mut self) -> Parse<Operand<'a>> {
        self.advance();
        let (base, mut offset) = match self.peek() {
            Token::Word | Token::DottedWord => (AddressBase::Name(self.take_any()), 0),
            Token::Integer | Token::Minus => (AddressBase::Absolute, self.constant_value()? as i64),
            _ => return self.error("a register, a variable or a number"),
        };
        let has_offset = matches!(self.peek(), Token::Plus | Token::Minus);
        if has_offset {
            offset = offset.wrapping_add(self.offset()?);
        }
        let mut further: &[_] = &[];
        if self.take_if(Token::Comma) {
            // Coordinates of textures and tensors.
            further = self.operand_list(Token::CloseSquare)?;
        } else {
            self.take(Token::CloseSquare)?;
        }
        let is_unified = self.take_dot_word_if(".unified");
        let address = Address { base, offset, has_offset, further, is_unified };
        Ok(Operand::Address(self.new_node(address)))
    }

    /// A number or a constant expression.
    fn constant(&mut self) -> Parse<Operand<'a>> {
        let start = self.start();
        let is_number =
            self.peek() == Token::Integer && !self.continues_constant(self.peek_second());
        if is_number {
            return Ok(Operand::Integer(self.number()?));
        }
        let value = self.constant_value()?;
        let span = self.span_from(start);
        let text = self.slice(span);
        // A minus and digits are still one number.
        if let Some(digits) = text.strip_prefix('-')
            && digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            return Ok(Operand::Integer(Number { text }));
        }
        // Blanks and line ends do not matter; a comment inside of an expression is not kept.
        let text = if text.contains(['\n', '/']) {
            let uncommented = self.without_comments(span);
            self.arena.keep_text(&uncommented)
        } else {
            text
        };
        Ok(Operand::Expression(self.new_node(Expression { text, value })))
    }

    /// The tokens of a span, with one blank where there is something between them.
    fn without_comments(&self, span: Span) -> String {
        let text = self.slice(span);
        let mut tokens = Tokens::new(text);
        let mut plain = String::new();
        while tokens.current.0 != Token::End {
            let place = tokens.current.1;
            if !plain.is_empty() && place.start != tokens.end_of_previous {
                plain.push(' ');
            }
            plain.push_str(place.text(text));
            tokens.advance();
        }
        plain
    }
}
