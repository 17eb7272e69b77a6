/** Search by part of a name: the project's own symbols, then what the installed packages export and globals. */
import { isLibFile } from "./external-names.ts";
import { indexExternalFiles, indexOwnFiles } from "./indexed-names.ts";
import { inspectDeclaration, isAliasDeclaration, type DeclarationDetail } from "../tree/inspect-declaration.ts";
import { folderOrModule } from "../tree/module-scope.ts";
import type { IndexedName } from "../tree/name-index.ts";
import { nameMatcher, textFilter, type NameMatcher, type Rank } from "./name-pattern.ts";
import type { Declaration } from "../tree/declaration.ts";
import type { View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

export interface SymbolMatch {
  readonly declaration: Declaration;
  readonly rank: number;
  readonly origin: "project" | "dependency" | "global";
}

export interface SymbolMatches {
  /** In no order: `bestMatches` gives the first of them. */
  readonly matches: readonly SymbolMatch[];
  readonly unknownPackage: boolean;
  /** Files so large that only their outermost names were searched. */
  readonly outermostOnly: readonly string[];
}

export async function searchSymbols(
  view: View,
  pattern: string,
  packageName: string | undefined,
): Promise<SymbolMatches> {
  const matcher = nameMatcher(pattern);
  const scope = packageName === undefined ? undefined : folderOrModule(view, packageName);
  if (packageName !== undefined && scope === undefined) return { matches: [], unknownPackage: true, outermostOnly: [] };
  const own = scope === undefined ? view.ownFiles() : scope.files.filter((file) => view.paths.isOwn(file));
  const external = scope === undefined ? view.externalFiles() : scope.files.filter((file) => !view.paths.isOwn(file));
  await indexOwnFiles(view, own, textFilter(pattern));
  await indexExternalFiles(view, external);
  const isOwn = new Map<string, boolean>();
  for (const file of own) isOwn.set(file, true);
  for (const file of external) isOwn.set(file, false);
  const matches = await matchesIn(view, isOwn, matcher);
  const outermostOnly = [...view.state.outlines.names.outermostOnly].filter((file) => isOwn.has(file)).toSorted();
  return { matches, unknownPackage: false, outermostOnly };
}

/** Matches with their details, aliases and names that turned out to be nothing left out. */
export async function inspectMatches(
  view: View,
  matches: readonly SymbolMatch[],
): Promise<(DeclarationDetail & { readonly match: SymbolMatch })[]> {
  const details = await mapLimited(matches, (each) => inspectDeclaration(view, each.declaration), view.signal);
  return details.flatMap((detail, index) => {
    const match = matches[index];
    return detail === undefined || match === undefined || isAliasDeclaration(detail) ? [] : [{ ...detail, match }];
  });
}

async function matchesIn(
  view: View,
  isOwn: ReadonlyMap<string, boolean>,
  matcher: NameMatcher,
): Promise<SymbolMatch[]> {
  const found: SymbolMatch[] = [];
  await forEachRanked(view, matcher, ({ declarations }, rank) => {
    for (const declaration of declarations) {
      const own = isOwn.get(declaration.file);
      if (own === undefined) continue;
      const origin = own ? "project" : isLibFile(declaration.file) ? "global" : "dependency";
      found.push({ declaration, rank: rank + penalty(view, declaration), origin });
    }
  });
  return found;
}

/** Tens of thousands of names are compared, and few of them match: only between groups of them is the clock looked at. */
const NAMES_AT_ONCE = 500;

async function forEachRanked(
  view: View,
  matcher: NameMatcher,
  visit: (indexed: IndexedName, rank: number) => void,
): Promise<void> {
  const names = [...view.state.outlines.names.names()];
  const rankAt = await rankerOf(matcher, names);
  const groups = Array.from({ length: Math.ceil(names.length / NAMES_AT_ONCE) }, (_group, at) => at * NAMES_AT_ONCE);
  await forEachYielding(
    groups,
    (start) => {
      const end = Math.min(start + NAMES_AT_ONCE, names.length);
      for (let at = start; at < end; at += 1) {
        const indexed = names[at] as IndexedName;
        const rank = rankAt(indexed, at);
        if (rank !== undefined) visit(indexed, rank);
      }
    },
    view.signal,
  );
}

async function rankerOf(
  matcher: NameMatcher,
  names: readonly IndexedName[],
): Promise<(indexed: IndexedName, at: number) => Rank> {
  if ("rank" in matcher) return matcher.rank;
  const ranks = await matcher.rankAll(names.map(({ name }) => name));
  return (_indexed, at) => ranks[at];
}

/** The first of them, best first: sorting all of tens of thousands to show thirty would hold up everything else. */
export async function bestMatches(matches: readonly SymbolMatch[], count: number): Promise<SymbolMatch[]> {
  const groups = new Map<number, SymbolMatch[]>();
  await forEachYielding(matches, (match) => {
    const key = ORIGIN_ORDER[match.origin] * 100 + match.rank;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [match]);
    else group.push(match);
  });
  const best: SymbolMatch[] = [];
  for (const key of [...groups.keys()].toSorted((a, b) => a - b)) {
    if (best.length >= count) break;
    best.push(...(groups.get(key) ?? []).toSorted(better));
  }
  return best.slice(0, count);
}

/**
 * Sources before tests and built files, outer names before members. Names inside of functions come behind all else
 * that matches, together with members of what a test declares, and names in functions of tests come last.
 */
function penalty(view: View, { file, path, local }: Declaration): number {
  const isTest = view.paths.isTest(file);
  const place = file.endsWith(".d.ts") ? 0.4 : isTest ? 0.3 : 0;
  const isMember = path.includes(".");
  const level = local ? (isTest ? 2 : 1) : isTest && isMember ? 1 : 0;
  return place + (isMember ? 0.1 : 0) + level * RANKS;
}

/** More than there are kinds of matches. */
const RANKS = 10;
const ORIGIN_ORDER = { project: 0, dependency: 1, global: 2 } as const;

function better(a: SymbolMatch, b: SymbolMatch): number {
  const byOrigin = ORIGIN_ORDER[a.origin] - ORIGIN_ORDER[b.origin];
  if (byOrigin !== 0) return byOrigin;
  if (a.rank !== b.rank) return a.rank - b.rank;
  const [left, right] = [a.declaration, b.declaration];
  if (left.name.length !== right.name.length) return left.name.length - right.name.length;
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.at.line - right.at.line;
}
