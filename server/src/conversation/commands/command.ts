/** What a slash command is: one small object, listed in `all-commands.ts`. No model is needed for it. */
import type { RequestParams } from "../../protocol/methods.ts";
import type { CommandOutcome } from "./command-outcome.ts";
import type { CommandPorts } from "./command-ports.ts";

export interface SlashCommand {
  /** Without the slash: small letters and hyphens. */
  readonly name: string;
  /** What follows the name, as people read it: `SYMBOL`; in brackets where the command does without. */
  readonly takes?: string;
  /** One line for `/help` and completion. */
  readonly summary: string;
  /** As what the words after the name are completed. */
  readonly completes?: "symbol" | "file" | "value" | "mention";
  /**
   * The conversation in which the answer is told, where that is another one than the present: `"new"`, or its id. Contract:
   * throws a sentence for the person.
   */
  readonly goesTo?: (call: CommandCall, ports: CommandPorts) => Promise<string>;
  /** Contract: throws a sentence for the person; ends soon after the call's signal. */
  readonly run: (call: CommandCall, ports: CommandPorts) => Promise<CommandOutcome>;
}

export interface CommandCall {
  /** What follows the name, trimmed. */
  readonly rest: string;
  /** The conversation of the answer. For `goesTo` it is the present one, undefined before the first prompt. */
  readonly sessionId: string | undefined;
  /** Where the person was when they sent the command. */
  readonly from: { readonly sessionId: string | undefined; readonly active: RequestParams<"agentq/prompt">["active"] };
  readonly signal: AbortSignal;
}
