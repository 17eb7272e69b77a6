/** Brings a package's source as an ordinary project under `.cache/oracle`: once, in its exact version. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compilerOptions, type OraclePackage } from "./packages.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The project's folder, or the sentence that says why there is none. */
export type Installed = { readonly folder: string } | { readonly missing: string };

/** The folder holds `tsconfig.json`, `src/` with the package's sources and `node_modules/` with what they import. */
export function installPackage(wanted: OraclePackage): Installed {
  const folder = path.join(repository, ".cache/oracle", `${wanted.name}-${wanted.version}`);
  // Made in another folder and renamed when it is whole, so that an install that was cut off is done again.
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    const problem = fetchInto(partial, wanted);
    if (problem !== undefined) return { missing: problem };
    copySources(partial, wanted);
    renameSync(partial, folder);
  }
  writeFileSync(path.join(folder, "tsconfig.json"), tsconfig);
  return { folder };
}

const tsconfig = `${JSON.stringify({ compilerOptions, include: ["src"] }, undefined, 2)}\n`;

function fetchInto(folder: string, { name, version, others }: OraclePackage): string | undefined {
  const specs = Object.entries({ [name]: version, ...others }).map(([each, exact]) => `${each}@${exact}`);
  console.error(`Installing ${specs.join(", ")} for the oracle …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const quiet = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--prefix", folder, "--save-exact", ...quiet, ...specs];
  const { status, stderr, error } = spawnSync(npm, args, { cwd: folder, encoding: "utf8" });
  if (error === undefined && status === 0) return undefined;
  const reason = error?.message ?? stderr.trim().split("\n")[0] ?? `exit ${String(status)}`;
  return `The oracle needs ${specs.join(" and ")}, and npm could not install it, which needs the network once: ${reason}`;
}

function copySources(folder: string, { name, sources, without }: OraclePackage): void {
  const from = path.join(folder, "node_modules", name, sources);
  cpSync(from, path.join(folder, "src"), {
    recursive: true,
    filter: (file) => {
      const [outermost = ""] = path.relative(from, file).split(path.sep);
      return !without.test(outermost) && isSource(file);
    },
  });
}

function isSource(file: string): boolean {
  const base = path.basename(file);
  if (/^(?:package|[tj]sconfig.*)\.json$/.test(base)) return false;
  return path.extname(base) === "" || !base.includes(".") || /\.[cm]?tsx?$|\.json$/.test(base);
}
