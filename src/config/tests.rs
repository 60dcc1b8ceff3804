use super::*;
use rstest::rstest;

fn load(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let mut environment: BTreeMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    environment.entry("HOME".into()).or_insert_with(|| "/nowhere".into());
    Config::from_sources(environment, BTreeMap::new())
}

#[test]
fn defaults_are_valid_and_the_data_folder_follows_xdg() {
    let config = load(&[("XDG_DATA_HOME", "/data")]).unwrap();
    assert_eq!(config.addr.to_string(), "127.0.0.1:8480");
    assert_eq!(config.data_dir, PathBuf::from("/data/almagest"));
    assert_eq!(config.upstreams.sesame.len(), 2);
    assert!(config.llm.is_none());
}

#[rstest]
#[case(&[("ALMAGEST_ADDR", "8480")], "ALMAGEST_ADDR (environment): `8480` is not valid; expected an address and port")]
#[case(&[("ALMAGEST_ADR", "x")], "Unknown setting ALMAGEST_ADR. Did you mean ALMAGEST_ADDR?")]
#[case(&[("ALMAGEST_ALLOWED_ORIGINS", "http://localhost:5173/x")], "ALMAGEST_ALLOWED_ORIGINS")]
#[case(&[("LLM_BASE_URL", "http://localhost:1/v1")], "LLM_MODEL")]
#[case(&[("LLM_MODEL", "m")], "LLM_BASE_URL")]
#[case(&[("LLM_BASE_URL", "http://l/v1"), ("LLM_MODEL", "m"), ("LLM_PROVIDER", "gemini")], "LLM_PROVIDER")]
#[case(&[("LLM_CONTEXT_WINDOW", "lots")], "LLM_CONTEXT_WINDOW")]
#[case(&[("AGENT_MAX_STEPS", "0")], "AGENT_MAX_STEPS")]
#[case(&[("SESAME_URLS", "ftp://example.org/x")], "SESAME_URLS")]
#[case(&[("ALMAGEST_USERNAME", "ada")], "ALMAGEST_PASSWORD")]
#[case(&[("ALMAGEST_LOG", "almagest=loud=x")], "ALMAGEST_LOG")]
fn a_malformed_setting_is_named(#[case] pairs: &[(&str, &str)], #[case] expected: &str) {
    let error = load(pairs).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn the_file_is_read_after_the_environment_and_its_unknown_keys_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let file = folder.path().join("almagest.toml");
    std::fs::write(
        &file,
        "almagest_addr = \"127.0.0.1:1\"\nagent_max_steps = 7\nalmagest_allowed_hosts = [\"a\", \"b\"]\n",
    )
    .unwrap();
    let config = load(&[("ALMAGEST_DATA_DIR", dir), ("ALMAGEST_ADDR", "127.0.0.1:2")]).unwrap();
    assert_eq!(config.addr.port(), 2);
    assert_eq!(config.agent.max_steps, 7);
    assert_eq!(config.allowed_hosts, ["a", "b"]);
    std::fs::write(&file, "almagest_adress = 1\n").unwrap();
    let error = load(&[("ALMAGEST_DATA_DIR", dir)]).unwrap_err().to_string();
    assert!(error.contains("almagest_adress") && error.contains("almagest.toml"), "{error}");
}

#[test]
fn secrets_are_not_shown() {
    let config =
        load(&[("ADS_API_TOKEN", "hunter2"), ("ALMAGEST_USERNAME", "a"), ("ALMAGEST_PASSWORD", "hunter2")]).unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn the_fallback_chain_names_models_servers_and_keys() {
    let base = [("LLM_BASE_URL", "https://a.example/v1"), ("LLM_MODEL", "m"), ("LLM_API_KEY", "k")];
    let with = |more: &[(&'static str, &'static str)]| load(&[base.as_slice(), more].concat());
    let chain = "m, n, p@q@https://api.anthropic.com#OTHER_KEY, l@http://127.0.0.1:11434/v1";
    let config = with(&[("LLM_FALLBACK_MODEL", "n"), ("LLM_FALLBACK_CHAIN", chain), ("OTHER_KEY", "o")]).unwrap();
    let seen: Vec<(String, String, Option<String>, Provider)> = config
        .llm
        .unwrap()
        .fallbacks
        .into_iter()
        .map(|it| {
            let host = it.base_url.host_str().unwrap_or_default().to_owned();
            (it.model, host, it.api_key.map(|key| key.expose().to_owned()), it.provider)
        })
        .collect();
    let expected = [
        ("n", "a.example", Some("k"), Provider::OpenAi),
        ("p@q", "api.anthropic.com", Some("o"), Provider::Anthropic),
        ("l", "127.0.0.1", None, Provider::OpenAi),
    ];
    let expected = expected
        .map(|(model, host, key, provider)| (model.to_owned(), host.to_owned(), key.map(str::to_owned), provider));
    assert_eq!(seen, expected, "each model once, and no key for a foreign server that names none");
    for wrong in ["x#KEY", "x@http://h#NOT_SET", "@http://h", "x@http://"] {
        let error = with(&[("LLM_FALLBACK_CHAIN", wrong)]).unwrap_err().to_string();
        assert!(error.contains("LLM_FALLBACK_CHAIN") && error.contains("name@base_url"), "{error}");
    }
}
