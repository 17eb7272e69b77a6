/** What a text says of the kind of module that the text is, as Node and TypeScript find it out. */
import { parseSync, type Node } from "oxc-parser";
import { declaratorNames, isClass, type Body } from "./syntax.ts";
import { topLevelAwaits } from "./top-level-awaits.ts";

/**
 * `module`: nothing but a module of ES can have what is there. `declarations`: imports and exports, which TypeScript
 * may compile to CommonJS. `commonjs`: `export =` and `import = require`, which can be nothing but CommonJS. `none`:
 * neither.
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

/** Types leave nothing behind. */
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

/** `const require = …`: in CommonJS that name is taken. */
function declaresOwn(body: Body): boolean {
  return body.some((node) => {
    if (isClass(node)) return OWN.test(node.id?.name ?? "");
    return (
      node.type === "VariableDeclaration" && node.kind !== "var" && declaratorNames(node).some((name) => OWN.test(name))
    );
  });
}

const OWN = /^(?:require|module|exports|__filename|__dirname)$/;
