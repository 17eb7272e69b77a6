/** Which transpilers the image's sources go through, read by loading them: a missing native binding shows here. */
import { createRequire } from "node:module";
import { swc } from "./swc.ts";

/** Throws when one of them cannot be loaded. */
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
