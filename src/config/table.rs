//! The table of settings: the one place that knows every name and default.

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Name of the variable; the file has it in lower case.
    pub name: &'static str,
    /// Default, when there is one.
    pub default: Option<&'static str>,
    /// Whether the value must never be shown.
    pub secret: bool,
}

const fn plain(name: &'static str) -> Setting {
    Setting { name, default: None, secret: false }
}

const fn with(name: &'static str, default: &'static str) -> Setting {
    Setting { name, default: Some(default), secret: false }
}

const fn secret(name: &'static str) -> Setting {
    Setting { name, default: None, secret: true }
}

/// Every setting.
pub const SETTINGS: &[Setting] = &[
    with("ALMAGEST_ADDR", "127.0.0.1:8480"),
    plain("ALMAGEST_DATA_DIR"),
    plain("ALMAGEST_USERNAME"),
    secret("ALMAGEST_PASSWORD"),
    plain("ALMAGEST_PUBLIC_URL"),
    plain("ALMAGEST_ALLOWED_HOSTS"),
    plain("ALMAGEST_ALLOWED_ORIGINS"),
    plain("ALMAGEST_TRUSTED_PROXIES"),
    with("ALMAGEST_LOG", "info"),
    plain("LLM_BASE_URL"),
    secret("LLM_API_KEY"),
    plain("LLM_MODEL"),
    plain("LLM_PROVIDER"),
    plain("LLM_FALLBACK_MODEL"),
    plain("LLM_FALLBACK_CHAIN"),
    with("LLM_CONTEXT_WINDOW", "128000"),
    plain("LLM_MAX_OUTPUT_TOKENS"),
    with("LLM_ENABLE_THINKING", "false"),
    with("AGENT_MAX_STEPS", "40"),
    with("AGENT_SOFT_LIMIT", "0.8"),
    with("AGENT_MEMORY_BRIDGE", "true"),
    secret("ADS_API_TOKEN"),
    with("ADS_BASE_URL", "https://api.adsabs.harvard.edu/v1"),
    with("ADS_FALLBACK_BASE_URL", "https://api.scixplorer.org/v1"),
    with("ARXIV_API_URL", "https://export.arxiv.org/api/query"),
    with("ARXIV_BASE_URL", "https://arxiv.org"),
    plain("MINERU_API_URL"),
    plain("MINERU_BACKEND"),
    secret("MINERU_API_KEY"),
    with("MINERU_BASE_URL", "https://mineru.net/api/v4"),
    with("MINERU_MODEL", "vlm"),
    with("MINERU_DEADLINE_MINUTES", "120"),
    with("SESAME_URLS", "https://cds.unistra.fr/cgi-bin/nph-sesame,https://vizier.cfa.harvard.edu/viz-bin/nph-sesame"),
];
