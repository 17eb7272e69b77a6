import { expect, it } from "vitest";
import { call, reply, scriptOf } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

const script = scriptOf("rename", "rename a function in several files", [
  reply(call("rename_symbol", { symbol: "src/allocate.ts#allocate", new_name: "apportion" })),
  reply("Renamed."),
]);

export function renameTests(editor: Emacs): void {
  let bench: Workbench;

  it("reviews one proposal over several files", async () => {
    bench = await Workbench.start(editor, script);
    await bench.ask("Rename allocate to apportion", "waits for you");
    const shown = await bench.review("+++ b/src/invoice.ts");
    expect(shown).toContain("+++ b/src/allocate.ts");
    expect(shown).toContain("+++ b/src/index.ts");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    for (const file of ["src/allocate.ts", "src/invoice.ts", "src/credit-note.ts", "src/index.ts"]) {
      await bench.untilFile(file, (text) => /\bapportion\b/.test(text) && !/\ballocate\b(?!\.ts|\()/.test(text));
    }
    const told = JSON.stringify(bench.model.requests.at(-1));
    expect(told).toMatch(/APPLIED: all \d+ of \d+ hunks/);
    expect(told).toContain("no new error");
  });

  it("leaves comments and pages out when all hunks are accepted at once", async () => {
    const more = scriptOf("rename-more", "rename with mentions", [
      reply(call("rename_symbol", { symbol: "src/allocate.ts#allocate", new_name: "apportion", also: ["comments"] })),
      reply("Renamed."),
    ]);
    bench = await Workbench.start(editor, more);
    await bench.ask("Rename allocate to apportion", "waits for you");
    expect(await bench.review("comment in src/allocate.ts:10")).toMatch(
      /comment in src\/allocate\.ts:10 \(left out by .A.\)/,
    );
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.file("src/allocate.ts")).toMatch(/ \* allocate\(money\([^]*export function apportion\(/);
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain("(comment in src/allocate.ts:10): left out");
  });
}
