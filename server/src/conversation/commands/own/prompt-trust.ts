/** Whether a prompt of a repository may be said in the person's name: the person is asked when they use it. */
import type { TrustPorts } from "../../instruction-trust.ts";
import type { PromptFile } from "./prompt-file.ts";

/** The name under which the trust in a prompt is listed and taken back. No tool can have a name with a hyphen. */
export const PROMPT_TOOL = "use-prompt";
const STAMP = 16;

export interface AskedPrompt extends Pick<PromptFile, "absolute" | "path"> {
  readonly sha256: string;
  /** All of it, as it is shown and said. */
  readonly body: string;
}

/** A prompt is short enough to be read whole: the trust is in its text, and another text is asked about anew. */
export class PromptTrust {
  readonly #ports: TrustPorts;
  /** What was agreed to for one conversation. */
  readonly #agreed = new Set<string>();

  constructor(ports: TrustPorts) {
    this.#ports = ports;
  }

  isOff(): boolean {
    return this.#ports.mode === "off";
  }

  /** The person has agreed to this text for good. */
  isTrusted(file: AskedPrompt): boolean {
    const { mode, remembered } = this.#ports;
    return mode === "on" || remembered.inWorkspace(trustOf(file))?.arguments["sha256"] === stampOf(file);
  }

  /** Answers why the prompt is not said, in a sentence for the person. */
  async whyNot(file: AskedPrompt, sessionId: string, signal: AbortSignal): Promise<string | undefined> {
    const { mode, approvals, remembered } = this.#ports;
    const here = JSON.stringify([sessionId, file.absolute, file.sha256]);
    if (mode === "on" || this.#agreed.has(here)) return undefined;
    const before = remembered.inWorkspace(trustOf(file));
    if (before?.arguments["sha256"] === stampOf(file)) return undefined;
    if (!approvals.canAsk()) return `${file.path} was not used: this editor cannot ask whether you trust the file.`;
    const decision = await approvals.put(
      { sessionId, ...questionAbout(file, before !== undefined) },
      signal,
      (scope) => {
        if (scope !== "workspace") return;
        if (before !== undefined) remembered.forget(before.id);
        remembered.remember("workspace", trustOf(file), { path: file.absolute, sha256: stampOf(file) });
      },
    );
    if (decision?.decision !== "approved") return `${file.path} was not used: you did not agree to it.`;
    this.#agreed.add(here);
    return undefined;
  }
}

function trustOf({ absolute }: AskedPrompt): { readonly tool: string; readonly arguments: { readonly path: string } } {
  return { tool: PROMPT_TOOL, arguments: { path: absolute } };
}

function stampOf({ sha256 }: AskedPrompt): string {
  return sha256.slice(0, STAMP);
}

function questionAbout({ path, body }: AskedPrompt, isAnother: boolean) {
  const asBefore = isAnother ? " The text is another one than you agreed to before." : "";
  return {
    tool: PROMPT_TOOL,
    arguments: { path, text: body },
    why: `${path} comes with the project: somebody else may have written the prompt.${asBefore}`,
    risk: "The agent takes the text as your own words. Edits are still reviewed, and dangerous calls still ask.",
    question: `Shall the agent be told what ${path} says?`,
    answers: { approved: "In this conversation", denied: "No", always: "Always" },
  };
}
