/** Registers `agentq/*` requests: parameters checked, cancellation wired, every error turned into an answer. */
import { withSignal } from "../base/cancellation.ts";
import { AgentqError, AgentqErrorCodes, InvalidParamsError, RequestOutdated, errorText } from "../base/errors.ts";
import { problemsWith } from "../schema/json-schema.ts";
import { requestParams, type RequestMethod, type RequestParams, type RequestResults } from "../protocol/methods.ts";
import { FileError } from "../workspace/regular-file.ts";
import { ErrorCodes, LSPErrorCodes, ResponseError, type CancellationToken, type Connection } from "./connection.ts";

/** Contract: may throw; `AgentqError` and `InvalidParamsError` become their codes, anything else an internal error. */
export type RequestHandler<Method extends RequestMethod> = (
  params: RequestParams<Method>,
  signal: AbortSignal,
) => Promise<RequestResults[Method]> | RequestResults[Method];

export type RequestHandlers = { readonly [Method in RequestMethod]: RequestHandler<Method> };

export interface RequestPorts {
  /** A request that is answered with an error which is the client's. Contract: must not throw. */
  readonly onRefused: (method: string, params: unknown, why: string) => void;
  readonly logBug: (error: unknown) => void;
  /**
   * What a request waits for before anything is loaded for it: the start of the compiler, which would else have to
   * wait for this process's own loading. Never rejects.
   */
  readonly ready: () => Promise<void>;
}

export function registerRequests(connection: Connection, handlers: RequestHandlers, ports: RequestPorts): void {
  for (const method of Object.keys(handlers) as RequestMethod[]) {
    const handler = handlers[method] as RequestHandler<RequestMethod>;
    connection.onRequest(method, async (...received: unknown[]): Promise<unknown> => {
      // A request without params reaches its handler with the token alone.
      const token = received.at(-1) as CancellationToken;
      const params = received.length > 1 ? received[0] : undefined;
      return withSignal(token, async (signal) => {
        try {
          await ports.ready();
          const given = params ?? {};
          const problems = await problemsWith(requestParams[method], given);
          if (problems.length > 0) throw new InvalidParamsError(problems);
          return await handler(given, signal);
        } catch (error) {
          const answer = toResponseError(error, method, signal, ports.logBug);
          if (isRefusal(error)) ports.onRefused(method, params, answer.message);
          return answer;
        }
      });
    });
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof InvalidParamsError || error instanceof FileError || error instanceof AgentqError;
}

export function toResponseError(
  error: unknown,
  method: string,
  signal: AbortSignal,
  logBug: (error: unknown) => void,
): ResponseError<unknown> {
  if (error instanceof InvalidParamsError) {
    const [first] = error.problems;
    const message = `${method}: ${error.message}`;
    return new ResponseError(ErrorCodes.InvalidParams, message, { ...first, problems: error.problems });
  }
  // The request names a file that cannot be read: the file's fault or the client's, and no bug.
  if (error instanceof FileError) return new ResponseError(ErrorCodes.InvalidParams, `${method}: ${error.message}`);
  if (error instanceof AgentqError) return new ResponseError(AgentqErrorCodes[error.code], error.message);
  if (error instanceof RequestOutdated) return new ResponseError(LSPErrorCodes.RequestCancelled, error.message);
  if (signal.aborted) return new ResponseError(LSPErrorCodes.RequestCancelled, `${method} was cancelled.`);
  logBug(error);
  return new ResponseError(ErrorCodes.InternalError, `${method} failed: ${errorText(error)}`);
}
