/**
 * A second compiler beside the one that answers, for questions about text that is in no file: the text is checked at
 * the end of a module, in memory, by a process of its own. The first compiler never hears of it.
 */
import type { Project, Snapshot } from "typescript/unstable/async";
import { BARRIER, startNative, untilGone, type NativeProcess } from "../session/native-process.ts";
import { uriOf } from "../../workspace/file-uri.ts";
import { refuseOutwardNames, type AskedText } from "./outward-names.ts";
import { tellDisk, tellTexts, type ToldProcess } from "./side-texts.ts";
import type { View, ViewState } from "../view.ts";
import { pause, untilAborted } from "../../base/abort.ts";

/** A module as a query saw it: later questions about the module are asked of that state, whatever happened since. */
export interface ModuleBasis {
  readonly file: string;
  readonly text: string;
  readonly configFile: string | undefined;
  readonly state: ViewState;
  /** Modules that are in no file, by the path they would have: for the text to import. */
  readonly beside?: ReadonlyMap<string, string>;
  /** Other tsconfigs whose programs are asked too. */
  readonly also?: readonly string[];
}

export interface AppendedModule {
  readonly project: Project;
  readonly file: string;
  /** Where the appended text starts, as an offset. */
  readonly start: number;
  /** The program of that tsconfig; without one, that of the file. */
  readonly projectOf: (file: string, configFile: string | undefined) => Promise<Project | undefined>;
  /** Asks the language server of the process. */
  readonly request: NativeProcess["request"];
  /** Aborted before the process is ended: whoever asks many things then stops asking. */
  readonly ending: AbortSignal;
}

type Ask<Result> = (module: AppendedModule) => Promise<Result>;

const IDLE_MS = 60_000;
const ABANDONED_MS = 5_000;
/** By the promise of the first compiler's end: each process has one such promise, whichever view leads to it. */
const sideCompilers = new WeakMap<Promise<string>, SideCompiler>();

/** Undefined for a file that is in no loaded program. */
export async function basisOf(view: View, file: string): Promise<ModuleBasis | undefined> {
  const found = await view.source(file);
  if (found === undefined) return undefined;
  return { file, text: found.source.text, configFile: found.program.configFile, state: view.state };
}

/**
 * Runs `ask` on the module with `text` behind its own text: everything the module sees, the text sees too. What `ask`
 * gets is valid until it settles. No query of the first compiler waits for this. Rejects with `OutwardName` when the text
 * names a file that no answer may show.
 */
export function withAppended<Result>(
  basis: ModuleBasis,
  text: string,
  ask: Ask<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { exited } = basis.state.native;
  let compiler = sideCompilers.get(exited);
  if (compiler === undefined) {
    compiler = new SideCompiler();
    sideCompilers.set(exited, compiler);
    const started = compiler;
    // The side compiler ends with the first one: whoever ends the first need not know of the side compiler.
    void exited.then(() => started.stop());
  }
  return untilAborted(compiler.run(basis, text, ask, signal), signal);
}

/** The process id of the side compiler beside this one, while it runs; for tests and diagnosis. */
export function sideCompilerPid(beside: NativeProcess): number | undefined {
  return sideCompilers.get(beside.exited)?.pid;
}

interface Running extends ToldProcess {
  readonly openedProjects: Set<string>;
  readonly openedFiles: Set<string>;
  readonly ending: AbortController;
  /** Released only after its successor was taken: 7.0.2 otherwise serves the syntax trees of the old text. */
  snapshot: Snapshot | undefined;
}

class SideCompilerGone extends Error {
  constructor(reason: string | undefined) {
    super(`the side compiler is gone: ${reason}`);
  }
}

class SideCompiler {
  #running: Running | undefined;
  #idle: NodeJS.Timeout | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #isOver = false;

  get pid(): number | undefined {
    return this.#running?.native.pid;
  }

