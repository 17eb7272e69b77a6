/** Which files and folders of a workspace matter to the compiler, as far as their names tell. */
import { basename, dirname, join, sep } from "node:path";

const TRACKED = /\.(?:[cm]?[jt]sx?|json)$/;
const TYPESCRIPT = /\.[cm]?tsx?$/;
const JAVASCRIPT = /\.[cm]?jsx?$/;
const CONFIG = /^[jt]sconfig(?:\.[^/]+)?\.json$/;
const SKIPPED_FOLDERS = new Set(["node_modules", "bower_components", "jspm_packages"]);
/** Folders that begin with a dot and hold no source: version control, package managers, and what tools make of code. */
const MADE_FOLDERS = new Set(
  (
    ".git .hg .svn .jj .sl .yarn .pnpm .pnpm-store .npm .next .nuxt .output .svelte-kit .astro .docusaurus .vinxi .tanstack " +
    ".angular .expo .vite .vite-temp .wrangler .vercel .netlify .amplify .serverless .aws-sam .sst .turbo .nx .rush .wireit .moon " +
    ".parcel-cache .rollup.cache .rpt2_cache .cache .temp .tmp .nyc_output .vscode-test .vs .idea .history .venv .gradle " +
    ".terraform .direnv .devenv .node_modules"
  ).split(" "),
);

export function isTracked(name: string): boolean {
  return TRACKED.test(name);
}

export function isTypeScriptSource(file: string): boolean {
  return TYPESCRIPT.test(file) && !/\.d\.(?:[^.]+\.)?[cm]?ts$/.test(file);
}

export function isScript(file: string): boolean {
  return JAVASCRIPT.test(file);
}

/** `tsconfig.json` and its like, `tsconfig.base.json` too. */
export function isConfig(file: string): boolean {
  return CONFIG.test(basename(file));
}

/** Sources, declarations and what configures them; of other data the compiler reads only what is imported. */
export function isOfPrograms(file: string): boolean {
  return TYPESCRIPT.test(file) || isScript(file) || isConfig(file) || basename(file) === "package.json";
}

/** Folders that nobody looks into. */
export function isSkipped(name: string): boolean {
  return MADE_FOLDERS.has(name) || SKIPPED_FOLDERS.has(name);
}

/** Whether the folder is in one that begins with a dot: people write some of those, and tools make others. */
export function isBehindDot(folder: string, roots: readonly string[]): boolean {
  const root = roots.find((each) => folder.startsWith(each + sep)) ?? "";
  return folder.slice(root.length).includes(`${sep}.`);
}

/** The outermost first; a `jsconfig.json` only where there is no `tsconfig.json`. */
export function projectConfigsAmong(files: Iterable<string>): string[] {
  const all = new Set([...files].filter((file) => /^[tj]sconfig\.json$/.test(basename(file))));
  return [...all]
    .filter((file) => basename(file) === "tsconfig.json" || !all.has(join(dirname(file), "tsconfig.json")))
    .toSorted((a, b) => a.split(sep).length - b.split(sep).length || (a < b ? -1 : 1));
}

/** The TypeScript sources; the JavaScript ones where there is no TypeScript at all. */
export function sourcesAmong(files: readonly string[]): string[] {
  const typescript = files.filter(isTypeScriptSource);
  return typescript.length > 0 ? typescript : files.filter(isScript);
}
