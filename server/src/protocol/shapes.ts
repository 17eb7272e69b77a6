/**
 * The shapes that travel in `agentq/*` messages, as far as all rooms share them: the others are in the `…-shapes.ts`
 * beside this file. Positions are LSP positions: 0-based lines, UTF-16 characters. See docs/protocol.md for their
 * meaning.
 */
import type { Range } from "vscode-languageserver-protocol";

export type SafetyLevel = "safe" | "cautious" | "dangerous";

export type { JsonSchema } from "../schema/schema-type.ts";

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly nextCursor?: string;
}

export interface ContextRef {
  readonly kind:
    | "file"
    | "folder"
    | "selection"
    | "symbol"
    | "buffer"
    | "diagnostics"
    | "replValue"
    | "diff"
    | "image"
    | "text";
  readonly uri?: string;
  readonly range?: Range;
  readonly symbol?: string;
  readonly text?: string;
  readonly label?: string;
}

export interface DiagnosticLine {
  readonly uri?: string;
  readonly range?: Range;
  readonly severity: "error" | "warning" | "information" | "hint";
  /** What kind of note this is, for a client that treats the kind in a way of its own: `filesChanged`, `leftOpen`, `notLoaded`. */
  readonly code?: string;
  readonly message: string;
}

/** In milliseconds, of the last 1,000. */
export interface Times {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
}
