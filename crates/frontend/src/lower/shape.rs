//! Types as sequences of scalars.
//!
//! The IR has scalars only. A struct, array or vector becomes the sequence of its scalar members ("leaves") in memory
//! order; an SSA value of such a type becomes that many IR values. An integer of more than 64 bits has a leaf per 64
//! bits ([`Scalar`]). A type that the IR cannot hold at all still gets leaves, so that SSA form stays whole around
//! instructions that are not lowered.

use std::rc::Rc;

use icsched_ir::{Operand, Type};
use smallvec::SmallVec;

use super::error::Reason;
use super::scalar::Scalar;
use crate::budgets::BUDGETS;
use crate::llvm::{Layout, Ty, TyKind};

/// One scalar of a type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    /// Bytes from the start of the whole.
    pub(crate) offset: u64,
    /// Its type.
    pub(crate) ty: Type,
}

/// A type as scalars.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// The scalars, in memory order.
    pub(crate) leaves: Vec<Leaf>,
    /// What the leaves belong to, in the same order; empty for types that cannot be computed with.
    pub(crate) scalars: Vec<Scalar>,
    /// Why values of this type cannot be computed with, if so.
    pub(crate) unsupported: Option<String>,
    /// Whether the leaves' offsets are where they are in memory: not so for vectors of integers that do not fill
    /// their bytes.
    pub(crate) addressable: bool,
}

/// The scalars of an LLVM value.
pub(crate) type Operands = SmallVec<[Operand; 1]>;

/// A value as its scalars.
pub(crate) type Parts = SmallVec<[(Scalar, Operands); 1]>;

impl Shape {
    fn scalar(ty: Type) -> Self {
        Self::of(Scalar::Plain(ty))
    }

    fn of(scalar: Scalar) -> Self {
        let leaves = (0..).step_by(8).zip(scalar.types()).map(|(offset, ty)| Leaf { offset, ty }).collect();
        Self { leaves, scalars: vec![scalar], unsupported: None, addressable: true }
    }

    fn opaque(why: String) -> Self {
        let leaves = vec![Leaf { offset: 0, ty: Type::Int(64) }];
        Self { leaves, scalars: Vec::new(), unsupported: Some(why), addressable: false }
    }

    fn void() -> Self {
        Self { leaves: Vec::new(), scalars: Vec::new(), unsupported: None, addressable: true }
    }

    /// Splits a value of this type into its scalars.
    pub(crate) fn split(&self, operands: &[Operand]) -> Parts {
        let mut rest = operands;
        let mut parts = Parts::with_capacity(self.scalars.len());
        for &scalar in &self.scalars {
            let (own, behind) = rest.split_at(scalar.count().min(rest.len()));
            parts.push((scalar, Operands::from_slice(own)));
            rest = behind;
        }
        parts
    }

    /// Refuses a type that cannot be computed with.
    ///
    /// # Errors
    /// The type, as messages name it.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        self.unsupported.clone().map_or(Ok(()), |ty| Err(Reason(ty)))
    }

    /// Whether every scalar is one value of the IR.
    pub(crate) fn is_plain(&self) -> bool {
        self.scalars.iter().all(|scalar| matches!(scalar, Scalar::Plain(_)))
    }

    /// Types of the leaves.
    pub(crate) fn types(&self) -> impl Iterator<Item = Type> {
        self.leaves.iter().map(|leaf| leaf.ty)
    }
}

