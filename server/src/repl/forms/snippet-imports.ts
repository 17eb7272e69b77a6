/** Imports inside of a snippet: the bridge gives them the meaning that they would have in a file. */
import type { Rewriting } from "./rewriting.ts";
import { walk, type SyntaxNode } from "./syntax.ts";

export function rewriteImport(r: Rewriting, node: SyntaxNode): void {
  const { edited, scope } = r;
  r.imports = true;
  const specifier = JSON.stringify((node["source"] as SyntaxNode)["value"]);
  const pairs = (node["specifiers"] as readonly SyntaxNode[]).map((item): readonly [string, string] => {
    const local = (item["local"] as SyntaxNode)["name"] as string;
    if (item.type === "ImportDefaultSpecifier") return [local, "default"];
    if (item.type === "ImportNamespaceSpecifier") return [local, "*"];
    const imported = item["imported"] as SyntaxNode;
    return [local, (imported["name"] ?? imported["value"]) as string];
  });
  // A lexical name of an earlier snippet would hide a getter of the global object: it is assigned instead.
  const assigned = scope.kind === "module" ? pairs : pairs.filter(([local]) => scope.declared.has(local));
  const live = pairs.filter((pair) => !assigned.includes(pair));
  for (const [local] of live) r.live.add(local);
  const from = scope.kind === "module" ? `,undefined,${JSON.stringify(scope.url)}` : "";
  const parts = assigned.map(([local, imported]) => {
    r.names.add(local);
    return `${local} = __agentq.pick(await __agentq.imp(${specifier}${from}),${JSON.stringify(imported)},${specifier});`;
  });
  if (live.length > 0) parts.push(`await __agentq.bring(${specifier},${JSON.stringify(live)});`);
  if (parts.length === 0) parts.push(`await __agentq.imp(${specifier}${from});`);
  edited.overwrite(node.start, node.end, parts.join(""));
  if (node.start > 0) edited.move(node.start, node.end, 0);
}

/** `export … from` gives the form no names, and still loads the module, and asks it for what it names. */
export function rewriteReexport(r: Rewriting, node: SyntaxNode): void {
  const source = node["source"] as SyntaxNode | null | undefined;
  if (source === null || source === undefined) return void r.edited.remove(node.start, node.end);
  r.imports = true;
  const specifier = JSON.stringify(source["value"]);
  const from = r.scope.kind === "module" ? `,undefined,${JSON.stringify(r.scope.url)}` : "";
  const load = `await __agentq.imp(${specifier}${from})`;
  const names = ((node["specifiers"] ?? []) as readonly SyntaxNode[]).map((item) => {
    const local = item["local"] as SyntaxNode;
    return JSON.stringify(local["name"] ?? local["value"]);
  });
  const checks = names.map((name) => `__agentq.pick(${load},${name},${specifier});`);
  r.edited.overwrite(node.start, node.end, checks.length === 0 ? `${load};` : checks.join(""));
  if (node.start > 0) r.edited.move(node.start, node.end, 0);
}

/** `import()` and `import.meta` have no meaning in evaluated code: the bridge gives them one. */
export function rewriteImportsInside(r: Rewriting, statement: SyntaxNode): void {
  const { edited, scope } = r;
  walk(statement, (node) => {
    if (node.type === "ImportExpression") {
      r.imports = true;
      edited.overwrite(node.start, node.start + "import".length, "__agentq.imp");
      if (scope.kind === "module") {
        const options = node["options"] === null ? ",undefined" : "";
        edited.appendLeft(node.end - 1, `${options},${JSON.stringify(scope.url)}`);
      }
    }
    if (node.type === "MetaProperty" && (node["meta"] as SyntaxNode)["name"] === "import") {
      const meta = scope.kind === "module" ? `__agentq.meta(${JSON.stringify(scope.url)})` : "__agentq.root";
      edited.overwrite(node.start, node.end, meta);
    }
    return true;
  });
}
