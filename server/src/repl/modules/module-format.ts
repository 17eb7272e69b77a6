/** Whether a project file is an ES module or CommonJS, as its package and tsconfig mean it. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import type { EmitOptions } from "../source/compiler-options.ts";

export type ModuleFormat = "module" | "commonjs";

const ES_SYNTAX = /^\s*(?:import\b(?!\s*\()|export\b)/m;
const COMMONJS_OPTION = /^(commonjs|node16|node18|node20|nodenext)$/i;

export function createModuleFormats(): {
  of: (path: string, text: string, emit: EmitOptions) => ModuleFormat;
  forget: () => void;
} {
  const types = new Map<string, string | undefined>();
  const packageType = (folder: string): string | undefined => {
    if (types.has(folder)) return types.get(folder);
    const manifest = join(folder, "package.json");
    const up = dirname(folder);
    const type = existsSync(manifest) ? readType(manifest) : up === folder ? undefined : packageType(up);
    types.set(folder, type);
    return type;
  };
  return {
    forget: () => types.clear(),
    of: (path, text, emit) => {
      if (/\.m[jt]s$/.test(path)) return "module";
      if (/\.c[jt]s$/.test(path)) return "commonjs";
      const type = packageType(dirname(path));
      if (type === "module") return "module";
      if (!ES_SYNTAX.test(text)) return "commonjs";
      if (!/\.tsx?$/.test(path)) return type === "commonjs" ? "commonjs" : "module";
      return type === "commonjs" || COMMONJS_OPTION.test(emit.module ?? "") ? "commonjs" : "module";
    },
  };
}

function readType(manifest: string): string | undefined {
  try {
    const { type } = JSON.parse(readRegularTextSync(manifest)) as { type?: unknown };
    return typeof type === "string" ? type : undefined;
  } catch {
    return undefined;
  }
}
