/** Whether the person trusts a file of instructions: asked once for each path, and remembered where they say so. */
import { headOf } from "../base/cut-text.ts";
import type { Approval } from "../protocol/tool-shapes.ts";
import type { InstructionFile } from "../surroundings/instruction-files.ts";
import type { Approvals } from "../tools/consent/approvals.ts";
import type { RememberedCalls } from "../tools/consent/remembered-calls.ts";

export type InstructionMode = "ask" | "on" | "off";

/** What the person says of a file. `nobody`: they cannot be asked. */
export type Trust = "trusted" | "denied" | "nobody";

export interface TrustPorts {
  readonly mode: InstructionMode;
  readonly approvals: Pick<Approvals, "canAsk" | "put">;
  readonly remembered: Pick<RememberedCalls, "remember" | "inWorkspace" | "forget">;
}

/** The name under which the trust in a file is listed and taken back. No tool can have a name with a hyphen. */
export const TRUST_TOOL = "follow-instructions";
const SHOWN = 1_200;
const SHOWN_LINES = 24;
const STAMP = 16;

type Readable = InstructionFile & { readonly content: { readonly text: string; readonly sha256: string } };

export class InstructionTrust {
  readonly #ports: TrustPorts;

  constructor(ports: TrustPorts) {
    this.#ports = ports;
  }

  isOff(): boolean {
    return this.#ports.mode === "off";
  }

  isTrusted(file: Readable): boolean {
    return this.#ports.mode === "on" || this.#ports.remembered.inWorkspace(trustOf(file)) !== undefined;
  }

  /** Like `isTrusted`, and takes note of the text. `changed`: the text is another one than when the person, or the server, last saw it. */
  known(file: Readable): { readonly isTrusted: boolean; readonly changed: boolean } {
    if (this.#ports.mode === "on") return { isTrusted: true, changed: false };
    const call = this.#ports.remembered.inWorkspace(trustOf(file));
    if (call === undefined) return { isTrusted: false, changed: false };
    const changed = call.arguments["sha256"] !== stampOf(file);
    if (changed) {
      this.#ports.remembered.forget(call.id);
      this.#remember(file);
    }
    return { isTrusted: true, changed };
  }

  /** Asks; undefined when `signal` took the question back. */
  async ask(file: Readable, sessionId: string, signal: AbortSignal): Promise<Trust | undefined> {
    if (!this.#ports.approvals.canAsk()) return "nobody";
    const decision = await this.#ports.approvals.put({ sessionId, ...questionAbout(file) }, signal, (scope) => {
      if (scope === "workspace") this.#remember(file);
    });
    if (decision === undefined) return undefined;
    return decision.decision === "approved" ? "trusted" : "denied";
  }

  #remember(file: Readable): void {
    this.#ports.remembered.remember("workspace", trustOf(file), { path: file.absolute, sha256: stampOf(file) });
  }
}

/** Trust is in the path: the text may change, and the person is told. */
function trustOf({ absolute }: Readable): { readonly tool: string; readonly arguments: { readonly path: string } } {
  return { tool: TRUST_TOOL, arguments: { path: absolute } };
}

function stampOf({ content }: Readable): string {
  return content.sha256.slice(0, STAMP);
}

function questionAbout({ path, content }: Readable): Omit<Approval, "approvalId"> {
  const lines = content.text.split("\n");
  const head = headOf(lines.slice(0, SHOWN_LINES).join("\n"), SHOWN);
  const isAll = head.length === content.text.length;
  return {
    tool: TRUST_TOOL,
    arguments: { path, [isAll ? "text" : "begins"]: head },
    why: `${path} tells agents what to do here${isAll ? "" : `, in ${lines.length} lines`}. The agent then follows the file as it follows you.`,
    risk: "Whoever can change the file can tell the agent what to do. Edits are still reviewed, and dangerous calls still ask.",
    question: `Shall the agent follow ${path}?`,
    answers: { approved: "In this conversation", denied: "No", always: "Always" },
  };
}
