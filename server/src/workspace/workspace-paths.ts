/** Which paths tools may touch: inside the workspace folders by their real path, and never secrets or `.git`. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { URI } from "vscode-uri";

export interface WorkspacePath {
  /** Absolute, with links of existing parents resolved. */
  readonly absolute: string;
  readonly uri: string;
  /** Relative to its workspace folder with forward slashes; what models and people read. */
  readonly relative: string;
}

export type PathResolution =
  | { readonly ok: true; readonly path: WorkspacePath }
  | { readonly ok: false; readonly reason: string };

const SECRET_NAMES =
  /^(\.env(\..*)?|\.npmrc|\.netrc|id_(rsa|dsa|ecdsa|ed25519)(\.pub)?|.*\.(pem|key|p12|pfx|keystore))$/i;

export function isSecretName(name: string): boolean {
  return SECRET_NAMES.test(name);
}

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

  /** Resolves a path or file URI a model or an editor named. Checked again when an edit is applied. */
  resolve(name: string): PathResolution {
    const wanted = name.trim();
    if (wanted === "") return refuse("The path is empty.");
    if (wanted.includes("\0")) return refuse("The path contains a NUL character.");
    if (this.#folders.length === 0) return refuse("No workspace folder is open.");
    const candidates = candidatePaths(
      wanted,
      this.#folders.map((folder) => folder.given),
    );
    if (candidates === undefined) return refuse(`"${name}" is not a file path.`);
    const resolved = candidates.map((candidate) => this.#inside(candidate)).filter((found) => found !== undefined);
    const best = resolved.find((found) => found.exists) ?? resolved[0];
    if (best === undefined) {
      return refuse(`${name} is outside the workspace (${this.folders().join(", ")}); tools stay inside it.`);
    }
    const segments = best.path.relative.split("/");
    if (segments.some((segment) => segment.toLowerCase() === ".git"))
      return refuse(`${name} is inside .git, which tools never touch.`);
    const secret = segments.find((segment) => SECRET_NAMES.test(segment));
    if (secret !== undefined) return refuse(`${secret} may hold secrets; tools never read or write it.`);
    return { ok: true, path: best.path };
  }

  /** The relative spelling for people and models; the absolute path when it lies outside. */
  relative(absolute: string): string {
    return this.#inside(absolute)?.path.relative ?? absolute;
  }

  #inside(absolute: string): { path: WorkspacePath; exists: boolean } | undefined {
    const real = realPathOfDeepestParent(absolute);
    for (const folder of this.#folders) {
      const relative = path.relative(folder.real, real.path);
      if (relative.startsWith("..") || path.isAbsolute(relative)) continue;
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

function withRealPath(given: string): { given: string; real: string } {
  return { given, real: realPathOfDeepestParent(given).path };
}

function candidatePaths(name: string, folders: readonly string[]): string[] | undefined {
  if (name.startsWith("file:")) return [path.normalize(URI.parse(name).fsPath)];
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name)) return undefined;
  if (path.isAbsolute(name)) return [path.normalize(name)];
  return folders.map((folder) => path.resolve(folder, name));
}

function realPathOfDeepestParent(absolute: string): { path: string; exists: boolean } {
  const missing: string[] = [];
  let current = absolute;
  for (;;) {
    try {
      return { path: path.join(realpathSync(current), ...missing), exists: missing.length === 0 };
    } catch {
      const parent = path.dirname(current);
      if (parent === current) return { path: absolute, exists: false };
      missing.unshift(path.basename(current));
      current = parent;
    }
  }
}
