/** Which runner runs which files from which folder: what a project's configurations, scripts and packages say. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { planTests } from "../../../../server/src/repl/testing/test-files.ts";

type Files = Readonly<Record<string, string>>;

/** `runner folder: files` for each run. */
async function plansOf(files: Files, ...asked: readonly string[]): Promise<readonly string[] | string> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-plan-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const readText = async (path: string): Promise<string> => readFileSync(path, "utf8");
  const paths = asked.length === 0 ? undefined : asked.map((path) => join(root, path));
  const plans = await planTests({ root, readText, whyNotWalled: undefined }, paths);
  if (typeof plans === "string") return plans;
  const shown = (path: string): string => relative(root, path) || ".";
  return plans.map((plan) => `${plan.runner} ${shown(plan.root)}: ${plan.files.map(shown).join(" ")}`);
}

const scripts = (test: string, more: object = {}): string => JSON.stringify({ scripts: { test }, ...more });
const NODE = 'import "node:test";\n';
const MONOREPO = {
  "package.json": scripts("vitest", { workspaces: ["p/*"] }),
  "vitest.config.ts": "export default {};\n",
};
const A = "p/one/a.test.ts";

it.each<[string, Files, readonly string[], string]>([
  [
    "merely lists the runner",
    { "p/one/package.json": '{ "devDependencies": { "vitest": "*" } }' },
    [A],
    `vitest .: ${A}`,
  ],
  ["calls the runner", { "p/one/package.json": scripts("vitest") }, [A], `vitest .: ${A}`],
  [
    "has a configuration to build",
    { "p/one/vite.config.ts": "export default { build: {} };\n" },
    [A],
    `vitest .: ${A}`,
  ],
  ["configures the runner", { "p/one/vitest.config.ts": "export default {};\n" }, [A], `vitest p/one: ${A}`],
  [
    "configures it to build and to test",
    { "p/one/vite.config.ts": "export default { test: {} };\n" },
    [A],
    `vitest p/one: ${A}`,
  ],
  ["has another runner", { "p/one/package.json": scripts("mocha") }, [A], `mocha p/one: ${A}`],
  [
    "hands on the root's configuration, with its projects",
    {
      "vitest.config.ts": "export default { test: { projects: ['p/*'] } };\n",
      "p/one/vitest.config.ts": "export { default } from '../../vitest.config';\n",
    },
    [A],
    `vitest .: ${A}`,
  ],
  ["is asked for as a folder", {}, ["p/one"], "vitest .: p/one"],
  [
    "is a folder around the configuration",
    { "p/one/vitest.config.ts": "export default {};\n" },
    ["p"],
    "vitest p/one: ",
  ],
])("a package of a monorepo that %s", async (_what, files, asked, plan) => {
  expect(await plansOf({ ...MONOREPO, [A]: "test('a', () => {});\n", ...files }, ...asked)).toEqual([plan]);
});

it.each<[string, Files, readonly string[], readonly string[]]>([
  [
    "node --test",
    { "build/a.test.js": NODE, "tests/b.js": NODE, "c.spec.js": NODE },
    [],
    ["node:test .: build/a.test.js"],
  ],
  [
    "node --test src/a.js && node --test 'deep/**/*.js'",
    { "src/a.js": "", "src/b.test.js": NODE, "deep/x/y/c.js": "" },
    [],
    ["node:test .: src/a.js", "node:test .: deep/x/y/c.js"],
  ],
  ["node --test deep/**/*.js", { "deep/x/a.js": "", "deep/x/y/b.js": "" }, [], ["node:test .: deep/x/a.js"]],
  ["node --test checks/all.js", { "checks/all.js": "" }, ["checks/all.js"], ["node:test .: checks/all.js"]],
  // What merely has the name of a test is the other runner's.
  [
    "jest && node --test",
    { "a.test.js": "test('a');\n", "b.test.js": NODE },
    [],
    ["jest .: ", "node:test .: b.test.js"],
  ],
  ["jest && node --test", { "a.test.js": "test('a');\n" }, ["a.test.js"], ["jest .: a.test.js"]],
  ["jest && node --test", { "b.test.js": NODE }, ["b.test.js"], ["node:test .: b.test.js"]],
])("the script %j over %j, asked for %j", async (test, files, asked, plans) => {
  expect(await plansOf({ "package.json": scripts(test), ...files }, ...asked)).toEqual(plans);
});

it("a folder without tests says so", async () => {
  expect(await plansOf({ "package.json": "{}", "docs/a.md": "" }, "docs")).toContain("No file in docs");
});
