/** One image process together with everything that lives and dies with it: its modules, its names, its snippets. */
import type { DiagnosticLine, EvalResult } from "../protocol/shapes.ts";
import { planLaunch } from "./confinement.ts";
import { toErrorInfo, type FrameSources } from "./error-info.ts";
import { createEvaluationRecord, eventNote, type EvaluationRecord, type ImageEvent } from "./evaluation-record.ts";
import {
  DEFAULT_TIMEOUT_MS,
  type Confinement,
  type EvaluateRequest,
  type ImageOutput,
  type LastError,
} from "./image.ts";
import { startImageChild } from "./image-child.ts";
import type { BridgeNeed, FromImage } from "./image/wire.ts";
import { createLiveValues, type LiveValues } from "./live-value.ts";
import { createModuleService } from "./module-service.ts";
import { isSnippetProblem, rewriteSnippet, type Snippet, type SnippetScope } from "./snippet.ts";

export interface SessionOptions {
  readonly nodePath: string;
  readonly nodeVersion: string;
  readonly projectRoot: string;
  readonly confinement: Confinement;
  readonly readSource: (absolutePath: string) => string | undefined;
  readonly onOutput: (output: ImageOutput) => void;
  /** An error that nobody caught, of an evaluation that is over or still runs. */
  readonly onBackgroundError: (error: LastError) => void;
}

export interface NumberedRequest extends EvaluateRequest {
  readonly evalId: string;
  readonly number: number;
}

export interface ImageSession {
  readonly pid: number | undefined;
  readonly ready: Promise<{ readonly refused?: string }>;
  readonly gone: Promise<string>;
  /** At most one at a time. */
  readonly evaluate: (request: NumberedRequest, signal: AbortSignal) => Promise<EvalResult>;
  readonly interrupt: () => Promise<boolean>;
  readonly liveValue: LiveValues["look"];
  readonly kill: () => void;
}

type Ending = Extract<FromImage, { t: "result" }> | { readonly t: "gone"; readonly reason: string };

interface Running {
  readonly record: EvaluationRecord;
  readonly settled: Promise<Ending>;
  readonly settle: (ending: Ending) => void;
  stop?: "interrupt" | "timeout";
}

const REMEMBERED_SNIPPETS = 500;
const RAW_BUDGET = 128 * 1024;
/** The image itself gives up after two seconds; past this it is not even able to say so. */
const SILENCE_MS = 4000;

