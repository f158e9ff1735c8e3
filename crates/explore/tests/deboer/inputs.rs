//! Inputs of generated programs.

use icsched_smt::{Model, ModelValue};

use crate::deboer::random::{Random, digest};

/// Bytes of the symbolic argument.
pub(crate) const BYTES: usize = 16;

/// What a run gets: the bytes of `argv[1]`, and values for everything else by name.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    pub(crate) argument: [u8; BYTES],
    pub(crate) others: Others,
}

/// Values of `__ics_input` and of functions of strings.
#[derive(Clone, Debug)]
pub(crate) enum Others {
    /// By a number that stands for all of them.
    Seed(u64),
    /// From a model; 0 where it has none.
    Model(Model),
}

impl Inputs {
    /// Edge cases and ordinary numbers of all sizes.
    pub(crate) fn random(random: &mut Random) -> Self {
        let mut argument = [0; BYTES];
        let mut at = 0;
        while at < BYTES {
            let piece = piece(random);
            let n = piece.len().min(BYTES - at);
            argument[at..at + n].copy_from_slice(&piece[..n]);
            at += n;
        }
        Self { argument, others: Others::Seed(random.next()) }
    }

    /// The input that a model describes.
    pub(crate) fn of_model(model: &Model) -> Self {
        let byte = |i: usize| model.get(&argument_name(i)).and_then(ModelValue::as_u64).unwrap_or(0) as u8;
        Self { argument: std::array::from_fn(byte), others: Others::Model(model.clone()) }
    }

    /// The value of a fresh input. Fresh inputs have names of their own, so the name is all it depends on.
    pub(crate) fn named(&self, name: &str, bits: u32) -> u64 {
        let value = match &self.others {
            Others::Seed(seed) => digest(name.as_bytes(), *seed),
            Others::Model(model) => model.get(name).and_then(ModelValue::as_u64).unwrap_or(0),
        };
        value & (u64::MAX >> (64 - bits))
    }

    /// The value of a function of a string; a model knows it under a name that only the symbolic domain can tell.
    pub(crate) fn of_string(&self, function: &str, bytes: &[u8], bits: u32) -> u64 {
        let text = bytes.split(|&b| b == 0).next().unwrap_or_default();
        let seed = match self.others {
            Others::Seed(seed) => seed,
            Others::Model(_) => 0,
        };
        digest(&[function.as_bytes(), &[0], text].concat(), seed) & (u64::MAX >> (64 - bits))
    }

    /// The argument's bytes as a model.
    pub(crate) fn model(&self) -> Model {
        let mut model = match &self.others {
            Others::Seed(_) => Model::new(),
            Others::Model(model) => model.clone(),
        };
        for (i, &byte) in self.argument.iter().enumerate() {
            model.set(&argument_name(i), 8, byte.into());
        }
        model
    }
}

fn argument_name(i: usize) -> String {
    format!("argv[1][{i}]")
}

/// Some bytes that make an interesting number of some type.
fn piece(random: &mut Random) -> Vec<u8> {
    match random.below(9) {
        0 => random.next().to_le_bytes().to_vec(),
        1 => vec![random.pick(&[0, 1, 2, 5, 0x7f, 0x80, 0xff, 0xfe])],
        2 => (random.pick(&[0u16, 1, 0x7fff, 0x8000, 0xffff, 0x100])).to_le_bytes().to_vec(),
        3 => (random.pick(&[0u32, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0x1_0000])).to_le_bytes().to_vec(),
        4 => (random.pick(&[0u64, 1, i64::MAX as u64, 1 << 63, u64::MAX, 1 << 32])).to_le_bytes().to_vec(),
        5 => float(random).to_le_bytes().to_vec(),
        6 => (float(random) as f32).to_le_bytes().to_vec(),
        7 => vec![0; random.below(8) as usize + 1],
        _ => random.below(1 << 16).to_le_bytes()[..random.below(3) as usize + 1].to_vec(),
    }
}

fn float(random: &mut Random) -> f64 {
    if random.chance(60) {
        return random.below(4096) as f64 / 16.0 - 100.0;
    }
    random.pick(&[0.0, -0.0, 1.0, -1.5, 0.5, -0.5, 2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310, 1e300, 3e9])
}
