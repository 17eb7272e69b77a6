import { expect, it } from "vitest";
import { callsIn } from "../../../../server/src/repl/testing/test-script.ts";
import { nodeTestCalls } from "../../../../server/src/repl/testing/node-test-call.ts";

const jest = (scripts: Record<string, string>): string[] =>
  callsIn({ scripts }, (name) => name === "jest").map(({ words }) => words.join(" "));

it.each<[Record<string, string>, string[]]>([
  [{ test: "jest --ci" }, ["--ci"]],
  [{ test: "npm run lint && NODE_ENV=x npx jest a || true" }, ["a"]],
  [{ test: "yarn jest b" }, ["b"]],
  [{ test: "npm run -s unit && pnpm e2e", unit: "jest u", e2e: "jest e" }, ["u", "e"]],
  [{ test: "npm run unit -- --watch", unit: "jest u" }, ["u"]],
  [{ test: "npm run again", again: "npm test" }, []],
  [{ "test:long": "jest long", "test:x": "jest x" }, ["x", "long"]],
  [{ test: "mocha", other: "jest" }, []],
])("the scripts %j call jest with %j", (scripts, calls) => {
  expect(jest(scripts)).toEqual(calls);
});

it.each<[string, string[], string[]]>([
  ["node --test", [], []],
  ["node --import tsx --test src/*.ts", ["--import", "tsx"], ["src/*.ts"]],
  ["tsx --test a.ts 'b/**/*.ts'", ["--import", "tsx"], ["a.ts", "'b/**/*.ts'"]],
  ["node --test --test-reporter spec --test-concurrency 1 a.js", [], ["a.js"]],
  ["node --test-only --test-timeout 500 --test a.js", ["--test-only", "--test-timeout", "500"], ["a.js"]],
  ["c8 node --test --test-name-pattern=fast", ["--test-name-pattern=fast"], []],
])("the script %j runs node:test with flags %j over %j", (test, flags, names) => {
  expect(nodeTestCalls({ scripts: { test } })).toEqual([{ flags, names, env: {} }]);
});
