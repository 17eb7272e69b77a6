/** A declaration of the workspace as builds of its source left it, which importers see in the source's place. */
import { homeOf } from "./package-importers.ts";
import { perSnapshot } from "../per-snapshot.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";
import { exportedDeclarations, exportedNodes } from "./tree/checker-lookup.ts";
import type { Declaration } from "./tree/declaration.ts";
import { declarationOf } from "./tree/qualified-name.ts";

/** The declarations of that name in what was built of the same package. */
export async function builtCounterparts(view: View, declaration: Declaration): Promise<Declaration[]> {
  const { built } = view.state;
  if (built.size === 0 || declaration.local || built.has(declaration.file)) return [];
  const near = (await builtByHome(view)).get(homeOf(view, declaration.file)) ?? [];
  const own = near.filter(({ source }) => source === declaration.file);
  // A build may have put many sources into one file.
  const asked = own.length > 0 ? own : near;
  const found = await mapLimited(asked, (each) => declaredIn(view, each, declaration), view.signal);
  return found.flat();
}

interface Built {
  readonly file: string;
  readonly source: string;
}

const builtByHome = perSnapshot(async (view): Promise<ReadonlyMap<string, readonly Built[]>> => {
  const all = [...view.state.built].map(([file, source]) => ({ file, source }));
  return Promise.resolve(Map.groupBy(all, ({ file }) => homeOf(view, file)));
});

async function declaredIn(view: View, { file, source }: Built, declaration: Declaration): Promise<Declaration[]> {
  const { path } = declaration;
  const own = await namedIn(view, file, path);
  // A value without a name gets one by the build.
  const named = own.length > 0 || path !== "default" ? own : await namedIn(view, file, "_default");
  if (named.length === 0 || source === declaration.file) return named;
  if ((await view.outline(source)).declarations.some((each) => each.path === path && !each.maybeAlias)) return [];
  const exported = await exportedDeclarations(view, source, path);
  const isPassedOn = exported.some(({ file: from }) => from === declaration.file);
  return isPassedOn ? named : [];
}

async function namedIn(view: View, file: string, path: string): Promise<Declaration[]> {
  const declared = (await view.outline(file)).declarations.filter((each) => !each.maybeAlias);
  const named = declared.filter((each) => each.path === path);
  const [outer = ""] = path.split(".");
  if (named.length > 0 || outer === path || !declared.some((each) => each.path === outer)) return named;
  // The members of an object literal are in the type that the build wrote for the literal.
  const nodes = await exportedNodes(view, file, path);
  return nodes.map((node) => declarationOf(node, node.getSourceFile()));
}
