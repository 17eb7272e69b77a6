/** Everything the benchmarks install, in exact versions: none of it is a dependency of the project. */

/** The peers that are measured beside the server. */
export const peerPackages = {
  "typescript-language-server": "6.0.2",
  /** The last line with a `tsserver`, which typescript-language-server drives. */
  typescript: "6.0.3",
  /** With the TypeScript 5.9.3 that it brings: 0.3.0 starts no other for a project without one. */
  "@vtsls/language-server": "0.3.0",
  /** The bridge from agents to language servers, driven here with typescript-language-server. */
  cclsp: "0.7.0",
} as const;

/** Agents, and an MCP server that is made for the native compiler: only the size of their tool sets is counted. */
export const agentPackages = {
  "@anthropic-ai/claude-code": "2.1.330",
  "opencode-ai": "1.18.33",
  "@mizchi/lsmcp": "0.10.0",
} as const;

/** Runs TypeScript as a script: what the image's loading is measured beside. */
export const tsxPackages = { tsx: "4.23.15" } as const;

/** What `run_tests` starts, measured beside the same by hand. */
export const runnerPackages = { jest: "30.5.2", mocha: "12.0.3", vitest: "5.1.1" } as const;

/** The large project: a package that ships its TypeScript source, with what the source imports. */
export const largePackages = {
  viem: "2.57.20",
  "@types/node": "24.19.2",
} as const;

/** Two packages that ship their source, as one project of more than 300,000 lines, comments and blank lines left out. */
export const hugePackages = {
  effect: "4.1.0",
  viem: "2.57.20",
  "@types/node": "24.19.2",
} as const;

/** A second package for the token economy's questions. */
export const smallPackages = {
  rxjs: "7.8.2",
  "@types/node": "24.19.2",
} as const;

/** Where the packages keep their source; folders that begin with "_" hold compiled forms. */
export const sourceFolders: Readonly<Record<string, string>> = { effect: "src", viem: ".", rxjs: "src" };

/** The symbol that everybody is asked about, as its module's path inside the package and its name. */
export const askedSymbol = { module: "accounts/utils/parseAccount.ts", name: "parseAccount" } as const;
