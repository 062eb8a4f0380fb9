//! Debug data.

use super::{Parse, Parser};
use crate::lexer::Token;
use crate::tree::*;

impl<'a> Parser<'a> {
    pub(super) fn section(&mut self) -> Parse<Item<'a>> {
        self.advance();
        let name = self.take(Token::DotWord)?;
        self.take(Token::OpenCurly)?;
        let (mut items, mut values) = (Vec::new(), Vec::new());
        loop {
            match self.peek() {
                Token::CloseCurly => break self.advance(),
                Token::Semicolon => self.advance(),
                Token::Word if self.peek_second() == Token::Colon => {
                    items.push(SectionItem::Label(self.take_any()));
                    self.advance();
                }
                Token::DotWord => {
                    let width = self.take_any();
                    values.clear();
                    values.push(self.section_value()?);
                    while self.take_if(Token::Comma) {
                        values.push(self.section_value()?);
                    }
                    items.push(SectionItem::Data { width, values: self.new_list(&values) });
                }
                _ => return self.error("a label, data such as `.b8 1`, or `}`"),
            }
        }
        Ok(Item::Section(self.new_node(Section { name, items: self.new_list(&items) })))
    }

    fn section_value(&mut self) -> Parse<SectionValue<'a>> {
        match self.peek() {
            Token::Integer | Token::Minus => Ok(SectionValue::Number(self.number()?)),
            Token::Word | Token::DotWord => {
                let name = self.take_any();
                match self.peek() {
                    Token::Minus if self.peek_second() == Token::Word => {
                        self.advance();
                        let pair = (name, self.take_any());
                        Ok(SectionValue::Difference(self.new_node(pair)))
                    }
                    Token::Plus | Token::Minus => Ok(SectionValue::Label(name, self.offset()?)),
                    _ => Ok(SectionValue::Label(name, 0)),
                }
            }
            _ => self.error("a number or a label"),
        }
    }
}
