//! What is known of the loops, in words.

use fixedbitset::FixedBitSet;
use icsched_dataflow::termination::{Termination, Verdict};
use icsched_ir::trip_count::Proviso;
use icsched_ir::{
    BlockId, Cfg, Count, CountedLoop, CountedLoops, Definitions, DomTree, EntityId, Expressions, FuncId, Function,
    Loop, LoopForest, Operand, Program, TripCount, ValueId,
};
use icsched_pointsto::{InvariantLoads, ModRef, PointsTo, Startup};

use super::super::asked::Selection;
use super::super::place::source;
use super::{Block, Derived, Document, Ends, Exit, FunctionEntry, Iterations, LoopEntry, SCHEMA, Test, Variable};

pub(in super::super) fn document(program: &Program, points_to: &PointsTo, selection: &Selection) -> Document {
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(program, points_to, &harmless);
    let startup = Startup::new(&modref);
    let loads = InvariantLoads::new(&modref, &startup);
    let shown = program.functions.iter().filter(|(_, f)| selection.shows(f));
    let termination = Termination::new(&modref, &startup);
    let functions = shown.filter_map(|(id, f)| function_entry(program, id, f, &loads, &termination)).collect();
    Document { schema: SCHEMA, program: program.name.clone(), functions }
}

fn function_entry(
    program: &Program,
    id: FuncId,
    function: &Function,
    loads: &InvariantLoads<'_, '_>,
    termination: &Termination<'_, '_>,
) -> Option<FunctionEntry> {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(&cfg);
    if forest.is_empty() {
        return None;
    }
    let dominators = DomTree::dominators(&cfg);
    let quiet = CountedLoops::quiet_loads(function, &forest);
    let invariant = |l, block, at| quiet(l, block, at) || loads.is_invariant(id, l, block, at);
    let counts = CountedLoops::with_loads(function, &cfg, &dominators, &forest, &FixedBitSet::new(), &invariant);
    let definitions = Definitions::new(function);
    let text = Expressions::new(program, function, &definitions);
    let words = Words { program, function, id, text, termination };
    let loops = forest.iter().map(|(id, l)| words.loop_entry(l, counts.get(id))).collect();
    Some(FunctionEntry { name: function.name.clone(), at: source(program, function.loc), loops })
}

struct Words<'p> {
    program: &'p Program,
    function: &'p Function,
    id: FuncId,
    text: Expressions<'p>,
    termination: &'p Termination<'p, 'p>,
}

impl Words<'_> {
    fn loop_entry(&self, l: &Loop, counted: &CountedLoop) -> LoopEntry {
        let blocks = |list: &[BlockId]| list.iter().map(|&block| self.block(block)).collect();
        let exit = |&(from, to): &(BlockId, BlockId)| Exit { from: self.end(from), to: self.block(to) };
        let variable = |b: &icsched_ir::induction::BasicVariable| Variable {
            name: self.name(b.value),
            value: b.value.to_string(),
            start: self.text.affine(&b.start),
            step: self.text.affine(&b.step),
        };
        let derived = |d: &icsched_ir::induction::DerivedVariable| Derived {
            name: self.function.values[d.value].name.clone(),
            value: d.value.to_string(),
            variable: self.name(d.basic),
            scale: signed(d.scale, d.offset.bits()),
            offset: self.text.affine(&d.offset),
        };
        LoopEntry {
            parent: l.parent.map(EntityId::index),
            depth: l.depth,
            header: self.block(l.header),
            irreducible: l.is_irreducible(),
            entries: blocks(&l.entries),
            latches: l.latches.iter().map(|&latch| self.end(latch)).collect(),
            exits: l.exits.iter().map(exit).collect(),
            iterations: self.iterations(counted),
            ends: self.ends(l.header),
            tests: counted.tests.iter().map(|test| self.test(test)).collect(),
            variables: counted.basic.iter().map(variable).collect(),
            derived: counted.derived.iter().map(derived).collect(),
        }
    }

    /// Whether the loop with this header ends.
    fn ends(&self, header: BlockId) -> Ends {
        let rests_on = self.termination.loop_rests_on(self.id, header);
        let rests_on: Vec<String> = rests_on.unproved.into_iter().map(|of| of.describe(self.program)).collect();
        let (verdict, because) = match self.termination.of_loop(self.id, header) {
            Verdict::Ends(why) if rests_on.is_empty() => ("proved", Some(why.describe())),
            Verdict::Ends(why) => ("assumed", Some(why.describe())),
            Verdict::Endless => ("endless", None),
            Verdict::Unknown => ("assumed", None),
        };
        Ends { verdict, because, rests_on }
    }

    /// A block, at its first place in the source.
    fn block(&self, block: BlockId) -> Block {
        let body = &self.function.blocks[block];
        let mut locs = body.insts.iter().map(|inst| inst.loc).chain([body.terminator_loc]);
        Block { block: block.to_string(), at: locs.find_map(|loc| source(self.program, loc)) }
    }

    /// A block, at the place of its last instruction.
    fn end(&self, block: BlockId) -> Block {
        let at = source(self.program, self.function.blocks[block].terminator_loc);
        Block { at: at.or_else(|| self.block(block).at), block: block.to_string() }
    }

    fn name(&self, value: ValueId) -> String {
        self.text.operand(Operand::Value(value))
    }

    fn test(&self, test: &TripCount) -> Test {
        let condition =
            format!("{} {} {}", self.name(test.tested), test.predicate.c_name(), self.text.affine(&test.bound));
        let (start, step) = (self.text.affine(&test.start), self.text.affine(&test.step));
        Test { at: self.end(test.exit.0).at, condition, start, step }
    }

    fn iterations(&self, counted: &CountedLoop) -> Option<Iterations> {
        let more = u32::from(counted.is_bottom_tested);
        let exact = counted.is_exact;
        let constant = counted.repetitions(|_| None);
        let number =
            |text: String, constant, endless| Iterations { text, exact, constant, endless, proviso: Vec::new() };
        match constant {
            // A bound from one test is no better than formulas from others; one number is enough where it is all there
            // is.
            Some(Count::Finite(count)) => {
                let count = count.checked_add(more.into())?;
                return Some(number(count.to_string(), Some(count), false));
            }
            Some(Count::Endless) => return exact.then(|| number("endless".to_owned(), None, true)),
            None => {}
        }
        let forms: Vec<_> = counted.tests.iter().map(|test| test.closed_form(more)).collect();
        if exact && forms.contains(&None) {
            return None;
        }
        let forms: Vec<_> = forms.into_iter().flatten().collect();
        let mut proviso: Vec<Proviso> = forms.iter().filter_map(|form| form.proviso).collect();
        proviso.sort_unstable();
        proviso.dedup();
        let mut texts: Vec<String> = forms.iter().map(|form| self.text.closed_form(form)).collect();
        texts.dedup();
        let text = match &texts[..] {
            [] => return None,
            [one] => one.clone(),
            several => format!("min({})", several.join(", ")),
        };
        let proviso = proviso.into_iter().map(condition).collect();
        Some(Iterations { text, exact, constant: None, endless: false, proviso })
    }
}

const fn condition(proviso: Proviso) -> &'static str {
    match proviso {
        Proviso::NoWrap => "nothing wraps around",
        Proviso::Divides => "the division leaves no remainder",
        Proviso::Advances => "the step leads to the bound",
    }
}

fn signed(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    (value << unused).cast_signed() >> unused
}
