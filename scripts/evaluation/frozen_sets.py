"""Writes the generated parts of the frozen evaluation sets: distractors, exact terms and unrelated prompts.

    python3 scripts/evaluation/frozen_sets.py

The seed is fixed and the files are committed, so running it again changes nothing. The sets were frozen before the
embedding model was trained. They are not training data, and `scripts/embedding/corpus.py` drops what resembles them.
"""

import itertools
import pathlib
import random

SETS = pathlib.Path(__file__).parents[2] / "crates" / "memory" / "evaluation"

# Per domain: things, symptoms, causes, fixes. Entries of one domain are similar, so that a search must distinguish
# them by more than their topic.
DOMAINS = {
    "web": (
        ["the checkout page", "the profile page", "the admin panel", "the blog listing", "the settings dialog", "the date picker", "the file tree widget", "the rich text editor"],
        ["fonts flash before they are loaded", "the layout jumps while images arrive", "the back button leaves a blank view", "keyboard focus gets trapped", "the title is wrong in shared links", "dark colours are unreadable", "printing cuts the right margin", "the favicon is missing"],
        ["the style sheet was loaded late", "width and height were not given", "the router replaced the entry instead of pushing it", "tabindex was set by hand", "meta tags were rendered on the client only", "a colour was hard-coded"],
        ["preload what is visible first", "reserve space for media", "test navigation in both directions", "let the browser manage focus", "render meta tags on the server", "use design tokens for colours"]),
    "db": (
        ["the invoices table", "the audit schema", "the product catalogue", "the read replica", "the reporting view", "the archive partition", "the tenants database", "the sequence generator"],
        ["reads lag behind writes", "a trigger fires for every row", "statistics are out of date", "ids have gaps", "the view returns nulls", "the enum cannot be extended", "a check constraint rejects old values", "the temp space fills up"],
        ["replication is asynchronous", "the trigger was defined for each row", "analyze had not run after the bulk load", "sequences are not transactional", "an outer join met an empty side", "the type was altered in one place only"],
        ["read your own writes from the primary", "prefer statement triggers", "run analyze after bulk loads", "do not promise gapless ids", "coalesce at the edge of the view", "keep types in one migration"]),
    "build": (
        ["the installer", "the wasm target", "the plugin loader", "the release profile", "the code generator", "the cross compiler", "the workspace manifest", "the asset pipeline"],
        ["warnings became errors", "the output folder is not cleaned", "debug symbols are missing", "a header is found twice", "the version string is empty", "the plugin ABI changed", "assets are copied each time", "the linker runs out of memory"],
        ["a new compiler has more lints", "stale objects were picked up", "strip was on in the profile", "two include paths overlap", "the git describe call failed", "opaque types were exposed"],
        ["pin the toolchain", "build in a fresh folder before a release", "keep symbols in a separate file", "use one include root", "fall back to the package version", "version the interface explicitly"]),
    "ci": (
        ["the lint job", "the matrix build", "the preview environment", "the docs job", "the mac runner", "the container registry login", "the code scanning step", "the merge queue"],
        ["the job is skipped", "the runner is out of disk", "the login expires", "the matrix explodes", "old previews are never removed", "annotations are missing", "two jobs race for a port", "the badge shows the wrong branch"],
        ["a path filter was too narrow", "caches were never pruned", "the token lives an hour", "every pair was combined", "no job deletes environments", "the reporter wrote to another folder"],
        ["list the paths that matter", "prune caches weekly", "log in right before pushing", "include only the pairs in use", "delete environments on close", "let the reporter print relative paths"]),
    "concurrency": (
        ["the worker pool", "the event loop", "the job queue", "the rate limiter", "the cache refresher", "the shutdown path", "the message broker client", "the download manager"],
        ["threads sit idle", "jobs run out of order", "shutdown takes minutes", "the limiter lets bursts through", "a refresh happens twice", "messages are acknowledged too early", "the queue is never empty", "wake-ups get lost"],
        ["work was split unevenly", "priorities were ignored by the queue", "workers did not look at the stop flag", "the window was fixed instead of sliding", "no single-flight guard existed", "acknowledgement came before processing"],
        ["steal work between threads", "give each job a sequence number", "check for cancellation in each iteration", "use a token bucket", "collapse identical requests", "acknowledge after the work is stored"]),
    "python": (
        ["the settings module", "the command line", "the data class", "the plugin registry", "the notebook", "the type stubs", "the context manager", "the decorator"],
        ["the entry point is not found", "type checking is slow", "the decorator hides the signature", "the context is not restored", "a module is imported twice", "the stub file is ignored", "attributes are shared by instances", "warnings flood the terminal"],
        ["the package was not installed in editable mode", "a large union had to be solved", "functools.wraps was missing", "the exit method returned early", "the same file had two module names", "py.typed was not packaged"],
        ["install with -e during development", "annotate return types of hot functions", "wrap decorators properly", "use try and finally in context managers", "run with -m instead of a path", "ship py.typed"]),
    "rust": (
        ["the parser crate", "the error type", "the builder", "the iterator adaptor", "the macro", "the feature flags", "the async trait", "the arena"],
        ["compile times doubled", "the error message is useless", "the builder moves itself", "lifetimes spread everywhere", "the macro hides the span", "docs show private items", "generic code bloats the binary", "the crate does not build without default features"],
        ["a generic function was instantiated a hundred times", "context was not attached", "methods took self by value", "a struct borrowed what it could own", "tokens were re-parsed from text", "a feature gate was forgotten"],
        ["split into a thin generic shell and a plain core", "attach context where the path is known", "take and return &mut Self", "own small strings", "keep spans from the input", "check each feature alone"]),
    "js": (
        ["the service worker", "the store", "the virtual list", "the tooltip", "the i18n loader", "the form library", "the worker bundle", "the canvas renderer"],
        ["old data is shown offline", "selectors recompute", "rows overlap", "translations flash in English", "the tooltip stays open", "the canvas is blurry", "the worker cannot import", "validation runs too often"],
        ["the cache was never versioned", "a new array was returned each time", "row heights were assumed equal", "the locale loads after first paint", "pointer leave was not handled", "device pixel ratio was ignored"],
        ["version the cache with the build id", "memoise selectors", "measure rows once shown", "block rendering until the locale is there", "close on escape and scroll", "scale the canvas by the pixel ratio"]),
    "security": (
        ["the invitation link", "the API gateway", "the audit trail", "the sandbox", "the webhook receiver", "the admin role", "the backup bucket", "the password reset"],
        ["links never expire", "scopes are too wide", "the trail can be edited", "the sandbox reads the home folder", "signatures are not checked", "a bucket is public", "the mail reveals whether an account exists", "keys are shared by services"],
        ["no lifetime was stored", "one token was used for everything", "records were rows without a chain", "a mount was forgotten", "the body was parsed before verification", "the default policy allowed reading"],
        ["give links a lifetime and one use", "one scope for one job", "chain records by hash", "deny by default and list what is allowed", "verify the raw body first", "answer the same in both cases"]),
    "config": (
        ["the logging setup", "the reverse proxy", "the editor settings", "the feature switches", "the mail relay", "the time zone", "the locale", "the secrets manager"],
        ["two files disagree", "reload needs a restart", "the example file is out of date", "unknown keys pass", "units are unclear", "the default is dangerous", "secrets end in the file", "paths are relative to the wrong folder"],
        ["settings were merged deeply in one place only", "values were read at import", "nobody generated the example", "parsing was lenient", "seconds and milliseconds were mixed", "convenience won over safety"],
        ["define one merge rule", "subscribe to changes", "generate the example from the schema", "refuse unknown keys with a hint", "write units into names", "let the default be the safe one"]),
    "performance": (
        ["the import job", "the search index", "the image service", "the log shipper", "the template engine", "the spell checker", "the graph layout", "the diff view"],
        ["latency has a long tail", "the index is larger than the data", "CPU is idle while waiting", "start is slow after deploys", "cache hits are rare", "the first page is slow", "throughput falls with more cores", "large inputs time out"],
        ["collections paused the process", "every field was indexed", "calls were made in sequence", "caches were cold", "keys contained timestamps", "a global lock was contended"],
        ["measure percentiles, not means", "index only what is searched", "overlap waiting with work", "warm caches before taking traffic", "normalise cache keys", "shard the lock"]),
    "testing": (
        ["the acceptance suite", "the visual tests", "the property tests", "the fixtures", "the fake clock", "the test database", "the recorded responses", "the load test"],
        ["failures are hard to read", "pixels differ by platform", "shrinking takes for ever", "fixtures are huge", "data leaks between suites", "recordings contain secrets", "the load is not realistic", "a test asserts nothing"],
        ["the assertion compared whole objects as text", "fonts differ between systems", "generators were nested deeply", "production dumps were copied", "teardown was skipped after errors", "headers were stored as they came"],
        ["show a diff of the fields that differ", "render tests in one container", "generate flat values", "build fixtures from the smallest case", "create and drop a schema per suite", "filter headers when recording"]),
    "deploy": (
        ["the blue-green switch", "the autoscaler", "the canary", "the sidecar", "the object store", "the queue consumer", "the scheduled backup", "the status page"],
        ["traffic goes to both versions", "scaling oscillates", "the canary gets no users", "the sidecar starts late", "backups cannot be restored", "consumers lag after a deploy", "alerts arrive in hundreds", "nodes drain slowly"],
        ["sessions were sticky", "the metric was delayed", "routing was by header only", "start order was undefined", "nobody had ever tried a restore", "partitions were reassigned at once"],
        ["drain before switching", "scale on a leading metric", "route by percentage", "wait for the sidecar's port", "practise restoring every month", "use cooperative rebalancing"]),
    "data": (
        ["the feature store", "the event pipeline", "the recommendation model", "the labelling tool", "the warehouse", "the forecast", "the deduplication step", "the dashboard"],
        ["numbers differ between reports", "late events are lost", "the model drifts", "labels disagree", "costs doubled", "the forecast ignores holidays", "near duplicates remain", "a metric has two definitions"],
        ["time windows used different zones", "the watermark was too tight", "training data was a year old", "the guideline was ambiguous", "a full scan ran hourly", "no calendar was given"],
        ["define windows in UTC", "allow lateness and correct afterwards", "monitor the input distribution", "measure agreement before training", "partition by day and prune", "add the calendar as a feature"]),
    "process": (
        ["the release checklist", "the on-call rota", "the review guide", "the onboarding page", "the architecture notes", "the issue template", "the roadmap", "the postmortem"],
        ["steps are forgotten", "reviews take days", "newcomers ask the same things", "decisions are repeated", "reports lack versions", "nobody owns the follow-ups", "priorities change weekly", "meetings run over"],
        ["the list was in someone's head", "changes were too large", "the page described last year's setup", "reasons were not written down", "the form did not ask", "actions had no names beside them"],
        ["automate the list", "keep changes under three hundred lines", "let each newcomer fix the page", "write down a decision with its reason", "ask for the version first", "give each action an owner and a date"]),
}

