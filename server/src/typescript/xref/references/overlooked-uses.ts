/**
 * Uses that the compiler's own search passes over, though its checker knows what is there: names imported from a
 * package that says `export =`, the name in `T["name"]` where the file spells the name in no other way, and what is
 * reached through a value that holds a module's namespace. The checker is asked at each place of few files that
 * spells the name.
 */
import {
  isIdentifier,
  isImportSpecifier,
  isIndexedAccessTypeNode,
  isLiteralTypeNode,
  isStringLiteral,
  type Node,
} from "typescript/unstable/ast";
import { dirname } from "node:path";
import type { Symbol } from "typescript/unstable/async";
import { fileText, TextFacts } from "../../files/file-text.ts";
import { builtCounterparts } from "../../names/built-counterparts.ts";
import { declarationsOfSymbol } from "../../names/tree/checker-lookup.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { filesMentioning } from "../../names/index/files-by-text.ts";
import { nameAt } from "../../names/name-at.ts";
import { nodesNamed, referenceOf } from "../../names/tree/named-nodes.ts";
import { perSnapshot } from "../../per-snapshot.ts";
import { placeKey, type Reference } from "../../places.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";
import { meaningsOf } from "./exported-uses.ts";

interface Spellings {
  /** Names in `T["name"]`. */
  readonly indexed: readonly string[];
  /** Names between the braces of imports and exports. */
  readonly passed: readonly string[];
  /** Modules whose namespace is used as a value of its own, by their specifiers. */
  readonly held: readonly string[];
}

