import { copyFile, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { clientFolder, elispBlocks, runBatch, temporaryFolder } from "./batch.ts";

const testFolder = fileURLToPath(new URL(".", import.meta.url));
const sources = (await readdir(clientFolder)).filter((name) => name.endsWith(".el"));
const logicTests = (await readdir(join(testFolder, "logic"))).map((name) => join(testFolder, "logic", name));

describeEachEditor("emacs", (editor) => {
  let home: string;
  beforeEach(async () => {
    home = await temporaryFolder();
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  it("compiles the client without a warning", async () => {
    for (const name of sources) await copyFile(join(clientFolder, name), join(home, name));
    const result = await runBatch(editor, home, [
      ..."-L . --eval".split(" "),
      "(setq byte-compile-error-on-warn t)",
      "-f",
      "batch-byte-compile",
      ...sources,
    ]);
    expect(result).toEqual({ code: 0, output: "" });
    const compiled = (await readdir(home)).filter((name) => name.endsWith(".elc"));
    expect(compiled).toHaveLength(sources.length);
  });

  it("passes checkdoc without a warning", async () => {
    // checkdoc-file exits 0 whatever it finds: what it prints is the result.
    const check = "(progn (require 'checkdoc) (dolist (file command-line-args-left) (checkdoc-file file)))";
    const paths = sources.map((name) => join(clientFolder, name));
    expect(await runBatch(editor, home, ["--eval", check, ...paths])).toEqual({ code: 0, output: "" });
  });

  it("makes Agent-Q Eglot's own server with the lines of the manual", async () => {
    const text = await readFile(new URL("../../docs/emacs.md", import.meta.url), "utf8");
    const own = elispBlocks(text).filter((code) => code.includes("(require 'agentq)") && !code.includes("lsp-mode"));
    expect(own).toHaveLength(2);
    const lines = own.join("").replaceAll("/path/to/agent-q/client-emacs", clientFolder);
    // With `prin1` the whole contact is read: the class, which has to be there, and what is passed to it.
    const contact =
      "(let ((contact (cdr (eglot--lookup-mode 'typescript-ts-mode)))) (prin1 (cons (class-p (car contact)) contact)))";
    const result = await runBatch(editor, home, ["--eval", `(progn ${lines} (require 'eglot) ${contact})`]);
    expect(result.output).toContain(
      '(t agentq-server "agentq" "--stdio" :initializationOptions (:languageFeatures "on"))',
    );
  });

  it("passes its own logic tests", async () => {
    const loads = logicTests.flatMap((path) => ["-l", path]);
    const result = await runBatch(editor, home, [
      "-L",
      clientFolder,
      "-L",
      testFolder,
      ...loads,
      "-f",
      "ert-run-tests-batch-and-exit",
    ]);
    expect(result.output).toMatch(/Ran [1-9]\d* tests, .* 0 unexpected/);
    expect(result.code).toBe(0);
  });
});
