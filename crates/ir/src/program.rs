//! Whole programs: functions, globals, source locations and names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::entity::{BlockId, FileId, FuncId, GlobalId, IdVec, LocId, TypeId, ValueId};
use crate::inst::{Const, Inst, Terminator};
use crate::types::{Type, TypeTable};

/// What the names of models begin with that hold locks of the C library, before the name of the function that each is a
/// model of.
pub const LOCKED_MODEL: &str = "ics_locked_";

/// How the names of models begin that a program calls where the library function may fail.
pub const FAILING_MODEL: &str = "ics_failing_";

/// The library function that a model stands for, by the model's name.
pub fn modelled_function(name: &str) -> &str {
    name.strip_prefix(LOCKED_MODEL).or_else(|| name.strip_prefix(FAILING_MODEL)).unwrap_or(name)
}

/// What the name of a model ends in if the program has a function or variable of the plain name: `open.model`.
pub const MODEL_SUFFIX: &str = ".model";

/// Where headers of the system and of compilers are.
const SYSTEM_FOLDERS: [&str; 3] = ["/usr/include/", "/usr/lib/", "/usr/local/include/"];

/// Where the code is that stands for the C++ library.
const CXX_LIBRARY: &str = "runtime-models/cxx/";

/// The largest object, in bytes: its offsets are 32 bits of an address, with room for addresses behind it.
pub const MAX_OBJECT: u64 = 0xF000_0000;

/// An object that is larger than [`MAX_OBJECT`], as the subject of "... is not supported". Without a size, inputs
/// decide it.
pub fn too_large(what: &str, bytes: Option<u64>) -> String {
    let gib = |bytes: u64| (100.0 * bytes as f64 / f64::from(1 << 30)).floor() / 100.0;
    let size = match bytes {
        Some(bytes) => format!("of {bytes} bytes ({} GiB)", gib(bytes)),
        None => "whose size depends on inputs".to_owned(),
    };
    format!("{what} {size}, more than {} GiB,", gib(MAX_OBJECT))
}

/// Where a function or global comes from.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// The user's program.
    Program,
    /// A model in `runtime-models/`.
    Model,
}

/// A source location. Interned in [`Program::locs`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Loc {
    /// The file.
    pub file: FileId,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// The call site this instruction was inlined at.
    pub inlined_at: Option<LocId>,
}

/// What is known of an SSA value besides its definition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Value {
    /// Its type.
    pub ty: Type,
    /// The source variable it holds, or whose storage it is the address of (an alloca).
    pub name: Option<String>,
    /// That variable's source type.
    pub source_type: Option<TypeId>,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Values bound by the incoming edge.
    pub params: Vec<ValueId>,
    /// Straight-line code.
    pub insts: Vec<Inst>,
    /// The end of the block.
    pub terminator: Terminator,
    /// Where the terminator is in the source.
    pub terminator_loc: Option<LocId>,
}

/// A function; without blocks it is only declared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Linker name.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Other translation units cannot name it (`static` in C).
    pub local: bool,
    /// Parameters; also the parameters of the entry block, which itself has none.
    pub params: Vec<ValueId>,
    /// Flattened return types.
    pub results: Vec<Type>,
    /// Takes variable arguments.
    pub varargs: bool,
    /// Never returns.
    pub no_return: bool,
    /// All SSA values.
    pub values: IdVec<ValueId, Value>,
    /// The blocks; `b0` is the entry and has no predecessors.
    pub blocks: IdVec<BlockId, Block>,
    /// Where it is defined.
    pub loc: Option<LocId>,
}

impl Function {
    /// Whether it has no body.
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The name that the C library has for it, if it is a model: `open` of `open.model`.
    pub fn library_name(&self) -> &str {
        library_name(&self.name, self.origin)
    }
}

/// A name without what tells a model from a function or variable of the program.
fn library_name(name: &str, origin: Origin) -> &str {
    match origin {
        Origin::Program => name,
        Origin::Model => name.strip_suffix(MODEL_SUFFIX).unwrap_or(name),
    }
}

