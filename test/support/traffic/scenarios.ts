/** What is recorded of the server: for each recording the model's script, the project's files and what a client does. */
import { call, reply, scriptOf, type Script } from "../../../examples/demo/model/script.ts";
import { smallScripts } from "../../../examples/demo/scripts/small.ts";
import { proposeFix } from "../propose-fix.ts";

export interface Scenario {
  readonly name: string;
  readonly script: Script;
  /** The one prompt of the conversation. */
  readonly prompt: string;
  /** The recording ends with the turn, or with the proposal that waits. */
  readonly until: "turnEnded" | "proposal";
  /** Files that differ from those of the example project, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Sixty words. */
export const words: string = Array.from({ length: 60 }, (_value, index) => `word${index}`).join(" ");

/** The file that the proposals about one file are made for. */
export const editedFile = "src/count.ts";

const names = Array.from({ length: 30 }, (_value, index) => `"n${index}"`).join(", ");
const rows = Array.from({ length: 60 }, (_value, index) => `export const row${index} = ${index};`);
const comments = Array.from({ length: 100 }, (_value, index) => `// ${index}`).join("\n");

/** Texts of `editedFile` before and after a proposal. */
export const proposedEdits = {
  "edit-one-line": { before: "// one\n", after: "// two\n" },
  "edit-one-word": { before: "// one line\n", after: "// one word\n" },
  "edit-two-places": { before: "// one\n// same\n// two\n", after: "// 1\n// same\n// 2\n" },
  "edit-long-line": { before: "export const names = [];\n", after: `export const names = [${names}];\n` },
  "edit-many-lines": { before: "export {};\n", after: `export {};\n${rows.join("\n")}\n` },
  "edit-above-all": { before: `${comments}\n`, after: `// above\n${comments}\n` },
  "edit-unseen-characters": {
    before: "const a = 1;\n",
    after: "const a\u202E = \u00AD1; // 👩\u200D💻 a\u200D\n",
  },
  "edit-carriage-return": { before: "a\r\nb\n", after: "a\nb\n" },
} as const satisfies Readonly<Record<string, { readonly before: string; readonly after: string }>>;

export type ProposedEdit = keyof typeof proposedEdits;

const answers: readonly Scenario[] = [
  answer("answer-in-words", scriptOf("words", "answer at length", [reply(words)])),
  answer(
    "answer-in-markdown",
    scriptOf("markdown", "answer with Markdown", [
      reply("# Title\nUse **care** with `trunc`:\n```ts\nconst `odd` = 1;\n```\n1. one\nplain `end`"),
    ]),
  ),
  answer(
    "answer-after-a-look",
    scriptOf("look", "look, then answer in a block of code", [
      reply(call("describe_symbol", { symbol: "splitEvenly" })),
      reply("```ts\n", words, "\n```"),
    ]),
  ),
  answer(
    "answer-cut-once",
    scriptOf(
      "cut",
      "break off once",
      [reply("Half of this **answer** comes twice.")],
      [{ kind: "cut", afterEvents: 5 }],
    ),
  ),
  answer("answer-after-retries", small("overloaded")),
  answer("tool-that-is-unknown", small("unknown-tool")),
];

export const scenarios: readonly Scenario[] = [
  ...answers,
  { name: "fix-proposed", script: proposeFix, prompt: "Fix it", until: "proposal" },
  proposal("file-with-a-long-name", {
    path: `src/${"a-very-long-folder-name/".repeat(3)}file.ts`,
    modified: "export {};\n",
    description: "Make it",
  }),
  ...Object.entries(proposedEdits).map(([name, { before, after }]) => ({
    ...proposal(name, { path: editedFile, modified: after, description: "Edit it" }),
    files: { [editedFile]: before },
  })),
];

export function scenarioOf(name: string): Scenario {
  const scenario = scenarios.find((candidate) => candidate.name === name);
  if (scenario === undefined) throw new Error(`no scenario has the name ${name}`);
  return scenario;
}

function answer(name: string, script: Script): Scenario {
  return { name, script, prompt: "Go on", until: "turnEnded" };
}

function proposal(name: string, edit: Readonly<Record<string, string>>): Scenario {
  const script = scriptOf(name, "propose an edit", [reply(call("propose_file_edit", edit)), reply("Done.")]);
  return { name, script, prompt: "Edit it", until: "proposal" };
}

function small(name: string): Script {
  const script = smallScripts.find((candidate) => candidate.name === name);
  if (script === undefined) throw new Error(`no script has the name ${name}`);
  return script;
}
