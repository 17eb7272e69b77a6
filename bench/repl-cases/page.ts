/** docs/repl-cases.md: the table of which REPL answers what, with the words that a reader needs. */
import type { Verdict } from "../../test/strangers/judge.ts";

export type Outcome = Verdict | { readonly outcome: "not applicable"; readonly why: string };

export type Column = { readonly name: string; readonly version: string } & (
  | { readonly outcomes: ReadonlyMap<string, Outcome> }
  | { readonly missing: string }
);

type Driven = Extract<Column, { outcomes: unknown }>;

const KINDS = ["right", "wrong", "dies", "hangs", "not applicable"] as const;
export function page(columns: readonly Column[]): string {
  const driven = columns.filter((column): column is Driven => "outcomes" in column);
  return [HEAD, totals(driven), ...notDriven(columns), HOW, ...ours(driven), DECIDED].join("\n\n") + "\n";
}

const HEAD = `# What strangers ask of a REPL

Users of other REPLs reported what went wrong for them. Their cases are data in \`test/strangers/cases/\`; each names the thread that it comes
from. \`test/strangers/strangers.test.ts\` puts the cases to the real image on Node 22, 24 and 26, and

\`\`\`
node bench/repl-cases/main.ts --write-docs     # --why says what was answered
\`\`\`

puts them to the other REPLs too and writes this page. A case is **right** when each of its forms was answered as it must be; the REPL **dies** when its
process is gone, and **hangs** when no further form is answered within ten seconds.`;

const HOW = `Every case gets a fresh process and folder. The image is confined as by default; the others read their forms from a pipe. "Right" is what the
case says: a REPL whose authors decided otherwise is not wrong by its own measure.`;

const DECIDED = `## What is decided for the image

Forms are the code of a module: they are strict, a name cannot be read before its \`let\`, \`const\` or \`class\`, and \`var\` makes no property of the
global object. What a session needs is added: every name can be declared again, an assignment to an unknown name at the top of a form makes a global,
\`this\` there is the global object, and \`require\` is there. An enum or a namespace that is declared again begins anew, as a class does.`;

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
