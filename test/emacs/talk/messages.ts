import { expect, it } from "vitest";
import { reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

const script: Script = {
  name: "echo",
  description: "says what was said",
  reply: ({ prompt }) =>
    reply(`You said **${prompt.split("\n").at(-1)}**, see src/money.ts:2:1.\n\n\`\`\`ts\nconst said = 1;\n\`\`\`\n`),
};

/** How often the person said something, as the transcript shows. */
const said = (words: string): string =>
  `(with-current-buffer "${chatBuffer}" (count-matches ${JSON.stringify(`^> ${words}$`)} (point-min) (point-max)))`;

/** Whether no turn runs and the last one stands in the transcript. */
const isDone = (turns: number): string =>
  `(and (not (agentq-server-turn-id (car agentq--servers))) (= ${turns} (with-current-buffer "${chatBuffer}" (count-matches "^-- done$" (point-min) (point-max)))))`;

export function messagesTests(editor: Emacs): void {
  let bench: Workbench;

  it("says a message again or another way and branches, each time in a copy that ends there", async () => {
    bench = await Workbench.start(editor, script);
    await bench.ask("One", "You said **One**");
    await bench.emacs.until(isDone(1));
    await bench.emacs.evaluate(`(progn (pop-to-buffer "${chatBuffer}") t)`);
    bench.emacs.type("Two\r");
    await bench.emacs.until(isDone(2));
    bench.emacs.type("\u0003\u0010r");
    await bench.emacs.until(`(and ${isDone(2)} (string-search "(fork)" (agentq-heading)))`);
    expect(await bench.emacs.evaluate(said("Two"))).toBe("1");
    expect(bench.model.requests).toHaveLength(3);
    bench.emacs.type("\u0003\u0010e");
    await bench.emacs.until(`(equal (agentq-typing-text) "Two")`);
    bench.emacs.type(" and a half\r");
    await bench.emacs.untilText(chatBuffer, "You said **Two and a half**");
    await bench.emacs.until(isDone(2));
    expect(await bench.emacs.evaluate(said("Two"))).toBe("0");
    bench.emacs.type("\u001b<nb");
    await bench.emacs.until(isDone(1));
    expect(await bench.emacs.evaluate(said("Two and a half"))).toBe("0");
    expect(bench.model.requests).toHaveLength(4);
  });

  it("has blocks asked for as proposals, goes to places that are named, and lists its keys", async () => {
    bench = await Workbench.start(editor, script);
    await bench.ask("One", "You said **One**");
    await bench.emacs.until(isDone(1));
    await bench.emacs.evaluate(
      `(progn (pop-to-buffer "${chatBuffer}") (goto-char (point-min)) (search-forward "const") t)`,
    );
    bench.emacs.type("P");
    await bench.emacs.untilText(chatBuffer, "> Propose this code of your answer as an edit, where it belongs:");
    await bench.emacs.until(isDone(2));
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain(
      String.raw`\n\n` + "```ts" + String.raw`\nconst said`,
    );
    bench.emacs.type("?");
    await bench.emacs.untilText("*Help*", "go to the next message of yours");
    await bench.emacs.evaluate(
      `(progn (pop-to-buffer "${chatBuffer}") (goto-char (point-min)) (search-forward "money.ts") t)`,
    );
    bench.emacs.type("\r");
    await bench.emacs.until(`(and (equal (buffer-name) "money.ts") (= (line-number-at-pos) 2))`);
  });
}
