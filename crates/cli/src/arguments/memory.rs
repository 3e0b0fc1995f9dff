//! `tenter memory …`, `tenter ghap …` and `tenter mcp …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tenter_contract::Timestamp;
use tenter_ghap::{Category, Domain, Status, Strategy};
use tenter_memory::{Axis, MemoryCategory, SearchMode};

use super::moment::moment;

/// `tenter memory`
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Find what was learned and what is remembered, in any words
    Search(MemorySearchArguments),
    /// Show one memory, experience or page of the journal
    Show(MemoryShowArguments),
    /// List memories, latest first; `tenter ghap list` lists what was tried
    List(MemoryListArguments),
    /// Remember something in every later session of this project
    Add(MemoryAddArguments),
    /// Remove something for good
    Forget(MemoryForgetArguments),
    /// Say how much is known, and where it lies
    Stats(MemoryStatsArguments),
    /// Write everything as lines of JSON, to be imported elsewhere
    Export(MemoryExportArguments),
    /// Take over what `export` wrote, or the journal of the system that introduced such entries
    ///
    /// What is there already is left as it is, so the same file can be imported twice. A folder stands for every
    /// `.jsonl` file in it and below.
    Import(MemoryImportArguments),
    /// List the projects that something is known of
    Projects(MemoryProjectsArguments),
    /// Put what is known of one project under the name of another, such as after its folder was copied elsewhere
    Move(MemoryMoveArguments),
    /// Let this clone share what other clones of its origin have learned
    Link(MemoryLinkArguments),
    /// Accept what agents want told in every project; without an id, list it
    Accept(MemoryAcceptArguments),
    /// Save what can be read of a damaged memory into a new one
    ///
    /// The damaged file is kept beside. Exit code 1 if something is known to be lost.
    Repair(MemoryRepairArguments),
    /// Make the vectors again by which meanings are compared, with the model that is chosen
    ///
    /// The model in the program needs nothing. A better and slower one, all-MiniLM-L6-v2, can be used from a folder; the
    /// choice holds for every session.
    Reindex(MemoryReindexArguments),
}

