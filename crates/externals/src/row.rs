//! One row of the table: what is known about a library function, and the notation in which rows are written.

/// How a library function is dealt with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Defined in C in `runtime-models/FILE.c`.
    Model {
        /// The file's name without its extension.
        file: &'static str,
    },
    /// The result depends on the arguments (and what they point to) only; no other effect.
    Pure,
    /// No effect on memory; the result depends on the environment, so it is a new input.
    Input,
    /// An effect outside the process only; whether it succeeds is a new input.
    Sink,
    /// Known, but nothing stands in for it: calling it is an error.
    Unmodelled {
        /// What is missing, as part of a sentence: "NAME is not modelled: NOTE".
        note: &'static str,
    },
}

/// What a function does with an argument.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ArgEffect {
    /// Uses the value only.
    Value,
    /// Reads the object it points to.
    Reads,
    /// Reads bytes that are no pointers.
    ReadsBytes,
    /// Writes bytes that are no pointers.
    WritesBytes,
    /// Writes it.
    Writes,
    /// Reads and writes it.
    ReadsWrites,
    /// Keeps the pointer in a place that outlives the call.
    Retains,
    /// Ends the object's life.
    Frees,
    /// Calls it, or hands it to something that will.
    Calls,
    /// Stores a pointer in the object: to a new one, or one that another argument leads to.
    StoresPointer,
}

/// What the result of a function may point to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ResultEffect {
    /// Nothing: it is no pointer.
    Value,
    /// A new object.
    Fresh,
    /// An object that belongs to the library.
    Library,
    /// The object that the argument with this index points to.
    Argument(usize),
}

/// What a new object of synchronisation is like.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Initialised {
    /// A lock that is free: of its word everything is known as long as it is known which threads hold locks.
    Free,
    /// It is in a state that is known from nothing else.
    InState,
}

/// One library function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The symbol.
    pub name: &'static str,
    /// How it is dealt with.
    pub kind: Kind,
    /// Whether a call can block, wake or create threads or make a node of the schedule. That a cancellation may end
    /// the thread in it does not count.
    pub synchronises: bool,
    /// What the new object of synchronisation is like that it makes, if it does: everything is known of it then. It
    /// does not synchronise itself.
    pub initialises: Option<Initialised>,
    /// Whether it never returns to its caller.
    pub no_return: bool,
    /// What it does with its arguments and what its result is; the letters are explained in the crate's root.
    pub(super) effects: &'static str,
}

impl Row {
    /// What it does with argument `index`. Variadic arguments, and those of a function whose effects are not recorded,
    /// are read and written.
    pub fn argument(&self, index: usize) -> ArgEffect {
        let parameters = self.effects.split('>').next().expect("split gives at least one part");
        let letter = parameters.as_bytes().get(index).copied();
        let letter = letter.filter(|&l| l != b':').or_else(|| parameters.ends_with(':').then_some(b'd'));
        match letter {
            Some(b'-') => ArgEffect::Value,
            Some(b'r') => ArgEffect::Reads,
            Some(b'd') => ArgEffect::ReadsBytes,
            Some(b'o') => ArgEffect::WritesBytes,
            Some(b'w') => ArgEffect::Writes,
            Some(b'k') => ArgEffect::Retains,
            Some(b'f') => ArgEffect::Frees,
            Some(b'c') => ArgEffect::Calls,
            Some(b'p') => ArgEffect::StoresPointer,
            _ => ArgEffect::ReadsWrites,
        }
    }

    /// Whether what is behind argument `index` is read and written as bytes that are no pointers, and the argument does
    /// not come back in the result.
    pub fn argument_is_bytes(&self, index: usize) -> bool {
        matches!(self.argument(index), ArgEffect::ReadsBytes | ArgEffect::WritesBytes)
            && self.result() != ResultEffect::Argument(index)
    }

    /// What the result may point to.
    pub fn result(&self) -> ResultEffect {
        match self.effects.split_once('>').map(|(_, result)| result.as_bytes()) {
            None => ResultEffect::Value,
            Some(b"n") => ResultEffect::Fresh,
            Some([digit @ b'0'..=b'9']) => ResultEffect::Argument(usize::from(digit - b'0')),
            Some(_) => ResultEffect::Library,
        }
    }

    /// Whether a caller can see what pointers another one gave: what it gets back depends on its own arguments, or is
    /// new.
    pub fn hands_back(&self) -> bool {
        let given = |effect| matches!(effect, ArgEffect::Calls | ArgEffect::StoresPointer);
        matches!(self.result(), ResultEffect::Fresh | ResultEffect::Argument(_))
            || (0..self.parameters()).any(|at| given(self.argument(at)))
    }

    /// The number of named parameters.
    pub fn parameters(&self) -> usize {
        self.effects.bytes().take_while(|&letter| !matches!(letter, b'>' | b'.' | b':')).count()
    }

    /// Whether it takes further arguments.
    pub fn is_variadic(&self) -> bool {
        self.effects.contains(['.', ':'])
    }
}

/// A function of any kind.
pub(super) const fn row(name: &'static str, kind: Kind, effects: &'static str) -> Row {
    Row { name, kind, synchronises: false, initialises: None, no_return: false, effects }
}

/// A function that is defined in `runtime-models/FILE.c`.
pub(super) const fn model(name: &'static str, file: &'static str, effects: &'static str) -> Row {
    row(name, Kind::Model { file }, effects)
}

impl Row {
    pub(super) const fn synchronises(self) -> Row {
        Row { synchronises: true, ..self }
    }

    pub(super) const fn initialises(self, new: Initialised) -> Row {
        Row { initialises: Some(new), ..self }
    }

    pub(super) const fn no_return(self) -> Row {
        Row { no_return: true, ..self }
    }
}
