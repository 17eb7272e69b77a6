/**
 * The control worker's part in log points. They have an inspector session of their own: other work disables the
 * debugger of its session, which would take the breakpoints away.
 */
import { readFileSync } from "node:fs";
import { Session, type Debugger } from "node:inspector";
import type { FromMain } from "../../wire/from-main.ts";
import { inKernel, kernelCall } from "../../wire/kernel-call.ts";
import { oneSourceMap, type OneSourceMap } from "../../wire/one-source-map.ts";
import { fileOf } from "./enter-scope.ts";
import type { Post } from "./inspector-post.ts";

type Wanted = Extract<FromMain, { t: "point" }>;

export class LogPoints {
  /** Evaluates on the main thread. */
  readonly #post: Post;
  #session: Session | undefined;
  /** The scripts of files, by URL, each with the URL of its source map. */
  readonly #scripts = new Map<string, string>();
  readonly #breakpoints = new Map<number, readonly string[]>();

  constructor(post: Post) {
    this.#post = post;
  }

  async set(wanted: Wanted): Promise<void> {
    const set = await this.#set(wanted);
    await this.#post("Runtime.evaluate", { expression: kernelCall("pointSet", wanted.id, set) });
  }

  async remove(id: number): Promise<void> {
    const breakpoints = this.#breakpoints.get(id) ?? [];
    this.#breakpoints.delete(id);
    for (const breakpointId of breakpoints) await this.#ask("Debugger.removeBreakpoint", { breakpointId });
  }

  /** Contract: called before this thread ends. */
  leave(): void {
    this.#session?.disconnect();
    this.#session = undefined;
  }

  /** The line that the breakpoint is on, or why there is none. */
  async #set({ id, url, line, expression }: Wanted): Promise<number | string> {
    await this.#open();
    const scripts = this.#scriptsOf(fileOf(url));
    if (scripts.length === 0) return "the program has loaded neither this file nor code that was compiled from it";
    const recorded = `${inKernel("logged")}(${id},(${expression}\n))`;
    const condition = `try{${recorded}}catch(e){${inKernel("logFailed")}(${id},e)};false`;
    const lines: number[] = [];
    const breakpoints: string[] = [];
    let why = "there is no code on this line or behind it";
    for (const { url: script, map } of scripts) {
      const place = map === undefined ? { lineNumber: line - 1 } : await generatedPlace(map.mappings, line - 1);
      if (place === undefined) continue;
      const params = { url: script, condition, lineNumber: place.lineNumber, columnNumber: place.columnNumber };
      const made = await this.#ask<Debugger.SetBreakpointByUrlReturnType>("Debugger.setBreakpointByUrl", params);
      if (typeof made === "string") why = made;
      else {
        breakpoints.push(made.breakpointId);
        const [first] = made.locations;
        if (first !== undefined) lines.push((place.line ?? first.lineNumber) + 1);
      }
    }
    this.#breakpoints.set(id, breakpoints);
    if (lines.length > 0) return Math.min(...lines);
    await this.remove(id);
    return why;
  }

  /** The scripts of the file; else those that were compiled from that file alone. */
  #scriptsOf(file: string): readonly MappedScript[] {
    const own = [...this.#scripts].filter(([url]) => fileOf(url) === file);
    if (own.length > 0) return own.map(([url, mapUrl]) => ({ url, map: mapOf(url, mapUrl) }));
    return [...this.#scripts].flatMap(([url, mapUrl]): MappedScript[] => {
      if (mapUrl === "" || url.includes("/node_modules/")) return [];
      const map = mapOf(url, mapUrl);
      return map?.source === file ? [{ url, map }] : [];
    });
  }

  async #open(): Promise<void> {
    if (this.#session !== undefined) return;
    const session = new Session();
    session.connectToMainThread();
    this.#session = session;
    session.on("Debugger.scriptParsed", ({ params: { url, sourceMapURL = "" } }) => {
      if (url.startsWith("file:")) this.#scripts.set(url, sourceMapURL);
    });
    await this.#ask("Debugger.enable", {});
    // A `debugger` statement of the program stops nothing.
    await this.#ask("Debugger.setSkipAllPauses", { skip: true });
  }

  #ask<T>(method: string, params: object): Promise<T | string> {
    return new Promise((resolve) => {
      const done = (error: Error | null, result?: object): void =>
        resolve(error === null ? (result as T) : error.message);
      if (this.#session === undefined) resolve("the program was left");
      else this.#session.post(method, params, done);
    });
  }
}

function mapOf(url: string, mapUrl: string): OneSourceMap | undefined {
  return oneSourceMap(fileOf(url), mapUrl, (path) => readFileSync(path, "utf8"));
}

interface MappedScript {
  readonly url: string;
  readonly map: OneSourceMap | undefined;
}

interface Place {
  /** Where the code is, counted from 0. */
  readonly lineNumber: number;
  readonly columnNumber?: number;
  /** The line of the source that the code comes from, counted from 0. */
  readonly line?: number;
}

/** The first code that comes from the line of the source, or from the next line that has some. */
async function generatedPlace(mappings: string, line: number): Promise<Place | undefined> {
  // Few programs have maps, and the REPL's own process may read no package of ours.
  const { decode } = await import("@jridgewell/sourcemap-codec");
  let best: (Place & { readonly line: number }) | undefined;
  for (const [lineNumber, segments] of decode(mappings).entries()) {
    for (const [columnNumber, , from] of segments) {
      if (from === undefined || from < line || (best !== undefined && from >= best.line)) continue;
      best = { lineNumber, columnNumber, line: from };
    }
  }
  return best;
}
