/** From an address to the place where the running program keeps the function. */
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { explainResolution } from "./answer-text.ts";
import type { TraceNames } from "../execution/trace-function.ts";

export function locateFunction(service: TypeScriptService): TraceNames["locate"] {
  return (address, packageName, signal) =>
    service.query(async (view) => {
      const resolution = await resolveSymbol(view, address, packageName);
      if (resolution.kind !== "found") return explainResolution(view, address, resolution);
      const { file, path, address: own, declarations } = resolution.target;
      // Of a function with overloads the last declaration has the body.
      const { at } = declarations.findLast((each) => each.file === file) ?? declarations[0];
      return { file, at, path: path.split("."), address: own };
    }, signal);
}
