//! Finding declaration files: in the user's folders first, then among the stock files inside the binary.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, include_dir};

use super::diagnostic::{Diagnostic, did_you_mean};
use super::source::{Origin, Source, Span};
use crate::input::{self, InputError};

static HARDWARE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/hardware");
static OPERATORS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/operators");
static OPTIMIZATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/optimizations");
static SWEEPS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sweeps");

/// Largest declaration file in bytes.
pub const MAX_BYTES: u64 = 16 << 20;

/// What a declaration file declares; each has its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// `sweeps/`
    Sweep,
    /// `hardware/`
    Hardware,
    /// `operators/`
    Pipeline,
    /// `operators/scenes/`
    Scene,
    /// `operators/kinds/`
    Kinds,
    /// `optimizations/`
    Technique,
    /// `operators/commands/`
    Commands,
}

impl Category {
    /// All of them, in the order in which `list` shows them.
    pub const ALL: [Category; 7] = [
        Category::Sweep,
        Category::Hardware,
        Category::Pipeline,
        Category::Scene,
        Category::Kinds,
        Category::Technique,
        Category::Commands,
    ];

    /// The folder, relative to the project's or the user's.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Sweep => "sweeps",
            Self::Hardware => "hardware",
            Self::Pipeline => "operators",
            Self::Scene => "operators/scenes",
            Self::Kinds => "operators/kinds",
            Self::Technique => "optimizations",
            Self::Commands => "operators/commands",
        }
    }

    /// The word that the command line has for it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::Hardware => "hardware",
            Self::Pipeline => "pipeline",
            Self::Scene => "scene",
            Self::Kinds => "kinds",
            Self::Technique => "technique",
            Self::Commands => "commands",
        }
    }

    /// The word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::Hardware => "hardware",
            Self::Pipeline => "pipeline",
            Self::Scene => "scene",
            Self::Kinds => "operator library",
            Self::Technique => "technique",
            Self::Commands => "file of commands",
        }
    }
}

/// Names of the stock files of a category, sorted.
pub fn stock_names(category: Category) -> Vec<String> {
    let mut names: Vec<String> = stock_dir(category)
        .into_iter()
        .flat_map(|dir| dir.files())
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

fn stock_dir(category: Category) -> Option<&'static Dir<'static>> {
    match category {
        Category::Sweep => Some(&SWEEPS),
        Category::Hardware => Some(&HARDWARE),
        Category::Pipeline => Some(&OPERATORS),
        Category::Scene => OPERATORS.get_dir("scenes"),
        Category::Kinds => OPERATORS.get_dir("kinds"),
        Category::Technique => Some(&OPTIMIZATIONS),
        Category::Commands => OPERATORS.get_dir("commands"),
    }
}

fn stock_text(category: Category, file_name: &str) -> Option<&'static str> {
    let dir = stock_dir(category)?;
    dir.get_file(dir.path().join(file_name))?.contents_utf8()
}

/// The stock file `NAME.toml` of a category.
pub fn stock(category: Category, name: &str) -> Option<Arc<Source>> {
    let file_name = format!("{name}.toml");
    let text = stock_text(category, &file_name)?;
    let path = format!("{}/{file_name}", category.folder());
    Some(Arc::new(Source { name: format!("stock:{path}"), text: text.to_owned(), origin: Origin::Stock(path) }))
}

/// Finds the declaration that `name` means: a path, or a name in the user's folder, or a stock name.
///
/// `referrer` is the place that mentions the name; its folder and the one above it are searched too. A name in a file is
/// not trusted: as a path it is relative and never goes up, so it stays in those folders and the current one. Symbolic links
/// there are followed: whoever may put them there may put the file there. A name on the command line (no `referrer`) is the
/// user's own and may be any path.
///
/// # Errors
/// If there is none, or the file cannot be read: what to do, with the nearest name.
pub fn find(category: Category, name: &str, referrer: Option<&Span>) -> Result<Arc<Source>, Diagnostic> {
    let place = |diagnostic: Diagnostic| Diagnostic { span: referrer.cloned(), ..diagnostic };
    if let Some(span) = referrer {
        stays(name, span, category)?;
    }
    for path in candidates(category, name, referrer) {
        if path.is_dir() {
            return Err(place(
                Diagnostic::placeless(format!("`{}` is a folder, not a {} file", path.display(), category.word()))
                    .help("name the .toml file in it"),
            ));
        }
        if path.exists() {
            return read(&path).map_err(place);
        }
    }
    let stem = stem(name);
    let stock_path = [format!("{}/{stem}.toml", category.folder()), format!("{stem}.toml"), stem.to_owned()];
    let plain = Path::new(name).file_name().and_then(|file| file.to_str()).map_or(name, self::stem);
    if (stock_path.iter().any(|path| path == name) || name == stem)
        && let Some(source) = stock(category, plain)
    {
        return Ok(source);
    }
    let names = stock_names(category);
    // A name of something else shows what was meant.
    let others: Vec<&str> =
        Category::ALL.into_iter().filter(|other| stock(*other, plain).is_some()).map(Category::word).collect();
    let other = if others.is_empty() { String::new() } else { format!("; `{plain}` is a {}", others.join(" and a ")) };
    Err(place(Diagnostic::placeless(format!("there is no {} `{name}`{other}", category.word())).help(format!(
        "{} (or write the path of a .toml file)",
        did_you_mean(plain, names.iter().map(String::as_str))
    ))))
}

