/** The part of the composition that finds the prompts that people wrote into files. */
import type { OwnCommandPorts } from "../conversation/commands/own/own-commands.ts";
import { promptFiles, type PromptFileParts } from "../conversation/commands/own/prompt-files.ts";
import { PromptTrust } from "../conversation/commands/own/prompt-trust.ts";
import type { TrustPorts } from "../conversation/instruction-trust.ts";
import type { Approvals } from "../tools/consent/approvals.ts";

interface OwnCommandParts extends PromptFileParts, Pick<TrustPorts, "mode" | "remembered"> {
  readonly approvals: Approvals;
}

export function ownCommandPorts(parts: OwnCommandParts): OwnCommandPorts {
  const { approvals, mode, remembered } = parts;
  const trust = { mode, remembered, canAsk: () => approvals.canAsk() };
  return {
    promptFiles: promptFiles(parts),
    promptTrust: new PromptTrust({ ...trust, put: (...asked) => approvals.put(...asked) }),
  };
}
