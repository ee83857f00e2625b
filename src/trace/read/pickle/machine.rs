//! The stack machine: one operation after the other, each checked against the limits.

use std::collections::HashMap;
use std::sync::Arc;

use super::cursor::Cursor;
use super::globals;
use super::heap::{Handle, Heap, Object};
use super::{construct, text};
use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::read::limits::{MAX_DEPTH, MAX_MEMO, MAX_STACK};

/// Highest protocol that is known.
const HIGHEST_PROTOCOL: u8 = 5;

/// Runs a pickle to its end; the result is its one object. Faults are placed at the operation that has them.
pub(super) fn run(bytes: &[u8]) -> Result<(Heap, Handle), TraceError> {
    let mut machine = Machine { cursor: Cursor::new(bytes), ..Machine::default() };
    loop {
        let at = machine.cursor.offset();
        match machine.step().map_err(|error| error.at(Place::Byte(at)))? {
            Some(result) => return Ok((machine.heap, result)),
            None => continue,
        }
    }
}

#[derive(Debug)]
struct Machine<'a> {
    cursor: Cursor<'a>,
    heap: Heap,
    stack: Vec<Handle>,
    marks: Vec<usize>,
    memo: HashMap<u32, Handle>,
}

impl Default for Machine<'_> {
    fn default() -> Self {
        let cursor = Cursor::new(&[]);
        Self { cursor, heap: Heap::default(), stack: Vec::new(), marks: Vec::new(), memo: HashMap::new() }
    }
}

fn malformed(message: &str) -> TraceError {
    TraceError::new(Problem::Malformed(message.into()))
}

fn limit(what: &str, limit: usize) -> TraceError {
    TraceError::new(Problem::Limit { what: what.into(), limit: limit as u64 })
}

