/**
 * Sends the user code's output to stdout and stderr to the server, with the evaluation that caused it. Output up to a
 * budget is sent at once. Of the output after that, only the end is sent, when the evaluation is over.
 */
import { headOf } from "../shared/cut.ts";
import { StringDecoder } from "node:string_decoder";
import { captured, shieldedMap, uncurried } from "../shared/captured.ts";
import { TextTail } from "./text-tail.ts";

const BUDGET = 64 * 1024;
/** How much of the end of each stream is kept, in characters. */
const END = 16 * 1024;
/**
 * After the budget, only sizes are reported: at the ends of this many turns, then each time `REPORT_EVERY` bytes have
 * come.
 */
const REPORTED_TURNS = 100;
const REPORT_EVERY = 1024 * 1024;

export interface OutputSink {
  readonly currentId: () => number;
  readonly text: (id: number, stream: "stdout" | "stderr", text: string) => void;
  readonly dropped: (id: number, bytes: number) => void;
  /** The end of the dropped output, sent after all else of that stream; `lost` characters before it are gone. */
  readonly end: (id: number, stream: Stream, text: string, lost: number) => void;
}

export interface Output {
  /** Gives every evaluation a new budget, after the kept ends of earlier output are sent. */
  readonly renew: () => void;
  /** The evaluation is over or was stopped: the kept ends of its output are sent. */
  readonly finish: (id: number) => void;
  /** The streams are again what they were, unless somebody else has changed them since. */
  readonly release: () => void;
}

type Stream = "stdout" | "stderr";

interface Account {
  left: number;
  unreported: number;
  turns: number;
  isDue: boolean;
  readonly ends: Readonly<Record<Stream, TextTail>>;
}

const STREAMS = ["stdout", "stderr"] as const;

/** `beside`: the output goes on to its stream too, and that of no evaluation goes there alone. */
export function captureOutput(sink: OutputSink, how: "instead" | "beside" = "instead"): Output {
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
  const finish = (id: number, account = accounts.get(id)): void => {
    if (account === undefined) return;
    report(id, account);
    for (const stream of STREAMS) {
      const { text, lost } = account.ends[stream].take();
      if (text !== "") sink.end(id, stream, text, lost);
    }
  };
  const send = (stream: Stream, text: string): void => {
    const id = sink.currentId();
    let account = accounts.get(id);
    if (account === undefined) {
      const ends = { stdout: new TextTail(END), stderr: new TextTail(END) };
      account = { left: BUDGET, unreported: 0, turns: 0, isDue: false, ends };
      accounts.set(id, account);
    }
    if (account.left >= text.length) {
      account.left -= text.length;
      if (text !== "") sink.text(id, stream, text);
      return;
    }
    const head = headOf(text, account.left);
    if (head !== "") sink.text(id, stream, head);
    const rest = uncurried.slice(text, head.length, text.length);
    account.ends[stream].add(rest);
    account.unreported += rest.length;
    account.left = 0;
    if (account.unreported >= REPORT_EVERY) return report(id, account);
    if (account.isDue || account.turns === REPORTED_TURNS) return;
    account.isDue = true;
    account.turns += 1;
    const due = account;
    // A microtask runs before the form continues, so the form's answer has the full number.
    captured.queueMicrotask(() => {
      due.isDue = false;
      report(id, due);
    });
  };
  const releases = STREAMS.map((stream) => {
    const decoder = new StringDecoder("utf8");
    const before = captured.getOwnPropertyDescriptor(process[stream], "write");
    const original = process[stream].write.bind(process[stream]) as (...args: unknown[]) => boolean;
    const write = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      if (how === "beside") {
        if (sink.currentId() !== 0) send(stream, toText(chunk, encoding, decoder));
        return original(chunk, encoding, done);
      }
      send(stream, toText(chunk, encoding, decoder));
      const callback = typeof encoding === "function" ? encoding : done;
      if (typeof callback === "function") captured.nextTick(callback);
      return true;
    };
    captured.defineProperty(process[stream], "write", { value: write, writable: true, configurable: true });
    return (): void => {
      if (captured.getOwnPropertyDescriptor(process[stream], "write")?.value !== write) return;
      if (before !== undefined) captured.defineProperty(process[stream], "write", before);
      else Reflect.deleteProperty(process[stream], "write");
    };
  });
  return {
    renew: () => {
      accounts.forEach((account, id) => finish(id, account));
      accounts.clear();
    },
    finish: (id) => finish(id),
    release: () => releases.forEach((release) => release()),
  };
}
