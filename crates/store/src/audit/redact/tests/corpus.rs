//! Every usual kind of secret in every usual place, and texts that only look so.

use tenter_protocol::shorten;

use super::super::Redactor;

mod kinds;
mod stored;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DASH: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Random, and the same in every run.
struct Random(u64);

impl Random {
    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut next = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            letters[usize::try_from(self.0 >> 33).unwrap() % letters.len()]
        };
        // A capital, a small letter and a digit, so that no row depends on luck.
        let body: String = (0..length.saturating_sub(3)).map(|_| next()).collect();
        let sure: String = ['A', 'b', '7'].iter().filter(|c| alphabet.contains(**c)).collect();
        let body = format!("{sure}{body}");
        format!("{body}{}", "7".repeat(length.saturating_sub(body.len())))
    }
}

/// Tokens that are known by their form: the kind, and one of it.
fn tokens() -> Vec<(&'static str, String)> {
    let mut random = Random(0x5eed_1234_abcd_0001);
    let mut rows = Vec::new();
    let mut add = |kind, begin: &str, alphabet: &str, length: usize| {
        rows.push((kind, format!("{begin}{}", random.text(alphabet, length))));
    };
    for (kind, begin, alphabet, length) in [
        ("GitHub", "ghp_", ALNUM, 36),
        ("GitHub OAuth", "gho_", ALNUM, 36),
        ("GitHub app", "ghs_", ALNUM, 36),
        ("GitHub fine-grained", "github_pat_11A", ALNUM, 70),
        ("GitLab", "glpat-", DASH, 20),
        ("GitLab runner", "glrt-", DASH, 20),
        ("Bitbucket", "ATBB", ALNUM, 32),
        ("Atlassian", "ATATT3xFfGF0", DASH, 170),
        ("npm", "npm_", ALNUM, 36),
        ("PyPI", "pypi-AgEIcHlwaS5vcmc", DASH, 120),
        ("RubyGems", "rubygems_", HEX, 48),
        ("Docker", "dckr_pat_", DASH, 27),
        ("Artifactory", "AKCp", ALNUM, 69),
        ("OpenAI", "sk-", ALNUM, 48),
        ("OpenAI project", "sk-proj-", ALNUM, 64),
        ("Anthropic", "sk-ant-api03-", DASH, 95),
        ("OpenRouter", "sk-or-v1-", HEX, 64),
        ("Groq", "gsk_", ALNUM, 52),
        ("xAI", "xai-", ALNUM, 80),
        ("Perplexity", "pplx-", ALNUM, 48),
        ("Replicate", "r8_", ALNUM, 37),
        ("Hugging Face", "hf_", ALNUM, 34),
        ("AWS", "AKIA", UPPER, 16),
        ("AWS session", "ASIA", UPPER, 16),
        ("Google", "AIza", ALNUM, 35),
        ("Google OAuth secret", "GOCSPX-", DASH, 28),
        ("Google OAuth token", "ya29.", DASH, 150),
        ("Google refresh", "1//0", ALNUM, 60),
        ("DigitalOcean", "dop_v1_", HEX, 64),
        ("DigitalOcean OAuth", "doo_v1_", HEX, 64),
        ("Databricks", "dapi", HEX, 32),
        ("Fly", "fo1_", DASH, 43),
        ("Netlify", "nfp_", ALNUM, 36),
        ("Supabase", "sbp_", HEX, 40),
        ("PlanetScale", "pscale_tkn_", DASH, 43),
        ("Pulumi", "pul-", HEX, 40),
        ("Tailscale", "tskey-auth-", ALNUM, 40),
        ("Vault", "hvs.", DASH, 95),
        ("Vault batch", "hvb.", DASH, 140),
        ("Doppler", "dp.pt.", ALNUM, 43),
        ("Doppler service", "dp.st.dev.", ALNUM, 41),
        ("1Password", "ops_eyJ", ALNUM, 250),
        ("age", "AGE-SECRET-KEY-1", UPPER, 58),
        ("Stripe", "sk_live_", ALNUM, 24),
        ("Stripe restricted", "rk_live_", ALNUM, 24),
        ("Stripe webhook", "whsec_", ALNUM, 32),
        ("Square", "sq0atp-", DASH, 22),
        ("Shopify", "shpat_", HEX, 32),
        ("Shopify shared", "shpss_", HEX, 32),
        ("Slack bot", "xoxb-123456789012-1234567890123-", ALNUM, 24),
        ("Slack user", "xoxp-123456789012-", ALNUM, 32),
        ("Slack app", "xapp-1-A0123456789-", HEX, 64),
        ("Twilio", "SK", HEX, 32),
        ("Brevo", "xkeysib-", HEX, 64),
        ("Linear", "lin_api_", ALNUM, 40),
        ("Notion", "ntn_", ALNUM, 46),
        ("Notion before", "secret_", ALNUM, 43),
        ("Figma", "figd_", DASH, 40),
        ("Postman", "PMAK-", HEX, 59),
        ("New Relic", "NRAK-", UPPER, 27),
        ("Sentry", "sntryu_", HEX, 64),
        ("Grafana", "glsa_", ALNUM, 41),
    ] {
        add(kind, begin, alphabet, length);
    }
    let mut part = |length| random.text(DASH, length);
    rows.push(("SendGrid", format!("SG.{}.{}", part(22), part(43))));
    rows.push(("Telegram", format!("123456789:AA{}", part(33))));
    rows.push(("Discord", format!("MTA4{}.{}.{}", "x9Yz2KqLmN0pQrStUvWx", "Gx1y2Z", part(38))));
    rows.push(("Azure", format!("Ab18Q~{}", random.text(ALNUM, 34))));
    rows.push(("Terraform", format!("{}.atlasv1.{}", random.text(ALNUM, 14), random.text(ALNUM, 67))));
    rows.push((
        "JWT",
        format!("eyJ{}.eyJ{}.{}", random.text(ALNUM, 20), random.text(ALNUM, 60), random.text(ALNUM, 43)),
    ));
    rows
}