impl Machine<'_> {
    /// Carries out one operation; STOP gives the result.
    fn step(&mut self) -> Result<Option<Handle>, TraceError> {
        let opcode = self.cursor.byte("the pickle, before its STOP")?;
        match opcode {
            b'.' => return self.pop().map(Some),
            0x80 => self.protocol()?,
            0x95 => drop(self.cursor.length(8, "a frame")?),
            b'(' => self.mark()?,
            b'0' => self.discard()?,
            b'1' => drop(self.pop_to_mark()?),
            b'2' => {
                let top = self.top()?;
                self.push_handle(top)?;
            }
            b'N' => self.push(Object::None)?,
            0x88 => self.push(Object::Bool(true))?,
            0x89 => self.push(Object::Bool(false))?,
            b'I' | b'L' | b'J' | b'K' | b'M' | 0x8a | 0x8b | b'F' | b'G' => self.number(opcode)?,
            b'V' | b'X' | 0x8c | 0x8d | b'S' | b'T' | b'U' | b'B' | b'C' | 0x8e | 0x96 => self.text(opcode)?,
            b']' => self.push(Object::List(Vec::new()))?,
            b'}' => self.push(Object::Dict(Vec::new()))?,
            b')' => self.push(Object::Tuple(Vec::new()))?,
            0x8f => self.push(Object::Set(Vec::new()))?,
            b't' | 0x85..=0x87 | b'l' | b'd' | 0x91 => self.collect(opcode)?,
            b'a' | b'e' | b's' | b'u' | 0x90 => self.fill(opcode)?,
            b'p' | b'q' | b'r' | 0x94 => self.remember(opcode)?,
            b'g' | b'h' | b'j' => self.recall(opcode)?,
            b'c' | b'i' | 0x93 => self.global(opcode)?,
            b'R' | 0x81 | 0x92 | b'o' | b'b' => self.object(opcode)?,
            b'P' | b'Q' => return Err(TraceError::new(Problem::Unsupported("persistent objects".into()))),
            0x82..=0x84 => return Err(TraceError::new(Problem::Unsupported("the extension registry".into()))),
            0x97 | 0x98 => return Err(TraceError::new(Problem::Unsupported("buffers outside of the file".into()))),
            other => {
                let message = format!("byte {other:#04x} is no operation of a pickle: is this a pickle?");
                return Err(TraceError::new(Problem::Malformed(message)));
            }
        }
        Ok(None)
    }

    fn protocol(&mut self) -> Result<(), TraceError> {
        match self.cursor.byte("the protocol number")? {
            0..=HIGHEST_PROTOCOL => Ok(()),
            other => Err(TraceError::new(Problem::Unsupported(format!("protocol {other}")))),
        }
    }

    fn push(&mut self, object: Object) -> Result<(), TraceError> {
        let handle = self.heap.add(object)?;
        self.push_handle(handle)
    }

    fn push_handle(&mut self, handle: Handle) -> Result<(), TraceError> {
        if self.stack.len() >= MAX_STACK {
            return Err(limit("the number of objects on the pickle's stack", MAX_STACK));
        }
        self.stack.push(handle);
        Ok(())
    }

    fn mark(&mut self) -> Result<(), TraceError> {
        if self.marks.len() >= 2 * MAX_DEPTH {
            return Err(limit("the number of open marks in the pickle", 2 * MAX_DEPTH));
        }
        self.marks.push(self.stack.len());
        Ok(())
    }

    /// The stack below the innermost mark belongs to what is outside of it.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn top(&self) -> Result<Handle, TraceError> {
        let inside = self.stack.get(self.floor()..).and_then(<[_]>::last).copied();
        inside.ok_or_else(|| malformed("the pickle takes an object from an empty stack"))
    }

    fn pop(&mut self) -> Result<Handle, TraceError> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    fn discard(&mut self) -> Result<(), TraceError> {
        if self.stack.len() > self.floor() {
            return self.pop().map(drop);
        }
        self.marks.pop().map(drop).ok_or_else(|| malformed("the pickle takes an object from an empty stack"))
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Handle>, TraceError> {
        let mark = self.marks.pop().ok_or_else(|| malformed("the pickle closes a mark that it did not open"))?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn number(&mut self, opcode: u8) -> Result<(), TraceError> {
        let cursor = &mut self.cursor;
        let object = match opcode {
            b'I' => match cursor.line("an integer")? {
                b"00" => Object::Bool(false),
                b"01" => Object::Bool(true),
                line => Object::Int(text::decimal(line)?),
            },
            b'L' => Object::Int(text::decimal(cursor.line("an integer")?)?),
            b'J' => Object::Int(i32::from_le_bytes(cursor.array("an integer")?).into()),
            b'K' => Object::Int(cursor.byte("an integer")?.into()),
            b'M' => Object::Int(u16::from_le_bytes(cursor.array("an integer")?).into()),
            0x8a => Object::Int(text::binary_integer(cursor.sized(1, "an integer")?)?),
            0x8b => Object::Int(text::binary_integer(cursor.sized(4, "an integer")?)?),
            b'F' => Object::Float(text::float(cursor.line("a float")?)?),
            _ => Object::Float(f64::from_be_bytes(cursor.array("a float")?)),
        };
        self.push(object)
    }

    fn text(&mut self, opcode: u8) -> Result<(), TraceError> {
        let cursor = &mut self.cursor;
        let object = match opcode {
            b'V' => Object::Text(text::raw_unicode_escape(cursor.line("a text")?)?),
            b'X' => Object::Text(text::utf8(cursor.sized(4, "a text")?)?),
            0x8c => Object::Text(text::utf8(cursor.sized(1, "a text")?)?),
            0x8d => Object::Text(text::utf8(cursor.sized(8, "a text")?)?),
            b'S' => Object::Text(text::quoted(cursor.line("a string")?)?),
            b'T' => Object::Text(text::utf8(cursor.sized(4, "a string")?)?),
            b'U' => Object::Text(text::utf8(cursor.sized(1, "a string")?)?),
            b'B' => Object::Bytes(Arc::from(cursor.sized(4, "bytes")?)),
            b'C' => Object::Bytes(Arc::from(cursor.sized(1, "bytes")?)),
            _ => Object::Bytes(Arc::from(cursor.sized(8, "bytes")?)),
        };
        self.push(object)
    }

    fn collect(&mut self, opcode: u8) -> Result<(), TraceError> {
        let items = match opcode {
            0x85..=0x87 => {
                let mut items = Vec::with_capacity(3);
                for _ in 0x84..opcode {
                    items.push(self.pop()?);
                }
                items.reverse();
                items
            }
            _ => self.pop_to_mark()?,
        };
        let object = match opcode {
            b'l' => Object::List(items),
            b'd' => Object::Dict(pairs(&items)?),
            0x91 => Object::Set(items),
            _ => Object::Tuple(items),
        };
        self.push(object)
    }

    fn fill(&mut self, opcode: u8) -> Result<(), TraceError> {
        let items = match opcode {
            b'a' => vec![self.pop()?],
            b's' => {
                let value = self.pop()?;
                vec![self.pop()?, value]
            }
            _ => self.pop_to_mark()?,
        };
        let target = self.top()?;
        self.heap.filled(target, &items)?;
        match (self.heap.get_mut(target), opcode) {
            (Some(Object::List(list)), b'a' | b'e') => list.extend(items),
            (Some(Object::Set(set)), 0x90) => set.extend(items),
            (Some(Object::Dict(dictionary)), b's' | b'u') => dictionary.extend(pairs(&items)?),
            _ => return Err(malformed("the pickle fills something that cannot be filled")),
        }
        Ok(())
    }

    fn remember(&mut self, opcode: u8) -> Result<(), TraceError> {
        let number = match opcode {
            0x94 => self.memo.len() as u32,
            _ => self.memo_number(opcode == b'p', opcode == b'q')?,
        };
        let top = self.top()?;
        if self.memo.len() >= MAX_MEMO {
            return Err(limit("the number of objects that the pickle refers back to", MAX_MEMO));
        }
        self.memo.insert(number, top);
        Ok(())
    }

    fn recall(&mut self, opcode: u8) -> Result<(), TraceError> {
        let number = self.memo_number(opcode == b'g', opcode == b'h')?;
        let known = self.memo.get(&number).copied();
        let handle = known.ok_or_else(|| malformed("the pickle refers back to an object that it has not stored"))?;
        self.push_handle(handle)
    }

    fn memo_number(&mut self, decimal: bool, short: bool) -> Result<u32, TraceError> {
        if decimal {
            let number = text::decimal(self.cursor.line("a reference")?)?;
            return u32::try_from(number).map_err(|_| malformed("a reference is out of range"));
        }
        match short {
            true => self.cursor.byte("a reference").map(u32::from),
            false => Ok(u32::from_le_bytes(self.cursor.array("a reference")?)),
        }
    }

    fn global(&mut self, opcode: u8) -> Result<(), TraceError> {
        let (module, name) = match opcode {
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                match (self.heap.get(module), self.heap.get(name)) {
                    (Object::Text(module), Object::Text(name)) => (module.clone(), name.clone()),
                    _ => return Err(malformed("the pickle names an object by something other than text")),
                }
            }
            _ => (text::utf8(self.cursor.line("a name")?)?, text::utf8(self.cursor.line("a name")?)?),
        };
        let global = self.heap.add(Object::Global(globals::find(&module, &name)?))?;
        if opcode == b'i' {
            let items = self.pop_to_mark()?;
            let arguments = self.heap.add(Object::Tuple(items))?;
            let object = construct::new_object(&mut self.heap, global, arguments)?;
            return self.push(object);
        }
        self.push_handle(global)
    }

    fn object(&mut self, opcode: u8) -> Result<(), TraceError> {
        let object = match opcode {
            b'b' => {
                let state = self.pop()?;
                let target = self.top()?;
                return construct::build(&mut self.heap, target, state);
            }
            b'o' => {
                let mut items = self.pop_to_mark()?.into_iter();
                let class = items.next().ok_or_else(|| malformed("the pickle makes an object without a class"))?;
                let arguments = self.heap.add(Object::Tuple(items.collect()))?;
                construct::new_object(&mut self.heap, class, arguments)?
            }
            0x92 => {
                let (keywords, arguments, class) = (self.pop()?, self.pop()?, self.pop()?);
                match self.heap.get(keywords) {
                    Object::Dict(pairs) if pairs.is_empty() => {}
                    _ => return Err(TraceError::new(Problem::Unsupported("keyword arguments".into()))),
                }
                construct::new_object(&mut self.heap, class, arguments)?
            }
            _ => {
                let (arguments, callable) = (self.pop()?, self.pop()?);
                match opcode {
                    b'R' => construct::reduce(&mut self.heap, callable, arguments)?,
                    _ => construct::new_object(&mut self.heap, callable, arguments)?,
                }
            }
        };
        self.push(object)
    }
}

fn pairs(items: &[Handle]) -> Result<Vec<(Handle, Handle)>, TraceError> {
    let (pairs, rest) = items.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(malformed("a dictionary has a key without a value"));
    }
    Ok(pairs.iter().map(|[key, value]| (*key, *value)).collect())
}
