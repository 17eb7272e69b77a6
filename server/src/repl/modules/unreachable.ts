/** Why a form cannot be evaluated in what was named as a module, and what could be named instead. */
import { readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname } from "node:path";
import { FileError } from "../../workspace/regular-file.ts";
import { positionAt } from "../source/source-position.ts";
import type { ProjectSources } from "./project-sources.ts";
import type { SyntaxProblem } from "../source/transpile.ts";
import { errorText } from "../../base/errors.ts";

type Sources = Pick<ProjectSources, "shown" | "isReadable">;

const MODULE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const MAX_NAMED = 8;

/** `error` is the failure of reading the file. */
export function whyNoModule(path: string, error: unknown, { shown, isReadable }: Sources): string {
  const name = shown(path);
  const trouble = error instanceof FileError ? error.trouble : undefined;
  if (trouble === "folder") return `${name} is a folder: name one of its files${listed(path, isReadable)}`;
  if (trouble !== "missing") return errorText(error);
  if (isBuiltin(name)) return `${name} is built into Node and has no scope to work in: import it in a form`;
  const folder = dirname(path);
  const there = listed(folder, isReadable, basename(path));
  const hint = there === "" ? "" : `. In ${name.includes("/") ? shown(folder) : "the project's folder"}${there}`;
  return `There is no file${name.includes("/") ? "" : " or package"} ${name}${hint}`;
}

export function whyNotParsed(path: string, text: string, { message, offset }: SyntaxProblem): string {
  const at = offset === undefined ? undefined : positionAt(text, offset);
  return `${at === undefined ? path : `${path}:${at.line + 1}:${at.column + 1}`}: ${message}`;
}

/** The modules of a folder; names that begin like the wanted name come first. */
function listed(folder: string, isReadable: Sources["isReadable"], wanted = ""): string {
  const names = isReadable(folder) ? modulesIn(folder) : [];
  const start = wanted.slice(0, 3).toLowerCase();
  const isAlike = (name: string): boolean => start !== "" && name.toLowerCase().startsWith(start);
  const sorted = [...names.filter(isAlike), ...names.filter((name) => !isAlike(name))];
  if (sorted.length === 0) return "";
  const more = sorted.length > MAX_NAMED ? `, … ${sorted.length - MAX_NAMED} more` : "";
  return `: ${sorted.slice(0, MAX_NAMED).join(", ")}${more}`;
}

function modulesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => MODULE.test(name) && !name.endsWith(".d.ts"))
      .toSorted();
  } catch {
    return [];
  }
}