FORMS = [
    "Goal: find out why {seen} in {thing}. Hypothesis: {why}. Lesson: {lesson}.",
    "In {thing} we saw that {seen}, since {why}. Next time {lesson}.",
    "{Thing}: {seen}. Root cause: {why}. Lesson: {lesson}.",
    "Goal: repair {thing}. Prediction: {lesson}, and it is no longer so that {seen}. Outcome: confirmed, {why}.",
    "Surprise in {thing}: {seen}, although tests were green. It turned out that {why}; {lesson}.",
]

# Codes and names in error messages, with their meaning.
TERMS = """
E0382 use of moved value|E0499 second mutable borrow|E0502 mutable and immutable borrow|E0277 trait bound not satisfied|E0308 mismatched types|E0106 missing lifetime|E0425 unresolved name|E0433 failed to resolve|E0599 no method found|E0716 temporary dropped|E0373 closure may outlive|E0507 move out of borrow
TS2345 argument not assignable|TS2322 type not assignable|TS7006 implicit any|TS2307 cannot find module|TS2339 property does not exist|TS1005 token expected|TS18048 possibly undefined|TS2554 wrong number of arguments|TS2769 no overload matches|TS6133 declared but never read
ENOSPC watcher limit|EACCES permission|EADDRINUSE port taken|ECONNRESET peer closed|ETIMEDOUT no answer|EMFILE too many open files|ENOENT no such file|EPIPE broken pipe|EXDEV rename across devices|ELOOP too many links|EBUSY resource busy|EAGAIN try again
SQLSTATE 40001 serialization|SQLSTATE 23505 unique|SQLSTATE 42P01 undefined table|SQLSTATE 53300 too many connections|SQLSTATE 57014 query cancelled|ORA-00942 table or view|ORA-01017 invalid credentials|ORA-12154 connect identifier|ORA-00001 constraint violated|SQLITE_BUSY contention|SQLITE_CORRUPT malformed image|SQLITE_CONSTRAINT failed check
CVE-2021-44228 logging library|CVE-2014-0160 heartbeat|CVE-2022-22965 spring beans|CVE-2024-3094 compression library|CVE-2023-44487 rapid reset|CVE-2020-8203 prototype pollution|CVE-2019-11358 extend function|CVE-2021-3156 heap overflow
ERR_REQUIRE_ESM module kind|ERR_MODULE_NOT_FOUND resolution|ERR_UNHANDLED_REJECTION promise|ERR_OSSL_EVP_UNSUPPORTED digest|ERR_HTTP_HEADERS_SENT response twice|ERR_STREAM_PREMATURE_CLOSE pipeline|ERR_INVALID_ARG_TYPE argument|ERR_PNPM_OUTDATED_LOCKFILE lock file
CrashLoopBackOff container|ImagePullBackOff registry|OOMKilled memory limit|ErrImageNeverPull policy|CreateContainerConfigError secret|FailedScheduling node|Evicted disk pressure|ContainerCannotRun entry point
LNK2019 unresolved external|LNK1104 cannot open file|C4996 deprecated|C1083 include file|MSB3073 command exited|NU1605 package downgrade|NETSDK1045 sdk version|CS8602 null dereference|CS0246 type or namespace|CS1061 no definition
PYTHONHASHSEED ordering|PYTHONDONTWRITEBYTECODE cache files|LD_LIBRARY_PATH loader|RUST_BACKTRACE panic|NODE_OPTIONS heap|GOMAXPROCS scheduler|MALLOC_ARENA_MAX fragmentation|OMP_NUM_THREADS oversubscription|KUBECONFIG cluster|DOCKER_BUILDKIT layers|SOURCE_DATE_EPOCH reproducible|GIT_SSH_COMMAND key|HTTP_PROXY gateway|NO_COLOR terminal
get_or_create race|select_for_update locking|bulk_create signals|on_commit callback|prefetch_related queries|update_or_create defaults|refresh_from_db stale|assertNumQueries count|transaction.atomic savepoint|iterator(chunk_size) memory
spawn_blocking thread|block_on nested runtime|JoinSet results|select! cancellation|OnceLock initialisation|Cow allocation|PhantomData variance|MaybeUninit buffer|ManuallyDrop order|catch_unwind boundary|AssertUnwindSafe closure|ControlFlow early exit
useLayoutEffect flicker|useCallback identity|useTransition priority|forwardRef handle|createPortal events|React.memo props|getServerSideProps request|getStaticPaths fallback|useSyncExternalStore tearing|StrictMode double call
epoll_wait edge|io_uring submission|SO_REUSEPORT sharing|TCP_FASTOPEN handshake|SIGPIPE writing|SIGCHLD reaping|O_CLOEXEC inheritance|fallocate preallocation|copy_file_range reflink|inotify_add_watch limit|mmap MAP_POPULATE|madvise MADV_DONTNEED
pg_stat_statements top queries|pg_repack bloat|work_mem sort spill|max_wal_size checkpoints|idle_in_transaction_session_timeout stuck|hot_standby_feedback conflicts|autovacuum_vacuum_scale_factor large tables|effective_io_concurrency prefetch|track_io_timing statistics|shared_preload_libraries restart
0x80070005 access denied|0xC0000005 violation|0x80004005 unspecified|exit code 137 killed|exit code 139 segmentation|exit code 127 missing command|HTTP 429 too many|HTTP 502 upstream|HTTP 415 media type|HTTP 409 conflict
pyproject.toml build-system|tsconfig.json paths|Cargo.toml patch section|docker-compose.yml depends_on|.npmrc registry|.gitattributes linguist|vite.config.ts alias|jest.config.js transform|webpack.config.js externals|nginx.conf upstream|sshd_config MaxSessions|logrotate.conf copytruncate
""".strip()

