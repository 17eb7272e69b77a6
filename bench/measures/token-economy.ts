/** How much an agent reads for an answer: the tools here, a text search with reading, and cclsp, with what each tells. */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { installTokenProjects, repository } from "../support/install.ts";
import { LspClient } from "../support/lsp-client.ts";
import { McpClient } from "../support/mcp-client.ts";
import { agentqServer, cclsp } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";
import { askCclsp, askTools } from "../token-economy/contenders.ts";
import { askGrep } from "../token-economy/grep.ts";
import { questions, type Fact, type Question } from "../token-economy/questions.ts";
import { charactersOf, missingFrom, recallOf, type Text } from "../token-economy/recall.ts";

type Contender = "agentq" | "grep" | "cclsp";

interface Figure {
  readonly characters: number;
  readonly recall: number;
}

interface Outcome {
  readonly question: Question;
  readonly facts: number;
  /** Undefined for a contender that is not there. */
  readonly figures: Readonly<Record<Contender, Figure | undefined>>;
}

const expected = JSON.parse(
  readFileSync(new URL("../token-economy/expected.json", import.meta.url), "utf8"),
) as Readonly<Record<string, readonly Fact[]>>;

/** The table, and with `--write-docs` its sums in docs/token-economy.md. */
export async function tokenEconomy({ program, peers }: Setting, writeDocs: boolean): Promise<string> {
  const projects = installTokenProjects();
  if ("missing" in projects) return `skipped: ${projects.missing}`;
  const outcomes: Outcome[] = [];
  const work = mkdtempSync(path.join(tmpdir(), "agentq-tokens-"));
  try {
    for (const project of ["viem", "rxjs"] as const) {
      const folder = projects.value[project];
      const own = questions.filter((question) => question.project === project);
      const tools = new LspClient(agentqServer(program), folder);
      await tools.start(folder);
      const bridge =
        "value" in peers ? new McpClient(cclsp(peers.value, path.join(work, "cclsp.json")), folder) : undefined;
      await bridge?.start();
      for (const question of own) {
        outcomes.push(
          outcomeOf(question, {
            agentq: await askTools(tools, question),
            grep: askGrep(folder, question),
            cclsp: bridge === undefined ? undefined : await askCclsp(bridge, folder, question),
          }),
        );
      }
      await bridge?.close();
      await tools.close();
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  if (writeDocs) replaceInDocs(summaries(outcomes).join("\n"));
  return render(outcomes);
}

function outcomeOf(question: Question, texts: Readonly<Record<Contender, readonly Text[] | undefined>>): Outcome {
  const facts = expected[question.id];
  if (facts === undefined) throw new Error(`no expected answer to ${question.id}: run bench/token-economy/expected.ts`);
  const figure = (name: Contender): Figure | undefined => {
    const read = texts[name];
    if (read === undefined) return undefined;
    const missing = missingFrom(facts, read);
    if (missing.length > 0)
      console.error(`${question.id}, ${name} lacks ${missing.length}: ${JSON.stringify(missing.slice(0, 5))}`);
    return { characters: charactersOf(read), recall: recallOf(facts, read) };
  };
  return {
    question,
    facts: facts.length,
    figures: { agentq: figure("agentq"), grep: figure("grep"), cclsp: figure("cclsp") },
  };
}

function render(outcomes: readonly Outcome[]): string {
  const head = "| question | facts | agentq | recall | grep and reading | recall | cclsp | recall |";
  const rule = "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";
  const cells = ({ question, facts, figures }: Outcome): string =>
    [
      `${question.asked} (${question.project})`,
      facts,
      ...[figures.agentq, figures.grep, figures.cclsp].flatMap((figure) =>
        figure === undefined ? ["—", "—"] : [number(figure.characters), percent(figure.recall)],
      ),
    ].join(" | ");
  const lines = outcomes.map((outcome) => `| ${cells(outcome)} |`);
  return [head, rule, ...lines, "", ...summaries(outcomes)].join("\n");
}

/** All questions, and those alone that both answer in full: reading less is no gain when the answer says less. */
function summaries(outcomes: readonly Outcome[]): string[] {
  const total = (name: Contender, of: readonly Outcome[]): number =>
    of.reduce((sum, { figures }) => sum + (figures[name]?.characters ?? 0), 0);
  const full = (name: Contender): Outcome[] => outcomes.filter(({ figures }) => figures[name]?.recall === 1);
  const against = (name: "grep" | "cclsp"): string => {
    const both = full(name).filter(({ figures }) => figures.agentq?.recall === 1);
    const [ours, theirs] = [total("agentq", both), total(name, both)];
    return `- The ${both.length} questions that both agentq and ${name === "grep" ? "the text search" : name} answer in full: ${number(ours)} characters (about ${number(ours / 4)} tokens) against ${number(theirs)} (about ${number(theirs / 4)}), ${(theirs / ours).toFixed(1)} × as much.`;
  };
  return [
    `- Answered in full: agentq ${full("agentq").length}, the text search ${full("grep").length}, cclsp ${full("cclsp").length} of ${outcomes.length} questions.`,
    against("grep"),
    against("cclsp"),
  ];
}

function number(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function percent(part: number): string {
  return `${Math.floor(part * 100)} %`;
}

const BEGIN = "<!-- tokens:begin -->";
const END = "<!-- tokens:end -->";

function replaceInDocs(sums: string): void {
  const file = path.join(repository, "docs/token-economy.md");
  const text = readFileSync(file, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/token-economy.md has no place between ${BEGIN} and ${END}`);
  writeFileSync(file, `${text.slice(0, begin + BEGIN.length)}\n\n${sums}\n\n${text.slice(end)}`);
}
