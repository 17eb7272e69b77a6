/** Brings what the benchmarks need and the project does not: once, in exact versions, under `.cache/bench`. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  agentPackages,
  askedSymbol,
  hugePackages,
  largePackages,
  peerPackages,
  runnerPackages,
  smallPackages,
  sourceFolders,
  tsxPackages,
} from "./versions.ts";

export const repository: string = fileURLToPath(new URL("../..", import.meta.url));
const cache = path.join(repository, ".cache/bench");

export interface LargeProject {
  readonly folder: string;
  /** The module that declares the symbol everybody is asked about. */
  readonly declaringFile: string;
  /** The name as the tools address it. */
  readonly address: string;
  /** Where the symbol's name stands in its module. */
  readonly position: { readonly line: number; readonly character: number };
}

/** Something that is installed, or the sentence that says why it is not. */
export type Installed<Value> = { readonly value: Value } | { readonly missing: string };

/** The folder whose `node_modules` holds the peers. */
export function installPeers(): Installed<string> {
  const folder = path.join(cache, nameOf(peerPackages));
  const problem = install(folder, peerPackages);
  return problem === undefined ? { value: folder } : { missing: problem };
}

/** The folder whose `node_modules` holds the agents and the MCP server whose tool sets are counted. */
export function installAgents(): Installed<string> {
  const folder = path.join(cache, "agents");
  const problem = install(folder, agentPackages);
  return problem === undefined ? { value: folder } : { missing: problem };
}

/** The folder whose `node_modules` holds tsx, which only the image is measured beside. */
export function installTsx(): Installed<string> {
  const folder = path.join(cache, nameOf(tsxPackages));
  const problem = install(folder, tsxPackages);
  return problem === undefined ? { value: folder } : { missing: problem };
}

/** The folder whose `node_modules` holds test runners. */
export function installRunners(): Installed<string> {
  const folder = path.join(cache, "runners");
  const problem = install(folder, runnerPackages);
  return problem === undefined ? { value: folder } : { missing: problem };
}

/** The large package's source as an ordinary project: `tsconfig.json`, `src/` and its dependencies. */
export function installLargeProject(): Installed<LargeProject> {
  const folder = path.join(cache, nameOf(largePackages));
  const problem = install(folder, largePackages);
  if (problem !== undefined) return { missing: problem };
  const source = path.join(folder, "src");
  copySources(folder, Object.keys(largePackages).slice(0, 1), () => source);
  const declaringFile = path.join(source, askedSymbol.module);
  const address = `src/${askedSymbol.module}#${askedSymbol.name}`;
  return { value: { folder, declaringFile, address, position: declarationIn(declaringFile) } };
}

/** The projects of the token economy's questions, by package. */
export function installTokenProjects(): Installed<{ readonly viem: string; readonly rxjs: string }> {
  const viem = installLargeProject();
  if ("missing" in viem) return viem;
  const folder = path.join(cache, nameOf(smallPackages));
  const problem = install(folder, smallPackages);
  if (problem !== undefined) return { missing: problem };
  copySources(folder, Object.keys(smallPackages).slice(0, 1), () => path.join(folder, "src"), bundlerConfig);
  return { value: { viem: viem.value.folder, rxjs: folder } };
}

/** Several packages' sources as one project, each in a folder of its own; nobody's but this measure's. */
export function installHugeProject(): Installed<LargeProject> {
  const folder = path.join(cache, `huge-${nameOf(hugePackages)}`);
  const problem = install(folder, hugePackages);
  if (problem !== undefined) return { missing: problem };
  const names = Object.keys(hugePackages).filter((name) => sourceFolders[name] !== undefined);
  copySources(folder, names, (name) => path.join(folder, "src", name));
  const module = path.join("src/viem", askedSymbol.module);
  const declaringFile = path.join(folder, module);
  const address = `${module}#${askedSymbol.name}`;
  return { value: { folder, declaringFile, address, position: declarationIn(declaringFile) } };
}

/** Copies once: a folder that is there is whole, because a copy gets its name last. */
function copySources(
  folder: string,
  packages: readonly string[],
  target: (name: string) => string,
  config: string = tsconfig,
): void {
  writeFileSync(path.join(folder, "tsconfig.json"), config);
  for (const name of packages) {
    const to = target(name);
    if (existsSync(to)) continue;
    const from = path.join(folder, "node_modules", name, sourceFolders[name] ?? ".");
    const partial = `${to}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(path.dirname(to), { recursive: true });
    cpSync(from, partial, {
      recursive: true,
      filter: (file) => !/^_|^node_modules/.test(path.relative(from, file)) && isSource(file),
    });
    renameSync(partial, to);
  }
}

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable"],
      module: "nodenext",
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ["node"],
    },
    include: ["src"],
  },
  undefined,
  2,
)}\n`;

/** For sources that name modules without their extension. */
const bundlerConfig = tsconfig.replace('"nodenext"', '"esnext",\n    "moduleResolution": "bundler"');

function install(folder: string, packages: Readonly<Record<string, string>>): string | undefined {
  // Written last, so that an install that was cut off is done again.
  const stamp = path.join(folder, "installed.json");
  const wanted = JSON.stringify(packages);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return undefined;
  const specs = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  console.error(`Installing ${specs.join(", ")} into ${path.relative(repository, folder)} …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const quiet = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--prefix", folder, "--save-exact", ...quiet, ...specs];
  const { status, stderr, error } = spawnSync(npm, args, { cwd: folder, encoding: "utf8" });
  if (error !== undefined || status !== 0) {
    const reason = error?.message ?? stderr.trim().split("\n")[0] ?? `exit ${String(status)}`;
    return `npm could not install ${specs.join(" and ")}, which needs the network once (${reason})`;
  }
  writeFileSync(stamp, wanted);
  return undefined;
}

function nameOf(packages: Readonly<Record<string, string>>): string {
  const [first] = Object.entries(packages);
  return (first ?? []).join("-").replaceAll("/", "-");
}

function isSource(file: string): boolean {
  return (
    path.extname(file) === "" ||
    (/\.[cm]?tsx?$|\.json$/.test(file) && !/(?:^|\/)(?:package|tsconfig)\.json$/.test(file))
  );
}

function declarationIn(file: string): { line: number; character: number } {
  const lines = readFileSync(file, "utf8").split("\n");
  const before = "export function ";
  const line = lines.findIndex((text) => text.startsWith(`${before}${askedSymbol.name}`));
  if (line < 0) throw new Error(`${file} does not declare ${askedSymbol.name}: pin another symbol or version`);
  return { line, character: before.length };
}
