//! The table of tokens with a known form: their beginning, and the bytes behind it.
//!
//! A new kind of token is a row here. `tests/corpus.rs` needs an example of each kind.

/// The bytes of a token behind its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chars {
    /// Letters and digits.
    Alnum,
    /// `0-9a-f`.
    Hex,
    /// `0-9a-f` and dashes: a UUID.
    HexDash,
    /// Letters, digits, `$`.
    Dollar,
    /// Capitals and digits.
    Upper,
    /// Capitals, digits and dashes.
    UpperDash,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `_`, `-`.
    Dash,
    /// Letters, digits, `_`, `-`, `.`.
    Dots,
    /// Letters, digits, `_`, `-`, `@`, `/`: parts of a path.
    Path,
    /// Both alphabets of base64.
    Base64,
}

impl Chars {
    pub(super) fn has(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Self::Alnum => alnum,
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::HexDash => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f' | b'-'),
            Self::Dollar => alnum || byte == b'$',
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::UpperDash => byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
            Self::Word => alnum || byte == b'_',
            Self::Dash => alnum || matches!(byte, b'_' | b'-'),
            Self::Dots => alnum || matches!(byte, b'_' | b'-' | b'.'),
            Self::Path => alnum || matches!(byte, b'_' | b'-' | b'/' | b'@'),
            Self::Base64 => alnum || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
        }
    }
}

/// The text before a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Anything, because no word contains this beginning.
    Anything,
    /// No letter or digit, unless what follows looks random and has the length of a token.
    Boundary,
    /// No letter, digit or dash, ever.
    Word,
}

/// A kind of token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Its beginning. The filter of candidates uses its first two bytes.
    pub(super) begin: &'static str,
    /// The bytes behind it.
    pub(super) chars: Chars,
    /// The least number of these bytes.
    pub(super) least: usize,
    /// Whether one must be a digit, because words and names begin like this too.
    pub(super) digit: bool,
    /// Whether they must mix capitals, small letters and digits, because hashes and names begin like this too.
    pub(super) mixed: bool,
    pub(super) before: Before,
    /// Whether only these bytes are the secret, because the beginning is an address.
    pub(super) keep: bool,
    pub(super) kind: &'static str,
}

const fn token(begin: &'static str, chars: Chars, least: usize, kind: &'static str) -> Token {
    Token { begin, chars, least, digit: false, mixed: false, before: Before::Anything, keep: false, kind }
}

/// A token whose beginning also occurs inside other texts.
const fn bounded(begin: &'static str, chars: Chars, least: usize, kind: &'static str) -> Token {
    Token { digit: true, before: Before::Boundary, ..token(begin, chars, least, kind) }
}

/// A token with a digit, because words have the same beginning.
const fn numbered(begin: &'static str, chars: Chars, least: usize, kind: &'static str) -> Token {
    Token { digit: true, ..token(begin, chars, least, kind) }
}

/// A key of capitals, which may have no digit.
const fn capitals(begin: &'static str, least: usize, kind: &'static str) -> Token {
    Token { digit: false, ..bounded(begin, Chars::Upper, least, kind) }
}

/// A token with a beginning so short that a boundary must precede it.
const fn short(begin: &'static str, chars: Chars, least: usize, kind: &'static str) -> Token {
    Token { digit: true, before: Before::Word, ..token(begin, chars, least, kind) }
}

/// A random token with a short beginning.
const fn mixed(begin: &'static str, chars: Chars, least: usize, kind: &'static str) -> Token {
    Token { mixed: true, ..short(begin, chars, least, kind) }
}

/// A secret at the end of an address.
const fn address(begin: &'static str, chars: Chars, least: usize, kind: &'static str) -> Token {
    Token { keep: true, ..token(begin, chars, least, kind) }
}

use Chars::{Alnum, Base64, Dash, Dollar, Dots, Hex, HexDash, Path, Upper, UpperDash, Word};

