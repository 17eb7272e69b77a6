/** Brings what the image writes and what goes wrong in it to the evaluation that caused it, and to the listener. */
import { headOf } from "../../protocol/cut-text.ts";
import { busyFrames, toErrorInfo, type FrameSources } from "./error-info.ts";
import { eventNote, type ImageEvent } from "./evaluation-record.ts";
import type { ImageOutput, LastError } from "../image.ts";
import type { FromImage } from "../child/wire/wire.ts";
import { mapPrintedPositions } from "./printed-positions.ts";
import { leftoverMessage } from "./stop-message.ts";
import type { Freed, RunningEvaluations } from "./running-evaluations.ts";

type Stream = "stdout" | "stderr";

export interface OutputRoutes {
  readonly out: (frame: Extract<FromImage, { t: "out" }>) => void;
  readonly dropped: (frame: Extract<FromImage, { t: "dropped" }>) => void;
  readonly event: (frame: ImageEvent) => void;
  /** What an evaluation that is over did in the background was stopped, and nobody had asked for it. */
  readonly stopped: (frame: Freed) => void;
  /** Text written past the image's own streams: nobody knows by which evaluation, unless only one runs. */
  readonly raw: (stream: Stream, text: string) => void;
  /** A new evaluation may write as much as the ones before it could. */
  readonly renew: () => void;
}

export interface OutputParts {
  readonly running: RunningEvaluations;
  readonly sources: FrameSources;
  readonly onOutput: (output: ImageOutput) => void;
  readonly onBackgroundError: (error: LastError) => void;
}

/** A flood past the image's own streams must not become a flood of messages to the client. */
const RAW_BUDGET = 128 * 1024;

export function createOutputRoutes({ running, sources, onOutput, onBackgroundError }: OutputParts): OutputRoutes {
  let rawLeft = RAW_BUDGET;
  /** Evaluations that are over and whose late output is no longer told. */
  const cut = new Set<number>();

  const tell = (number: number, stream: Stream, text: string): void => {
    const evalId = sources.snippet(number)?.evalId;
    const late = running.get(number) === undefined ? { late: true as const } : {};
    onOutput({ ...(evalId === undefined ? {} : { evalId, ...late }), stream, text });
  };

  return {
    out: ({ id, stream, text: written }) => {
      const text = mapPrintedPositions(written, sources);
      running.get(id)?.record.output(stream, text);
      tell(id, stream, text);
    },
    dropped: ({ id, bytes }) => {
      const current = running.get(id);
      if (current !== undefined) return current.record.dropped(bytes);
      if (cut.has(id)) return;
      cut.add(id);
      tell(id, "stderr", "… more output is not shown until the next form is evaluated.\n");
    },
    event: (frame) => {
      const { id, kind, error } = frame;
      const snippet = sources.snippet(id);
      if (kind !== "exit" && snippet !== undefined) {
        onBackgroundError({ error: toErrorInfo(error, sources), code: snippet.text, evalId: snippet.evalId });
      }
      const current = running.get(id);
      if (current !== undefined) return current.record.event(frame, sources);
      // What happened in the background of a form that is over is told where its late output is told.
      tell(id, "stderr", `${eventNote(frame, sources).message}\n`);
    },
    stopped: (ending) => {
      if (ending.memory === undefined) return;
      const formName = (id: number): string | undefined => sources.snippet(id)?.evalId;
      const message = leftoverMessage(ending, formName);
      const snippet = sources.snippet(ending.id);
      if (snippet !== undefined) {
        const frames = busyFrames(ending.where ?? [], sources);
        const error = { name: "MemoryLimit", message, frames };
        onBackgroundError({ error, code: snippet.text, evalId: snippet.evalId });
      }
      tell(ending.id, "stderr", `${message}\n`);
    },
    raw: (stream, text) => {
      const shown = headOf(text, rawLeft);
      rawLeft -= shown.length;
      const all = running.all();
      const [only] = all;
      const record = all.length === 1 ? only?.record : undefined;
      record?.output(stream, shown);
      record?.dropped(text.length - shown.length);
      if (all.length > 1) for (const each of all) each.record.sharedOutput();
      if (shown !== "") onOutput({ ...(record === undefined ? {} : { evalId: record.evalId }), stream, text: shown });
    },
    renew: () => {
      rawLeft = RAW_BUDGET;
      cut.clear();
    },
  };
}
