/** What a folder's package.json, lock file and tsconfig.json say. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import JSON5 from "json5";
import { memberPatterns } from "../workspace/member-patterns.ts";
import { nameList, plainLine, plainName } from "../workspace/plain-text.ts";
import type { RootListing } from "./root-listing.ts";
import { isObject } from "../base/is-object.ts";

/** The text of a file of the folder as it is now; undefined where there is none, or none that may be read. */
export type ReadText = (name: string) => Promise<string | undefined>;

const SCRIPTS_ROOM = 700;
const LONGEST_COMMAND = 60;
const PACKAGES_ROOM = 200;
const LOCKS: readonly (readonly [file: string, manager: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** Lines, none of which is longer than its room. */
export async function describeManifest(folder: string, root: RootListing, read: ReadText): Promise<string[]> {
  const lines: string[] = [];
  const manifest = root.files.has("package.json") ? objectIn(await read("package.json")) : undefined;
  if (manifest !== undefined) lines.push(headOf(manifest, root));
  else if (root.files.has("package.json")) lines.push("package.json cannot be read as JSON");
  if (root.files.has("tsconfig.json")) lines.push(...describeConfig(objectIn(await read("tsconfig.json"))));
  lines.push(...scriptLines(manifest?.["scripts"]));
  const patterns = memberPatterns(manifest?.["workspaces"], await readIf(root, "pnpm-workspace.yaml", read));
  if (patterns.length > 0) lines.push(await workspaceLine(folder, patterns));
  else if (root.files.has("pnpm-workspace.yaml")) lines.push("workspaces: as in pnpm-workspace.yaml");
  return lines;
}

function headOf(manifest: JsonObject, root: RootListing): string {
  const { name, version, type, packageManager, engines } = manifest;
  const named = [name, version].filter((each) => typeof each === "string").map((each) => plainName(each));
  const node =
    isObject(engines) && typeof engines["node"] === "string" ? [`Node ${plainLine(engines["node"], 30)}`] : [];
  const manager =
    typeof packageManager === "string" ? plainName(packageManager) : LOCKS.find(([file]) => root.files.has(file))?.[1];
  const facts = [
    ...(named.length === 0 ? [] : [named.join(" ")]),
    type === "module" ? "ES modules" : 'CommonJS (no "type": "module")',
    manager ?? "no lock file",
    ...node,
    ...(root.hasModules || !needsPackages(manifest) ? [] : ["node_modules is missing: nothing is installed here"]),
  ];
  return `package.json: ${facts.join(", ")}`;
}

function needsPackages(manifest: JsonObject): boolean {
  return [manifest["dependencies"], manifest["devDependencies"]].some(
    (each) => isObject(each) && Object.keys(each).length > 0,
  );
}

function describeConfig(config: JsonObject | undefined): string[] {
  if (config === undefined) return ["tsconfig.json cannot be read"];
  const options = isObject(config["compilerOptions"]) ? config["compilerOptions"] : {};
  const told = ["module", "moduleResolution", "target", "jsx"].flatMap((name) =>
    typeof options[name] === "string" ? [`${name} ${plainName(options[name])}`] : [],
  );
  const bases = [config["extends"]].flat().filter((each) => typeof each === "string");
  const { references } = config;
  const facts = [
    ...told,
    ...(options["strict"] === true ? ["strict"] : []),
    ...(bases.length === 0 ? [] : [`extends ${nameList(bases.map(plainName), 60)}`]),
    ...(Array.isArray(references) && references.length > 0 ? [`${references.length} project references`] : []),
  ];
  return facts.length === 0 ? [] : [`tsconfig.json: ${facts.join(", ")}`];
}

function scriptLines(scripts: unknown): string[] {
  if (!isObject(scripts)) return [];
  const lines: string[] = [];
  let room = SCRIPTS_ROOM;
  const all = Object.entries(scripts).filter(([, command]) => typeof command === "string");
  for (const [name, command] of all) {
    const line = `  ${plainName(name)}: ${plainLine(String(command), LONGEST_COMMAND)}`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  if (all.length === 0) return [];
  const rest = all.slice(lines.length).map(([name]) => plainName(name));
  return ["scripts:", ...lines, ...(rest.length === 0 ? [] : [`  and ${nameList(rest, 120)}`])];
}

async function workspaceLine(folder: string, patterns: readonly string[]): Promise<string> {
  const told: string[] = [];
  for (const pattern of patterns.slice(0, 8)) {
    const [parent] = /^[^*?{[]+(?=\/\*{1,2}$)/.exec(pattern) ?? [];
    const names = parent === undefined || parent.includes("..") ? undefined : await foldersIn(join(folder, parent));
    const inside =
      names === undefined
        ? ""
        : ` (${names.length}: ${nameList(names.map(plainName), PACKAGES_ROOM / Math.min(4, patterns.length))})`;
    told.push(`${plainLine(pattern, 60)}${inside}`);
  }
  const rest = patterns.length - told.length;
  return `workspaces: ${told.join("; ")}${rest > 0 ? `; +${rest}` : ""}`;
}

async function foldersIn(folder: string): Promise<string[] | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  return entries?.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
}

async function readIf(root: RootListing, name: string, read: ReadText): Promise<string | undefined> {
  return root.files.has(name) ? read(name) : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

function objectIn(text: string | undefined): JsonObject | undefined {
  try {
    const value = parsed(text ?? "");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON as most write it; JSON5, for comments and the like, remarks on its input on standard error. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON5.parse(text.replaceAll(/[\u2028\u2029]/g, " "));
  }
}
