/** Objects that a CommonJS module fills member by member and exports as a whole, as Express does it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createDocumentOutline } from "../../server/src/tools/introspection/document-outline.ts";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { fixtures } from "../unit/typescript/with-typescript.ts";
import { openFixture, type Fixture } from "./ask-fixture.ts";

let fixture: Fixture;
beforeAll(() => {
  fixture = openFixture(`${fixtures}/exported-objects-project`);
});
afterAll(() => fixture.service.dispose());

it.each([
  ["members-of-a-made-object", createClassSlots, { symbol: "res" }],
  ["members-of-the-exports", createClassSlots, { symbol: "app" }],
  ["a-method-of-a-made-object", createDescribeSymbol, { symbol: "res.send" }],
  ["a-method-of-the-exports", createDescribeSymbol, { symbol: "app.use" }],
  ["callers-through-this", createWhoCalls, { symbol: "res.send" }],
  ["callers-through-the-exports", createWhoCalls, { symbol: "lib/app.js#app.set" }],
  ["the-outline", createDocumentOutline, { path: "lib/response.js" }],
])("%s", async (name, create, args) => {
  const answer = await fixture.ask(create(fixture.service), args);
  await expect(answer).toMatchFileSnapshot(`snapshots/exported-objects/${name}.txt`);
});
