//! The expression language of the declaration files: syntax tree and parser.
//!
//! ```text
//! expr    = or
//! or      = and { ("||" | "or") and }          and  = cmp { ("&&" | "and") cmp }
//! cmp     = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
//! sum     = term { ("+" | "-") term }          term = unary { ("*" | "/" | "%") unary }
//! unary   = ("-" | "!" | "not") unary | power  power = atom [ "^" unary ]
//! atom    = number | 'text' | name | function "(" expr { "," expr } ")" | "(" expr ")"
//! ```
//!
//! Functions: `min max ceil floor round sqrt log2 abs if(condition, then, else)` and the bounded
//! `sum(i, from, to, body)`, whose bounds are constants.

use std::ops::Range;

/// An expression and its byte range in the text that it was parsed from.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands in the text.
    pub range: Range<usize>,
}

impl Expr {
    /// The value of an expression without names, words and sums.
    pub fn number(&self) -> Option<f64> {
        match &self.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Apply(function, arguments) => {
                let values: Option<Vec<f64>> = arguments.iter().map(Self::number).collect();
                let values = values?;
                let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
                Some(super::program::apply(*function, at(0), at(1), at(2)))
            }
            ExprKind::Name(_) | ExprKind::Text(_) | ExprKind::Sum { .. } => None,
        }
    }
}

/// The node types of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A number.
    Number(f64),
    /// A text literal, compared with a categorical parameter.
    Text(String),
    /// A name, dotted or not: `ccu`, `scene.pairs`.
    Name(String),
    /// An operator or function applied to its arguments.
    Apply(Function, Vec<Expr>),
    /// `sum(variable, from, to, body)`, both bounds included.
    Sum {
        /// The running variable.
        variable: String,
        /// Lower bound, upper bound, body.
        parts: Box<[Expr; 3]>,
    },
}

/// What an expression can compute. All numbers are f64; truth is 1 and 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Function {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Neg,
    Not,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Min,
    Max,
    Ceil,
    Floor,
    Round,
    Sqrt,
    Log2,
    Abs,
    If,
}

impl Function {
    const NAMED: [(&'static str, Function, usize, usize); 9] = [
        ("min", Function::Min, 1, 64),
        ("max", Function::Max, 1, 64),
        ("ceil", Function::Ceil, 1, 1),
        ("floor", Function::Floor, 1, 1),
        ("round", Function::Round, 1, 1),
        ("sqrt", Function::Sqrt, 1, 1),
        ("log2", Function::Log2, 1, 1),
        ("abs", Function::Abs, 1, 1),
        ("if", Function::If, 3, 3),
    ];
}

/// Why a text is no expression.
#[derive(Debug, Clone, PartialEq)]
pub struct ParseError {
    /// One sentence.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Where in the text.
    pub range: Range<usize>,
}

/// Longest expression text in bytes.
pub const MAX_LENGTH: usize = 8192;
/// Deepest nesting of an expression.
pub const MAX_DEPTH: usize = 64;

/// Parses an expression.
///
/// # Errors
/// A [`ParseError`] with the place of the first fault.
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    if text.len() > MAX_LENGTH {
        return Err(ParseError {
            message: format!("this expression has {} bytes, more than {MAX_LENGTH}", text.len()),
            help: "split it into named parameters".into(),
            range: 0..text.len(),
        });
    }
    let tokens = tokenize(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, end: text.len() };
    let expr = parser.or()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expr),
        Some(token) => Err(error(
            format!("`{}` cannot follow a complete expression", token.kind.text()),
            "put an operator between them",
            token.range.clone(),
        )),
    }
}

fn error(message: impl Into<String>, help: impl Into<String>, range: Range<usize>) -> ParseError {
    ParseError { message: message.into(), help: help.into(), range }
}

#[derive(Debug, Clone, PartialEq)]
enum TokenKind {
    Number(f64),
    Text(String),
    Name(String),
    Symbol(&'static str),
}

impl TokenKind {
    fn text(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Text(text) => format!("'{text}'"),
            Self::Name(name) => name.clone(),
            Self::Symbol(symbol) => (*symbol).into(),
        }
    }
}

struct Token {
    kind: TokenKind,
    range: Range<usize>,
}

