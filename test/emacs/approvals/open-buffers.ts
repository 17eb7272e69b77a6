/** The agent reads the buffers of a real Emacs, also those that are no files, and asks before it does. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { call, reply, scriptOf } from "../../../examples/demo/model/script.ts";
import { modelWords } from "../../support/model-words-of.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, questionBuffer, Workbench } from "../workbench.ts";

const script = scriptOf("buffers", "list the buffers, read the current one and others", [
  reply(call("list_buffers", {})),
  reply(call("read_buffer", {}), call("read_buffer", { buffer: "*compilation*" })),
  reply(call("search_in_buffer", { pattern: "raw", buffer: "*raw*" })),
  reply("That is all."),
]);

export function openBuffersTests(editor: Emacs): void {
  let bench: Workbench;

  it("tells of files, messages, compilations and scratch buffers, and asks about what is no file", async () => {
    bench = await Workbench.start(editor, script);
    const outside = join(bench.project, "..", "diary.txt");
    await writeFile(outside, "dear diary\n");
    await writeFile(join(bench.project, ".env"), "TOKEN=1\n");
    await bench.emacs.evaluate(`(progn
      (find-file-noselect ${JSON.stringify(outside)})
      (find-file-noselect ".env")
      (make-indirect-buffer (find-buffer-visiting ${JSON.stringify(outside)}) "*copy*")
      (with-current-buffer (get-buffer-create " *hidden*") (insert "a password"))
      (with-current-buffer (get-buffer-create "*raw*")
        (insert "raw " (unibyte-char-to-multibyte 200) "\\n"))
      (with-current-buffer (get-buffer-create "*compilation*")
        (insert "one\\nerror in a.ts\\n") (compilation-mode) (narrow-to-region 1 2))
      (with-current-buffer "allocate.ts" (goto-char (point-min)) (insert "// typed\\n"))
      t)`);
    await bench.command("agentq-prompt", "What is open?");
    await bench.emacs.until("(agentq-server-approvals (car agentq--servers))");
    const words = modelWords(bench.model.requests.at(-1));
    expect(words).toMatch(/^ {2}src\/allocate\.ts \([\w-]+, unsaved changes, 48 lines\); the person is here$/m);
    expect(words).toMatch(/^ {2}\*compilation\* \(compilation, 2 lines\)$/m);
    expect(words).toMatch(/^ {2}\*Messages\* \(messages-buffer, \d+ lines?\)$/m);
    expect(words).toContain(
      "3 buffers of files outside of the workspace or under a name that secrets have: never read.",
    );
    expect(words).not.toContain("hidden");
    expect(words).not.toContain("*agentq");
    await bench.command("agentq-approve");
    const question = await bench.emacs.untilText(questionBuffer, "buffer: *compilation*");
    expect(question).toContain("Why: The buffer is no file of the workspace, so it may hold anything");
    bench.emacs.type("1");
    await bench.emacs.until(
      `(equal (agentq-get Approval (cdar (agentq-server-approvals (car agentq--servers))) :tool) "search_in_buffer")`,
    );
    const read = modelWords(bench.model.requests.at(-1));
    expect(read).toMatch(/^src\/allocate\.ts \([\w-]+, version \d+, unsaved changes, 48 lines\)\n 1 {2}\/\/ typed$/m);
    expect(read).toContain("\n1  one\n2  error in a.ts");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "buffer: *raw*");
    bench.emacs.type("1");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(modelWords(bench.model.requests.at(-1))).toContain("1 line of *raw*:\n1  raw \uFFFD");
    expect(JSON.stringify(bench.model.requests)).not.toMatch(/dear diary|TOKEN=1|a password/);
  });

  it("tells the agent why a buffer is not read that was killed while its question waited", async () => {
    bench = await Workbench.start(
      editor,
      scriptOf("killed buffer", "read a buffer", [
        reply(call("read_buffer", { buffer: "*compilation*" })),
        reply("That is all."),
      ]),
    );
    await bench.emacs.evaluate(`(progn (get-buffer-create "*compilation*") t)`);
    await bench.command("agentq-prompt", "What went wrong?");
    await bench.emacs.until("(agentq-server-approvals (car agentq--servers))");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "buffer: *compilation*");
    await bench.emacs.evaluate(`(kill-buffer "*compilation*")`);
    bench.emacs.type("1");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(modelWords(bench.model.requests.at(-1))).toContain("there is no such buffer");
  });
}
