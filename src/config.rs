//! Every setting, its default and its check.
//!
//! Settings come from the environment, from `.env` in the working folder, or from `almagest.toml` in the data folder (the
//! same names in lower case); the first that has a value wins, in this order. An unknown `ALMAGEST_*` variable, an unknown
//! key of the file or a malformed value stops the start with a message that names it.

mod parse;
mod table;

pub use table::{SETTINGS, Setting};

use parse::Values;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// A value that must not be shown: `Debug` and `Display` hide it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself; only for the request or the hash that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Why the configuration cannot be used; the text names the setting and says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Which wire format a model server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI-compatible chat completions.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
}

/// The language model that answers.
#[derive(Debug, Clone)]
pub struct LlmConfig {
    /// Base address, for example `https://api.openai.com/v1`.
    pub base_url: Url,
    /// Key, when the server wants one.
    pub api_key: Option<Secret>,
    /// Model name at the provider.
    pub model: String,
    /// Wire format.
    pub provider: Provider,
    /// Tokens that fit in the model's window.
    pub context_window: u32,
    /// Upper bound of an answer in tokens; the provider's own when absent.
    pub max_output_tokens: Option<u32>,
    /// Whether to ask for reasoning unless a request says otherwise.
    pub enable_thinking: bool,
    /// Models that answer when this one is overloaded, in order.
    pub fallbacks: Vec<FallbackModel>,
}

/// A model of the fallback chain.
#[derive(Debug, Clone)]
pub struct FallbackModel {
    /// Model name at the provider.
    pub model: String,
    /// Base address.
    pub base_url: Url,
    /// Key, when the server wants one.
    pub api_key: Option<Secret>,
    /// Wire format.
    pub provider: Provider,
}

/// Limits of a run.
#[derive(Debug, Clone)]
pub struct AgentConfig {
    /// Model calls in one run.
    pub max_steps: u32,
    /// The share of the model's window above which a conversation is summarised.
    pub soft_limit: f64,
    /// Whether what a summary leaves out is looked through for things to remember.
    pub memory_bridge: bool,
}

/// Addresses of the services that papers and targets come from. Each is a setting, so that a mirror, a proxy or a
/// recorded server can stand in.
#[derive(Debug, Clone)]
pub struct UpstreamConfig {
    /// ADS API token; without one arXiv alone is searched.
    pub ads_token: Option<Secret>,
    /// ADS API base, for example `https://api.adsabs.harvard.edu/v1`.
    pub ads_base: Url,
    /// Second ADS host, tried when the first cannot be reached; may be absent.
    pub ads_fallback_base: Option<Url>,
    /// arXiv query API.
    pub arxiv_api: Url,
    /// arXiv web site (abstracts, PDFs).
    pub arxiv_base: Url,
    /// MinerU, in its cloud or self-hosted.
    pub mineru: MineruConfig,
    /// Sesame name resolvers in order, each up to and without the options (`…/nph-sesame`).
    pub sesame: Vec<Url>,
}

/// MinerU, which reads PDFs. Without an address and without a token it is not used.
#[derive(Debug, Clone)]
pub struct MineruConfig {
    /// A `mineru-api` of one's own, for example `http://127.0.0.1:8000`.
    pub hosted: Option<Url>,
    /// Its backend; its own default when absent.
    pub backend: Option<String>,
    /// Token of the cloud.
    pub token: Option<Secret>,
    /// The cloud's API base.
    pub cloud: Url,
    /// The cloud's model: `vlm` or `pipeline`.
    pub model: String,
    /// After how long a paper is given up.
    pub deadline: Duration,
}

