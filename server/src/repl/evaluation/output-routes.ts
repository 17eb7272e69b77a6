/** Passes the image's output and background errors to the evaluation that caused them, and to the listener. */
import { headOf } from "../../base/cut-text.ts";
import type { ErrorInfo } from "../../protocol/repl-shapes.ts";
import { given } from "../../base/given.ts";
import { busyFrames, toErrorInfo, type FrameSources } from "./error-info.ts";
import { eventNote, type ImageEvent } from "./evaluation-record.ts";
import type { ImageOutput, LastError } from "../image.ts";
import type { FromImage } from "../child/wire/wire.ts";
import { mapPrintedPositions } from "./printed-positions.ts";
import { leftoverMessage } from "./stop-message.ts";
import type { Freed, RunningEvaluations } from "./running-evaluations.ts";

type Stream = "stdout" | "stderr";

export interface OutputParts {
  readonly running: RunningEvaluations;
  readonly sources: FrameSources;
  readonly onOutput: (output: ImageOutput) => void;
  readonly onBackgroundError: (error: LastError) => void;
}

/**
 * A limit on text written past the image's own streams, so that a flood of text does not become a flood of messages.
 */
const RAW_BUDGET = 128 * 1024;

export class OutputRoutes {
  readonly #parts: OutputParts;
  #rawLeft = RAW_BUDGET;
  /** Finished evaluations whose late output is no longer passed on. */
  readonly #cut = new Set<number>();

  constructor(parts: OutputParts) {
    this.#parts = parts;
  }

  out({ id, stream, text: written }: Extract<FromImage, { t: "out" }>): void {
    const { sources, running } = this.#parts;
    const text = mapPrintedPositions(written, sources);
    running.get(id)?.record.output(stream, text);
    this.#tell(id, stream, text);
  }

  dropped({ id, bytes }: Extract<FromImage, { t: "dropped" }>): void {
    const current = this.#parts.running.get(id);
    if (current !== undefined) return current.record.dropped(bytes);
    if (this.#cut.has(id)) return;
    this.#cut.add(id);
    this.#tell(id, "stderr", "… more output is not shown until the next form is evaluated.\n");
  }

  /** Adds the end of a flood of output after its beginning, with a line between them for what was left out. */
  end({ id, stream, text, lost }: Extract<FromImage, { t: "end" }>): void {
    this.#parts.running.get(id)?.record.dropped(-text.length);
    const gap = lost > 0 ? `\n… ${lost} characters are left out here; the REPL did not keep them …\n` : "";
    this.out({ t: "out", id, stream, text: gap + text });
  }

  event(frame: ImageEvent): void {
    const { sources, running } = this.#parts;
    const { id, kind, error } = frame;
    if (kind !== "exit") this.#tellError(id, toErrorInfo(error, sources));
    const current = running.get(id);
    if (current !== undefined) return current.record.event(frame, sources);
    // An event of a finished form goes to the same place as the form's late output.
    this.#tell(id, "stderr", `${eventNote(frame, sources).message}\n`);
  }

  /** Something that an evaluation left running was stopped without anybody asking for it. */
  stopped(ending: Freed): void {
    if (ending.memory === undefined) return;
    const { sources } = this.#parts;
    const message = leftoverMessage(ending, (id) => sources.snippet(id)?.evalId);
    const frames = busyFrames(ending.where ?? [], sources);
    this.#tellError(ending.id, { name: "MemoryLimit", message, frames });
    this.#tell(ending.id, "stderr", `${message}\n`);
  }

  /** Text written past the image's own streams. It can be attributed only while exactly one evaluation runs. */
  raw(stream: Stream, text: string): void {
    const shown = headOf(text, this.#rawLeft);
    this.#rawLeft -= shown.length;
    const all = this.#parts.running.all();
    const [only] = all;
    const record = all.length === 1 ? only?.record : undefined;
    record?.output(stream, shown);
    record?.dropped(text.length - shown.length);
    if (all.length > 1) for (const each of all) each.record.sharedOutput();
    if (shown !== "") this.#parts.onOutput({ ...given({ evalId: record?.evalId }), stream, text: shown });
  }

  /** Each new evaluation gets the full budget again. */
  renew(): void {
    this.#rawLeft = RAW_BUDGET;
    this.#cut.clear();
  }

  #tell(number: number, stream: Stream, text: string): void {
    const { sources, running, onOutput } = this.#parts;
    const evalId = sources.snippet(number)?.evalId;
    const late = running.get(number) === undefined ? { late: true as const } : {};
    onOutput({ ...(evalId === undefined ? {} : { evalId, ...late }), stream, text });
  }

  #tellError(number: number, error: ErrorInfo): void {
    const { sources, onBackgroundError } = this.#parts;
    const snippet = sources.snippet(number);
    if (snippet !== undefined)
      onBackgroundError({ error, code: snippet.text, evalId: snippet.evalId, isBackground: true });
  }
}
