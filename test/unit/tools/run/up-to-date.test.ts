/** The law: no answer that was computed before a change is shown after it, whoever started the calls and when. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resultText } from "../../../../server/src/agent/result-text.ts";
import type { ToolResult } from "../../../../server/src/protocol/tool-shapes.ts";
import { Changes } from "../../../../server/src/tools/run/changes.ts";
import { ToolExecutor } from "../../../../server/src/tools/run/executor.ts";
import { ToolRegistry } from "../../../../server/src/tools/run/registry.ts";
import { defineTool, ToolFailure, type Tool } from "../../../../server/src/tools/tool.ts";

const input = {
  type: "object",
  properties: {
    id: { type: "string" },
    ticks: { type: "integer" },
    document: { type: "string" },
  },
  required: ["id", "ticks"],
  additionalProperties: false,
} as const;

const { signal } = new AbortController();

/** Nobody tells of `notes.md` on disk: whoever reads it compares. */
const DOCUMENTS = ["a.ts", "b.ts", "notes.md"] as const;
const FOLLOWED: readonly string[] = ["image", "a.ts", "b.ts"];

/**
 * An image and documents, to which changes add their ids somewhere in their middle. `look` tells what it saw of all of
 * them, `read` of one document.
 */
class World {
  readonly done: { readonly id: string; readonly place: string }[] = [];
  readonly changes: Changes;
  readonly executor: ToolExecutor;
  readonly #places = new Map<string, string[]>(["image", ...DOCUMENTS].map((place) => [place, []]));
  readonly #unnoticed = new Set<string>();
  readonly #open = new Set<string>();

