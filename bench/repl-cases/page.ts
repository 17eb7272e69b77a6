/** docs/repl-cases.md: the table of which REPL answers what, with the words that a reader needs. */
import type { CaseGroup } from "../../test/strangers/case.ts";
import type { Verdict } from "../../test/strangers/judge.ts";

export type Outcome = Verdict | { readonly outcome: "not applicable"; readonly why: string };

export type Column = { readonly name: string; readonly version: string } & (
  | { readonly command?: string; readonly outcomes: ReadonlyMap<string, Outcome> }
  | { readonly missing: string }
);

type Driven = Extract<Column, { outcomes: unknown }>;

const KINDS = ["right", "wrong", "dies", "hangs", "not applicable"] as const;
export function page(groups: readonly CaseGroup[], columns: readonly Column[]): string {
  const driven = columns.filter((column): column is Driven => "outcomes" in column);
  const asked = groups
    .map((group) => ({
      ...group,
      cases: group.cases.filter(({ name }) => driven.some(({ outcomes }) => outcomes.has(name))),
    }))
    .filter(({ cases }) => cases.length > 0);
  return (
    [
      HEAD,
      totals(driven),
      ...notDriven(columns),
      "## How each was asked",
      howAsked(driven),
      HOW,
      "## By what was asked",
      "Of the cases that are a question for the REPL, those that it answered right.",
      byGroup(asked, driven),
      ...ours(driven),
      DECIDED,
    ].join("\n\n") + "\n"
  );
}

const HEAD = `# What strangers ask of a REPL

Users of other REPLs reported what went wrong for them, and kernels of notebooks have a test bed. These are their cases, in our own words, as data in
\`test/strangers/cases/\`; each names the thread it comes from. \`test/strangers/strangers.test.ts\` puts them to the real image, and

\`\`\`
node bench/repl-cases/main.ts --write-docs     # all of them, to the image and to the REPLs beside it; --why says what was answered
\`\`\`

puts them to the others too and writes this page. A case is **right** when every one of its forms was answered as it must be, **wrong** when one was not; the
REPL **dies** when its process is gone and **hangs** when no further form is answered within ten seconds. Where a case is no question for a REPL, \`--why\` says why.`;

const HOW = `Every case gets a fresh process in a fresh folder that holds a \`package.json\` with \`"type": "module"\`, a \`tsconfig.json\` and the case's own files. The image is the one that
the server starts, confined as it is by default. tslab, whose start takes seconds, keeps its process from
case to case until one is not answered right. The others read their forms from a pipe, line by line as a person types them where they show a prompt, with both of their outputs as one; an interrupt is
the signal that Ctrl-C sends. What a REPL does only on a terminal (colours, completion, pasting) is not looked at. "Right" is what the case says: a REPL
whose authors decided otherwise (a constant that cannot be declared again, say) is wrong by this measure and not by its own.`;

const DECIDED = `## What is decided for the image

Forms are the code of a module, as the project's files are, so that what is copied from one into the other means the same: they are strict, a name cannot be read before
its \`let\`, \`const\` or \`class\`, and \`var\` and functions make variables and no properties of the global object (\`globalThis.v\` after \`var v = 1\` is undefined,
as in a module; \`node -i\` and the consoles of browsers run scripts, where it is 1). What a session needs is added: every name can be declared again, at the top of a form an assignment to a name
that nobody declared makes a global, \`this\` there is the global object, and \`require\` is there. An enum or a namespace that is declared again begins anew,
as a class does. The tests put the cases to the image on Node 22, 24 and 26, and the answers are the same.`;

function totals(columns: readonly Driven[]): string {
  const rows = columns.map(({ name, version, outcomes }) => {
    const counts = KINDS.map((kind) => String([...outcomes.values()].filter(({ outcome }) => outcome === kind).length));
    return [name, version, ...counts];
  });
  return markdown(["", "version", ...KINDS], rows);
}

function notDriven(columns: readonly Column[]): string[] {
  const missing = columns.flatMap((column) =>
    "missing" in column ? [`- ${column.name} ${column.version}: ${column.missing}`] : [],
  );
  return missing.length === 0 ? [] : ["Could not be driven:", missing.join("\n")];
}

function howAsked(columns: readonly Driven[]): string {
  return columns
    .flatMap(({ name, version, command }) => (command === undefined ? [] : [`- ${name} ${version}: \`${command}\``]))
    .join("\n");
}

function byGroup(groups: readonly CaseGroup[], columns: readonly Driven[]): string {
  const rows = groups.map(({ title, cases }) => [
    title,
    ...columns.map(({ outcomes }) => {
      const kinds = cases.flatMap(({ name }) => outcomes.get(name)?.outcome ?? []);
      const asked = kinds.filter((kind) => kind !== "not applicable");
      return `${asked.filter((kind) => kind === "right").length} of ${asked.length}`;
    }),
  ]);
  return markdown(["", ...columns.map(({ name }) => name)], rows);
}

function ours(columns: readonly Driven[]): string[] {
  const own = columns.find(({ name }) => name === "agentq");
  const failed = [...(own?.outcomes ?? [])].filter(([, { outcome }]) => outcome !== "right");
  if (own === undefined || failed.length === 0) return [];
  const lines = failed.map(
    ([name, outcome]) =>
      `- ${name}: ${outcome.outcome}${"why" in outcome ? `, \`${outcome.why.replaceAll("`", "'")}\`` : ""}`,
  );
  return ["## What the image answers wrong", lines.join("\n")];
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
