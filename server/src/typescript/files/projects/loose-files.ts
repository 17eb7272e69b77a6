/** Sources that no tsconfig includes: which of them are opened by hand, so that a caller in one of them is found too. */
import { basename, sep } from "node:path";
import { statsOf } from "../../../workspace/file-names.ts";
import { realName, type Links } from "../file-aliases.ts";
import type { ProgramView } from "../../view.ts";

export interface LooseFiles {
  readonly wanted: ReadonlySet<string>;
  /** Sources over the limit. */
  readonly leftOut: number;
  /** JavaScript that some build made, as far as can be told. */
  readonly builtScripts: readonly string[];
}

export interface LooseCandidates {
  readonly programs: readonly ProgramView[];
  readonly links: Links;
  /** In the order in which they are wanted. */
  readonly sources: readonly string[];
  readonly scripts: readonly string[];
  /** Which files below folders of these names git keeps; undefined for a file that git knows nothing of. */
  readonly keptByGit: (folderNames: readonly string[]) => Promise<(file: string) => boolean | undefined>;
}

const MAX_LOOSE_FILES = 1_000;
/** Nobody writes so much by hand. */
const MAX_WRITTEN = 256_000;
/** Names that builds give to folders, and people too. */
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

export async function looseFiles({
  programs,
  links,
  sources,
  scripts,
  keptByGit,
}: LooseCandidates): Promise<LooseFiles> {
  const configured = programs.filter((program) => program.configFile !== undefined);
  const covered = new Set<string>();
  for (const { files } of configured) for (const file of files) covered.add(realName(file, links));
  const isLoose = (file: string): boolean => !covered.has(realName(file, links));
  const typescript = new Set(sources.filter(isLoose));
  const outputs = configured.flatMap(({ project }) => project.compilerOptions.outDir ?? []).map((path) => path + sep);
  const looseScripts = scripts.filter((file) => isLoose(file) && !typescript.has(file));
  const known = new Set(sources);
  const unmade = looseScripts.filter((file) => !isBuilt(file, outputs, known));
  const isDoubtful = (file: string): boolean => file.split(sep).some((folder) => BUILD_FOLDERS.has(folder));
  const isKept = unmade.some(isDoubtful) ? await keptByGit([...BUILD_FOLDERS]) : undefined;
  // Without git, a script with the name of a source was most likely made from that source.
  const stems = new Set(sources.map(stemOf));
  const hasSource = (file: string): boolean => stems.has(stemOf(file));
  const written = unmade.filter((file) => {
    if (!isDoubtful(file)) return true;
    return (isKept?.(file) ?? !hasSource(file)) && (statsOf(file)?.size ?? 0) <= MAX_WRITTEN;
  });
  const isWritten = new Set(written);
  const loose = [...typescript, ...written];
  return {
    wanted: new Set(loose.slice(0, MAX_LOOSE_FILES)),
    leftOut: Math.max(0, loose.length - MAX_LOOSE_FILES),
    builtScripts: looseScripts.filter((file) => !isWritten.has(file)),
  };
}

function isBuilt(script: string, outputs: readonly string[], sources: ReadonlySet<string>): boolean {
  const stem = script.replace(/x?$/, "").replace(/js$/, "");
  const name = basename(script);
  return (
    /[.-](?:min|bundle)\.[cm]?js$/.test(name) ||
    outputs.some((folder) => script.startsWith(folder)) ||
    sources.has(`${stem}ts`) ||
    sources.has(`${stem}tsx`)
  );
}

function stemOf(file: string): string {
  return basename(file).replace(/\.[^.]*$/, "");
}
