/** What would be lost if modules were loaded anew: the image looks at the present values, and is asked here. */
import { moduleOutline } from "../source/module-outline.ts";
import type { LoadedModule, ModuleService } from "../modules/module-service.ts";

export interface LossModule {
  readonly url: string;
  readonly path: string;
  /** `let` and `var`: always state. Constants are when they hold something that can be written to. */
  readonly variables: readonly string[];
  readonly constants: readonly string[];
  readonly classes: readonly string[];
}

export interface LossSpec {
  readonly modules: readonly LossModule[];
  /** Names of the forms that may hold instances. */
  readonly names: readonly string[];
}

export interface Losses {
  readonly state: readonly { readonly path: string; readonly name: string; readonly value: string }[];
  /** Names and handles of the forms that hold instances of classes there. */
  readonly holders: readonly string[];
}

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
