/** The import tables of ARCHITECTURE.md as data: a file may import from its own folder and from the folders below it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../server/src", import.meta.url));

/**
 * Each table is one folder, from the bottom up: what stands in one row may be imported by the rows below it in the list,
 * and what stands in the same row knows nothing of its neighbours. Outside of the top table types are free.
 */
interface Table {
  readonly folder: string;
  readonly levels: readonly (readonly string[])[];
  readonly typesToo?: boolean;
}

const tables: readonly Table[] = [
  {
    folder: "",
    typesToo: true,
    levels: [
      ["base"],
      ["schema", "workspace"],
      ["protocol"],
      ["process", "settings"],
      ["storage"],
      ["typescript", "repl", "model", "search", "surroundings", "sandbox"],
      ["proposals"],
      ["tools"],
      ["agent", "telemetry"],
      ["conversation", "client"],
      ["services.ts"],
      ["handlers"],
      ["doors"],
      ["composition", "terminal"],
      ["fronts"],
      ["main.ts"],
    ],
  },
  {
    folder: "typescript",
    levels: [
      ["places.ts", "line-starts.ts", "yielding.ts", "compiler-version.ts", "typescript-unavailable.ts"],
      ["files", "view.ts"],
      ["per-snapshot.ts"],
      ["names"],
      ["session", "xref"],
      ["shapes"],
      ["schema", "expand", "relay"],
      ["edits", "check-form.ts"],
      ["typescript-service.ts"],
    ],
  },
  {
    folder: "repl",
    levels: [
      ["child", "child-folder.ts", "image.ts"],
      ["source", "confinement"],
      // `app` runs in programs of the person's.
      ["redefine", "modules", "app"],
      ["forms", "evaluation"],
      ["sight"],
      ["process"],
      ["stages", "testing"],
      ["repl.ts"],
      ["attached"],
    ],
  },
  {
    // The folders tell the thread: `main` and `control` never import each other.
    folder: "repl/child",
    levels: [["shared"], ["wire"], ["limited", "threads"], ["main", "control", "tests"], ["boot.ts"]],
  },
  {
    folder: "proposals",
    levels: [
      ["texts", "entries"],
      ["hunk-state.ts"],
      ["proposal.ts"],
      ["describe-part.ts", "proposal-state.ts"],
      ["tracked-proposal.ts", "describe-outcome.ts", "watch-decisions.ts"],
      ["apply"],
      ["subset", "after", "kept", "describe-news.ts"],
      ["review.ts", "known-proposals.ts"],
      ["proposal-store.ts"],
    ],
  },
  {
    folder: "doors",
    levels: [
      ["settings-file.ts", "handover"],
      ["mcp", "acp"],
    ],
  },
  {
    folder: "tools",
    levels: [
      [
        "tool-rules.ts",
        "offered-schema.ts",
        "seen-texts.ts",
        "edit-schema.ts",
        "canonical.ts",
        "names-of-others.ts",
        "fences.ts",
      ],
      ["consent", "tool.ts"],
      ["answers", "tool-content.ts", "delegate.ts", "aliases.ts"],
      ["files"],
      ["introspection", "execution", "buffer", "edit", "search", "mcp"],
      ["commands", "own"],
      ["policy", "run"],
      ["all-tools.ts", "explain-decision.ts"],
    ],
  },
  {
    folder: "sandbox",
    levels: [
      ["layer", "network", "inherited-descriptors.ts"],
      ["places"],
      ["wall"],
      ["runs"],
      ["find-wall.ts"],
      ["sandbox.ts"],
    ],
  },
  {
    folder: "typescript/names",
    levels: [
      [
        "javascript",
        "address.ts",
        "asking-position.ts",
        "find-file.ts",
        "line-address.ts",
        "name-at.ts",
        "package-importers.ts",
      ],
      ["tree", "short-address.ts"],
      ["index", "built-counterparts.ts", "import-line.ts", "live-path.ts", "targets.ts", "used-name.ts"],
      ["follow-aliases.ts", "unknown-names.ts"],
      ["search-names.ts"],
      ["resolve-symbol.ts"],
    ],
  },
  {
    folder: "typescript/xref",
    levels: [["references", "callable.ts"], ["hierarchy"], ["construction.ts"], ["callers.ts"], ["caller-tree.ts"]],
  },
];

/** What a question asks of a `View`; the other folders of typescript/ are the compiler's own affair. */
const asked = ["names", "xref", "shapes", "schema", "expand", "edits"];

/** The folders of typescript/ that other folders and files take values from; its own files are open to all. */
const openTo: Readonly<Record<string, readonly string[]>> = {
  tools: asked,
  handlers: ["relay"],
  terminal: ["session"],
};

