/**
 * What every Node process below `agentq run` runs first. It stays as small as can be: most of these processes are package
 * managers, and none may notice it. The rest is loaded with the first module of the workspace.
 */
import Module, { createRequire, registerHooks, type LoadHookSync } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { RUN_VARIABLE, type RunFacts, type RunningModule } from "../child/wire/app-frames.ts";
import type { App } from "./app.ts";
import { followed } from "./followed.ts";

/* oxlint-disable no-underscore-dangle */
const MODULE = /\.[cm]?[jt]sx?$/;

type Compile = (this: unknown, content: string, filename: string, ...rest: unknown[]) => unknown;
interface Compiled {
  _compile: Compile;
}

const told = process.env[RUN_VARIABLE];
// Without these hooks, in a thread, or in a test run, the process is plain Node.
if (told !== undefined && isMainThread && typeof registerHooks === "function") {
  try {
    open(JSON.parse(told) as RunFacts);
  } catch {
    // The program comes first.
  }
}

function open(run: RunFacts): void {
  const by = followed(process.argv[1] ?? "", process.env);
  if (by.level === undefined) return;
  let loaded: App | undefined;
  const app = (): App => {
    if (loaded !== undefined) return loaded;
    const here = import.meta.url;
    const { openApp } = createRequire(here)(`./app${here.slice(here.lastIndexOf("."))}`) as typeof import("./app.ts");
    return (loaded = openApp(run, by));
  };
  /** The program loads its modules whatever becomes of ours. */
  const loading = (module: () => RunningModule | undefined): string | undefined => {
    try {
      const own = module();
      return own && app().loading(own);
    } catch {
      return undefined;
    }
  };
  if (by.level === "globals") return void app();
  const prefix = `${run.root}/`;
  const isOwn = (file: string): boolean =>
    file.startsWith(prefix) && MODULE.test(file) && !file.includes("/node_modules/");
  const rootUrl = `${pathToFileURL(run.root).href}/`;

  const load: LoadHookSync = (url, context, next) => {
    const result = next(url, context);
    if (!url.startsWith(rootUrl) || result.source === undefined || result.source === null) return result;
    if (!/^module(?:-typescript)?$/.test(result.format ?? "")) return result;
    const { source: given } = result;
    const source = loading(() => {
      if (!isOwn(fileURLToPath(url.replace(/[?#].*$/, "")))) return undefined;
      const text = typeof given === "string" ? given : Buffer.from(given as Uint8Array).toString();
      return { url, text, format: "module" };
    });
    return source === undefined ? result : { ...result, source };
  };
  registerHooks({ load });

  const prototype = Module.prototype as unknown as Compiled;
  const compile = prototype._compile;
  // Every loader of CommonJS hands its output to this method of Node's.
  prototype._compile = function _compile(content, filename, ...rest) {
    const [format] = rest;
    const isModule = typeof format === "string" && format.startsWith("module");
    const isOurs = !isModule && typeof content === "string" && isOwn(filename);
    const text = isOurs
      ? loading(() => ({ url: pathToFileURL(filename).href, text: content, format: "commonjs" }))
      : undefined;
    return Reflect.apply(compile, this, [text ?? content, filename, ...rest]);
  };
}
