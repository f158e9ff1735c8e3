//! The program under construction: records, routines with the C types of their parameters, globals.

use icsched_ir::{Const, EntityId, FuncId, Function, Global, GlobalId, Operand, Origin, Program, Relocation, Type};

use super::code::{Code, declare};

/// What a C pointer points to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Pointee {
    /// A struct, by its place in [`World::records`].
    Record(usize),
    /// Characters.
    Bytes,
    /// `void`.
    Any,
    /// A function of two `void` pointers.
    Visitor,
    /// A variable that holds a pointer to this struct.
    Slot(usize),
}

/// A C type of a parameter or result.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    Pointer(Pointee),
}

impl Kind {
    pub(super) const ANY: Kind = Kind::Pointer(Pointee::Any);
    pub(super) const BYTES: Kind = Kind::Pointer(Pointee::Bytes);

    pub(super) const fn record(record: usize) -> Kind {
        Kind::Pointer(Pointee::Record(record))
    }

    pub(super) const fn ty(self) -> Type {
        match self {
            Kind::Word => Type::Int(64),
            Kind::Pointer(_) => Type::Ptr,
        }
    }
}

/// A member of a record.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Member {
    /// A 64-bit number.
    Word,
    /// A 32-bit number.
    Int,
    Pointer(Pointee),
    /// A record by value.
    Inline(usize),
    /// So many pointers in an array.
    Pointers(Pointee, u64),
}

/// A struct.
#[derive(Clone, Default)]
pub(super) struct Record {
    /// Members with their byte offsets.
    pub(super) members: Vec<(u64, Member)>,
    /// Bytes.
    pub(super) size: u64,
}

/// The C signature of a function.
#[derive(Clone)]
pub(super) struct Routine {
    pub(super) params: Vec<Kind>,
    pub(super) result: Option<Kind>,
    /// Whether some code of its own unit calls it, or a table holds it.
    pub(super) used: bool,
}

/// Everything made so far.
#[derive(Default)]
pub(super) struct World {
    pub(super) program: Program,
    pub(super) records: Vec<Record>,
    /// One for every function, in the order of their ids.
    routines: Vec<Routine>,
    /// Instructions and terminators of all finished functions.
    pub(super) written: usize,
}

impl World {
    /// Adds a struct with these members in a row.
    pub(super) fn record(&mut self, members: &[Member]) -> usize {
        let mut record = Record::default();
        for &member in members {
            record.members.push((record.size, member));
            record.size += match member {
                Member::Word | Member::Int | Member::Pointer(_) => 8,
                Member::Inline(inner) => self.records[inner].size,
                Member::Pointers(_, count) => 8 * count,
            };
        }
        self.records.push(record);
        self.records.len() - 1
    }

    /// Declares a function.
    pub(super) fn routine(&mut self, name: String, params: &[Kind], result: Option<Kind>) -> FuncId {
        let types: Vec<Type> = params.iter().map(|kind| kind.ty()).collect();
        let results = result.iter().map(|kind| kind.ty()).collect();
        self.routines.push(Routine { params: params.to_vec(), result, used: false });
        self.program.functions.push(declare(name, &types, results))
    }

    pub(super) fn signature(&self, id: FuncId) -> &Routine {
        &self.routines[id.index()]
    }

    pub(super) fn signature_mut(&mut self, id: FuncId) -> &mut Routine {
        &mut self.routines[id.index()]
    }

    /// Starts to write the body of a declared function.
    pub(super) fn open(&mut self, id: FuncId) -> Code {
        let nothing = declare(String::new(), &[], Vec::new());
        let function: Function = std::mem::replace(&mut self.program.functions[id], nothing);
        Code::of(function)
    }

    /// Puts the written function where it belongs.
    pub(super) fn close(&mut self, id: FuncId, code: Code) {
        self.written += code.written;
        self.program.functions[id] = code.finish();
    }

    fn global(&mut self, name: String, size: u64, constant: bool, data: Vec<u8>, pointers: Vec<(u64, Const)>) -> Const {
        let relocations = pointers.into_iter().map(|(offset, value)| Relocation { offset, value }).collect();
        let global: GlobalId = self.program.globals.push(Global {
            name,
            origin: Origin::Program,
            size,
            align: 8,
            constant,
            thread_local: false,
            external: false,
            local: true,
            data,
            relocations,
            source_type: None,
            loc: None,
        });
        Const::Global { global, offset: 0 }
    }

    /// A string literal.
    pub(super) fn literal(&mut self, text: &str) -> Const {
        let mut data = text.as_bytes().to_vec();
        data.push(0);
        let name = format!("str.{}", self.program.globals.len());
        self.global(name, data.len() as u64, true, data, Vec::new())
    }

    /// A variable of zeros.
    pub(super) fn variable(&mut self, name: String, size: u64) -> Operand {
        self.global(name, size, false, Vec::new(), Vec::new()).into()
    }

    /// A constant table of pointers at these offsets.
    pub(super) fn table(&mut self, name: String, size: u64, pointers: Vec<(u64, Const)>) -> Operand {
        self.global(name, size, true, Vec::new(), pointers).into()
    }
}
