/** Classes that may fit an interface without saying so, by the names of their members. */
import { isClassLikeDeclaration } from "typescript/unstable/ast";
import { SymbolFlags } from "typescript/unstable/async";
import { fileTextNow } from "../../files/file-text.ts";
import type { Declaration, FileOutline, OutlineKind } from "../../names/tree/declaration.ts";
import { inspectDeclaration } from "../../names/tree/inspect-declaration.ts";
import type { LspPosition } from "../../places.ts";
import type { Subtype } from "./subtypes.ts";
import { entryOfNode, instanceType, typeNodeOf, type TypeEntry } from "./type-entry.ts";
import type { View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

const INHERITING = ["extends", "implements"];
const HOLDERS: ReadonlySet<OutlineKind> = new Set<OutlineKind>(["variable", "property"]);

/** The members that an instance must have, its inherited ones among them. */
export async function requiredNames(entry: TypeEntry): Promise<string[]> {
  const type = await instanceType(entry);
  if (type === undefined) return [];
  const properties = await entry.program.project.checker.getPropertiesOfType(type);
  return properties.filter(({ flags }) => (flags & SymbolFlags.Optional) === 0).map(({ name }) => name);
}

/** Own classes that declare all the names, or some of them and inherit from something that may have the rest. */
export async function candidatesFor(
  view: View,
  entry: TypeEntry,
  required: readonly string[],
  declared: readonly Subtype[],
): Promise<TypeEntry[]> {
  const wanted = new Set(required);
  const files = await withOtherClasses(view, await possibleFiles(view, required), declared);
  const outlines = await mapLimited(files, (file) => view.outline(file), view.signal);
  const possible = outlines.flatMap((outline) => ownersOf(view, outline, wanted));
  const entries = await mapLimited(
    possible,
    async ({ declaration, isWhole }) => {
      const detail = await inspectDeclaration(view, declaration);
      const node = detail === undefined ? undefined : typeNodeOf(detail.node);
      if (detail === undefined || node === undefined || !isClassLikeDeclaration(node)) return undefined;
      const inherits = (node.heritageClauses?.length ?? 0) > 0;
      return isWhole || inherits ? entryOfNode(view, detail.program, node) : undefined;
    },
    view.signal,
  );
  const known = new Set([entry.key, ...declared.map((subtype) => subtype.entry.key)]);
  return entries.filter((each) => each !== undefined).filter((each) => !known.has(each.key));
}

interface Owner {
  readonly declaration: Declaration;
  /** True where it declares all the names itself. */
  readonly isWhole: boolean;
}

/** The classes that declare some of the names, and the variables and properties that may hold such a class. */
function ownersOf(view: View, { file, declarations }: FileOutline, wanted: ReadonlySet<string>): Owner[] {
  const byOwner = new Map<string, { readonly names: Set<string>; readonly first: Declaration }>();
  for (const declaration of declarations) {
    const { path, name } = declaration;
    if (!wanted.has(name) || path.length <= name.length) continue;
    const owner = path.slice(0, -name.length - 1);
    const known = byOwner.get(owner) ?? { names: new Set(), first: declaration };
    byOwner.set(owner, known);
    known.names.add(name);
  }
  let lines: readonly string[] | undefined;
  return declarations.flatMap((declaration) => {
    const found = byOwner.get(declaration.path);
    if (found === undefined) return [];
    const owner = { declaration, isWhole: found.names.size === wanted.size };
    if (declaration.kind === "class") return [owner];
    if (!HOLDERS.has(declaration.kind)) return [];
    lines ??= fileTextNow(view, file).split("\n");
    // An object literal has such members too, and is no class.
    return /\bclass\b/.test(textBetween(lines, declaration.at, found.first.at)) ? [owner] : [];
  });
}

function textBetween(lines: readonly string[], from: LspPosition, to: LspPosition): string {
  const [first = "", ...rest] = lines.slice(from.line, to.line + 1);
  return [first.slice(from.character), ...rest].join("\n");
}

/** Those whose text has what such a class needs; outlines of all files would cost the compiler seconds. */
async function possibleFiles(view: View, required: readonly string[]): Promise<string[]> {
  const found = await view.state.words.filesWith(view, ["class", ...INHERITING, ...required]);
  return [...found].flatMap(([file, words]) => (mayDeclare(new Set(words), required) ? [file] : []));
}

/** Those that say "class" more often than they have declared subtypes: an outline is a request to the compiler each. */
async function withOtherClasses(
  view: View,
  files: readonly string[],
  declared: readonly Subtype[],
): Promise<readonly string[]> {
  const classes = declared.filter(({ entry: { nodes } }) => isClassLikeDeclaration(nodes[0]));
  const perFile = Map.groupBy(classes, ({ entry }) => entry.declaration.file);
  const others: string[] = [];
  const visit = (file: string): void => {
    const known = perFile.get(file)?.length ?? 0;
    const isCovered = known > 0 && (fileTextNow(view, file).match(/\bclass\b/g)?.length ?? 0) <= known;
    if (!isCovered) others.push(file);
  };
  await forEachYielding(files, visit, view.signal);
  return others;
}

/** Whether a text with these words may declare a class that has all members, of its own or with what it inherits. */
export function mayDeclare(words: ReadonlySet<string>, required: readonly string[]): boolean {
  if (!words.has("class")) return false;
  const found = required.filter((name) => words.has(name)).length;
  return found === required.length || (found > 0 && INHERITING.some((word) => words.has(word)));
}
