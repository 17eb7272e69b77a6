/** Where a path leads when every link on it is followed, also a link to what does not exist yet. */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { isMissing } from "./file-names.ts";

/** What the kernel allows as well. */
const MAX_LINKS = 40;

export interface RealPath {
  readonly path: string;
  readonly exists: boolean;
}

/**
 * Writing to a link whose target is missing creates the target, wherever that is; `realpath` fails for such a link and
 * tells nothing. Undefined when nobody can say where the path leads: links in a circle, a folder that may not be looked into.
 */
export function realPathOf(absolute: string): RealPath | undefined {
  try {
    return { path: realpathSync(absolute), exists: true };
  } catch (error) {
    return isMissing(error) ? followByHand(absolute) : undefined;
  }
}

/** Undefined for what is not there or may not be looked into, and for links that lead in a circle. */
export function existingRealPath(absolute: string): string | undefined {
  try {
    return realpathSync(absolute);
  } catch {
    return undefined;
  }
}

function followByHand(absolute: string): RealPath | undefined {
  const { root } = path.parse(absolute);
  const left = componentsOf(absolute.slice(root.length));
  let at = root;
  let exists = true;
  let links = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const next = path.join(at, name);
    const target = linkTarget(next);
    if (target === "unknown") return undefined;
    if (target === "none" || target === "missing") {
      exists &&= target === "none";
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return undefined;
    const { root: targetRoot } = path.parse(target.to);
    // What comes before ".." in a link's target is followed first, so the components are kept one by one.
    left.unshift(...componentsOf(target.to.slice(targetRoot.length)));
    if (targetRoot !== "") at = path.resolve(at, targetRoot);
  }
  return { path: at, exists };
}

function linkTarget(file: string): { readonly to: string } | "none" | "missing" | "unknown" {
  try {
    return lstatSync(file).isSymbolicLink() ? { to: readlinkSync(file) } : "none";
  } catch (error) {
    return isMissing(error) ? "missing" : "unknown";
  }
}

function componentsOf(relative: string): string[] {
  return relative.split(path.sep === "\\" ? /[\\/]/ : "/").filter((name) => name !== "" && name !== ".");
}
