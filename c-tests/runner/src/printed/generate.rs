//! Programs with a random condition, and arguments for them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

/// `SplitMix64` (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const HEADER: &str = "\
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char small[8] = {3, 250, 0, 128, 7, 7, 90, 255};
struct fields { int s3 : 3; unsigned u5 : 5; int s11 : 11; unsigned u13 : 13; long s40 : 40; unsigned long u24 : 24; };
";

const START: &str = "
int main(int argc, char **argv) {
    int x = atoi(argv[1]), y = atoi(argv[2]);
    long u = strtol(argv[1], NULL, 10), v = strtol(argv[2], NULL, 10);
    char *s = argv[1], *t = argv[2];
    unsigned ux = x;
    unsigned long uv = v;
    short sh = y;
    unsigned short us = u;
    signed char sc = v;
    unsigned char uc = s[0];
    struct fields f = {x, y, y, x, u, v};
";

const LEAVES: [&str; 29] = [
    "x",
    "y",
    "x",
    "y",
    "u",
    "v",
    "s[0]",
    "t[0]",
    "s[1]",
    "t[1]",
    "ux",
    "uv",
    "sh",
    "us",
    "sc",
    "uc",
    "f.s3",
    "f.u5",
    "f.s11",
    "f.u13",
    "f.s40",
    "f.u24",
    "(unsigned char)t[0]",
    "toupper(uc)",
    "small[y & 7]",
    "tolower((unsigned char)t[0])",
    "(short)x",
    "(char)y",
    "(unsigned char)x",
];

const CASTS: [&str; 8] =
    ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long"];

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let condition = condition(&mut random, 2);
    let branch =
        |lock: &str, status| format!("pthread_mutex_lock(&{lock}); pthread_mutex_unlock(&{lock}); return {status};");
    format!("{HEADER}{START}    if ({condition}) {{ {} }}\n    {}\n}}\n", branch("b", 11), branch("a", 10))
}

fn condition(random: &mut Random, depth: u32) -> String {
    if depth > 0 && random.chance(40) {
        let (left, right) = (condition(random, depth - 1), condition(random, depth - 1));
        let operator = random.pick(&["&&", "||", "&&", "||", "!="]);
        return format!("({left}) {operator} ({right})");
    }
    match random.below(12) {
        0 => format!(
            "{}({} & 0x7f)",
            random.pick(&["isdigit", "isalpha", "isupper", "isspace", "ispunct"]),
            number(random, 0)
        ),
        1 => format!("!({})", number(random, 2)),
        2 => format!("strcmp({}, \"{}\") == 0", random.pick(&["s", "t"]), random.pick(&["fast", "q", "-3", "a?b"])),
        3 => format!("(double){} * 0.5 < {}", number(random, 1), number(random, 1)),
        _ => {
            let operator = random.pick(&["<", "<", "<=", ">", ">=", "==", "!="]);
            let right = if random.chance(50) { constant(random) } else { number(random, 2) };
            format!("{} {operator} {right}", number(random, 3))
        }
    }
}

fn constant(random: &mut Random) -> String {
    match random.below(6) {
        0 | 1 => random.below(20).to_string(),
        2 => format!("-{}", random.below(300)),
        3 => format!("'{}'", random.pick(&['a', 'Z', '0', ' '])),
        4 => random
            .pick(&["127", "128", "255", "0x7fff", "0x8000", "65536", "0x7fffffff", "0x80000000", "4294967297"])
            .to_owned(),
        _ => format!("{}u", random.below(1 << 20)),
    }
}

/// An integer expression without undefined behaviour but for signed overflow.
fn number(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.chance(25) {
        return if random.chance(85) { random.pick(&LEAVES).to_owned() } else { constant(random) };
    }
    let operand = |random: &mut Random| number(random, depth - 1);
    match random.below(14) {
        0..=4 => {
            let operator = random.pick(&["+", "-", "*", "&", "|", "^", "+", "-"]);
            format!("({} {operator} {})", operand(random), operand(random))
        }
        5 | 6 => format!("(({})({}))", random.pick(&CASTS), operand(random)),
        7 => format!("({} >> {})", operand(random), random.below(8)),
        8 => format!("({} << (y & {}))", operand(random), random.pick(&[3, 7, 15])),
        9 => format!("({} / {})", operand(random), random.pick(&["2", "3", "10u", "7", "16"])),
        10 => format!("({} % {})", operand(random), random.pick(&["2", "3u", "10", "4", "16u"])),
        11 => format!("({} ? {} : {})", condition(random, 0), operand(random), operand(random)),
        12 => format!("({}({}))", random.pick(&["-", "~", "!"]), operand(random)),
        _ => format!("({} & {})", operand(random), random.pick(&["1", "0xff", "0xf0", "0xffff", "6"])),
    }
}

/// Pairs of arguments: numbers next to the limits of types, letters, and bytes that are negative.
pub fn arguments(seed: u64) -> Vec<[OsString; 2]> {
    let mut random = Random::new(seed ^ 0xabcd);
    (0..60).map(|_| [(); 2].map(|()| OsString::from_vec(argument(&mut random)))).collect()
}

fn argument(random: &mut Random) -> Vec<u8> {
    let sign = if random.chance(40) { "-" } else { "" };
    let limit = random.pick(&[7u64, 8, 15, 16, 31, 32, 47, 63]);
    let number = match random.below(6) {
        0 => random.below(10),
        1 => random.below(300),
        2 | 3 => (1u64 << limit).wrapping_add(random.below(5)).wrapping_sub(2) & (u64::MAX >> 1),
        4 => random.next() >> (1 + random.below(60)),
        _ => {
            let text =
                random.pick(&[&b"q"[..], b"Q", b"a", b"fast", b"\xe9", b"\x80x", b"\xff", b"Zz", b"a?b", b" 5", b"0"]);
            return text.to_vec();
        }
    };
    format!("{sign}{number}").into_bytes()
}
