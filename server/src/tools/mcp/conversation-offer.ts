/**
 * Which tools of other servers a conversation is told of. The model's provider keeps the beginning of requests, and the tools
 * come first: the list stays the same during a turn, and grows or changes only when the person has said something. A tool
 * that is gone stays in the list of a conversation that knew it; a call of it answers why it does not run.
 */
import type { ModelToolSchema } from "../../model/model-port.ts";

/** More tools of other servers are told to nobody: each costs something with every request. */
const MOST = 128;
const MAX_CONVERSATIONS = 200;

interface Offered {
  readonly turn: string | undefined;
  readonly tools: readonly ModelToolSchema[];
}

export class ConversationOffer {
  readonly #offered = new Map<string, Offered>();

  /** `all` are the tools that can be called now. Those of other servers come last, in the order of their names. */
  told(all: readonly ModelToolSchema[], sessionId: string | undefined, turn: string | undefined): ModelToolSchema[] {
    const own = all.filter(({ name }) => !isForeign(name));
    const now = all.filter(({ name }) => isForeign(name));
    const before = sessionId === undefined ? undefined : this.#offered.get(sessionId);
    if (before !== undefined && before.turn === turn) return [...own, ...before.tools];
    const tools = merged(before?.tools ?? [], now);
    if (sessionId !== undefined) this.#keep(sessionId, { turn, tools });
    return [...own, ...tools];
  }

  #keep(sessionId: string, offered: Offered): void {
    this.#offered.delete(sessionId);
    this.#offered.set(sessionId, offered);
    const [oldest = ""] = this.#offered.keys();
    if (this.#offered.size > MAX_CONVERSATIONS) this.#offered.delete(oldest);
  }
}

function isForeign(name: string): boolean {
  return name.startsWith("mcp__");
}

function merged(before: readonly ModelToolSchema[], now: readonly ModelToolSchema[]): ModelToolSchema[] {
  const byName = new Map(before.map((tool) => [tool.name, tool]));
  for (const tool of now.toSorted(byNameOf)) {
    if (byName.has(tool.name) || byName.size < MOST) byName.set(tool.name, tool);
  }
  return [...byName.values()].toSorted(byNameOf);
}

function byNameOf(a: ModelToolSchema, b: ModelToolSchema): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
