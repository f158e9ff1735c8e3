//! What is written only before the program creates its first thread (Bergan 2.5.4).
//!
//! A point is *late* if some way from the start of the program to it creates a thread: it follows a creation in its own
//! function, or a call that may create one, or its function is called at a late point, or is run by a thread. An object
//! is written early only if no late point writes it. Without `main` every point is late.

use icsched_ir::{BlockId, Callee, EntityId, IdVec, Inst, Intrinsic, Op, Program, ProgramPoint};

use crate::access::AccessSet;
use crate::modref::ModRef;
use crate::object::{InstanceId, ObjectId};
use crate::touched::{Touched, point};

/// What late points write.
pub struct Startup {
    late: AccessSet,
    /// Instances that may be called at a late point.
    entered_late: IdVec<InstanceId, bool>,
}

impl Startup {
    /// Two passes over the instances' instructions at most.
    pub fn new(modref: &ModRef<'_>) -> Self {
        let mut search = Search::new(modref);
        search.run();
        let mut late = Touched::default();
        // Sorted whenever it has doubled: that often is cheap, and keeps it as small as what it stands for.
        let mut settled = 0;
        for id in modref.points_to().instances().ids() {
            search.walk(id, |at, inst, is_late| {
                if is_late {
                    let mut touched = Touched::default();
                    modref.reader.instruction(id, at, inst, &mut touched);
                    late.mods.append(&touched.mods);
                    late.outside |= touched.outside;
                }
            });
            if late.mods.len() > 2 * settled {
                late.mods.settle();
                settled = late.mods.len();
            }
        }
        late.mods.settle();
        let mut set = AccessSet::default();
        modref.sets.add_parts(&late.mods, &mut set);
        if late.outside {
            set.unite(modref.set(modref.outside().mods));
        }
        Self { late: set, entered_late: search.entered_late }
    }

    /// Whether every write to one of the `len` bytes from `start` of an object happens before the first thread is
    /// created.
    pub fn written_early_only(&self, modref: &ModRef<'_>, object: ObjectId, start: i64, len: u64) -> bool {
        !modref.touches(&self.late, object, start, len)
    }

    /// What may be written when there may be, or have been, more than one thread.
    pub fn late_writes(&self) -> &AccessSet {
        &self.late
    }

    /// Whether an instance may run when there may be, or have been, more than one thread.
    pub fn entered_late(&self, instance: InstanceId) -> bool {
        self.entered_late[instance]
    }
}

struct Search<'m, 'p> {
    modref: &'m ModRef<'p>,
    /// Instances that may create a thread, or call one that does.
    creates: IdVec<InstanceId, bool>,
    outside_creates: bool,
    entered_late: IdVec<InstanceId, bool>,
}

impl<'m, 'p> Search<'m, 'p> {
    fn new(modref: &'m ModRef<'p>) -> Self {
        let count = modref.points_to().instances().len();
        let [creates, entered_late] = [0; 2].map(|_| IdVec::filled(false, count));
        Self { modref, creates, outside_creates: false, entered_late }
    }

