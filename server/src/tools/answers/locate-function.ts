/** From an address to the place where the running program keeps the function. */
import { inspectDeclaration } from "../../typescript/names/tree/inspect-declaration.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { ToolFailure } from "../tool.ts";
import { explainResolution } from "./answer-text.ts";
import type { TraceNames } from "../execution/trace-function.ts";

const TYPES: ReadonlySet<string> = new Set(["type", "interface"]);

export function locateFunction(service: TypeScriptService): TraceNames["locate"] {
  return (address, packageName, signal) =>
    service.query(async (view) => {
      const resolution = await resolveSymbol(view, address, packageName);
      if (resolution.kind !== "found") return explainResolution(view, address, resolution);
      const { file, path, address: own, declarations } = resolution.target;
      const kind = (await inspectDeclaration(view, declarations[0]))?.kind ?? "";
      if (TYPES.has(kind)) throw new ToolFailure(`${own} is a type: nothing of it runs.`);
      if (declarations[0].local) {
        throw new ToolFailure(`${own} exists only while the function around it runs: trace that function.`);
      }
      // Of a function with overloads the last declaration has the body.
      const { at } = declarations.findLast((each) => each.file === file) ?? declarations[0];
      return { file, at, path: path.split("."), address: own };
    }, signal);
}
