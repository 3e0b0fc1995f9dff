//! `tenter memory …`, `tenter ghap …` and `tenter mcp …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use tenter_contract::Timestamp;
use tenter_ghap::{Category, Domain, Status, Strategy};
use tenter_memory::{Axis, MemoryCategory, SearchMode};

use tenter_console::arguments::JsonArgument;
use tenter_console::moment::moment;

/// `tenter memory …`.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Search experiences and memories by meaning and words
    Search(MemorySearchArguments),
    /// Show one memory, experience or journal entry
    Show(MemoryShowArguments),
    /// List memories, latest first; `tenter ghap list` lists experiences
    List(MemoryListArguments),
    /// Store a memory for later sessions of this project
    Add(MemoryAddArguments),
    /// Delete memories, experiences or journal entries permanently
    Forget(MemoryForgetArguments),
    /// Show the size and the location of the memory
    Stats(JsonArgument),
    /// Export everything as JSON lines
    Export(MemoryExportArguments),
    /// Import the output of `export`, or a GHAP journal
    ///
    /// Existing entries are not changed, so a file can be imported twice. A folder means all `.jsonl` files in it.
    Import(MemoryImportArguments),
    /// List the projects in the memory
    Projects(JsonArgument),
    /// Move the memory of one project to another, for example after renaming its folder
    Move(MemoryMoveArguments),
    /// Share the memory of other clones of the same origin with this clone
    Link(JsonArgument),
    /// Accept memories that agents propose for all projects; without an id, list them
    Accept(MemoryAcceptArguments),
    /// Recover a damaged memory into a new one
    ///
    /// The damaged file is kept. Exit code 1 if data is known to be lost.
    Repair(JsonArgument),
    /// Rebuild the search index with the chosen embedding model
    ///
    /// The built-in model needs no files. all-MiniLM-L6-v2, which is better and slower, can be used from a folder. The
    /// choice applies to all sessions.
    Reindex(MemoryReindexArguments),
}