    fn program(&self) -> &'p Program {
        self.modref.program()
    }

    fn run(&mut self) {
        self.find_creators();
        let mut work = self.roots();
        // Every instance is walked once as entered early, for the calls behind creations in it.
        work.extend(self.modref.points_to().instances().ids());
        while let Some(id) = work.pop() {
            let mut found: Vec<InstanceId> = Vec::new();
            let points_to = self.modref.points_to();
            self.walk(id, |at, inst, late| {
                let Op::Call { callee, .. } = &inst.op else { return };
                let starts = matches!(callee, Callee::Intrinsic(Intrinsic::ThreadCreate | Intrinsic::Interrupt));
                if late || starts {
                    found.extend(points_to.callees(id, at));
                    let mut touched = Touched::default();
                    self.modref.reader.instruction(id, at, inst, &mut touched);
                    if touched.outside {
                        found.extend(points_to.called_from_outside());
                    }
                }
            });
            for callee in found {
                if !std::mem::replace(&mut self.entered_late[callee], true) {
                    work.push(callee);
                }
            }
        }
    }

    /// Marks what runs without being called and may find a thread; what changed is to be walked.
    fn roots(&mut self) -> Vec<InstanceId> {
        let program = self.program();
        let points_to = self.modref.points_to();
        let shared = |f: &icsched_ir::FuncId| points_to.shared_instance(*f);
        let first: Vec<InstanceId> = program.constructors.iter().filter_map(shared).collect();
        let mut after: Vec<InstanceId> = program.destructors.iter().filter_map(shared).collect();
        after.extend(program.library_function("exit").as_ref().and_then(shared));
        let main: Vec<InstanceId> = match program.main {
            Some(main) => shared(&main).into_iter().collect(),
            None => points_to.instances().ids().collect(),
        };
        let creates = |list: &[InstanceId]| list.iter().any(|&i| self.creates[i]);
        let (early, late) = (creates(&first), creates(&main));
        let mut changed = Vec::new();
        let mut mark = |list: &[InstanceId]| {
            for &i in list {
                if !std::mem::replace(&mut self.entered_late[i], true) {
                    changed.push(i);
                }
            }
        };
        if early {
            mark(&first);
            mark(&main);
        }
        if early || late {
            mark(&after);
        }
        // What has no `main` is used by several threads.
        if program.main.is_none() {
            mark(&main);
        }
        changed
    }

    fn find_creators(&mut self) {
        let points_to = self.modref.points_to();
        let mut callers: IdVec<InstanceId, Vec<InstanceId>> = IdVec::filled(Vec::new(), self.creates.len());
        let mut calls_outside: Vec<InstanceId> = Vec::new();
        let mut work: Vec<InstanceId> = Vec::new();
        for (id, instance) in points_to.instances().iter() {
            let mut all = Touched::default();
            for (block, body) in self.program().functions[instance.func].blocks.iter() {
                for (at, inst) in body.insts.iter().enumerate() {
                    if matches!(inst.op, Op::Call { .. }) {
                        self.modref.reader.instruction(id, point(instance.func, block, at), inst, &mut all);
                    }
                }
            }
            if all.creates {
                self.creates[id] = true;
                work.push(id);
            }
            if all.outside {
                calls_outside.push(id);
            }
            for callee in all.calls {
                callers[callee].push(id);
            }
        }
        let from_outside: Vec<InstanceId> = points_to.called_from_outside().collect();
        while let Some(id) = work.pop() {
            let mut up = callers[id].clone();
            if from_outside.contains(&id) && !std::mem::replace(&mut self.outside_creates, true) {
                up.extend(&calls_outside);
            }
            for caller in up {
                if !std::mem::replace(&mut self.creates[caller], true) {
                    work.push(caller);
                }
            }
        }
    }

    /// Visits the instructions of an instance, each with whether it may be late.
    fn walk(&self, id: InstanceId, mut visit: impl FnMut(ProgramPoint, &Inst, bool)) {
        let func = self.modref.points_to().instances()[id].func;
        let function = &self.program().functions[func];
        let count = function.blocks.len();
        let creating: Vec<bool> = function
            .blocks
            .iter()
            .map(|(block, body)| {
                (0..body.insts.len()).any(|at| self.may_create(id, point(func, block, at), &body.insts[at]))
            })
            .collect();
        let mut late_in = vec![self.entered_late[id]; count];
        let mut work: Vec<usize> = (0..count).filter(|&b| creating[b]).collect();
        while let Some(block) = work.pop() {
            for edge in function.blocks[BlockId::from_index(block)].terminator.edges() {
                let next = edge.target.index();
                if !std::mem::replace(&mut late_in[next], true) {
                    work.push(next);
                }
            }
        }
        for (block, body) in function.blocks.iter() {
            let mut late = late_in[block.index()];
            for (at, inst) in body.insts.iter().enumerate() {
                let at = point(func, block, at);
                visit(at, inst, late);
                late |= creating[block.index()] && self.may_create(id, at, inst);
            }
        }
    }

    fn may_create(&self, id: InstanceId, at: ProgramPoint, inst: &Inst) -> bool {
        let Op::Call { callee, .. } = &inst.op else { return false };
        match callee {
            Callee::Intrinsic(i) => *i == Intrinsic::ThreadCreate,
            Callee::Direct(_) | Callee::Indirect(_) => {
                let called = self.modref.points_to().callees(id, at).iter().any(|&c| self.creates[c]);
                called
                    || self.outside_creates && {
                        let mut touched = Touched::default();
                        self.modref.reader.instruction(id, at, inst, &mut touched);
                        touched.outside
                    }
            }
        }
    }
}
