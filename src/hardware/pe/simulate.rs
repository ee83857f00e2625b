//! The event simulation: feeder, queues, engines, completion.

use std::collections::VecDeque;
use std::rc::Rc;

use super::command::CommandList;
use super::hazard::{Access, HazardTracker};
use super::log::{Record, Work};
use super::parameters::{Parameters, ParametersError};
use super::plan::{Engine, Kind, Operation, Step, Steps, plan};
use crate::hardware::systolic::SystolicError;

/// Whether the feeder waits for hazards between commands. `Ignored` shows what they protect from; it is no way to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hazards {
    /// Commands enter strictly in order, each once nothing in flight conflicts with it.
    Tracked,
    /// Commands enter as fast as the feeder can take them.
    Ignored,
}

/// When a command was in flight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The feeder admitted it.
    pub admitted: f64,
    /// Its last token was done.
    pub completed: f64,
    /// Its tokens: tiles of the product, and one for each other operation.
    pub tokens: u64,
}

/// What an engine did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EngineUse {
    /// Which.
    pub engine: Engine,
    /// Cycles of work.
    pub busy_cycles: f64,
}

/// The course of a list of commands.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// Cycles until everything was done.
    pub cycles: f64,
    /// One per command.
    pub commands: Vec<Span>,
    /// One per engine.
    pub engines: Vec<EngineUse>,
    /// What was computed, in the order in which it was finished. Empty unless asked for.
    pub log: Vec<Record>,
}

/// Why commands cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// A knob is out of range.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// The array cannot take a tile.
    #[error("the array cannot take a tile: {0}")]
    Array(#[from] SystolicError),
    /// More tokens than are simulated.
    #[error(
        "there are {tokens} tokens up to command `{command}`: at most {MOST_TOKENS} are simulated; larger tiles give fewer"
    )]
    TooMany {
        /// The command that is one too many.
        command: String,
        /// Tokens of the commands up to it.
        tokens: u64,
    },
    /// An operator of more commands or tokens than are simulated.
    #[error(
        "{commands} commands of {tokens} tokens in all: at most {MOST_COMMANDS} and {MOST_TOKENS} are simulated; larger \
         tiles and more rows in a command give fewer"
    )]
    TooLong {
        /// Its commands.
        commands: u64,
        /// Tokens of all of them.
        tokens: u64,
    },
}

/// Most tokens of all commands, and of an operator.
const MOST_TOKENS: u64 = 1 << 26;

/// Most commands of an operator.
const MOST_COMMANDS: u64 = 1 << 20;

/// Refuses an operator that would take too long.
pub(super) fn check_tokens(commands: u64, tokens: u64) -> Result<(), SimulationError> {
    match commands > MOST_COMMANDS || tokens > MOST_TOKENS {
        true => Err(SimulationError::TooLong { commands, tokens }),
        false => Ok(()),
    }
}

/// Runs `list` through a processing element.
///
/// One feeder takes the commands in order. It admits a command once `hazards` allow it, spends `command_cycles` on it,
/// and puts its tokens into the queue of each token's first engine; a full queue holds the feeder and nothing else. Each
/// engine takes the first token of its queue whose operation may compute, works on it, and hands it on to the engine of
/// its next step. A command completes when all its tokens have.
///
/// No token waits for a later one: operations wait for earlier operations only, queues hold what was fed before, and
/// engines hand on without waiting. So the earliest unfinished token can always proceed, and the run ends.
///
/// # Errors
/// Knobs out of range, a tile that the array cannot take, too many tokens.
pub fn simulate(
    list: &CommandList,
    parameters: &Parameters,
    hazards: Hazards,
    with_log: bool,
) -> Result<Simulation, SimulationError> {
    parameters.check()?;
    let mut plans = Vec::with_capacity(list.commands().len());
    let mut total = 0_u64;
    for command in list.commands() {
        let planned = Planned::new(plan(list, command, parameters)?.into(), Access::of(plans.len() as u32, command));
        total = total.saturating_add(planned.tokens);
        if total > MOST_TOKENS {
            return Err(SimulationError::TooMany { command: command.name.clone(), tokens: total });
        }
        plans.push(planned);
    }
    Ok(run_planned(plans, parameters, hazards, with_log))
}