/// Whose, and how it is printed.
#[derive(Debug, Args)]
pub struct ScopedArguments {
    /// Include all projects
    #[arg(long)]
    pub all_projects: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemorySearchArguments {
    /// Search text
    #[arg(required = true)]
    pub query: Vec<String>,
    /// Maximum number of entries to show
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub limit: u16,
    /// Part of experiences to compare: full, strategy, surprise, `root_cause`
    #[arg(long, value_name = "AXIS", value_parser = axis, default_value = "full")]
    pub axis: Axis,
    /// Search only experiences of this domain, such as debugging
    #[arg(long, value_name = "DOMAIN", value_parser = domain)]
    pub domain: Option<Domain>,
    /// Search only experiences with this outcome: confirmed, falsified, abandoned
    #[arg(long, value_name = "OUTCOME", value_parser = status)]
    pub outcome: Option<Status>,
    /// Search mode: semantic, keyword, or hybrid
    #[arg(long, value_name = "MODE", value_parser = mode, default_value = "hybrid")]
    pub mode: SearchMode,
    #[command(flatten)]
    pub scoped: ScopedArguments,
}

#[derive(Debug, Args)]
pub struct MemoryShowArguments {
    /// Id, such as `mem_20260102_030405_a1b2c3`
    pub id: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryListArguments {
    /// Show only this category: preference, fact, event, workflow, context, error, decision
    #[arg(long, value_name = "CATEGORY", value_parser = memory_category)]
    pub category: Option<MemoryCategory>,
    /// Show only memories with this tag; repeat to require several
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// List journal entries instead
    #[arg(long, conflicts_with_all = ["category", "tags"])]
    pub journal: bool,
    /// Maximum number of entries to show
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    #[command(flatten)]
    pub scoped: ScopedArguments,
}

#[derive(Debug, Args)]
pub struct MemoryAddArguments {
    /// Text to remember, understandable on its own
    #[arg(required = true)]
    pub text: Vec<String>,
    /// Category: preference, fact, event, workflow, context, error, decision [default: fact]
    #[arg(long, value_name = "CATEGORY", value_parser = memory_category)]
    pub category: Option<MemoryCategory>,
    /// Importance from 0 to 1 [default: 0.5]; agents get memories from 0.8, and preferences from 0.5, at the start of each session
    #[arg(long, value_name = "SHARE")]
    pub importance: Option<f64>,
    /// Tag to find it by; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Store it for all projects
    #[arg(long)]
    pub global: bool,
    /// Replace this memory or experience, which search no longer finds
    #[arg(long, value_name = "ID")]
    pub instead_of: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryForgetArguments {
    /// Ids of memories, experiences or journal entries
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Do not ask for confirmation
    #[arg(long)]
    pub yes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryReindexArguments {
    /// Folder of the model to use from now on (`model.safetensors` and `vocab.txt`), or `built-in`
    #[arg(long, value_name = "FOLDER")]
    pub model: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryExportArguments {
    /// File to create [default: standard output]
    pub file: Option<PathBuf>,
    /// Include all projects
    #[arg(long)]
    pub all_projects: bool,
}

#[derive(Debug, Args)]
pub struct MemoryImportArguments {
    /// Files or folders to import; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Assign all imported entries to this project: `here`, or a name of `tenter memory projects`
    #[arg(long, value_name = "PROJECT")]
    pub project: Option<String>,
    /// Also import entries that were deleted here
    #[arg(long)]
    pub with_forgotten: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryMoveArguments {
    /// Project to move from (see `tenter memory projects`)
    pub from: String,
    /// Project to move to; `here` is this one
    pub to: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryAcceptArguments {
    /// Ids to accept
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Do not ask for confirmation
    #[arg(long)]
    pub yes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `tenter ghap …`.
#[derive(Debug, Subcommand)]
pub enum GhapCommand {
    /// Start tracking a hypothesis: goal, hypothesis, action, prediction
    Start(GhapStartArguments),
    /// Update the active entry
    Update(GhapUpdateArguments),
    /// Resolve the active entry with its outcome
    Resolve(GhapResolveArguments),
    /// Abandon the active entry, or an orphaned one
    Abandon(GhapAbandonArguments),
    /// Continue an orphaned entry of another session
    Adopt(GhapAdoptArguments),
    /// Show the active entries of this project, or one entry
    Show(GhapShowArguments),
    /// List resolved entries, latest first
    List(GhapListArguments),
}

#[derive(Debug, Default, Args)]
pub struct WhoArguments {
    /// Session of the entry [default: the session of the agent, or your own]
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Sub-agent that owns the entry
    #[arg(long, value_name = "ID")]
    pub agent_id: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct GhapStartArguments {
    /// Goal
    #[arg(long, value_name = "TEXT")]
    pub goal: String,
    /// Hypothesis
    #[arg(long, value_name = "TEXT")]
    pub hypothesis: String,
    /// Action to test the hypothesis
    #[arg(long, value_name = "TEXT")]
    pub action: String,
    /// Expected observation if the hypothesis is right
    #[arg(long, value_name = "TEXT")]
    pub prediction: String,
    /// Domain: debugging, refactoring, feature, testing, configuration, documentation, performance,
    /// security, integration
    #[arg(long, value_name = "DOMAIN", value_parser = domain)]
    pub domain: Domain,
    /// Strategy: systematic-elimination, trial-and-error, research-first, divide-and-conquer,
    /// root-cause-analysis, copy-from-similar, check-assumptions, read-the-error, ask-user
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    pub strategy: Strategy,
    #[command(flatten)]
    pub who: WhoArguments,
}

#[derive(Debug, Args)]
pub struct GhapUpdateArguments {
    /// New hypothesis
    #[arg(long, value_name = "TEXT")]
    pub hypothesis: Option<String>,
    /// New action
    #[arg(long, value_name = "TEXT")]
    pub action: Option<String>,
    /// New prediction
    #[arg(long, value_name = "TEXT")]
    pub prediction: Option<String>,
    /// New strategy
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    pub strategy: Option<Strategy>,
    /// Note to add to the entry
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    #[command(flatten)]
    pub who: WhoArguments,
}

#[derive(Debug, Args)]
pub struct GhapResolveArguments {
    /// Outcome: confirmed, falsified, abandoned
    #[arg(value_parser = status)]
    pub outcome: Status,
    /// Actual result
    #[arg(long, value_name = "TEXT")]
    pub result: String,
    /// Surprise; required if falsified
    #[arg(long, value_name = "TEXT")]
    pub surprise: Option<String>,
    /// Description of the root cause; required if falsified
    #[arg(long, value_name = "TEXT", requires = "cause")]
    pub because: Option<String>,
    /// Category of the root cause: wrong-assumption, missing-knowledge, oversight, environment-issue,
    /// misleading-symptom, incomplete-fix, wrong-scope, test-isolation, timing-issue
    #[arg(long, value_name = "KIND", value_parser = category, requires = "because")]
    pub cause: Option<Category>,
    /// Solution that worked
    #[arg(long, value_name = "TEXT")]
    pub worked: Option<String>,
    /// Lesson in one sentence
    #[arg(long, value_name = "TEXT", requires = "worked")]
    pub takeaway: Option<String>,
    #[command(flatten)]
    pub who: WhoArguments,
}

#[derive(Debug, Args)]
pub struct GhapAbandonArguments {
    /// Reason
    pub reason: String,
    /// Id of an orphaned entry (see `tenter ghap show`)
    #[arg(long, value_name = "ID")]
    pub orphan: Option<String>,
    #[command(flatten)]
    pub who: WhoArguments,
}

#[derive(Debug, Args)]
pub struct GhapAdoptArguments {
    /// Id of the entry [default: the latest]
    pub id: Option<String>,
    #[command(flatten)]
    pub who: WhoArguments,
}

#[derive(Debug, Args)]
pub struct GhapShowArguments {
    /// Id of the entry [default: the active entries]
    pub id: Option<String>,
    #[command(flatten)]
    pub scoped: ScopedArguments,
}

#[derive(Debug, Args)]
pub struct GhapListArguments {
    /// Maximum number of entries to show
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    /// Show only entries of this domain, such as debugging
    #[arg(long, value_name = "DOMAIN", value_parser = domain)]
    pub domain: Option<Domain>,
    /// Show only entries with this outcome: confirmed, falsified, abandoned
    #[arg(long, value_name = "OUTCOME", value_parser = status)]
    pub outcome: Option<Status>,
    /// Show only entries started since then: `3d`, or `2026-11-16`
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub since: Option<Timestamp>,
    #[command(flatten)]
    pub scoped: ScopedArguments,
}

/// `tenter mcp …`.
#[derive(Debug, Args)]
pub struct McpArguments {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Call a tool once and print its result
    ///
    /// Exit code 1 if the tool reports an error.
    Call(McpCallArguments),
    /// List the tools of the server
    Tools(McpToolsArguments),
}

#[derive(Debug, Args)]
pub(crate) struct McpCallArguments {
    /// Tool to call (see `tenter mcp tools`)
    pub(crate) tool: String,
    /// Arguments as a JSON object; `-` for standard input
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
}

#[derive(Debug, Args)]
pub(crate) struct McpToolsArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn domain(text: &str) -> Result<Domain, String> {
    Domain::read(text).map_err(|error| error.to_string())
}

fn strategy(text: &str) -> Result<Strategy, String> {
    Strategy::read(text).map_err(|error| error.to_string())
}

fn status(text: &str) -> Result<Status, String> {
    Status::read(text).map_err(|error| error.to_string())
}

fn category(text: &str) -> Result<Category, String> {
    Category::read(text).map_err(|error| error.to_string())
}

fn memory_category(text: &str) -> Result<MemoryCategory, String> {
    MemoryCategory::read(text).map_err(|error| error.to_string())
}

fn axis(text: &str) -> Result<Axis, String> {
    Axis::read(text).map_err(|error| error.to_string())
}

fn mode(text: &str) -> Result<SearchMode, String> {
    SearchMode::read(text).map_err(|error| error.to_string())
}
