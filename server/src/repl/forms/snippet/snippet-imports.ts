/** Gives imports inside of a form the meaning that they have in a file, by calls of the kernel. */
import { inKernel, kernelCall } from "../../child/wire/kernel-call.ts";
import { topLevelNames, type Rewriting } from "./rewriting.ts";
import type { FormScope, ImportedName } from "../scope-types.ts";
import type { ExportAllDeclaration, ExportNamedDeclaration, ImportDeclaration, Node } from "oxc-parser";
import { exportName, type Body } from "../../source/syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";

const NONE: ReadonlyMap<string, ImportedName> = new Map();

function importsOf(scope: FormScope): ReadonlyMap<string, ImportedName> {
  return (scope.kind === "module" ? scope.imported : undefined) ?? NONE;
}

/**
 * Names that the form imports exactly as its module does: they exist already, and nothing could be assigned to them.
 */
export function sharedImports(body: Body, scope: FormScope): ReadonlySet<string> {
  const imports = importsOf(scope);
  const shared = new Set<string>();
  for (const node of imports.size === 0 ? [] : body) {
    if (node.type !== "ImportDeclaration") continue;
    for (const [local, imported] of pairsOf(node)) {
      const known = imports.get(local);
      if (known?.imported === imported && known.specifier === node.source.value) shared.add(local);
    }
  }
  return shared;
}

/**
 * A message about a name that the form declares although the running module imports it, with the offset of the
 * statement.
 */
export function importedOtherwise(
  body: Body,
  scope: FormScope,
): { readonly message: string; readonly start: number } | undefined {
  const imports = importsOf(scope);
  if (scope.kind === "global" || imports.size === 0) return undefined;
  const shared = sharedImports(body, scope);
  for (const statement of body) {
    for (const name of topLevelNames([statement]).names) {
      const known = shared.has(name) || !scope.bound.has(name) ? undefined : imports.get(name);
      if (known === undefined) continue;
      const message = `${name} is imported from ${known.specifier} here: give what you declare another name, or redefine ${name} in that module.`;
      return { message, start: statement.start };
    }
  }
  return undefined;
}

/** The local names with their exported names. */
function pairsOf({ specifiers }: ImportDeclaration): (readonly [string, string])[] {
  return specifiers.map((item) => {
    const { name } = item.local;
    if (item.type === "ImportDefaultSpecifier") return [name, "default"];
    return [name, item.type === "ImportNamespaceSpecifier" ? "*" : exportName(item.imported)];
  });
}

export function rewriteImport(r: Rewriting, node: ImportDeclaration): void {
  const { edited, scope } = r;
  r.imports = true;
  const specifier = JSON.stringify(node.source.value);
  const pairs = pairsOf(node).filter(([local]) => !r.shared.has(local));
  // A lexical name of an earlier form would hide a getter on the global object, so such a name gets an assignment.
  const assigned = scope.kind === "module" ? pairs : pairs.filter(([local]) => scope.declared.has(local));
  const live = pairs.filter((pair) => !assigned.includes(pair));
  for (const [local] of live) r.live.add(local);
  const from = scope.kind === "module" ? `,undefined,${JSON.stringify(scope.url)}` : "";
  const parts = assigned.map(([local, imported]) => {
    r.names.add(local);
    return `${local} = ${inKernel("pick")}(await ${inKernel("imp")}(${specifier}${from}),${JSON.stringify(imported)},${specifier});`;
  });
  if (live.length > 0) parts.push(`await ${inKernel("bring")}(${specifier},${JSON.stringify(live)});`);
  if (parts.length === 0) parts.push(`await ${inKernel("imp")}(${specifier}${from});`);
  edited.overwrite(node.start, node.end, parts.join(""));
  moveUp(r, node);
}

/** Moves the statement to the front of the form, after the statements that were moved before. */
export function moveUp({ edited, top }: Rewriting, node: Node): void {
  if (node.start > top) edited.move(node.start, node.end, top);
}

/** `export … from` declares no names in the form, but it loads the module and reads the exported names. */
export function rewriteReexport(r: Rewriting, node: ExportAllDeclaration | ExportNamedDeclaration): void {
  const { source } = node;
  if (source === null) return void r.edited.remove(node.start, node.end);
  r.imports = true;
  const specifier = JSON.stringify(source.value);
  const from = r.scope.kind === "module" ? `,undefined,${JSON.stringify(r.scope.url)}` : "";
  const load = `await ${inKernel("imp")}(${specifier}${from})`;
  const specifiers = node.type === "ExportAllDeclaration" ? [] : node.specifiers;
  const names = specifiers.map(({ local }) => JSON.stringify(exportName(local)));
  const checks = names.map((name) => `${inKernel("pick")}(${load},${name},${specifier});`);
  r.edited.overwrite(node.start, node.end, checks.length === 0 ? `${load};` : checks.join(""));
  moveUp(r, node);
}

/** `import()` and `import.meta` have no meaning in evaluated code, so they become calls of the kernel. */
export function rewriteImportsInside(r: Rewriting, statement: Node): void {
  const { edited, scope } = r;
  walk(statement, (node) => {
    if (node.type === "ImportExpression") {
      r.imports = true;
      edited.overwrite(node.start, node.start + "import".length, inKernel("imp"));
      if (scope.kind === "module") {
        const options = node.options === null ? ",undefined" : "";
        edited.appendLeft(node.end - 1, `${options},${JSON.stringify(scope.url)}`);
      }
    }
    if (node.type === "MetaProperty" && node.meta.name === "import") {
      const meta = scope.kind === "module" ? kernelCall("meta", scope.url) : inKernel("root");
      edited.overwrite(node.start, node.end, meta);
    }
    return true;
  });
}
