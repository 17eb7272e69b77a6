/**
 * Keeps what forms print after they have ended. The agent sees no log, so its next answer includes this text. Code that
 * a later form calls may also print for an earlier form, as a server does that the earlier form opened.
 */
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import type { ImageOutput } from "../image.ts";

const MAX_FORMS = 5;
/** The limit for one form, in characters; the newest are kept. */
const MAX_KEPT = 1500;

export class LateOutput {
  readonly #kept = new Map<string, { readonly text: string; readonly length: number }>();

  add({ evalId, late, text }: ImageOutput): void {
    if (evalId === undefined || late !== true) return;
    const before = this.#kept.get(evalId) ?? { text: "", length: 0 };
    // The newest form comes last in the map, and the oldest is dropped first.
    this.#kept.delete(evalId);
    this.#kept.set(evalId, { text: (before.text + text).slice(-MAX_KEPT), length: before.length + text.length });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_FORMS && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The text that has come since the last call, as one note for each form. */
  take(): readonly DiagnosticLine[] {
    const notes = [...this.#kept].map(([evalId, { text, length }]) => {
      const cut = length > text.length ? `\n  … ${length - text.length} characters before this` : "";
      const shown = text.replace(/\n$/, "").replaceAll("\n", "\n  ");
      return { severity: "information", message: `Form ${evalId} printed meanwhile:${cut}\n  ${shown}` } as const;
    });
    this.#kept.clear();
    return notes;
  }
}
