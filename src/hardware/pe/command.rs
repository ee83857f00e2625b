//! Tensors, element-wise operations, matrix products, and the composite commands made of them.

/// Names a tensor of a [`CommandList`]: its place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorId(pub u32);

/// A matrix that commands read and write; its handle is what hazards are tracked by.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Its name in logs and errors.
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub cols: u64,
    /// Bytes of one element; fractions are fine (4 bits are 0.5).
    pub bytes_per_element: f64,
    /// Stays in the element's own memory: no DMA moves it.
    pub resident: bool,
}

impl Tensor {
    /// Number of elements.
    pub fn elements(&self) -> f64 {
        self.rows as f64 * self.cols as f64
    }

    /// Its size.
    pub fn bytes(&self) -> f64 {
        self.elements() * self.bytes_per_element
    }
}

/// What the math engine can do with whole tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The input as it is.
    Copy,
    /// e to the power of each element.
    Exp,
    /// Each element, or 0 if it is negative.
    Relu,
    /// 1 / (1 + e^-x) of each element.
    Sigmoid,
    /// 1 - x of each element.
    Complement,
    /// Sum of two inputs; the second may be one column or one row and then counts for all.
    Add,
    /// Difference, second operand as in [`Function::Add`].
    Subtract,
    /// Product, element by element, second operand as in [`Function::Add`].
    Multiply,
    /// Quotient, element by element, second operand as in [`Function::Add`].
    Divide,
    /// The larger, element by element, second operand as in [`Function::Add`].
    Maximum,
    /// The largest element of each row.
    RowMaximum,
    /// The sum of each row.
    RowSum,
    /// The product of each row.
    RowProduct,
    /// For each element the product of those before it in its row: the transmittance in front of a Gaussian.
    RowProductBefore,
    /// The matrix product is added to what stands in its output, by the array's own adders. Epilogue only.
    Accumulate,
}

impl Function {
    /// All functions and their words in files.
    pub const NAMES: [(&'static str, Function); 15] = [
        ("copy", Function::Copy),
        ("exp", Function::Exp),
        ("relu", Function::Relu),
        ("sigmoid", Function::Sigmoid),
        ("complement", Function::Complement),
        ("add", Function::Add),
        ("subtract", Function::Subtract),
        ("multiply", Function::Multiply),
        ("divide", Function::Divide),
        ("maximum", Function::Maximum),
        ("row_maximum", Function::RowMaximum),
        ("row_sum", Function::RowSum),
        ("row_product", Function::RowProduct),
        ("row_product_before", Function::RowProductBefore),
        ("accumulate", Function::Accumulate),
    ];

    /// The word in files and logs.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }

    /// Number of inputs.
    pub fn inputs(self) -> usize {
        match self {
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Maximum => 2,
            Self::Accumulate => 0,
            _ => 1,
        }
    }

    /// True if the result has one column.
    pub fn reduces(self) -> bool {
        matches!(self, Self::RowMaximum | Self::RowSum | Self::RowProduct)
    }
}

/// One operation of the math engine.
#[derive(Debug, Clone, PartialEq)]
pub struct MathOperation {
    /// What it computes.
    pub function: Function,
    /// As many tensors as the function takes.
    pub inputs: Vec<TensorId>,
    /// Where the result goes; may be an input.
    pub output: TensorId,
}

/// `output = a * b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gemm {
    /// M x K.
    pub a: TensorId,
    /// K x N.
    pub b: TensorId,
    /// M x N; neither of the operands.
    pub output: TensorId,
}

/// A composite command.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Command {
    /// Its name in logs.
    pub name: String,
    /// Operations before the product.
    pub prologue: Vec<MathOperation>,
    /// At most one matrix product.
    pub gemm: Option<Gemm>,
    /// Operations after it.
    pub epilogue: Vec<MathOperation>,
}

impl Command {
    /// The epilogue adds the product to what its output holds.
    pub fn accumulates(&self) -> bool {
        self.epilogue.iter().any(|operation| operation.function == Function::Accumulate)
    }

    /// Number of operations: prologue, product, epilogue.
    pub fn operations(&self) -> usize {
        self.prologue.len() + usize::from(self.gemm.is_some()) + self.epilogue.len()
    }

    /// What operation `index` reads and writes.
    pub fn access(&self, index: usize) -> (Vec<TensorId>, TensorId) {
        match self.part(index) {
            Part::Math(operation) if operation.function == Function::Accumulate => {
                (vec![operation.output], operation.output)
            }
            Part::Math(operation) => (operation.inputs.clone(), operation.output),
            Part::Gemm(gemm) if self.accumulates() => (vec![gemm.a, gemm.b, gemm.output], gemm.output),
            Part::Gemm(gemm) => (vec![gemm.a, gemm.b], gemm.output),
        }
    }

    /// Operation `index`, counted over prologue, product and epilogue.
    pub(super) fn part(&self, index: usize) -> Part<'_> {
        let before = self.prologue.len();
        match (&self.gemm, index) {
            (_, index) if index < before => Part::Math(&self.prologue[index]),
            (Some(gemm), index) if index == before => Part::Gemm(gemm),
            (Some(_), index) => Part::Math(&self.epilogue[index - before - 1]),
            (None, index) => Part::Math(&self.epilogue[index - before]),
        }
    }
}

/// One operation of a command.
pub(super) enum Part<'a> {
    Math(&'a MathOperation),
    Gemm(&'a Gemm),
}

/// Commands in the order in which the feeder takes them, and the tensors that they name.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandList {
    tensors: Vec<Tensor>,
    commands: Vec<Command>,
}

