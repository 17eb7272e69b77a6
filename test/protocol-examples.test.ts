/**
 * The examples of `examples/clients/messages.json` have every message, and say nothing that is not in the published schema; `messages.md`
 * shows some of them. To record them anew:
 *
 *     AGENTQ_EXAMPLES=record npx vitest run test/protocol-examples.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { problemsWith } from "../server/src/schema/json-schema.ts";
import { closedSchema } from "./support/closed-schema.ts";
import { messagesOf, type Example } from "./support/examples/examples-page.ts";

const recorded = new URL("../examples/clients/messages.json", import.meta.url);
const page = new URL("../examples/clients/messages.md", import.meta.url);
const published = closedSchema();
const methods = Object.keys(published.$defs).filter((name) => name.startsWith("agentq/"));

if (process.env["AGENTQ_EXAMPLES"] === "record") {
  it("are recorded", { timeout: 120_000 }, async () => {
    const [{ takeTour }, { allExamples, examplesPage }] = await Promise.all([
      import("./support/examples/tour.ts"),
      import("./support/examples/examples-page.ts"),
    ]);
    const tour = await takeTour();
    const examples = allExamples(tour, methods);
    writeFileSync(recorded, `${JSON.stringify(examples, null, 2)}\n`);
    writeFileSync(page, examplesPage(examples, tour));
  });
}

interface Kinds {
  readonly properties: { readonly kind: { readonly enum: readonly string[] } };
}

const examples = (): Example[] => JSON.parse(readFileSync(recorded, "utf8")) as Example[];

it("has an example of every message, in the order of the schema", () => {
  expect(examples().map(({ method }) => method)).toStrictEqual(methods);
});

it.each(methods)("has no field that is not in the published schema, and lacks none: %s", async (method) => {
  const { params = [], ...example } = examples().find((each) => each.method === method) ?? {};
  const result = published.results[method];
  const answered = "result" in example ? [example.result] : [];
  expect(params.length).toBeGreaterThan(0);
  expect(answered).toHaveLength(result === undefined ? 0 : 1);
  for (const each of params) expect(await problemsWith({ ...published, ...published.$defs[method] }, each)).toEqual([]);
  for (const value of answered) expect(await problemsWith({ ...published, ...result }, value)).toEqual([]);
});

it("has an example of every kind of event", () => {
  const events = examples().find(({ method }) => method === "agentq/event")?.params ?? [];
  const told = new Set(events.map((each) => (each as { readonly event: { readonly kind: string } }).event.kind));
  const { anyOf } = published.$defs["TurnEvent"] as { readonly anyOf: readonly Kinds[] };
  const known = anyOf.flatMap(({ properties }) => properties.kind.enum);
  expect(known.length).toBeGreaterThan(10);
  expect([...told].toSorted()).toStrictEqual(known.toSorted());
});

it("shows on the page what was recorded", () => {
  expect(readFileSync(page, "utf8").endsWith(messagesOf(examples()))).toBe(true);
});

it("draws a turn, a review, a question and a restart with messages that exist", () => {
  const charts = [...readFileSync(page, "utf8").matchAll(/^```mermaid\n(.*?)^```/gms)].map(([, text = ""]) => text);
  expect(charts).toHaveLength(4);
  for (const chart of charts) {
    const named = [...chart.matchAll(/agentq\/\w+/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !methods.includes(name))).toStrictEqual([]);
  }
});
