//! Random programs in IR text: all operations, all widths, memory that overlaps, pointers that inputs choose.
//!
//! Every value is also written to `@log`, so that a wrong one shows at the end whatever becomes of it. Nothing is read
//! that was not written, and no pointer is moved out of the address range of its object by more than a few bytes: what
//! such programs mean is nobody's business here.

use std::fmt::Write as _;

use icsched_ir::Type;

use crate::deboer::fault::Fault;
use crate::deboer::inputs::BYTES;
use crate::deboer::random::Random;

/// What a program may contain.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Profile {
    /// Statements in `main`; functions have fewer.
    pub(crate) statements: u64,
    /// Float operations.
    pub(crate) floats: bool,
    /// Operations that a solver takes long for, and functions it does not know.
    pub(crate) hard: bool,
    /// `__ics_input` and functions of strings, which a plain concrete run does not have.
    pub(crate) engine_inputs: bool,
}

/// Bytes of `@log`.
const LOG: u64 = 512;
/// Functions `@h0` .. that are called directly and through `@functions`; all have the same signature.
pub(crate) const FUNCTIONS: u64 = 3;

/// A memory object that statements may name.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    pub(crate) base: String,
    pub(crate) size: u64,
    pub(crate) constant: bool,
}

/// A program that is being written.
pub(crate) struct Generator {
    pub(crate) random: Random,
    pub(crate) profile: Profile,
    text: String,
    next_value: u32,
    next_block: u32,
    next_log: u64,
    /// Values that may be used here.
    pub(crate) scope: Vec<(Type, String)>,
    /// Memory that may be used here.
    pub(crate) areas: Vec<Area>,
    /// Nested branches and loops.
    pub(crate) depth: u32,
    /// Whether calls may be made: functions do not call others.
    pub(crate) may_call: bool,
    /// An operation to use often.
    pub(crate) favoured: Option<Fault>,
}

/// The text of the program of a seed; it uses the `favoured` operation often.
pub(crate) fn program(seed: u64, profile: Profile, favoured: Option<Fault>) -> String {
    let random = Random::new(seed);
    let mut generator = Generator {
        random,
        profile,
        text: String::new(),
        next_value: 0,
        next_block: 0,
        next_log: 0,
        scope: Vec::new(),
        areas: Vec::new(),
        depth: 0,
        may_call: true,
        favoured,
    };
    generator.globals();
    for index in 0..FUNCTIONS {
        generator.function(index);
    }
    generator.main();
    generator.text
}

impl Generator {
    fn globals(&mut self) {
        let hex =
            |random: &mut Random, n: u64| -> String { (0..n).map(|_| format!("{:02x}", random.below(256))).collect() };
        let (memory, big) = (hex(&mut self.random, 40), hex(&mut self.random, 300));
        // Runs of equal bytes, as in tables of character classes.
        let runs: String = (0..8)
            .flat_map(|_| std::iter::repeat_n(self.random.below(4) * 0x11, 16))
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        let pointees = ["@memory", "@big + 8", "@memory + 16"];
        let wide: Vec<String> = (0..80).map(|i| format!("{}: {}", 8 * i, self.random.pick(&pointees))).collect();
        let wide = wide.join(", ");
        write!(
            self.text,
            "program \"generated\"\n\
             global @in size {BYTES} align 8\n\
             global @log size {LOG} align 8\n\
             global @memory size 40 align 8 = x\"{memory}\"\n\
             global @big size 300 align 4 = x\"{big}\"\n\
             global @runs size 128 align 1 constant = x\"{runs}\"\n\
             global @pointers size 64 align 8 = {{ 0: @memory, 8: @memory + 8, 16: @big, 24: @big + 7, 32: @in, 40: @runs, 48: @memory + 1 }}\n\
             global @wide size 640 align 8 = {{ {wide} }}\n\
             global @small size 3 align 1\n\
             global @functions size 32 align 8 constant = {{ 0: @h0, 8: @h1, 16: @h2, 24: @h0 }}\n\
             global @name size 2 align 1 constant = \"n\\00\"\n\n"
        )
        .expect("strings take text");
    }

    /// Starts a body whose parameters are `params`.
    fn start(&mut self, params: &[Type]) {
        self.next_block = 0;
        self.scope = params.iter().map(|&ty| (ty, self.fresh())).collect();
        self.depth = 0;
        let area = |base: &str, size, constant| Area { base: base.to_owned(), size, constant };
        self.areas = vec![area("@memory", 40, false), area("@big", 300, false), area("@runs", 128, true)];
    }

