/** The tables of a workspace's database, version by version. A migration that was released never changes. */
export const workspaceMigrations: readonly string[] = [
  // 1: the audit log. `server` and `pid` tell whose call a running one is.
  `CREATE TABLE calls (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     session TEXT,
     server TEXT NOT NULL,
     pid INTEGER NOT NULL,
     at TEXT NOT NULL,
     outcome TEXT NOT NULL,
     entry TEXT NOT NULL
   ) STRICT;
   CREATE INDEX calls_by_session ON calls (session, seq);
   CREATE INDEX calls_running ON calls (seq) WHERE outcome = 'running';`,
  // 2: calls that the person approved for good. `key` is a hash, so that no secret in an argument is kept.
  `CREATE TABLE remembered (
     key TEXT PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     at TEXT NOT NULL,
     tool TEXT NOT NULL,
     arguments TEXT NOT NULL
   ) STRICT;`,
  // 3: proposals. `body` is JSON in which long texts are numbers of `proposal_texts`; `server` reviews a pending one.
  `CREATE TABLE proposals (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     session TEXT,
     server TEXT NOT NULL,
     at TEXT NOT NULL,
     pending INTEGER NOT NULL,
     size INTEGER NOT NULL DEFAULT 0,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX proposals_pending ON proposals (pending, seq);
   CREATE TABLE proposal_texts (
     proposal TEXT NOT NULL,
     number INTEGER NOT NULL,
     of INTEGER,
     head INTEGER NOT NULL,
     tail INTEGER NOT NULL,
     wide INTEGER NOT NULL,
     bytes BLOB NOT NULL,
     PRIMARY KEY (proposal, number)
   ) STRICT;`,
];
