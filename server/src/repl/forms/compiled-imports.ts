/**
 * The imports of TypeScript that was compiled to CommonJS: there `import { a } from "m"` is no binding, but a property
 * of the result of `require("m")`. A form that uses `a` has to read that property.
 */
import type MagicString from "magic-string";
import { freeNames } from "../source/free-names.ts";
import { moduleOutline } from "../source/module-outline.ts";
import type { PreparedModule } from "../modules/module-types.ts";
import type { Node } from "oxc-parser";
import { isClass, isFunction, parseProgram, requiredBy, type Body } from "../source/syntax.ts";
import { walk } from "../../base/syntax-walk.ts";

/** The keys are the names of the source's imports, the values are expressions. */
export function compiledImports({
  path,
  text,
  code,
}: Pick<PreparedModule, "path" | "text" | "code">): Map<string, string> {
  const outline = moduleOutline(path, text);
  if (outline === undefined || outline.imports.every(({ how }) => how !== "import")) return new Map();
  const modules = requiredModules(parseProgram(code, "commonjs"));
  const expressions = new Map<string, string>();
  for (const { local, imported, specifier, how } of outline.imports) {
    const holder = modules.get(specifier);
    if (how !== "import" || holder === undefined) continue;
    expressions.set(local, imported === "*" ? holder : `(0,${holder}[${JSON.stringify(imported)}])`);
  }
  return expressions;
}

export function nameImports(
  edited: MagicString,
  body: Body,
  imports: ReadonlyMap<string, string>,
  declared: ReadonlySet<string>,
): void {
  if (imports.size === 0) return;
  for (const { node, name, isShorthand, writer } of freeNames(
    body,
    (each) => imports.has(each) && !declared.has(each),
  )) {
    // Nothing can be assigned to an import, so the name stays.
    if (writer !== undefined) continue;
    const expression = imports.get(name) ?? name;
    edited.overwrite(node.start, node.end, isShorthand ? `${name}: ${expression}` : expression);
  }
}

/** `const _m = …require("m")…`, in any helper of the transpiler. */
function requiredModules(body: Body): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const statement of body) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id, init } of statement.declarations) {
      if (id.type !== "Identifier" || init === null) continue;
      const specifier = requireIn(init);
      if (specifier !== undefined && !modules.has(specifier)) modules.set(specifier, id.name);
    }
  }
  return modules;
}

function requireIn(init: Node): string | undefined {
  let specifier: string | undefined;
  if (init.type !== "CallExpression") return undefined;
  walk(init, (node) => {
    if (isFunction(node) || isClass(node)) return false;
    specifier ??= requiredBy(node);
    return specifier === undefined;
  });
  return specifier;
}