    fn signature(&mut self, name: &str, result: Type) {
        let params: Vec<String> = self.scope.iter().map(|(ty, value)| format!("{value}: {ty}")).collect();
        self.line(format_args!("function @{name}({}) -> {result} {{", params.join(", ")));
        let entry = self.fresh_block();
        self.label(&entry);
    }

    fn function(&mut self, index: u64) {
        self.next_value = 0;
        self.may_call = false;
        self.start(&[Type::Int(32), Type::Int(64), Type::Ptr]);
        // The pointer is to at least eight bytes.
        self.areas.push(Area { base: self.scope[2].1.clone(), size: 8, constant: false });
        self.signature(&format!("h{index}"), Type::Int(64));
        if self.random.chance(50) {
            self.local();
        }
        self.statements(2);
        let result = self.operand(Type::Int(64));
        self.line(format_args!("    return {result}\n}}"));
    }

    fn main(&mut self) {
        self.next_value = 0;
        self.may_call = true;
        self.start(&[Type::Int(32), Type::Ptr, Type::Ptr]);
        self.signature("main", Type::Int(32));
        let at = self.define(Type::Ptr, format_args!("address %v1 + 8"));
        let argument = self.define(Type::Ptr, format_args!("load [{at}]"));
        self.line(format_args!("    memcpy [@in], [{argument}], {BYTES}:i64"));
        self.scope.clear();
        for ty in [Type::Int(8), Type::Int(16), Type::Int(32), Type::Int(64)] {
            let value = self.fresh_input(ty);
            self.keep(ty, &value);
        }
        self.statements(self.profile.statements);
        let result = if self.random.chance(30) { self.operand(Type::Int(32)) } else { "0:i32".to_owned() };
        self.line(format_args!("    return {result}\n}}"));
    }

    /// A stack object; all of it is written.
    fn local(&mut self) {
        let count = match self.random.below(4) {
            0 => {
                let any = self.operand(Type::Int(64));
                let more = self.define(Type::Int(64), format_args!("and {any}, 2"));
                self.define(Type::Int(64), format_args!("add {more}, 2"))
            }
            _ => "2".to_owned(),
        };
        let base = self.define(Type::Ptr, format_args!("alloca 8 x {count} align 8"));
        for offset in [0, 8] {
            let at = self.define(Type::Ptr, format_args!("address {base} + {offset}"));
            let value = self.operand(Type::Int(64));
            self.line(format_args!("    store [{at}], {value}"));
        }
        self.areas.push(Area { base, size: 16, constant: false });
    }

    pub(crate) fn statements(&mut self, count: u64) {
        for _ in 0..count {
            self.statement();
        }
    }

    /// `if`, with a value that both sides give.
    pub(crate) fn branch(&mut self) {
        let condition = self.operand(Type::Int(1));
        let (yes, no, after) = (self.fresh_block(), self.fresh_block(), self.fresh_block());
        self.line(format_args!("    branch {condition}, {yes}, {no}"));
        let ty = self.ty();
        let scope = (self.scope.len(), self.areas.len());
        self.depth += 1;
        for side in [yes, no] {
            self.label(&side);
            let count = self.random.below(3);
            self.statements(count);
            let value = self.operand(ty);
            self.line(format_args!("    jump {after}({value})"));
            self.scope.truncate(scope.0);
            self.areas.truncate(scope.1);
        }
        self.depth -= 1;
        let joined = self.fresh();
        self.line(format_args!("{after}({joined}: {ty}):"));
        self.keep(ty, &joined);
    }

    /// A loop of up to three turns, as often as an input says.
    pub(crate) fn repeat(&mut self) {
        let word = Type::Int(32);
        let any = self.operand(word);
        let turns = self.define(word, format_args!("and {any}, 3"));
        let ty = self.ty();
        let first = self.operand(ty);
        let (head, body, after) = (self.fresh_block(), self.fresh_block(), self.fresh_block());
        self.line(format_args!("    jump {head}(0:i32, {first})"));
        let (i, carried) = (self.fresh(), self.fresh());
        self.line(format_args!("{head}({i}: i32, {carried}: {ty}):"));
        self.scope.extend([(word, i.clone()), (ty, carried)]);
        let more = self.define(Type::Int(1), format_args!("icmp.ult {i}, {turns}"));
        self.line(format_args!("    branch {more}, {body}, {after}"));
        self.label(&body);
        let scope = (self.scope.len(), self.areas.len());
        self.depth += 1;
        self.statements(2);
        self.depth -= 1;
        let (next, value) = (self.define(word, format_args!("add {i}, 1")), self.operand(ty));
        self.line(format_args!("    jump {head}({next}, {value})"));
        self.scope.truncate(scope.0);
        self.areas.truncate(scope.1);
        self.label(&after);
    }

