//! Kinds of tokens that the public rules of gitleaks describe, and a few that are younger than those.

use super::{ALNUM, BASE64, DASH, HEX, Random, Redactor, UPPER, percent, remains};

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS: &str = "123456789";

fn uuid(random: &mut Random) -> String {
    [8, 4, 4, 4, 12].map(|length| random.text(HEX, length)).join("-")
}

fn more_tokens() -> Vec<(&'static str, String)> {
    let random = &mut Random(0x5eed_4321_dcba_0002);
    let mut rows = Vec::new();
    for (kind, begin, alphabet, length) in [
        ("Adobe", "p8e-", LOWER, 32),
        ("Amazon Bedrock", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", BASE64, 120),
        ("Anthropic admin", "sk-ant-admin01-", DASH, 95),
        ("Anthropic OAuth", "sk-ant-oat01-", DASH, 95),
        ("Anyscale", "esecret_", LOWER, 28),
        ("AWS other", "A3TX", UPPER, 16),
        ("Cerebras", "csk-", ALNUM, 48),
        ("Cloudflare account", "cfat_", ALNUM, 48),
        ("Cloudflare user", "cfut_", ALNUM, 48),
        ("Defined Networking", "dnkey-", UPPER, 80),
        ("Dropbox", "sl.", DASH, 135),
        ("Duffel", "duffel_test_", DASH, 43),
        ("E2B", "e2b_", HEX, 40),
        ("EasyPost", "EZTK", ALNUM, 54),
        ("ElevenLabs", "sk_", HEX, 48),
        ("Figma user", "figu_", DASH, 40),
        ("Firecrawl", "fc-", HEX, 32),
        ("Fireworks", "fw_", ALNUM, 24),
        ("Fly macaroon", "fm1a_", BASE64, 120),
        ("Frame.io", "fio-u-", DASH, 64),
        ("GitLab feature flags", "glffct-", DASH, 20),
        ("GitLab mail", "glimt-", DASH, 25),
        ("GitLab workspace", "glwt-", DASH, 20),
        ("Grafana before", "eyJrIjoi", ALNUM, 90),
        ("Hugging Face organisation", "api_org_", ALNUM, 34),
        ("Infracost", "ico-", ALNUM, 32),
        ("Intra 42", "s-s4t2ud-", HEX, 64),
        ("Jina", "jina_", ALNUM, 60),
        ("JWT in base64", "ZXlKaGJHY2lPaU", ALNUM, 300),
        ("Lob", "live_", HEX, 35),
        ("Mapbox", "sk.eyJ", ALNUM, 80),
        ("Neon", "napi_", LOWER, 60),
        ("New Relic insert", "NRII-", DASH, 32),
        ("Octopus", "API-", UPPER, 26),
        ("OpenAI service account", "sk-svcacct-", DASH, 120),
        ("Pinecone", "pcsk_", ALNUM, 64),
        ("PostHog", "phx_", ALNUM, 43),
        ("Render", "rnd_", ALNUM, 28),
        ("Resend", "re_", ALNUM, 33),
        ("Scalingo", "tk-us-", DASH, 48),
        ("SettleMint", "sm_pat_", ALNUM, 16),
        ("Shippo", "shippo_test_", HEX, 40),
        ("Slack workflow", "xwfp-", DASH, 40),
        ("Snyk", "snyk_uat.", DASH, 60),
        ("Square production", "EAAAE", DASH, 59),
        ("Stripe prod", "sk_prod_", ALNUM, 24),
        ("Tavily", "tvly-dev-", ALNUM, 32),
        ("Ubidots", "BBFF-", ALNUM, 30),
        ("Vercel", "vcp_", ALNUM, 56),
        ("Vercel blob", "vercel_blob_rw_", ALNUM, 46),
        ("Voyage", "pa-", DASH, 43),
        ("Weights & Biases", "wandb_v1_", ALNUM, 70),
        ("Yandex", "AQVN", DASH, 36),
        ("Yandex storage", "YCAJ", DASH, 36),
        ("Zuplo", "zpka_", HEX, 41),
    ] {
        rows.push((kind, format!("{begin}{}", random.text(alphabet, length))));
    }
    let mut push = |kind, token| rows.push((kind, token));
    push("Shopify in capitals", format!("shpat_{}", random.text(HEX, 32).to_uppercase()));
    push("Artifactory", format!("cmVmd{}", random.text(ALNUM, 59)));
    push("crates.io", format!("cio{}", random.text(ALNUM, 32)));
    push("ClickHouse", format!("4b1d{}", random.text(ALNUM, 38)));
    push("Plaid", format!("access-production-{}", uuid(random)));
    push("HubSpot", format!("pat-na1-{}", uuid(random)));
    push("LaunchDarkly", format!("sdk-{}", uuid(random)));
    push("Amazon MWS", format!("amzn.mws.{}", uuid(random)));
    push(
        "Asana",
        format!("2/{}/{}:{}", random.text(DIGITS, 16), random.text(DIGITS, 16), random.text(HEX, 32)),
    );
    push("Facebook", format!("{}|{}", random.text(DIGITS, 15), random.text(DASH, 27)));
    push("Mailchimp", format!("{}-us12", random.text(HEX, 32)));
    push("New Relic licence", format!("{}NRAL", random.text(HEX, 36)));
    push("Azure DevOps", format!("{}AZDO{}", random.text(ALNUM, 76), random.text(ALNUM, 4)));
    push("Salesforce", format!("00D{}!AQ{}", random.text(ALNUM, 12), random.text(ALNUM, 90)));
    push("Braintree", format!("access_token$production${}${}", random.text(LOWER, 16), random.text(HEX, 32)));
    push(
        "Harness",
        format!("pat.{}.{}.{}", random.text(DASH, 22), random.text(ALNUM, 24), random.text(ALNUM, 20)),
    );
    push(
        "Discord hook",
        format!("https://discord.com/api/v10/webhooks/{}/{}", random.text(DIGITS, 18), random.text(DASH, 68)),
    );
    rows
}

/// Every punctuation mark and low line as JSON may write it.
fn escaped(text: &str) -> String {
    let one =
        |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    text.chars().map(one).collect()
}

fn more_places(token: &str) -> Vec<(&'static str, String)> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    vec![
        ("alone", token.to_owned()),
        ("command", format!("X={token} make")),
        ("JSON", format!("{{\"a\": {}}}", quoted(token))),
        ("JSON in JSON in JSON", quoted(&quoted(&format!("{{\"a\": {}}}", quoted(token))))),
        ("unicode escapes", format!("{{\"a\": \"{}\"}}", escaped(token))),
        ("escaped slashes", format!("{{\"a\": \"{}\"}}", token.replace('/', "\\/"))),
        ("HTML", format!("value=&quot;{token}&quot;")),
        ("address", format!("https://h/p?x={token}&y=1")),
        ("percent", format!("https://h/?x={}", percent(token))),
        ("header", format!("curl -H 'X-Api-Key: {token}' h")),
        ("sentence", format!("I used {token}, and it failed.")),
        ("new line", format!("one\n{token}\ntwo")),
        ("continued line", format!("curl \\\n  {token} \\\n  x")),
    ]
}

#[test]
fn no_token_of_the_public_rules_remains() {
    let redactor = Redactor::default();
    let tokens = more_tokens();
    assert!(tokens.len() >= 60, "{}", tokens.len());
    let mut left = Vec::new();
    for (kind, token) in &tokens {
        for (place, text) in more_places(token) {
            let clean = redactor.text(&text).unwrap_or_else(|| text.clone());
            if [token.clone(), percent(token), escaped(token)].iter().any(|secret| remains(&clean, secret)) {
                left.push(format!("{kind}, {place}: {clean}"));
            }
            if !redactor.suspects(serde_json::json!({ "x": text }).to_string().as_bytes()) {
                left.push(format!("{kind}, {place}: not suspected"));
            }
        }
    }
    assert!(left.is_empty(), "{} remain:\n{}", left.len(), left.join("\n"));
}
