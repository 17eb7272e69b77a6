/**
 * The modules that a program had loaded before it was attached. Nothing in their texts registered a scope: where a form wants
 * to work in one, a living function of the module is looked for, by which the scope can be entered.
 */
import { statSync } from "node:fs";
import { Session, type Debugger } from "node:inspector";
import { createRequire } from "node:module";
import { types } from "node:util";
import { fileURLToPath } from "node:url";
import { isCommonJs, type CommonJs } from "../child/main/modules/live-exports.ts";
import type { ModuleScopes } from "../child/main/modules/module-scopes.ts";
import type { Callable, ScopeEntry } from "../child/main/modules/scope-entry.ts";
import type { HeapQuery } from "../child/main/redefine/heap-query.ts";
import { uncurried } from "../child/shared/captured.ts";
import type { RunningModule } from "../child/wire/app-frames.ts";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { standIn } from "./stand-in.ts";
import { isOwnFile } from "./follow-loads.ts";

const { cache: requireCache } = createRequire(import.meta.url);

export interface EarlierModule {
  readonly module: RunningModule;
  /** What the engine compiled. */
  readonly script: string;
  /** The names that the script binds at its top level. */
  readonly names: () => readonly string[];
}

/** The modules of the folder, as the engine has them. `known` are the URLs of those that registered a scope. */
export function earlierModules(
  root: string,
  known: ReadonlySet<string>,
  namesIn: (module: RunningModule) => readonly string[],
): readonly EarlierModule[] {
  const scripts = new Map<string, Debugger.ScriptParsedEventDataType>();
  const found: EarlierModule[] = [];
  const session = new Session();
  session.connect();
  try {
    session.on("Debugger.scriptParsed", ({ params }) => {
      if (params.url.startsWith("file:")) scripts.set(params.url, params);
    });
    session.post("Debugger.enable");
    for (const [url, { scriptId, isModule }] of scripts) {
      const file = fileOf(url);
      if (file === undefined || known.has(url) || !isOwnFile(file, root)) continue;
      // A text that some code evaluates can have any name.
      if (isModule !== true && requireCache[file] === undefined) continue;
      session.post("Debugger.getScriptSource", { scriptId }, (error, reply) => {
        if (error !== null) return;
        const format = isModule === true ? "module" : "commonjs";
        const { scriptSource: script } = reply;
        const text = format === "module" ? sourceOf(file, script) : script;
        found.push({ module: { url, text, format }, script, names: () => namesIn({ url, text: script, format }) });
      });
    }
  } finally {
    session.disconnect();
  }
  return found;
}

/** The file, unless the file was changed after the start of the program. */
function sourceOf(file: string, script: string): string {
  try {
    return statSync(file).mtimeMs < performance.timeOrigin ? readRegularTextSync(file) : script;
  } catch {
    return script;
  }
}

function fileOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

export class EarlierModules {
  readonly #modules: ReadonlyMap<string, EarlierModule>;
  readonly #scopes: ModuleScopes;
  readonly #query: HeapQuery["query"];

  constructor(modules: readonly EarlierModule[], scopes: ModuleScopes, query: HeapQuery["query"]) {
    this.#modules = new Map(modules.map((each) => [each.module.url, each]));
    this.#scopes = scopes;
    this.#query = query;
  }

  /** The instance that the program has required: importing its file could make a second one. */
  required(url: string): CommonJs | undefined {
    if (this.#modules.get(url)?.module.format !== "commonjs") return undefined;
    const loaded: unknown = requireCache[fileOf(url) ?? ""];
    return isCommonJs(loaded) ? loaded : undefined;
  }

  /** Undefined for a module that was not loaded before. */
  enter(url: string, enter: ScopeEntry["enterBy"]): Promise<void> | undefined {
    const module = this.#modules.get(url);
    return module && this.#enter(module, enter);
  }

  async #enter(module: EarlierModule, enter: ScopeEntry["enterBy"]): Promise<void> {
    const { url } = module.module;
    const functions = await this.#query(Function.prototype);
    if (functions !== undefined && (await enter(url, entriesOf(functions, module)))) {
      return standIn({ scopes: this.#scopes, url, module, functions, required: this.required(url) });
    }
    throw new Error(
      `The inside of ${fileOf(url) ?? url} is not reachable: the program had loaded it before it was attached, and none of its ` +
        "functions is alive that could be entered. Forms without a module work; so does the module once the program starts anew below agentq run.",
    );
  }
}

/**
 * Texts of what is no function to the program: a class, which without a constructor of its own could not be stopped at its first
 * step, and what the engine makes of fields and static blocks.
 */
const NO_CALL =
  /^(?:class\b|static\s*\{|\{|(?:static\s+)?(?:accessor\s+)?(?:#?[\w$\u0080-\uffff]+|\[[^\]]*\]|"[^"]*"|'[^']*')\s*(?:=(?!>)|[;\n]|$))/;

/** Functions with that text, each text once: those that hide least of the module's names come first. */
function entriesOf(functions: readonly unknown[], { script, names }: EarlierModule): readonly Callable[] {
  const found = new Map<string, { readonly entry: Callable; readonly rank: number }>();
  const bound = new Set(names());
  for (const each of functions) {
    if (typeof each !== "function" || types.isProxy(each)) continue;
    const text = uncurried.functionText(each);
    // As long as the script is the function by which the engine runs the module.
    if (text.length >= script.length || found.has(text) || NO_CALL.test(text)) continue;
    const at = script.indexOf(text);
    if (at < 0) continue;
    const line = script.slice(script.lastIndexOf("\n", at) + 1, at + 1);
    const indent = /^\s*/.exec(line)?.[0].length ?? 0;
    const own = [...text.matchAll(OWN_NAMES)].flatMap(([, params = "", name = ""]) => [
      name,
      ...params.split(/[^\w$]+/),
    ]);
    const hidden = own.filter((name) => bound.has(name)).length;
    found.set(text, { entry: each as Callable, rank: hidden * 1000 + indent * 10 + each.length });
  }
  return [...found.values()].toSorted((one, other) => one.rank - other.rank).map(({ entry }) => entry);
}

/** The parameters, and names that are declared inside. */
const OWN_NAMES = /^[^(]*\(([^)]*)\)|\b(?:const|let|var|function|class)\s+([\w$]+)/g;
