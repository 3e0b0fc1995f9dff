//! The fixed words of memories and of searching, spelled as MCP clients spell them.

use tenter_ghap::spelled_words;

spelled_words! {
    /// What a memory is.
    MemoryCategory, "category" {
        Preference = "preference",
        Fact = "fact",
        Event = "event",
        Workflow = "workflow",
        Context = "context",
        Error = "error",
        Decision = "decision",
    }
}

spelled_words! {
    /// Which indexed text of an experience is searched.
    Axis, "axis" {
        /// All of it.
        Full = "full",
        /// How it was gone about, and whether that helped.
        Strategy = "strategy",
        /// What was not expected.
        Surprise = "surprise",
        /// Why the prediction was wrong.
        RootCause = "root_cause",
    }
}

spelled_words! {
    /// How it is searched.
    SearchMode, "search mode" {
        Semantic = "semantic",
        Keyword = "keyword",
        Hybrid = "hybrid",
    }
}
