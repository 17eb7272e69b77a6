/**
 * Uses of what JavaScript assigns and the compiler does not know: 7.0.2 leaves out members of a prototype, members of a
 * constructor function, and what is added to a `module.exports` that is something else already. Such uses are found by
 * the value in front of the name; an answer that rests on such uses says so.
 */
import {
  isBindingElement,
  isCallExpression,
  isExportSpecifier,
  isIdentifier,
  isImportSpecifier,
  isNewExpression,
  isObjectLiteralExpression,
  isSourceFile,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { SymbolFlags, TypeFlags, type Symbol, type Type } from "typescript/unstable/async";
import { fileText } from "../../files/file-text.ts";
import { assignedName, memberOf, memberOfObjectThis, SCRIPT } from "../../names/javascript/assigned-names.ts";
import { accessed, assignedValue } from "../../names/javascript/assignments.ts";
import { isExportsObject } from "../../names/javascript/exports-object.ts";
import { nodesOf, throughExports } from "../../names/tree/checker-lookup.ts";
import { isRequired, requiredPath, wholeExports } from "../../names/javascript/commonjs-exports.ts";
import { inspectDeclaration } from "../../names/tree/inspect-declaration.ts";
import { nodesNamed, referenceOf } from "../../names/tree/named-nodes.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { isPathOf } from "../../names/javascript/required-path.ts";
import { nameNodeOf } from "../../names/tree/qualified-name.ts";
import type { Reference, LspRange } from "../../places.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** The value that must come before the name for the name to mean the symbol. */
interface Sought {
  readonly name: string;
  readonly file: string;
  /** For a member, where its class or function is declared; undefined for an export of the file. */
  readonly owner: Declaration | undefined;
  readonly isStatic: boolean;
}

type Verdict = "yes" | "no" | "unknown";
const MAX_SHOWN = 5;

/** `exported` are the names under which modules export the declaration. */
export async function syntaxUses(
  view: View,
  declaration: Declaration,
  exported: readonly Node[],
): Promise<Reference[]> {
  if (!SCRIPT.test(declaration.file) && exported.length === 0) return [];
  const found: Reference[] = [];
  for (const sought of [...(await soughtMember(view, declaration)), ...(await soughtExports(view, exported))]) {
    found.push(...(await usesOf(view, sought)));
  }
  return found;
}

async function soughtMember(view: View, declaration: Declaration): Promise<Sought[]> {
  const detail = declaration.path.includes(".") ? await inspectDeclaration(view, declaration) : undefined;
  const assigned = detail === undefined ? undefined : assignedName(detail.node);
  if (detail === undefined || assigned?.owner === undefined) return [];
  const { checker } = detail.program.project;
  // The compiler knows a property of a prototype object, but not as a member of the class behind the prototype.
  const isEntry = isObjectLiteralExpression(assigned.node.parent);
  if (!isEntry && (await checker.getSymbolAtLocation(assigned.nameNode)) !== undefined) return [];
  const { declarations } = await view.outline(declaration.file);
  const owner = declarations.find(({ path }) => path === assigned.owner);
  const { name, form } = assigned;
  return owner === undefined ? [] : [{ name, file: declaration.file, owner, isStatic: form === "static" }];
}

/** Names that the compiler does not count among the exports of their module. */
async function soughtExports(view: View, names: readonly Node[]): Promise<Sought[]> {
  const found = await mapLimited(
    names,
    async (nameNode) => {
      const { file } = referenceOf(nameNode, view);
      const program = (await view.source(file))?.program;
      const source = nameNode.getSourceFile();
      const text = isIdentifier(nameNode) || isStringLiteral(nameNode) ? nameNode.text : "";
      const module = await program?.project.checker.getSymbolAtLocation(source);
      if (program === undefined || module === undefined || text === "" || !isDirect(nameNode)) return [];
      if (await isKnownExport(program, module, text)) return [];
      return [{ name: text, file, owner: undefined, isStatic: true }];
    },
    view.signal,
  );
  return found.flat();
}

/** Not a part of an object that is exported: `nested: { name }`. */
function isDirect(nameNode: Node): boolean {
  for (let at = nameNode.parent; at !== undefined && !isSourceFile(at); at = at.parent) {
    const outer = (at as { readonly initializer?: Node }).initializer;
    if (outer !== undefined && outer.pos <= nameNode.pos && nameNode.end <= outer.end && !isVariableDeclaration(at))
      return false;
  }
  return true;
}

async function isKnownExport({ project: { checker } }: ProgramView, module: Symbol, name: string): Promise<boolean> {
  if ((await checker.getMemberInModuleExports(module, name)) !== undefined) return true;
  const whole = (await module.getExports()).get("export=" as never);
  const type = whole === undefined ? undefined : await checker.getTypeOfSymbol(whole);
  return type !== undefined && (await checker.getPropertyOfType(type, name)) !== undefined;
}

async function usesOf(view: View, sought: Sought): Promise<Reference[]> {
  const perFile = await mapLimited(view.ownFiles(), (file) => usesIn(view, file, sought), view.signal);
  const unsure = perFile.flatMap((each) => each.unsure);
  view.doubts.add(doubt(view, sought, unsure));
  return perFile.flatMap((each) => each.certain);
}

function doubt(view: View, { name, file, owner }: Sought, unsure: readonly Reference[]): string {
  const address = `${view.paths.show(file)}#${owner === undefined ? "" : `${owner.path}.`}${name}`;
  const why = `The compiler does not know ${address}, which an assignment makes: its uses were found by syntax, and some may be missing.`;
  if (unsure.length === 0) return why;
  const shown = unsure.slice(0, MAX_SHOWN).map((each) => `${view.paths.show(each.file)}:${each.at.line + 1}`);
  const more = unsure.length > MAX_SHOWN ? ` and ${unsure.length - MAX_SHOWN} more` : "";
  return `${why} Not counted, because the value's type is unknown: .${name} at ${shown.join(", ")}${more}.`;
}

interface Found {
  readonly certain: readonly Reference[];
  readonly unsure: readonly Reference[];
}

async function usesIn(view: View, file: string, sought: Sought): Promise<Found> {
  const text = await fileText(view, file);
  const found = text.includes(sought.name) ? await view.source(file) : undefined;
  if (found === undefined) return { certain: [], unsure: [] };
  const nodes = nodesNamed(view, found.source, [sought.name]);
  const judged = await mapLimited(nodes, (node) => judge(view, found.program, node, sought), view.signal);
  const of = (verdict: Verdict): Node[] => nodes.filter((_node, index) => judged[index] === verdict);
  const certain = of("yes");
  const locals = await mapLimited(certain, (node) => usesOfImport(view, file, node), view.signal);
  return {
    certain: [...certain.map((node) => referenceOf(node, view)), ...locals.flat()],
    unsure: of("unknown").map((node) => referenceOf(node, view)),
  };
}

async function judge(view: View, program: ProgramView, node: Node, sought: Sought): Promise<Verdict> {
  const receiver = receiverOf(node);
  if (receiver === undefined) return "no";
  const symbol = await program.project.checker.getSymbolAtLocation(node);
  const isResolved = symbol !== undefined && !isBindingElement(node.parent) && (symbol.flags & SymbolFlags.Alias) === 0;
  // The assignment itself has a symbol where the module's importers see none.
  if (isResolved && assignedName(node.parent.parent)?.nameNode !== node && !isExportsObject(receiver)) return "no";
  if (sought.owner === undefined) {
    if (await leadsToModule(view, program, receiver, sought)) return "yes";
    return isResolved ? "no" : unlessKnown(program, receiver);
  }
  return leadsToOwner(view, program, receiver, { ...sought, owner: sought.owner });
}

/** What the name is a member of: `receiver.name`, `const { name } = receiver`, `import { name } from "receiver"`. */
function receiverOf(node: Node): Node | undefined {
  const { parent } = node;
  const access = accessed(parent);
  if (access?.nameNode === node) return access.receiver;
  if (isImportSpecifier(parent) || isExportSpecifier(parent)) {
    if (parent.propertyName !== undefined && parent.name === node) return undefined;
    let at: Node | undefined = parent;
    while (at !== undefined && (at as { readonly moduleSpecifier?: Node }).moduleSpecifier === undefined)
      at = at.parent;
    return (at as { readonly moduleSpecifier?: Node } | undefined)?.moduleSpecifier;
  }
  if (!isBindingElement(parent) || (parent.propertyName ?? parent.name) !== node) return undefined;
  const holder = parent.parent.parent;
  return isVariableDeclaration(holder) ? holder.initializer : undefined;
}

async function leadsToModule(view: View, program: ProgramView, receiver: Node, { file }: Sought): Promise<boolean> {
  const source = receiver.getSourceFile();
  if (isExportsObject(receiver) || memberOfObjectThis(receiver)?.form === "export")
    return view.state.aliases.primary(source.fileName) === file;
  const path = isCallExpression(receiver) ? receiver.arguments[0] : (accessed(receiver)?.nameNode ?? receiver);
  if (path !== undefined && isStringLiteral(path) && isPathOf(path, file)) return true;
  const symbol = path === undefined ? undefined : await program.project.checker.getSymbolAtLocation(path);
  const own = symbol === undefined ? [] : await nodesOf(program, symbol);
  const nodes = path === undefined ? own : [...own, ...(await declaredNodes(program, path))];
  return nodes.some((node) => {
    // A file that is no module to the compiler is still required by its path.
    const required = isRequired(node) ? requiredPath(node) : undefined;
    if (required !== undefined && isPathOf(required, file)) return true;
    const declared = node.getSourceFile();
    if (view.state.aliases.primary(declared.fileName) !== file) return false;
    if (isSourceFile(node)) return true;
    const name = nameNodeOf(node);
    return wholeExports(declared).some(
      (value) =>
        value === node || value === assignedValue(node) || (isIdentifier(value) && value.text === name?.getText()),
    );
  });
}

async function leadsToOwner(
  view: View,
  program: ProgramView,
  receiver: Node,
  { file, owner, isStatic }: Sought & { readonly owner: Declaration },
): Promise<Verdict> {
  const isOwner = (node: Node): boolean => {
    const { file: declared, at } = referenceOf(nameNodeOf(node) ?? node, view);
    return declared === file && at.line === owner.at.line && at.character === owner.at.character;
  };
  const isHere = view.state.aliases.primary(receiver.getSourceFile().fileName) === file;
  const own = isHere ? (memberOf(receiver) ?? memberOfObjectThis(receiver)) : undefined;
  if (own?.owner !== undefined) return own.owner === owner.path && (own.form === "static") === isStatic ? "yes" : "no";
  if (isStatic) {
    const nodes = await declaredNodes(program, accessed(receiver)?.nameNode ?? receiver);
    return nodes.some(isOwner) ? "yes" : unlessKnown(program, receiver);
  }
  const { checker } = program.project;
  const type = await checker.getTypeAtLocation(receiver);
  if (type === undefined || (type.flags & TypeFlags.Any) !== 0) {
    const made = await constructed(program, receiver);
    if (made === undefined) return "unknown";
    return (await declaredNodes(program, accessed(made)?.nameNode ?? made)).some(isOwner) ? "yes" : "unknown";
  }
  return (await isInstance(program, type, isOwner)) ? "yes" : "no";
}

async function unlessKnown({ project: { checker } }: ProgramView, receiver: Node): Promise<Verdict> {
  if (isStringLiteral(receiver)) return "no";
  const type = await checker.getTypeAtLocation(receiver);
  return type === undefined || (type.flags & TypeFlags.Any) !== 0 ? "unknown" : "no";
}

async function isInstance(program: ProgramView, type: Type, isOwner: (node: Node) => boolean): Promise<boolean> {
  const { checker } = program.project;
  const seen = new Set([type]);
  for (const each of seen) {
    const symbol = await each.getSymbol();
    if (symbol !== undefined && (await nodesOf(program, symbol)).some(isOwner)) return true;
    if (each.isUnionType() || each.isIntersectionType()) for (const part of await each.getTypes()) seen.add(part);
    else if (each.isClassOrInterface()) for (const base of await checker.getBaseTypes(each)) seen.add(base);
  }
  return false;
}

/** `Outer` of `new Outer()`, or of a variable that holds such an instance. */
async function constructed(program: ProgramView, receiver: Node): Promise<Node | undefined> {
  if (isNewExpression(receiver)) return receiver.expression;
  if (!isIdentifier(receiver)) return undefined;
  const symbol = await program.project.checker.getSymbolAtLocation(receiver);
  const [node] = symbol === undefined ? [] : await nodesOf(program, symbol);
  const value = node !== undefined && isVariableDeclaration(node) ? node.initializer : undefined;
  return value !== undefined && isNewExpression(value) ? value.expression : undefined;
}

async function declaredNodes(program: ProgramView, node: Node): Promise<Node[]> {
  const { checker } = program.project;
  const symbol = await checker.getSymbolAtLocation(node);
  if (symbol === undefined) return [];
  const meant = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : await checker.getAliasedSymbol(symbol);
  return nodesOf(program, await throughExports(program, meant));
}

/** An import that leads nowhere for the compiler has uses all the same. */
async function usesOfImport(view: View, file: string, { parent }: Node): Promise<Reference[]> {
  const local = isImportSpecifier(parent) ? nameNodeOf(parent) : undefined;
  if (local === undefined) return [];
  const found = await view.requestOnceAt<{ uri: string; range: LspRange }[] | null>(
    "textDocument/references",
    file,
    referenceOf(local, view).at,
    { context: { includeDeclaration: true } },
  );
  return (found ?? []).map(({ uri, range }) => ({ file: view.fileOf(uri), at: range.start }));
}
