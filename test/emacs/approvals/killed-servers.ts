/** A server is killed while a person decides, and another project goes on. */
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { blocksOf, textOf } from "../../../examples/demo/model/request-body.ts";
import { call, reply, scriptOf } from "../../../examples/demo/model/script.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import { lispString } from "../batch.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, questionBuffer, reviewBuffer, Workbench, askingForms } from "../workbench.ts";

const dangerous = scriptOf("dangerous", "evaluates something", [
  reply(call("eval_form", { form: "globalThis.made = 6 * 7" })),
  reply("Understood."),
]);

export function killedServersTests(editor: Emacs): void {
  let bench: Workbench;

  /** Has a server for another project too, kills that of the first, and shows the buffer again in which the person was. */
  async function killFirst(buffer: string): Promise<void> {
    const other = join(dirname(bench.project), "other", "invoices");
    cpSync(bench.project, other, { recursive: true });
    await bench.emacs.evaluate(
      `(progn (find-file ${lispString(join(other, "src/money.ts"))}) (save-window-excursion (agentq)) t)`,
    );
    await bench.emacs.until("(length= agentq--servers 2)");
    await bench.emacs.evaluate(`(progn (switch-to-buffer "${buffer}") t)`);
    await bench.killServer();
    await bench.emacs.until("(length= (seq-filter #'agentq-connection-running-p agentq--servers) 1)");
    await bench.emacs.untilText(chatBuffer, "The server ended");
  }
  const otherRuns = `(with-current-buffer "money.ts" (and (agentq-running-server) t))`;
  const header = (name: string): string =>
    `(substring-no-properties (with-current-buffer "${reviewBuffer}" (${name})))`;

  /** What the model was told of its calls. */
  const results = (): string[] =>
    (bench.model.requests.at(-1)?.messages ?? [])
      .flatMap(blocksOf)
      .filter((block) => block.type === "tool_result")
      .map((block) => textOf(block["content"]));

  it("keeps the text of a review in sight, decides nothing there, and shows the review again after a restart", async () => {
    // A proposal that has just come takes no key for a moment.
    bench = await Workbench.start(editor, proposeFix, { variables: { "agentq-review--pause": "0" } });
    const before = await bench.file("src/allocate.ts");
    await bench.ask("Fix it", "waits for you");
    await bench.review("+  const shares");
    await killFirst(reviewBuffer);
    expect(await bench.emacs.text(reviewBuffer)).toContain("+  const shares");
    const brings = "M-x agentq brings back what waits";
    expect(await bench.emacs.evaluate(header("agentq-review--header"))).toContain(`review ended: ${brings} here`);
    expect(await bench.emacs.text(reviewBuffer)).toContain(`(Kept: ${brings})\n`);
    expect(await bench.emacs.text(reviewBuffer)).not.toContain("nothing applied");
    bench.emacs.type("a");
    await bench.emacs.untilText("*Messages*", "No Agent-Q server runs here; M-x agentq starts one");
    expect(await bench.emacs.evaluate(otherRuns)).toBe("t");
    expect(await bench.file("src/allocate.ts")).toBe(before);
    await bench.connect();
    await bench.emacs.until(`(string-search "1 of 2, 2 left" ${header("agentq-review--header")})`);
    // The buffer of the file is the server's again: what is typed there reaches the review.
    const type = (from: string, to: string): Promise<string> =>
      bench.emacs.evaluate(
        `(with-current-buffer "allocate.ts" (goto-char (point-min)) (search-forward "${from}") (replace-match "${to}" t t) nil)`,
      );
    await type("whole));", "whole)); // mine");
    await bench.emacs.untilText(reviewBuffer, "[conflict]");
    await type(" // mine", "");
    await bench.emacs.until(`(not (string-search "conflict" (with-current-buffer "${reviewBuffer}" (buffer-string))))`);
    bench.emacs.type("A");
    await bench.emacs.until(`(string-search "Decided: 2 of 2 hunks applied" ${header("agentq-review--header")})`);
    expect(await bench.emacs.text("allocate.ts")).toContain("Math.floor");
  });

  it("takes a question away whose server is gone, and runs nothing by a key that is pressed then", async () => {
    bench = await Workbench.start(editor, dangerous, { setup: askingForms, startsServer: true });
    await bench.ask("How much is it?", "waits for you");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "globalThis.made");
    await killFirst(questionBuffer);
    await bench.emacs.until(`(null (get-buffer "${questionBuffer}"))`);
    await bench.emacs.evaluate(`(progn (switch-to-buffer "allocate.ts") t)`);
    await bench.command("agentq-approve");
    await bench.emacs.untilText("*Messages*", "No Agent-Q server runs here");
    expect(await bench.emacs.evaluate(otherRuns)).toBe("t");
    expect(results()).toEqual([]);
    await bench.command("agentq-prompt", "And now?");
    await bench.emacs.until(
      `(with-current-buffer "allocate.ts" (let ((server (agentq-current-server))) (and server (agentq-server-approvals server) t)))`,
    );
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain("Your last turn was cut off.");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "globalThis.made");
    bench.emacs.type("1");
    await bench.emacs.untilText(chatBuffer, "Understood.");
    expect(results()).toHaveLength(2);
    expect(results()[0]).not.toMatch(/\b42\b/);
    expect(results()[1]).toMatch(/\b42\b/);
  });
}
