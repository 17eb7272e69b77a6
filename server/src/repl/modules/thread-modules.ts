/**
 * Answers the questions of the project's threads while they load modules. A thread gets the present texts, transpiled,
 * as a fresh process does.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BridgeAnswer, BridgeNeed } from "../child/wire/wire.ts";
import type { EmitOptionsReader } from "../source/compiler-options.ts";
import { isProblem, transpile } from "../source/transpile.ts";
import { bare, syntaxError, withInlineMap } from "./module-answers.ts";
import type { ModuleFormats } from "./module-format.ts";
import type { ModuleResolver } from "./module-resolver.ts";
import { isProjectSource, type ProjectSources } from "./project-sources.ts";

interface ThreadModulesParts {
  readonly sources: ProjectSources;
  readonly resolver: ModuleResolver;
  readonly formats: ModuleFormats;
  readonly emitOptions: EmitOptionsReader;
}

type Asked<Op extends BridgeNeed["op"]> = Extract<BridgeNeed, { readonly op: Op }>;

export class ThreadModules {
  readonly #parts: ThreadModulesParts;

  constructor(parts: ThreadModulesParts) {
    this.#parts = parts;
  }

  /**
   * An import that is not found is left to Node, which reports it. Node also resolves the imports of modules that are
   * not the project's.
   */
  resolve({ specifier, parent, conditions }: Asked<"threadResolve">): BridgeAnswer {
    const { sources, resolver } = this.#parts;
    const importer = fileURLToPath(bare(parent));
    const named = specifier.startsWith("file:") ? fileURLToPath(bare(specifier)) : specifier;
    const found = resolver.resolve(named, importer, conditions).path;
    const isThere = found !== undefined && !sources.isAbsent(found);
    const path = isThere ? found : sources.unsavedFile(named, importer);
    return path === undefined ? { defer: true } : { url: pathToFileURL(path).href };
  }

  load({ url }: Asked<"threadLoad">): BridgeAnswer {
    const { sources, formats, emitOptions } = this.#parts;
    const path = fileURLToPath(bare(url));
    const isOurs = isProjectSource(path) && !path.endsWith(".json");
    if (!isOurs || !sources.isReadable(path)) return { defer: true };
    const text = sources.read(path);
    const emit = emitOptions.for(path);
    const format = formats.of(path, text, emit);
    if (/\.c?js$/.test(path) && format === "commonjs") return { format, source: text };
    const output = transpile({ path, text, format, emit });
    if (isProblem(output)) return syntaxError(sources.shown(path), text, output);
    const map = output.map === undefined ? {} : { map: { ...output.map, sources: [pathToFileURL(path).href] } };
    return { format, source: withInlineMap({ ...output, ...map }) };
  }
}
