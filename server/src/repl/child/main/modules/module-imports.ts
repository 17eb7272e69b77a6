/** Imports for forms, as from a module in the project's root. */
import { isBuiltin } from "node:module";
import { pathToFileURL } from "node:url";
import { captured, uncurried } from "../../shared/captured.ts";
import { soon } from "../../shared/immediates.ts";
import { isCommonJs, type CommonJs, type Namespace } from "./live-exports.ts";
import { isInline, type ModuleHooks } from "./module-hooks.ts";
import type { ModuleQuestions } from "./module-questions.ts";

const TURNS = 3;
const IMPORTED = ["node", "import"];

export interface ImportParts {
  readonly questions: Pick<ModuleQuestions, "resolve" | "threw">;
  readonly hooks: Pick<ModuleHooks, "loads">;
  /** The `require` of the project's root. */
  readonly require: NodeJS.Require;
  readonly replUrl: string;
  /** Runs a load of modules: a module owns what it opens while it is loaded. */
  readonly asLoading: <T>(load: () => Promise<T>) => Promise<T>;
  /** Whether the module with this URL has begun to run. */
  readonly isBegun: (url: string) => boolean;
}

export class ModuleImports {
  readonly #parts: ImportParts;
  readonly #requireCache: NodeJS.Dict<NodeModule>;
  /** The CommonJS module from which Node made a namespace. */
  readonly moduleOf: (namespace: Namespace) => CommonJs | undefined;
  readonly #rememberModule: (namespace: Namespace, module: CommonJs) => void;

  constructor(parts: ImportParts) {
    this.#parts = parts;
    this.#requireCache = parts.require.cache;
    const modules = new WeakMap<Namespace, CommonJs>();
    this.moduleOf = modules.get.bind(modules);
    this.#rememberModule = modules.set.bind(modules);
  }

  async import(specifier: unknown, options?: ImportCallOptions, parent = this.#parts.replUrl): Promise<Namespace> {
    const { questions, hooks, asLoading } = this.#parts;
    const name = captured.String(specifier);
    if (isBuiltin(name) || isInline(name)) return import(name, options) as Promise<Namespace>;
    const answer = questions.resolve(name, parent, IMPORTED);
    const since = hooks.loads.length;
    let namespace: Namespace;
    for (const url of answer.first ?? []) await this.#loadFirst(url);
    try {
      namespace = await asLoading(() => import(answer.url ?? name, options) as Promise<Namespace>);
    } catch (error) {
      await this.#noteThrown(since);
      throw error;
    }
    const loaded = answer.url === undefined ? undefined : this.outside(answer.url);
    if (isCommonJs(loaded)) this.#rememberModule(namespace, loaded);
    return namespace;
  }

  /** An error of this module is dropped here: the load that follows reports it. */
  async #loadFirst(url: string): Promise<void> {
    try {
      await this.#parts.asLoading(() => import(url) as Promise<unknown>);
    } catch {}
  }

  resolve(specifier: unknown): string {
    const { questions, require, replUrl } = this.#parts;
    const name = captured.String(specifier);
    if (isInline(name)) return name;
    if (isBuiltin(name)) return uncurried.startsWith(name, "node:") ? name : `node:${name}`;
    const { url } = questions.resolve(name, replUrl, IMPORTED);
    // The URL of a module that changed has a number after its path.
    return url?.replace(/\?.*$/, "") ?? pathToFileURL(require.resolve(name)).href;
  }

  /** The object that replaces `module` or `import.meta` in a file that Node loaded without the server. */
  outside(url: string): unknown {
    return this.#requireCache[decodeURIComponent(new URL(url).pathname)] ?? { url };
  }

  /** Tells the server which modules threw while they ran: Node keeps the error of such an ES module. */
  async #noteThrown(since: number): Promise<void> {
    const { questions, hooks, replUrl, isBegun } = this.#parts;
    const { loads } = hooks;
    const urls: string[] = [];
    const unbegun: string[] = [];
    const look = async (url: string): Promise<void> => {
      try {
        await import(url);
      } catch {
        urls[urls.length] = url;
      }
    };
    // If nothing new was loaded, all loads are checked: an earlier import may have thrown, and a module may have caught
    // the error.
    for (let index = since === loads.length ? 0 : since; index < loads.length; index++) {
      const url = loads[index] as string;
      if (!isBegun(url)) unbegun[unbegun.length] = url;
      // A version that is not the present one is left out: it will be reloaded.
      else if (questions.resolve(url, replUrl, IMPORTED).url === url) void look(url);
    }
    // The check does not wait for a module that awaits something.
    for (let turn = 0; turn < TURNS; turn++) await new captured.Promise<void>(soon);
    if (urls.length > 0) questions.threw(urls, unbegun);
  }
}