fn percent(text: &str) -> String {
    let encode = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

fn base64(text: &str) -> String {
    let letters = BASE64.as_bytes();
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let six = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap();
            out.push(if place > three.len() { '=' } else { char::from(letters[six]) });
        }
    }
    out
}

/// Places where a token occurs.
fn places(token: &str) -> Vec<(&'static str, String)> {
    vec![
        ("alone", token.to_owned()),
        ("assignment", format!("export SOMETHING={token} && make")),
        ("JSON", format!("{{\"a\": \"{token}\", \"b\": 1}}")),
        ("JSON in JSON", format!("{{\\\"a\\\":\\\"{token}\\\"}}")),
        ("header", format!("curl -H 'X-Whatever: {token}' https://h")),
        ("bearer", format!("Authorization: Bearer {token}")),
        ("address", format!("https://h/p?x={token}&y=1")),
        ("user of an address", format!("https://oauth2:{token}@h/p.git")),
        ("option", format!("tool --whatever {token} --other")),
        ("YAML", format!("a:\n  b: {token}\n  c: d")),
        ("quotes", format!("x = '{token}';")),
        ("brackets", format!("[link]({token})")),
        ("sentence", format!("I used {token}, and it failed.")),
        ("new line", format!("one\n{token}\ntwo")),
        ("escaped new line", format!("one\\n{token}\\ntwo")),
        ("glued", format!("prefix{token}")),
        ("glued to a capital", format!("KEY{token}")),
        ("percent", format!("https://h/?x={}&y=%20", percent(token))),
        ("percent twice", format!("https://h/?x={}", percent(&percent(token)))),
        ("basic", format!("Authorization: Basic {}", base64(&format!("user:{token}")))),
        (
            "docker",
            format!("{{\"auths\": {{\"h\": {{\"auth\": \"{}\"}}}}}}", base64(&format!("user:{token}"))),
        ),
    ]
}

/// Whether ten letters of the random part of a secret are still there.
fn remains(clean: &str, secret: &str) -> bool {
    let body = &secret.as_bytes()[secret.len().saturating_sub(24).min(secret.len() / 2)..];
    body.windows(10).any(|part| clean.as_bytes().windows(10).any(|window| window == part))
}

#[test]
fn no_token_remains_in_any_place() {
    let redactor = Redactor::default();
    let tokens = tokens();
    assert!(tokens.len() >= 60, "{}", tokens.len());
    let mut left = Vec::new();
    for (kind, token) in &tokens {
        for (place, text) in places(token) {
            // Base64 in an address keeps its form only behind a letter.
            let clean = redactor.text(&text).unwrap_or_else(|| text.clone());
            let encoded = [token.clone(), percent(token), base64(&format!("user:{token}"))];
            if encoded.iter().any(|secret| remains(&clean, secret)) {
                left.push(format!("{kind}, {place}: {clean}"));
            }
            let json = serde_json::json!({ "x": text }).to_string();
            if !redactor.suspects(json.as_bytes()) {
                left.push(format!("{kind}, {place}: not suspected"));
            }
        }
    }
    assert!(left.is_empty(), "{} remain:\n{}", left.len(), left.join("\n"));
}

