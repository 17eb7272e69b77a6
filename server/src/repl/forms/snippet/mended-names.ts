/** Uses of names that would get another meaning when the form's declarations become assignments. */
import { allowBareWrites } from "./bare-writes.ts";
import { earlyNames, mayReadEarly, refuseEarlyReads } from "./early-reads.ts";
import { refuseWrites, type WriteEdits } from "../../source/constant-writes.ts";
import { freeNames } from "../../source/free-names.ts";
import type { EmittedForm, TopLevelNames } from "./rewriting.ts";
import { type Body } from "../../source/syntax.ts";
import { refuseUnsetReads } from "../unset-names.ts";

/** Imports of the form, of earlier forms and of the module: nothing can be assigned to them, as in a file. */
function importedNames(scope: EmittedForm["scope"], body: Body, top: TopLevelNames): string[] {
  const own = body.flatMap((node) =>
    node.type === "ImportDeclaration" ? node.specifiers.map(({ local }) => local.name) : [],
  );
  const former = scope.kind === "global" ? [...(scope.imported ?? [])] : [...(scope.imported?.keys() ?? [])];
  return [...own, ...former.filter((name) => !top.names.has(name))];
}

/** Answers the names whose declarations have to set a flag when the form reaches them. */
export function mendNames({ edited, scope, text }: EmittedForm, body: Body, top: TopLevelNames): ReadonlySet<string> {
  const { original } = edited;
  const former = [...(scope.constants ?? [])].filter((name) => !top.names.has(name));
  const constants = new Set([...former, ...top.constants, ...importedNames(scope, body, top)]);
  // Enums, namespaces and decorators' helpers are left out: they are variables, or declare themselves.
  const isMade = (name: string): boolean => text.enums.has(name) || text.namespaces.has(name) || text.helpers.has(name);
  const isEarly = mayReadEarly(original, body, isMade);
  const writes = scope.kind === "global" && /[^=!<>]=[^=>]|\bfor\b/.test(original);
  const unset = new Map([...(scope.unset ?? [])].filter(([name]) => !top.names.has(name)));
  if (constants.size === 0 && !isEarly && !writes && unset.size === 0) return new Set();
  const early = isEarly ? earlyNames(body, isMade) : new Set<string>();
  const free = freeNames(body, (name) => writes || constants.has(name) || early.has(name) || unset.has(name));
  const { taken, checked } = refuseEarlyReads(edited, body, isEarly ? free : [], isMade);
  const others = free.filter(({ node }) => !taken.has(node));
  const edits: WriteEdits = { same: [], inserted: [] };
  refuseWrites(
    edits,
    others.filter(({ name }) => constants.has(name)),
    original,
  );
  for (const { start, text: instead } of edits.same) edited.overwrite(start, start + instead.length, instead);
  for (const { at, text: added, until } of edits.inserted) {
    // The name itself is written again, so that text that is put before the statement later stays there.
    if (until !== undefined) edited.overwrite(at, until, added + original.slice(at, until));
    else edited.appendLeft(at, added);
  }
  refuseUnsetReads(edited, others, unset);
  if (scope.kind === "global") {
    const isKnown = (name: string): boolean =>
      scope.declared.has(name) || constants.has(name) || top.names.has(name) || text.helpers.has(name);
    allowBareWrites(edited, body, others, isKnown);
  }
  return checked;
}
