//! Inputs as values: all that a run of a program needs to know from outside.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes from outside. In JSON a string where they are UTF-8, else `{"hex": "00ff"}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// The bytes as text; what is no UTF-8 is replaced.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// The bytes as one word for a shell, quoted where that is needed.
    pub fn shell_word(&self) -> String {
        let is_plain = |&byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=,:+@%".contains(&byte);
        if !self.0.is_empty() && self.0.iter().all(is_plain) {
            return self.lossy().into_owned();
        }
        if self.0.iter().all(|&byte| (b' '..=b'~').contains(&byte)) {
            return format!("'{}'", self.lossy().replace('\'', "'\\''"));
        }
        let escaped = |&byte: &u8| match byte {
            b'\n' => "\\n".to_owned(),
            b'\t' => "\\t".to_owned(),
            b'\'' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            other => format!("\\x{other:02x}"),
        };
        format!("$'{}'", self.0.iter().map(escaped).collect::<String>())
    }

    /// A command of a shell that prints the bytes. No word of a shell has NULs, so these are escaped for `printf`.
    pub fn shell_print(&self) -> String {
        if !self.0.contains(&0) {
            return format!("printf %s {}", self.shell_word());
        }
        let escaped = |&byte: &u8| match byte {
            b'\n' => "\\n".to_owned(),
            b'\'' | b'\\' => format!("\\0{byte:03o}"),
            b' '..=b'~' => char::from(byte).to_string(),
            other => format!("\\0{other:03o}"),
        };
        format!("printf %b '{}'", self.0.iter().map(escaped).collect::<String>())
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.lossy(), f)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum BytesForm {
    Text(String),
    Hex { hex: String },
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match std::str::from_utf8(&self.0) {
            Ok(text) => BytesForm::Text(text.to_owned()),
            Err(_) => BytesForm::Hex { hex: self.0.iter().map(|byte| format!("{byte:02x}")).collect() },
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match BytesForm::deserialize(deserializer)? {
            BytesForm::Text(text) => Ok(Self(text.into_bytes())),
            BytesForm::Hex { hex } => {
                let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
                let bytes = hex.as_bytes().chunks(2).map(|chunk| (chunk.len() == 2).then(|| pair(chunk)).flatten());
                bytes
                    .collect::<Option<_>>()
                    .map(Self)
                    .ok_or_else(|| serde::de::Error::custom("these are no bytes in hex"))
            }
        }
    }
}

impl JsonSchema for Bytes {
    fn schema_name() -> Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Bytes: a string where they are UTF-8, else their hexadecimal digits.",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "hex": { "type": "string", "pattern": "^([0-9a-f]{2})*$" } },
                    "required": ["hex"],
                    "additionalProperties": false
                }
            ]
        })
    }
}

/// Contents of files, by their digests.
pub type Contents = BTreeMap<String, Bytes>;

/// What a call that asks the world gives: the third `read` fails, the clock says 5.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The input, as constraints name it: `open#2`, `time`.
    pub name: String,
    /// Its value, as an unsigned number of its width.
    pub value: u64,
}

/// All that a run of a program needs to know from outside.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The arguments, the program's name first.
    pub argv: Vec<Bytes>,
    /// The environment.
    pub env: BTreeMap<String, Bytes>,
    /// Standard input, if the program is given one.
    pub stdin: Option<Bytes>,
    /// Files by name.
    pub files: BTreeMap<String, Bytes>,
    /// What calls give that ask the world. The others give 0.
    pub answers: Vec<Answer>,
}

impl Input {
    /// The arguments behind the program's name as one line for a shell.
    pub fn arguments(&self) -> String {
        let words: Vec<String> = self.argv.iter().skip(1).map(Bytes::shell_word).collect();
        words.join(" ")
    }

    /// The command that runs a program with this input, as one line for a shell. Files have to be there; answers cannot
    /// be given to it.
    pub fn shell_line(&self, program: &str) -> String {
        let variables: String = self.env.iter().map(|(name, value)| variable(name, value)).collect();
        let env = if self.env.keys().all(|name| is_identifier(name)) { "" } else { "env " };
        let stdin = self.stdin.as_ref().map(|bytes| format!("{} | ", bytes.shell_print()));
        let arguments = self.arguments();
        let space = if arguments.is_empty() { "" } else { " " };
        format!("{}{env}{variables}{program}{space}{arguments}", stdin.unwrap_or_default())
    }
}

/// A variable of the environment before a command, as one word and a space.
fn variable(name: &str, value: &Bytes) -> String {
    match is_identifier(name) {
        true => format!("{name}={} ", value.shell_word()),
        false => format!("{} ", Bytes([name.as_bytes(), b"=", &value.0].concat()).shell_word()),
    }
}

/// Whether a shell takes `name=value` before a command for a variable; other names need `env`.
fn is_identifier(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_word) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_json() {
        for bytes in [b"7391".to_vec(), b"".to_vec(), vec![0xff, 0, 0x41], "ä\n".as_bytes().to_vec()] {
            let text = serde_json::to_string(&Bytes(bytes.clone())).expect("JSON");
            assert_eq!(serde_json::from_str::<Bytes>(&text).expect("bytes").0, bytes, "{text}");
        }
        assert!(serde_json::from_str::<Bytes>(r#"{"hex":"0"}"#).is_err());
        assert!(serde_json::from_str::<Bytes>(r#"{"hex":"0ä"}"#).is_err());
    }

    #[test]
    fn lines_can_be_pasted() {
        let word = |bytes: &[u8]| Bytes(bytes.to_vec());
        let input = Input {
            argv: vec![word(b"prog"), word(b"-n"), word(b""), word(b"it's"), word(b"\xff")],
            env: [("HOME".to_owned(), word(b"/a b"))].into(),
            stdin: Some(word(b"x\n")),
            ..Input::default()
        };
        let line = input.shell_line("./prog");
        assert_eq!(line, r"printf %s $'x\n' | HOME='/a b' ./prog -n '' 'it'\''s' $'\xff'");
    }

    #[test]
    fn bytes_are_printed_whatever_they_are() {
        let print = |bytes: &[u8]| Bytes(bytes.to_vec()).shell_print();
        assert_eq!(print(b"a b"), "printf %s 'a b'");
        assert_eq!(print(b"1\0it's\\\n\xff"), r"printf %b '1\0000it\0047s\0134\n\0377'");
    }

    /// A name comes from a program, and whoever pastes the line has not read the program.
    #[test]
    fn names_of_variables_are_no_commands() {
        let env = [("A".to_owned(), Bytes(b"1".to_vec())), ("B;rm -r x;C".to_owned(), Bytes(b"2".to_vec()))].into();
        let line = Input { env, ..Input::default() }.shell_line("./prog");
        assert_eq!(line, "env A=1 'B;rm -r x;C=2' ./prog");
    }
}
