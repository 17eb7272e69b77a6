/** The packages whose TypeScript source the oracle is asked about, in exact versions, and how much is asked. */

export interface OraclePackage {
  readonly name: string;
  readonly version: string;
  /** What the sources import beside the package's own dependencies. */
  readonly others: Readonly<Record<string, string>>;
  /** The folder inside the package that holds the sources. */
  readonly sources: string;
  /** Folders directly in it that are no sources. */
  readonly without: RegExp;
}

const nodeTypes = { "@types/node": "24.19.2" } as const;

export const oraclePackages: readonly OraclePackage[] = [
  { name: "rxjs", version: "7.8.2", others: nodeTypes, sources: "src", without: /^tsconfig/ },
  // Folders that begin with "_" hold the compiled forms.
  { name: "viem", version: "2.57.20", others: nodeTypes, sources: ".", without: /^(?:_.*|node_modules)$/ },
  { name: "effect", version: "4.1.0", others: nodeTypes, sources: "src", without: /^tsconfig/ },
];

/** One set of options for all: what a bundler's project would say, so that both compilers see the same program. */
export const compilerOptions = {
  target: "es2022",
  lib: ["esnext", "dom", "dom.iterable"],
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
} as const;

/** The published sample: so many symbols of each package, chosen by this seed. */
export const symbolsPerPackage = 110;
export const seed = 20_261_122;

/** Another sample may be asked for by hand. */
const { AGENTQ_ORACLE_SYMBOLS: otherSize, AGENTQ_ORACLE_SEED: otherSeed } = process.env;
export const sampleSize = Number(otherSize ?? symbolsPerPackage);
export const sampleSeed = Number(otherSeed ?? seed);
export const isPublishedSample = otherSize === undefined && otherSeed === undefined;
