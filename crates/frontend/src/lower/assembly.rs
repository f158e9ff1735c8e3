//! Inline assembly: only what does nothing, or what has a name in the IR.

use icsched_ir::{Callee, Intrinsic, Op, Ordering};

use super::function::{Body, Operands, Reason};
use crate::llvm::Val;

impl<'m> Body<'_, 'm> {
    /// Lowers a call of inline assembly.
    pub(crate) fn lower_assembly(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let (template, constraints) = inst.callee().asm_text();
        let template = normalise(&template);
        match template.as_str() {
            "" | "nop" => self.empty_assembly(inst, &constraints),
            "pause" | "rep nop" | "rep; nop" | "rep;nop" => {
                self.emit_void(Op::Call { callee: Callee::Intrinsic(Intrinsic::Pause), args: Vec::new() });
                Ok(Operands::new())
            }
            "mfence" | "lock; addl $$0,0(%rsp)" | "lock; orl $$0,0(%rsp)" => {
                self.emit_void(Op::Fence { ordering: Ordering::SeqCst });
                Ok(Operands::new())
            }
            _ => Err("inline assembly".to_owned()),
        }
    }

    /// An empty template only hides values from the compiler: its results are the operands tied to them.
    fn empty_assembly(&mut self, inst: Val<'m>, constraints: &str) -> Result<Operands, Reason> {
        let results = self.check(inst.ty())?.leaves.len();
        let mut outputs = 0;
        let mut inputs = Vec::new();
        for constraint in constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')) {
            match constraint.strip_prefix('=') {
                Some(memory) if memory.trim_start_matches('&').starts_with('*') => inputs.push(None),
                Some(_) => outputs += 1,
                None => inputs.push(constraint.parse::<usize>().ok()),
            }
        }
        let args = inst.call_args();
        if outputs != results || inputs.len() != args.len() {
            return Err("inline assembly".to_owned());
        }
        let mut values = Operands::new();
        for output in 0..outputs {
            let tied = inputs.iter().position(|&input| input == Some(output)).ok_or("inline assembly")?;
            values.push(self.scalar(args[tied])?);
        }
        let expected: Vec<_> = self.shape(inst.ty()).types().collect();
        let same = values.iter().zip(expected).all(|(&value, ty)| self.type_of(value) == ty);
        if same { Ok(values) } else { Err("inline assembly".to_owned()) }
    }
}

/// One line, without comments, tabs and double blanks.
fn normalise(template: &str) -> String {
    let lines = template.lines().map(|line| line.split('#').next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").trim_end_matches(';').trim().to_owned()
}
