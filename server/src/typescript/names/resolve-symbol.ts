/** From an address to the declarations it names, to its candidates, or to the nearest spellings. */
import type { SymbolTarget } from "./tree/declaration.ts";
import { formatAddress, parseAddress, type Address } from "./address.ts";
import { followAliases } from "./follow-aliases.ts";
import { importOnLine } from "./import-line.ts";
import { likelyFirst } from "./index/likely-first.ts";
import { declaredBeside, declaredOn, lineAddress, type LineAddress } from "./line-address.ts";
import { searchEverywhere, searchScope } from "./search-names.ts";
import { groupTargets, isSamePlace, targetOf } from "./targets.ts";
import { alsoDeclared, mergedElsewhere } from "./tree/merged-declarations.ts";
import { moduleScope, type ModuleScope } from "./tree/module-scope.ts";
import { unknownModule, unknownName, type UnknownName } from "./unknown-names.ts";
import { declaredByNameAt, declarationsOfUse, usedName, type UsedName } from "./used-name.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export type Resolution =
  | { readonly kind: "found"; readonly target: SymbolTarget }
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "ambiguous"; readonly candidates: readonly SymbolTarget[] }
  | UnknownName;

const NEAREST = 5;
/** The compiler is asked of so many targets which of them are one symbol. */
const MAX_ASKED = 20;

/**
 * `packageName` narrows a name that carries no module of its own. `isText` is for who asks for the text of a function that is
 * assigned to a member which is declared elsewhere; otherwise the member is meant.
 */
export async function resolveSymbol(
  view: View,
  text: string,
  packageName?: string,
  isText = false,
): Promise<Resolution> {
  const used = usedName(text);
  if (used !== undefined) return whereUsed(view, used);
  const line = lineAddress(text);
  if (line === undefined) return (isText && (await assignedAs(view, text))) || resolveName(view, text, packageName);
  const named = line.mayBeName ? await resolveName(view, text, packageName) : undefined;
  return named !== undefined && named.kind !== "unknown" ? named : onLine(view, line, isText);
}

/** The function that a file assigns to a member which is declared elsewhere, by the words of the assignment. */
async function assignedAs(view: View, text: string): Promise<Resolution | undefined> {
  const { module, path } = parseAddress(text);
  const [file, ...more] = module === undefined ? [] : (moduleScope(view, module)?.files ?? []);
  if (file === undefined || more.length > 0 || !path.includes(".")) return undefined;
  const { declarations } = await view.outline(file);
  const [first] = declarations.filter((each) => each.isHandedOver === true && each.path === path);
  return first === undefined ? undefined : { kind: "found", target: targetOf(view, [first]) };
}

/** What to say of the line that an address names, where the line imports or passes on; undefined for any other address. */
export async function importAt(view: View, text: string): Promise<string | undefined> {
  const line = lineAddress(text);
  const file = line === undefined || line.column !== undefined ? undefined : oneFile(view, line);
  return line === undefined || typeof file !== "string" ? undefined : importOnLine(view, file, line);
}

async function resolveName(view: View, text: string, packageName?: string): Promise<Resolution> {
  const parsed = parseAddress(text);
  const module = parsed.module ?? packageName;
  const scope = module === undefined ? undefined : moduleScope(view, module);
  if (module !== undefined && scope === undefined) {
    const each = withoutBraces(text);
    if (each.length > 1) return oneOfFiles(view, each);
    return (await outerMember(view, parsed, packageName)) ?? unknownModule(view, module);
  }
  if (parsed.path === "") return onlyModule(view, scope, text);
  const targets =
    scope === undefined
      ? await searchEverywhere(view, parsed.path)
      : groupTargets(view, await searchScope(view, scope, parsed.path));
  if (targets.length === 0) return unknownName(view, scope, parsed.path, module);
  const chosen = choose(targets.length > 1 ? await withoutParts(view, targets) : targets, parsed);
  if (chosen.kind === "ambiguous") return { ...chosen, candidates: await likelyFirst(view, chosen.candidates) };
  return chosen.kind === "found" && chosen.target.overload === undefined ? withMerged(view, chosen.target) : chosen;
}

