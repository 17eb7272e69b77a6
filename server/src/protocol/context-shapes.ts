/** The shapes of what goes along with prompts. */
import type { Range } from "vscode-languageserver-protocol";
import type { ContextRef } from "./shapes.ts";

export interface ContextItem {
  readonly id: string;
  readonly kind: ContextRef["kind"];
  /** For people, such as `src/cart.ts:12-15`. */
  readonly label: string;
  /** The item's place, for a client that jumps there. */
  readonly uri?: string;
  readonly range?: Range;
  /** Characters of what the model would get now; absent where the item cannot be had. */
  readonly size?: number;
  /** Why the item cannot be had now. */
  readonly missing?: string;
  /** The model has it as it is now: it goes along again when it has changed. */
  readonly isSent?: true;
}

export interface AddedContext extends ContextList {
  readonly added: readonly ContextItem[];
}

export interface ContextList {
  readonly items: readonly ContextItem[];
  readonly total: number;
}
