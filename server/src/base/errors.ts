import { cutText, headOf } from "./cut-text.ts";
import { whyTooLarge } from "./json-limits.ts";

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
  notKept: -33009,
  unknownCommand: -33010,
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

/** A request that a newer one took the place of; the wire carries it as JSON-RPC's RequestCancelled. */
export class RequestOutdated extends Error {
  override readonly name = "RequestOutdated";
}

const MAX_PROBLEMS = 100;
const MAX_TEXT = 2_000;

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
    super(cutText(problems.map(describeProblem).join("; "), MAX_TEXT));
    this.problems = problems.slice(0, MAX_PROBLEMS).map((each) => ({ ...each, received: bounded(each.received) }));
  }
}

/** For the log: where a bug is. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function describeProblem(problem: ParameterProblem): string {
  const where = problem.path === "" ? "the arguments" : problem.path;
  return `${where}: expected ${problem.expected}, received ${shorten(problem.received)}`;
}

/** The received value, cut where it is too large to be sent back. */
function bounded(value: unknown): unknown {
  const tooLarge = whyTooLarge(value);
  if (tooLarge !== undefined) return `(${tooLarge})`;
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_TEXT ? cutText(text, MAX_TEXT) : value;
}

function shorten(value: unknown): string {
  if (value === undefined) return "nothing";
  const tooLarge = whyTooLarge(value);
  if (tooLarge !== undefined) return `a value ${tooLarge}`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${headOf(text, 77)}...` : text;
}

/** What was thrown, in words: the message of an error, and the text of anything else. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