#[test]
fn cut_text_keeps_no_part_of_a_token() {
    let redactor = Redactor::default();
    let mut left = Vec::new();
    for (kind, token) in tokens() {
        for before in (1024_usize.saturating_sub(token.len() + 2)..=1024).step_by(3) {
            let text = format!(
                "{} {token} {}",
                "word ".repeat(300)[..before].to_owned(),
                "y".repeat(shorten::LIMIT)
            );
            let short = shorten::text(&text);
            let clean = redactor.text(&short).unwrap_or(short);
            if remains(&clean, &token) {
                left.push(format!("{kind} at {before}"));
            }
        }
    }
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn secrets_are_known_by_the_text_before_them() {
    let redactor = Redactor::default();
    let mut random = Random(0xfeed_beef_0000_0001);
    let value = random.text(ALNUM, 24);
    let key = format!("{}==", random.text(ALNUM, 86));
    let hex = random.text(HEX, 32);
    let rows = [
        format!("mysql -u root -p{value} db"),
        format!("mysqldump --password={value} db"),
        format!("mysql --password {value} db"),
        format!("cmd --password '{value}'"),
        format!("cmd --api-key {value}"),
        format!("cmd --client-secret \"{value}\""),
        format!("cmd --token={value}"),
        format!("[\"docker\", \"login\", \"--password\", \"{value}\"]"),
        format!("docker login -u me -p {value} registry"),
        format!("sshpass -p '{value}' ssh h"),
        format!("sshpass -p{value} ssh h"),
        format!("redis-cli -h h -a {value} ping"),
        format!("curl -u me:{value} https://h"),
        format!("curl --user me:{value} https://h"),
        format!("curl -b 'sid={value}' https://h"),
        format!("curl -H 'Cookie: sid={value}; theme=dark' https://h"),
        format!("Set-Cookie: session={value}; Path=/; HttpOnly"),
        format!("{{\"Cookie\": \"sid={value}\"}}"),
        format!("ldapsearch -D cn=x -w {value}"),
        format!("sqlcmd -S h -U sa -P {value}"),
        format!("openssl rsa -passin pass:{value}"),
        format!("keytool -list -storepass {value}"),
        format!("machine h login me password {value}"),
        format!("machine h\n  login me\n  password {value}\n"),
        format!("ALTER USER me WITH PASSWORD '{value}'"),
        format!("CREATE USER me IDENTIFIED BY '{value}'"),
        format!("aws configure set aws_secret_access_key {key}"),
        format!("aws_secret_access_key = {key}"),
        format!("DefaultEndpointsProtocol=https;AccountName=x;AccountKey={key};EndpointSuffix=h"),
        format!("Endpoint=sb://h/;SharedAccessKeyName=x;SharedAccessKey={key}"),
        format!("https://h.blob.core.windows.net/c?sv=2024-01-01&se=2026&sig={value}%2Fab%3D"),
        format!("https://b.s3.amazonaws.com/k?X-Amz-Signature={hex}{hex}"),
        format!("https://hooks.slack.com/services/T012AB/B012AB/{value}"),
        format!("https://discord.com/api/webhooks/123456789012345678/{key}"),
        format!("TWILIO_AUTH_TOKEN={hex}"),
        format!("DD_API_KEY={hex}"),
        format!("STRIPE_KEY={value}"),
        format!("Server=h;Uid=sa;Pwd={value};"),
        format!("db_pass: {value}"),
        format!("<password>{value}</password>"),
        format!("Authorization: token {value}"),
        format!("Authorization: {value}"),
        format!("authorization: Basic {}", base64(&format!("me:{value}"))),
        format!("\"auth\": \"{}\"", base64(&format!("me:{value}"))),
        format!("_auth={}", base64(&format!("me:{value}"))),
        format!("//registry.npmjs.org/:_authToken={value}"),
        format!("X-Vault-Token: {value}"),
        format!("x-api-key: {value}"),
        format!("password%3D{value}%26x"),
        format!("Authorization%3A%20Bearer%20{value}"),
        format!("https://{value}@github.com/a/b"),
        format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{key}\n-----END PGP PRIVATE KEY BLOCK-----"),
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\\n{key}\\n"),
        format!("{{\"password\": \"!{value}\"}}"),
    ];
    let mut left = Vec::new();
    for text in &rows {
        let clean = redactor.text(text).unwrap_or_else(|| text.clone());
        if [&value, &key, &hex, &base64(&format!("me:{value}"))].iter().any(|secret| remains(&clean, secret))
        {
            left.push(clean);
        }
        let json = serde_json::json!({ "x": text }).to_string();
        if !redactor.suspects(json.as_bytes()) {
            left.push(format!("not suspected: {text}"));
        }
    }
    assert!(left.is_empty(), "{} remain:\n{}", left.len(), left.join("\n"));
}

#[test]
fn harmless_texts_stay_whole() {
    let redactor = Redactor::default();
    let mut random = Random(0x0dd5_eed5_0000_0001);
    let (sha1, sha256) = (random.text(HEX, 40), random.text(HEX, 64));
    let image = random.text(BASE64, 4000);
    let integrity = random.text(BASE64, 86);
    let rows = [
        format!("commit {sha1}\nAuthor: Ann <ann@example.com>"),
        format!("git show {sha1}:src/main.rs"),
        format!("sha256:{sha256}"),
        format!("image@sha256:{sha256}"),
        format!("\"integrity\": \"sha512-{integrity}==\""),
        format!("checksum = \"{sha256}\""),
        format!("h1:{}=", random.text(BASE64, 43)),
        format!("data:image/png;base64,{image}"),
        format!("task-{sha1}"),
        format!("\"hash\": \"{sha256}\", \"tree\": \"{sha1}\""),
        format!("cache-key-{}", random.text(HEX, 32)),
        "550e8400-e29b-41d4-a716-446655440000".to_owned(),
        "session 0b1c2d3e-0000-4000-8000-123456789abc".to_owned(),
        "The password is required. Enter your password below.".to_owned(),
        "Use --password to set a password, or --token if you have one.".to_owned(),
        "the --password option".to_owned(),
        "mkdir -p src/main; cp -p a b; ls -a; grep -w word".to_owned(),
        "docker run -p 8080:80 image".to_owned(),
        "mysql -u root -p db".to_owned(),
        "ssh -p 2222 host; scp -P 2222 a b".to_owned(),
        "curl -u \"$USER:$TOKEN\" https://h".to_owned(),
        "curl -H \"Authorization: Bearer $TOKEN\" https://h".to_owned(),
        "curl -H \"Authorization: Bearer ${TOKEN}\"".to_owned(),
        "Authorization: Basic <credentials>".to_owned(),
        "Basic usage: run the basic tests first".to_owned(),
        "basic authentication and bearer tokens are supported".to_owned(),
        "a cookie: chocolate".to_owned(),
        "document.cookie = name + '=' + value".to_owned(),
        "Cookie: $COOKIE".to_owned(),
        "export default function(e,t){var n=e.sk,r=t.pk;return n.a7b8c9.map(function(e){return e.x})}"
            .to_owned(),
        "!function(e,t){\"use strict\";var s=t.createElement,i=s.prototype.constructor.name2;}(window)"
            .to_owned(),
        "printf '%s %d%%\\n' \"$a\" 5".to_owned(),
        "https://example.com/a%20b?q=caf%C3%A9&page=2".to_owned(),
        "if (token === undefined) { throw new Error('no token') }".to_owned(),
        "const password = process.env.DB_PASSWORD;".to_owned(),
        "SELECT password FROM users WHERE id = 12345678".to_owned(),
        "password: string; secret?: string; apiKey: z.string()".to_owned(),
        "<input type=\"password\" name=\"password\" id=\"password1\">".to_owned(),
        "<password>${db.password}</password>".to_owned(),
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----".to_owned(),
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----".to_owned(),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk2 ann@h".to_owned(),
        "version 1.2.3.4567890 of lib-abc.so.1.2".to_owned(),
        "2026-11-18T04:15:46.123Z INFO started".to_owned(),
        "xoxo-hugs-and-kisses-from-me".to_owned(),
        "key: value, keys: 12345678, primary_key: id".to_owned(),
        "PUBLIC_KEY=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A".to_owned(),
        "npm_config_registry=https://registry.example.com/".to_owned(),
        "the identified by column; machine learning; login page".to_owned(),
        "auth: enabled, author: ann, authority: root".to_owned(),
        "\"auth\": \"required\"".to_owned(),
        "signature: \"fn(a: u8) -> Option<u64>\"".to_owned(),
        "sig=none".to_owned(),
    ];
    for text in rows {
        assert_eq!(redactor.text(&text), None, "{text}");
    }
}

/// Twice the text, about twice the work: nothing is looked at again and again.
#[test]
fn long_texts_of_token_beginnings_are_scanned_once() {
    let redactor = Redactor::default();
    for piece in [
        "eyJ",
        "sk-",
        "-----BEGIN ",
        "password=",
        "bearer ",
        "://a:",
        "ghp_",
        "%41",
        "--password ",
        "a.",
        "Cookie: ",
        "mysql -p ",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let _ = redactor.text(&text);
        let json = serde_json::json!({ "x": text }).to_string();
        let _ = redactor.suspects(json.as_bytes());
    }
}
