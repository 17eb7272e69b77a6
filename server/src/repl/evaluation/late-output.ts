/**
 * What forms print after they are over: the agent sees no log, so its next answer tells it. Code that a later form calls
 * belongs here too when it runs for an earlier one, as in a server that an earlier form opened.
 */
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import type { ImageOutput } from "../image.ts";

export interface LateOutput {
  readonly add: (output: ImageOutput) => void;
  /** What has come since the last time, a note for each form. */
  readonly take: () => readonly DiagnosticLine[];
}

const MAX_FORMS = 5;
/** Of one form, in characters; the newest are kept. */
const MAX_KEPT = 1500;

export function createLateOutput(): LateOutput {
  const kept = new Map<string, { text: string; length: number }>();
  return {
    add: ({ evalId, late, text }) => {
      if (evalId === undefined || late !== true) return;
      const before = kept.get(evalId) ?? { text: "", length: 0 };
      // The newest last, and the oldest goes first.
      kept.delete(evalId);
      kept.set(evalId, { text: (before.text + text).slice(-MAX_KEPT), length: before.length + text.length });
      if (kept.size > MAX_FORMS) for (const oldest of [...kept.keys()].slice(0, 1)) kept.delete(oldest);
    },
    take: () => {
      const notes = [...kept].map(([evalId, { text, length }]) => {
        const cut = length > text.length ? `\n  … ${length - text.length} characters before this` : "";
        const shown = text.replace(/\n$/, "").replaceAll("\n", "\n  ");
        return { severity: "information", message: `Form ${evalId} printed meanwhile:${cut}\n  ${shown}` } as const;
      });
      kept.clear();
      return notes;
    },
  };
}
