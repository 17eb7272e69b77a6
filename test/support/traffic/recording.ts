/** A recording: what a client asked and what the server told it, one message a line, in `test/fixtures/traffic/`. */
import { readFile } from "node:fs/promises";

/** A request of the client, for which a replay waits; the server's answer to it; or a notification of the server. */
export type Message =
  | { readonly ask: string }
  | { readonly answer: string; readonly result: unknown }
  | { readonly tell: string; readonly params: unknown };

const folder = new URL("../../fixtures/traffic/", import.meta.url);
const PROJECT = "{project}";

/** The file of a recording, as a path that a file snapshot takes from a test in `test/`. */
export function recordingPath(name: string): string {
  return `./fixtures/traffic/${name}.jsonl`;
}

/** The messages of a recording, about a project in that folder. */
export async function readRecording(name: string, project: string): Promise<Message[]> {
  const text = await readFile(new URL(`${name}.jsonl`, folder), "utf8");
  const lines = text.replaceAll(PROJECT, project).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Message);
}

export function formatRecording(messages: readonly Message[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
}

/** How many characters of an answer a recorded event carries. */
const PIECE = 24;

/** What a clock, a tokenizer or a race decided, by the name of its field. */
const UNSTEADY: Readonly<Record<string, number>> = {
  executionTimeMs: 12,
  durationMs: 12,
  waitMs: 500,
  inputTokens: 1000,
  outputTokens: 100,
};

/** What is told of a state may be told or not, as it comes to be. */
const STATES = new Set(["agentq/statusChanged", "agentq/replState"]);

/**
 * The same messages without what differs from one time to the next: ids are numbered, those of events are one, times and counts of tokens are
 * fixed, text comes in pieces of one length, and a proposal is told once, with what the compiler says of it.
 */
export function steadyMessages(messages: readonly Message[], project: string): Message[] {
  const shown = messages.filter((message) => !("tell" in message) || !STATES.has(message.tell));
  const told = withEvenText(withCheckedProposals(shown));
  return steady(told, project);
}

/** The same value with ids numbered, with fixed times, paths and counts of tokens. */
export function steady<Value>(told: Value, project: string): Value {
  const ids = new Map<string, string>();
  const text = JSON.stringify(told, (key, value: unknown) =>
    typeof value === "number" ? (UNSTEADY[key] ?? value) : key === "itemId" ? "1" : value,
  )
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"2026-01-02T03:04:05.678Z"')
    .replaceAll(/(?<="context":\{"tokens":)\d+/g, "1000")
    .replaceAll(project, PROJECT)
    .replaceAll(/\b[\d.]+ ms\b/g, "12 ms")
    .replaceAll(/\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|toolu_[0-9a-f]+)\b/g, (id) => {
      const number = ids.get(id) ?? `id-${ids.size + 1}`;
      ids.set(id, number);
      return number;
    });
  return JSON.parse(text) as Value;
}

function withCheckedProposals(messages: readonly Message[]): Message[] {
  const last = messages.findLast((message) => "tell" in message && message.tell === "agentq/proposalChanged");
  return messages.flatMap((message) => {
    if (!("tell" in message) || last === undefined || !("params" in last)) return [message];
    if (message.tell === "agentq/proposal") return [{ ...message, params: last.params }];
    return message.tell === "agentq/proposalChanged" ? [] : [message];
  });
}

interface Told {
  readonly tell: string;
  readonly params: {
    readonly seq?: number;
    readonly event?: { readonly kind: string; readonly text?: string };
    readonly text?: string;
  };
}

/** Text that came in pieces, by a clock, comes in pieces of one length, and events are numbered anew. */
function withEvenText(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  for (const message of messages) {
    const joined = joinedText(whole.at(-1), message);
    if (joined === undefined) whole.push(message);
    else whole[whole.length - 1] = joined;
  }
  let seq = 0;
  return whole.flatMap(inPieces).map((message) => {
    const told = message as Told;
    return told.tell === "agentq/event" ? { ...told, params: { ...told.params, seq: seq++ } } : message;
  });
}

/** Two messages as one, when both carry text of the same kind. */
function joinedText(first: Message | undefined, second: Message): Message | undefined {
  const [before, after] = [first as Told | undefined, second as Told];
  const stream = streamOf(after);
  if (before === undefined || stream === undefined || streamOf(before) !== stream) return undefined;
  const text = `${textOf(before)}${textOf(after)}`;
  const { event } = after.params;
  return {
    tell: after.tell,
    params: { ...after.params, ...(event === undefined ? { text } : { event: { ...event, text } }) },
  };
}

function inPieces(message: Message): Message[] {
  const told = message as Told;
  const { event } = told.params ?? {};
  if (event === undefined || streamOf(told) === undefined) return [message];
  const characters = Array.from(textOf(told));
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_piece, index) => ({
    tell: told.tell,
    params: {
      ...told.params,
      event: { ...event, text: characters.slice(index * PIECE, (index + 1) * PIECE).join("") },
    },
  }));
}

/** What a message adds text to, undefined for one that adds none. */
function streamOf(told: Told): string | undefined {
  if (told.tell === "agentq/replOutput") return JSON.stringify({ ...told.params, text: "" });
  const kind = told.tell === "agentq/event" ? told.params.event?.kind : undefined;
  return kind === "text" || kind === "thinking" ? kind : undefined;
}

function textOf({ params }: Told): string {
  return params.event?.text ?? params.text ?? "";
}
