/** Schemas of other servers' tools, as models' servers take them: the tool stays usable, and gets its own names back. */
import { expect, it } from "vitest";
import { takenSchema } from "../../../../server/src/tools/mcp/taken-schema.ts";

const text = { type: "string" };

it("says in words what chooses between the parameters, as no server takes it beside them", () => {
  const a = { properties: { a: text }, required: ["a"] };
  const choice = [{ required: ["a"] }, { properties: { c: text }, required: ["b", "c"] }];
  for (const key of ["anyOf", "oneOf"]) {
    const { schema, alternatives } = takenSchema({ type: "object", properties: { a: text, b: text }, [key]: choice });
    expect(schema).toEqual({ type: "object", properties: { c: text, a: text, b: text } });
    expect(alternatives).toBe("It needs a, or b with c.");
  }
  const both = takenSchema({ type: "object", required: ["b"], allOf: [a, { properties: { b: text } }] });
  expect(both.schema).toEqual({ type: "object", properties: { a: text, b: text }, required: ["a", "b"] });
  expect(both.alternatives).toBeUndefined();
});

it("gives each parameter a name that is taken, and the tool its own", () => {
  const long = "p".repeat(70);
  const names = ["filter[id]", "filter_id", "$top", "my name", long, `${long}2`, "[]", "日本"];
  const properties = Object.fromEntries(names.map((name) => [name, { ...text, title: name }]));
  const { schema, toOwn } = takenSchema({ type: "object", properties, required: ["$top", "filter[id]"] });
  const taken = Object.keys(schema["properties"] as object);
  expect(taken.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))).toBe(true);
  expect(new Set(taken).size).toBe(names.length);
  expect(schema["required"]).toEqual(["top", "filter_id_2"]);
  expect(Object.keys(toOwn(Object.fromEntries(taken.map((name) => [name, 1]))))).toEqual(names);
});

it("leaves a schema as it is that is taken already", () => {
  const schema = {
    type: "object",
    properties: { a: { anyOf: [text, { type: "null" }] }, "b.c-d": text },
    required: ["a"],
    additionalProperties: false,
  };
  expect(takenSchema(schema).schema).toEqual(schema);
  expect(takenSchema({ type: "object" }).schema).toEqual({ type: "object", properties: {} });
});
