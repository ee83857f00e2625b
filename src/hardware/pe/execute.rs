//! Data mode: an operation log executed on real numbers.

use ndarray::{Array2, ArrayView2, Axis, Zip, s};

use super::command::{Command, CommandList, Function, MathOperation, Part};
use super::log::{Block, Record, Work};

/// Why a log cannot be executed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DataError {
    /// As many matrices as tensors are needed.
    #[error("{given} matrices for {wanted} tensors")]
    Count {
        /// Tensors of the list.
        wanted: usize,
        /// Matrices given.
        given: usize,
    },
    /// A matrix has another shape than its tensor.
    #[error("the matrix of tensor `{0}` has another shape")]
    Shape(String),
    /// A record of another list of commands.
    #[error("record {0} belongs to no operation of these commands")]
    Foreign(usize),
}

/// Executes `log` on `data`, one matrix per tensor of `list`, in the log's order.
///
/// # Errors
/// Matrices that do not fit the tensors, records that do not fit the commands; `data` is then partly changed.
pub fn execute(list: &CommandList, log: &[Record], data: &mut [Array2<f64>]) -> Result<(), DataError> {
    check(list, data)?;
    for (place, record) in log.iter().enumerate() {
        let command = list.commands().get(record.command as usize).ok_or(DataError::Foreign(place))?;
        let operation = record.operation as usize;
        if operation >= command.operations() {
            return Err(DataError::Foreign(place));
        }
        match (command.part(operation), record.work) {
            (Part::Math(operation), Work::Math) => math(operation, data),
            (Part::Gemm(gemm), Work::Gemm { block, accumulate }) if within(&block, list, gemm) => {
                product(gemm, &block, accumulate, data);
            }
            _ => return Err(DataError::Foreign(place)),
        }
    }
    Ok(())
}

/// Executes the commands themselves, one operation after the other, without tiles, queues or a log: what every log of
/// them must come to, within the rounding of another order of sums.
///
/// # Errors
/// Matrices that do not fit the tensors.
pub fn reference(list: &CommandList, data: &mut [Array2<f64>]) -> Result<(), DataError> {
    check(list, data)?;
    for command in list.commands() {
        for index in 0..command.operations() {
            match command.part(index) {
                Part::Math(operation) => math(operation, data),
                Part::Gemm(gemm) => whole_product(command, gemm, data),
            }
        }
    }
    Ok(())
}

fn check(list: &CommandList, data: &[Array2<f64>]) -> Result<(), DataError> {
    if data.len() != list.tensors().len() {
        return Err(DataError::Count { wanted: list.tensors().len(), given: data.len() });
    }
    for (tensor, matrix) in list.tensors().iter().zip(data) {
        if (matrix.nrows() as u64, matrix.ncols() as u64) != (tensor.rows, tensor.cols) {
            return Err(DataError::Shape(tensor.name.clone()));
        }
    }
    Ok(())
}

fn within(block: &Block, list: &CommandList, gemm: &super::Gemm) -> bool {
    let (a, b) = (list.tensor(gemm.a), list.tensor(gemm.b));
    let fits = |range: (u64, u64), extent: u64| range.0 <= range.1 && range.1 <= extent;
    fits(block.m, a.rows) && fits(block.k, a.cols) && fits(block.n, b.cols)
}

fn whole_product(command: &Command, gemm: &super::Gemm, data: &mut [Array2<f64>]) {
    let result = data[gemm.a.0 as usize].dot(&data[gemm.b.0 as usize]);
    let output = &mut data[gemm.output.0 as usize];
    if command.accumulates() { *output += &result } else { *output = result }
}

fn product(gemm: &super::Gemm, block: &Block, accumulate: bool, data: &mut [Array2<f64>]) {
    let range = |(from, to): (u64, u64)| from as usize..to as usize;
    let (m, k, n) = (range(block.m), range(block.k), range(block.n));
    let a = data[gemm.a.0 as usize].slice(s![m.clone(), k.clone()]);
    let b = data[gemm.b.0 as usize].slice(s![k, n.clone()]);
    let result = a.dot(&b);
    let mut output = data[gemm.output.0 as usize].slice_mut(s![m, n]);
    if accumulate { output += &result } else { output.assign(&result) }
}

fn math(operation: &MathOperation, data: &mut [Array2<f64>]) {
    let input = |index: usize| data[operation.inputs[index].0 as usize].view();
    let result = match operation.function {
        // The product's own records have added it.
        Function::Accumulate => return,
        Function::Copy => input(0).to_owned(),
        Function::Exp => input(0).mapv(f64::exp),
        Function::Relu => input(0).mapv(|x| x.max(0.0)),
        Function::Sigmoid => input(0).mapv(|x| 1.0 / (1.0 + (-x).exp())),
        Function::Complement => input(0).mapv(|x| 1.0 - x),
        Function::Add => join(input(0), input(1), |a, b| a + b),
        Function::Subtract => join(input(0), input(1), |a, b| a - b),
        Function::Multiply => join(input(0), input(1), |a, b| a * b),
        Function::Divide => join(input(0), input(1), |a, b| a / b),
        Function::Maximum => join(input(0), input(1), f64::max),
        Function::RowMaximum => reduce(input(0), f64::NEG_INFINITY, f64::max),
        Function::RowSum => reduce(input(0), 0.0, |a, b| a + b),
        Function::RowProduct => reduce(input(0), 1.0, |a, b| a * b),
        Function::RowProductBefore => {
            let mut result = input(0).to_owned();
            result.rows_mut().into_iter().for_each(|mut row| {
                let mut before = 1.0;
                row.iter_mut().for_each(|x| before *= std::mem::replace(x, before));
            });
            result
        }
    };
    data[operation.output.0 as usize] = result;
}

/// Element by element; one column or row of `b` counts for all.
fn join(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>, function: impl Fn(f64, f64) -> f64) -> Array2<f64> {
    let mut result = a.to_owned();
    if let Some(b) = b.broadcast(a.raw_dim()) {
        Zip::from(&mut result).and(&b).for_each(|x, &y| *x = function(*x, y));
    }
    result
}

fn reduce(a: ArrayView2<'_, f64>, start: f64, function: impl Fn(f64, f64) -> f64) -> Array2<f64> {
    a.map_axis(Axis(1), |row| row.iter().fold(start, |sum, &x| function(sum, x))).insert_axis(Axis(1))
}
