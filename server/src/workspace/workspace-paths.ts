/** Which paths tools may touch: inside the workspace folders by their real path, and never secrets or `.git`. */
import path from "node:path";
import { URI } from "vscode-uri";
import { cutText } from "../base/cut-text.ts";
import { hiddenInPath, showHiddenInPath } from "./hidden-characters.ts";
import { existingRealPath, realPathOf } from "./real-path.ts";
import { withNamesOnDisk } from "./same-letters.ts";
import { closedName } from "./secret-names.ts";
import { isShown } from "./shown-path.ts";
import { leadsOut } from "./within.ts";

export interface WorkspacePath {
  /** Absolute, with every link resolved, also a link to what does not exist yet. */
  readonly absolute: string;
  readonly uri: string;
  /** Relative to its workspace folder with forward slashes; what models and people read. */
  readonly relative: string;
}

/** A path by the names that lead to it from the real path of its workspace folder. */
export interface PlaceInside {
  readonly root: string;
  readonly names: readonly string[];
  readonly path: WorkspacePath;
}

export type PathResolution =
  | { readonly ok: true; readonly path: WorkspacePath }
  | { readonly ok: false; readonly reason: string };

const LONGEST_NAME = 255;
const SHOWN_PATH = 100;

export class WorkspacePaths {
  #folders: readonly { readonly given: string; readonly real: string }[];

  constructor(folders: readonly string[]) {
    this.#folders = folders.map(withRealPath);
  }

  setFolders(folders: readonly string[]): void {
    this.#folders = folders.map(withRealPath);
  }

  /** Absolute paths as the client named them. */
  folders(): string[] {
    return this.#folders.map((folder) => folder.given);
  }

  /** Those that are there now, by their real paths. */
  realFolders(): string[] {
    return this.folders().flatMap((folder) => existingRealPath(folder) ?? []);
  }