/// Runs commands that are planned; the parameters have been checked.
pub(super) fn run_planned(
    plans: Vec<Planned>,
    parameters: &Parameters,
    hazards: Hazards,
    with_log: bool,
) -> Simulation {
    Machine::new(plans, parameters, hazards, with_log).run()
}

/// A command with its tokens that are not done yet. Equal commands share their operations.
pub(super) struct Planned {
    operations: Rc<[Operation]>,
    left: Vec<u64>,
    tokens: u64,
    access: Access,
}

impl Planned {
    pub fn new(operations: Rc<[Operation]>, access: Access) -> Self {
        let left: Vec<u64> = operations.iter().map(Operation::tokens).collect();
        let tokens = left.iter().copied().fold(0, u64::saturating_add);
        Self { operations, left, tokens, access }
    }

    fn completed(&self) -> bool {
        self.left.iter().all(|&left| left == 0)
    }
}

/// A token on its way.
#[derive(Clone, Copy)]
struct Token {
    command: u32,
    operation: u32,
    index: u64,
    steps: Steps,
    /// The step that it waits for or is in.
    step: u8,
}

impl Token {
    fn current(&self) -> Option<Step> {
        self.steps.get(self.step.into())
    }
}

#[derive(Default)]
struct EngineState {
    queue: VecDeque<Token>,
    /// Tokens in the queue that the feeder put there.
    fed: u32,
    work: Option<(Token, f64)>,
    busy: f64,
}

/// Where the feeder is.
enum Feeder {
    /// Waits to admit a command.
    Admit(usize),
    /// Works on a command until a time.
    Decode(usize, f64),
    /// Puts a command's tokens: the next operation and token.
    Feed(usize, usize, u64),
    /// Has fed everything.
    Done,
}

struct Machine<'a> {
    plans: Vec<Planned>,
    parameters: &'a Parameters,
    hazards: Hazards,
    tracker: HazardTracker,
    engines: [EngineState; Engine::ALL.len()],
    feeder: Feeder,
    now: f64,
    spans: Vec<Span>,
    log: Option<Vec<Record>>,
}

impl<'a> Machine<'a> {
    fn new(plans: Vec<Planned>, parameters: &'a Parameters, hazards: Hazards, with_log: bool) -> Self {
        let spans = plans.iter().map(|plan| Span { admitted: 0.0, completed: 0.0, tokens: plan.tokens }).collect();
        Self {
            feeder: if plans.is_empty() { Feeder::Done } else { Feeder::Admit(0) },
            plans,
            parameters,
            hazards,
            tracker: HazardTracker::default(),
            engines: Default::default(),
            now: 0.0,
            spans,
            log: with_log.then(Vec::new),
        }
    }

    fn run(mut self) -> Simulation {
        loop {
            while self.feed() | self.start() {}
            let Some(next) = self.next_event() else { break };
            self.now = next;
            self.finish_steps();
        }
        debug_assert!(self.plans.iter().all(Planned::completed) && matches!(self.feeder, Feeder::Done));
        let engines = Engine::ALL
            .into_iter()
            .map(|engine| EngineUse { engine, busy_cycles: self.engines[engine as usize].busy })
            .collect();
        Simulation { cycles: self.now, commands: self.spans, engines, log: self.log.unwrap_or_default() }
    }

