/** The facts about modules that a program of the person's has loaded by itself. */
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import type { RunningModule } from "../child/wire/app-frames.ts";
import type { EmitOptionsReader } from "../source/compiler-options.ts";
import { instrument, type Instrumented } from "../source/instrument.ts";
import { isProblem, transpile } from "../source/transpile.ts";
import { bare } from "./module-answers.ts";
import type { ModuleResolver } from "./module-resolver.ts";
import type { ModuleTable } from "./module-table.ts";
import type { ProjectSources } from "./project-sources.ts";

export interface RunningParts {
  readonly table: ModuleTable;
  readonly sources: Pick<ProjectSources, "read" | "stamp">;
  readonly emitOptions: EmitOptionsReader;
}

/**
 * Records the module; answers its path, or undefined for an instance that is not the one of its file. The text of an ES
 * module came before its loader, that of a CommonJS module is the loader's output. A module is read when it is needed.
 */
export function takeRunning({ table, sources, emitOptions }: RunningParts, module: RunningModule): string | undefined {
  const { url, format } = module;
  if (url !== bare(url)) return undefined;
  const path = fileURLToPath(url);
  const target = table.record(path);
  const text = format === "module" ? module.text : textOf(sources, path, module.text);
  let facts: Instrumented | undefined;
  const read = (): Instrumented => (facts ??= factsOf(path, module, emitOptions));
  target.format = format;
  target.text = text;
  target.stamp = sources.stamp(path);
  target.built = {
    text,
    variant: "",
    mapper: (position) => position,
    module: {
      get code() {
        return read().code;
      },
      names: () => read().names(),
      classes: () => read().classes(),
      imports: () => read().imports(),
    },
  };
  return path;
}

const IMPORT = /\b(?:from|import|require\s*\()\s*(["'])([^"'\n]+)\1/g;

/** Notes which of the modules imports which. Their texts are only looked through: what is no import leads to no module. */
export function linkRunning(
  paths: readonly string[],
  { table, resolver }: { readonly table: ModuleTable; readonly resolver: Pick<ModuleResolver, "resolve"> },
): void {
  for (const path of paths) {
    const { text = "", imports } = table.record(path);
    for (const [, , specifier = ""] of text.matchAll(IMPORT)) {
      const target = isBuiltin(specifier) ? undefined : resolver.resolve(specifier, path, ["node", "import"]).path;
      const known = target === undefined ? undefined : table.find(target);
      if (known === undefined) continue;
      known.importers.add(path);
      imports.add(known.path);
    }
  }
}

function textOf(sources: RunningParts["sources"], path: string, otherwise: string): string {
  try {
    return sources.read(path);
  } catch {
    return otherwise;
  }
}

/** What the loader makes of TypeScript, the server makes of it too: the same names are bound then. */
function factsOf(path: string, { url, text, format }: RunningModule, emitOptions: EmitOptionsReader): Instrumented {
  if (format === "commonjs" || !/\.[cm]?tsx?$|\.jsx$/.test(path)) return instrument({ code: text }, format, url);
  const output = transpile({ path, text, format, emit: emitOptions.for(path) });
  return instrument(isProblem(output) ? { code: text } : output, format, url);
}
