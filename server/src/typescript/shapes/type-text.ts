/** Types and signatures as the compiler writes them: on one line, never cut, without machine paths. */
import { NodeBuilderFlags, type Project, type Signature, type Type } from "typescript/unstable/async";
import { SyntaxKind, type Node } from "typescript/unstable/ast";
import type { ProgramView, View } from "../view.ts";

/** Where types are written down, and from where they are named. */
export interface TypeContext {
  readonly view: View;
  readonly program: ProgramView;
  /** What can be seen from here needs no `import("…")` before its name. */
  readonly enclosing: Node;
}

const TYPE_FLAGS: NodeBuilderFlags =
  NodeBuilderFlags.NoTruncation |
  NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope |
  NodeBuilderFlags.AllowUniqueESSymbolType;

/** For a whole signature, whatever its types are. */
export const SIGNATURE_FLAGS: NodeBuilderFlags = TYPE_FLAGS | NodeBuilderFlags.IgnoreErrors;

export async function typeText({ view, program, enclosing }: TypeContext, type: Type): Promise<string> {
  return readable(view, await program.project.checker.typeToString(type, enclosing, TYPE_FLAGS));
}

/** A node that the compiler made, such as a piece of a signature. */
export async function nodeText(view: View, project: Project, node: Node): Promise<string> {
  return readable(view, await project.emitter.printNode(node));
}

/** `<T>(key: Key): Item`; "(…)" for one the compiler cannot write down. */
export async function signatureText(
  { view, program: { project }, enclosing }: TypeContext,
  signature: Signature,
): Promise<string> {
  const { checker } = project;
  const node = await checker.signatureToSignatureDeclaration(
    signature,
    SyntaxKind.CallSignature,
    enclosing,
    SIGNATURE_FLAGS,
  );
  return node === undefined ? "(…)" : (await nodeText(view, project, node)).replace(/;$/, "");
}

/** The printer breaks lines inside objects and tuples; strings it never breaks. */
function readable(view: View, text: string): string {
  return text
    .replace(/([([])\s*\n\s*/g, "$1")
    .replace(/,?\s*\n\s*([)\]])/g, "$1")
    .replace(/\s*\n\s*/g, " ")
    .replace(/import\("([^"]+)"\)/g, (_match, module: string) => `import("${view.paths.show(module)}")`)
    .trim();
}
