//! A reader and writer of JSON, because Rust has none in its standard library. Replace it with serde_json if you like.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value. Returns the byte at which the text is not JSON.
    pub fn parse(text: &str) -> Result<Json, usize> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let value = reader.value().ok_or(reader.at)?;
        reader.skip();
        if reader.at == text.len() { Ok(value) } else { Err(reader.at) }
    }

    /// The value of a key; null if it is missing.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(pairs) => pairs.iter().find(|(name, _)| name == key).map_or(&Json::Null, |(_, value)| value),
            _ => &Json::Null,
        }
    }

    /// The items of a list; none of any other value.
    pub fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    pub fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { "" }
    }

    pub fn number(&self) -> Option<i64> {
        if let Json::Number(number) = self { Some(*number as i64) } else { None }
    }

    pub fn is_true(&self) -> bool {
        *self == Json::Bool(true)
    }

    pub fn numbers(&self) -> Vec<i64> {
        self.items().iter().filter_map(Json::number).collect()
    }

    pub fn texts(&self) -> Vec<&str> {
        self.items().iter().map(Json::text).collect()
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Json::Null => write!(out, "null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(number) => write!(out, "{number}"),
            Json::Text(text) => write!(out, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            Json::List(items) => {
                let items: Vec<String> = items.iter().map(Json::to_string).collect();
                write!(out, "[{}]", items.join(","))
            }
            Json::Object(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                write!(out, "{{{}}}", pairs.join(","))
            }
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self) {
        while self.text.get(self.at).map_or(false, u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: u8) -> bool {
        self.skip();
        let found = self.text.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn require(&mut self, wanted: u8) -> Option<()> {
        self.take(wanted).then_some(())
    }

    fn value(&mut self) -> Option<Json> {
        self.skip();
        match self.text.get(self.at)? {
            b'{' => {
                self.at += 1;
                let mut pairs = Vec::new();
                while !self.take(b'}') {
                    if !pairs.is_empty() {
                        self.require(b',')?;
                    }
                    let key = self.string()?;
                    self.require(b':')?;
                    pairs.push((key, self.value()?));
                }
                Some(Json::Object(pairs))
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.take(b']') {
                    if !items.is_empty() {
                        self.require(b',')?;
                    }
                    items.push(self.value()?);
                }
                Some(Json::List(items))
            }
            b'"' => self.string().map(Json::Text),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Option<Json> {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| b",]} \t\r\n".contains(byte)).unwrap_or(rest.len());
        self.at += length;
        match std::str::from_utf8(&rest[..length]).ok()? {
            "null" => Some(Json::Null),
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            number => number.parse().ok().map(Json::Number),
        }
    }

    fn string(&mut self) -> Option<String> {
        self.require(b'"')?;
        let mut bytes = Vec::new();
        loop {
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(bytes).ok(),
                b'\\' => {
                    let escaped = *self.text.get(self.at)?;
                    self.at += 1;
                    match escaped {
                        b'n' => bytes.push(b'\n'),
                        b't' => bytes.push(b'\t'),
                        b'u' => {
                            let digits = std::str::from_utf8(self.text.get(self.at..self.at + 4)?).ok()?;
                            let unit = u32::from_str_radix(digits, 16).ok()?;
                            let letter = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                            bytes.extend(letter.to_string().bytes());
                            self.at += 4;
                        }
                        other => bytes.push(other),
                    }
                }
                other => bytes.push(other),
            }
        }
    }
}
