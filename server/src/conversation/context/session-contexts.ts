/**
 * For each conversation the list of what goes along with its prompts, and one list for the conversation that begins
 * next.
 */
import { createHash, randomUUID } from "node:crypto";
import { InvalidParamsError } from "../../base/errors.ts";
import type { AddedContext, ContextItem, ContextList } from "../../protocol/context-shapes.ts";
import type { ContextRef } from "../../protocol/shapes.ts";
import { given } from "../../base/given.ts";
import type { KeptSessions } from "../kept-sessions.ts";
import { itemOf } from "./context-item.ts";
import type { ContextPorts } from "./context-ports.ts";
import type { Item } from "./item.ts";
import { MAX_ITEMS, type ReadyRef } from "./prompt-text.ts";

interface Listed {
  readonly id: string;
  readonly ref: ContextRef;
  /** The stamp of the text that the model got last. */
  readonly sent?: string;
}

/** What goes along now, and the note that it went. */
export interface Taken {
  readonly refs: readonly ReadyRef[];
  readonly wentTo: (sessionId: string) => void;
}

export class SessionContexts {
  readonly #ports: ContextPorts;
  readonly #kept: KeptSessions;
  /** By conversation; "" for the one that the next prompt begins. */
  readonly #lists = new Map<string, readonly Listed[]>();

  constructor(ports: ContextPorts, kept: KeptSessions) {
    this.#ports = ports;
    this.#kept = kept;
  }

  async list(sessionId = ""): Promise<ContextList> {
    const items = await Promise.all(this.#get(sessionId).map(async (listed) => this.#toWire(listed)));
    return { items, total: items.length };
  }

  /** What is on the list already stays where it is. Throws for items that lack what they need, and for too many. */
  async add(refs: readonly ContextRef[], sessionId = ""): Promise<AddedContext> {
    // What no prompt could read is refused now.
    await Promise.all(refs.map((ref, index) => itemOf(ref, `/items/${index}`, this.#ports)));
    const known = this.#get(sessionId);
    const names = new Set(known.map(({ ref }) => keyOf(ref)));
    const fresh = [...new Map(refs.map((ref) => [keyOf(ref), ref])).entries()].filter(([key]) => !names.has(key));
    const added = fresh.map(([, ref]): Listed => ({ id: randomUUID().slice(0, 8), ref }));
    const total = known.length + added.length;
    if (total > MAX_ITEMS) {
      const expected = `at most ${MAX_ITEMS} items, ${known.length} of which are there`;
      throw new InvalidParamsError([{ path: "/items", expected, received: `${added.length} more` }]);
    }
    this.#set(sessionId, [...known, ...added]);
    const wanted = new Set(added.map(({ id }) => id));
    const list = await this.list(sessionId);
    return { ...list, added: list.items.filter(({ id }) => wanted.has(id)) };
  }

  /** Throws when one of them is not on the list; then none is removed. */
  remove(ids: readonly string[], sessionId = ""): Promise<ContextList> {
    const known = this.#get(sessionId);
    const unknown = ids.find((id) => known.every((listed) => listed.id !== id));
    if (unknown !== undefined) {
      throw new InvalidParamsError([{ path: "/ids", expected: "ids of items on the list", received: unknown }]);
    }
    this.#set(
      sessionId,
      known.filter(({ id }) => !ids.includes(id)),
    );
    return this.list(sessionId);
  }

  clear(sessionId = ""): Promise<ContextList> {
    this.#set(sessionId, []);
    return this.list(sessionId);
  }

  /** What was meant for the conversation that was to begin is the list of this one, which has begun with a command. */
  adopt(sessionId: string): void {
    const waiting = this.#get("");
    if (waiting.length > 0) this.#set(sessionId, [...this.#get(sessionId), ...waiting].slice(0, MAX_ITEMS));
    this.#lists.delete("");
  }

  /** What the model has not got in its present state. */
  async take(sessionId = ""): Promise<Taken> {
    const listed = this.#get(sessionId);
    const looked = await Promise.all(listed.map(async (each) => ({ each, item: await this.#look(each) })));
    const changed = looked.filter(({ each, item }) => each.sent !== stampOf(item));
    const stamps = new Map(changed.map(({ each, item }) => [each.id, stampOf(item)]));
    return {
      refs: changed.map(({ each, item }) => ({ ...each.ref, ready: item })),
      wentTo: (session) => {
        if (listed.length === 0) return;
        if (sessionId === "") this.#lists.delete("");
        const all = sessionId === "" ? listed : this.#get(session);
        this.#set(
          session,
          all.map((each) => ({ ...each, ...given({ sent: stamps.get(each.id) }) })),
        );
      },
    };
  }

  async #toWire(listed: Listed): Promise<ContextItem> {
    const { id, ref, sent } = listed;
    const item = await this.#look(listed);
    const { kind, uri, range } = ref;
    const place = { id, kind, ...given({ uri, range }) };
    if ("missing" in item) return { ...place, label: ref.label ?? ref.symbol ?? uri ?? kind, missing: item.missing };
    const { label, text, picture } = item;
    const size = picture === undefined ? text.length : picture.data.length;
    return { ...place, label, size, ...(sent === stampOf(item) ? { isSent: true as const } : {}) };
  }

  async #look({ ref }: Listed): Promise<Item> {
    return itemOf(ref, "/items", this.#ports);
  }

  #get(sessionId: string): readonly Listed[] {
    const known = this.#lists.get(sessionId);
    if (known !== undefined || sessionId === "") return known ?? [];
    const stored = this.#kept.try((rows) => rows.context.get(sessionId));
    const list = stored === undefined ? [] : (JSON.parse(stored) as Listed[]);
    this.#lists.set(sessionId, list);
    return list;
  }

  #set(sessionId: string, list: readonly Listed[]): void {
    this.#lists.set(sessionId, list);
    if (sessionId === "") return;
    const clean = list.map((each) => ({ ...each, ref: this.#cleanRef(each.ref) }));
    this.#kept.try((rows) => rows.context.set(sessionId, JSON.stringify(clean)));
  }

  /** A text of the client's own may hold a key. */
  #cleanRef(ref: ContextRef): ContextRef {
    return ref.text === undefined ? ref : { ...ref, text: this.#kept.withoutKeys(ref.text) };
  }
}

function keyOf({ kind, uri, range, symbol, text }: ContextRef): string {
  return JSON.stringify([kind, uri, range, symbol, text]);
}

function stampOf(item: Item): string {
  const held = "missing" in item ? item.missing : `${item.text}${item.picture?.data ?? ""}`;
  return createHash("sha256").update(held).digest("hex").slice(0, 16);
}
