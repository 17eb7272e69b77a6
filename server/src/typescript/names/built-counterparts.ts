/** A declaration of the workspace as builds of its source left it, which importers see in the source's place. */
import { homeOf } from "./package-importers.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";
import { exportedDeclarations } from "./checker-lookup.ts";
import type { Declaration } from "./declaration.ts";

/** The declarations of that name in what was built of the same package; a build may have put many sources into one file. */
export async function builtCounterparts(view: View, declaration: Declaration): Promise<Declaration[]> {
  const { built } = view.state;
  if (built.size === 0 || declaration.local || built.has(declaration.file)) return [];
  const home = homeOf(view, declaration.file);
  const near = [...built].filter(([file]) => homeOf(view, file) === home);
  const found = await mapLimited(near, ([file, source]) => declaredIn(view, file, source, declaration), view.signal);
  return found.flat();
}

async function declaredIn(view: View, file: string, source: string, declaration: Declaration): Promise<Declaration[]> {
  const { path } = declaration;
  const paths = path === "default" ? new Set(["default", "_default"]) : new Set([path]);
  const named = (await view.outline(file)).declarations.filter((each) => paths.has(each.path) && !each.maybeAlias);
  if (named.length === 0 || source === declaration.file) return named;
  const isOther = (await view.outline(source)).declarations.some((each) => paths.has(each.path) && !each.maybeAlias);
  if (isOther) return [];
  const exported = await exportedDeclarations(view, source, path);
  const isPassedOn = exported.some(({ file: from }) => from === declaration.file);
  return isPassedOn ? named : [];
}