/** Packages with exactly one folder or file that may import their code; types are free. */
const onlyImporters: Readonly<Record<string, string>> = {
  typescript: "typescript/",
  "@anthropic-ai/sdk": "model/",
  "@modelcontextprotocol/client": "tools/mcp/connection.ts",
  "@modelcontextprotocol/server": "doors/mcp/",
  "vscode-languageserver": "handlers/connection.ts",
  "node:child_process": "process/spawn.ts",
  "@vscode/ripgrep": "search/",
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const pattern =
    /(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;
  return [...text.matchAll(pattern)].map((match) => ({
    from: file,
    to: match[2] ?? match[3] ?? "",
    typeOnly: match[1] !== undefined,
  }));
}

/** The folder or file of `parent` in which `file` stands, or undefined when `file` stands elsewhere. */
function placeIn(parent: string, file: string): string | undefined {
  const [up, ...rest] = path.relative(parent, file).split(path.sep);
  return up === ".." || (up === "" && rest.length === 0) ? undefined : up;
}

/** The imports of one table's folder that point upwards or to a neighbour, as sentences. */
function wrongWays({ folder, levels, typesToo = false }: Table): string[] {
  const levelOf = (place: string): number => levels.findIndex((level) => level.includes(place));
  return imports
    .filter(({ to, typeOnly }) => to.startsWith(".") && (typesToo || !typeOnly))
    .map(({ from, to }) => ({ from, target: path.join(path.dirname(from), to) }))
    .filter(({ from, target }) => {
      const [own, other] = [placeIn(folder, from), placeIn(folder, target)];
      if (own === undefined || other === undefined || own === other) return false;
      const isListed = levelOf(own) >= 0 && levelOf(other) >= 0;
      return isListed && levelOf(other) >= levelOf(own);
    })
    .map(({ from, target }) => `${from} must not import ${target}: pass what it needs in from above`);
}

/** Who else makes folders, or reads where temporary files are, and the lines that do. */
const makers: Readonly<Record<string, RegExp>> = {
  // Inside of a folder that the room has made.
  "sandbox/layer/layer.ts": /mkdir/,
  "repl/confinement/limited/seatbelt.ts": /mkdir/,
  // In the project, by what a person accepted or takes back.
  "repl/stages/changes/take-back.ts": /mkdir/,
  "proposals/entries/put-entry.ts": /mkdir/,
  "client/buffers.ts": /mkdir/,
  // In the shell's words: behind the wall, and on the machine that \`repl.command\` names.
  "sandbox/wall/namespace-scripts.ts": /mkdir/,
  "repl/confinement/limited/elsewhere.ts": /mkdir -m 700/,
  // Which folder the REPL may not read below, the one of macOS, which is the person's own, and words.
  "repl/confinement/limited/limited.ts": /tmpdir/,
  "process/runtime-folder.ts": /tmpdir/,
  "repl/evaluation/evaluation-record.ts": /os\.tmpdir\(\)/,
};

/** The lines of code that match, outside of the REPL's process, which is another one, and of these files. */
function sources(pattern: RegExp, without: readonly string[]): { file: string; line: string }[] {
  return files
    .filter((file) => !file.startsWith(path.join("repl", "child")) && !without.includes(file))
    .flatMap((file) => {
      const lines = readFileSync(path.join(root, file), "utf8").split("\n");
      return lines
        .filter((line) => pattern.test(line) && !/^\s*(?:\*|\/[*/])/.test(line))
        .map((line) => ({ file, line }));
    });
}

describe("the house", () => {
  it.each(tables)("has a level for every folder and file of server/src/$folder", ({ folder, levels }) => {
    const places = new Set(files.map((file) => placeIn(folder, file)).filter((place) => place !== undefined));
    const unknown = [...places].filter((place) => !levels.flat().includes(place));
    expect(unknown, "add it to ARCHITECTURE.md and to the table in this test, with the reason").toEqual([]);
  });

  it.each(tables)("imports one way only in server/src/$folder", (table) => {
    expect(wrongWays(table)).toEqual([]);
  });

  it("keeps the inner folders of typescript/ to those whose questions they answer", () => {
    const wrong = imports
      .filter(({ to, typeOnly }) => to.startsWith(".") && !typeOnly)
      .map(({ from, to }) => ({ from, target: path.join(path.dirname(from), to) }))
      .filter(({ from, target }) => {
        const inner = placeIn("typescript", target);
        if (inner === undefined || inner.endsWith(".ts") || placeIn("typescript", from) !== undefined) return false;
        return openTo[placeIn("", from) ?? ""]?.includes(inner) !== true;
      })
      .map(({ from, target }) => `${from} must not import ${target}: ask a View, or the service`);
    expect(wrong).toEqual([]);
  });

  it("lets the REPL's process import nothing but its own code", () => {
    const child = path.join("repl", "child");
    const wrong = imports
      .filter(({ from, to, typeOnly }) => from.startsWith(`${child}${path.sep}`) && to.startsWith(".") && !typeOnly)
      .map(({ from, to }) => ({ from, target: path.join(path.dirname(from), to) }))
      .filter(({ target }) => placeIn(child, target) === undefined)
      .map(({ from, target }) => `${from} runs in another process than ${target}: import types alone`);
    expect(wrong).toEqual([]);
  });

  it("imports each outside engine in one place", () => {
    const wrong = imports
      .filter(({ to, typeOnly }) => !typeOnly && !to.startsWith("."))
      .flatMap(({ from, to }) => {
        const name = Object.keys(onlyImporters).find((known) => to === known || to.startsWith(`${known}/`)) ?? "";
        const importer = onlyImporters[name];
        const isRight = importer === undefined || from.startsWith(importer);
        return isRight ? [] : [`${from} must not import ${to}: only ${importer} does`];
      });
    expect(wrong).toEqual([]);
  });

  it("reads files in one place, which knows what a regular file is", () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      const reads = /\b(readFile|readFileSync|createReadStream)\b/.test(text);
      // The REPL's process is another one, whose reading stops nobody else.
      return reads && !file.startsWith(path.join("repl", "child"));
    });
    expect(wrong, "use workspace/regular-file.ts").toEqual([]);
  });

  it("makes folders outside of the project in one room, which knows who else may write there", () => {
    const room = ["own-folder.ts", "own-place.ts"].map((name) => path.join("process", name));
    const wrong = sources(/\b(?:mkdtemp|tmpdir|mkdir)(?:Sync)?\b/, room).filter(({ file, line }) => {
      const allowed = makers[file];
      return allowed === undefined || !allowed.test(line);
    });
    expect(wrong, "use process/own-folder.ts for what goes with a process, own-place.ts for what stays").toEqual([]);
  });

  it("finds programs by one search path, which leads into no project", () => {
    const spawn = readFileSync(path.join(root, "process/spawn.ts"), "utf8");
    expect(spawn).toContain("withSafePath(options.env ?? childEnvironment())");
    const readers = ["process/search-path.ts", "process/child-environment.ts", "process/spawn.ts"];
    // Told by the doctor, looked through without starting anything, or given to programs behind the wall.
    const walled = ["terminal/doctor.ts", "sandbox/find-wall.ts", "sandbox/sandbox.ts", "sandbox/wall/wall-path.ts"];
    const wrong = sources(/\benv\w*(?:\.PATH\b|\[["']PATH["']\])/, [
      ...readers,
      ...walled,
      "repl/testing/walled/script.ts",
    ]);
    expect(wrong, "let process/spawn.ts look for programs").toEqual([]);
  });

  it("says in few places what the person did, each from their own answer to a request", () => {
    const did = String.raw`(?:accepted|rejected|undid|took|wrote|edited|changed|evaluated|says|said|asked|stopped|cancelled|approved|denied|kept|reverted|left|decided|did not)`;
    const rooms = [
      "proposals/describe-outcome.ts",
      "proposals/describe-news.ts",
      "tools/consent/approval-decision.ts",
      // What they evaluated, kept of what a form changed, and stopped.
      "conversation/sight.ts",
      "repl/stages/changes/evaluation-changes.ts",
      "agent/run-calls.ts",
      // Their own words, quoted.
      "conversation/compaction/word-for-word.ts",
      "conversation/compaction/summary-request.ts",
      "conversation/session-namer.ts",
      // For people.
      "conversation/transcript-markdown.ts",
    ];
    const elsewhere = sources(new RegExp(`\\b[Tt]he (?:person|developer) ${did}\\b`), rooms);
    const beforeIt = /before the person (?:answered|decided)/;
    expect(elsewhere.filter(({ line }) => !beforeIt.test(line))).toEqual([]);
    for (const room of rooms) expect(files, room).toContain(room);
  });

  it("has one list of characters that do not show, and one of names of secrets", () => {
    const escape = /\\u\{?(?:00AD|061C|180E|200[B-F]|202[A-E]|206\w|FE0[0-9A-F]|FFF[9AB]|E00\w\w)\b/i;
    const literal =
      /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]|\\p\{(?:Cf|Default_Ignorable\w*|DI|Bidi\w*)\}/u;
    // What some disks leave out of a name; joiners that a name in JavaScript may hold.
    const others = [
      "workspace/hidden-characters.ts",
      "workspace/secret-names.ts",
      "repl/sight/completion.ts",
      "repl/sight/completion-context.ts",
      "typescript/names/used-name.ts",
    ];
    expect([...sources(escape, others), ...sources(literal, others)], "use workspace/hidden-characters.ts").toEqual([]);
    const secret = /["'`|/(](?:\\?\.)(?:npmrc|netrc|aws|ssh|gnupg|pem|pgpass|git-credentials)\b|id_rsa|\.p12\b/;
    // The address of the registry is read there, and nothing else.
    const listed = sources(secret, ["workspace/secret-names.ts"]).filter(
      ({ file, line }) => !(file === "sandbox/network/certificates.ts" && line.includes(".npmrc")),
    );
    expect(listed, "use workspace/secret-names.ts").toEqual([]);
  });

  it("writes to standard output only in the transport and the command line", () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      const writes = /process\.stdout|console\.(log|info|debug|warn|error)/.test(text);
      // The REPL's process is another one: its standard output is the user's program's.
      const isOther = file.startsWith(path.join("repl", "child"));
      return writes && !isOther && !file.startsWith("fronts") && !["main.ts", "terminal/doctor.ts"].includes(file);
    });
    expect(wrong, "standard output carries the protocol: use the log that the client port has").toEqual([]);
  });
});
