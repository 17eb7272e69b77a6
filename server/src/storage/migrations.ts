/** The tables of a workspace's database, version by version. A migration that was released never changes. */
export const workspaceMigrations: readonly string[] = [
  `
   -- The audit log. \`server\` and \`pid\` tell whose call a running one is.
   CREATE TABLE calls (
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
   CREATE INDEX calls_running ON calls (seq) WHERE outcome = 'running';
   -- Calls that are approved for good. \`key\` is a hash, so that no secret in an argument is kept.
   CREATE TABLE remembered (
     key TEXT PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     at TEXT NOT NULL,
     tool TEXT NOT NULL,
     arguments TEXT NOT NULL
   ) STRICT;
   -- Proposals. \`body\` is JSON in which long texts are numbers; \`server\` reviews a pending one. A row of \`proposal_texts\` holds
   -- some of these texts, up to the one with the number \`last\`.
   CREATE TABLE proposals (
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
     last INTEGER NOT NULL,
     bytes BLOB NOT NULL,
     PRIMARY KEY (proposal, last)
   ) STRICT;
   -- Conversations; one that answers a call of another has that one as its parent. An item is a message of the model's
   -- history, a \`turn\` (its first event) or another event.
   CREATE TABLE sessions (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL DEFAULT '',
     words TEXT NOT NULL,
     made TEXT NOT NULL,
     used TEXT NOT NULL,
     turns INTEGER NOT NULL DEFAULT 0,
     server TEXT,
     system TEXT,
     state TEXT NOT NULL DEFAULT '{}',
     parent TEXT,
     parent_call TEXT
   ) STRICT;
   CREATE INDEX sessions_by_use ON sessions (used);
   CREATE TABLE session_items (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     session TEXT NOT NULL,
     kind TEXT NOT NULL,
     turn TEXT NOT NULL,
     at TEXT NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX session_items_of ON session_items (session, seq);
   CREATE INDEX session_items_of_kind ON session_items (session, kind, seq);
   CREATE VIRTUAL TABLE session_words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
   INSERT INTO session_words (session_words, rank) VALUES ('secure-delete', 1);
   -- Prompts that came while a turn ran, until the event is written that tells of it.
   CREATE TABLE queued_prompts (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     session TEXT NOT NULL,
     at TEXT NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX queued_prompts_of ON queued_prompts (session, seq);
   -- What goes along with the prompts of a conversation, as JSON.
   CREATE TABLE session_context (session TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
   -- What each request to a model took. \`root\` and \`root_turn\` are what it counts to: of a conversation that answers
   -- another one, that one. \`cost\` is in billionths of a dollar, NULL where nobody knows the price; \`prices_as_of\`
   -- is the date of the published price behind it. \`cache_write_1h\` are those of \`cache_write\` that are kept for an hour.
   CREATE TABLE usage (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     session TEXT NOT NULL,
     root TEXT NOT NULL,
     root_turn TEXT NOT NULL,
     at TEXT NOT NULL,
     model TEXT NOT NULL,
     place TEXT NOT NULL,
     input INTEGER NOT NULL,
     output INTEGER NOT NULL,
     cache_read INTEGER NOT NULL,
     cache_write INTEGER NOT NULL,
     cost INTEGER,
     cache_write_1h INTEGER,
     prices_as_of TEXT
   ) STRICT;
   CREATE INDEX usage_by_root ON usage (root);
   CREATE INDEX usage_by_turn ON usage (root_turn);
   CREATE INDEX usage_by_time ON usage (at);
  `,
];
