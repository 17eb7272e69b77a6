/** A short conversation on a fixture project, and what a reader of its last request must know. */
import { call, type Block } from "../../examples/demo/model/script.ts";
import type { Question } from "./questions/question.ts";
import type { Scene } from "./scene.ts";

export interface Conversation {
  /** Names the transcript's file. */
  readonly name: string;
  /** Below the repository. */
  readonly project: string;
  readonly options?: object;
  readonly agentq?: object;
  readonly prepare?: (scene: Scene) => void;
  readonly play: (scene: Scene) => Promise<unknown>;
  readonly questions: readonly Question[];
}

export const SHOP = "test/fixtures/golden-project";

export const read = (path: string, more: object = {}): Block => call("read_file", { path, ...more });
export const evaluate = (form: string, more: object = {}): Block => call("eval_form", { form, ...more });
export const search = (pattern: string): Block => call("search_text", { pattern });
export const propose = (...edits: readonly object[]): Block =>
  call("propose_edits", { description: "As you asked.", edits });
export const replace = (path: string, original: string, modified: string): object => ({
  op: "replace",
  path,
  original,
  modified,
});