/// Checks that a name in a file stays in the folders that files may name; what was typed may be anywhere.
///
/// # Errors
/// If it does not: what to do.
pub fn stays(name: &str, referrer: &Span, category: Category) -> Result<(), Diagnostic> {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if referrer.source().origin == Origin::CommandLine || Path::new(name).components().all(is_inside) {
        return Ok(());
    }
    let message = format!("`{name}` leaves the folders that this file may name");
    Err(Diagnostic::new(referrer, message).help(format!(
        "name a file below this file's folder, the folder above it, or the current one; or put it into `{}/` there and \
         write its bare name",
        category.folder()
    )))
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".toml").unwrap_or(name)
}

fn candidates(category: Category, name: &str, referrer: Option<&Span>) -> Vec<PathBuf> {
    // The field's JSON is accepted for hardware.
    let is_json = category == Category::Hardware && name.ends_with(".json");
    let file_name = if is_json { name.to_owned() } else { format!("{}.toml", stem(name)) };
    let mut folders = vec![PathBuf::new()];
    if let Some(Origin::File(path)) = referrer.map(|span| &span.source().origin) {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        folders.insert(0, folder.clone());
        folders.push(folder.join(".."));
    }
    // A name with .toml is a path from the referring file or from here; a bare name is looked for in its folder only,
    // so that sweeps/gscore.toml is never taken for the hardware of that name.
    let is_path = is_json || name.ends_with(".toml") || name.contains(['/', '\\']);
    let mut paths = Vec::new();
    for folder in &folders {
        if is_path {
            paths.push(folder.join(name));
        }
        paths.push(folder.join(category.folder()).join(&file_name));
    }
    paths
}

/// Reads a declaration file.
///
/// # Errors
/// If it cannot be opened, is larger than [`MAX_BYTES`] or is not UTF-8.
pub fn read(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let name = path.display().to_string();
    let fail = |error: std::io::Error| {
        Diagnostic::placeless(format!("`{name}` cannot be read: {error}")).help("check the path and its permissions")
    };
    let bytes = match input::bytes(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(InputError::System(error)) => return Err(fail(error)),
        Err(other) => {
            let help = match &other {
                InputError::Folder => "name the file in it",
                InputError::TooLarge(_) => "a declaration is a small text file; is this the right one?",
                _ => "write its content to a file and name that",
            };
            let problem = other.to_string();
            let problem = problem.strip_prefix("it ").unwrap_or(&problem);
            return Err(Diagnostic::placeless(format!("`{name}` {problem}")).help(help));
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Arc::new(Source { name, text, origin: Origin::File(path.to_path_buf()) })),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(Diagnostic::placeless(format!("`{name}` is not UTF-8 text: byte {at}, on line {line}, is invalid"))
                .help("save the file with UTF-8 encoding"))
        }
    }
}

/// The text of a data file that stands in the same folder as `referrer`.
///
/// # Errors
/// If the name leaves the folder or the file cannot be read.
pub fn companion(file_name: &str, referrer: &Span) -> Result<Arc<Source>, Diagnostic> {
    let plain = matches!(Path::new(file_name).components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
    if !plain {
        return Err(Diagnostic::new(referrer, format!("`{file_name}` leaves the folder of this file"))
            .help("put the data file into the same folder and write its bare name"));
    }
    match &referrer.source().origin {
        origin @ (Origin::File(_) | Origin::CommandLine) => {
            let folder = if let Origin::File(path) = origin { path.parent() } else { None };
            read(&folder.unwrap_or(Path::new("")).join(file_name))
                .map_err(|diagnostic| Diagnostic { span: Some(referrer.clone()), ..diagnostic })
        }
        Origin::Stock(_) => match stock_text(Category::Scene, file_name) {
            Some(text) => {
                let path = format!("{}/{file_name}", Category::Scene.folder());
                Ok(Arc::new(Source {
                    name: format!("stock:{path}"),
                    text: text.to_owned(),
                    origin: Origin::Stock(path),
                }))
            }
            None => Err(Diagnostic::new(referrer, format!("there is no stock file `{file_name}`"))
                .help("stock scenes name their stock tiles; copy the scene to a folder of your own")),
        },
    }
}
