/** The compiler as the editor's own language server: standard requests go to the process that the agent's tools use. */
import { answerForEditor } from "../session/answer-shapes.ts";
import { memberAt, type EditorPort } from "../session/editor-port.ts";
import { EditorSide } from "./editor-side.ts";
import { isConnectionFailure, type NativeProcess } from "../session/native-process.ts";
import { PushedDiagnostics } from "./pushed-diagnostics.ts";
import { RawJson } from "../../base/raw-json.ts";
import { pause, untilAborted } from "../../base/abort.ts";
import { NO_CONNECTION } from "../session/query.ts";

/**
 * Contract: a request sees every document change that was handed over before it, and rejects with the compiler's own
 * error, with `RelayError`, or with the signal's reason. It waits while no process runs and is asked again, once, when
 * the process dies under it. A large answer is `RawJson`, which only the writer of the connection reads.
 */
export interface LanguageRelay {
  /** What the compiler answered to `initialize` for this editor. */
  capabilities(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Lost while no process runs, but for the editor's settings, which every new process hears. */
  notify(method: string, params: unknown): void;
}

/** An LSP error that comes from the relay itself. */
export class RelayError extends Error {
  override readonly name = "RelayError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A process with its documents. */
export interface RelayTarget {
  readonly native: NativeProcess;
  /** Tells what changed; undefined when a request may follow at once, else what it waits for. */
  flush(): Promise<void> | undefined;
  tellSettings(params: unknown): Promise<void>;
}

export interface RelayParts {
  readonly editor: EditorPort;
  /** Starts the compiler if it does not run. */
  readonly start: () => void;
  /** The URIs of the documents the compiler has open. */
  readonly openDocuments: () => readonly string[];
  /** Looks for changes on disk and notes them for the next telling. */
  readonly lookAtDisk: () => Promise<void>;
  readonly log: (message: string) => void;
}

const METHOD_NOT_FOUND = -32601;
const SERVER_CANCELLED = -32802;
const REQUEST_FAILED = -32803;
/** 7.0.2 was seen to leave this request without any answer. */
const LIMITS_MS: Readonly<Record<string, number>> = { "codeLens/resolve": 10_000 };
const EXIT_TOLD_WITHIN_MS = 1_000;
/** For editors that do not watch the disk: a request looks again after this time. */
const LOOK_AGAIN_MS = 1_000;
const REFRESHES: Readonly<Record<string, string>> = {
  diagnostics: "workspace/diagnostic/refresh",
  semanticTokens: "workspace/semanticTokens/refresh",
  inlayHint: "workspace/inlayHint/refresh",
  codeLens: "workspace/codeLens/refresh",
  foldingRange: "workspace/foldingRange/refresh",
};

class ProcessGone extends Error {
  override readonly name = "ProcessGone";
}

export class Relay implements LanguageRelay {
  readonly #parts: RelayParts;
  readonly #inFlight = new Set<(gone: ProcessGone) => void>();
  readonly #watchesDisk: boolean;
  readonly #pushed: PushedDiagnostics | undefined;
  #side: EditorSide | undefined;
  #target: RelayTarget | undefined;
  #next = Promise.withResolvers<RelayTarget>();
  #settings: unknown;
  #flushing = false;
  #lookedAt = 0;
  #hadProcess = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    const watch = memberAt(parts.editor.profile.capabilities, "workspace", "didChangeWatchedFiles");
    this.#watchesDisk = memberAt(watch, "dynamicRegistration") === true;
    this.#pushed = this.#pushDiagnostics();
    this.#next.promise.catch(() => undefined);
  }

  async capabilities(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    return (this.#target ?? (await this.#nextTarget(signal))).native.capabilities;
  }

  async request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#lookSometimes();
    for (let attempt = 1; ; attempt += 1) {
      // Nothing is waited for between the telling of changes and the request: the order of the two is the point.
      const target = this.#target ?? (await this.#nextTarget(signal));
      const blocked = target.flush();
      if (blocked !== undefined) {
        await untilAborted(blocked, signal);
        if (target !== this.#target) continue;
      }
      try {
        const answer = await this.#send(target, method, params, signal);
        return answerForEditor(method, params, answer, this.#parts.editor.profile.capabilities);
      } catch (error) {
        if (!(error instanceof ProcessGone)) throw error;
        if (attempt > 1) throw new RelayError(SERVER_CANCELLED, `${error.message}; it is being restarted, ask again.`);
      }
    }
  }

  notify(method: string, params: unknown): void {
    if (method === "workspace/didChangeConfiguration") {
      this.#tellSettings(params).catch(() => undefined);
      return;
    }
    void this.#target?.flush();
    this.#target?.native.notify(method, params).catch(() => undefined);
  }

  /** A document or a file on disk changed: the compiler hears of it with the next request, or in a moment. */
  changed(): void {
    this.#pushed?.changed();
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      void this.#target?.flush();
    });
  }