TERM_FORMS = [
    ("Goal: get past {term} in {place}. It was about the {about}; {lesson}.", ["{term}", "{term} again in the {short}", "how did we get rid of {term}"]),
    ("{term} ({about}) showed up in {place}. Lesson: {lesson}.", ["{term} error", "seeing {term}", "what is the fix for {term}"]),
    ("While working on {place} the agent met {term}, a matter of {about}. {Lesson}.", ["{term} {about}", "help with {term} please", "{term} in {short}"]),
]

UNRELATED_THINGS = {
    "Write a recipe for {}": ["lentil soup", "apple pie", "sourdough bread", "a vegan curry", "pancakes", "ratatouille", "potato salad", "ginger tea", "pumpkin risotto", "cinnamon rolls"],
    "What should I see in {} in three days?": ["Lisbon", "Kyoto", "Edinburgh", "Marrakesh", "Vienna", "Oaxaca", "Tallinn", "Cape Town", "Hanoi", "Reykjavik"],
    "Write a short poem about {}": ["autumn rain", "my grandmother's garden", "a lighthouse", "waiting for a train", "the sea at night", "an old piano", "snow in April", "two crows", "a lost glove", "the harvest moon"],
    "Explain {} to a ten-year-old": ["photosynthesis", "how volcanoes erupt", "the water cycle", "why the sky is blue", "black holes", "inflation of prices", "how vaccines work", "the Roman empire", "tides", "dinosaurs"],
    "Who was {} and why does it matter?": ["Marie Curie", "Hannibal", "Rosa Luxemburg", "Ibn Battuta", "Emmy Noether", "Simón Bolívar", "Ada Lovelace", "Hildegard of Bingen", "Tycho Brahe", "Mary Wollstonecraft"],
    "Suggest a gift for {}": ["a retired teacher", "my nephew who loves trains", "a new neighbour", "a friend who paints", "my running partner", "a colleague's farewell", "a couple's wedding", "a beekeeper", "someone who just moved", "a teenage drummer"],
    "How do I {} at home?": ["grow tomatoes", "sharpen kitchen knives", "remove a wine stain", "repot an orchid", "train for a half marathon", "learn the violin", "make candles", "keep a cat entertained", "fix a squeaky door", "brew kombucha"],
    "Translate into French: {}": ["the train leaves at noon", "I would like a table for two", "where does it hurt", "my suitcase has not arrived", "the museum is closed on Mondays", "thank you for the flowers", "it is going to snow", "the children are asleep", "we missed the ferry", "a kilo of cherries please"],
    "Give me an overview of the history of {}": ["chess", "coffee", "the bicycle", "opera", "porcelain", "football", "perfume", "printing", "the Olympic games", "jazz"],
    "Draft a friendly letter about {}": ["a cancelled picnic", "our choir's concert", "a lost parcel", "the neighbours' barking dog", "a school trip", "a birthday party", "renting the holiday flat", "a late library book", "thanking the nurses", "the village fair"],
    "Create a {} in this folder": ["tic-tac-toe game", "page with a bouncing ball", "chess board class", "sudoku solver", "quiz about capitals", "text adventure", "snake game", "mandelbrot picture", "poker hand evaluator", "crossword generator"],
    "Add a {} to the app": ["dark theme switch", "greeting with the user's name", "birthday reminder", "weather panel", "star rating", "confetti animation", "calorie counter", "sound when a task is done", "map with pins", "language chooser"],
    "Rename {}": ["the function foo to bar", "Customer to Client everywhere", "the folder old to attic", "variable x to distance", "the class Shape to Figure", "tmp2 to average_height", "the column title in the sheet", "this chapter", "the second heading", "the project to lighthouse"],
    "Compute {}": ["the first hundred primes", "the area of a regular hexagon", "compound interest over ten years", "the day of the week I was born", "the distance from Rome to Oslo", "the factorial of 30", "the odds of a full house", "my body mass index", "how much paint a room needs", "the angle of the sun at noon"],
    "Summarise {} in three sentences": ["this novel's first chapter", "the plot of Hamlet", "the minutes of the parents' evening", "the article on whales", "the interview with the mayor", "the French revolution", "the rules of cricket", "my grandfather's letters", "the museum leaflet", "the film we saw yesterday"],
    "Sort {}": ["these names by last name", "the shopping list by aisle", "my books by author", "the guests by table", "the planets by size", "the holiday photos by year", "the songs by length", "the recipes by season", "the plants by height", "the stamps by country"],
    "Tell me about {}": ["the weather on Mars", "octopuses", "sign languages", "sourdough starters", "the northern lights", "bonsai trees", "glaciers", "the Silk Road", "honey bees", "tightrope walking"],
    "What rhymes with {}?": ["orange", "winter", "silver", "mountain", "purple", "harbour", "candle", "ocean", "butterfly", "twilight"],
    "Plan {}": ["a surprise party for twelve", "a week of vegetarian dinners", "a balcony garden", "a hike with small children", "a wedding speech", "a reading list for the summer", "a chess evening", "a flea market stall", "a bicycle tour along the Danube", "a treasure hunt"],
    "Which {} would you choose and why?": ["colour for a kitchen wall", "instrument for a beginner", "dog breed for a flat", "wine with fish", "name for a sailing boat", "mattress for a bad back", "hiking boots", "opening against the Sicilian", "telescope for children", "tea in the evening"],
}

