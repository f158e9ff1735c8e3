//! What names in printed constraints mean that are no C: for `open#2`, "what the input call `open` gives the 2nd time",
//! and where the program reads it.

use icsched_ir::{CallStack, EntityId as _, ProgramPoint};
use icsched_smt::Term;

use super::root::RootId;
use super::symbol::SymbolSource;
use crate::domain::SymbolicDomain;
use crate::inputs::STDIN;
use crate::print::InputName;
use icsched_machine::abstraction::{Passage, Replaced};

/// What a name means, in words, and where it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// In words, without a full stop.
    pub text: String,
    /// Where.
    pub place: NamePlace,
}

/// Where a name gets its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NamePlace {
    /// At a call that reads an input.
    Read(CallStack),
    /// At a loop or call that is replaced.
    Replaced(ProgramPoint),
    /// Where this thread of the context begins.
    Thread(usize),
    /// Where the epoch begins.
    Start,
    /// At no one place.
    Nowhere,
}

impl SymbolicDomain {
    /// What a name in a printed text means.
    pub fn meaning_of(&self, input: &InputName) -> Meaning {
        let Some(symbol) = input.symbol else { return meaning_of_place(input) };
        if let Some(source) = self.source_of(symbol) {
            return self.meaning_of_source(source, &input.name);
        }
        if let Some(origins) = self.origins.as_deref() {
            if let Some(passage) = origins.forgotten.passage_of_symbol(symbol) {
                return meaning_of_passage(passage);
            }
            if let Some((root, _)) = origins.fresh_symbols.get(&symbol) {
                let passage = origins.forgotten.passage_of(RootId::from_index(*root as usize));
                let fresh = || Meaning {
                    text: "what an object holds there that was allocated, before it is written".to_owned(),
                    place: NamePlace::Nowhere,
                };
                return passage.map_or_else(fresh, left_in_memory);
            }
            if origins.choices.values().any(|&choice| choice == symbol) {
                let text = "to which caller an activation returns that stands for several".to_owned();
                return Meaning { text, place: NamePlace::Nowhere };
            }
        }
        let place = self.reads.get(&input.name).cloned().map_or(NamePlace::Nowhere, NamePlace::Read);
        Meaning { text: self.meaning_of_input(&input.name, symbol), place }
    }

    fn meaning_of_source(&self, source: SymbolSource, name: &str) -> Meaning {
        let (text, place) = match source {
            SymbolSource::Register { thread, .. } => {
                (format!("what `{name}` is in thread {thread} where the epoch begins"), NamePlace::Thread(thread))
            }
            SymbolSource::Memory { root, .. } => {
                let forgotten = self.origins.as_deref().map(|origins| &origins.forgotten);
                if let Some(passage) = forgotten.and_then(|f| f.passage_of(RootId::from_index(root as usize))) {
                    return left_in_memory(passage);
                }
                (format!("what memory holds at `{name}` where the epoch begins"), NamePlace::Start)
            }
            SymbolSource::Quotient { .. } => {
                ("the result of a division that is known where the epoch begins".to_owned(), NamePlace::Start)
            }
            SymbolSource::ExtentStart { .. } => {
                ("the least offset in an object of which nobody knows the size".to_owned(), NamePlace::Start)
            }
            SymbolSource::ExtentEnd { .. } => (
                "the offset behind the last byte of an object of which nobody knows the size".to_owned(),
                NamePlace::Start,
            ),
            SymbolSource::WaitStart { thread } => {
                (format!("when thread {thread} began to wait, before the epoch"), NamePlace::Thread(thread))
            }
            SymbolSource::NoThread { .. } => {
                ("whether the handle is that of no thread that lives or can be joined".to_owned(), NamePlace::Nowhere)
            }
        };
        Meaning { text, place }
    }

    /// Of what comes from outside.
    fn meaning_of_input(&self, name: &str, symbol: Term) -> String {
        if self.input_sizes.contains_key(name) {
            return if name == STDIN {
                "the bytes of standard input".to_owned()
            } else {
                format!("the bytes of the file `{name}`")
            };
        }
        let function = name.split_once('(').map_or(name, |(function, _)| function);
        if self.operands.contains_key(&symbol) {
            return match function.rsplit_once('_') {
                Some((function, "end")) => format!("how many bytes of the string `{function}` reads"),
                Some((function, "range")) => format!("whether `{function}` sets errno to ERANGE"),
                Some((function, "valid")) => format!("whether `{function}` accepts the string"),
                _ => format!(
                    "what `{function}` gives for this string: `.` joins parts, `s[i..j]` are bytes i to j - 1 of s"
                ),
            };
        }
        let (call, number) = name.rsplit_once('#').unwrap_or((name, "1"));
        match call.strip_suffix(".errno") {
            Some(call) => {
                format!("errno after a failure of `{call}`, the input of this name that is read as number {number}")
            }
            None => format!("what the call gives: input number {number} of the name `{call}` in a run"),
        }
    }
}

/// Of a name that is no symbol: an address, a relation of addresses, or a place that is one of several.
fn meaning_of_place(input: &InputName) -> Meaning {
    let text = match &*input.ty {
        "_Bool" => "how an address or a place is related to an object: inside of it, or where the pointer points",
        _ if input.name.starts_with('&') => "the address of an object, or of a part of one",
        _ => "what memory holds there where the epoch begins, or the address of an object",
    };
    Meaning { text: text.to_owned(), place: NamePlace::Start }
}

fn meaning_of_passage(passage: Passage) -> Meaning {
    let text = match passage.what {
        Replaced::Loop => "what the loop there leaves, which is not followed",
        Replaced::Call(_) => "what the recursive call there returns, which is not followed",
        Replaced::Question(_) => "whether the recursive call there is passed over",
        Replaced::Activation => "an argument of some activation of the recursive function there",
    };
    Meaning { text: text.to_owned(), place: place_of(passage) }
}

fn left_in_memory(passage: Passage) -> Meaning {
    Meaning {
        text: "what the loop or call there, which is not followed, leaves in memory".to_owned(),
        place: place_of(passage),
    }
}

fn place_of(passage: Passage) -> NamePlace {
    let Passage { func, block, what, .. } = passage;
    let inst = match what {
        Replaced::Call(inst) | Replaced::Question(inst) => inst,
        Replaced::Loop | Replaced::Activation => 0,
    };
    NamePlace::Replaced(ProgramPoint { func, block, inst })
}
