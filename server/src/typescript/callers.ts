/** Who calls a symbol: every way code can run it or hand it on, by the declaration the call stands in. */
import type { Node } from "typescript/unstable/ast";
import type { UseKind } from "./classify-use.ts";
import type { Declaration } from "./outline.ts";
import { declarationOf, enclosingDeclaration } from "./qualified-name.ts";
import { byPlace, findUses, lineText, type ReferenceUse } from "./references.ts";
import type { SymbolTarget } from "./resolve-symbol.ts";
import { indirections, resolvesTo, type Indirection } from "./resolved-target.ts";
import { superCallBehind } from "./super-calls.ts";
import type { LspPosition, View } from "./view.ts";

export interface CallSite {
  readonly file: string;
  readonly at: LspPosition;
  readonly kind: UseKind;
  /** `argument of map`, `implicit constructor`, `via Shape.area`. */
  readonly detail: string | undefined;
  /** `Outer.member` or "(module)". */
  readonly caller: string;
  /** What to ask about next, for the callers' callers; undefined for a module's top level. */
  readonly callerDeclaration: Declaration | undefined;
  readonly line: string;
  readonly isTest: boolean;
}

export interface Callers {
  readonly sites: readonly CallSite[];
  /** How often the symbol is mentioned in ways that are no call: imports, types, … */
  readonly otherUses: ReadonlyMap<UseKind, number>;
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
  const uses = await findUses(view, declaration);
  const calls = await ofOverload(
    target,
    uses.filter((use) => CALLING.has(use.use.kind)),
  );
  // A constructor is reached through its class, whose name is what every `new` spells.
  const isMember = target.path.includes(".") && declaration.kind !== "constructor";
  const indirect = isMember ? await indirections(calls, target.declarations) : new Map<ReferenceUse, Indirection>();
  const reaching = calls.filter((use) => reaches(use, indirect.get(use)));
  const sites = reaching.map((use) => siteOf(use, indirect.get(use)));
  for (const use of uses) if (use.use.kind === "extends") sites.push(...superSite(use));
  const otherUses = new Map<UseKind, number>();
  for (const { use } of uses) {
    if (!CALLING.has(use.kind) && !UNREPORTED.has(use.kind))
      otherUses.set(use.kind, (otherUses.get(use.kind) ?? 0) + 1);
  }
  return { sites: sites.toSorted(byPlace), otherUses, elsewhere: calls.length - reaching.length };
}

/** Only the calls of the overload that was asked for; a use that is no call may be any of them. */
async function ofOverload(target: SymbolTarget, calls: readonly ReferenceUse[]): Promise<readonly ReferenceUse[]> {
  if (target.overload === undefined) return calls;
  const [overload] = target.declarations;
  const kept = await Promise.all(
    calls.map(
      async ({ use, program }) => use.invocation === undefined || resolvesTo(program.project, use.invocation, overload),
    ),
  );
  return calls.filter((_use, index) => kept[index]);
}

function reaches(use: ReferenceUse, indirect: Indirection | undefined): boolean {
  if (indirect === undefined) return true;
  // `super.member()` runs the base class's member and never an override.
  return indirect.relation !== "unrelated" && !(use.use.kind === "super call" && indirect.relation === "base");
}

function siteOf(use: ReferenceUse, indirect: Indirection | undefined): CallSite {
  const detail = [use.use.detail, indirectionText(indirect)].filter((part) => part !== undefined);
  return {
    file: use.file,
    at: use.at,
    kind: use.use.kind,
    detail: detail.length === 0 ? undefined : detail.join(", "),
    caller: use.enclosing.path,
    callerDeclaration: callerOf(use.enclosing.node),
    line: use.line,
    isTest: use.isTest,
  };
}

function indirectionText(indirect: Indirection | undefined): string | undefined {
  if (indirect === undefined) return undefined;
  return indirect.relation === "override" ? `of the override ${indirect.owner}` : `via ${indirect.owner}`;
}

function superSite(use: ReferenceUse): CallSite[] {
  const call = superCallBehind(use.node);
  if (call === undefined) return [];
  const source = use.node.getSourceFile();
  const inside = enclosingDeclaration(call.keyword ?? use.node);
  const at = call.keyword === undefined ? use.at : source.getLineAndCharacterOfPosition(call.keyword.getStart(source));
  return [
    {
      ...siteOf(use, undefined),
      at,
      kind: "super call",
      detail: call.keyword === undefined ? "implicit: the subclass has no constructor" : undefined,
      caller: inside.path,
      callerDeclaration: callerOf(call.caller),
      line: lineText(source, at.line),
    },
  ];
}

function callerOf(node: Node | undefined): Declaration | undefined {
  return node === undefined ? undefined : declarationOf(node, node.getSourceFile());
}