/// A longer beginning comes before a shorter one that it begins with.
pub(super) const TOKENS: &[Token] = &[
    // Forges and registries.
    token("ghp_", Alnum, 20, "github"),
    token("gho_", Alnum, 20, "github"),
    token("ghu_", Alnum, 20, "github"),
    token("ghs_", Alnum, 20, "github"),
    token("ghr_", Alnum, 20, "github"),
    token("github_pat_", Word, 20, "github"),
    token("glpat-", Dots, 20, "gitlab"),
    token("gldt-", Dash, 20, "gitlab"),
    token("glrt-", Dots, 20, "gitlab"),
    token("glcbt-", Dash, 20, "gitlab"),
    token("glptt-", Dash, 20, "gitlab"),
    token("glft-", Dash, 20, "gitlab"),
    token("glsoat-", Dash, 20, "gitlab"),
    token("gloas-", Dash, 20, "gitlab"),
    token("glffct-", Dash, 20, "gitlab"),
    token("glimt-", Dash, 20, "gitlab"),
    token("glwt-", Dash, 20, "gitlab"),
    token("glagent-", Dash, 20, "gitlab"),
    bounded("GR1348941", Dash, 20, "gitlab"),
    numbered("ATATT3", Base64, 40, "atlassian"),
    numbered("ATCTT3", Base64, 40, "atlassian"),
    bounded("ATBB", Alnum, 24, "bitbucket"),
    token("npm_", Alnum, 30, "npm"),
    token("pypi-", Dash, 50, "pypi"),
    token("rubygems_", Hex, 40, "rubygems"),
    token("CLOJARS_", Alnum, 50, "clojars"),
    bounded("oy2", Alnum, 43, "nuget"),
    token("dckr_pat_", Dash, 20, "docker"),
    token("dckr_oat_", Dash, 20, "docker"),
    bounded("AKCp", Alnum, 60, "artifactory"),
    mixed("cmVmd", Alnum, 59, "artifactory"),
    mixed("cio", Alnum, 32, "crates"),
    short("API-", Upper, 26, "octopus"),
    token("pat.", Dots, 66, "harness"),
    token("sat.", Dots, 66, "harness"),
    token("tk-us-", Dash, 48, "scalingo"),
    token("ico-", Alnum, 32, "infracost"),
    token("snyk_uat.", Dots, 30, "snyk"),
    token("sgp_", Word, 40, "sourcegraph"),
    token("squ_", Hex, 40, "sonar"),
    token("sqp_", Hex, 40, "sonar"),
    token("sqa_", Hex, 40, "sonar"),
    token("bkua_", Hex, 40, "buildkite"),
    token("CCIPAT_", Word, 30, "circleci"),
    // Models.
    token("sk-ant-", Dash, 16, "anthropic"),
    numbered("sk-proj-", Dash, 20, "openai"),
    numbered("sk-or-v1-", Hex, 40, "openrouter"),
    numbered("sk-svcacct-", Dash, 20, "openai"),
    numbered("sk-admin-", Dash, 40, "openai"),
    numbered("sk-lf-", Dash, 20, "langfuse"),
    bounded("sk-", Dash, 20, "openai"),
    bounded("csk-", Alnum, 40, "cerebras"),
    numbered("tvly-", Dash, 24, "tavily"),
    short("fc-", Hex, 32, "firecrawl"),
    token("e2b_", Hex, 40, "e2b"),
    mixed("fw_", Alnum, 22, "fireworks"),
    token("jina_", Alnum, 40, "jina"),
    mixed("pa-", Dash, 40, "voyage"),
    token("pcsk_", Word, 40, "pinecone"),
    token("wandb_v1_", Word, 40, "wandb"),
    token("esecret_", Alnum, 26, "anyscale"),
    short("sk_", Hex, 48, "elevenlabs"),
    token("api_org_", Alnum, 34, "huggingface"),
    token("gsk_", Alnum, 40, "groq"),
    bounded("xai-", Alnum, 60, "xai"),
    bounded("pplx-", Alnum, 40, "perplexity"),
    bounded("r8_", Alnum, 37, "replicate"),
    token("hf_", Alnum, 30, "huggingface"),
    token("lsv2_pt_", Word, 30, "langsmith"),
    token("lsv2_sk_", Word, 30, "langsmith"),
    bounded("nvapi-", Dash, 40, "nvidia"),
    // Clouds.
    capitals("AKIA", 16, "aws"),
    short("A3T", Upper, 17, "aws"),
    token("bedrock-api-key-", Base64, 40, "aws"),
    token("amzn.mws.", HexDash, 36, "aws"),
    capitals("ASIA", 16, "aws"),
    capitals("ABIA", 16, "aws"),
    capitals("ACCA", 16, "aws"),
    bounded("ABSK", Base64, 100, "aws"),
    bounded("AIza", Dash, 30, "google"),
    token("GOCSPX-", Dash, 20, "google"),
    token("ya29.", Dash, 20, "google"),
    bounded("1//0", Dash, 30, "google"),
    bounded("LTAI", Alnum, 16, "alibaba"),
    bounded("AKID", Alnum, 32, "tencent"),
    mixed("AQVN", Dash, 35, "yandex"),
    mixed("t1.", Dots, 100, "yandex"),
    mixed("YC", Dash, 38, "yandex"),
    mixed("4b1d", Alnum, 38, "clickhouse"),
    numbered("dnkey-", Base64, 60, "defined"),
    mixed("rnd_", Alnum, 28, "render"),
    token("napi_", Alnum, 40, "neon"),
    token("cfat_", Alnum, 40, "cloudflare"),
    token("cfut_", Alnum, 40, "cloudflare"),
    token("cfk_", Alnum, 40, "cloudflare"),
    token("vercel_blob_rw_", Word, 30, "vercel"),
    token("vcp_", Alnum, 24, "vercel"),
    token("vci_", Alnum, 24, "vercel"),
    token("vca_", Alnum, 24, "vercel"),
    token("vcr_", Alnum, 24, "vercel"),
    token("vck_", Alnum, 24, "vercel"),
    token("dop_v1_", Hex, 40, "digitalocean"),
    token("doo_v1_", Hex, 40, "digitalocean"),
    token("dor_v1_", Hex, 40, "digitalocean"),
    bounded("dapi", Hex, 32, "databricks"),
    token("HRKU-", Dash, 30, "heroku"),
    bounded("fo1_", Dash, 40, "fly"),
    bounded("fm1_", Base64, 40, "fly"),
    numbered("fm1a_", Base64, 40, "fly"),
    numbered("fm1r_", Base64, 40, "fly"),
    numbered("fm2_", Base64, 40, "fly"),
    token("nfp_", Alnum, 36, "netlify"),
    token("tgp_v1_", Dash, 40, "together"),
    token("sbp_", Hex, 40, "supabase"),
    token("sb_secret_", Dash, 20, "supabase"),
    token("pscale_tkn_", Dots, 30, "planetscale"),
    token("pscale_pw_", Dots, 30, "planetscale"),
    token("pscale_oauth_", Dots, 30, "planetscale"),
    bounded("pul-", Hex, 40, "pulumi"),
    token("tskey-", Dash, 20, "tailscale"),
    token("sha256~", Dash, 40, "openshift"),
    token("v1.0-", Dash, 140, "cloudflare"),
    token("dt0c01.", Dots, 60, "dynatrace"),
    // Secret stores.
    token("hvs.", Dash, 20, "vault"),
    token("hvb.", Dash, 20, "vault"),
    token("hvr.", Dash, 20, "vault"),
    token("dp.pt.", Alnum, 30, "doppler"),
    token("dp.ct.", Alnum, 30, "doppler"),
    token("dp.sa.", Alnum, 30, "doppler"),
    token("dp.st.", Dots, 30, "doppler"),
    token("dp.scim.", Alnum, 30, "doppler"),
    token("dp.audit.", Alnum, 30, "doppler"),
    token("ops_eyJ", Base64, 40, "1password"),
    bounded("A3-", UpperDash, 32, "1password"),
    token("AGE-SECRET-KEY-1", Upper, 40, "age"),
    token("AGE-SECRET-KEY-PQ-1", Upper, 40, "age"),
    // Money.
    token("sk_live_", Alnum, 16, "stripe"),
    token("rk_live_", Alnum, 16, "stripe"),
    token("sk_test_", Alnum, 16, "stripe"),
    token("rk_test_", Alnum, 16, "stripe"),
    token("sk_prod_", Alnum, 16, "stripe"),
    token("rk_prod_", Alnum, 16, "stripe"),
    token("whsec_", Base64, 24, "stripe"),
    token("sq0atp-", Dash, 20, "square"),
    token("sq0csp-", Dash, 20, "square"),
    token("access_token$production$", Dollar, 20, "braintree"),
    token("access_token$sandbox$", Dollar, 20, "braintree"),
    token("shippo_live_", Hex, 40, "shippo"),
    token("shippo_test_", Hex, 40, "shippo"),
    token("access-production-", HexDash, 36, "plaid"),
    token("access-development-", HexDash, 36, "plaid"),
    token("access-sandbox-", HexDash, 36, "plaid"),
    bounded("live_", Dash, 35, "live"),
    mixed("EAAA", Dash, 56, "square"),
    token("FLWSECK", Dash, 12, "flutterwave"),
    token("shpat_", Alnum, 32, "shopify"),
    token("shpca_", Alnum, 32, "shopify"),
    token("shppa_", Alnum, 32, "shopify"),
    token("shpss_", Alnum, 32, "shopify"),
    bounded("EZAK", Alnum, 54, "easypost"),
    bounded("EZTK", Alnum, 54, "easypost"),
    token("duffel_live_", Dash, 40, "duffel"),
    token("duffel_test_", Dash, 40, "duffel"),
    // Messages and mail.
    numbered("xoxe.xox", Dash, 20, "slack"),
    numbered("xoxb-", Dash, 12, "slack"),
    numbered("xoxp-", Dash, 12, "slack"),
    numbered("xoxa-", Dash, 12, "slack"),
    numbered("xoxo-", Dash, 12, "slack"),
    numbered("xoxr-", Dash, 12, "slack"),
    numbered("xoxs-", Dash, 12, "slack"),
    numbered("xoxe-", Dash, 12, "slack"),
    numbered("xoxc-", Dash, 12, "slack"),
    numbered("xoxd-", Base64, 12, "slack"),
    token("xapp-", Dash, 20, "slack"),
    numbered("xwfp-", Dash, 12, "slack"),
    token("SG.", Dots, 60, "sendgrid"),
    bounded("SK", Hex, 32, "twilio"),
    short("key-", Hex, 32, "mailgun"),
    token("xkeysib-", Dash, 64, "brevo"),
    address("hooks.slack.com/services/", Path, 20, "slack"),
    address("hooks.slack.com/workflows/", Path, 20, "slack"),
    address("hooks.slack.com/triggers/", Path, 20, "slack"),
    address("discord.com/api/webhooks/", Path, 40, "discord"),
    address("discord.com/api/v8/webhooks/", Path, 40, "discord"),
    address("discord.com/api/v9/webhooks/", Path, 40, "discord"),
    address("discord.com/api/v10/webhooks/", Path, 40, "discord"),
    address("discordapp.com/api/webhooks/", Path, 40, "discord"),
    address("hooks.zapier.com/hooks/catch/", Path, 12, "zapier"),
    address("webhook.office.com/webhookb2/", Path, 30, "teams"),
    bounded("EAA", Alnum, 80, "facebook"),
    // Work.
    token("lin_api_", Alnum, 30, "linear"),
    token("lin_oauth_", Alnum, 30, "linear"),
    token("ntn_", Alnum, 40, "notion"),
    token("secret_", Alnum, 40, "notion"),
    token("figd_", Dash, 36, "figma"),
    token("figo_", Dash, 36, "figma"),
    token("figu_", Dash, 36, "figma"),
    token("fio-u-", Dash, 60, "frameio"),
    token("pat-na1-", HexDash, 36, "hubspot"),
    token("pat-eu1-", HexDash, 36, "hubspot"),
    token("zpka_", Word, 40, "zuplo"),
    token("p8e-", Alnum, 32, "adobe"),
    token("sk.eyJ", Dots, 60, "mapbox"),
    token("tk.eyJ", Dots, 60, "mapbox"),
    mixed("sl.", Dots, 100, "dropbox"),
    token("sm_aat_", Alnum, 16, "settlemint"),
    token("sm_pat_", Alnum, 16, "settlemint"),
    token("sm_sat_", Alnum, 16, "settlemint"),
    token("s-s4t2ud-", Hex, 60, "intra42"),
    token("s-s4t2af-", Hex, 60, "intra42"),
    mixed("re_", Word, 28, "resend"),
    mixed("BBFF-", Alnum, 30, "ubidots"),
    token("CFPAT-", Dash, 40, "contentful"),
    token("PMAK-", Dash, 50, "postman"),
    token("tfp_", Dots, 40, "typeform"),
    token("rdme_", Alnum, 60, "readme"),
    token("aio_", Alnum, 28, "adafruit"),
    token("pnu_", Alnum, 36, "prefect"),
    // Watching.
    token("NRAK-", Alnum, 20, "newrelic"),
    token("NRJS-", Alnum, 18, "newrelic"),
    token("NRII-", Dash, 30, "newrelic"),
    short("sdk-", HexDash, 36, "launchdarkly"),
    short("api-", HexDash, 36, "launchdarkly"),
    mixed("phx_", Alnum, 30, "posthog"),
    token("eyJrIjoi", Base64, 70, "grafana"),
    mixed("ZXlK", Base64, 100, "jwt"),
    token("sntrys_", Base64, 40, "sentry"),
    token("sntryu_", Hex, 40, "sentry"),
    token("glsa_", Word, 30, "grafana"),
    token("glc_", Base64, 32, "grafana"),
];