  /** `isWatching`: the disk can be asked at no cost. */
  constructor(isWatching = true) {
    const look = async (): Promise<void> => {
      await pass(1);
      for (const uri of this.#unnoticed) this.changes.documentChanged(uri);
      this.#unnoticed.clear();
    };
    this.changes = new Changes({
      look,
      glance: async () => (isWatching ? look() : undefined),
      sha256Of: async (uri) => this.#textOf(uri),
    });
    const registry = new ToolRegistry();
    for (const tool of this.#tools()) registry.register(tool);
    this.executor = new ToolExecutor({
      registry,
      changes: this.changes,
      askApproval: async () => ({ decision: "denied" }),
      audit: () => undefined,
      logBug: () => undefined,
    });
  }

  readonly call = (
    id: string,
    name: string,
    ticks: number,
    { caller = "model", document = "a.ts" }: { caller?: "model" | "person"; document?: string } = {},
  ): Promise<ToolResult> => this.executor.execute({ id, name, arguments: { id, ticks, document } }, { caller, signal });

  evaluate(id: string, ticks: number): Promise<string> {
    return this.changes.during("a person's form", () => this.#change(id, ticks));
  }

  /** In a buffer, which is opened with the text on disk; what is written to the file from then on is not seen. */
  type(id: string, document: string, callId?: string): void {
    if (!this.#open.has(document)) this.changes.documentOpened(document, this.#textOf(document));
    this.#open.add(document);
    this.#add(id, document);
    this.changes.documentChanged(document, callId);
  }

  write(id: string, document: string): void {
    if (this.#open.has(document)) return;
    this.#add(id, document);
    if (FOLLOWED.includes(document)) this.#unnoticed.add(document);
  }

  #add(id: string, place: string): void {
    this.#places.get(place)?.push(id);
    this.done.push({ id, place });
  }

  #textOf(place: string): string {
    return JSON.stringify(this.#places.get(place));
  }

  async #change(id: string, ticks: number): Promise<string> {
    await pass(Math.floor(ticks / 2));
    this.#places.get("image")?.push(id);
    await pass(Math.ceil(ticks / 2));
    this.done.push({ id, place: "image" });
    return "done";
  }

  async #look(ticks: number): Promise<string> {
    const seen = JSON.stringify(FOLLOWED.flatMap((place) => this.#places.get(place)));
    await pass(ticks);
    return seen;
  }

  #tools(): Tool[] {
    return [
      defineTool({ name: "look", description: "Looks.", input, run: ({ ticks }) => this.#look(ticks) }),
      defineTool({
        name: "look_for_the_first",
        description: "Fails while there is nothing to see.",
        input,
        run: async ({ ticks }) => {
          const seen = await this.#look(ticks);
          if (seen === "[]") throw new ToolFailure("[]");
          return seen;
        },
      }),
      defineTool({
        name: "read",
        description: "Reads one document.",
        input,
        run: async ({ ticks, document: uri = "a.ts" }, { onRead }) => {
          const text = this.#textOf(uri);
          if (text.includes("gone")) throw new ToolFailure(text);
          onRead?.({ uri, text, sha256: text, stretches: [] });
          await pass(ticks);
          return text;
        },
      }),
      defineTool({
        name: "change",
        description: "Changes.",
        safety: "cautious",
        input,
        run: ({ id, ticks }) => this.#change(id, ticks),
      }),
      defineTool({
        name: "edit",
        description: "Changes a document once the person has agreed, in two steps.",
        safety: "dangerous",
        asksItself: true,
        input,
        run: async ({ id, ticks, document = "a.ts" }) => {
          await pass(ticks);
          this.type(id, document, id);
          await pass(ticks);
          this.changes.happened({ callId: id, what: "a decision" });
          await pass(1);
          this.type(id, document, id);
          return "done";
        },
      }),
    ];
  }
}

/** What an answer can tell of. */
function placesOf(name: string, document: string): readonly string[] {
  return name === "read" ? [document] : FOLLOWED;
}

async function pass(ticks: number): Promise<void> {
  for (let left = ticks; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

function seenIn({ success, content, error }: ToolResult): string[] {
  return JSON.parse(success ? content : (error ?? "[]")) as string[];
}

function marks({ metadata }: ToolResult): readonly string[] {
  return metadata.notes ?? [];
}

const document = fc.constantFrom(...DOCUMENTS);
const planned = fc.record({
  name: fc.constantFrom("look", "look_for_the_first", "read", "change", "edit"),
  document,
  starts: fc.nat(6),
  ticks: fc.nat(6),
});
const elsewhere = fc.record({
  what: fc.constantFrom("call", "edit", "form", "typing", "writing"),
  document,
  starts: fc.nat(16),
  ticks: fc.nat(6),
});

function happen(
  world: World,
  id: string,
  { what, document: uri, ticks }: { what: string; document: string; ticks: number },
): unknown {
  if (what === "typing") return world.type(id, uri);
  if (what === "writing") return world.write(id, uri);
  if (what === "form") return world.evaluate(id, ticks);
  return world.call(id, what === "edit" ? "edit" : "change", ticks, { caller: "person", document: uri });
}

describe("the answers of one reply", () => {
  it("are not older than a change before them, and no newer than one behind, whatever happens in whatever order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planned, { minLength: 1, maxLength: 6 }),
        fc.array(elsewhere, { maxLength: 4 }),
        fc.nat(4),
        fc.boolean(),
        async (reply, foreign, delay, isWatching) => {
          const world = new World(isWatching);
          const { executor, call } = world;
          const others = foreign.map(async (each, index) => {
            await pass(each.starts);
            await happen(world, `${each.what}${index}`, each);
          });
          const results = await Promise.all(
            reply.map(async (each, index) => {
              await pass(each.starts);
              return call(`own${index}`, each.name, each.ticks, each);
            }),
          );
          await pass(delay);
          const answers = results.map((result, index) => ({
            call: { id: `own${index}`, name: reply[index]?.name ?? "" },
            result,
          }));
          const written = new Set(world.done.filter(({ id }) => id.startsWith("writing")));
          const again = ({ id, name }: { id: string; name: string }) => call(id, name, 2, reply[Number(id.slice(3))]);
          const shown = await executor.upToDate(answers, again);
          const over = world.done.filter((each) => !each.id.startsWith("writing") || written.has(each));
          for (const [index, result] of shown.entries()) {
            const { name = "", document: uri = "" } = reply[index] ?? {};
            if (name === "change" || name === "edit" || marks(result).length > 0) continue;
            const isBehind = (id: string): boolean => id.startsWith("own") && Number(id.slice(3)) > index;
            const seen = [...new Set(seenIn(result))];
            const places = placesOf(name, uri);
            const before = over.filter(({ id, place }) => places.includes(place) && !isBehind(id)).map(({ id }) => id);
            expect(seen, `answer ${index}`).toEqual(expect.arrayContaining(before));
            expect(seen.filter(isBehind), `answer ${index}`).toEqual([]);
          }
          await Promise.all(others);
        },
      ),
    );
  });

  it("carry no word about their order when the calls ran in that order", async () => {
    const { executor, call } = new World();
    const names = ["look", "change", "look", "look", "change", "look_for_the_first"];
    const answers: { call: { id: string; name: string }; result: ToolResult }[] = [];
    for (const [index, name] of names.entries()) {
      answers.push({ call: { id: `own${index}`, name }, result: await call(`own${index}`, name, index) });
    }
    const shown = await executor.upToDate(answers, async () => {
      throw new Error("Nothing is old.");
    });
    expect(shown.map(({ content }) => content)).toEqual([
      "[]",
      "done",
      '["own1"]',
      '["own1"]',
      "done",
      '["own1","own4"]',
    ]);
    expect(shown.flatMap(marks)).toEqual([]);
  });

  it("are computed again when a change before them ended later", async () => {
    const { executor, call } = new World();
    const early = call("b", "look_for_the_first", 0);
    const result = await early;
    expect(result.error).toBe("[]");
    await call("a", "change", 1);
    const answers = [
      { call: { id: "a", name: "change" }, result: await call("a", "change", 1) },
      { call: { id: "b", name: "look_for_the_first" }, result },
    ];
    const [, shown] = await executor.upToDate(answers, ({ id, name }) => call(id, name, 0));
    expect(shown?.content).toBe('["a","a"]');
    expect(shown && marks(shown)).toEqual([]);
  });

  it("keep what was seen before a change behind them, and say who else changed something meanwhile", async () => {
    const { executor, call } = new World();
    const look = await call("own0", "look", 0);
    await call("person", "change", 0, { caller: "person" });
    const answers = [
      { call: { id: "own0", name: "look" }, result: look },
      { call: { id: "own1", name: "change" }, result: await call("own1", "change", 0) },
    ];
    const [shown] = await executor.upToDate(answers, () => call("own0", "look", 0));
    expect(shown?.content).toBe("[]");
    expect(shown && marks(shown)).toEqual(["Computed before change: ask again."]);
  });

  it("say that they are old where no call may run any more", async () => {
    const { executor, call } = new World();
    const result = await call("b", "look", 0);
    await call("person", "change", 1, { caller: "person" });
    const [shown] = await executor.upToDate([{ call: { id: "b", name: "look" }, result }], async () => undefined);
    expect(shown && marks(shown)).toEqual(["Computed before change: ask again."]);
  });

  it("count a decision about a proposal as a change, and one of a call that still runs as the call's own", async () => {
    const { executor, call, changes } = new World();
    const look = await call("b", "look", 0);
    const running = call("a", "change", 40);
    await pass(10);
    changes.happened({ callId: "a", what: "a decision" });
    expect(
      (await executor.upToDate([{ call: { id: "b", name: "look" }, result: look }], async () => undefined)).map(marks),
    ).toEqual([[]]);
    await running;
    changes.happened({ callId: undefined, what: "a decision" });
    const [shown] = await executor.upToDate([{ call: { id: "b", name: "look" }, result: look }], async () => undefined);
    expect(shown && marks(shown)).toEqual(["Computed before change and 1 more: ask again."]);
  });

  it("are marked by the name of what was typed, each time anew, where no call may run any more", async () => {
    const world = new World();
    const results = [await world.call("a", "look", 0), await world.call("b", "read", 0)];
    world.type("typed", "a_file_with_a_long_name.ts");
    world.type("typed", "b.ts");
    const answers = results.map((result) => ({ call: { id: "a", name: "look" }, result }));
    const shown = await world.executor.upToDate(answers, async () => undefined);
    expect(shown.map(marks)).toEqual([
      ["Computed before a_file_with_a_long_name.… and 1 more changed: ask again."],
      [],
    ]);
    const told = new Set<string>();
    const texts = shown.slice(0, 1).flatMap((result) => [resultText(result, told), resultText(result, told)]);
    expect(texts[0]).toContain("changed: ask again.");
    expect(texts[1]).toBe(texts[0]);
  });

  it("are told apart from what a tool notes in words that begin alike, which is told once", async () => {
    const { executor, call, changes } = new World();
    const result = await call("a", "look", 0);
    const note = "Computed members have no name before the program runs, so they are left out.";
    const noted = { ...result, metadata: { ...result.metadata, notes: [note] } };
    const [shown] = await executor.upToDate(
      [{ call: { id: "a", name: "look" }, result: changes.note(noted, changes.originOf(result) ?? { kind: "none" }) }],
      async () => undefined,
    );
    const told = new Set<string>();
    expect(shown && resultText(shown, told)).toContain(note);
    expect(shown && resultText(shown, told)).not.toContain(note);
  });

  it("take an edit that the person agreed to for the call's own, and typing at the same time for what it is", async () => {
    const world = new World();
    const looks = [await world.call("own0", "look", 0), await world.call("own0", "read", 0)];
    const edit = world.call("own1", "edit", 2);
    const show = async (): Promise<(readonly string[])[]> => {
      const answers = looks.map((result) => ({ call: { id: "own0", name: "look" }, result }));
      answers.push({ call: { id: "own1", name: "edit" }, result: await edit });
      return (await world.executor.upToDate(answers, async () => undefined)).map(marks);
    };
    expect(await show()).toEqual([[], [], []]);
    world.type("typed", "b.ts");
    expect(await show()).toEqual([["Computed before b.ts changed: ask again."], [], []]);
  });

  it("are not computed again for a key that was pressed, when they took long", async () => {
    const world = new World();
    const result = await world.call("a", "look", 0);
    const slow = { ...result, metadata: { ...result.metadata, executionTimeMs: 5_000 } };
    world.changes.note(slow, world.changes.originOf(result) ?? { kind: "none" });
    world.type("typed", "b.ts");
    const again: string[] = [];
    const ask = async ({ id }: { id: string }): Promise<undefined> => void again.push(id);
    const show = async (): Promise<readonly string[]> =>
      (await world.executor.upToDate([{ call: { id: "a", name: "look" }, result: slow }], ask)).flatMap(marks);
    expect(await show()).toEqual(["Computed before b.ts changed: ask again."]);
    expect(again).toEqual([]);
    await world.evaluate("form", 0);
    expect(await show()).toEqual(["Computed before a person's form and 1 more: ask again."]);
    expect(again).toEqual(["a"]);
  });

  it("are old when nobody knows how old they are", async () => {
    const { executor, call } = new World();
    await call("a", "change", 0);
    const copy = { ...(await call("b", "look", 0)) };
    const again: string[] = [];
    await executor.upToDate([{ call: { id: "b", name: "look" }, result: copy }], async ({ id }) => {
      again.push(id);
      return undefined;
    });
    expect(again).toEqual(["b"]);
  });
});

describe("a call that only looks", () => {
  it("looks again when something changed meanwhile, for a person too", async () => {
    const { call } = new World();
    const looking = call("b", "look", 6, { caller: "person" });
    await call("a", "change", 2);
    const result = await looking;
    expect(result.content).toBe('["a"]');
    expect(marks(result)).toEqual([]);
  });

  it("sees what changed on disk before it, and looks once", async () => {
    const world = new World();
    world.write("written", "a.ts");
    const from = world.changes.now();
    const result = await world.call("b", "look", 0);
    expect(result.content).toBe('["written"]');
    expect(world.changes.originOf(result)).toEqual({ kind: "look", from: from + 1, to: from + 1 });
  });

  it("says that a person's form still runs, and that a document changed while it looked twice", async () => {
    const world = new World();
    const running = world.evaluate("form", 30);
    const looking = world.call("b", "look", 4);
    for (let key = 0; key < 12; key += 1) {
      await pass(1);
      world.type(`key${key}`, "a.ts");
    }
    expect(marks(await looking)).toEqual(["Computed while a person's form and 1 more ran."]);
    await running;
  });

  it("depends on what it read last", async () => {
    const world = new World();
    const reading = world.call("a", "read", 4);
    await pass(2);
    world.type("gone", "a.ts");
    const result = await reading;
    expect(result.error).toBe('["gone"]');
    world.type("typed", "b.ts");
    const [shown] = await world.executor.upToDate([{ call: { id: "a", name: "read" }, result }], async () => undefined);
    expect(shown && marks(shown)).toEqual(["Computed before b.ts changed: ask again."]);
  });

  it("remembers of the documents the last changes only, and takes any other for changed", async () => {
    const world = new World();
    const before = await world.call("a", "read", 0);
    for (let each = 0; each <= 500; each += 1) world.changes.documentChanged(`other${each}.ts`);
    const [shown] = await world.executor.upToDate(
      [{ call: { id: "a", name: "read" }, result: before }],
      async () => undefined,
    );
    expect(shown && marks(shown)).toEqual(["Computed before earlier changes: ask again."]);
  });

  it("says that something may still be changing", async () => {
    const { call } = new World();
    const changing = call("a", "change", 20);
    expect(marks(await call("b", "look", 1))).toEqual(["Computed while change ran."]);
    await changing;
  });
});
