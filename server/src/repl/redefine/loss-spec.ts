/** Tells the image where to look for state that would be lost if modules were reloaded. */
import { moduleOutline } from "../source/module-outline.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { LoadedModule } from "../modules/module-types.ts";
import type { LossModule, LossSpec } from "./lost-state.ts";

export function lossSpec(
  modules: Pick<ModuleService, "shown">,
  stale: readonly LoadedModule[],
  names: Iterable<string>,
): LossSpec {
  return { modules: stale.map((each) => lossModule(each, modules.shown(each.path))), names: [...names] };
}

function lossModule({ path, url, text }: LoadedModule, shown: string): LossModule {
  const declarations = moduleOutline(path, text)?.declarations ?? [];
  const ofKind = (kind: string): string[] =>
    declarations.filter((each) => each.kind === kind && !each.isAmbient).map(({ name }) => name);
  return {
    url,
    path: shown,
    variables: ofKind("variable"),
    constants: ofKind("constant"),
    classes: ofKind("class"),
  };
}
