/** `/compact`: less of a long conversation is sent to the model. */
import type { SlashCommand } from "./command.ts";

export const compactCommand: SlashCommand = {
  name: "compact",
  takes: "[undo | WHAT MATTERS]",
  summary: "have the model go on with a summary of what was said, which keeps what you name; `undo` takes that back",
  run: async ({ rest, from: { sessionId }, signal }, ports) => {
    if (sessionId === undefined) throw new Error("There is no conversation yet.");
    const answer =
      rest === "undo"
        ? await ports.undoCompaction(sessionId)
        : await ports.compact(sessionId, rest === "" ? undefined : rest, signal);
    return { answer };
  },
};
