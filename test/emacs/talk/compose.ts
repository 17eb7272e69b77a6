/** The prompt below the transcript: typing there while the agent works, and what becomes of it when something ends. */
import { expect, it } from "vitest";
import { reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, Workbench, type WorkbenchOptions } from "../workbench.ts";

/** Says again what was said; to "slow", text that streams for minutes. */
const script: Script = {
  name: "echo",
  description: "says what was said",
  reply: ({ prompt }) => {
    const said = prompt.split("\n").at(-1) ?? "";
    return said === "slow" ? { ...reply("> word\n".repeat(10_000)), paceMs: 20 } : reply(`You said: ${said}.`);
  },
};

const typed = `(with-current-buffer ${JSON.stringify(chatBuffer)} (agentq-typing-text))`;

export function composeTests(editor: Emacs): void {
  let bench: Workbench;

  const isTyped = (text: string): Promise<void> => bench.emacs.until(`(equal ${typed} ${JSON.stringify(text)})`);

  const written = (): Promise<string> =>
    bench.emacs.evaluate(`(with-current-buffer ${JSON.stringify(chatBuffer)} (agentq-typing-end))`);

  async function startChat(options: WorkbenchOptions = {}): Promise<void> {
    bench = await Workbench.start(editor, script, { size: [24, 80], ...options });
    await bench.command("agentq");
    await bench.emacs.until(`(equal (buffer-name (window-buffer)) ${JSON.stringify(chatBuffer)})`);
  }

  it("says what is typed on several lines, with completion and the history of the minibuffer", async () => {
    await startChat();
    bench.emacs.type("see @src/mon\t");
    await isTyped("see @src/money.ts");
    bench.emacs.type("\u001b\rand (\r");
    await isTyped("see @src/money.ts\nand (\n");
    bench.emacs.type("that)\r");
    await bench.emacs.untilText(chatBuffer, "You said: that).\n-- done");
    await isTyped("");
    await bench.emacs.evaluate(`(progn (select-window (get-buffer-window "allocate.ts")) t)`);
    await bench.command("agentq-prompt");
    await bench.untilAsked();
    bench.emacs.type("\u001bp");
    const asked = `(with-selected-window (active-minibuffer-window) (minibuffer-contents-no-properties))`;
    await bench.emacs.until(`(equal ${asked} "see @src/money.ts\nand (\nthat)")`);
    await bench.quit();
    await bench.command("agentq-prompt", "beside");
    await bench.emacs.untilText(chatBuffer, "You said: beside.\n-- done");
    await bench.emacs.evaluate(`(progn (pop-to-buffer ${JSON.stringify(chatBuffer)}) (goto-char (point-max)) t)`);
    bench.emacs.type("\u001bp");
    await isTyped("beside");
    bench.emacs.type("\u001bp");
    await isTyped("see @src/money.ts\nand (\nthat)");
  });

  it("leaves what is typed, its undo and a reader's window alone while text streams in above", async () => {
    await startChat();
    bench.emacs.type("slow\r");
    await bench.emacs.untilText(chatBuffer, "> word\n".repeat(40));
    // A second window, in which somebody reads the beginning.
    await bench.emacs.evaluate(
      `(let ((window (split-window))) (set-window-start window (point-min)) (set-window-point window (point-min)) t)`,
    );
    const reads = `(let ((window (next-window))) (list (window-start window) (window-point window)))`;
    bench.emacs.type("draft of mine");
    await isTyped("draft of mine");
    expect(await bench.emacs.evaluate(reads)).toBe("(1 1)");
    const before = Number(await written());
    await bench.emacs.until(`(> (agentq-typing-end) ${before + 500})`);
    bench.emacs.type("\u001b\u007f");
    await isTyped("draft of ");
    await bench.emacs.until(`(> (agentq-typing-end) ${before + 1000})`);
    bench.emacs.type("\u001f");
    await isTyped("draft of mine");
    expect(await bench.emacs.evaluate(reads)).toBe("(1 1)");
    expect(await bench.emacs.evaluate("(progn (redisplay t) (pos-visible-in-window-p (point-max)))")).toBe("t");
    // What waited comes back below the draft.
    bench.emacs.type("\u0003\u0015later\r");
    await bench.emacs.until("(= 1 (length (agentq-server-queue (agentq-running-server))))");
    bench.emacs.type("mine");
    bench.emacs.type("\u0003\u000b");
    await bench.emacs.untilText(chatBuffer, "-- cancelled");
    await isTyped("mine\n\nlater");
  });

  it("keeps what is typed when the server is killed in mid-stream, and says it to the next one", async () => {
    await startChat({ startsServer: true });
    bench.emacs.type("slow\r");
    await bench.emacs.untilText(chatBuffer, "> word\n> word");
    bench.emacs.type("and then");
    await isTyped("and then");
    await bench.killServer();
    await bench.emacs.untilText(chatBuffer, "The server ended.  The next prompt starts another one");
    await isTyped("and then");
    bench.emacs.type("?\r");
    await bench.emacs.untilText(chatBuffer, "You said: and then?.");
    const told = JSON.stringify(bench.model.requests.at(-1)?.messages);
    for (const words of ["slow", "> word", "and then?", "Your last turn was cut off."]) expect(told).toContain(words);
  });

  it("sends nothing by a quit, in the minibuffer or at the prompt", async () => {
    await startChat();
    bench.emacs.type("half");
    await isTyped("half");
    await bench.quitUntil(`(equal (current-message) "Quit")`);
    await isTyped("half");
    await bench.emacs.evaluate(`(progn (select-window (get-buffer-window "allocate.ts")) t)`);
    await bench.command("agentq-prompt");
    await bench.untilAsked();
    bench.emacs.type(" more");
    await bench.quit();
    await isTyped("half");
    await bench.command("agentq-prompt", " a thought");
    await bench.emacs.untilText(chatBuffer, "You said: half a thought.");
    await isTyped("");
    await poll(() => Promise.resolve(bench.model.requests.length === 1), "one request alone");
  });
}
