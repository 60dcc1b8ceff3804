//! Reading values: three sources, one error sentence for each way a value can be wrong.

use super::ConfigError;
use super::table::SETTINGS;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use url::Url;

/// The environment of the process.
pub(super) fn environment() -> Result<BTreeMap<String, String>, ConfigError> {
    let mut values = BTreeMap::new();
    for (name, value) in std::env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        match value.into_string() {
            Ok(value) => {
                values.insert(name.to_owned(), value);
            }
            Err(_) if SETTINGS.iter().any(|s| s.name == name) => {
                return Err(ConfigError(format!("{name}: the value is not UTF-8.")));
            }
            Err(_) => {}
        }
    }
    Ok(values)
}

/// The lines of a `.env` file; empty when there is none.
pub(super) fn dotenv(path: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let file = dotenvy::from_path_iter(path).map_err(|e| ConfigError(format!("{}: {e}.", path.display())))?;
    file.map(|line| line.map_err(|e| ConfigError(format!("{}: {e}.", path.display())))).collect()
}

/// `$XDG_DATA_HOME/almagest`, or `~/.local/share/almagest`.
pub(super) fn default_data_dir(values: &Values) -> Result<PathBuf, ConfigError> {
    let absolute = |name: &str| values.environment.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(folder) = absolute("XDG_DATA_HOME") {
        return Ok(folder.join("almagest"));
    }
    absolute("HOME").map(|home| home.join(".local/share/almagest")).ok_or_else(|| {
        ConfigError("No place for the data: neither XDG_DATA_HOME nor HOME is set. Set ALMAGEST_DATA_DIR.".into())
    })
}

/// The values of all sources, by precedence.
pub(super) struct Values {
    environment: BTreeMap<String, String>,
    dotenv: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
    file_path: PathBuf,
}

impl Values {
    pub(super) fn new(
        environment: BTreeMap<String, String>,
        dotenv: BTreeMap<String, String>,
    ) -> Result<Self, ConfigError> {
        for name in environment.keys().chain(dotenv.keys()) {
            if name.starts_with("ALMAGEST_") && !SETTINGS.iter().any(|s| s.name == name) {
                return Err(unknown(name, ""));
            }
        }
        Ok(Self { environment, dotenv, file: BTreeMap::new(), file_path: PathBuf::new() })
    }