/// Why a list of commands means nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// No operation at all.
    #[error("command `{0}` does nothing")]
    Empty(String),
    /// A handle beyond the tensors.
    #[error("command `{0}` names a tensor that does not exist")]
    UnknownTensor(String),
    /// A tensor without elements, beyond 2^53 of them, or with a size per element that is no positive number.
    #[error("tensor `{0}` must have 1 to 2^53 elements of a positive number of bytes")]
    BadTensor(String),
    /// Shapes that do not go together.
    #[error("{operation} of command `{command}` cannot join {shapes}")]
    Shapes {
        /// The command.
        command: String,
        /// The operation's word.
        operation: &'static str,
        /// Names and shapes of its tensors.
        shapes: String,
    },
    /// The number of inputs is not the function's.
    #[error("`{function}` of command `{command}` takes {wanted} inputs, not {given}")]
    Inputs {
        /// The command.
        command: String,
        /// The function's word.
        function: &'static str,
        /// How many it takes.
        wanted: usize,
        /// How many are given.
        given: usize,
    },
    /// The product overwrites its own operand.
    #[error("the product of command `{0}` overwrites its own operand")]
    Overwrites(String),
    /// `accumulate` away from an epilogue that follows a product, or into another tensor than the product's.
    #[error("`accumulate` of command `{0}` must stand in the epilogue of a product and name the product's output")]
    Accumulate(String),
}

impl CommandList {
    /// Checks that every command means something.
    ///
    /// # Errors
    /// The first command or tensor that does not.
    pub fn new(tensors: Vec<Tensor>, commands: Vec<Command>) -> Result<Self, CommandError> {
        for tensor in &tensors {
            let size = tensor.bytes_per_element;
            if !(1.0..=MOST_ELEMENTS).contains(&tensor.elements()) || !size.is_finite() || size <= 0.0 {
                return Err(CommandError::BadTensor(tensor.name.clone()));
            }
        }
        commands.iter().try_for_each(|command| check(command, &tensors))?;
        Ok(Self { tensors, commands })
    }

    /// The tensors.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The commands.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The tensor that `id` names.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0 as usize]
    }
}

/// Elements beyond this are not exact as `f64`.
const MOST_ELEMENTS: f64 = 9_007_199_254_740_992.0;

/// Checks that a command means something.
///
/// # Errors
/// Why it does not.
pub(super) fn check(command: &Command, tensors: &[Tensor]) -> Result<(), CommandError> {
    let name = || command.name.clone();
    if command.operations() == 0 {
        return Err(CommandError::Empty(name()));
    }
    for index in 0..command.operations() {
        let (reads, write) = command.access(index);
        if reads.iter().chain([&write]).any(|id| id.0 as usize >= tensors.len()) {
            return Err(CommandError::UnknownTensor(name()));
        }
        match command.part(index) {
            Part::Gemm(gemm) => check_gemm(command, gemm, tensors)?,
            Part::Math(operation) => check_math(command, index, operation, tensors)?,
        }
    }
    Ok(())
}

fn check_gemm(command: &Command, gemm: &Gemm, tensors: &[Tensor]) -> Result<(), CommandError> {
    if gemm.output == gemm.a || gemm.output == gemm.b {
        return Err(CommandError::Overwrites(command.name.clone()));
    }
    let [a, b, out] = [gemm.a, gemm.b, gemm.output].map(|id| &tensors[id.0 as usize]);
    if a.cols != b.rows || out.rows != a.rows || out.cols != b.cols {
        return Err(shapes(command, "the product", &[a, b, out]));
    }
    Ok(())
}

fn check_math(
    command: &Command,
    index: usize,
    operation: &MathOperation,
    tensors: &[Tensor],
) -> Result<(), CommandError> {
    let function = operation.function;
    if operation.inputs.len() != function.inputs() {
        return Err(CommandError::Inputs {
            command: command.name.clone(),
            function: function.name(),
            wanted: function.inputs(),
            given: operation.inputs.len(),
        });
    }
    if function == Function::Accumulate {
        let own = command.gemm.is_some_and(|gemm| gemm.output == operation.output);
        let placed = own && index > command.prologue.len();
        return if placed { Ok(()) } else { Err(CommandError::Accumulate(command.name.clone())) };
    }
    let inputs: Vec<&Tensor> = operation.inputs.iter().map(|id| &tensors[id.0 as usize]).collect();
    let out = &tensors[operation.output.0 as usize];
    let first = inputs[0];
    let right = match (inputs.get(1), function.reduces()) {
        (Some(second), _) => {
            let spread = |extent: u64, whole: u64| extent == whole || extent == 1;
            (out.rows, out.cols) == (first.rows, first.cols)
                && spread(second.rows, first.rows)
                && spread(second.cols, first.cols)
        }
        (None, true) => (out.rows, out.cols) == (first.rows, 1),
        (None, false) => (out.rows, out.cols) == (first.rows, first.cols),
    };
    if right { Ok(()) } else { Err(shapes(command, function.name(), &[inputs.as_slice(), &[out]].concat())) }
}

fn shapes(command: &Command, operation: &'static str, tensors: &[&Tensor]) -> CommandError {
    let shapes: Vec<String> =
        tensors.iter().map(|tensor| format!("`{}` ({} x {})", tensor.name, tensor.rows, tensor.cols)).collect();
    CommandError::Shapes { command: command.name.clone(), operation, shapes: shapes.join(", ") }
}