UNRELATED_SINGLE = """
hello|hi there|good morning|thanks, that is all|yes, go on|continue|ok|no|stop here|looks good to me|perfect, thank you|what can you do?|who are you?|are you there?|never mind|let's start|next|do the second one|the first option please|I changed my mind|could you repeat that?|shorter please|in one sentence|say it more politely|what time is it?|tell me a joke|sing a song|I am tired|I am back|see you tomorrow
print hello world|write a haiku|count the words in this paragraph|make the headline bigger|use a warmer tone|capitalise every heading|put a full stop at the end|remove the second paragraph|swap the two sections|add a signature at the bottom|translate the comments to Spanish|draw an ASCII cat|convert miles to kilometres|give me five synonyms of happy|fix the spelling|write my CV|make a multiplication table|list the months in Latin|what is the capital of Mongolia?|how tall is Mont Blanc?
describe this picture|what is this project about?|list the files here|show me the readme|open the last document|where were we?|what did we do yesterday?|how many lines are there?|explain this file|draw a diagram of it|make it blue|centre the logo|add three more examples|use metric units|write it as a table|number the steps|turn this into a slide deck|make a checklist|write a limerick about bureaucracy|invent a name for a bakery
is it going to rain tomorrow?|how long do eggs boil?|who won the match?|what is the meaning of serendipity?|recommend a film for tonight|when is Easter next year?|how do bees make honey?|what is a sonnet?|is chess a sport?|how many bones has a shark?|why do cats purr?|which planet has the most moons?|what do koalas eat?|how far is the moon?|who painted the night watch?|what is umami?|how old is the universe?|where do storks spend the winter?|what is a leap second?|how does a sundial work?
write a bedtime story about a fox|a limerick on Mondays please|a toast for my sister's wedding|an invitation to a garden party|a eulogy for a goldfish|five names for a racehorse|a slogan for a bicycle shop|the opening of a detective novel|a dialogue between two clouds|a riddle about time|lyrics for a lullaby|a postcard from the mountains|a review of a bad restaurant|a fairy tale with a happy end|a monologue of a snowman|a crossword clue for river|a menu for a spring dinner|rules for a new board game|a speech for the mayor|a thank-you note to a doctor
how do I tie a bow tie?|what muscles does rowing use?|is this mushroom edible?|how often should I water a cactus?|how do I calm a crying baby?|what is a good bedtime for a toddler?|how much sleep do I need?|how do I descale a kettle?|which yarn for a winter scarf?|how do I whistle with two fingers?|how do I fold a paper crane?|what is a fair price for a used piano?|how do I pack for a month?|can I freeze cooked rice?|how do I get rid of hiccups?|what is the offside rule?|how do I start jogging?|which knot for a hammock?|how do I store potatoes?|how do I write a will?
""".strip()