/// Bytes of an initialiser that are not plain data.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Relocation {
    /// Byte offset in the global.
    pub offset: u64,
    /// The pointer stored there.
    pub value: Const,
}

/// A global variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Linker name.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Never written.
    pub constant: bool,
    /// One instance per thread.
    pub thread_local: bool,
    /// Declared only: no definition was linked.
    pub external: bool,
    /// Other translation units cannot name it (`static` in C).
    pub local: bool,
    /// Initial bytes; shorter than `size` means zeros follow.
    pub data: Vec<u8>,
    /// Pointers within the initial bytes, by offset.
    pub relocations: Vec<Relocation>,
    /// Source type.
    pub source_type: Option<TypeId>,
    /// Where it is defined.
    pub loc: Option<LocId>,
}

impl Global {
    /// The name that the C library has for it, if a model defines it: `environ` of `environ.model`.
    pub fn library_name(&self) -> &str {
        library_name(&self.name, self.origin)
    }
}

/// A linked whole program.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The module's name, usually the path it was read from.
    pub name: String,
    /// Functions, defined and declared.
    pub functions: IdVec<FuncId, Function>,
    /// Global variables.
    pub globals: IdVec<GlobalId, Global>,
    /// Source types.
    pub types: TypeTable,
    /// Source files, as the compiler named them.
    pub files: IdVec<FileId, String>,
    /// Source locations.
    pub locs: IdVec<LocId, Loc>,
    /// Functions that compilers have inlined, as the source calls them, by the locations in them that are
    /// [inlined](Loc::inlined_at).
    #[serde(default)]
    pub inlined: BTreeMap<LocId, String>,
    /// `main`.
    pub main: Option<FuncId>,
    /// Functions to run before `main` (`__attribute__((constructor))`), in order.
    pub constructors: Vec<FuncId>,
    /// Functions to run at exit (`__attribute__((destructor))`), in order.
    pub destructors: Vec<FuncId>,
}

impl Program {
    /// The function with this linker name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }

    /// The model of a library function, whether or not the program has a function of that name, too. Without a model it
    /// is what has the name.
    pub fn library_function(&self, name: &str) -> Option<FuncId> {
        let is_model = |f: &Function| f.origin == Origin::Model && f.library_name() == name;
        let model = self.functions.iter().find(|(_, f)| is_model(f)).map(|(id, _)| id);
        model.or_else(|| self.function_named(name))
    }

    /// Whether a file is a header of the system or of the compiler, or of what stands for the C++ library: code that is
    /// not the user's.
    pub fn is_system_file(&self, file: FileId) -> bool {
        let path = &self.files[file];
        SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder)) || path.contains(CXX_LIBRARY)
    }

    /// The location itself, or, in code of a system header, that of the call by which code of the user came there, as
    /// far as it was inlined.
    pub fn own_loc(&self, loc: LocId) -> Option<LocId> {
        let is_own = |loc: &LocId| !self.is_system_file(self.locs[*loc].file);
        std::iter::successors(Some(loc), |&loc| self.locs[loc].inlined_at).find(is_own)
    }

    /// `file.c:12` for a location; the file is the last component of its path.
    pub fn describe_loc(&self, loc: LocId) -> String {
        let Loc { file, line, .. } = self.locs[loc];
        let path = &self.files[file];
        let name = path.rsplit('/').next().unwrap_or(path);
        format!("{name}:{line}")
    }
}

/// A position in the code: an instruction, or the terminator when `inst` is the number of instructions.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ProgramPoint {
    /// The function.
    pub func: FuncId,
    /// The block.
    pub block: BlockId,
    /// Index into the block's instructions.
    pub inst: u32,
}

impl ProgramPoint {
    /// The source location of the instruction here, if it has one.
    pub fn loc(self, program: &Program) -> Option<LocId> {
        let block = &program.functions[self.func].blocks[self.block];
        match block.insts.get(self.inst as usize) {
            Some(inst) => inst.loc,
            None => block.terminator_loc,
        }
    }
}

/// A thread's program counter with its return addresses: outermost first, the last entry is the current point.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct CallStack(pub Vec<ProgramPoint>);
