/** Finds what an import means in the project: tsconfig paths, `.js` for `.ts`, no extension, node_modules. */
import { ResolverFactory, type NapiResolveOptions } from "oxc-resolver";

export interface ModuleResolver {
  /** The file's real path, or undefined with the resolver's own words in `reason`. */
  readonly resolve: (
    specifier: string,
    fromFile: string,
    conditions: readonly string[],
  ) => { readonly path?: string; readonly reason?: string };
  readonly forget: () => void;
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

export function createModuleResolver(): ModuleResolver {
  const factories = new Map<string, ResolverFactory>();
  const factory = (conditions: readonly string[]): ResolverFactory => {
    const key = conditions.join(" ");
    let known = factories.get(key);
    if (known === undefined) {
      known = new ResolverFactory({ ...BASE, conditionNames: [...conditions] });
      factories.set(key, known);
    }
    return known;
  };
  return {
    resolve: (specifier, fromFile, conditions) => {
      const { path, error } = factory(conditions).resolveFileSync(fromFile, specifier);
      return path === undefined ? { reason: error ?? "not found" } : { path };
    },
    forget: () => {
      for (const known of factories.values()) known.clearCache();
    },
  };
}