    /// A type for a value: mostly those of C, any width of integer.
    pub(crate) fn ty(&mut self) -> Type {
        match self.random.below(if self.profile.floats { 14 } else { 11 }) {
            0 | 1 => Type::Int(8),
            2 => Type::Int(16),
            3..=5 => Type::Int(32),
            6 | 7 => Type::Int(64),
            8 => Type::Int(1),
            9 | 10 => Type::Int(1 + self.random.below(64) as u8),
            11 => Type::F32,
            _ => Type::F64,
        }
    }

    /// A value of the input, straight from `@in`.
    fn fresh_input(&mut self, ty: Type) -> String {
        let offset = self.random.below(BYTES as u64 - u64::from(ty.bytes()) + 1);
        self.define(ty, format_args!("load [@in + {offset}]"))
    }

    /// Something of this type: a value, a constant or a part of the input.
    pub(crate) fn operand(&mut self, ty: Type) -> String {
        let known: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].0 == ty).collect();
        let roll = self.random.below(10);
        if !known.is_empty() && roll < 6 {
            // Recent ones more often, so that values depend on long chains.
            let back = self.random.below(known.len() as u64).min(self.random.below(known.len() as u64));
            return self.scope[known[known.len() - 1 - back as usize]].1.clone();
        }
        if ty == Type::Ptr {
            let area = self.area(false);
            return area.base;
        }
        if roll < 8 { self.constant(ty) } else { self.fresh_input(ty) }
    }

    /// A constant with its type.
    pub(crate) fn constant(&mut self, ty: Type) -> String {
        let bits = match ty {
            Type::F32 => {
                u64::from(self.random.pick(&[0.0f32, -0.0, 1.0, -2.5, 0.5, 1e10, f32::INFINITY, f32::NAN]).to_bits())
            }
            Type::F64 => self.random.pick(&[0.0f64, -0.0, 1.0, -2.5, 0.5, 1e10, f64::INFINITY, f64::NAN]).to_bits(),
            Type::Int(_) | Type::Ptr => {
                let width = u64::from(ty.bits());
                let any = self.random.next();
                self.random.pick(&[
                    0,
                    1,
                    2,
                    3,
                    5,
                    7,
                    8,
                    width,
                    width - 1,
                    u64::MAX,
                    ty.mask() >> 1,
                    1 << (width - 1),
                    any,
                ]) & ty.mask()
            }
        };
        match ty {
            Type::F32 | Type::F64 => format!("{bits:#x}:{ty}"),
            Type::Int(1) => if bits == 1 { "true" } else { "false" }.to_owned(),
            Type::Int(_) | Type::Ptr => format!("{bits}:{ty}"),
        }
    }

    /// Defines a value.
    pub(crate) fn define(&mut self, ty: Type, instruction: std::fmt::Arguments<'_>) -> String {
        let value = self.fresh();
        self.line(format_args!("    {value}: {ty} = {instruction}"));
        value
    }

    /// Makes a value usable from here on, and writes it down.
    pub(crate) fn keep(&mut self, ty: Type, value: &str) {
        let at = self.next_log;
        self.next_log = (self.next_log + 8) % LOG;
        self.line(format_args!("    store [@log + {at}], {value}"));
        self.scope.push((ty, value.to_owned()));
    }

    /// Defines a value that is kept.
    pub(crate) fn compute(&mut self, ty: Type, instruction: std::fmt::Arguments<'_>) -> String {
        let value = self.define(ty, instruction);
        self.keep(ty, &value);
        value
    }

    pub(crate) fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{line}").expect("strings take text");
    }

    pub(crate) fn area(&mut self, write: bool) -> Area {
        let usable: Vec<usize> = (0..self.areas.len()).filter(|&i| !write || !self.areas[i].constant).collect();
        let at = self.random.below(usable.len() as u64) as usize;
        self.areas[usable[at]].clone()
    }

    fn fresh(&mut self) -> String {
        self.next_value += 1;
        format!("%v{}", self.next_value - 1)
    }

    fn fresh_block(&mut self) -> String {
        self.next_block += 1;
        format!("l{}", self.next_block - 1)
    }

    fn label(&mut self, block: &str) {
        self.line(format_args!("{block}:"));
    }
}