/// Computes the shape of a type.
pub(crate) fn shape_of<'m>(layout: Layout<'m>, ty: Ty<'m>) -> Shape {
    match ty.kind() {
        TyKind::Void => Shape::void(),
        TyKind::Int(bits) => match u8::try_from(bits) {
            Ok(bits @ 1..=64) => Shape::scalar(Type::Int(bits)),
            _ if bits <= BUDGETS.integer_bits => Shape::of(Scalar::Wide(bits)),
            _ => Shape::opaque(format!("{bits}-bit integer")),
        },
        TyKind::Half => Shape::of(Scalar::Half),
        TyKind::BFloat => Shape::of(Scalar::BFloat),
        TyKind::X87 => Shape::of(Scalar::X87),
        TyKind::Quad => Shape::of(Scalar::Quad),
        TyKind::Float => Shape::scalar(Type::F32),
        TyKind::Double => Shape::scalar(Type::F64),
        TyKind::Pointer(0) => Shape::scalar(Type::Ptr),
        TyKind::Pointer(space) => Shape::opaque(format!("pointer in address space {space}")),
        TyKind::Struct => struct_shape(layout, ty),
        TyKind::Array => repeated(&shape_of(layout, ty.element()), ty.length(), layout.size(ty.element())),
        TyKind::Vector => vector_shape(layout, ty),
        TyKind::Other(name) => Shape::opaque(name.to_owned()),
        TyKind::Function => Shape::opaque("function as a value".to_owned()),
        TyKind::Metadata => Shape::opaque("metadata".to_owned()),
        TyKind::Label => Shape::opaque("label".to_owned()),
    }
}

fn struct_shape<'m>(layout: Layout<'m>, ty: Ty<'m>) -> Shape {
    let mut whole = Shape::void();
    for (index, field) in (0_u32..).zip(ty.fields()) {
        let Some(start) = layout.offset(ty, index) else {
            return Shape::opaque("struct without a size".to_owned());
        };
        append(&mut whole, &shape_of(layout, field), start);
        if whole.leaves.len() > BUDGETS.aggregate_scalars {
            return too_large();
        }
    }
    whole
}

fn vector_shape<'m>(layout: Layout<'m>, ty: Ty<'m>) -> Shape {
    let element = shape_of(layout, ty.element());
    let bits = element.scalars.first().map_or(0, |scalar| scalar.bits());
    let mut whole = repeated(&element, ty.length(), u64::from(bits.div_ceil(8)));
    whole.addressable &= bits.is_multiple_of(8);
    whole
}

fn repeated(element: &Shape, count: u64, stride: u64) -> Shape {
    let mut whole = Shape::void();
    let total = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(element.leaves.len());
    if total > BUDGETS.aggregate_scalars {
        return too_large();
    }
    for i in 0..if element.leaves.is_empty() { 0 } else { count } {
        append(&mut whole, element, i * stride);
    }
    whole
}

fn append(whole: &mut Shape, part: &Shape, start: u64) {
    whole.leaves.extend(part.leaves.iter().map(|leaf| Leaf { offset: start + leaf.offset, ty: leaf.ty }));
    whole.scalars.extend_from_slice(&part.scalars);
    whole.addressable &= part.addressable;
    if whole.unsupported.is_none() {
        whole.unsupported.clone_from(&part.unsupported);
    }
}

fn too_large() -> Shape {
    Shape::opaque(format!("aggregate value of more than {} scalars", BUDGETS.aggregate_scalars))
}

/// The leaves that an index path selects: first leaf and the type there.
pub(crate) fn select_path<'m>(layout: Layout<'m>, mut ty: Ty<'m>, path: &[u32]) -> Option<(usize, Ty<'m>)> {
    let mut first = 0;
    for &index in path {
        match ty.kind() {
            TyKind::Struct => {
                let fields = ty.fields();
                let before = fields.get(..index as usize)?;
                first += before.iter().map(|&f| shape_of(layout, f).leaves.len()).sum::<usize>();
                ty = *fields.get(index as usize)?;
            }
            TyKind::Array if u64::from(index) < ty.length() => {
                ty = ty.element();
                first += index as usize * shape_of(layout, ty).leaves.len();
            }
            _ => return None,
        }
    }
    Some((first, ty))
}

/// Shared, computed once per type.
pub(crate) type SharedShape = Rc<Shape>;
