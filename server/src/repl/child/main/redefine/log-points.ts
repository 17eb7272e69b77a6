/**
 * The main thread's part in log points: an expression is recorded each time a line runs. The control worker puts a
 * breakpoint there whose condition records the expression and is never true, so nothing is paused.
 */
import { captured, shieldedMap } from "../../shared/captured.ts";
import { printQuietly, printQuietlyAtLength } from "../../shared/print/quiet-printer.ts";
import type { FromMain } from "../../wire/from-main.ts";
import { Recording, type RecordingLimits } from "./recording.ts";
import type { Recorders } from "./recorders.ts";

export interface LogPointWanted extends RecordingLimits {
  /** How the place is called: `src/cart.ts:42`. */
  readonly address: string;
  readonly url: string;
  /** Counted from 1. */
  readonly line: number;
  /** JavaScript. */
  readonly expression: string;
}

export interface LogPointCalls {
  /** Prints what was done; rejects with a sentence. */
  readonly logPoint: (wanted: LogPointWanted) => Promise<void>;
  /** For breakpoints. */
  readonly logged: (id: number, value: unknown) => void;
  readonly logFailed: (id: number, error: unknown) => void;
  /** For the control worker: the line that the breakpoint is on, counted from 1, or why there is none. */
  readonly pointSet: (id: number, set: number | string) => void;
}

export interface LogPointParts {
  readonly post: (message: Extract<FromMain, { t: "point" | "unpoint" }>) => void;
  readonly recorders: Recorders;
  readonly write: (stream: "stdout" | "stderr", text: string) => void;
}

const MAX_LINE = 400;
const PATIENCE_MS = 10_000;

export function createLogPoints({ post, recorders, write }: LogPointParts): LogPointCalls {
  const points = shieldedMap<number, Recording>();
  const asked = shieldedMap<number, (set: number | string) => void>();
  let ids = 0;
  const set = async ({ url, line, expression }: LogPointWanted, id: number): Promise<number | string> => {
    const answer = new captured.Promise<number | string>((resolve) => {
      asked.set(id, resolve);
      captured.setTimeout(() => resolve("the debugger does not answer"), PATIENCE_MS).unref();
    });
    post({ t: "point", id, url, line, expression });
    const done = await answer;
    asked.delete(id);
    return done;
  };
  const record = (id: number, value: unknown, isError: boolean): void => {
    const recording = points.get(id);
    if (recording === undefined) return;
    recording.checkTime();
    if (recording.over !== undefined) return;
    const how = isError ? "threw " : "";
    const [line, detail] = [how + printQuietly(value, MAX_LINE), how + printQuietlyAtLength(value)];
    write("stderr", `${recording.address}: ${line}\n`);
    recording.keep({ line: () => line, detail: () => `: ${detail}` });
    recorders.news();
  };
  return {
    logPoint: async (wanted) => {
      const { address } = wanted;
      recorders.find(address)?.remove();
      const id = ++ids;
      const made = await set(wanted, id);
      if (typeof made === "string") throw new captured.Error(`${address}: ${made}.`);
      const end = (): void => post({ t: "unpoint", id });
      const recording = new Recording(address, wanted, end);
      points.set(id, recording);
      const recorder = {
        recording,
        isActive: () => recording.over === undefined,
        summary: () =>
          `${address}: recorded ${recording.size} ${recording.size === 1 ? "time" : "times"}.${
            recording.over === undefined ? "" : ` The log point has ${recording.over}.`
          }`,
        remove: () => {
          recording.end("ended");
          points.delete(id);
          recorders.forget(recorder);
        },
      };
      recorders.add(recorder);
      const where = made === wanted.line ? "" : ` No code begins there: line ${made} is the next.`;
      write("stdout", `${address} is recorded each time the line runs.${where}`);
    },
    logged: (id, value) => record(id, value, false),
    logFailed: (id, error) => record(id, error, true),
    pointSet: (id, answer) => asked.get(id)?.(answer),
  };
}
