/** JSON-RPC error codes of `agentq/*` answers. A tool that fails is not one of these: it is a ToolResult. */
export const AgentqErrorCodes = {
  notReady: -33001,
  unknownSession: -33002,
  unknownProposal: -33003,
  alreadyDecided: -33004,
  busy: -33005,
  replDead: -33006,
  modelUnavailable: -33007,
  budgetExceeded: -33008,
} as const;

export type AgentqErrorName = keyof typeof AgentqErrorCodes;

/** A refusal that the wire carries as a JSON-RPC error; thrown by domain code, turned into a response in handlers/. */
export class AgentqError extends Error {
  readonly code: AgentqErrorName;

  constructor(code: AgentqErrorName, message: string) {
    super(message);
    this.name = "AgentqError";
    this.code = code;
  }
}
