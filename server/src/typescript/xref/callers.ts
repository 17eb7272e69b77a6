/** Who calls a symbol: every way code can run it or hand it on, by the declaration around the call. */
import type { Node } from "typescript/unstable/ast";
import { callable } from "./callable.ts";
import type { UseKind } from "./references/classify-use.ts";
import { constructionOf, type ConstructorRun } from "./construction.ts";
import { lineText } from "./references/line-text.ts";
import { builtCounterparts } from "../names/built-counterparts.ts";
import type { Declaration, SymbolTarget } from "../names/tree/declaration.ts";
import { enclosingDeclaration } from "../names/tree/qualified-name.ts";
import { findUses, inShownOrder, type ReferenceUse } from "./references/references.ts";
import { indirections, resolvesTo, type Indirection } from "./references/resolved-target.ts";
import { doubtUntyped } from "./references/untyped-members.ts";
import type { View } from "../view.ts";
import type { LspPosition } from "../places.ts";

export interface CallSite {
  readonly file: string;
  readonly at: LspPosition;
  readonly kind: UseKind;
  /** `argument of map`, `implicit constructor`, `via Shape.area`. */
  readonly detail: string | undefined;
  /** `Outer.member` or "(module)". */
  readonly caller: string;
  /** The declaration to ask about next, for the callers' callers; undefined for a module's top level. */
  readonly callerNode: Node | undefined;
  readonly line: string;
  readonly isTest: boolean;
}

export type Mention = Pick<ReferenceUse, "file" | "at">;

export interface Callers {
  readonly sites: readonly CallSite[];
  /** Where the symbol is mentioned in ways that are no call: imports, types, … */
  readonly otherUses: ReadonlyMap<UseKind | "read", readonly Mention[]>;
  /** Calls the compiler relates to this member although they run another implementation of it. */
  readonly elsewhere: number;
}

const CALLING: ReadonlySet<UseKind> = new Set<UseKind>([
  "call",
  "new",
  "jsx",
  "tagged template",
  "decorator",
  "super call",
  "passed as value",
]);
const UNREPORTED: ReadonlySet<UseKind> = new Set<UseKind>(["declaration", "jsx closing tag", "documentation"]);

export async function findCallers(view: View, target: SymbolTarget): Promise<Callers> {
  const [declaration] = target.declarations;
  const construction = await constructionOf(view, declaration);
  const uses = construction?.uses ?? (await usesOrDoubts(view, target));
  const how = construction === undefined ? await callable(view, declaration) : "called";
  const isCall = ({ use: { kind } }: ReferenceUse): boolean =>
    CALLING.has(kind) && !(kind === "passed as value" && how === "only read");
  const calls = await ofOverload(view, target, uses.filter(isCall));
  const isMember = target.path.includes(".") && construction === undefined;
  const indirect = isMember
    ? await indirections(calls, target.declarations, view.state)
    : new Map<ReferenceUse, Indirection>();
  const reaching = calls.filter((use) => reaches(use, indirect.get(use)));
  const sites = reaching
    .map((use) => siteOf(use, indirectionText(indirect.get(use))))
    .map((site): CallSite => {
      return how === "called by reading" && site.kind === "passed as value" ? { ...site, kind: "call" } : site;
    });
  for (const run of await runsOf(view, target, construction?.runs ?? [])) sites.push(runSite(run));
  const others = uses.filter((use) => !isCall(use) && !UNREPORTED.has(use.use.kind));
  const otherUses = Map.groupBy(others, ({ use: { kind } }) => (CALLING.has(kind) ? "read" : kind));
  return { sites: sites.toSorted(inShownOrder(view)), otherUses, elsewhere: calls.length - reaching.length };
}

async function usesOrDoubts(view: View, { declarations }: SymbolTarget): Promise<ReferenceUse[]> {
  const doubts = view.doubts.size;
  const uses = await findUses(view, ...declarations);
  // A member that an assignment makes has its doubt already, with the same places.
  if (view.doubts.size === doubts) await doubtUntyped(view, declarations[0]);
  return uses;
}

/** The overload that was asked for, as the source and as builds have it. */
async function overloadsOf(view: View, { declarations: [overload] }: SymbolTarget): Promise<Declaration[]> {
  const built = await builtCounterparts(view, overload);
  return [overload, ...built.filter(({ ordinal }) => ordinal === overload.ordinal)];
}

async function runsOf(view: View, target: SymbolTarget, runs: readonly ConstructorRun[]): Promise<ConstructorRun[]> {
  if (target.overload === undefined || runs.length === 0) return [...runs];
  const overloads = await overloadsOf(view, target);
  const kept = await Promise.all(
    runs.map(async ({ use, superCall }) => {
      const invocation = use.use.invocation ?? superCall?.keyword?.parent;
      return invocation !== undefined && resolvesTo(use.program.project, invocation, overloads);
    }),
  );
  return runs.filter((_run, index) => kept[index]);
}

/** Only the calls of the overload that was asked for; a use that is no call may be of any overload. */
async function ofOverload(
  view: View,
  target: SymbolTarget,
  calls: readonly ReferenceUse[],
): Promise<readonly ReferenceUse[]> {
  if (target.overload === undefined || calls.length === 0) return calls;
  const overloads = await overloadsOf(view, target);
  const kept = await Promise.all(
    calls.map(
      async ({ use, program }) =>
        use.invocation === undefined || resolvesTo(program.project, use.invocation, overloads),
    ),
  );
  return calls.filter((_use, index) => kept[index]);
}

function reaches(use: ReferenceUse, indirect: Indirection | undefined): boolean {
  if (indirect === undefined) return true;
  // `super.member()` runs the base class's member and never an override.
  return indirect.relation !== "unrelated" && !(use.use.kind === "super call" && indirect.relation === "base");
}

function siteOf(use: ReferenceUse, how: string | undefined): CallSite {
  const detail = [use.use.detail, how].filter((part) => part !== undefined);
  return {
    file: use.file,
    at: use.at,
    kind: use.use.kind,
    detail: detail.length === 0 ? undefined : detail.join(", "),
    caller: use.enclosing.path,
    callerNode: use.enclosing.node,
    line: use.line,
    isTest: use.isTest,
  };
}

function indirectionText(indirect: Indirection | undefined): string | undefined {
  if (indirect === undefined) return undefined;
  return indirect.relation === "override" ? `of the override ${indirect.owner}` : `via ${indirect.owner}`;
}

function runSite({ use, superCall, heir }: ConstructorRun): CallSite {
  const inherited = heir === undefined ? undefined : `inherited constructor of ${heir}`;
  if (superCall === undefined) return siteOf(use, inherited);
  const { keyword, caller } = superCall;
  const source = use.node.getSourceFile();
  const at = keyword === undefined ? use.at : source.getLineAndCharacterOfPosition(keyword.getStart(source));
  const implicit = keyword === undefined ? "implicit: the subclass has no constructor" : undefined;
  const detail = [implicit, inherited].filter((part) => part !== undefined).join(", ");
  return {
    ...siteOf(use, undefined),
    at,
    kind: "super call",
    detail: detail === "" ? undefined : detail,
    caller: enclosingDeclaration(keyword ?? use.node).path,
    callerNode: caller,
    line: lineText(source, at),
  };
}
