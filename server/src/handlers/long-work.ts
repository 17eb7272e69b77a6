/** Shows work that takes long as LSP progress: under the client's own token, else under one that is made for it. */
import { randomUUID } from "node:crypto";

export type ProgressToken = string | number;

export interface ProgressWire {
  /** Whether the client takes `window/workDoneProgress/create`. */
  readonly canCreate: () => boolean;
  readonly create: (token: ProgressToken) => Promise<unknown>;
  readonly send: (token: ProgressToken, value: object) => Promise<void>;
}

/** Most evaluations are over before anybody wants to hear of progress. */
const QUIET_MS = 1000;
const REPORT_MS = 1000;

/** Contract: settles as `work` does, and never later. */
export function createLongWork(
  wire: ProgressWire,
): <T>(title: string, token: ProgressToken | undefined, work: Promise<T>) => Promise<T> {
  return async (title, token, work) => {
    let end: (() => void) | undefined;
    const timer = setTimeout(() => {
      if (token === undefined && !wire.canCreate()) return;
      end = begin(wire, title, token);
    }, QUIET_MS);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      end?.();
    }
  };
}

function begin(wire: ProgressWire, title: string, given: ProgressToken | undefined): () => void {
  const token = given ?? `agentq-${randomUUID()}`;
  const began = Date.now();
  // Under a token of our own nothing may be sent before the client accepted it. Under the client's token, the last report
  // goes out before the answer does.
  const created = given === undefined ? wire.create(token) : undefined;
  const tell = (value: object): void => {
    const sent = created === undefined ? wire.send(token, value) : created.then(() => wire.send(token, value));
    sent.catch(() => undefined);
  };
  tell({ kind: "begin", title, cancellable: false });
  const timer = setInterval(() => {
    tell({ kind: "report", message: `${Math.round((Date.now() - began + QUIET_MS) / 1000)} s` });
  }, REPORT_MS);
  return () => {
    clearInterval(timer);
    tell({ kind: "end" });
  };
}
