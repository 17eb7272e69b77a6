/** Brings what the benchmarks need and the project does not: once, in exact versions, under `.cache/bench`. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { askedSymbol, largePackages, peerPackages } from "./versions.ts";

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

/** The large package's source as an ordinary project: `tsconfig.json`, `src/` and its dependencies. */
export function installLargeProject(): Installed<LargeProject> {
  const folder = path.join(cache, nameOf(largePackages));
  const problem = install(folder, largePackages);
  if (problem !== undefined) return { missing: problem };
  const source = path.join(folder, "src");
  if (!existsSync(source)) {
    writeFileSync(path.join(folder, "tsconfig.json"), tsconfig);
    const [name] = Object.keys(largePackages);
    const from = path.join(folder, "node_modules", name ?? "");
    // Folders that begin with "_" hold the package's compiled forms.
    const partial = `${source}.partial`;
    rmSync(partial, { recursive: true, force: true });
    cpSync(from, partial, {
      recursive: true,
      filter: (file) => !path.relative(from, file).startsWith("_") && isSource(file),
    });
    renameSync(partial, source);
  }
  const declaringFile = path.join(source, askedSymbol.module);
  const address = `src/${askedSymbol.module}#${askedSymbol.name}`;
  return { value: { folder, declaringFile, address, position: declarationIn(declaringFile) } };
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
      types: ["node"],
    },
    include: ["src"],
  },
  undefined,
  2,
)}\n`;

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
  return (first ?? []).join("-");
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
