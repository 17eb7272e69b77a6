/** What the server asks of an editor that announced its buffers. What comes back is checked like anything from outside. */
import { aborted } from "../base/abort.ts";
import { withToken } from "../base/cancellation.ts";
import { describeProblem, errorText } from "../base/errors.ts";
import { problemsWith } from "../schema/json-schema.ts";
import {
  clientRequestResults,
  type ClientRequestMethod,
  type ClientRequestParams,
  type ClientRequestResults,
} from "../protocol/buffer-methods.ts";
import type { CancellationToken } from "./connection.ts";
import type { ClientPort } from "../services.ts";

/** An editor answers at once; one that is busy for so long is not waited for. */
export const BUFFERS_LIMIT_MS = 10_000;

type Send = (method: string, params: unknown, token: CancellationToken) => Promise<unknown>;

export function createEditorBuffers(send: Send, limitMs: number = BUFFERS_LIMIT_MS): ClientPort["buffers"] {
  const ask = async <Method extends ClientRequestMethod>(
    method: Method,
    params: ClientRequestParams<Method>,
    signal: AbortSignal,
  ): Promise<ClientRequestResults[Method]> => {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const answered = withToken(stop, (token) => send(method, params, token)).catch((error: unknown) => {
      throw new Error(`The editor did not answer: ${errorText(error)}`);
    });
    answered.catch(() => undefined);
    const result = await Promise.race([answered, aborted(stop).then(() => undefined)]);
    signal.throwIfAborted();
    if (stop.aborted) throw new Error(`The editor did not answer within ${limitMs / 1_000} s.`);
    const [problem] = await problemsWith(clientRequestResults[method], result);
    if (problem !== undefined) {
      throw new Error(`The editor's answer to ${method} makes no sense: ${describeProblem(problem)}`);
    }
    return result as ClientRequestResults[Method];
  };
  return {
    list: (signal) => ask("agentq/listBuffers", {}, signal),
    read: (params, signal) => ask("agentq/readBuffer", params, signal),
    reload: (params, signal) => ask("agentq/reloadBuffers", params, signal),
  };
}
