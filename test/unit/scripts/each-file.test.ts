/** What every test file is held to, and what the run tells of its cost: a run of vitest over files that break it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const checkout = join(import.meta.dirname, "../../..");
const files: Readonly<Record<string, string>> = {
  "clean.test.js": 'it("ends what it starts", () => spawnSync("true"));',
  "variable.test.js": 'it("sets", () => { process.env.LEFT = "behind"; });',
  "process.test.js": 'it("starts", () => { spawn("sleep", ["3"]); });',
  "folder.test.js": 'it("writes", () => { mkdirSync(tmpdir() + "/left"); });',
  "busy.test.js":
    'it("computes", () => { const end = process.cpuUsage().user + 4e5; while (process.cpuUsage().user < end); });',
};

it.skipIf(process.platform !== "linux")(
  "a file that leaves a variable or a process behind fails, and the dearest file is told first",
  () => {
    const project = mkdtempSync(join(tmpdir(), "agentq-each-file-"));
    try {
      symlinkSync(join(checkout, "node_modules"), join(project, "node_modules"), "junction");
      const head =
        'import { it } from "vitest";\nimport { spawn, spawnSync } from "node:child_process";\nimport { mkdirSync } from "node:fs";\nimport { tmpdir } from "node:os";\n';
      for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), head + text);
      const setup = join(checkout, "test/support/each-file.ts");
      const reporter = pathToFileURL(join(checkout, "scripts/cost-reporter.ts")).href;
      writeFileSync(
        join(project, "run.mjs"),
        `import { startVitest } from "vitest/node";
        import { CostReporter } from ${JSON.stringify(reporter)};
        const costs = new CostReporter();
        const files = { onTestModuleEnd: (module) => console.log(module.relativeModuleId, module.errors().map(({ message }) => message)) };
        const options = { run: true, config: false, setupFiles: [${JSON.stringify(setup)}], reporters: [costs, files] };
        const vitest = await startVitest([], { ...options, env: { AGENTQ_ENDS_WITHIN_MS: "1000" } });
        console.log(costs.describe());
        await vitest.exit(true);`,
      );
      const env = { ...process.env, VITEST: "", NODE_OPTIONS: "", TMPDIR: project };
      const { stdout } = spawnSync(process.execPath, ["run.mjs"], { cwd: project, env, encoding: "utf8" });
      expect(stdout).toMatch(/^clean\.test\.js \[\]$/m);
      expect(stdout).toMatch(/^busy\.test\.js \[\]$/m);
      expect(stdout).toMatch(/^variable\.test\.js \[\s+.a file leaves no changed environment variable behind/m);
      expect(stdout).toMatch(/^folder\.test\.js \[\s+.a file leaves nothing in /m);
      expect(stdout).toMatch(/^process\.test\.js \[\s+.a file leaves no process behind/m);
      expect(stdout).toMatch(/The dearest files .*:\n +\d\.\d {2}busy\.test\.js \(1 tests, /);
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  },
);
