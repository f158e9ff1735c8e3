//! Intrinsics that reach outside: inputs in the symbolic domain, the operating system in the concrete one; and calls of
//! functions that nobody defines.

use icsched_ir::{CastOp, FuncId, Intrinsic, Type};

use super::surroundings::KnownFile;
use super::{Extern, Machine};
use crate::domain::{Domain, MemoryByte, Read};
use crate::host::{FileArguments, FileOperation, FileQuery};
use crate::observation::Observed;
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{DecisionKind, PathEnd, Stop};

impl<D: Domain> Machine<D> {
    /// Executes an intrinsic that reaches outside.
    pub(super) fn outside<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        intrinsic: Intrinsic,
    ) -> Result<D::Value, Stop<D>> {
        let has_inputs = D::SYMBOLIC || self.options.answers.is_some();
        if intrinsic == Intrinsic::HostWrite && has_inputs {
            let cx = self.cx(state, observer);
            return Ok(cx.get(cx.current_call().args[2]));
        }
        if intrinsic.is_input() != has_inputs {
            let domain = if D::SYMBOLIC { "symbolic" } else { "concrete" };
            return Err(Stop::Unsupported { what: format!("`{}` in the {domain} domain", intrinsic.name()) });
        }
        if intrinsic.is_input() {
            return self.input(state, observer, intrinsic);
        }
        self.host_call(state, observer, intrinsic).map(|result| D::constant(result as u64))
    }

    fn input<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        intrinsic: Intrinsic,
    ) -> Result<D::Value, Stop<D>> {
        let mut cx = self.cx(state, observer);
        let args = &cx.current_call().args;
        match intrinsic {
            Intrinsic::Input => {
                let (name, bits) = (cx.text(args[0])?, cx.constant(args[1], DecisionKind::Concretise)?);
                self.read_input(state, &name, bits)
            }
            Intrinsic::InputOfString => {
                let (name, bits) = (cx.text(args[0])?, cx.constant(args[2], DecisionKind::Concretise)?);
                let (bytes, is_whole) = cx.string(args[1])?;
                if !is_whole {
                    // Two strings that are the same so far may differ behind. Without one, other arguments say nothing.
                    let function = name.split_once(", ").map_or(name.as_str(), |(function, _)| function);
                    return self.read_input(state, function, bits);
                }
                let bits = width(bits)?;
                let value = cx.domain.input_of_string(&name, &bytes, bits);
                self.note_read(state, Read::Value(&value));
                extend(&mut self.domain, value, bits)
            }
            Intrinsic::InputBytes => {
                // An object whose size is an input, all of which is read: it holds anything.
                if D::as_constant(&cx.get(args[1])).is_none()
                    && let Some(object) = cx.forgets(args[0])
                {
                    self.observe(state, Observed::Object(object));
                    return Ok(D::constant(0));
                }
                let (to, n) = (cx.get(args[0]), cx.constant(args[1], DecisionKind::Concretise)?);
                let name = cx.text(args[2])?;
                super::access::targets(cx.domain, cx.heap, cx.path, &to, n.max(1), true)?;
                let name = self.next_input_name(state, &name);
                self.note_read(state, Read::Name(&name));
                let mut cx = self.cx(state, observer);
                let answers = cx.options.answers.as_ref();
                let domain = &mut *cx.domain;
                let byte = |i| match answers {
                    Some(answers) => MemoryByte::Constant(answers.byte(&name, i)),
                    None => domain.input_byte(&name, i),
                };
                let bytes: Vec<_> = (0..n).map(byte).collect();
                cx.write(&to, &bytes)?;
                self.observe(state, Observed::Bytes(bytes.into()));
                Ok(D::constant(0))
            }
            Intrinsic::SymbolicFile => {
                let (name, known) = cx.path_bytes(args[0])?;
                let found = if known { cx.options.number_of_file(&name) } else { None };
                Ok(D::constant(found.map_or(u64::from(u32::MAX), |i| i as u64)))
            }
            Intrinsic::SymbolicFileSize => {
                let file = cx.constant(args[0], DecisionKind::Concretise)?;
                let size = cx.options.known_file(file).and_then(KnownFile::size);
                Ok(D::constant(size.unwrap_or(u64::MAX)))
            }
            Intrinsic::SymbolicFileRead => {
                let file = cx.constant(args[0], DecisionKind::Concretise)?;
                let start = cx.constant(args[1], DecisionKind::Concretise)?;
                let (to, n) = (cx.get(args[2]), cx.constant(args[3], DecisionKind::Concretise)?);
                let answers = cx.options.answers.as_ref();
                let domain = &mut *cx.domain;
                let wanted = start..start.saturating_add(n);
                let bytes: Vec<_> = match cx.options.known_file(file) {
                    Some(KnownFile::Input(name, _)) => {
                        let byte = |i| match answers {
                            Some(answers) => MemoryByte::Constant(answers.byte_of_file(name, i)),
                            None => domain.input_byte(name, i),
                        };
                        wanted.map(byte).collect()
                    }
                    Some(KnownFile::Given(content)) => {
                        let byte = |i| usize::try_from(i).ok().and_then(|i| content.get(i)).copied().unwrap_or(0);
                        wanted.map(|i| MemoryByte::Constant(byte(i))).collect()
                    }
                    Some(KnownFile::Missing) | None => {
                        let what = "a read of a file that does not exist".to_owned();
                        return Err(Stop::Unsupported { what });
                    }
                };
                cx.write(&to, &bytes)?;
                self.observe(state, Observed::Bytes(bytes.into()));
                Ok(D::constant(0))
            }
            other => Err(Stop::Unsupported { what: format!("`{}`", other.name()) }),
        }
    }

    /// The next input of this name.
    fn read_input(&mut self, state: &mut State<D>, name: &str, bits: u64) -> Result<D::Value, Stop<D>> {
        let name = self.next_input_name(state, name);
        self.note_read(state, Read::Name(&name));
        let value = self.fresh(&name, bits)?;
        self.observe(state, Observed::Value(value.clone()));
        Ok(value)
    }

    /// Tells the domain where the thread is that reads an input.
    fn note_read(&mut self, state: &State<D>, read: Read<'_, D::Value>) {
        let code = &self.code;
        self.domain.was_read(read, || state.stack(code, state.current));
    }

    fn fresh(&mut self, name: &str, bits: u64) -> Result<D::Value, Stop<D>> {
        let bits = width(bits)?;
        let value = match &self.options.answers {
            Some(answers) => D::constant(answers.number(name, bits)),
            None => self.domain.input(name, bits),
        };
        extend(&mut self.domain, value, bits)
    }

    #[allow(clippy::too_many_lines, reason = "a flat table of calls")]
    fn host_call<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        intrinsic: Intrinsic,
    ) -> Result<i64, Stop<D>> {
        let mut cx = self.cx(state, observer);
        let args = &cx.current_call().args;
        let mut number = |i: usize| cx.constant(args[i], DecisionKind::Concretise);
        match intrinsic {
            Intrinsic::HostWrite => {
                let (fd, n) = (number(0)? as i32, number(2)?);
                let from = cx.get(args[1]);
                let bytes = plain(&cx.read(&from, n)?);
                Ok(self.host.write(fd, &bytes))
            }
            Intrinsic::HostRead => {
                let (fd, n) = (number(0)? as i32, number(2)?);
                let to = cx.get(args[1]);
                if n > 0 {
                    super::access::targets(cx.domain, cx.heap, cx.path, &to, n, true)?;
                }
                match self.host.read(fd, n) {
                    Ok(bytes) => {
                        let constant: Vec<_> = bytes.iter().map(|&b| MemoryByte::Constant(b)).collect();
                        self.cx(state, observer).write(&to, &constant)?;
                        Ok(bytes.len() as i64)
                    }
                    Err(error) => Ok(error),
                }
            }
            Intrinsic::HostOpen => {
                let (flags, mode) = (number(1)? as i32, number(2)? as u32);
                let (path, _) = cx.path_bytes(args[0])?;
                Ok(self.host.open(&path, flags, mode))
            }
            Intrinsic::HostClose => {
                let fd = number(0)? as i32;
                Ok(self.host.close(fd))
            }
            Intrinsic::HostSeek => {
                let (fd, offset, whence) = (number(0)? as i32, number(1)? as i64, number(2)? as i32);
                Ok(self.host.seek(fd, offset, whence))
            }
            Intrinsic::HostFileSize => {
                let fd = number(0)? as i32;
                Ok(self.host.file_size(fd))
            }
            Intrinsic::HostClock => {
                let clock = number(0)? as i32;
                let to = cx.get(args[1]);
                match self.host.clock(clock) {
                    Ok((seconds, nanoseconds)) => {
                        let bytes = [seconds.to_le_bytes(), nanoseconds.to_le_bytes()].concat();
                        let bytes: Vec<_> = bytes.into_iter().map(MemoryByte::Constant).collect();
                        self.cx(state, observer).write(&to, &bytes)?;
                        Ok(0)
                    }
                    Err(error) => Ok(error),
                }
            }
            Intrinsic::HostFile => {
                let operation = number(0)?;
                let (fd, a, b) = (number(1)? as i32, number(4)? as i64, number(5)? as i64);
                let (path, other) = (cx.path_bytes(args[2])?.0, cx.path_bytes(args[3])?.0);
                let Some(operation) = FileOperation::from_number(operation) else {
                    return Err(Stop::Unsupported { what: format!("file operation {operation}") });
                };
                Ok(self.host.file(operation, &FileArguments { fd, path, other, a, b }))
            }
            Intrinsic::HostQuery => {
                let (query, fd, n) = (number(0)?, number(1)? as i32, number(4)?);
                let path = cx.path_bytes(args[2])?.0;
                let to = cx.get(args[3]);
                let Some(query) = FileQuery::from_number(query) else {
                    return Err(Stop::Unsupported { what: format!("file query {query}") });
                };
                match self.host.query(query, fd, &path) {
                    Ok(bytes) => {
                        let stored = bytes.iter().take(usize::try_from(n).unwrap_or(usize::MAX));
                        let stored: Vec<_> = stored.map(|&b| MemoryByte::Constant(b)).collect();
                        if !stored.is_empty() {
                            self.cx(state, observer).write(&to, &stored)?;
                        }
                        Ok(bytes.len() as i64)
                    }
                    Err(error) => Ok(error),
                }
            }
            other => Err(Stop::Unsupported { what: format!("`{}`", other.name()) }),
        }
    }

    /// A call of a function that has neither a definition nor a model.
    pub(super) fn undefined<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        func: FuncId,
    ) -> Result<(), Stop<D>> {
        let name = self.program.functions[func].name.clone();
        let option = self.options.externs.get(&name).copied();
        let value = |machine: &mut Self, state: &mut State<D>, ty: Type| match option {
            Some(Extern::Havoc) if D::SYMBOLIC || machine.options.answers.is_some() => {
                let name = state.unique_input_name(&format!("{name}()"));
                machine.note_read(state, Read::Name(&name));
                let value = match &machine.options.answers {
                    Some(answers) => D::constant(answers.number(&name, ty.bits())),
                    None => machine.domain.input(&name, ty.bits()),
                };
                machine.observe(state, Observed::Value(value.clone()));
                value
            }
            _ => D::constant(0),
        };
        match option {
            Some(Extern::Havoc | Extern::Pure | Extern::Assume) => {
                if option == Some(Extern::Assume) {
                    self.cx(state, observer).assume_argument()?;
                }
                let types = self.cx(state, observer).current_call().result_types.clone();
                let values: Vec<_> = types.iter().map(|&ty| (value(self, state, ty), ty)).collect();
                self.cx(state, observer).give_results(values)
            }
            Some(Extern::Abort) => {
                let stack = state.stack(&self.code, state.current);
                Err(Stop::End(Box::new(PathEnd::Abort { stack })))
            }
            None => {
                let stack = state.stack(&self.code, state.current);
                Err(Stop::End(Box::new(PathEnd::Unmodelled { function: name, stack })))
            }
        }
    }
}

fn width<D: Domain>(bits: u64) -> Result<u32, Stop<D>> {
    match u32::try_from(bits) {
        Ok(bits @ 1..=64) => Ok(bits),
        _ => Err(Stop::Unsupported { what: format!("an input of {bits} bits") }),
    }
}

fn extend<D: Domain>(domain: &mut D, value: D::Value, bits: u32) -> Result<D::Value, Stop<D>> {
    match u8::try_from(bits) {
        Ok(narrow @ 1..=63) if D::as_constant(&value).is_none() => {
            domain.cast(CastOp::ZExt, Type::Int(narrow), Type::Int(64), &value)
        }
        _ => Ok(value),
    }
}

/// Bytes for the host; in the concrete domain all are constants.
fn plain<B>(bytes: &[MemoryByte<B>]) -> Vec<u8> {
    let constant = |b: &MemoryByte<B>| match b {
        MemoryByte::Constant(b) => *b,
        MemoryByte::Symbolic(_) => b'?',
    };
    bytes.iter().map(constant).collect()
}