/// Whose, and how it is printed.
#[derive(Debug, Args)]
pub(crate) struct ScopedArguments {
    /// Those of every project, not of this one alone
    #[arg(long)]
    pub(crate) all_projects: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory search`
#[derive(Debug, Args)]
pub(crate) struct MemorySearchArguments {
    /// What it should be about
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// At most so many of each kind
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
    /// Which side of experiences is compared: full, strategy, surprise, `root_cause`
    #[arg(long, value_name = "AXIS", value_parser = axis, default_value = "full")]
    pub(crate) axis: Axis,
    /// Only experiences of this kind of work, such as debugging
    #[arg(long, value_name = "DOMAIN", value_parser = domain)]
    pub(crate) domain: Option<Domain>,
    /// Only experiences that came out so: confirmed, falsified, abandoned
    #[arg(long, value_name = "OUTCOME", value_parser = status)]
    pub(crate) outcome: Option<Status>,
    /// By meaning (semantic), by words (keyword), or by both (hybrid)
    #[arg(long, value_name = "MODE", value_parser = mode, default_value = "hybrid")]
    pub(crate) mode: SearchMode,
    /// Whose.
    #[command(flatten)]
    pub(crate) scoped: ScopedArguments,
}

/// `tenter memory show`
#[derive(Debug, Args)]
pub(crate) struct MemoryShowArguments {
    /// Its id, such as `mem_20260102_030405_a1b2c3`
    pub(crate) id: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory list`
#[derive(Debug, Args)]
pub(crate) struct MemoryListArguments {
    /// Only of this category: preference, fact, event, workflow, context, error, decision
    #[arg(long, value_name = "CATEGORY", value_parser = memory_category)]
    pub(crate) category: Option<MemoryCategory>,
    /// Only those with this tag; more than once, with all of them
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// The pages of the journal instead
    #[arg(long, conflicts_with_all = ["category", "tags"])]
    pub(crate) journal: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,
    /// Whose.
    #[command(flatten)]
    pub(crate) scoped: ScopedArguments,
}

/// `tenter memory add`
#[derive(Debug, Args)]
pub(crate) struct MemoryAddArguments {
    /// What to remember, clear without what was said around it
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
    /// What it is: preference, fact (where nothing is said), event, workflow, context, error, decision
    #[arg(long, value_name = "CATEGORY", value_parser = memory_category)]
    pub(crate) category: Option<MemoryCategory>,
    /// How much it matters, from 0 to 1 (0.5 where nothing is said); from 0.8 on, a preference from 0.5 on, agents are told at the start of each session
    #[arg(long, value_name = "SHARE")]
    pub(crate) importance: Option<f64>,
    /// A word to find it by; may be given more than once
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// It is true in every project
    #[arg(long)]
    pub(crate) global: bool,
    /// It takes the place of this memory or experience, which is no longer found
    #[arg(long, value_name = "ID")]
    pub(crate) instead_of: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory forget`
#[derive(Debug, Args)]
pub(crate) struct MemoryForgetArguments {
    /// What: ids of memories, experiences, pages of the journal
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Answer yes
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory reindex`
#[derive(Debug, Args)]
pub(crate) struct MemoryReindexArguments {
    /// From now on use the model in this folder (`model.safetensors` and `vocab.txt`), or the `built-in` one
    #[arg(long, value_name = "FOLDER")]
    pub(crate) model: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory stats`
#[derive(Debug, Args)]
pub(crate) struct MemoryStatsArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory export`
#[derive(Debug, Args)]
pub(crate) struct MemoryExportArguments {
    /// The file, which must not exist yet; standard output if not given
    pub(crate) file: Option<PathBuf>,
    /// Those of every project, not of this one alone
    #[arg(long)]
    pub(crate) all_projects: bool,
}

/// `tenter memory import`
#[derive(Debug, Args)]
pub(crate) struct MemoryImportArguments {
    /// The files or folders; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Make everything that is about a project be about this one: `here`, or a name of `tenter memory projects`
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Take over what was forgotten here, too
    #[arg(long)]
    pub(crate) with_forgotten: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory projects`
#[derive(Debug, Args)]
pub(crate) struct MemoryProjectsArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory move`
#[derive(Debug, Args)]
pub(crate) struct MemoryMoveArguments {
    /// The project whose memory it is (`tenter memory projects` lists them)
    pub(crate) from: String,
    /// The project whose it shall be; `here` is this one
    pub(crate) to: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory link`
#[derive(Debug, Args)]
pub(crate) struct MemoryLinkArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory accept`
#[derive(Debug, Args)]
pub(crate) struct MemoryAcceptArguments {
    /// The ids of what is accepted
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter memory repair`
#[derive(Debug, Args)]
pub(crate) struct MemoryRepairArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter ghap`
#[derive(Debug, Subcommand)]
pub(crate) enum GhapCommand {
    /// Say what you are about to try, and what you predict
    Start(GhapStartArguments),
    /// Say what you believe, do or predict now
    Update(GhapUpdateArguments),
    /// Say how it came out
    Resolve(GhapResolveArguments),
    /// Give the active entry up, or one that another session left behind
    Abandon(GhapAbandonArguments),
    /// Go on with an entry that another session left behind
    Adopt(GhapAdoptArguments),
    /// Show the active entries of this project, or one entry by its id
    Show(GhapShowArguments),
    /// List what was tried and how it came out, latest first
    List(GhapListArguments),
}

/// Whose entry it is.
#[derive(Debug, Default, Args)]
pub(crate) struct WhoArguments {
    /// The session; inside an agent it is found, elsewhere entries are your own
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The sub-agent, if it has an entry of its own
    #[arg(long, value_name = "ID")]
    pub(crate) agent_id: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter ghap start`
#[derive(Debug, Args)]
pub(crate) struct GhapStartArguments {
    /// What you want
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: String,
    /// What you believe
    #[arg(long, value_name = "TEXT")]
    pub(crate) hypothesis: String,
    /// What you do because of it
    #[arg(long, value_name = "TEXT")]
    pub(crate) action: String,
    /// What you will see if you are right
    #[arg(long, value_name = "TEXT")]
    pub(crate) prediction: String,
    /// What kind of work: debugging, refactoring, feature, testing, configuration, documentation, performance,
    /// security, integration
    #[arg(long, value_name = "DOMAIN", value_parser = domain)]
    pub(crate) domain: Domain,
    /// How you go about it: systematic-elimination, trial-and-error, research-first, divide-and-conquer,
    /// root-cause-analysis, copy-from-similar, check-assumptions, read-the-error, ask-user
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    pub(crate) strategy: Strategy,
    /// Whose.
    #[command(flatten)]
    pub(crate) who: WhoArguments,
}

/// `tenter ghap update`
#[derive(Debug, Args)]
pub(crate) struct GhapUpdateArguments {
    /// What you believe now
    #[arg(long, value_name = "TEXT")]
    pub(crate) hypothesis: Option<String>,
    /// What you do now
    #[arg(long, value_name = "TEXT")]
    pub(crate) action: Option<String>,
    /// What you predict now
    #[arg(long, value_name = "TEXT")]
    pub(crate) prediction: Option<String>,
    /// How you go about it now
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    pub(crate) strategy: Option<Strategy>,
    /// What should be remembered of the way
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// Whose.
    #[command(flatten)]
    pub(crate) who: WhoArguments,
}

/// `tenter ghap resolve`
#[derive(Debug, Args)]
pub(crate) struct GhapResolveArguments {
    /// How it came out: confirmed, falsified, abandoned
    #[arg(value_parser = status)]
    pub(crate) outcome: Status,
    /// What really happened
    #[arg(long, value_name = "TEXT")]
    pub(crate) result: String,
    /// What you did not expect; needed if falsified
    #[arg(long, value_name = "TEXT")]
    pub(crate) surprise: Option<String>,
    /// Why it was wrong; needed if falsified
    #[arg(long, value_name = "TEXT", requires = "cause")]
    pub(crate) because: Option<String>,
    /// Which kind of reason that is: wrong-assumption, missing-knowledge, oversight, environment-issue,
    /// misleading-symptom, incomplete-fix, wrong-scope, test-isolation, timing-issue
    #[arg(long, value_name = "KIND", value_parser = category, requires = "because")]
    pub(crate) cause: Option<Category>,
    /// What helped in the end
    #[arg(long, value_name = "TEXT")]
    pub(crate) worked: Option<String>,
    /// The rule in it, in a sentence
    #[arg(long, value_name = "TEXT", requires = "worked")]
    pub(crate) takeaway: Option<String>,
    /// Whose.
    #[command(flatten)]
    pub(crate) who: WhoArguments,
}

/// `tenter ghap abandon`
#[derive(Debug, Args)]
pub(crate) struct GhapAbandonArguments {
    /// Why
    pub(crate) reason: String,
    /// One that another session left behind (`tenter ghap show` has the ids)
    #[arg(long, value_name = "ID")]
    pub(crate) orphan: Option<String>,
    /// Whose.
    #[command(flatten)]
    pub(crate) who: WhoArguments,
}

/// `tenter ghap adopt`
#[derive(Debug, Args)]
pub(crate) struct GhapAdoptArguments {
    /// Which one; the latest if not given
    pub(crate) id: Option<String>,
    /// Whose.
    #[command(flatten)]
    pub(crate) who: WhoArguments,
}

/// `tenter ghap show`
#[derive(Debug, Args)]
pub(crate) struct GhapShowArguments {
    /// Which one; the active ones if not given
    pub(crate) id: Option<String>,
    /// Whose.
    #[command(flatten)]
    pub(crate) scoped: ScopedArguments,
}

/// `tenter ghap list`
#[derive(Debug, Args)]
pub(crate) struct GhapListArguments {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,
    /// Only of this kind of work, such as debugging
    #[arg(long, value_name = "DOMAIN", value_parser = domain)]
    pub(crate) domain: Option<Domain>,
    /// Only those that came out so: confirmed, falsified, abandoned
    #[arg(long, value_name = "OUTCOME", value_parser = status)]
    pub(crate) outcome: Option<Status>,
    /// Only those begun since: `3d`, or `2026-11-16`
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Whose.
    #[command(flatten)]
    pub(crate) scoped: ScopedArguments,
}

/// `tenter mcp`
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
}

/// `tenter mcp …`
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Call a tool once and print what it says, for scripts and people
    ///
    /// Exit code 1 if the tool says that it could not do it.
    Call(McpCallArguments),
    /// List the tools that agents get
    Tools(McpToolsArguments),
}

/// `tenter mcp call`
#[derive(Debug, Args)]
pub(crate) struct McpCallArguments {
    /// The tool (`tenter mcp tools` lists them)
    pub(crate) tool: String,
    /// Its arguments as a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
}

/// `tenter mcp tools`
#[derive(Debug, Args)]
pub(crate) struct McpToolsArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn domain(text: &str) -> Result<Domain, String> {
    Domain::read(text).map_err(|error| error.message)
}

fn strategy(text: &str) -> Result<Strategy, String> {
    Strategy::read(text).map_err(|error| error.message)
}

fn status(text: &str) -> Result<Status, String> {
    Status::read(text).map_err(|error| error.message)
}

fn category(text: &str) -> Result<Category, String> {
    Category::read(text).map_err(|error| error.message)
}

fn memory_category(text: &str) -> Result<MemoryCategory, String> {
    MemoryCategory::read(text).map_err(|error| error.message)
}

fn axis(text: &str) -> Result<Axis, String> {
    Axis::read(text).map_err(|error| error.message)
}

fn mode(text: &str) -> Result<SearchMode, String> {
    SearchMode::read(text).map_err(|error| error.message)
}