def main():
    chance = random.Random(8)
    write("distractors.tsv", "# domain	what was stored", distractors(chance))
    write("exact-terms.tsv", "# term	what was stored	what is asked later", exact_terms(chance))
    write("unrelated.txt", "# prompts that nothing in the store helps with", [[prompt] for prompt in unrelated()])


def distractors(chance):
    rows = []
    for domain, parts in DOMAINS.items():
        every = list(itertools.product(*parts))
        for thing, seen, why, lesson in chance.sample(every, 100):
            form = chance.choice(FORMS)
            rows.append([domain, form.format(thing=thing, Thing=thing[0].upper() + thing[1:], seen=seen, why=why, lesson=lesson)])
    return rows


def exact_terms(chance):
    places = [(thing, thing.removeprefix("the ")) for parts in DOMAINS.values() for thing in parts[0]]
    lessons = [lesson for parts in DOMAINS.values() for lesson in parts[3]]
    rows = []
    for both in TERMS.replace("\n", "|").split("|"):
        words = both.split(" ")
        # A term of two words where the first alone says nothing ("exit code 137", "HTTP 502", "SQLSTATE 40001").
        length = {"SQLSTATE": 2, "exit": 3, "HTTP": 2}.get(words[0], 1)
        term, about = " ".join(words[:length]), " ".join(words[length:]) or "the call"
        form, queries = chance.choice(TERM_FORMS)
        (place, short), lesson = chance.choice(places), chance.choice(lessons)
        values = dict(term=term, about=about, place=place, short=short, lesson=lesson, Lesson=lesson[0].upper() + lesson[1:])
        rows.append([term, form.format(**values), chance.choice(queries).format(**values)])
    return rows


def unrelated():
    for form, things in UNRELATED_THINGS.items():
        yield from (form.format(thing) for thing in things)
    yield from UNRELATED_SINGLE.replace("\n", "|").split("|")
    # The same wishes as an agent gets them, with a little politeness and context around.
    yield from (f"please {prompt[0].lower()}{prompt[1:]}" for prompt in UNRELATED_SINGLE.replace("\n", "|").split("|")[30:])
    yield from (f"Can you help me? {form.format(thing)}" for form, things in UNRELATED_THINGS.items() for thing in things[:4])


def write(name, head, rows):
    (SETS / name).write_text("\n".join([head, *("\t".join(row) for row in rows)]) + "\n")
    print(f"{name}: {len(rows)}")


if __name__ == "__main__":
    main()
