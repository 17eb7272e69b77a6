/** Sends what user code writes to stdout and stderr to the server, marked with the evaluation that caused it. */
import { headOf } from "../shared/cut.ts";
import { StringDecoder } from "node:string_decoder";
import { captured, shieldedMap } from "../shared/captured.ts";

const BUDGET = 64 * 1024;
/** After the budget only sizes are reported: at the ends of so many turns, then once for this many bytes. */
const REPORTED_TURNS = 100;
const REPORT_EVERY = 1024 * 1024;

export interface OutputSink {
  readonly currentId: () => number;
  readonly text: (id: number, stream: "stdout" | "stderr", text: string) => void;
  readonly dropped: (id: number, bytes: number) => void;
}

interface Account {
  left: number;
  unreported: number;
  turns: number;
  isDue: boolean;
}

/** Returns the function that gives every evaluation a fresh budget. */
export function captureOutput(sink: OutputSink): () => void {
  const accounts = shieldedMap<number, Account>();
  const toText = (chunk: unknown, encoding: unknown, decoder: StringDecoder): string => {
    if (typeof chunk === "string") return chunk;
    if (chunk instanceof Uint8Array)
      return decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    throw new TypeError(`write needs a string or a Uint8Array, not ${typeof chunk} (${typeof encoding})`);
  };
  const report = (id: number, account: Account): void => {
    if (account.unreported > 0) sink.dropped(id, account.unreported);
    account.unreported = 0;
  };
  const send = (stream: "stdout" | "stderr", text: string): void => {
    const id = sink.currentId();
    let account = accounts.get(id);
    if (account === undefined) {
      account = { left: BUDGET, unreported: 0, turns: 0, isDue: false };
      accounts.set(id, account);
    }
    if (account.left >= text.length) {
      account.left -= text.length;
      if (text !== "") sink.text(id, stream, text);
      return;
    }
    if (account.left > 0) sink.text(id, stream, headOf(text, account.left));
    account.unreported += text.length - account.left;
    account.left = 0;
    if (account.unreported >= REPORT_EVERY) return report(id, account);
    if (account.isDue || account.turns === REPORTED_TURNS) return;
    account.isDue = true;
    account.turns += 1;
    const due = account;
    // A microtask comes before the form's own continuation, so that the form's answer has the whole number.
    captured.queueMicrotask(() => {
      due.isDue = false;
      report(id, due);
    });
  };
  for (const stream of ["stdout", "stderr"] as const) {
    const decoder = new StringDecoder("utf8");
    const write = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      send(stream, toText(chunk, encoding, decoder));
      const callback = typeof encoding === "function" ? encoding : done;
      if (typeof callback === "function") captured.nextTick(callback);
      return true;
    };
    captured.defineProperty(process[stream], "write", { value: write, writable: true, configurable: true });
  }
  return () => accounts.clear();
}
