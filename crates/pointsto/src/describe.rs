//! Objects and places in the words of the source.

use icsched_ir::{FuncId, Origin, Program, ProgramPoint, ValueId};

use crate::access::Piece;
use crate::object::{InstanceId, Location, ObjectId, ObjectKind, Offsets};
use crate::query::PointsTo;

impl PointsTo {
    /// The object's name: `g`, `local@f`, `heap@queue.c:14`, `argv`. Objects of one line, or of several instances of
    /// one function, share it.
    pub fn describe_object(&self, program: &Program, object: ObjectId) -> String {
        let function = |f: FuncId| program.functions[f].name.as_str();
        let of_instance = |i: InstanceId| function(self.instances()[i].func);
        match self.objects()[object].kind {
            ObjectKind::Global(g) => program.globals[g].name.clone(),
            ObjectKind::Function(f) => format!("&{}", function(f)),
            ObjectKind::Stack { instance, value } => describe_value(program, self.instances()[instance].func, value),
            ObjectKind::Heap { instance, at } => format!("heap@{}", self.site(program, instance, at)),
            ObjectKind::Library { instance, at } => format!("library@{}", self.site(program, instance, at)),
            ObjectKind::VarArgs(instance) => format!("...@{}", of_instance(instance)),
            ObjectKind::ArgumentVector => "argv".to_owned(),
            ObjectKind::Arguments => "argv[]".to_owned(),
            ObjectKind::EnvironmentVector => "environ".to_owned(),
            ObjectKind::Environment => "environ[]".to_owned(),
            ObjectKind::Outside => "outside".to_owned(),
            ObjectKind::MovedFunctions => "moved functions".to_owned(),
            ObjectKind::PlainConstants => "constants".to_owned(),
            ObjectKind::Transfer => "copy".to_owned(),
        }
    }

    /// The object with offsets: `heap@queue.c:14+8`.
    pub fn describe_location(&self, program: &Program, location: &Location) -> String {
        let name = self.describe_object(program, location.object);
        match self.objects()[location.object].kind {
            ObjectKind::Function(_) => name,
            _ => format!("{name}{}", location.offsets),
        }
    }

    /// The bytes: `g+8:4` for four bytes from the eighth, `g+8:*` for all behind it, `g` for all.
    pub fn describe_piece(&self, program: &Program, piece: &Piece) -> String {
        let name = self.describe_object(program, piece.object);
        match (piece.offsets, piece.bytes) {
            (Offsets::ANY, _) => name,
            (offsets, Some(bytes)) => format!("{name}{offsets}:{bytes}"),
            (offsets, None) => format!("{name}{offsets}:*"),
        }
    }

    /// The program's own call that leads to a point of an instance, as far as the instance tells.
    pub fn program_site(
        &self,
        program: &Program,
        mut instance: InstanceId,
        mut at: ProgramPoint,
    ) -> Option<ProgramPoint> {
        while program.functions[at.func].origin == Origin::Model {
            (instance, at) = self.instances()[instance].caller?;
        }
        Some(at)
    }

    fn site(&self, program: &Program, instance: InstanceId, at: ProgramPoint) -> String {
        let at = self.program_site(program, instance, at).unwrap_or(at);
        let name = &program.functions[at.func].name;
        at.loc(program).map_or_else(|| name.clone(), |loc| line(&program.describe_loc(loc)))
    }
}

/// `p@f`, or `v17@f` without a name in the source.
pub fn describe_value(program: &Program, func: FuncId, value: ValueId) -> String {
    let function = &program.functions[func];
    match &function.values[value].name {
        Some(name) => format!("{name}@{}", function.name),
        None => format!("{value}@{}", function.name),
    }
}

/// A place without its column.
fn line(place: &str) -> String {
    match place.rsplit_once(':') {
        Some((rest, column)) if rest.contains(':') && column.bytes().all(|b| b.is_ascii_digit()) => rest.to_owned(),
        _ => place.to_owned(),
    }
}