const SYMBOLS: [&str; 19] =
    ["==", "!=", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "^", "<", ">", "!", "(", ")", ",", "="];

fn tokenize(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if first.is_ascii_digit() || first == '.' {
            let length = number_length(rest);
            let literal = rest[..length].replace('_', "");
            match literal.parse::<f64>() {
                Ok(value) if value.is_finite() => (TokenKind::Number(value), length),
                _ => {
                    return Err(error(
                        format!("`{}` is not a finite number", &rest[..length]),
                        "write it as 12, 1.5 or 2e6",
                        at..at + length,
                    ));
                }
            }
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
            (TokenKind::Name(rest[..length].to_owned()), length)
        } else if first == '\'' || first == '"' {
            match rest[1..].find(first) {
                Some(end) => (TokenKind::Text(rest[1..=end].to_owned()), end + 2),
                None => {
                    return Err(error(
                        "this text literal has no end",
                        format!("close it with {first}"),
                        at..text.len(),
                    ));
                }
            }
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            if *symbol == "=" {
                return Err(error("`=` assigns nothing here", "compare with ==", at..at + 1));
            }
            (TokenKind::Symbol(symbol), symbol.len())
        } else {
            return Err(error(
                format!("`{first}` has no meaning in an expression"),
                "operators are + - * / % ^ == != < <= > >= && || !",
                at..at + first.len_utf8(),
            ));
        };
        tokens.push(Token { kind, range: at..at + length });
        at += length;
    }
    Ok(tokens)
}

/// Digits, underscores, one point, an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let signed_exponent = matches!(bytes[at], b'+' | b'-') && at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        if bytes[at].is_ascii_digit() || matches!(bytes[at], b'.' | b'_' | b'e' | b'E') || signed_exponent {
            at += 1;
        } else {
            break;
        }
    }
    at.max(1)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    end: usize,
}

type Parsed = Result<Expr, ParseError>;

