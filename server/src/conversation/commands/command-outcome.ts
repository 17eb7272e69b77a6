/** What comes of a slash command. */
import type { RequestParams } from "../../protocol/methods.ts";

/** Markdown for the transcript. */
export interface CommandAnswer {
  readonly answer: string;
  readonly failed?: true;
}

/** What the server says to a command, or the prompt that takes the command's place. */
export type CommandOutcome =
  | CommandAnswer
  | { readonly prompt: string; readonly context?: RequestParams<"agentq/prompt">["context"] };

/** Contract: never rejects; ends soon after the signal. */
export type RunCommand = (sessionId: string, signal: AbortSignal) => Promise<CommandOutcome>;