/// The whole configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address to listen on.
    pub addr: SocketAddr,
    /// Folder of the database, the workspace and the library.
    pub data_dir: PathBuf,
    /// The binary whose `shell-worker` confines child processes: this very one when absent. No setting: it is for programs
    /// that hold a server without being `almagest`.
    pub worker: Option<PathBuf>,
    /// First admin, created when there is no user yet.
    pub first_user: Option<(String, Secret)>,
    /// Address under which browsers reach the server, when it is not the listening address.
    pub public_url: Option<Url>,
    /// Further host names that are ours.
    pub allowed_hosts: Vec<String>,
    /// Foreign origins that may use the API (the development server).
    pub allowed_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-*` headers are believed.
    pub trusted_proxies: Vec<std::net::IpAddr>,
    /// Filter of the log, in the syntax of `tracing`.
    pub log: String,
    /// The model, when one is configured.
    pub llm: Option<LlmConfig>,
    /// Limits of a run.
    pub agent: AgentConfig,
    /// Outside services.
    pub upstreams: UpstreamConfig,
}

impl Config {
    /// Reads the environment, `.env` and the file in the data folder.
    ///
    /// # Errors
    /// With one sentence that names the setting that is wrong.
    pub fn load() -> Result<Self, ConfigError> {
        let environment = parse::environment()?;
        let dotenv = parse::dotenv(Path::new(".env"))?;
        Self::from_sources(environment, dotenv)
    }

    /// As [`Config::load`], from explicit sources: the environment first, then the lines of `.env`.
    ///
    /// # Errors
    /// With one sentence that names the setting that is wrong.
    pub fn from_sources(
        environment: BTreeMap<String, String>,
        dotenv: BTreeMap<String, String>,
    ) -> Result<Self, ConfigError> {
        let mut values = Values::new(environment, dotenv)?;
        let data_dir = match values.text("ALMAGEST_DATA_DIR")? {
            Some(folder) => PathBuf::from(folder),
            None => parse::default_data_dir(&values)?,
        };
        values.add_file(&data_dir.join("almagest.toml"))?;
        let config = Self {
            addr: values.parsed("ALMAGEST_ADDR", "an address and port such as 127.0.0.1:8480")?,
            data_dir,
            worker: None,
            first_user: first_user(&values)?,
            public_url: values.url("ALMAGEST_PUBLIC_URL")?,
            allowed_hosts: values.list("ALMAGEST_ALLOWED_HOSTS")?,
            allowed_origins: values.origins("ALMAGEST_ALLOWED_ORIGINS")?,
            trusted_proxies: values.parsed_list("ALMAGEST_TRUSTED_PROXIES", "IP addresses separated by commas")?,
            log: values.required("ALMAGEST_LOG")?,
            llm: llm(&values)?,
            agent: AgentConfig {
                max_steps: values.parsed_in("AGENT_MAX_STEPS", 1..=1000, "a whole number from 1 to 1000")?,
                soft_limit: values.parsed_in("AGENT_SOFT_LIMIT", 0.2..=0.95, "a part of one from 0.2 to 0.95")?,
                memory_bridge: values.parsed("AGENT_MEMORY_BRIDGE", "true or false")?,
            },
            upstreams: UpstreamConfig {
                ads_token: values.text("ADS_API_TOKEN")?.map(Secret::new),
                ads_base: values.required_url("ADS_BASE_URL")?,
                ads_fallback_base: values.url("ADS_FALLBACK_BASE_URL")?,
                arxiv_api: values.required_url("ARXIV_API_URL")?,
                arxiv_base: values.required_url("ARXIV_BASE_URL")?,
                mineru: mineru(&values)?,
                sesame: values.urls("SESAME_URLS")?,
            },
        };
        if config.log.parse::<tracing_subscriber::EnvFilter>().is_err() {
            return Err(ConfigError(format!(
                "ALMAGEST_LOG: `{}` is no log filter; use a level such as info or debug, or `almagest=debug,info`.",
                config.log
            )));
        }
        Ok(config)
    }

    /// The SQLite file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data_dir.join("almagest.db")
    }
}

fn first_user(values: &Values) -> Result<Option<(String, Secret)>, ConfigError> {
    match (values.text("ALMAGEST_USERNAME")?, values.text("ALMAGEST_PASSWORD")?) {
        (Some(name), Some(password)) => Ok(Some((name, Secret::new(password)))),
        (None, None) => Ok(None),
        (Some(_), None) => {
            Err(ConfigError("ALMAGEST_USERNAME is set without ALMAGEST_PASSWORD: set both or none.".into()))
        }
        (None, Some(_)) => {
            Err(ConfigError("ALMAGEST_PASSWORD is set without ALMAGEST_USERNAME: set both or none.".into()))
        }
    }
}

fn mineru(values: &Values) -> Result<MineruConfig, ConfigError> {
    let minutes: u64 = values.parsed_in(
        "MINERU_DEADLINE_MINUTES",
        1..=10_080,
        "a number of minutes from 1 to 10080, which is a week",
    )?;
    let model = values.required("MINERU_MODEL")?;
    if !matches!(model.as_str(), "vlm" | "pipeline") {
        return Err(ConfigError(format!("MINERU_MODEL: `{model}` is unknown; use vlm or pipeline.")));
    }
    Ok(MineruConfig {
        hosted: values.url("MINERU_API_URL")?,
        backend: values.text("MINERU_BACKEND")?,
        token: values.text("MINERU_API_KEY")?.map(Secret::new),
        cloud: values.required_url("MINERU_BASE_URL")?,
        model,
        deadline: Duration::from_secs(minutes * 60),
    })
}

fn llm(values: &Values) -> Result<Option<LlmConfig>, ConfigError> {
    let base_url = values.url("LLM_BASE_URL")?;
    let model = values.text("LLM_MODEL")?;
    let provider = values.text("LLM_PROVIDER")?;
    let context_window =
        values.parsed_in("LLM_CONTEXT_WINDOW", 1024..=10_000_000, "a number of tokens, at least 1024")?;
    let max_output_tokens = values.optional("LLM_MAX_OUTPUT_TOKENS", "a number of tokens")?;
    let enable_thinking = values.parsed("LLM_ENABLE_THINKING", "true or false")?;
    let (base_url, model) = match (base_url, model) {
        (Some(base_url), Some(model)) => (base_url, model),
        (None, None) => return Ok(None),
        (Some(_), None) => {
            return Err(ConfigError("LLM_BASE_URL is set without LLM_MODEL: name the model to use.".into()));
        }
        (None, Some(_)) => {
            return Err(ConfigError(
                "LLM_MODEL is set without LLM_BASE_URL: give the address of its server, such as https://api.openai.com/v1."
                    .into(),
            ));
        }
    };
    let provider = match provider.as_deref() {
        Some("openai") => Provider::OpenAi,
        Some("anthropic") => Provider::Anthropic,
        Some(other) => {
            return Err(ConfigError(format!("LLM_PROVIDER: `{other}` is unknown; use openai or anthropic.")));
        }
        None => guess(&base_url),
    };
    let api_key = values.text("LLM_API_KEY")?.map(Secret::new);
    let mut llm = LlmConfig {
        base_url,
        api_key,
        model,
        provider,
        context_window,
        max_output_tokens,
        enable_thinking,
        fallbacks: Vec::new(),
    };
    for name in ["LLM_FALLBACK_MODEL", "LLM_FALLBACK_CHAIN"] {
        for entry in values.list(name)? {
            let fallback = fallback(values, &llm, name, &entry)?;
            // Naming a model twice would only ask the same one again.
            let same = |model: &str, url: &Url| model == fallback.model && *url == fallback.base_url;
            if !same(&llm.model, &llm.base_url) && !llm.fallbacks.iter().any(|it| same(&it.model, &it.base_url)) {
                llm.fallbacks.push(fallback);
            }
        }
    }
    Ok(Some(llm))
}

/// The format that a server of this address most likely speaks.
fn guess(base_url: &Url) -> Provider {
    let anthropic = |host: &str| host == "anthropic.com" || host.ends_with(".anthropic.com");
    if base_url.host_str().is_some_and(anthropic) { Provider::Anthropic } else { Provider::OpenAi }
}

/// Reads `name`, `name@base_url` or `name@base_url#KEY_VARIABLE`. A model of the same server uses its key as well.
fn fallback(values: &Values, llm: &LlmConfig, setting: &str, entry: &str) -> Result<FallbackModel, ConfigError> {
    let wrong =
        |why: &str| ConfigError(format!("{setting}: `{entry}` {why}; an entry is name or name@base_url#KEY_VARIABLE."));
    // A model's name may have an `@` itself.
    let at = ["@http://", "@https://"].iter().find_map(|mark| entry.rfind(mark));
    let Some(at) = at else {
        if entry.contains('#') {
            return Err(wrong("names a key without the address that it is for"));
        }
        return Ok(FallbackModel {
            model: entry.to_owned(),
            base_url: llm.base_url.clone(),
            api_key: llm.api_key.clone(),
            provider: llm.provider,
        });
    };
    let (model, address) = (&entry[..at], &entry[at + 1..]);
    let (address, variable) = address.split_once('#').map_or((address, None), |(address, name)| (address, Some(name)));
    let base_url = Url::parse(address).map_err(|_| wrong("has an address that is none"))?;
    if model.is_empty() || !base_url.has_host() {
        return Err(wrong("has no name or no host"));
    }
    let api_key = match variable {
        Some(name) => {
            let key = values.variable(name).ok_or_else(|| wrong("names a key variable that is not set"))?;
            Some(Secret::new(key))
        }
        None if base_url.origin() == llm.base_url.origin() => llm.api_key.clone(),
        None => None,
    };
    Ok(FallbackModel { model: model.to_owned(), provider: guess(&base_url), base_url, api_key })
}

#[cfg(test)]
mod tests;
