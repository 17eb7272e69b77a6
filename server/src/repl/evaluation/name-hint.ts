/** What to do where a form of the session asks for a name that only a module has. */
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import type { Evaluated, EvaluateRequest } from "../image.ts";
import type { ModuleService } from "../modules/module-service.ts";

const NOT_DEFINED = /^([\p{ID_Start}$_][\p{ID_Continue}$]*) is not defined$/u;
const MAX_MODULES = 3;

/** No hint where no loaded module has the name, for a form in a module's scope, or when code that the form called failed. */
export function nameHint(
  { error }: Evaluated,
  { module, by }: Pick<EvaluateRequest, "module" | "by">,
  modules: Pick<ModuleService, "loaded" | "shown">,
): DiagnosticLine[] {
  const name = error?.name === "ReferenceError" ? NOT_DEFINED.exec(error.message)?.[1] : undefined;
  const isOwn = error?.frames[0]?.uri.startsWith("repl:") === true;
  if (name === undefined || module !== undefined || !isOwn || /^\$\d+$/.test(name)) return [];
  const owners = modules.loaded().flatMap(({ path, names }) => (names().has(name) ? [modules.shown(path)] : []));
  if (owners.length === 0) return [];
  const where = owners.slice(0, MAX_MODULES).join(", ");
  const named = owners.length === 1 ? `with path: "${where}"` : "with `path` naming one of them";
  const how = by === "agent" ? named : "in its scope";
  const message = `${name} is a name of ${where}, not of the session: import it, or evaluate ${how}, which reaches what is not exported too.`;
  return [{ severity: "hint", message }];
}