export function startSession(options: SessionOptions): ImageSession {
  const { projectRoot, confinement } = options;
  const plan = planLaunch(projectRoot, options.nodeVersion, confinement);
  const readable = confinement === "confined" ? plan.readable : undefined;
  const modules = createModuleService({ projectRoot, readSource: options.readSource, readable });
  const declared = new Set<string>();
  const grown = new Map<string, Set<string>>();
  const snippets = new Map<number, { mapper: Snippet["mapper"]; text: string; evalId: string }>();
  const sources: FrameSources = {
    snippet: (number) => snippets.get(number),
    module: modules.mapper,
    line: modules.line,
  };
  let running: Running | undefined;
  let staleNoted = "";
  /** A flood past the image's own streams must not become a flood of messages to the client. */
  let rawLeft = RAW_BUDGET;

  const child = startImageChild({
    nodePath: options.nodePath,
    projectRoot,
    confined: confinement === "confined",
    plan,
    onFrame: (frame) => receive(frame),
    onRaw: (stream, text) => {
      const shown = text.slice(0, rawLeft);
      rawLeft -= shown.length;
      running?.record.output(stream, shown);
      running?.record.dropped(text.length - shown.length);
      if (shown === "") return;
      options.onOutput({ ...(running === undefined ? {} : { evalId: running.record.evalId }), stream, text: shown });
    },
  });
  const live = createLiveValues({
    modules,
    send: child.send,
    readSource: options.readSource,
    isBusy: () => running !== undefined,
  });
  let goneBecause: string | undefined;
  void child.gone.then((reason) => {
    plan.dispose();
    goneBecause = reason;
    running?.settle({ t: "gone", reason });
  });

  const tellBackgroundError = ({ id, kind, error }: ImageEvent): void => {
    const snippet = snippets.get(id);
    if (kind === "exit" || snippet === undefined) return;
    options.onBackgroundError({ error: toErrorInfo(error, sources), code: snippet.text, evalId: snippet.evalId });
  };

  const answerNeed = (request: number, need: BridgeNeed): void => {
    const answer = modules.answer(need);
    live.served(need, answer);
    child.send({ t: "answer", request, answer });
  };

  const receive = (frame: FromImage): void => {
    const current = "id" in frame && running?.record.number === frame.id ? running : undefined;
    switch (frame.t) {
      case "need":
        return answerNeed(frame.request, frame.need);
      case "peeked":
        return live.answered(frame);
      case "result":
        return current?.settle(frame);
      case "out": {
        current?.record.output(frame.stream, frame.text);
        const evalId = snippets.get(frame.id)?.evalId;
        return options.onOutput({
          ...(evalId === undefined ? {} : { evalId }),
          stream: frame.stream,
          text: frame.text,
        });
      }
      case "dropped":
        return current?.record.dropped(frame.bytes);
      case "event":
        tellBackgroundError(frame);
        if (current !== undefined) return current.record.event(frame, sources);
        return options.onOutput(lateEvent(frame, sources, snippets.get(frame.id)?.evalId));
      case "ready":
      case "refused":
        return;
      default:
        frame satisfies never;
    }
  };

  const scopeOf = (request: NumberedRequest): SnippetScope | string => {
    if (request.module === undefined) return { kind: "global", declared };
    modules.refresh();
    const prepared = modules.prepare(request.module);
    if ("reason" in prepared) return prepared.reason;
    const bound = new Set([...prepared.names, ...(grown.get(prepared.url) ?? [])]);
    return { kind: "module", url: prepared.url, bound };
  };

  const remember = (request: NumberedRequest, snippet: Snippet, scope: SnippetScope): void => {
    snippets.set(request.number, { mapper: snippet.mapper, text: request.code, evalId: request.evalId });
    for (const oldest of snippets.keys()) {
      if (snippets.size <= REMEMBERED_SNIPPETS) break;
      snippets.delete(oldest);
    }
    let names = declared;
    if (scope.kind === "module") {
      names = grown.get(scope.url) ?? new Set();
      grown.set(scope.url, names);
    }
    for (const name of snippet.declares) names.add(name);
  };

  const staleNote = (imports: boolean): DiagnosticLine[] => {
    if (imports) return [];
    const changed = modules.changed().join(", ");
    if (changed === staleNoted) return [];
    staleNoted = changed;
    if (changed === "") return [];
    const message = `${changed} changed since it was loaded: import it again to get the new code.`;
    return [{ severity: "information", message }];
  };

  const stop = async (target: Running, why: "interrupt" | "timeout"): Promise<void> => {
    if (target.stop !== undefined) return;
    target.stop = why;
    child.send({ t: "interrupt", id: target.record.number, locate: why === "timeout" });
    const silence = setTimeout(() => target.settle({ ...stuck, id: target.record.number }), SILENCE_MS);
    const ending = await target.settled;
    clearTimeout(silence);
    if (ending.t === "result" && ending.outcome === "stuck") child.kill();
  };

  const evaluate = async (request: NumberedRequest, signal: AbortSignal): Promise<EvalResult> => {
    const record = createEvaluationRecord(request);
    const scope = scopeOf(request);
    if (typeof scope === "string") return record.refused("ModuleNotReachable", scope);
    const snippet = rewriteSnippet(request.code, request.number, scope, modules.emitOptions());
    if (isSnippetProblem(snippet)) return record.syntaxError(snippet);
    if (snippet.imports && scope.kind === "global") modules.refresh();
    record.note(...hidingNote(snippet.binds), ...staleNote(snippet.imports || scope.kind === "module"));
    remember(request, snippet, scope);
    const current = createRunning(record);
    running = current;
    rawLeft = RAW_BUDGET;
    if (goneBecause !== undefined) current.settle({ t: "gone", reason: goneBecause });
    child.send({ t: "eval", id: request.number, code: snippet.code });
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timer = setTimeout(() => void stop(current, "timeout"), timeoutMs);
    const onAbort = (): void => void stop(current, "interrupt");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const ending = await current.settled;
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    running = undefined;
    record.reloaded(modules.takeReloaded());
    if (ending.t === "gone") return record.crashed(ending.reason);
    if (ending.outcome === "stuck") await child.gone;
    return record.finished(ending, sources, current.stop === "timeout" ? timeoutMs : undefined);
  };

  return {
    pid: child.pid,
    ready: child.ready,
    gone: child.gone,
    evaluate,
    interrupt: async () => {
      if (running === undefined) return false;
      await stop(running, "interrupt");
      return true;
    },
    liveValue: live.look,
    kill: child.kill,
  };
}

const stuck = { t: "result", outcome: "stuck" } as const;

/** The top-level names of forms are names of the whole image: a global that they hide is hidden from every module. */
function hidingNote(names: readonly string[]): DiagnosticLine[] {
  const hidden = names.filter((name) => name in globalThis);
  if (hidden.length === 0) return [];
  const message = `${hidden.join(", ")} now hides the global of that name in the whole REPL, project modules included.`;
  return [{ severity: "warning", message }];
}

/** What happened in the background of a form that is over is told where its late output is told. */
function lateEvent(event: ImageEvent, sources: FrameSources, evalId: string | undefined): ImageOutput {
  const { message } = eventNote(event, sources);
  return { ...(evalId === undefined ? {} : { evalId }), stream: "stderr", text: `${message}\n` };
}

function createRunning(record: EvaluationRecord): Running {
  let settle: (ending: Ending) => void = () => {};
  const settled = new Promise<Ending>((resolve) => {
    settle = resolve;
  });
  return { record, settled, settle };
}
