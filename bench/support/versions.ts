/** Everything the benchmarks install, in exact versions: none of it is a dependency of the project. */

/** The peers that are measured beside the server. */
export const peerPackages = {
  "typescript-language-server": "6.0.2",
  /** The last line with a `tsserver`, which typescript-language-server drives. */
  typescript: "6.0.3",
} as const;

/** The large project: a package that ships its TypeScript source, with what the source imports. */
export const largePackages = {
  viem: "2.57.20",
  "@types/node": "24.19.2",
} as const;

/** The symbol that everybody is asked about, as its module's path inside the package and its name. */
export const askedSymbol = { module: "accounts/utils/parseAccount.ts", name: "parseAccount" } as const;
