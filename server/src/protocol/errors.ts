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

/** One place where parameters do not have the shape the method asks for. */
export interface ParameterProblem {
  /** JSON pointer, "" for the whole value. */
  readonly path: string;
  readonly expected: string;
  readonly received: unknown;
}

/** Parameters of the wrong shape: JSON-RPC -32602 with the problems as data. */
export class InvalidParamsError extends Error {
  override readonly name = "InvalidParamsError";
  readonly problems: readonly ParameterProblem[];

  constructor(problems: readonly ParameterProblem[]) {
    super(problems.map(describeProblem).join("; "));
    this.problems = problems;
  }
}

export function describeProblem(problem: ParameterProblem): string {
  const where = problem.path === "" ? "the arguments" : problem.path;
  return `${where}: expected ${problem.expected}, received ${shorten(problem.received)}`;
}

function shorten(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
