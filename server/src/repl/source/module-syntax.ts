/** The kind of module that a text is, by the rules of Node and TypeScript. */
import type { Node } from "oxc-parser";
import { parseSync } from "../../base/parser.ts";
import { declaratorNames, isClass, type Body } from "./syntax.ts";
import { topLevelAwaits } from "./top-level-awaits.ts";

/**
 * `module`: some syntax is only valid in an ES module. `declarations`: imports and exports, which TypeScript may
 * compile to CommonJS. `commonjs`: `export =` or `import = require`, which are only valid in CommonJS. `none`: nothing
 * of these.
 */
export type ModuleSyntax = "module" | "declarations" | "commonjs" | "none";

export function moduleSyntaxOf(path: string, text: string): ModuleSyntax {
  const { module, program } = parseSync(path, text, { sourceType: "unambiguous" });
  const { body } = program;
  // A text that does not parse is known only up to the mistake.
  if (body.length === 0) return module.hasModuleSyntax ? "declarations" : "none";
  if (body.some(isCompiledRequire)) return "commonjs";
  const waits = /\bawait\b/.test(text) && topLevelAwaits(path, text).length > 0;
  if (waits || module.importMetas.length > 0 || declaresOwn(body)) return "module";
  return body.some(isModuleDeclaration) ? "declarations" : "none";
}

/** Imports and exports of types do not exist in the output. */
function isModuleDeclaration(node: Node): boolean {
  if (node.type === "ImportDeclaration") return node.importKind !== "type";
  if (node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration") return node.exportKind !== "type";
  return node.type === "ExportDefaultDeclaration";
}

function isCompiledRequire(node: Node): boolean {
  if (node.type === "ExportNamedDeclaration" && node.declaration !== null) return isCompiledRequire(node.declaration);
  if (node.type === "TSImportEqualsDeclaration") {
    return node.importKind !== "type" && node.moduleReference.type === "TSExternalModuleReference";
  }
  return node.type === "TSExportAssignment";
}

/** `const require = …`: CommonJS already has this name. */
function declaresOwn(body: Body): boolean {
  return body.some((node) => {
    if (isClass(node)) return OWN.test(node.id?.name ?? "");
    return (
      node.type === "VariableDeclaration" && node.kind !== "var" && declaratorNames(node).some((name) => OWN.test(name))
    );
  });
}

const OWN = /^(?:require|module|exports|__filename|__dirname)$/;
