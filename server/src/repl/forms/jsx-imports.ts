/** The imports that JSX adds to a module. The source does not show them, and a form with JSX needs the same ones. */
import type { EmitOptions } from "../source/compiler-options.ts";
import type { PreparedModule } from "../modules/module-types.ts";
import type { ImportedName } from "./scope-types.ts";

const NAMES = ["jsx", "jsxs", "Fragment", "createElement"];

/** The keys are local names. */
export function jsxImports({ names, text }: PreparedModule, emit: EmitOptions): readonly [string, ImportedName][] {
  const source = emit.jsxImportSource ?? "react";
  return NAMES.flatMap((imported): [string, ImportedName][] => {
    const local = `_${imported}`;
    if (!names.has(local) || text.includes(local)) return [];
    return [[local, { imported, specifier: imported === "createElement" ? source : `${source}/jsx-runtime` }]];
  });
}
