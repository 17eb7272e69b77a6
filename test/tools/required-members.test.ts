/** `const name = require("./a").name`: a variable of its own for the compiler, and an import for everybody else. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import type { ToolAnswer } from "../../server/src/tools/tool.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

let project: TestProject;
beforeEach(() => {
  project = openProject({
    "utils.js": "exports.tag = function (value) {\n  return value;\n};\nexports.names = ['a'];\n",
    "app.js": [
      'var tag = require("./utils").tag;',
      'var other = require("./utils").tag;',
      'var names = require("./utils").names;',
      "",
      "function use(value) {",
      "  names.forEach(tag);",
      "  return tag(value) + other(value);",
      "}",
      "",
      "exports.use = use;",
      "exports.passed = tag;",
      "",
    ].join("\n"),
    "last.js": 'const app = require("./app");\napp.passed(1);\n',
  });
});
afterEach(() => project.dispose());

it("whoever calls the variable calls the function, under whichever name, also where it is passed on", async () => {
  const { content } = await project.whoCalls({ symbol: "utils.js#tag" });
  expect(content).toBe(
    [
      "utils.js#tag (function, line 1)",
      "4 call sites in 2 files, none in tests (1 passed as value, 3 call)",
      "Also mentioned, not as a call: 2 import, 1 re-export (app.js:11)",
      "",
      "  app.js:6 use — passed as value (argument of names.forEach): names.forEach(tag);",
      "  app.js:7 ×2 use: return tag(value) + other(value);",
      "  last.js:2 (module): app.passed(1);",
    ].join("\n"),
  );
});

it("the variable's statement is an import, and a read of the variable is a read of the member", async () => {
  const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
  const args = { symbol: "utils.js#names" };
  const { content } = (await createWhoReferences(project.service).run(args, context)) as ToolAnswer;
  expect(content).toBe(
    [
      "utils.js#names (variable, line 4)",
      "2 mentions in 1 file, none in tests (1 read, 1 import)",
      "",
      "app.js:6 use — calls .forEach: names.forEach(tag);  (import: 3)",
    ].join("\n"),
  );
});
