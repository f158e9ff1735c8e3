//! The inputs of the generated conditions, and values for them.

use std::fmt;

use icsched_smt::Model;

use crate::deboer::random::Random;

/// How C gets at an input.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Byte `.1` of `argv[.0]`.
    Argument(usize, usize),
    /// Byte `.1` of array `.0` of [`ARRAYS`].
    Element(usize, usize),
    /// An expression that the test file defines.
    Call,
    /// A name that is no C, an integer.
    Named,
    /// The same, a float.
    Float,
}

/// Arrays of bytes that are no C.
pub(crate) const ARRAYS: [&str; 3] = ["stdin", "data.txt", "read.data#2"];
/// Bytes of each argument and array.
pub(crate) const BYTES: usize = 8;

/// Inputs other than bytes: name, width, how C gets at it.
pub(crate) const OTHERS: [(&str, u32, Kind); 20] = [
    ("strtol(argv[1])", 64, Kind::Call),
    ("strtol(argv[2])", 64, Kind::Call),
    ("atoi(argv[1])", 32, Kind::Call),
    ("atoi(argv[2])", 32, Kind::Call),
    ("strtol_16(argv[1])", 64, Kind::Call),
    ("strtoul(argv[2])", 64, Kind::Call),
    ("atof(argv[1])", 64, Kind::Call),
    ("argc", 32, Kind::Call),
    ("(getenv(\"HOME\") != NULL)", 1, Kind::Call),
    ("open#2", 32, Kind::Named),
    ("open", 32, Kind::Named),
    ("n@1", 64, Kind::Named),
    ("code'2", 16, Kind::Named),
    ("queue->state", 8, Kind::Named),
    ("fgets#3", 1, Kind::Named),
    ("ioctl(FIONREAD)", 31, Kind::Named),
    ("scandir", 24, Kind::Named),
    ("drand48#2", 48, Kind::Named),
    ("((x + target / x) * 0.5)@2", 64, Kind::Float),
    ("share@0", 32, Kind::Float),
];

/// A value for each input, in the order of [`symbols`].
pub(crate) struct Inputs(Vec<u64>);

/// All inputs: name, width, kind.
pub(crate) fn symbols() -> Vec<(String, u32, Kind)> {
    let arguments = (1..3).flat_map(|a| (0..BYTES).map(move |i| (format!("argv[{a}][{i}]"), 8, Kind::Argument(a, i))));
    let elements = |(k, array): (usize, &&str)| {
        let array = (*array).to_owned();
        (0..BYTES).map(move |i| (format!("{array}[{i}]"), 8, Kind::Element(k, i)))
    };
    let others = OTHERS.iter().map(|&(name, width, kind)| (name.to_owned(), width, kind));
    arguments.chain(ARRAYS.iter().enumerate().flat_map(elements)).chain(others).collect()
}

impl Inputs {
    /// Values that are often at the limits of a type, or characters, or small.
    pub(crate) fn random(random: &mut Random) -> Self {
        let symbols = symbols();
        let mut values: Vec<u64> = symbols.iter().map(|&(_, width, kind)| value(random, width, kind)).collect();
        // The C library reads both from the same text.
        let at = |name: &str| symbols.iter().position(|(known, ..)| known == name).expect("an input");
        for argument in 1..3 {
            let number = values[at(&format!("strtol(argv[{argument}])"))];
            values[at(&format!("atoi(argv[{argument}])"))] = number & 0xffff_ffff;
        }
        Self(values)
    }

    pub(crate) fn values(&self) -> &[u64] {
        &self.0
    }

    pub(crate) fn model(&self) -> Model {
        let mut model = Model::new();
        for ((name, width, _), &bits) in symbols().iter().zip(&self.0) {
            model.set(name, *width, bits.into());
        }
        model
    }
}

fn value(random: &mut Random, width: u32, kind: Kind) -> u64 {
    let mask = u64::MAX >> (64 - width);
    let is_float = kind == Kind::Float;
    let bits = match random.below(8) {
        _ if is_float && random.chance(80) => return float(random, width),
        0 => random.below(4),
        1 => random.below(4).wrapping_neg(),
        2 => limit(random),
        3 => limit(random).wrapping_neg(),
        4 if width == 8 => return u64::from(random.pick(b"aAzZ09 qQfst-\0\xa0\xff\x7f\x80")),
        4 => random.below(200),
        5 => random.below(1 << 20).wrapping_neg(),
        6 => random.next() >> random.below(64),
        _ => random.next(),
    };
    bits & mask
}

/// A power of two, or next to one.
pub(crate) fn limit(random: &mut Random) -> u64 {
    let power = 1u64 << random.pick(&[2, 7, 8, 15, 16, 23, 30, 31, 32, 33, 47, 62, 63]);
    power.wrapping_add(random.below(5)).wrapping_sub(2)
}

/// The bits of a float.
pub(crate) fn float(random: &mut Random, width: u32) -> u64 {
    let some = [
        0.0,
        -0.0,
        0.5,
        -1.0,
        1.0,
        2.5,
        100.0,
        -3.75,
        1e10,
        -1e20,
        4_294_967_296.0,
        2_147_483_648.0,
        -2_147_483_649.0,
        1e300,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let float = random.pick(&some);
    if width == 32 { u64::from((float as f32).to_bits()) } else { float.to_bits() }
}

impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbols = symbols();
        let texts: Vec<String> =
            symbols.iter().zip(&self.0).map(|((name, ..), bits)| format!("{name}={bits:#x}")).collect();
        f.write_str(&texts.join(" "))
    }
}
