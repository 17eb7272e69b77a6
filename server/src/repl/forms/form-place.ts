/** The place where a form runs: among the names of earlier forms, or in the scope of a running module. */
import { compiledImports } from "./compiled-imports.ts";
import { droppedImports } from "./dropped-imports.ts";
import type { EvaluateRequest } from "../image.ts";
import { jsxImports } from "./jsx-imports.ts";
import { DEFAULT_NAME } from "../source/instrument.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import { moduleOutline } from "../source/module-outline.ts";
import { NAMELESS } from "../source/outline-types.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { PreparedModule } from "../modules/module-types.ts";
import type { ScopeMemory } from "./scope-memory.ts";
import type { FormScope, ImportedName } from "./scope-types.ts";
import { given } from "../../base/given.ts";

export type FormRequest = Pick<EvaluateRequest, "code" | "module" | "install">;

export interface FormPlace {
  readonly scope: FormScope;
  readonly module?: PreparedModule;
}

type Modules = Pick<ModuleService, "isUnfinished" | "refresh" | "prepare" | "emitOptions" | "shown">;

/** The form's place, or the reason why the form cannot run. */
export function placeOf(
  { module, install }: FormRequest,
  modules: Modules,
  memory: Pick<ScopeMemory, "of">,
): FormPlace | string {
  if (module === undefined) {
    const { names, imported, constants, classes, unset } = memory.of(undefined);
    return { scope: { kind: "global", declared: names, imported, constants, classes, unset } };
  }
  // Installed declarations go into the code that runs, even when the source has changed since.
  if (install === undefined || modules.isUnfinished(module)) modules.refresh();
  const prepared = modules.prepare(module);
  if ("reason" in prepared) return prepared.reason;
  const { path, text, url, compiledFrom } = prepared;
  if (compiledFrom !== undefined && install !== undefined && prepared.format === "commonjs") {
    return `${modules.shown(compiledFrom)} runs as ${modules.shown(path)}, where imports have other names: what is declared here would not find them. Name ${modules.shown(path)} to install there.`;
  }
  const grown = memory.of(url);
  const bound = new Set([...prepared.names, ...grown.names]);
  const imports = prepared.format === "commonjs" ? compiledImports(prepared) : undefined;
  const imported = importedNames(prepared, modules.emitOptions(prepared));
  for (const name of grown.names) {
    imports?.delete(name);
    imported.delete(name);
  }
  const declared = moduleOutline(path, text)?.declarations ?? [];
  const scope: FormScope = {
    kind: "module",
    url,
    enums: new Set(declared.flatMap(({ name, kind }) => (kind === "enum" ? [name] : []))),
    constants: grown.constants,
    unset: grown.unset,
    bound,
    classes: new Map([...prepared.classes, ...grown.classes]),
    ...given({ defaultName: defaultNameOf(prepared), imports }),
    imported,
    dropped: droppedImports(path, text, (name) => bound.has(name) || imports?.has(name) === true),
  };
  return { scope, module: prepared };
}

/** The keys are local names. */
function importedNames(module: PreparedModule, emit: EmitOptions): Map<string, ImportedName> {
  const imports = moduleOutline(module.path, module.text)?.imports ?? [];
  const written = imports.flatMap((each): [string, ImportedName][] =>
    each.how === "import" ? [[each.local, each]] : [],
  );
  return new Map([...written, ...(module.format === "module" ? jsxImports(module, emit) : [])]);
}

function defaultNameOf({ path, text, format, names }: PreparedModule): string | undefined {
  const local = moduleOutline(path, text)?.exports.get("default");
  if (local !== NAMELESS) return local;
  const binding = format === "module" ? DEFAULT_NAME : "_default";
  return names.has(binding) ? binding : undefined;
}
