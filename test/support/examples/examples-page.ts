/** The examples: what was said in a tour of the protocol, one example a message; and a page with charts and what a client needs first. */
import { steady } from "../traffic/recording.ts";
import type { Said } from "./recorder.ts";
import type { Tour } from "./tour.ts";

/** One message as it was said, and what was answered to a request. */
export interface Example {
  readonly method: string;
  /** Of an event, one of each kind. */
  readonly params: readonly unknown[];
  readonly result?: unknown;
}

const INTRO = `# Examples of the protocol

Recorded from a client that speaks to the server, with a scripted model in place of a real one; [messages.json](messages.json) has every message, and
[protocol.md](../../docs/protocol.md) what the fields mean. Ids are numbered, times are fixed, lists are cut after two entries and texts after 160
characters. \`{project}\` is the workspace folder.
`;

/** What a turn, a review, a question and an evaluation are made of. */
const SHOWN = [
  "agentq/prompt",
  "agentq/event",
  "agentq/proposal",
  "agentq/decide",
  "agentq/didApply",
  "agentq/approval",
  "agentq/answerApproval",
  "agentq/evaluate",
];

const CHARTS: Readonly<Record<keyof Tour["parts"], string>> = {
  turn: "A turn",
  review: "A review: one hunk accepted, one rejected",
  approval: "A question about a call",
  restart: "A server that was killed in the middle of a review, and the next one",
};

export function allExamples(tour: Tour, methods: readonly string[]): Example[] {
  const said = steady(tour.all, tour.project);
  return methods.map((method) => cut(exampleOf(said, method)));
}

export function examplesPage(examples: readonly Example[], tour: Tour): string {
  const parts = steady(tour.parts, tour.project);
  const charts = Object.entries(CHARTS).map(
    ([part, title]) => `### ${title}\n\n${chart(parts[part as keyof Tour["parts"]])}\n`,
  );
  return [INTRO, "## Who says what\n", ...charts, messagesOf(examples)].join("\n");
}

/** The part of the page that is made of the examples. */
export function messagesOf(examples: readonly Example[]): string {
  const shown = SHOWN.flatMap((method) => examples.filter((each) => each.method === method));
  return ["## The messages of a turn, a review, a question and an evaluation\n", ...shown.map(sectionOf)].join("\n");
}

function sectionOf({ method, params, result }: Example): string {
  const asked = ofOneTurn(params)
    .map((each) => `${json(each)}\n`)
    .join("\n");
  const answered = result === undefined ? "" : `\nis answered with\n\n${json(result)}\n`;
  return `### \`${method}\`\n\n${asked}${answered}`;
}

/** The events of the first turn; all of what belongs to no turn. */
function ofOneTurn(params: readonly unknown[]): readonly unknown[] {
  const turnOf = (each: unknown): unknown => (each as { readonly turnId?: unknown }).turnId;
  return params.filter((each) => turnOf(each) === turnOf(params[0]));
}

function exampleOf(said: readonly Said[], method: string): Example {
  if (method === "agentq/event") return { method, params: eventsOf(said) };
  const about = said.filter((each) => each.kind !== "does" && each.method === method);
  const [asked] = about.flatMap((each) => (each.kind === "request" ? [each] : []));
  const [answered] = about.flatMap((each) => (each.kind === "answer" ? [each] : []));
  const [told] = about.flatMap((each) => (each.kind === "notification" ? [each] : []));
  if (told !== undefined) return { method, params: [told.params] };
  if (asked === undefined || answered === undefined) throw new Error(`${method} was not said`);
  return { method, params: [asked.params], result: answered.result };
}

/** One of each kind. */
function eventsOf(said: readonly Said[]): unknown[] {
  const byKind = new Map<string, unknown>();
  for (const each of said) {
    if (each.kind !== "notification" || each.method !== "agentq/event") continue;
    const { event } = each.params as { readonly event: { readonly kind: string; readonly state?: string } };
    const kind = [event.kind, event.state ?? ""].join(" ");
    if (!byKind.has(kind)) byKind.set(kind, each.params);
  }
  return [...byKind.values()];
}

const MOST_ENTRIES = 2;
const LONGEST = 160;

function cut({ method, params, result }: Example): Example {
  const short = (value: unknown): unknown => JSON.parse(JSON.stringify(value, shorten));
  return { method, params: params.map(short), ...(result === undefined ? {} : { result: short(result) }) };
}

function shorten(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES);
  return typeof value === "string" && value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
}

const WIDEST = 140;

function json(value: unknown): string {
  return `\`\`\`json\n${inLines(value, "")}\n\`\`\``;
}

/** JSON, with what fits into a line in one line. */
function inLines(value: unknown, indent: string): string {
  const flat = JSON.stringify(value, null, 1)
    .replace(/(?<=[{[])\n\s*|\n\s*(?=[}\]])/g, "")
    .replace(/\n\s*/g, " ");
  if (flat.length + indent.length <= WIDEST || typeof value !== "object" || value === null) return flat;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => deeper + inLines(each, deeper)).join(",\n")}\n${indent}]`;
  }
  const fields = Object.entries(value).map(([key, each]) => `${deeper}"${key}": ${inLines(each, deeper)}`);
  return `{\n${fields.join(",\n")}\n${indent}}`;
}

function chart(said: readonly Said[]): string {
  const lines: { readonly text: string; count: number }[] = [];
  for (const each of said) {
    const text = arrow(each);
    const last = lines.at(-1);
    if (last?.text === text) last.count += 1;
    else lines.push({ text, count: 1 });
  }
  const drawn = lines.map(({ text, count }) => `    ${text}${count > 1 ? ` (${count} times)` : ""}`);
  return [
    "```mermaid",
    "sequenceDiagram",
    "    participant E as Editor",
    "    participant S as agentq",
    ...drawn,
    "```",
  ].join("\n");
}

function arrow(said: Said): string {
  switch (said.kind) {
    case "does":
      return `Note over E: ${said.words.replaceAll(";", ",")}`;
    case "request":
      return said.by === "client" ? `E->>S: ${said.method}` : `S->>E: ${said.method}`;
    case "answer": {
      const fields = Object.keys(said.result ?? {}).join(", ");
      return `${said.by === "server" ? "S-->>E" : "E-->>S"}: ${fields}`;
    }
    case "notification": {
      const { event } = said.params as { readonly event?: { readonly kind: string; readonly state?: string } };
      const what = event === undefined ? "" : ` ${[event.kind, event.state].filter(Boolean).join(" ")}`;
      return `S-)E: ${said.method}${what}`;
    }
    default:
      return said satisfies never;
  }
}
