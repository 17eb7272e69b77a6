/** A recording: what the server told a client, one message a line, in `test/fixtures/traffic/`. */
import { readFile } from "node:fs/promises";

/** The answer to a request, which is held back until the client made that request; or a notification. */
export type Message =
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
  waitMs: 500,
  inputTokens: 1000,
  outputTokens: 100,
};

/**
 * The same messages without what differs from one time to the next: ids are numbered, times and counts of tokens are
 * fixed, text comes in pieces of one length, and a proposal is told once, with what the compiler says of it.
 */
export function steadyMessages(messages: readonly Message[], project: string): Message[] {
  const shown = messages.filter((message) => "answer" in message || message.tell !== "agentq/statusChanged");
  const told = withEvenText(withCheckedProposals(shown));
  const ids = new Map<string, string>();
  const text = JSON.stringify(told, (key, value: unknown) =>
    typeof value === "number" ? (UNSTEADY[key] ?? value) : value,
  )
    .replaceAll(project, PROJECT)
    .replaceAll(/\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|toolu_[0-9a-f]+)\b/g, (id) => {
      const steady = ids.get(id) ?? `id-${ids.size + 1}`;
      ids.set(id, steady);
      return steady;
    });
  return JSON.parse(text) as Message[];
}

function withCheckedProposals(messages: readonly Message[]): Message[] {
  const last = messages.findLast((message) => "tell" in message && message.tell === "agentq/proposalChanged");
  return messages.flatMap((message) => {
    if (!("tell" in message) || last === undefined || !("params" in last)) return [message];
    if (message.tell === "agentq/proposal") return [{ ...message, params: last.params }];
    return message.tell === "agentq/proposalChanged" ? [] : [message];
  });
}

interface EventParams {
  readonly seq: number;
  readonly event: { readonly kind: string; readonly text?: string };
}

function withEvenText(messages: readonly Message[]): Message[] {
  const even: Message[] = [];
  let seq = 0;
  const tell = (params: EventParams, event: EventParams["event"]): void => {
    even.push({ tell: "agentq/event", params: { ...params, seq, event } });
    seq += 1;
  };
  for (let index = 0; index < messages.length;) {
    const message = messages[index];
    const params = eventOf(message);
    index += 1;
    if (message === undefined) break;
    if (params === undefined) even.push(message);
    else if (params.event.kind !== "text" && params.event.kind !== "thinking") tell(params, params.event);
    else {
      let text = params.event.text ?? "";
      for (
        let next = eventOf(messages[index]);
        next?.event.kind === params.event.kind;
        next = eventOf(messages[index])
      ) {
        text += next.event.text ?? "";
        index += 1;
      }
      const characters = Array.from(text);
      for (let first = 0; first < characters.length; first += PIECE) {
        tell(params, { ...params.event, text: characters.slice(first, first + PIECE).join("") });
      }
    }
  }
  return even;
}

function eventOf(message: Message | undefined): EventParams | undefined {
  return message !== undefined && "tell" in message && message.tell === "agentq/event"
    ? (message.params as EventParams)
    : undefined;
}
