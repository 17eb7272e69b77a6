import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { elispBlocks, runBatch, SOURCES, temporaryFolder } from "./batch.ts";

const testFolder = fileURLToPath(new URL(".", import.meta.url));
const logicTests = (await readdir(join(testFolder, "logic"))).map((name) => join(testFolder, "logic", name));

describeEachEditor("emacs", (editor) => {
  let home: string;
  beforeEach(async () => {
    home = await temporaryFolder();
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  it("makes Agent-Q Eglot's own server with the lines of the manual", async () => {
    const text = await readFile(new URL("../../docs/emacs.md", import.meta.url), "utf8");
    const own = elispBlocks(text).filter((code) => code.includes("(require 'agentq)") && !code.includes("lsp-mode"));
    expect(own).toHaveLength(1);
    // With `prin1` the whole contact is read: the class, which has to be there, and what is passed to it.
    const contact =
      "(let ((contact (cdr (eglot--lookup-mode 'typescript-ts-mode)))) (prin1 (cons (class-p (car contact)) contact)))";
    const result = await runBatch(editor, home, [
      ...SOURCES,
      "--eval",
      `(progn ${own[0]} (require 'eglot) ${contact})`,
    ]);
    expect(result.output).toContain(
      '(t agentq-server "agentq" "--stdio" :initializationOptions (:languageFeatures "on"))',
    );
  });

  it("passes its own logic tests", async () => {
    const loads = logicTests.flatMap((path) => ["-l", path]);
    const result = await runBatch(editor, home, [
      ...SOURCES,
      "-L",
      testFolder,
      ...loads,
      "-f",
      "ert-run-tests-batch-and-exit",
    ]);
    expect(result.output).toMatch(/Ran [1-9]\d* tests, .* 0 unexpected/);
    expect(result.code).toBe(0);
    // Many tests, one after the other, in one Emacs.
  }, 240_000);
});
