//! The tables. Any change of them, or of what a column means, is a new [`SCHEMA_VERSION`].
//!
//! Rows of one list are numbered from 0 in the order of the list. Columns named `..._json` hold nested values that no
//! query looks into. `schedules.parent` is the place of the schedule that a part continues (Bergan 3.2.1). A file is
//! `finished` (in `meta`) when its run has written all it found; before, it has no statistics and no reasons of the
//! run. It is `cut` if a limit of the whole run, or the user, ended the search. `searches` is for a run that goes on
//! where one was cut off: what it knows of finished searches, each with the epoch whose row and schedules it has found,
//! NULL if they were replaced. A file that is finished and not cut has none. `identity` names all that decides the
//! result: a run of another identity does not go on. `nodes.elsewhere_json` has the other places at which executions of
//! the schedule call the operation, NULL if there are none. `schedules.after_error` is the place of an error among
//! those of the epoch, from 0: behind it are all executions that follow the schedule. `errors.is_open` is 1 if there
//! are such inputs only if a replaced loop leaves what fits. `inputs` has the names in an epoch's constraints that C
//! cannot compute; `inputs.at` is NULL if no place reads one. `epochs.assumed_json` has what is taken for granted of
//! loops: the places of those that are assumed to end, and whether no sum overflows. `epochs.early_exits` is NULL if
//! every input that is covered satisfies the constraint of a schedule.
//! `nodes.outcome` is what the call returns: a number, `varies`, or NULL if nobody knows.
//! `beginnings` has what the paths of an epoch were executed with; `facts_json` and `names_json` are for icsched alone.
//! `meta` has what the last check of the result has found, as the JSON of `check`, if there was one.
//! `summaries` has the loops and recursions that were summarised; `summaries.block` is NULL for a recursion.

/// Version of the tables, also SQLite's `user_version`.
pub const SCHEMA_VERSION: i64 = 8;

/// SQLite's `application_id`: `icsd` in ASCII.
pub(super) const APPLICATION_ID: i64 = 0x6963_7364;

/// The key in `meta` of contents of files, by their digests.
pub(super) const CONTENTS: &str = "contents";

/// The key in `meta` of what the last check has found, as its JSON.
pub(super) const CHECK: &str = "check";

/// What `summaries.kind` says of a loop.
pub(super) const LOOP: &str = "loop";

/// What it says of a recursion.
pub(super) const RECURSION: &str = "recursion";

/// What `nodes.outcome` says where it is not the same in all executions.
pub(super) const VARIES: &str = "varies";

/// Creates the empty tables.
pub(super) const CREATE: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE epochs (
    epoch INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    stacks_json TEXT NOT NULL,
    contexts_json TEXT NOT NULL,
    infeasible_removed INTEGER NOT NULL,
    max_live_threads INTEGER NOT NULL,
    early_exits TEXT,
    early_exits_json TEXT,
    assumed_json TEXT NOT NULL
);

CREATE TABLE schedules (
    epoch INTEGER NOT NULL REFERENCES epochs,
    schedule INTEGER NOT NULL,
    parent INTEGER,
    id TEXT NOT NULL,
    \"constraint\" TEXT NOT NULL,
    condition_json TEXT,
    ends TEXT NOT NULL,
    ends_json TEXT NOT NULL,
    after_error INTEGER,
    PRIMARY KEY (epoch, schedule)
) WITHOUT ROWID;

CREATE TABLE nodes (
    epoch INTEGER NOT NULL,
    schedule INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    n INTEGER NOT NULL,
    op TEXT NOT NULL,
    object TEXT NOT NULL,
    at TEXT NOT NULL,
    func INTEGER,
    block INTEGER,
    inst INTEGER,
    elsewhere_json TEXT,
    outcome TEXT,
    PRIMARY KEY (epoch, schedule, thread, n),
    FOREIGN KEY (epoch, schedule) REFERENCES schedules
) WITHOUT ROWID;

CREATE TABLE edges (
    epoch INTEGER NOT NULL,
    schedule INTEGER NOT NULL,
    from_thread INTEGER NOT NULL,
    from_n INTEGER NOT NULL,
    to_thread INTEGER NOT NULL,
    to_n INTEGER NOT NULL,
    PRIMARY KEY (epoch, schedule, from_thread, from_n, to_thread, to_n),
    FOREIGN KEY (epoch, schedule) REFERENCES schedules
) WITHOUT ROWID;

CREATE TABLE reasons (
    reason INTEGER PRIMARY KEY,
    epoch INTEGER REFERENCES epochs,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    at TEXT
);

CREATE TABLE errors (
    error INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL REFERENCES epochs,
    message TEXT NOT NULL,
    at TEXT NOT NULL,
    \"constraint\" TEXT NOT NULL,
    condition_json TEXT,
    is_open INTEGER NOT NULL
);

CREATE TABLE inputs (
    input INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL REFERENCES epochs,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    meaning TEXT NOT NULL,
    at TEXT
);

CREATE TABLE beginnings (
    epoch INTEGER PRIMARY KEY REFERENCES epochs,
    objects_open INTEGER NOT NULL,
    facts_json TEXT NOT NULL,
    names_json TEXT NOT NULL
);

CREATE TABLE summaries (
    epoch INTEGER NOT NULL REFERENCES epochs,
    summary INTEGER NOT NULL,
    kind TEXT NOT NULL,
    func INTEGER NOT NULL,
    block INTEGER,
    at TEXT NOT NULL,
    PRIMARY KEY (epoch, summary)
) WITHOUT ROWID;

CREATE TABLE searches (
    search INTEGER PRIMARY KEY,
    epoch INTEGER REFERENCES epochs,
    record_json TEXT NOT NULL
);

CREATE TABLE statistics (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
";