/** `src/{a,b}.ts#x` is how answers write the addresses of several files in one line. */
function withoutBraces(text: string): string[] {
  const [, before = "", names = "", after = ""] = /^([^#{]*)\{([^#{}]+,[^#{}]+)\}([^]*)$/.exec(text) ?? [];
  return names === "" ? [text] : names.split(",").map((name) => `${before}${name.trim()}${after}`);
}

async function oneOfFiles(view: View, addresses: readonly string[]): Promise<Resolution> {
  const all = await mapLimited(addresses, (address) => resolveSymbol(view, address), view.signal);
  const found = all.flatMap((each) => (each.kind === "found" ? [each.target] : []));
  const [target, ...others] = await withoutParts(view, found);
  if (target !== undefined && others.length === 0) return { kind: "found", target };
  const reason = `That stands for ${addresses.length} addresses: ask for one of them.`;
  return { kind: "unknown", reason, nearest: addresses.slice(0, NEAREST) };
}

/** `Outer#member`, as JSDoc writes it, where no module is called Outer. */
async function outerMember(view: View, address: Address, packageName?: string): Promise<Resolution | undefined> {
  const { module: outer, path, overload } = address;
  if (outer === undefined || path === "" || /[/\\@:]/.test(outer)) return undefined;
  const count = overload === undefined ? "" : `#${overload}`;
  const resolution = await resolveSymbol(view, `${outer}.${path}${count}`, packageName);
  if (resolution.kind !== "unknown") return resolution;
  return resolution.nearest.some((name) => `${name}.`.startsWith(`${outer}.`)) ? resolution : undefined;
}

async function whereUsed(view: View, used: UsedName): Promise<Resolution> {
  const file = oneFile(view, used);
  if (typeof file !== "string") return file;
  const targets = groupTargets(view, await declarationsOfUse(view, file, used));
  const [target, ...more] = targets;
  if (target !== undefined) {
    return more.length > 0 ? { kind: "ambiguous", candidates: targets } : withMerged(view, target);
  }
  const where = `${view.paths.show(file)}:${used.line}:${used.column}`;
  return {
    kind: "unknown",
    reason: `The compiler knows of no declaration of "${used.name}" at ${where}.`,
    nearest: [],
  };
}

function oneFile(view: View, line: LineAddress): string | UnknownName {
  const [file, ...others] = moduleScope(view, line.file)?.files ?? [];
  if (file === undefined) return unknownModule(view, line.file);
  if (others.length === 0) return file;
  const nearest = [file, ...others].slice(0, NEAREST).map((each) => `${view.paths.show(each)}:${line.line}`);
  return { kind: "unknown", reason: `"${line.file}" means ${others.length + 1} files.`, nearest };
}

/** The answer goes on with the symbol's address, which stays where lines move. */
async function onLine(view: View, line: LineAddress, isText: boolean): Promise<Resolution> {
  const file = oneFile(view, line);
  if (typeof file !== "string") return file;
  const { declarations } = await view.outline(file);
  const named = await declaredByNameAt(view, file, line);
  const there = named.length > 0 ? named : declaredOn(declarations, line);
  const [target, ...more] = groupTargets(view, await followAliases(view, there));
  if (target === undefined) {
    const reason = `Nothing is declared on line ${line.line} of ${view.paths.show(file)}.`;
    const beside = declaredBeside(declarations, line);
    const nearest = beside.map(({ path, at }) => `${formatAddress(view.paths.show(file), path)} (line ${at.line + 1})`);
    return { kind: "unknown", reason, nearest };
  }
  if (more.length > 0) return { kind: "ambiguous", candidates: [target, ...more] };
  const [first] = target.declarations;
  const member = first.isHandedOver === true && !isText ? await resolveName(view, target.address) : undefined;
  if (member?.kind === "found") return member;
  const outlined = (await view.outline(target.file)).declarations.filter(({ path }) => path === target.path);
  const all = outlined.some((each) => isSamePlace(each, first)) ? outlined : [];
  return withMerged(view, targetOf(view, [first, ...all.filter((each) => !isSamePlace(each, first))]));
}

/** Keeps only the first of targets that the compiler merges into one symbol; too many targets are left as they are. */
async function withoutParts(view: View, targets: readonly SymbolTarget[]): Promise<readonly SymbolTarget[]> {
  if (targets.length > MAX_ASKED) return targets;
  const all = await mapLimited(
    targets,
    async ({ declarations: [first] }) => [first, ...(await alsoDeclared(view, first))],
    view.signal,
  );
  return targets.filter(({ declarations: [own] }, index) => {
    return !all
      .slice(0, index)
      .flat()
      .some((each) => isSamePlace(each, own));
  });
}

async function withMerged(view: View, target: SymbolTarget): Promise<Resolution> {
  const merged = await mergedElsewhere(view, target.declarations[0]);
  const added = merged.filter(({ file }) => target.declarations.every((each) => each.file !== file));
  return { kind: "found", target: { ...target, declarations: [...target.declarations, ...added] } };
}

/** The local names of one path with the number; without a number the one that needs none. */
function numberedSo(targets: readonly SymbolTarget[], overload: number | undefined): readonly SymbolTarget[] {
  const isOnePath = new Set(targets.map(({ file, path }) => `${file}#${path}`)).size === 1;
  const meant = targets.filter((each) => each.overload === overload);
  return isOnePath && meant.length > 0 ? meant : targets;
}

function choose(targets: readonly SymbolTarget[], { overload, path }: Address): Resolution {
  const [target, ...more] = targets.length > 1 ? numberedSo(targets, overload) : targets;
  if (target === undefined || more.length > 0) return { kind: "ambiguous", candidates: targets };
  if (target.overload !== undefined) return { kind: "found", target };
  if (overload === undefined) return { kind: "found", target };
  const chosen = target.declarations[overload - 1];
  if (chosen === undefined) {
    const count = target.declarations.length;
    return {
      kind: "unknown",
      reason: `${path} has ${count} declaration${count === 1 ? "" : "s"}, no #${overload}.`,
      nearest: [target.address],
    };
  }
  return {
    kind: "found",
    target: { ...target, declarations: [chosen], overload, address: `${target.address}#${overload}` },
  };
}

function onlyModule(view: View, scope: ModuleScope | undefined, text: string): Resolution {
  if (text.trim() === "") {
    return { kind: "unknown", reason: "Name a symbol: name, Outer.member, src/file.ts#Outer.member.", nearest: [] };
  }
  const [file] = scope?.files ?? [];
  if (scope?.kind === "file" && file !== undefined && scope.files.length === 1) return { kind: "module", file };
  const nearest = (scope?.files ?? []).slice(0, NEAREST).map((each) => view.paths.show(each));
  return { kind: "unknown", reason: `"${text}" names no symbol: add #Name to it.`, nearest };
}
