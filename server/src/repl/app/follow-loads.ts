/**
 * How modules of the workspace are seen while the program loads them: a hook of Node's for ES modules, and the method that every
 * loader of CommonJS hands its output to.
 */
import Module, { registerHooks, type LoadHookSync } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { RunningModule } from "../child/wire/app-frames.ts";

/* oxlint-disable no-underscore-dangle */
const MODULE = /\.[cm]?[jt]sx?$/;

type Compile = (this: unknown, content: string, filename: string, ...rest: unknown[]) => unknown;
interface Compiled {
  _compile: Compile;
}

export interface Loading {
  /** The real path of the folder whose modules are meant. */
  readonly root: string;
  /** Reads the source, where the program's own loaders were registered before and what comes here is their output. */
  readonly sourceOf?: (file: string) => string;
  /** Answers the text to compile in place of `compiled`; undefined to leave the module alone. */
  readonly loading: (module: RunningModule, compiled: string) => string | undefined;
}

export function isOwnFile(file: string, root: string): boolean {
  return file.startsWith(`${root}/`) && MODULE.test(file) && !file.includes("/node_modules/");
}

/** Answers what ends that. */
export function followLoads({ root, sourceOf, loading: told }: Loading): () => void {
  const rootUrl = `${pathToFileURL(root).href}/`;
  /** The program loads its modules whatever becomes of ours. */
  const loading = (compiled: string, module: () => RunningModule | undefined): string | undefined => {
    try {
      const own = module();
      return own && told(own, compiled);
    } catch {
      return undefined;
    }
  };

  const load: LoadHookSync = (url, context, next) => {
    const result = next(url, context);
    if (!url.startsWith(rootUrl) || result.source === undefined || result.source === null) return result;
    if (!/^module(?:-typescript)?$/.test(result.format ?? "")) return result;
    const { source: given } = result;
    const compiled = typeof given === "string" ? given : Buffer.from(given as Uint8Array).toString();
    const source = loading(compiled, () => {
      const file = fileURLToPath(url.replace(/[?#].*$/, ""));
      if (!isOwnFile(file, root)) return undefined;
      return { url, text: sourceOf?.(file) ?? compiled, format: "module" };
    });
    return source === undefined ? result : { ...result, source };
  };
  const hooks = registerHooks({ load });

  const prototype = Module.prototype as unknown as Compiled;
  const compile = prototype._compile;
  let isOver = false;
  const ours: Compile = function _compile(content, filename, ...rest) {
    const [format] = rest;
    const isModule = typeof format === "string" && format.startsWith("module");
    const isOurs = !isOver && !isModule && typeof content === "string" && isOwnFile(filename, root);
    const text = isOurs
      ? loading(content, () => ({ url: pathToFileURL(filename).href, text: content, format: "commonjs" }))
      : undefined;
    return Reflect.apply(compile, this, [text ?? content, filename, ...rest]);
  };
  prototype._compile = ours;
  return () => {
    hooks.deregister();
    isOver = true;
    // Who came later may call ours, which goes on to what was there before.
    if (prototype._compile === ours) prototype._compile = compile;
  };
}