const INDEXED = /\[\s*(["'`])([\w$]+)\1\s*\]/g;
const BRACES = /\b(?:import|export)\s*(?:type\s*)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}/g;
const NAMESPACE = /\b(import|export)\s+(?:type\s+)?\*\s*as\s+([\w$]+)\s+from\s*["']([^"'\n]+)["']/g;
const TYPE_OF_MODULE = /\btypeof\s+import\(\s*["']([^"'\n]+)["']\s*\)(?!\s*\.)/g;

const spelled = new TextFacts((text): Spellings => ({
  indexed: [...text.matchAll(INDEXED)].map(([, , name = ""]) => name),
  passed: [...text.matchAll(BRACES)].flatMap(([, names = ""]) =>
    [...names.matchAll(/(?:^|,)\s*(?:type\s+)?([\w$]+)/g)].map(([, name = ""]) => name),
  ),
  held: [...heldIn(text), ...[...text.matchAll(TYPE_OF_MODULE)].map(([, specifier = ""]) => specifier)],
}));

/**
 * The modules of `import * as name` whose name some place uses without a member behind it; and those of `export * as
 * name` of a module that the file takes as a whole in another statement, too: 7.0.2 follows the first of such
 * statements.
 */
function heldIn(text: string): string[] {
  const all = [...text.matchAll(NAMESPACE)];
  const specifiers = all.map((each) => each.at(-1) ?? "");
  return all.flatMap(([statement, word, name = "", specifier = ""]) => {
    if (word === "export") return specifiers.indexOf(specifier) < specifiers.lastIndexOf(specifier) ? [specifier] : [];
    const alone = new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$]|\\s*(?:\\?\\.|\\.(?!\\.)|\\[))`);
    return alone.test(text.replace(statement, "")) ? [specifier] : [];
  });
}

interface SpellingFiles {
  readonly indexed: ReadonlyMap<string, readonly string[]>;
  readonly passed: ReadonlyMap<string, readonly string[]>;
  readonly held: readonly { readonly file: string; readonly specifier: string }[];
}

const spellingFiles = perSnapshot(async (view): Promise<SpellingFiles> => {
  const files = view.ownFiles();
  const facts = await spelled.ofAll(view, files);
  const indexed = new Map<string, string[]>();
  const passed = new Map<string, string[]>();
  const held: { file: string; specifier: string }[] = [];
  const add = (to: Map<string, string[]>, name: string, file: string): void => {
    const known = to.get(name);
    if (known === undefined) to.set(name, [file]);
    else if (known.at(-1) !== file) known.push(file);
  };
  for (const [index, file] of files.entries()) {
    for (const name of facts[index]?.indexed ?? []) add(indexed, name, file);
    for (const name of facts[index]?.passed ?? []) add(passed, name, file);
    for (const specifier of facts[index]?.held ?? []) held.push({ file, specifier });
  }
  return { indexed, passed, held };
});

/** Uses that the compiler may know as well: this search can go on beside the compiler's own. */
export async function overlookedUses(view: View, declaration: Declaration): Promise<Reference[]> {
  const files = await filesToAsk(view, declaration);
  if (files.length === 0) return [];
  const symbol = {
    name: declaration.name,
    places: new Set([declaration, ...(await builtCounterparts(view, declaration))].map(placeKey)),
  };
  const found = await mapLimited(files, (asked) => usesIn(view, asked, symbol), view.signal);
  return found.flat().map((node) => {
    const { file, at } = referenceOf(node, view);
    // As the compiler has it, a quoted name begins behind its quote.
    return { file, at: isStringLiteral(node) ? { ...at, character: at.character + 1 } : at };
  });
}

interface AskedFile {
  readonly file: string;
  readonly isAsked: (node: Node) => boolean;
}

async function filesToAsk(view: View, declaration: Declaration): Promise<AskedFile[]> {
  const { name, path, file } = declaration;
  const { indexed, passed } = await spellingFiles(view);
  if (!path.includes(".")) {
    const spelling = (await isHeld(view, declaration)) ? await filesMentioning(view, view.ownFiles(), name) : [];
    return spelling.map((each) => ({ file: each, isAsked: () => true }));
  }
  const isInPackage = /\.d\.[cm]?ts$/.test(file) || /\bexport\s*=/.test(await fileText(view, file));
  const importing = isInPackage ? (passed.get(name) ?? []) : [];
  const whole = new Set(importing);
  return [
    ...importing.map((each) => ({ file: each, isAsked: () => true })),
    ...(indexed.get(name) ?? []).filter((each) => !whole.has(each)).map((each) => ({ file: each, isAsked: isIndex })),
  ];
}

function isIndex(node: Node): boolean {
  return isStringLiteral(node) && isLiteralTypeNode(node.parent) && isIndexedAccessTypeNode(node.parent.parent);
}

interface HeldModule {
  readonly program: ProgramView;
  readonly module: Symbol;
}

/** The modules whose namespaces are held by values, each once for those who name it in the same way. */
const heldModules = perSnapshot(async (view): Promise<readonly HeldModule[]> => {
  const { held } = await spellingFiles(view);
  const named = Map.groupBy(held, ({ file, specifier }) => {
    const from = specifier.startsWith(".") ? dirname(file) : (view.programOf(file)?.configFile ?? "");
    return `${from}\n${specifier}`;
  });
  const found = await mapLimited([...named.values()], async ([first]): Promise<HeldModule[]> => {
    const source = first === undefined ? undefined : await view.source(first.file);
    if (first === undefined || source === undefined) return [];
    const offset = placeOfQuoted(source.source.text, first.specifier);
    const { checker } = source.program.project;
    const module = offset < 0 ? undefined : await checker.getSymbolAtLocation(nameAt(source.source, offset));
    return module === undefined ? [] : [{ program: source.program, module }];
  });
  return found.flat();
});

/** Whether a module whose namespace is held by a value exports the declaration. */
async function isHeld(view: View, declaration: Declaration): Promise<boolean> {
  const exporting = await mapLimited(await heldModules(view), async ({ program, module }) => {
    const symbol = await program.project.checker.getMemberInModuleExports(module, declaration.name);
    const declared = symbol === undefined ? [] : await declarationsOfSymbol(view, program, symbol);
    return declared.some((each) => placeKey(each) === placeKey(declaration));
  });
  return exporting.includes(true);
}

/** The place of the specifier's quote in an import, and not in any other text. */
function placeOfQuoted(text: string, specifier: string): number {
  const imports = [...text.matchAll(NAMESPACE), ...text.matchAll(TYPE_OF_MODULE)];
  const found = imports.find((each) => each.at(-1) === specifier);
  return found === undefined ? -1 : found.index + found[0].lastIndexOf(specifier) - 1;
}

interface AskedSymbol {
  readonly name: string;
  /** Where the checker may say that the symbol is declared: in the source, and in what was built from the source. */
  readonly places: ReadonlySet<string>;
}

async function usesIn(view: View, { file, isAsked }: AskedFile, { name: own, places }: AskedSymbol): Promise<Node[]> {
  const found = await view.source(file);
  if (found === undefined) return [];
  const { source, program } = found;
  const meant = async (name: string): Promise<Node[]> => {
    const nodes = nodesNamed(view, source, [name]).filter(isAsked);
    const meanings = await meaningsOf(view, program, nodes);
    return nodes.filter((_, index) => meanings[index]?.some((place) => places.has(place)));
  };
  const uses = await meant(own);
  // `import { name as other }`: the uses in this file are those of the other name.
  const others = uses.flatMap(({ parent }) => {
    const isRenamed = isImportSpecifier(parent) && parent.propertyName !== undefined && isIdentifier(parent.name);
    return isRenamed ? [parent.name] : [];
  });
  const local = await Promise.all(others.map(async (name) => (await meant(name.text)).filter((node) => node !== name)));
  return [...uses.filter((node) => !others.some((name) => name === node)), ...local.flat()];
}
