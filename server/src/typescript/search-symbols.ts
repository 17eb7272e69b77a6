/** Search by part of a name: the project's own symbols, then what the installed packages export and globals. */
import { externalNames, isLibFile } from "./external-names.ts";
import { inspectDeclaration, isAliasDeclaration, type DeclarationDetail } from "./inspect-declaration.ts";
import { moduleScope } from "./module-scope.ts";
import { nameMatcher } from "./name-pattern.ts";
import type { Declaration } from "./outline.ts";
import type { View } from "./view.ts";
import { giveWay, mapLimited } from "./yielding.ts";

export interface SymbolMatch {
  readonly declaration: Declaration;
  readonly rank: number;
  readonly origin: "project" | "dependency" | "global";
}

export interface SymbolMatches {
  /** Best first. */
  readonly matches: readonly SymbolMatch[];
  readonly unknownPackage: boolean;
  /** Files so large that only their outermost names were searched. */
  readonly outermostOnly: readonly string[];
}

const BATCH = 4_000;

export async function searchSymbols(
  view: View,
  pattern: string,
  packageName: string | undefined,
): Promise<SymbolMatches> {
  const matcher = nameMatcher(pattern);
  const scope = packageName === undefined ? undefined : moduleScope(view, packageName);
  if (packageName !== undefined && scope === undefined) return { matches: [], unknownPackage: true, outermostOnly: [] };
  const files = scope?.files ?? [...view.ownFiles(), ...view.externalFiles()];
  const own = files.filter((file) => view.paths.isOwn(file));
  const external = files.filter((file) => !view.paths.isOwn(file));
  const outlines = await mapLimited(own, (file) => view.outline(file), view.signal);
  const others = await mapLimited(external, (file) => externalNames(file), view.signal);
  const named = outlines.flatMap((outline) => outline.declarations.filter(isFirst));
  const found = await match(view, named, "project", matcher);
  found.push(...(await match(view, others.flat(), "dependency", matcher)));
  const outermostOnly = outlines.filter((outline) => outline.outermostOnly).map(({ file }) => file);
  return { matches: found.toSorted(better), unknownPackage: false, outermostOnly };
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

/** Overloads and merged declarations are one symbol. */
function isFirst({ ordinal }: Declaration): boolean {
  return ordinal === 1;
}

async function match(
  view: View,
  declarations: readonly Declaration[],
  origin: SymbolMatch["origin"],
  matcher: ReturnType<typeof nameMatcher>,
): Promise<SymbolMatch[]> {
  const found: SymbolMatch[] = [];
  for (let start = 0; start < declarations.length; start += BATCH) {
    const batch = declarations.slice(start, start + BATCH);
    const ranks = matcher(batch.map(({ name }) => name));
    for (const [index, declaration] of batch.entries()) {
      const rank = ranks[index];
      if (rank === undefined) continue;
      const from = origin === "dependency" && isLibFile(declaration.file) ? "global" : origin;
      found.push({ declaration, rank: rank + penalty(view, declaration), origin: from });
    }
    await giveWay();
  }
  return found;
}

/** Within one kind of match: sources before tests and built files, outer names before members before local helpers. */
function penalty(view: View, { file, path, local }: Declaration): number {
  const place = file.endsWith(".d.ts") ? 0.4 : view.paths.isTest(file) ? 0.3 : 0;
  return place + (path.includes(".") ? 0.1 : 0) + (local ? 0.2 : 0);
}

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
