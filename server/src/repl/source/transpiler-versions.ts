/**
 * The versions of the transpilers for the image's sources. They are loaded for this, which shows a missing native
 * binding.
 */
import { createRequire } from "node:module";
import { swc } from "./swc.ts";

/** Throws when a transpiler cannot be loaded. */
export function transpilerVersions(): string {
  const require = createRequire(import.meta.url);
  swc();
  return ["oxc-transform", "oxc-resolver", "@swc/core"]
    .map((name) => {
      require(name);
      return `${name} ${(require(`${name}/package.json`) as { version: string }).version}`;
    })
    .join(", ");
}
