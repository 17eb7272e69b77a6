/** Whether a project file is an ES module or CommonJS, by its package and tsconfig. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import { moduleSyntaxOf } from "../source/module-syntax.ts";

export type ModuleFormat = "module" | "commonjs";

const COMMONJS_OPTION = /^(commonjs|node16|node18|node20|nodenext)$/i;

export class ModuleFormats {
  readonly #types = new Map<string, string | undefined>();

  of(path: string, text: string, emit: EmitOptions): ModuleFormat {
    if (/\.m[jt]s$/.test(path)) return "module";
    if (/\.c[jt]s$/.test(path)) return "commonjs";
    const type = this.#packageType(dirname(path));
    if (type === "module") return "module";
    if (type === "commonjs") return "commonjs";
    const syntax = moduleSyntaxOf(path, text);
    const isCompiled = /\.tsx?$/.test(path) && COMMONJS_OPTION.test(emit.module ?? "");
    return syntax === "module" || (syntax === "declarations" && !isCompiled) ? "module" : "commonjs";
  }

  /** From now on package.json files are read again. */
  forget(): void {
    this.#types.clear();
  }

  #packageType(folder: string): string | undefined {
    if (this.#types.has(folder)) return this.#types.get(folder);
    const manifest = join(folder, "package.json");
    const up = dirname(folder);
    const type = existsSync(manifest) ? readType(manifest) : up === folder ? undefined : this.#packageType(up);
    this.#types.set(folder, type);
    return type;
  }
}

function readType(manifest: string): string | undefined {
  try {
    const { type } = JSON.parse(readRegularTextSync(manifest)) as { type?: unknown };
    return typeof type === "string" ? type : undefined;
  } catch {
    return undefined;
  }
}
