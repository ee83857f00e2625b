//! Formulas of the call tables: numbers, names, `+ - * / ^`, brackets and a few functions.

use std::fmt;

/// How long a formula may be, in bytes.
const MAX_LENGTH: usize = 1000;
/// How deep brackets may be nested.
const MAX_DEPTH: usize = 32;

/// A parsed formula.
#[derive(Debug, Clone)]
pub(crate) enum Formula {
    Number(f64),
    Name(String),
    Unary(fn(f64) -> f64, Box<Formula>),
    Binary(fn(f64, f64) -> f64, Box<Formula>, Box<Formula>),
}

/// A name that has no value where it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` is not in the trace", self.0)
    }
}

impl Formula {
    /// Parses `text`; the error says what is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("a formula is longer than {MAX_LENGTH} bytes"));
        }
        let mut parser = Parser { text, rest: text, depth: 0 };
        let formula = parser.sum()?;
        match parser.peek() {
            None => Ok(formula),
            Some(letter) => Err(format!("`{letter}` is not expected in `{text}`")),
        }
    }

    /// The value, with the values of names from `lookup`.
    pub(crate) fn value(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, Missing> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Name(name) => lookup(name).ok_or_else(|| Missing(name.clone())),
            Self::Unary(function, inner) => Ok(function(inner.value(lookup)?)),
            Self::Binary(function, left, right) => Ok(function(left.value(lookup)?, right.value(lookup)?)),
        }
    }

    /// All names in it.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name) => vec![name],
            Self::Unary(_, inner) => inner.names(),
            Self::Binary(_, left, right) => [left.names(), right.names()].concat(),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.rest = self.rest.get(wanted.len_utf8()..).unwrap_or_default();
        }
        there
    }

    fn need(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("`{wanted}` is missing in `{}`", self.text)) }
    }

    fn sum(&mut self) -> Result<Formula, String> {
        let mut left = self.product()?;
        loop {
            let function: fn(f64, f64) -> f64 = match self.peek() {
                Some('+') => |left, right| left + right,
                Some('-') => |left, right| left - right,
                _ => return Ok(left),
            };
            self.rest = self.rest.get(1..).unwrap_or_default();
            left = Formula::Binary(function, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Formula, String> {
        let mut left = self.power()?;
        loop {
            let function: fn(f64, f64) -> f64 = match self.peek() {
                Some('*') => |left, right| left * right,
                Some('/') => |left, right| left / right,
                _ => return Ok(left),
            };
            self.rest = self.rest.get(1..).unwrap_or_default();
            left = Formula::Binary(function, Box::new(left), Box::new(self.power()?));
        }
    }

    fn power(&mut self) -> Result<Formula, String> {
        let base = self.atom()?;
        if self.take('^') {
            return Ok(Formula::Binary(f64::powf, Box::new(base), Box::new(self.atom()?)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Formula, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("brackets are nested deeper than {MAX_DEPTH}"));
        }
        let atom = match self.peek() {
            Some('(') => {
                self.take('(');
                let inner = self.sum()?;
                self.need(')')?;
                inner
            }
            Some(letter) if letter.is_ascii_digit() || letter == '.' => {
                let word = self.word(|letter| letter.is_ascii_digit() || letter == '.');
                Formula::Number(word.parse().map_err(|_| format!("`{word}` is not a number"))?)
            }
            Some(letter) if letter.is_ascii_alphabetic() => {
                let word = self.word(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.');
                if self.take('(') { self.call(word)? } else { Formula::Name(word.to_owned()) }
            }
            _ => return Err(format!("a number or a name is missing in `{}`", self.text)),
        };
        self.depth -= 1;
        Ok(atom)
    }

    fn word(&mut self, belongs: fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|letter| !belongs(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn call(&mut self, name: &str) -> Result<Formula, String> {
        let first = Box::new(self.sum()?);
        let unary: Option<fn(f64) -> f64> = match name {
            "log2" => Some(f64::log2),
            "ceil" => Some(f64::ceil),
            "floor" => Some(f64::floor),
            "sqrt" => Some(f64::sqrt),
            _ => None,
        };
        let formula = match (unary, name) {
            (Some(function), _) => Formula::Unary(function, first),
            (None, "min" | "max") => {
                self.need(',')?;
                let function: fn(f64, f64) -> f64 = if name == "min" { f64::min } else { f64::max };
                Formula::Binary(function, first, Box::new(self.sum()?))
            }
            _ => return Err(format!("there is no function `{name}`: use log2, ceil, floor, sqrt, min or max")),
        };
        self.need(')')?;
        Ok(formula)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let lookup = |name: &str| (name == "in0.rows").then_some(12.0);
        Formula::parse(text).and_then(|formula| formula.value(&lookup).map_err(|missing| missing.to_string())).unwrap()
    }

    #[test]
    fn products_bind_before_sums_and_powers_before_products() {
        assert_eq!(value("2 + 3 * 2 ^ 2 - 1"), 13.0);
        assert_eq!(value("in0.rows / (1 + 2) * ceil(log2(5))"), 12.0);
    }

    #[test]
    fn what_is_wrong_in_a_formula_is_said() {
        for (text, message) in
            [("2 +", "missing"), ("2 $ 3", "not expected"), ("sin(2)", "no function"), ("(2", "`)` is missing")]
        {
            let error = Formula::parse(text).expect_err(text);
            assert!(error.contains(message), "{error}");
        }
        assert!(Formula::parse(&"(".repeat(1000)).is_err());
    }
}