  /** One question at a time: each has a text of its own. */
  run<Result>(basis: ModuleBasis, text: string, ask: Ask<Result>, signal: AbortSignal): Promise<Result> {
    const answer = this.#queue.then(() => {
      signal.throwIfAborted();
      const asked = this.#ask(basis, text, ask, signal);
      this.#endWhenAbandoned(asked, signal);
      return asked;
    });
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  /** Ends for good: the first compiler is gone. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = undefined;
    running?.ending.abort(new Error("the side compiler is ended"));
    await running?.native.dispose();
  }

  /** A question whose asker has gone gets a moment to finish; then its process is taken from under it. */
  #endWhenAbandoned(asked: Promise<unknown>, signal: AbortSignal): void {
    const settled = new AbortController();
    const finish = (): void => settled.abort();
    asked.then(finish, finish);
    const abandon = (): void => {
      void pause(ABANDONED_MS, settled.signal).then(
        () => this.#end(),
        () => undefined,
      );
    };
    signal.addEventListener("abort", abandon, { once: true, signal: settled.signal });
  }

  /** Asks again, once, when the process dies under the question or had died before it. */
  async #ask<Result>(basis: ModuleBasis, text: string, ask: Ask<Result>, signal: AbortSignal): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#askOnce(basis, text, ask, signal);
      } catch (error) {
        if (!(error instanceof SideCompilerGone) || attempt > 1 || this.#isOver || signal.aborted) throw error;
      }
    }
  }

  async #askOnce<Result>(basis: ModuleBasis, text: string, ask: Ask<Result>, signal: AbortSignal): Promise<Result> {
    clearTimeout(this.#idle);
    const known = this.#running;
    const isUpToDate = known !== undefined && (await tellDisk(known, basis.state).catch(() => false));
    if (!isUpToDate) await this.#end();
    const running = isUpToDate ? known : await this.#start(basis);
    const { exited } = running.native;
    let end: string | undefined;
    void exited.then((reason) => {
      end = reason;
    });
    try {
      // A write to a process that was told to end fails where nobody can catch the error.
      const wanted = AbortSignal.any([signal, running.ending.signal]);
      const answered = this.#module(running, basis, text, wanted).then(async (module) => {
        await refuseOutwardNames(module.project, basis.state, textsAsked(module, basis));
        wanted.throwIfAborted();
        return ask(module);
      });
      return await untilGone(answered, exited);
    } catch (error) {
      const isGone = end !== undefined;
      // An abort only stopped the question; the process knows what it knew.
      if (!isGone && signal.aborted) throw error;
      // What the process knows is uncertain after a failure; the next question starts a new one.
      await this.#end();
      throw isGone ? new SideCompilerGone(end) : error;
    } finally {
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    }
  }

  async #start({ state }: ModuleBasis): Promise<Running> {
    if (this.#isOver) throw new Error("the compiler was shut down");
    const { folders } = state.paths;
    const native = await startNative({
      cwd: folders[0] ?? process.cwd(),
      workspaceFolders: folders,
      log: () => undefined,
    });
    const running: Running = {
      native,
      told: new Map(),
      version: 0,
      openedProjects: new Set(),
      openedFiles: new Set(),
      age: state.age,
      ending: new AbortController(),
      snapshot: undefined,
    };
    if (this.#isOver) {
      await native.dispose();
      throw new Error("the compiler was shut down");
    }
    this.#running = running;
    return running;
  }

  async #module(running: Running, basis: ModuleBasis, text: string, wanted: AbortSignal): Promise<AppendedModule> {
    const { file, configFile, beside, state } = basis;
    wanted.throwIfAborted();
    const take = (): Promise<Snapshot> => takeSnapshot(running, basis, wanted);
    const texts = new Map([...state.openTexts, ...(beside ?? []), [file, `${basis.text}\n${text}`]]);
    await tellTexts(running, texts, async () => void (await take()));
    const snapshot = await take();
    const projectOf: AppendedModule["projectOf"] = async (each, config) => {
      wanted.throwIfAborted();
      const configured = config === undefined ? undefined : snapshot.getProject(config);
      return configured ?? snapshot.getDefaultProjectForFile(each);
    };
    const project = await projectOf(file, configFile);
    if (project === undefined) throw new Error("the side compiler has no program for the module");
    const request: AppendedModule["request"] = (method, params) => running.native.request(method, params);
    return { project, file, start: basis.text.length + 1, projectOf, request, ending: running.ending.signal };
  }
}

async function takeSnapshot(running: Running, basis: ModuleBasis, wanted: AbortSignal): Promise<Snapshot> {
  const { native } = running;
  const { file, configFile } = basis;
  // LSP and checker are separate channels; an answer or refusal on the first proves that it has read what was sent.
  // The project of the files without a tsconfig is brought up to date only for a request about one of them.
  const textDocument = { uri: uriOf(file) };
  await (
    configFile === undefined
      ? native.request("textDocument/foldingRange", { textDocument })
      : native.request(BARRIER, {})
  ).catch(() => undefined);
  const api = await native.api;
  wanted.throwIfAborted();
  const snapshot = await api.updateSnapshot(opens(running, basis));
  void running.snapshot?.dispose().catch(() => undefined);
  running.snapshot = snapshot;
  return snapshot;
}

function textsAsked({ file, start }: AppendedModule, { beside = new Map() }: ModuleBasis): AskedText[] {
  return [{ file, start }, ...[...beside.keys()].map((path) => ({ file: path, start: 0 }))];
}

function opens(
  { openedProjects, openedFiles }: Running,
  { file, configFile, also = [] }: ModuleBasis,
): { openProjects?: string[]; openFiles?: string[] } {
  const configs = [...also, ...(configFile === undefined ? [] : [configFile])];
  const openProjects = [...new Set(configs)].filter((config) => !openedProjects.has(config));
  const openFiles = configFile === undefined && !openedFiles.has(file) ? [file] : [];
  for (const config of openProjects) openedProjects.add(config);
  for (const each of openFiles) openedFiles.add(each);
  return {
    ...(openProjects.length === 0 ? {} : { openProjects }),
    ...(openFiles.length === 0 ? {} : { openFiles }),
  };
}