    /// Adds `almagest.toml`, if it is there.
    pub(super) fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(e) if e.kind() == std::io::ErrorKind::NotADirectory => return Ok(()),
            Err(e) => return Err(ConfigError(format!("{}: {e}.", path.display()))),
        };
        let table: toml::Table =
            text.parse().map_err(|e| ConfigError(format!("{} is no valid TOML: {e}", path.display())))?;
        for (key, value) in table {
            let Some(setting) =
                SETTINGS.iter().find(|s| s.name.eq_ignore_ascii_case(&key) && key == key.to_lowercase())
            else {
                return Err(unknown(&key, &format!(" in {}", path.display())));
            };
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Float(number) => number.to_string(),
                toml::Value::Boolean(flag) => flag.to_string(),
                toml::Value::Array(items) => {
                    let texts: Option<Vec<&str>> = items.iter().map(toml::Value::as_str).collect();
                    texts.ok_or_else(|| self.wrong(setting.name, "a list of strings"))?.join(",")
                }
                toml::Value::Datetime(_) | toml::Value::Table(_) => {
                    return Err(ConfigError(format!("{key} in {}: expected a plain value.", path.display())));
                }
            };
            self.file.insert(setting.name.to_owned(), text);
        }
        self.file_path = path.to_owned();
        Ok(())
    }

    /// The value, or the default; an empty value counts as absent.
    pub(super) fn text(&self, name: &'static str) -> Result<Option<String>, ConfigError> {
        let setting = SETTINGS
            .iter()
            .find(|s| s.name == name)
            .ok_or_else(|| ConfigError(format!("{name} is missing in the table of settings (a defect).")))?;
        let found = [&self.environment, &self.dotenv, &self.file].into_iter().find_map(|source| source.get(name));
        let value = match found {
            Some(value) => Some(value.trim()),
            None => setting.default,
        };
        Ok(value.filter(|value| !value.is_empty()).map(str::to_owned))
    }

    /// A variable that a setting names: of the environment or of `.env`, whatever it is called.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let found = [&self.environment, &self.dotenv].into_iter().find_map(|source| source.get(name));
        found.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    pub(super) fn required(&self, name: &'static str) -> Result<String, ConfigError> {
        self.text(name)?.ok_or_else(|| ConfigError(format!("{name} is empty; give it a value or remove the line.")))
    }

    pub(super) fn parsed<T: FromStr>(&self, name: &'static str, expected: &str) -> Result<T, ConfigError> {
        self.required(name)?.parse().map_err(|_| self.wrong(name, expected))
    }

    pub(super) fn optional<T: FromStr>(&self, name: &'static str, expected: &str) -> Result<Option<T>, ConfigError> {
        self.text(name)?.map(|text| text.parse().map_err(|_| self.wrong(name, expected))).transpose()
    }

    pub(super) fn parsed_in<T: FromStr + PartialOrd>(
        &self,
        name: &'static str,
        range: RangeInclusive<T>,
        expected: &str,
    ) -> Result<T, ConfigError> {
        let value = self.parsed(name, expected)?;
        if range.contains(&value) { Ok(value) } else { Err(self.wrong(name, expected)) }
    }

    pub(super) fn list(&self, name: &'static str) -> Result<Vec<String>, ConfigError> {
        let text = self.text(name)?.unwrap_or_default();
        Ok(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect())
    }

    pub(super) fn parsed_list<T: FromStr>(&self, name: &'static str, expected: &str) -> Result<Vec<T>, ConfigError> {
        self.list(name)?.iter().map(|item| item.parse().map_err(|_| self.wrong(name, expected))).collect()
    }

    pub(super) fn url(&self, name: &'static str) -> Result<Option<Url>, ConfigError> {
        self.text(name)?.map(|text| self.as_url(name, &text)).transpose()
    }

    pub(super) fn required_url(&self, name: &'static str) -> Result<Url, ConfigError> {
        self.as_url(name, &self.required(name)?)
    }

    pub(super) fn urls(&self, name: &'static str) -> Result<Vec<Url>, ConfigError> {
        self.list(name)?.iter().map(|text| self.as_url(name, text)).collect()
    }

    /// Exact origins: scheme, host and port, nothing behind them.
    pub(super) fn origins(&self, name: &'static str) -> Result<Vec<String>, ConfigError> {
        let expected = "origins such as http://localhost:5173, without a path";
        self.list(name)?
            .iter()
            .map(|text| match Url::parse(text) {
                Ok(url) if url.origin().ascii_serialization() == *text => Ok(text.clone()),
                _ => Err(self.wrong(name, expected)),
            })
            .collect()
    }

    fn as_url(&self, name: &'static str, text: &str) -> Result<Url, ConfigError> {
        let expected = "an address that begins with http:// or https://";
        let url = Url::parse(text).map_err(|_| self.wrong(name, expected))?;
        if matches!(url.scheme(), "http" | "https") && url.has_host() {
            Ok(url)
        } else {
            Err(self.wrong(name, expected))
        }
    }

    fn wrong(&self, name: &'static str, expected: &str) -> ConfigError {
        let secret = SETTINGS.iter().any(|s| s.name == name && s.secret);
        let (value, place) = if let Some(value) = self.environment.get(name) {
            (value.as_str(), "environment".to_owned())
        } else if let Some(value) = self.dotenv.get(name) {
            (value.as_str(), ".env".to_owned())
        } else {
            (self.file.get(name).map_or("", String::as_str), self.file_path.display().to_string())
        };
        let shown = if secret { "the value".to_owned() } else { format!("`{value}`") };
        ConfigError(format!("{name} ({place}): {shown} is not valid; expected {expected}."))
    }
}

/// The message for an unknown name, with the nearest known one.
fn unknown(name: &str, place: &str) -> ConfigError {
    let wanted = name.to_uppercase();
    let nearest = SETTINGS.iter().map(|s| s.name).min_by_key(|known| distance(known, &wanted));
    match nearest.filter(|known| distance(known, &wanted) <= 4) {
        Some(known) => ConfigError(format!("Unknown setting {name}{place}. Did you mean {known}?")),
        None => ConfigError(format!("Unknown setting {name}{place}. Remove it; .env.example lists them all.")),
    }
}

/// Levenshtein distance in bytes; names are ASCII.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