  /** The editor's end for a process about to be started. */
  sideForNewProcess(): EditorSide {
    this.#side?.close();
    const onLateSettings = (settings: object): void => this.notify("workspace/didChangeConfiguration", { settings });
    this.#side = new EditorSide(this.#parts.editor, onLateSettings, this.#parts.log);
    return this.#side;
  }

  attach(target: RelayTarget): void {
    this.#target = target;
    // An editor that can be asked for its settings is asked by each process.
    const isAsked = memberAt(this.#parts.editor.profile.capabilities, "workspace", "configuration") === true;
    if (this.#settings !== undefined && !isAsked) target.tellSettings(this.#settings).catch(() => undefined);
    void target.flush();
    this.#next.resolve(target);
    this.#pushed?.changed();
    if (this.#hadProcess) this.#refreshEditor();
    this.#hadProcess = true;
  }

  /** The process is gone or going: what was asked of it is asked of its successor. */
  detach(native: NativeProcess, reason: string): void {
    if (this.#target?.native !== native) return;
    this.#lose(reason);
    this.#side?.close();
  }

  /** There will be no process: whoever waits for one hears why. */
  fail(reason: string): void {
    this.#pushed?.dispose();
    const waiting = this.#next;
    this.#renewNext();
    waiting.reject(new RelayError(REQUEST_FAILED, `The TypeScript compiler does not run: ${reason}`));
  }

  #lose(reason: string): void {
    this.#target = undefined;
    this.#renewNext();
    const gone = new ProcessGone(reason);
    for (const reject of this.#inFlight) reject(gone);
  }

  #renewNext(): void {
    this.#next = Promise.withResolvers();
    this.#next.promise.catch(() => undefined);
  }

  #nextTarget(signal: AbortSignal): Promise<RelayTarget> {
    this.#parts.start();
    return untilAborted(this.#next.promise, signal);
  }

  async #send(target: RelayTarget, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const limit = LIMITS_MS[method];
    const ended = limit === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(limit)]);
    const gone = Promise.withResolvers<never>();
    this.#inFlight.add(gone.reject);
    try {
      const answer = Promise.race([target.native.requestRaw(method, params, ended), gone.promise]);
      // After a cancellation nobody waits for it any more.
      answer.catch(() => undefined);
      return await untilAborted(answer, ended);
    } catch (error) {
      if (ended.aborted && !signal.aborted) throw new RelayError(REQUEST_FAILED, `${method} was not answered.`);
      if (memberAt(error, "message") === "InvalidRequest") {
        throw new RelayError(METHOD_NOT_FOUND, `The TypeScript compiler does not serve ${method}.`);
      }
      if (!isConnectionFailure(error)) throw error;
      // A failed write may be noticed before the process's exit, and only the exit says why.
      const reason = (await Promise.race([target.native.exited, pause(EXIT_TOLD_WITHIN_MS, signal)])) ?? NO_CONNECTION;
      if (this.#target === target) this.#lose(reason);
      throw new ProcessGone(reason);
    } finally {
      this.#inFlight.delete(gone.reject);
    }
  }

  /** An editor that only says that something changed is asked what: 7.0.2 reads nothing but the notification itself. */
  async #tellSettings(params: unknown): Promise<void> {
    const told = memberAt(params, "settings") ?? undefined;
    const settings = told ?? (await this.#side?.settings());
    this.#settings = settings === undefined ? params : { settings };
    await this.#target?.tellSettings(this.#settings);
  }

  #lookSometimes(): void {
    if (this.#watchesDisk || performance.now() - this.#lookedAt < LOOK_AGAIN_MS) return;
    this.#lookedAt = performance.now();
    this.#parts.lookAtDisk().then(
      () => {
        this.#lookedAt = performance.now();
        this.changed();
      },
      () => undefined,
    );
  }

  /** Only for an editor that does not ask by itself. */
  #pushDiagnostics(): PushedDiagnostics | undefined {
    const { editor, openDocuments } = this.#parts;
    if (memberAt(editor.profile.capabilities, "textDocument", "diagnostic") !== undefined) return undefined;
    return new PushedDiagnostics({
      openDocuments,
      diagnose: async (uri, signal) => {
        const report = await this.request("textDocument/diagnostic", { textDocument: { uri } }, signal);
        const items = memberAt(report instanceof RawJson ? report.parse() : report, "items");
        return Array.isArray(items) ? items : [];
      },
      publish: (uri, diagnostics) => editor.notify("textDocument/publishDiagnostics", { uri, diagnostics }),
    });
  }

  /** A new process computes everything anew; what the editor shows came from the old one. */
  #refreshEditor(): void {
    const { editor } = this.#parts;
    const { signal } = new AbortController();
    for (const [feature, method] of Object.entries(REFRESHES)) {
      if (memberAt(editor.profile.capabilities, "workspace", feature, "refreshSupport") !== true) continue;
      editor.request(method, undefined, signal).catch(() => undefined);
    }
  }
}