  /**
   * Resolves a path or file URI a model or an editor named. Holds for the moment: a folder may be swapped for a link while
   * a person decides, so `ProposalStore` asks again in `decide` and in `didApply`, and takes another answer for a conflict.
   */
  resolve(name: string): PathResolution {
    // No file has half of a surrogate pair in its name, and no URI can hold one.
    const wanted = name.trim().toWellFormed();
    if (wanted === "") return refuse("The path is empty.");
    if (wanted.includes("\0")) return refuse("The path contains a NUL character.");
    if (this.#folders.length === 0) return refuse("No workspace folder is open.");
    if (isForeign(wanted)) {
      return refuse(`${wanted} is a path of Windows, outside the workspace; name it from the workspace folder.`);
    }
    const candidates = candidatePaths(
      wanted,
      this.#folders.map((folder) => folder.given),
    );
    if (candidates === undefined) return refuse(`"${name}" is not a file path.`);
    if (candidates.some((candidate) => candidate.split(path.sep).some(({ length }) => length > LONGEST_NAME))) {
      return refuse(`A name in ${cutText(name, SHOWN_PATH)} has more than ${LONGEST_NAME} characters.`);
    }
    const resolved = candidates.map((candidate) => this.#inside(candidate)).filter((found) => found !== undefined);
    const best = resolved.find((found) => found.exists) ?? resolved[0];
    if (best === undefined) {
      const shown = wanted.startsWith("file:") ? (candidates[0] ?? wanted) : wanted;
      if (candidates.every((candidate) => realPathOf(candidate) === undefined)) {
        return refuse(
          `Nobody can say where ${shown} leads: a link leads in a circle, or a folder may not be looked into.`,
        );
      }
      return refuse(`${shown} is outside the workspace (${this.folders().join(", ")}); tools stay inside it.`);
    }
    if (!best.exists && path.sep === "/" && best.path.relative.includes("\\")) {
      return refuse(`${wanted} does not exist, and a new path has no backslashes; name it with forward slashes.`);
    }
    const asked = candidates.flatMap((candidate) => this.#asked(candidate));
    const problem = problemWith(best.path.relative, asked);
    return problem === undefined ? { ok: true, path: best.path } : refuse(problem);
  }

  /** Why the path that was resolved before must not be used any more, undefined when it still leads to the same place. */
  whyMoved(uri: string): string | undefined {
    const now = this.resolve(uri);
    if (!now.ok) return now.reason;
    return now.path.uri === uri ? undefined : `It leads to another file now, ${now.path.relative}.`;
  }

  /**
   * By an absolute path: the place of the thing itself, also of a link, below a workspace folder, by names alone,
   * with no link followed. Answers why nothing may be put there.
   */
  placeOf(named: string): PlaceInside | string {
    const absolute = path.normalize(named.toWellFormed());
    for (const { given, real } of this.#folders) {
      const relative = [given, real].map((folder) => path.relative(folder, absolute)).find((each) => !leadsOut(each));
      if (relative === "") return `${given} is a workspace folder itself: name what is in it.`;
      if (relative === undefined) continue;
      const names = relative.split(path.sep);
      const problem = problemWith(names.join("/"), []);
      if (problem !== undefined) return problem;
      const shown = path.join(given, relative);
      const place = { absolute: shown, uri: URI.file(shown).toString(), relative: names.join("/") };
      return { root: real, names, path: place };
    }
    return `${absolute} is outside the workspace.`;
  }

  /** The relative spelling for people and models; the absolute path when it lies outside. */
  relative(absolute: string): string {
    return showHiddenInPath(this.#inside(absolute)?.path.relative ?? absolute);
  }

  /** Whether an answer may quote the file, see `isShown`. */
  mayShow(absolute: string): boolean {
    const real = realPathOf(absolute)?.path;
    const folders = this.#folders.map((folder) => folder.real);
    return real !== undefined && isShown(real, absolute, folders);
  }

  /** Whether a file is one of git's, or its name or that of a folder around it tells of secrets. By an absolute path. */
  isClosed(absolute: string): boolean {
    return closedName(this.#asked(path.normalize(absolute))) !== undefined;
  }

  /** The names on a path as it was asked for, before any link is followed. */
  #asked(absolute: string): string[] {
    const inside = this.#folders.map((folder) => path.relative(folder.given, absolute)).find((each) => !leadsOut(each));
    return inside === undefined ? [path.basename(absolute)] : inside.split(path.sep);
  }

  #inside(absolute: string): { path: WorkspacePath; exists: boolean } | undefined {
    const real = realPathOf(absolute);
    if (real === undefined) return undefined;
    for (const folder of this.#folders) {
      const relative = path.relative(folder.real, real.path);
      if (leadsOut(relative)) continue;
      // The client's own spelling of the folder is kept, so that URIs match the ones it uses for its buffers.
      const given = path.join(folder.given, relative);
      return {
        path: { absolute: given, uri: URI.file(given).toString(), relative: relative.split(path.sep).join("/") },
        exists: real.exists,
      };
    }
    return undefined;
  }
}

function refuse(reason: string): PathResolution {
  return { ok: false, reason };
}

/** A drive or a share of Windows, which is an ordinary name on other systems. */
function isForeign(wanted: string): boolean {
  return path.sep === "/" && /^(?:[A-Za-z]:[\\/]|\\\\)/.test(wanted);
}

/**
 * Judged by the names that were asked for and by the real ones: `config.txt` may be a link to `.env`, and the other way
 * round.
 */
function problemWith(relative: string, asked: readonly string[]): string | undefined {
  const closed = closedName([...relative.split("/"), ...asked]);
  if (closed?.kind === "git") return `${relative} is inside .git, which tools never touch.`;
  if (closed !== undefined) return `${closed.name} may hold secrets; tools never read or write it.`;
  const hidden = hiddenInPath(relative);
  return hidden === undefined ? undefined : `The path has a character that readers do not see or misread: ${hidden}.`;
}

function withRealPath(given: string): { given: string; real: string } {
  return { given, real: realPathOf(given)?.path ?? given };
}

function candidatePaths(name: string, folders: readonly string[]): string[] | undefined {
  if (name.startsWith("file:")) return [path.normalize(URI.parse(name).fsPath)];
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name)) return undefined;
  if (path.isAbsolute(name)) return [withNamesOnDisk(path.normalize(name))];
  return folders.map((folder) => withNamesOnDisk(path.resolve(folder, name)));
}
