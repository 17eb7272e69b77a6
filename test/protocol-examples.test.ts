/**
 * The examples of `examples/clients/messages.md` have every message, and say nothing that is not in the published schema. To record them anew:
 *
 *     AGENTQ_EXAMPLES=record npx vitest run test/protocol-examples.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { problemsWith } from "../server/src/schema/json-schema.ts";
import { closedSchema } from "./support/closed-schema.ts";

const page = new URL("../examples/clients/messages.md", import.meta.url);
const published = closedSchema();
const methods = Object.keys(published.$defs).filter((name) => name.startsWith("agentq/"));

if (process.env["AGENTQ_EXAMPLES"] === "record") {
  it("are recorded", { timeout: 120_000 }, async () => {
    const [{ takeTour }, { examplesPage }] = await Promise.all([
      import("./support/examples/tour.ts"),
      import("./support/examples/examples-page.ts"),
    ]);
    writeFileSync(page, examplesPage(await takeTour(), methods));
  });
}

interface Example {
  readonly method: string;
  readonly values: readonly unknown[];
}

interface Kinds {
  readonly properties: { readonly kind: { readonly enum: readonly string[] } };
}

/** The examples below each heading. */
function examples(): Example[] {
  const [, messages = ""] = readFileSync(page, "utf8").split("## Each message\n");
  return messages
    .split(/^### /m)
    .slice(1)
    .map((section) => ({
      method: /^`(.+)`/.exec(section)?.[1] ?? "",
      values: [...section.matchAll(/^```json\n(.*?)^```/gms)].map(([, text = ""]) => JSON.parse(text) as unknown),
    }));
}

it("has an example of every message, in the order of the schema", () => {
  expect(examples().map(({ method }) => method)).toStrictEqual(methods);
});

it.each(examples())("has no field that is not in the published schema, and lacks none: $method", async (example) => {
  const { method, values } = example;
  const result = published.results[method];
  const [asked, answered] = result === undefined ? [values, []] : [values.slice(0, 1), values.slice(1)];
  expect(asked.length).toBeGreaterThan(0);
  expect(answered).toHaveLength(result === undefined ? 0 : 1);
  for (const params of asked)
    expect(await problemsWith({ ...published, ...published.$defs[method] }, params)).toEqual([]);
  for (const value of answered) expect(await problemsWith({ ...published, ...result }, value)).toEqual([]);
});

it("has an example of every kind of event", () => {
  const events = examples().find(({ method }) => method === "agentq/event")?.values ?? [];
  const told = new Set(events.map((each) => (each as { readonly event: { readonly kind: string } }).event.kind));
  const { anyOf } = published.$defs["TurnEvent"] as { readonly anyOf: readonly Kinds[] };
  const known = anyOf.flatMap(({ properties }) => properties.kind.enum);
  expect(known.length).toBeGreaterThan(10);
  expect([...told].toSorted()).toStrictEqual(known.toSorted());
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
