import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runsAll } from "../../support/extent.ts";
import { afterEdits, editKept, keptFiles, readKept, writeKept } from "../../support/kept-bytes.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

const OPEN = { name: "open", areOpen: true };
const CLOSED = { name: "closed", areOpen: false };

export function keptBytesTests(editor: Emacs): void {
  let bench: Workbench;

  // A file that is closed is visited first, and is the same from there on.
  it.each(runsAll ? [OPEN, CLOSED] : [CLOSED])(
    "changes the accepted lines of $name files and no other byte or mode, and undo brings all bytes back",
    async ({ areOpen }) => {
      bench = await Workbench.start(editor, editKept(areOpen), { isAlone: true });
      writeKept(bench.project);
      const before = readKept(bench.project);
      const files = keptFiles(areOpen);
      await bench.connect();
      for (const file of areOpen ? files : []) {
        await bench.emacs.evaluate(
          `(with-current-buffer (find-file-noselect "${join(bench.project, file)}") (agentq-sync-start (car agentq--servers)) t)`,
        );
      }
      await bench.ask("Translate", "waits for you");
      await bench.review("+zwei");
      bench.emacs.type("A");
      await bench.emacs.untilText(chatBuffer, "-- done");
      expect(readKept(bench.project)).toEqual(afterEdits(before, files));
      await bench.command("agentq-undo-proposal");
      await bench.emacs.untilText(chatBuffer, "Proposal: Undo: ");
      await bench.review("-zwei");
      bench.emacs.type("A");
      await vi.waitFor(() => expect(readKept(bench.project)).toEqual(before), { timeout: 40_000 });
    },
  );
}
