/**
 * TypeScript imports that the module uses as types only. The transpiler leaves them out, so the running module has no
 * such binding. A form that uses such a name as a value imports it, and reads the present export at each use.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import { moduleOutline } from "../source/module-outline.ts";
import { nameImports } from "./compiled-imports.ts";
import { freeNames } from "../source/free-names.ts";
import type { FormScope, ImportedName } from "./scope-types.ts";
import { type Body } from "../source/syntax.ts";

const NONE: ReadonlyMap<string, ImportedName> = new Map();

/** The keys are local names; `isBound` says which names the running module has in spite of that. */
export function droppedImports(
  path: string,
  text: string,
  isBound: (name: string) => boolean,
): ReadonlyMap<string, ImportedName> {
  if (!/\.[cm]?tsx?$/.test(path)) return NONE;
  const dropped = (moduleOutline(path, text)?.imports ?? []).filter(({ local }) => !isBound(local));
  if (dropped.length === 0) return NONE;
  return new Map(
    dropped.map(({ local, imported, specifier, how }) => [
      local,
      // `import x = require("m")` means the module's exports as a whole.
      { specifier, imported: how === "require" && imported === "*" ? "default" : imported },
    ]),
  );
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Gives a form the names that its module imports. Answers the code that has to run before the form, which is mostly
 * empty.
 */
export function giveImports(edited: MagicString, body: Body, scope: FormScope, declared = NO_NAMES): string {
  if (scope.kind === "global") return "";
  if (scope.imports !== undefined) nameImports(edited, body, scope.imports, declared);
  const { url, dropped = NONE } = scope;
  if (dropped.size === 0) return "";
  const loads = new Set<string>();
  for (const { node, name, isShorthand, writer } of freeNames(
    body,
    (each) => dropped.has(each) && !declared.has(each),
  )) {
    const found = dropped.get(name);
    // Nothing can be assigned to an import: the name stays, and the assignment fails as in the file.
    if (found === undefined || writer !== undefined) continue;
    const from = `${JSON.stringify(found.specifier)},${JSON.stringify(url)}`;
    const expression = `${inKernel("taken")}(${from},${JSON.stringify(found.imported)})`;
    edited.overwrite(node.start, node.end, isShorthand ? `${name}: ${expression}` : `(0,${expression})`);
    loads.add(`await ${inKernel("take")}(${from});`);
  }
  return [...loads].join("");
}
