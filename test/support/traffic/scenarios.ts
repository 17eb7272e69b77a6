/** What is recorded of the server: for each recording the model's script, the project's files and what a client does. */
import { call, reply, scriptOf, think, type Script } from "../../../examples/demo/model/script.ts";
import { smallScripts } from "../../../examples/demo/scripts/small.ts";
import { proposeFix } from "../propose-fix.ts";

export interface Scenario {
  readonly name: string;
  readonly script: Script;
  readonly steps: readonly Step[];
  /** Files that differ from those of the example project, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What a client asks for, one after the other. */
export type Step =
  /** The next step follows when the turn has ended, or the recording ends with the proposal that waits. */
  | { readonly prompt: string; readonly until: "turnEnded" | "proposal" }
  /** `meanwhile` is said while a form of the agent runs, and waits. */
  | { readonly prompt: string; readonly meanwhile: string; readonly until: "turnEnded" }
  /** What an earlier server did with the prompt is no part of the recording: the conversation is kept. */
  | { readonly kept: string }
  /** Asked for of the conversation that is kept. */
  | { readonly about: "agentq/listSessions" | "agentq/openSession" }
  /** With a file of the project as the module. `isNoted`: the compiler has something to say about the form. */
  | { readonly evaluate: string; readonly module?: string; readonly isNoted?: boolean };

/** Long enough for what is said meanwhile, however busy the machine is that records. */
const WAITED_MS = 5_000;

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
  {
    name: "conversation-that-is-kept",
    script: scriptOf("kept", "look, then answer", [
      reply("I look.", call("describe_symbol", { symbol: "splitEvenly" })),
      reply("It is **kept**."),
    ]),
    steps: [{ kept: "Where is it?" }, { about: "agentq/listSessions" }, { about: "agentq/openSession" }],
  },
  answer("tool-that-is-unknown", small("unknown-tool")),
  {
    name: "answer-after-a-thought",
    script: scriptOf("thought", "think, then answer", [
      reply(think("The person attached a file, so I look there first."), "It **divides** a total."),
    ]),
    steps: [{ prompt: "What does @src/allocate.ts do?", until: "turnEnded" }],
  },
  {
    name: "command-without-the-model",
    script: scriptOf("nothing", "is never asked", []),
    steps: [{ prompt: "/describe splitEvenly", until: "turnEnded" }],
  },
  {
    name: "question-of-a-question",
    script: scriptOf("delegate", "let another conversation look", [
      (turn) =>
        turn.prompt.includes("Where is")
          ? reply("It is in src/allocate.ts.")
          : reply(call("delegate", { task: "Where is splitEvenly?" })),
      reply("The other one **found** it."),
    ]),
    steps: [{ prompt: "Go on", until: "turnEnded" }],
  },
  {
    name: "prompt-that-waits",
    script: scriptOf("wait", "evaluate for a while, then hear what was said meanwhile", [
      reply(call("eval_form", { form: `await new Promise((resolve) => setTimeout(resolve, ${WAITED_MS}, 42))` })),
      reply("I heard **both**."),
    ]),
    steps: [{ prompt: "Go on", meanwhile: "And be brief.", until: "turnEnded" }],
  },
];

/** Forms of the person, by the name of the recording of what came of them. */
export const evaluated = {
  "evaluation-in-colours": String.raw`console.log("\x1b[31mred\x1b[0m plain \x1b[1;32mgreen"); console.log("still\x1b[0m"); process.stdout.write("1%\r2%"); 0`,
  "evaluation-that-throws": "totalWeight([0])",
  "evaluation-of-an-unknown-name": "totalWeight([1])",
} as const;

const evaluations: readonly Scenario[] = [
  evaluation("evaluation-in-colours"),
  evaluation("evaluation-that-throws", { module: "src/allocate.ts" }),
  evaluation("evaluation-of-an-unknown-name", { isNoted: true }),
  {
    name: "evaluations-of-the-agent",
    script: scriptOf("evaluate-and-trace", "evaluate, and in a second turn trace a function", [
      (turn) =>
        turn.prompt.includes("Trace")
          ? reply(call("trace_function", { symbol: "src/allocate.ts#totalWeight" }))
          : reply(call("eval_form", { form: "const n = 6\nconsole.log('of the agent')\nn * 7" })),
      reply("Done."),
    ]),
    steps: [
      { prompt: "Evaluate.", until: "turnEnded" },
      { prompt: "Trace it.", until: "turnEnded" },
      { evaluate: "1" },
    ],
  },
];

export const scenarios: readonly Scenario[] = [
  ...answers,
  ...evaluations,
  { name: "fix-proposed", script: proposeFix, steps: [{ prompt: "Fix it", until: "proposal" }] },
  proposal("file-with-a-long-name", {
    path: `src/${"a-very-long-folder-name/".repeat(3)}file.ts`,
    modified: "export {};\n",
    description: "Make it",
  }),
  proposal("edit-that-does-not-compile", {
    path: "src/allocate.ts",
    original: "Math.trunc((total.cents * weight) / whole)",
    modified: "Math.nonsense((total.cents * weight) / whole)",
    description: "Nonsense",
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
  return { name, script, steps: [{ prompt: "Go on", until: "turnEnded" }] };
}

function proposal(name: string, edit: Readonly<Record<string, string>>): Scenario {
  const script = scriptOf(name, "propose an edit", [reply(call("propose_file_edit", edit)), reply("Done.")]);
  return { name, script, steps: [{ prompt: "Edit it", until: "proposal" }] };
}

function evaluation(
  name: keyof typeof evaluated,
  step: { readonly module?: string; readonly isNoted?: boolean } = {},
): Scenario {
  return { name, script: small("hello"), steps: [{ evaluate: evaluated[name], ...step }] };
}

function small(name: string): Script {
  const script = smallScripts.find((candidate) => candidate.name === name);
  if (script === undefined) throw new Error(`no script has the name ${name}`);
  return script;
}
