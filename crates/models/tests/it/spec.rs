//! Names of models, and the variables they need.

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use tempfile::TempDir;
use tenter_models::Api;
use tenter_models::client::{ModelSpec, RetryPolicy};

use crate::chat::{Chat, patience};
use crate::raw_client::serve;

#[test]
fn invalid_specs_have_a_hint() {
    let specs = [
        "",
        "gpt-5",
        "openia:gpt-5",
        "anthropic:",
        "gemini:models/x",
        "http://",
        "https://?x#m",
        "scripted:",
        "scripted+openai:x",
        "mistral:large",
        "ftp://x",
    ];
    let errors: Vec<String> = specs
        .iter()
        .map(|spec| match ModelSpec::parse(spec) {
            Ok(spec) => panic!("{spec:?}"),
            Err(error) => format!("{spec}\n    {error}"),
        })
        .collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn missing_keys_and_files_are_named() {
    let error_of = |spec: &str, environment: &[(&str, &str)]| {
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
        ModelSpec::parse(spec)
            .unwrap()
            .connect(&environment)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for (spec, variable) in
        [("anthropic:m", "ANTHROPIC_API_KEY"), ("openai:m", "OPENAI_API_KEY"), ("gemini:m", "GEMINI_API_KEY")]
    {
        let expected = format!("; type: export {variable}=…");
        assert!(error_of(spec, &[]).ends_with(&expected), "{}", error_of(spec, &[]));
        assert!(error_of(spec, &[(variable, "  ")]).ends_with(&expected), "a blank key is none");
    }
    let wrong = error_of("openai:m", &[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "localhost")]);
    assert!(wrong.contains("OPENAI_BASE_URL is not an address"), "{wrong}");
    assert!(error_of("scripted:/nowhere/script.yaml", &[]).contains("/nowhere/script.yaml cannot be read"));
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("script.yaml");
    fs::write(&file, "version: 1\nturns: [ { sya: x } ]").unwrap();
    let error = error_of(&format!("scripted:{}", file.display()), &[]);
    assert!(error.ends_with("turn 1: unknown key `sya`; did you mean `say`?"), "{error}");
}

#[test]
fn server_without_model_lists_them() {
    let server = serve("version: 1\nturns: [ { say: one }, { say: two }, { say: three } ]");
    let url = server.url();
    for (spec, name) in [
        (format!("{url}/v1"), format!("{url}/v1#scripted")),
        (url.replace("//", "//me:secret@"), format!("{url}/v1#scripted")),
        (format!("{url}/v1/chat/completions#mine"), format!("{url}/v1#mine")),
    ] {
        let model = ModelSpec::parse(&spec).unwrap().connect(&[]).unwrap();
        assert_eq!(model.name(), name);
        assert!(!Chat::new(model).ask().unwrap().text().is_empty());
    }
    assert!(server.finish().is_complete());
    let error = ModelSpec::parse(&url).unwrap().connect(&[]).err().unwrap().to_string();
    assert!(
        error.contains("cannot be reached") && error.ends_with("start the server, or check the address"),
        "{error}"
    );
}

#[test]
fn script_is_played_in_the_named_api() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("script.yaml");
    fs::write(&file, "version: 1\nturns: [ { say: Hello. } ]").unwrap();
    let words =
        std::iter::once("scripted".to_owned()).chain(Api::ALL.map(|api| format!("scripted+{}", api.name())));
    for word in words {
        let spec = format!("{word}:{}", file.display());
        let model = ModelSpec::parse(&spec).unwrap().connect(&[]).unwrap();
        assert_eq!(model.name(), spec);
        assert_eq!(Chat::new(model).ask().unwrap().text(), "Hello.", "{spec}");
    }
}

#[test]
fn no_proxy_follows_the_shared_table() {
    for (url, list, direct) in include!("../../../net/tests/no_proxy_cases.in") {
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        proxy.set_nonblocking(true).unwrap();
        let address = format!("http://{}", proxy.local_addr().unwrap());
        let environment = [("HTTP_PROXY", address.as_str()), ("NO_PROXY", list)];
        let environment = environment.map(|(name, value)| (name.into(), value.into()));
        let patience = RetryPolicy { silence: Duration::from_millis(200), tries: 1, ..patience() };
        let spec = ModelSpec::parse(&format!("{url}v1#m")).unwrap().with_policy(patience);
        Chat::new(spec.connect(&environment).unwrap()).ask().unwrap_err();
        assert_eq!(proxy.accept().is_err(), direct, "{url} {list}");
    }
}
