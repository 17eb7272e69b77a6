/** The page of examples: what was said in a tour of the protocol, one example a message, and charts of who says what when. */
import { steady } from "../traffic/recording.ts";
import type { Said } from "./recorder.ts";
import type { Tour } from "./tour.ts";

const INTRO = `# Examples of the protocol

Recorded from a client that speaks to the server, with a scripted model in place of a real one; what the fields mean is in
[protocol.md](../../docs/protocol.md) and in [the schema](../../docs/protocol.schema.json). Ids are numbered, times are fixed, lists are cut after two entries
and texts after 160 characters. \`{project}\` is the workspace folder.
`;

const CHARTS: Readonly<Record<keyof Tour["parts"], string>> = {
  turn: "A turn",
  review: "A review: one hunk accepted, one rejected",
  approval: "A question about a call",
  restart: "A server that was killed in the middle of a review, and the next one",
};

export function examplesPage(tour: Tour, methods: readonly string[]): string {
  const said = steady(tour.all, tour.project);
  const parts = steady(tour.parts, tour.project);
  const charts = Object.entries(CHARTS).map(
    ([part, title]) => `### ${title}\n\n${chart(parts[part as keyof Tour["parts"]])}\n`,
  );
  const examples = methods.map((method) => exampleOf(said, method)).join("\n");
  return [INTRO, "## Who says what\n", ...charts, "## Each message\n", examples].join("\n");
}

function exampleOf(said: readonly Said[], method: string): string {
  if (method === "agentq/event") return `### \`${method}\`\n\n${eventsOf(said).map(json).join("\n\n")}\n`;
  const about = said.filter((each) => each.kind !== "does" && each.method === method);
  const [asked] = about.flatMap((each) => (each.kind === "request" ? [each] : []));
  const [answered] = about.flatMap((each) => (each.kind === "answer" ? [each] : []));
  const [told] = about.flatMap((each) => (each.kind === "notification" ? [each] : []));
  if (told !== undefined) return `### \`${method}\`\n\n${json(told.params)}\n`;
  if (asked === undefined || answered === undefined) throw new Error(`${method} was not said`);
  const asks = asked.by === "client" ? "" : "The server asks:\n\n";
  return `### \`${method}\`\n\n${asks}${json(asked.params)}\n\nis answered with\n\n${json(answered.result)}\n`;
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

function json(value: unknown): string {
  const cut = (_key: string, each: unknown): unknown => {
    if (Array.isArray(each)) return each.slice(0, MOST_ENTRIES);
    return typeof each === "string" && each.length > LONGEST ? `${each.slice(0, LONGEST)}…` : each;
  };
  return `\`\`\`json\n${JSON.stringify(value, cut, 2)}\n\`\`\``;
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
