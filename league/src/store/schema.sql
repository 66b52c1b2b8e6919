-- The first state of the database. A change is a migration of its own, beside this one.

CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL DEFAULT '',
    role TEXT NOT NULL CHECK (role IN ('student', 'instructor', 'reference')),
    nickname TEXT NOT NULL DEFAULT '',
    shows_name INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    active INTEGER REFERENCES versions (id)
) STRICT;

-- Tokens are kept as hashes alone: who reads the database can enter as nobody.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    person INTEGER REFERENCES people (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('invitation', 'worker')),
    label TEXT NOT NULL DEFAULT '',
    hash BLOB NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    revoked INTEGER
) STRICT;
CREATE INDEX tokens_of_person ON tokens (person);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    token INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    form TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    content TEXT,
    player TEXT,
    bytes INTEGER NOT NULL DEFAULT 0,
    uploaded INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'building', 'ready', 'refused', 'passed-over')),
    why TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    results TEXT,
    built INTEGER,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL DEFAULT 0,
    faults_in_row INTEGER NOT NULL DEFAULT 0,
    benched TEXT,
    UNIQUE (person, number)
) STRICT;
CREATE INDEX versions_by_state ON versions (state);

CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    first INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    second INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    opening INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'done', 'void')),
    made INTEGER NOT NULL,
    ended INTEGER,
    result TEXT,
    reason TEXT,
    fault_side INTEGER,
    -- The kind of the fault: what a program printed or failed at is for its owner alone.
    fault_word TEXT,
    again TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    plies INTEGER,
    record BLOB,
    first_stderr TEXT,
    second_stderr TEXT,
    first_rating REAL,
    first_deviation REAL,
    second_rating REAL,
    second_deviation REAL,
    worker TEXT
) STRICT;
CREATE INDEX games_of_first ON games (first, id);
CREATE INDEX games_of_second ON games (second, id);
CREATE INDEX games_by_state ON games (state);

CREATE TABLE reviews (
    game INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
    review TEXT
) STRICT;

CREATE TABLE frozen (
    person INTEGER PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
    version INTEGER NOT NULL REFERENCES versions (id)
) STRICT;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL
) STRICT;

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
