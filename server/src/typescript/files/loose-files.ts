/** Sources that no tsconfig includes: which of them are opened by hand, so that a caller in one of them is found too. */
import { basename, sep } from "node:path";
import { realName, type Links } from "./file-aliases.ts";
import type { ProgramView } from "../view.ts";

export interface LooseFiles {
  readonly wanted: ReadonlySet<string>;
  /** Sources over the limit. */
  readonly leftOut: number;
  /** JavaScript that some build made, as far as names tell. */
  readonly builtScripts: number;
}

export interface LooseCandidates {
  readonly programs: readonly ProgramView[];
  readonly links: Links;
  /** In the order in which they are wanted. */
  readonly sources: readonly string[];
  readonly scripts: readonly string[];
}

const MAX_LOOSE_FILES = 1_000;
const BUILD_FOLDERS = new Set([
  "dist",
  "build",
  "out",
  "output",
  "coverage",
  "vendor",
  "public",
  "static",
  "esm",
  "cjs",
]);

export function looseFiles({ programs, links, sources, scripts }: LooseCandidates): LooseFiles {
  const configured = programs.filter((program) => program.configFile !== undefined);
  const covered = new Set<string>();
  for (const { files } of configured) for (const file of files) covered.add(realName(file, links));
  const isLoose = (file: string): boolean => !covered.has(realName(file, links));
  const typescript = new Set(sources.filter(isLoose));
  const outputs = configured.flatMap(({ project }) => project.compilerOptions.outDir ?? []).map((path) => path + sep);
  const looseScripts = scripts.filter((file) => isLoose(file) && !typescript.has(file));
  const known = new Set(sources);
  const written = looseScripts.filter((file) => !isBuilt(file, outputs, known));
  const loose = [...typescript, ...written];
  return {
    wanted: new Set(loose.slice(0, MAX_LOOSE_FILES)),
    leftOut: Math.max(0, loose.length - MAX_LOOSE_FILES),
    builtScripts: looseScripts.length - written.length,
  };
}

function isBuilt(script: string, outputs: readonly string[], sources: ReadonlySet<string>): boolean {
  const stem = script.replace(/x?$/, "").replace(/js$/, "");
  const name = basename(script);
  return (
    /[.-](?:min|bundle)\.[cm]?js$/.test(name) ||
    outputs.some((folder) => script.startsWith(folder)) ||
    script.split(sep).some((folder) => BUILD_FOLDERS.has(folder)) ||
    sources.has(`${stem}ts`) ||
    sources.has(`${stem}tsx`)
  );
}
