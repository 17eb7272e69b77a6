/** The hint for a name that is not defined: a form may mean a module's name, and code a name that a build defines. */
import { fileURLToPath } from "node:url";
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import type { Evaluated, EvaluateRequest } from "../image.ts";
import type { ModuleService } from "../modules/module-service.ts";

const NOT_DEFINED = /^([\p{ID_Start}$_][\p{ID_Continue}$]*) is not defined$/u;
const OF_UNDEFINED = /^Cannot (?:read|set) properties of undefined/;
const BUILD_ENV = /\bimport\.meta\.(?:env|hot)\b/;
const NO_BUILD_ENV =
  "import.meta.env and import.meta.hot are what a bundler puts into modules, and the REPL has none: run_tests has them where the project's runner does.";
const MAX_MODULES = 3;

type Known = Pick<ModuleService, "loaded" | "shown" | "definedByBuild">;

export function nameHint(
  { error }: Evaluated,
  request: Pick<EvaluateRequest, "module" | "by">,
  modules: Known,
): DiagnosticLine[] {
  const name = error?.name === "ReferenceError" ? NOT_DEFINED.exec(error.message)?.[1] : undefined;
  const [frame] = error?.frames ?? [];
  if (error?.name === "TypeError" && OF_UNDEFINED.test(error.message) && BUILD_ENV.test(frame?.code ?? ""))
    return [{ severity: "hint", message: NO_BUILD_ENV }];
  if (name === undefined || frame === undefined || /^\$\d+$/.test(name)) return [];
  const message = frame.uri.startsWith("repl:")
    ? hintForForm(name, request, modules)
    : hintForModule(name, frame.uri, modules);
  return message === undefined ? [] : [{ severity: "hint", message }];
}

/** Undefined where no loaded module has the name, and for a form in a module's scope. */
function hintForForm(
  name: string,
  { module, by }: Pick<EvaluateRequest, "module" | "by">,
  modules: Known,
): string | undefined {
  if (module !== undefined) return undefined;
  const owners = modules.loaded().flatMap(({ path, names }) => (names().has(name) ? [modules.shown(path)] : []));
  if (owners.length === 0) return undefined;
  const where = owners.slice(0, MAX_MODULES).join(", ");
  const named = owners.length === 1 ? `with path: "${where}"` : "with `path` naming one of them";
  const how = by === "agent" ? named : "in its scope";
  return `${name} is a name of ${where}, not of the session: import it, or evaluate ${how}, which reaches what is not exported too.`;
}

/** The hint for a name that a bundler would have replaced by a value. */
function hintForModule(name: string, uri: string, modules: Known): string | undefined {
  const config = uri.startsWith("file:") ? modules.definedByBuild(name, fileURLToPath(uri)) : undefined;
  if (config === undefined) return undefined;
  return `${config} names ${name}, which a build defines, and the REPL does not read that: give ${name} a value before the module is imported, in a form of its own: globalThis.${name} = … (an import runs before the rest of its form).`;
}
