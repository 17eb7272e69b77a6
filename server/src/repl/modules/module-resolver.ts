/** Finds the file that an import means in the project: tsconfig paths, `.js` for `.ts`, no extension, node_modules. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { ResolverFactory, type NapiResolveOptions } from "oxc-resolver";
import { isConfigTrouble, nearestConfig, readablePaths } from "./broken-tsconfig.ts";
import { referencesOf } from "../../workspace/config-file.ts";

export interface ConfigTrouble {
  readonly file: string;
  /** The resolver's own message. */
  readonly reason: string;
}

const BASE: NapiResolveOptions = {
  tsconfig: "auto",
  extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".node"],
  extensionAlias: {
    ".js": [".ts", ".tsx", ".js", ".jsx"],
    ".jsx": [".tsx", ".jsx"],
    ".mjs": [".mts", ".mjs"],
    ".cjs": [".cts", ".cjs"],
  },
  nodePath: false,
};

type Resolution = { readonly path: string } | { readonly path?: never; readonly reason: string };

export class ModuleResolver {
  readonly #projectRoot: string;
  readonly #factories = new Map<string, ResolverFactory>();
  readonly #told = new Set<string>();
  readonly #troubles: ConfigTrouble[] = [];

  constructor(projectRoot: string) {
    this.#projectRoot = projectRoot;
  }

  /** The file's real path, or the resolver's own message in `reason`. */
  resolve(specifier: string, fromFile: string, conditions: readonly string[]): Resolution {
    const { path, error } = this.#factory(conditions).resolveFileSync(fromFile, specifier);
    if (path !== undefined) return { path };
    if (error !== undefined && isConfigTrouble(error)) {
      this.#noteTrouble(fromFile, error);
      return this.#resolveWithReadablePaths(specifier, fromFile, conditions, error);
    }
    // The `paths` of the project also hold for a form, a script or a test that no tsconfig includes.
    const isBare = !/^\.{0,2}\/|^file:/.test(specifier) && !isAbsolute(specifier);
    for (const config of isBare ? nearestConfigs(dirname(fromFile), this.#projectRoot) : []) {
      const found = this.#factory(conditions, config).sync(dirname(fromFile), specifier);
      if (found.path !== undefined) return { path: found.path };
    }
    return { reason: error ?? "not found" };
  }

  /** The tsconfigs that could not be read in full since the last call: each is reported once. */
  takeTroubles(): readonly ConfigTrouble[] {
    return this.#troubles.splice(0);
  }

  /** From now on the disk is read again. */
  forget(): void {
    for (const known of this.#factories.values()) known.clearCache();
  }

  #factory(conditions: readonly string[], configFile?: string): ResolverFactory {
    const key = `${conditions.join(" ")} ${configFile ?? ""}`;
    let known = this.#factories.get(key);
    if (known === undefined) {
      const tsconfig = configFile === undefined ? {} : { tsconfig: { configFile } };
      known = new ResolverFactory({ ...BASE, ...tsconfig, conditionNames: [...conditions] });
      this.#factories.set(key, known);
    }
    return known;
  }

  #noteTrouble(fromFile: string, reason: string): void {
    const file = nearestConfig(dirname(fromFile), this.#projectRoot);
    const key = `${file ?? ""} ${reason}`;
    if (file !== undefined && !this.#told.has(key)) this.#troubles.push({ file, reason });
    this.#told.add(key);
  }

  /** Resolves with the part of the tsconfig that can be read. */
  #resolveWithReadablePaths(
    specifier: string,
    fromFile: string,
    conditions: readonly string[],
    reason: string,
  ): Resolution {
    const file = nearestConfig(dirname(fromFile), this.#projectRoot);
    const { tsconfig: _, ...base } = BASE;
    const alias = file === undefined ? {} : readablePaths(file);
    const plain = new ResolverFactory({ ...base, alias, conditionNames: [...conditions] });
    const { path, error } = plain.resolveFileSync(fromFile, specifier);
    return path === undefined ? { reason: error ?? reason } : { path };
  }
}

/** The nearest tsconfig.json at or above the folder, and the projects to which the tsconfig refers. */
function nearestConfigs(folder: string, root: string): string[] {
  const file = join(folder, "tsconfig.json");
  const up = dirname(folder);
  if (!existsSync(file)) return folder === root || up === folder ? [] : nearestConfigs(up, root);
  return [file, ...referencesOf(file)];
}
