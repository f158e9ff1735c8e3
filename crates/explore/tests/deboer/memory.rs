//! Places in memory that generated programs access.

use icsched_ir::Type;

use crate::deboer::generate::{Area, Generator};

const WORD: Type = Type::Int(64);

impl Generator {
    /// A place for an access of `n` bytes, with what stands between the brackets. Most are in bounds.
    pub(crate) fn place(&mut self, n: u64, write: bool) -> String {
        match self.random.below(13) {
            0..=3 => self.fixed(n, write),
            12 => self.tagged(n, write),
            4..=7 => self.indexed(n, write),
            8 | 9 => self.one_of_two(n, write),
            10 if self.random.chance(15) => self.through_wide_table(),
            10 => self.through_table(n, write),
            _ => {
                let pointer = self.chosen_pointer();
                let more = self.random.below(3);
                self.define(Type::Ptr, format_args!("address {pointer} + {more}"))
            }
        }
    }

    /// Anything but a write to constant memory, which is rare.
    fn usable(&mut self, write: bool) -> Area {
        let write = write && !self.random.chance(2);
        self.area(write)
    }

    fn fixed(&mut self, n: u64, write: bool) -> String {
        let area = self.usable(write);
        let last = area.size - n + if self.random.chance(1) { 2 } else { 0 };
        let offset = self.random.below(last + 1);
        self.define(Type::Ptr, format_args!("address {} + {offset}", area.base))
    }

    /// An index from the input, cut to what is in bounds, now and then not.
    fn indexed(&mut self, n: u64, write: bool) -> String {
        let area = self.usable(write);
        let scale = self.random.pick(&[1, 2, 4, 8, 3]);
        let offset = self.random.below((area.size - n + 1).min(9));
        let ty = self.random.pick(&[Type::Int(8), Type::Int(16), Type::Int(32), WORD]);
        let any = self.operand(ty);
        let room = (area.size - n - offset) / scale;
        let mask = if room == 0 { 0 } else { (1 << room.ilog2()) - 1 };
        let wild = ty == Type::Int(8) && self.random.chance(4);
        let cut = if wild { any } else { self.define(ty, format_args!("and {any}, {}", mask & ty.mask() >> 1)) };
        let index = match ty {
            Type::Int(64) => cut,
            _ if self.random.chance(50) => self.define(WORD, format_args!("zext {cut}")),
            _ => self.define(WORD, format_args!("sext {cut}")),
        };
        self.define(Type::Ptr, format_args!("address {} + {offset} + {index}*{scale}", area.base))
    }

    /// A pointer as an integer with a mark in its low bit, which is taken out again.
    fn tagged(&mut self, n: u64, write: bool) -> String {
        let area = self.usable(write);
        let offset = self.random.below((area.size - n) / 2 + 1) * 2;
        let mut pointer = self.define(Type::Ptr, format_args!("address {} + {offset}", area.base));
        if self.random.chance(40) {
            let (condition, other) = (self.operand(Type::Int(1)), area.base);
            pointer = self.define(Type::Ptr, format_args!("select {condition}, {pointer}, {other}"));
        }
        let any = self.operand(WORD);
        let mark = self.define(WORD, format_args!("and {any}, 1"));
        let number = self.define(WORD, format_args!("bitcast {pointer}"));
        let marked = self.define(WORD, format_args!("or {number}, {mark}"));
        let plain = self.define(WORD, format_args!("and {marked}, -2"));
        self.define(Type::Ptr, format_args!("bitcast {plain}"))
    }

    fn one_of_two(&mut self, n: u64, write: bool) -> String {
        let condition = self.operand(Type::Int(1));
        let (a, b) =
            (self.fixed(n, write), if self.random.chance(50) { self.fixed(n, write) } else { self.indexed(n, write) });
        self.define(Type::Ptr, format_args!("select {condition}, {a}, {b}"))
    }

    /// A pointer of the table, one of which is null.
    pub(crate) fn chosen_pointer(&mut self) -> String {
        let any = self.operand(WORD);
        let mask = if self.random.chance(5) { 7 } else { 3 };
        let index = self.define(WORD, format_args!("and {any}, {mask}"));
        let at = self.define(Type::Ptr, format_args!("address @pointers + {index}*8"));
        self.define(Type::Ptr, format_args!("load [{at}]"))
    }

    /// Through a pointer that was stored in the table under an index of the input.
    fn through_table(&mut self, n: u64, write: bool) -> String {
        let pointer = self.fixed(n.max(8), write);
        let any = self.operand(WORD);
        let index = self.define(WORD, format_args!("and {any}, 1"));
        let at = self.define(Type::Ptr, format_args!("address @pointers + {index}*8"));
        self.line(format_args!("    store [{at}], {pointer}"));
        self.chosen_pointer()
    }

    /// Through a table of so many pointers that it becomes an array once it is written.
    fn through_wide_table(&mut self) -> String {
        let (a, b) = (self.operand(WORD), self.operand(WORD));
        let (low, high) =
            (self.define(WORD, format_args!("and {a}, 63")), self.define(WORD, format_args!("and {b}, 15")));
        let at = self.define(Type::Ptr, format_args!("address @wide + {low}*8 + {high}*8"));
        let pointer = if self.random.chance(95) { "@big + 100" } else { self.random.pick(&["@small", "@h0", "null"]) };
        self.line(format_args!("    store [{at}], {pointer}"));
        let any = self.operand(WORD);
        let index = self.define(WORD, format_args!("and {any}, 3"));
        let at = self.define(Type::Ptr, format_args!("address @wide + {index}*8"));
        self.define(Type::Ptr, format_args!("load [{at}]"))
    }

    /// A heap object: made, used, and now and then freed on one side of a choice.
    pub(crate) fn heap(&mut self) {
        let size = self.random.pick(&[8, 16, 24]);
        let any = self.operand(WORD);
        let bytes = if self.random.chance(80) {
            format!("{size}:i64")
        } else {
            let more = self.define(WORD, format_args!("and {any}, 1"));
            self.define(WORD, format_args!("add {more}, {size}"))
        };
        let base = self.define(Type::Ptr, format_args!("call __ics_malloc({bytes}, 1:i32)"));
        let value = self.operand(WORD);
        self.line(format_args!("    store [{base}], {value}"));
        self.line(format_args!("    memset [{base}], 7:i8, {size}:i64"));
        self.keep(Type::Ptr, &base);
        if self.random.chance(70) {
            self.areas.push(Area { base, size, constant: false });
            return;
        }
        let condition = self.operand(Type::Int(1));
        let freed = self.define(Type::Ptr, format_args!("select {condition}, {base}, null"));
        self.line(format_args!("    call __ics_free({freed})"));
        if self.random.chance(30) {
            self.areas.push(Area { base, size, constant: false });
        }
    }
}
