/**
 * The value of a name of a loaded module in the running image. Looking runs no code of the project: no form, no getter,
 * no printing method. A look is no evaluation, so it has no number, no handle and no output.
 */
import { fileURLToPath } from "node:url";
import { readRegularText } from "../../workspace/regular-file.ts";
import type { ImageChannel } from "../process/image-channel.ts";
import type { LiveValue, LiveValueRequest } from "../image.ts";
import type { BridgeAnswer, BridgeNeed, FromImage } from "../child/wire/wire.ts";
import type { ModuleService } from "../modules/module-service.ts";

type Peeked = Extract<FromImage, { t: "peeked" }>;

interface Load {
  readonly url: string;
  readonly at: Date;
  readonly text: string;
  readonly names: () => ReadonlySet<string>;
}

export interface LiveValueParts {
  readonly modules: Pick<ModuleService, "built" | "redefinitionsOf">;
  readonly send: ImageChannel["send"];
  readonly readSource: (absolutePath: string) => string | null | undefined;
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** An idle image answers within a few milliseconds. */
const PATIENCE_MS = 150;

export class LiveValues {
  readonly #parts: LiveValueParts;
  readonly #loads = new Map<string, Load>();
  readonly #waiting = new Map<number, (answer: Peeked["answer"]) => void>();
  #requests = 0;

  constructor(parts: LiveValueParts) {
    this.#parts = parts;
  }

  /** To be called for every module that is handed to the image. */
  served(need: BridgeNeed, answer: BridgeAnswer): void {
    if (need.op !== "load" || answer.source === undefined || need.url.includes("/node_modules/")) return;
    const path = pathOf(need.url);
    const built = this.#parts.modules.built(path);
    if (built !== undefined) this.#loads.set(path, { url: need.url, at: new Date(), ...built });
  }

  /** To be called for every module that a program has loaded by itself. */
  took(path: string, url: string): void {
    const built = this.#parts.modules.built(path);
    if (built !== undefined) this.#loads.set(path, { url, at: new Date(), ...built });
  }

  answered({ request, answer }: Peeked): void {
    this.#waiting.get(request)?.(answer);
  }

  /** The URL and the top-level names of a module that runs in the image; undefined when the module was never loaded. */
  scopeOf(file: string): { readonly url: string; readonly names: ReadonlySet<string> } | undefined {
    const load = this.#loads.get(file);
    return load === undefined ? undefined : { url: load.url, names: load.names() };
  }

  /** Undefined when the image has no such module, or the module has no such name. `file` is a real path. */
  async look({ file, path }: LiveValueRequest): Promise<LiveValue | undefined> {
    const load = this.#loads.get(file);
    const [name] = path;
    // A name that the compiled module does not bind would be looked up among the globals, which may be getters.
    if (load === undefined || name === undefined || !path.every((each) => IDENTIFIER.test(each))) return undefined;
    if (!load.names().has(name)) return undefined;
    const [answer, isUnchanged] = await Promise.all([this.#ask(load, path), readsAs(this.#parts, file, load.text)]);
    if (answer.kind === "absent") return undefined;
    const redefinitions = this.#parts.modules.redefinitionsOf(file, path.join("."));
    return { ...answer, loadedAt: load.at, isUnchanged, redefinitions };
  }

  #ask(load: Load, path: readonly string[]): Promise<Peeked["answer"]> {
    const request = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<Peeked["answer"]>();
    this.#waiting.set(request, resolve);
    const timer = setTimeout(() => resolve({ kind: "busy" }), PATIENCE_MS);
    this.#parts.send({ t: "peek", request, url: load.url, path });
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(request);
    });
  }
}

async function readsAs({ readSource }: LiveValueParts, file: string, text: string): Promise<boolean> {
  return (readSource(file) ?? (await readRegularText(file, { lossy: true }).catch(() => undefined))) === text;
}

function pathOf(url: string): string {
  const parsed = new URL(url);
  parsed.search = "";
  parsed.hash = "";
  return fileURLToPath(parsed);
}
