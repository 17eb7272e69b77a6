/** Keeps the image running after errors that would end a plain Node process, and reports each with its evaluation. */
import { types } from "node:util";
import { captured } from "../../shared/captured.ts";
import { describeError } from "../../shared/print/describe-error.ts";
import type { FromMain } from "../../wire/from-main.ts";

export interface KeepAliveParts {
  readonly currentId: () => number;
  readonly post: (message: FromMain) => void;
  /** True when the evaluation was stopped: errors of its leftovers are not reported. */
  readonly isCancelled: (id: number) => boolean;
}

export function keepAlive({ currentId, post, isCancelled }: KeepAliveParts): void {
  const report = (kind: "uncaught" | "rejection", thrown: unknown): void => {
    const id = currentId();
    if (isCancelled(id) || isIntercepted(thrown)) return;
    post({ t: "event", id, kind, error: describeError(thrown) });
  };
  process.on("uncaughtException", (error) => report("uncaught", error));
  process.on("unhandledRejection", (reason) => report("rejection", reason));

  const intercept = (name: string) =>
    function (code?: unknown): never {
      const shown = code === undefined ? "" : captured.String(code);
      const error = new captured.Error(`${name}(${shown}) was called; the image goes on and its state is kept.`);
      error.name = "ExitIntercepted";
      post({ t: "event", id: currentId(), kind: "exit", error: describeError(error) });
      throw error;
    };
  for (const name of ["exit", "reallyExit", "abort"]) {
    const value = intercept(`process.${name}`);
    captured.defineProperty(process, name, { value, writable: true, configurable: true });
  }
}

function isIntercepted(thrown: unknown): boolean {
  return types.isNativeError(thrown) && thrown.name === "ExitIntercepted";
}