impl Parser<'_> {
    fn symbol(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at).map(|token| &token.kind) {
            Some(TokenKind::Symbol(symbol)) if wanted.contains(symbol) => {
                self.at += 1;
                Some(symbol)
            }
            _ => None,
        }
    }

    fn word(&mut self, wanted: &str) -> bool {
        let found =
            matches!(self.tokens.get(self.at).map(|token| &token.kind), Some(TokenKind::Name(name)) if name == wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &'static str) -> Result<(), ParseError> {
        if self.symbol(&[wanted]).is_some() {
            return Ok(());
        }
        let range = self.tokens.get(self.at).map_or(self.end..self.end, |token| token.range.clone());
        Err(error(format!("`{wanted}` is missing here"), format!("add `{wanted}`"), range))
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while self.symbol(&["||"]).is_some() || self.word("or") {
            left = apply(Function::Or, vec![left, self.and()?]);
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.comparison()?;
        while self.symbol(&["&&"]).is_some() || self.word("and") {
            left = apply(Function::And, vec![left, self.comparison()?]);
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        let Some(symbol) = self.symbol(&["==", "!=", "<", "<=", ">", ">="]) else { return Ok(left) };
        let right = self.sum()?;
        Ok(match symbol {
            "==" => apply(Function::Eq, vec![left, right]),
            "!=" => apply(Function::Ne, vec![left, right]),
            "<" => apply(Function::Lt, vec![left, right]),
            "<=" => apply(Function::Le, vec![left, right]),
            ">" => apply(Function::Lt, vec![right, left]),
            _ => apply(Function::Le, vec![right, left]),
        })
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.term()?;
        while let Some(symbol) = self.symbol(&["+", "-"]) {
            let function = if symbol == "+" { Function::Add } else { Function::Sub };
            left = apply(function, vec![left, self.term()?]);
        }
        Ok(left)
    }

    fn term(&mut self) -> Parsed {
        let mut left = self.unary()?;
        while let Some(symbol) = self.symbol(&["*", "/", "%"]) {
            let function = match symbol {
                "*" => Function::Mul,
                "/" => Function::Div,
                _ => Function::Rem,
            };
            left = apply(function, vec![left, self.unary()?]);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        self.depth += 1;
        let result = self.unary_at_depth();
        self.depth -= 1;
        result
    }

    fn unary_at_depth(&mut self) -> Parsed {
        let start = self.tokens.get(self.at).map_or(self.end, |token| token.range.start);
        if self.depth > MAX_DEPTH {
            return Err(error(
                format!("this expression nests deeper than {MAX_DEPTH}"),
                "split it into named parameters",
                start..start,
            ));
        }
        let function = if self.symbol(&["-"]).is_some() {
            Function::Neg
        } else if self.symbol(&["!"]).is_some() || self.word("not") {
            Function::Not
        } else {
            return self.power();
        };
        let inner = self.unary()?;
        let range = start..inner.range.end;
        Ok(Expr { kind: ExprKind::Apply(function, vec![inner]), range })
    }

    fn power(&mut self) -> Parsed {
        let base = self.atom()?;
        if self.symbol(&["^"]).is_some() {
            return Ok(apply(Function::Pow, vec![base, self.unary()?]));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Parsed {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(error("the expression ends too early", "complete it", self.end..self.end));
        };
        self.at += 1;
        let range = token.range.clone();
        let kind = match &token.kind {
            TokenKind::Number(value) => ExprKind::Number(*value),
            TokenKind::Text(text) => ExprKind::Text(text.clone()),
            TokenKind::Name(name) if self.symbol(&["("]).is_some() => return self.call(name, range),
            TokenKind::Name(name) => ExprKind::Name(name.clone()),
            TokenKind::Symbol("(") => {
                let inner = self.or()?;
                self.expect(")")?;
                return Ok(inner);
            }
            TokenKind::Symbol(symbol) => {
                return Err(error(
                    format!("`{symbol}` cannot stand here"),
                    "a number, a name, a function or `(` is expected",
                    range,
                ));
            }
        };
        Ok(Expr { kind, range })
    }

    fn call(&mut self, name: &str, name_range: Range<usize>) -> Parsed {
        let mut arguments = Vec::new();
        if self.symbol(&[")"]).is_none() {
            loop {
                arguments.push(self.or()?);
                if self.symbol(&[","]).is_none() {
                    break;
                }
            }
            self.expect(")")?;
        }
        let end = self.tokens[self.at - 1].range.end;
        let range = name_range.start..end;
        if name == "sum" {
            return sum_call(arguments, range);
        }
        let Some((_, function, least, most)) = Function::NAMED.iter().find(|(known, ..)| *known == name) else {
            let known = Function::NAMED.iter().map(|(known, ..)| *known).chain(["sum"]);
            return Err(error(
                format!("`{name}` is no function"),
                super::diagnostic::did_you_mean(name, known),
                name_range,
            ));
        };
        if arguments.len() < *least || arguments.len() > *most {
            let wanted = if least == most { least.to_string() } else { format!("{least} or more") };
            return Err(error(
                format!("`{name}` takes {wanted} arguments, not {}", arguments.len()),
                "see docs/declarations.md for the functions",
                range,
            ));
        }
        if matches!(function, Function::Min | Function::Max) {
            let mut rest = arguments.into_iter();
            let first = rest.next().map_or_else(|| Err(error("no argument", "", range.clone())), Ok)?;
            let mut folded = rest.fold(first, |left, right| apply(*function, vec![left, right]));
            folded.range = range;
            return Ok(folded);
        }
        Ok(Expr { kind: ExprKind::Apply(*function, arguments), range })
    }
}

fn sum_call(arguments: Vec<Expr>, range: Range<usize>) -> Parsed {
    let count = arguments.len();
    match <[Expr; 4]>::try_from(arguments) {
        Ok([Expr { kind: ExprKind::Name(variable), .. }, from, to, body]) => {
            Ok(Expr { kind: ExprKind::Sum { variable, parts: Box::new([from, to, body]) }, range })
        }
        _ => Err(error(
            format!("`sum` takes a variable, two constant bounds and a body, not these {count} arguments"),
            "write it as sum(i, 0, 7, 2^i)",
            range,
        )),
    }
}

fn apply(function: Function, arguments: Vec<Expr>) -> Expr {
    let start = arguments.iter().map(|argument| argument.range.start).min().unwrap_or(0);
    let end = arguments.iter().map(|argument| argument.range.end).max().unwrap_or(0);
    Expr { kind: ExprKind::Apply(function, arguments), range: start..end }
}
