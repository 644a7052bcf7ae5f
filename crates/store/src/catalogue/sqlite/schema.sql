-- The catalogue of Oriole. Moments are milliseconds since 1970, UTC: datetime(checked_at / 1000, 'unixepoch') makes them readable.
-- docs/formats.md describes every column. Only a running engine writes here, except into the inbox.

CREATE TABLE hosts (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL,              -- scheme://host[:port]
    delay         REAL NOT NULL,              -- seconds between two requests
    failures      INTEGER NOT NULL,           -- requests that failed since the last that did not
    blocked_until INTEGER,                    -- not to be visited before
    pages         INTEGER NOT NULL,           -- pages known on it
    learned       TEXT                        -- JSON: prior of the change rates, trust in signals
) STRICT;

CREATE TABLE robots_txt (
    host       INTEGER PRIMARY KEY,           -- hosts.id
    status     INTEGER,                       -- HTTP status, null if there was no answer
    fetched_at INTEGER NOT NULL,
    body       TEXT NOT NULL
) STRICT;

CREATE TABLE pages (
    id                INTEGER PRIMARY KEY,    -- in the order of discovery
    url               TEXT NOT NULL,          -- normalised; each once
    host              INTEGER NOT NULL,       -- hosts.id
    found_at          INTEGER NOT NULL,
    referrer          INTEGER,                -- pages.id of the page that led to it, null for a seed
    depth             INTEGER NOT NULL,       -- links from a seed to it
    weight            REAL NOT NULL,          -- what it costs that the copy is out of date
    links_in          INTEGER NOT NULL,       -- links to it known so far
    state             TEXT NOT NULL DEFAULT 'known', -- known, fetched, gone, excluded, redirect, duplicate, skipped, failed
    checked_at        INTEGER,                -- last visit
    changed_at        INTEGER,                -- last change, as far as is known
    status            INTEGER,                -- HTTP status of the last answer
    failures          INTEGER NOT NULL DEFAULT 0, -- visits that failed since the last that did not
    retry_at          INTEGER,                -- not to be visited before
    visits            INTEGER NOT NULL DEFAULT 0,
    changes           INTEGER NOT NULL DEFAULT 0, -- visits that found it changed
    evidence_changes  REAL NOT NULL DEFAULT 0, -- evidence of the change rate: as much as so many changes ...
    evidence_exposure REAL NOT NULL DEFAULT 0, -- ... seen in so much time
    text_hash         BLOB,                   -- 16 bytes, of the main text
    simhash           INTEGER,                -- 64 bits, near for texts that are near
    sketch            BLOB,                   -- of the main text, for the size of a change
    etag              TEXT,
    last_modified     TEXT,                   -- as received
    mime              TEXT,
    language          TEXT,                   -- ISO 639-1
    title             TEXT,
    bytes             INTEGER,                -- size of the body
    duplicate_of      INTEGER,                -- pages.id of the page shown instead
    redirect_to       TEXT,                   -- where it leads to
    archive_file      INTEGER,                -- archive_files.id: where the last full copy is
    archive_offset    INTEGER,
    archive_length    INTEGER,
    archived_at       INTEGER,                -- when that copy was fetched
    digest            BLOB,                   -- 20 bytes, SHA-1 of its body
    indexed           INTEGER NOT NULL DEFAULT 0, -- 1 if the search index has it
    published         INTEGER                 -- when it says it was published
) STRICT;

CREATE TABLE visits (
    page           INTEGER NOT NULL,          -- pages.id
    at             INTEGER NOT NULL,
    outcome        TEXT NOT NULL,             -- new, changed, unchanged, not modified, gone, excluded, redirect, duplicate, skipped, failed, lost, obsolete
    status         INTEGER,                   -- HTTP status, null if there was no answer
    bytes          INTEGER NOT NULL,          -- received
    milliseconds   INTEGER NOT NULL,          -- how long it took
    archive_file   INTEGER,                   -- archive_files.id: where the record of this visit is
    archive_offset INTEGER,
    archive_length INTEGER,
    PRIMARY KEY (page, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE archive_files (
    id     INTEGER PRIMARY KEY,               -- the number in the name of the file
    name   TEXT NOT NULL,
    length INTEGER NOT NULL                   -- bytes that belong to batches written; what follows is cut off when opening
) STRICT;

CREATE TABLE status (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    json TEXT NOT NULL                        -- what the engine says about itself, about once per second
) STRICT;

CREATE TABLE journal (
    batch INTEGER PRIMARY KEY,                -- at most one row: the batch that the index may or may not have
    body  BLOB NOT NULL
) STRICT;

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,                   -- format, batch, indexed_batch; note:NAME for what the engine remembers
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS inbox (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    command TEXT NOT NULL,                    -- add, remove, add site, pause, resume, remove site, weight, delay, most pages
    url     TEXT NOT NULL,                    -- a page, a page of the site, or a pattern
    value   REAL                              -- the weight, the delay in seconds, or the number of pages
) STRICT;

CREATE TABLE IF NOT EXISTS asks (             -- what readers have asked for and the engine has not yet counted
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    at   INTEGER NOT NULL,
    page INTEGER NOT NULL,                    -- pages.id
    kind TEXT NOT NULL                        -- shown, clicked
) STRICT;

CREATE TABLE IF NOT EXISTS demand (           -- how often readers have asked for a page
    page  INTEGER PRIMARY KEY,                -- pages.id
    asked REAL NOT NULL,                      -- clicks, and a tenth for each time it was shown, halved every half-life
    at    INTEGER NOT NULL                    -- as of then
) STRICT;

CREATE TABLE IF NOT EXISTS events (           -- what became of pages and has still to be told (webhooks); filled by triggers
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    at   INTEGER NOT NULL,
    kind TEXT NOT NULL,                       -- new, changed, gone
    page INTEGER NOT NULL                     -- pages.id
) STRICT;

-- What has changed, newest first.
CREATE INDEX IF NOT EXISTS changes ON visits (at, page) WHERE outcome IN ('new', 'changed', 'gone');