    /// Moves the feeder as far as it gets at this moment; true if it moved.
    fn feed(&mut self) -> bool {
        let mut moved = false;
        loop {
            self.feeder = match self.feeder {
                Feeder::Admit(command) => {
                    let access = &self.plans[command].access;
                    if self.hazards == Hazards::Tracked && !self.tracker.admits(access) {
                        return moved;
                    }
                    self.tracker.enter(access.clone());
                    self.spans[command].admitted = self.now;
                    Feeder::Decode(command, self.now + self.parameters.command_cycles)
                }
                Feeder::Decode(command, until) if until <= self.now => Feeder::Feed(command, 0, 0),
                Feeder::Feed(command, operation, index) => {
                    let Some(planned) = self.plans[command].operations.get(operation) else {
                        self.feeder = match command + 1 < self.plans.len() {
                            true => Feeder::Admit(command + 1),
                            false => Feeder::Done,
                        };
                        moved = true;
                        continue;
                    };
                    let steps = match &planned.kind {
                        Kind::Math(steps) => *steps,
                        Kind::Gemm(tiles) => *tiles.steps(index),
                    };
                    let engine = &mut self.engines[steps.first() as usize];
                    if engine.fed >= self.parameters.queue_depth {
                        return moved;
                    }
                    engine.fed += 1;
                    engine.queue.push_back(Token {
                        command: command as u32,
                        operation: operation as u32,
                        index,
                        steps,
                        step: 0,
                    });
                    if index + 1 < planned.tokens() {
                        Feeder::Feed(command, operation, index + 1)
                    } else {
                        Feeder::Feed(command, operation + 1, 0)
                    }
                }
                Feeder::Decode(..) | Feeder::Done => return moved,
            };
            moved = true;
        }
    }

    /// Starts what can start at this moment; true if anything did.
    fn start(&mut self) -> bool {
        let mut moved = false;
        for state in &mut self.engines {
            if state.work.is_some() {
                continue;
            }
            let plans = &self.plans;
            let Some(place) = state.queue.iter().position(|token| may_start(token, plans)) else { continue };
            let Some(token) = state.queue.remove(place) else { continue };
            let Some(step) = token.current() else { continue };
            if token.step == 0 {
                state.fed -= 1;
            }
            state.busy += step.cycles;
            state.work = Some((token, self.now + step.cycles));
            moved = true;
        }
        moved
    }

    fn next_event(&self) -> Option<f64> {
        let decoded = match self.feeder {
            Feeder::Decode(_, until) => Some(until),
            _ => None,
        };
        self.engines.iter().filter_map(|engine| engine.work.map(|(_, end)| end)).chain(decoded).reduce(f64::min)
    }

    /// Hands on the tokens whose step ends now.
    fn finish_steps(&mut self) {
        for engine in Engine::ALL {
            let state = &mut self.engines[engine as usize];
            let Some((mut token, _)) = state.work.take_if(|(_, end)| *end <= self.now) else { continue };
            token.step += 1;
            match token.current() {
                Some(step) => self.engines[step.engine as usize].queue.push_back(token),
                None => self.complete(&token),
            }
        }
    }

    fn complete(&mut self, token: &Token) {
        let command = token.command as usize;
        let planned = &mut self.plans[command];
        let operation = token.operation as usize;
        planned.left[operation] -= 1;
        if let Some(log) = &mut self.log {
            let work = match &planned.operations[operation].kind {
                Kind::Math(_) => Work::Math,
                Kind::Gemm(tiles) => {
                    let block = tiles.block(token.index);
                    Work::Gemm { block, accumulate: tiles.accumulate || block.k.0 > 0 }
                }
            };
            log.push(Record { cycle: self.now, command: token.command, operation: token.operation, work });
        }
        if planned.completed() {
            self.spans[command].completed = self.now;
            self.tracker.leave(token.command);
        }
    }
}

/// True if what the token's step needs is there.
fn may_start(token: &Token, plans: &[Planned]) -> bool {
    let planned = &plans[token.command as usize];
    let operation = &planned.operations[token.operation as usize];
    let reads = token.steps.read.is_some() && token.step == 0;
    (reads && !operation.waits_to_read) || operation.waits.iter().all(|&earlier| planned.left[earlier as usize] == 0)
}
