/** Node's rule for the `exports` of a package: which files a path behind the package's name may stand for. */

/** Conditions under which TypeScript or Node look; a target behind any of them is taken. */
const CONDITIONS = new Set(["types", "import", "require", "node", "node-addons", "browser", "development", "default"]);

/** `subpath` is `.` or `./text`. Paths relative to the package, best first; empty for what it does not export. */
export function exportTargets(exports: unknown, subpath: string): string[] {
  if (typeof exports === "string" || Array.isArray(exports)) return subpath === "." ? targetsOf(exports, "") : [];
  if (typeof exports !== "object" || exports === null) return [];
  const entries = exports as Readonly<Record<string, unknown>>;
  const isMap = Object.keys(entries).some((key) => key.startsWith("."));
  if (!isMap) return subpath === "." ? targetsOf(entries, "") : [];
  if (Object.hasOwn(entries, subpath) && !subpath.includes("*")) return targetsOf(entries[subpath], "");
  const patterns = Object.keys(entries).filter((key) => key.includes("*"));
  // The longest beginning wins, and an exclusion (`null`) like any other.
  const [best] = patterns.filter((key) => fits(key, subpath)).toSorted((a, b) => b.indexOf("*") - a.indexOf("*"));
  if (best === undefined) return [];
  const [before = "", after = ""] = best.split("*");
  return targetsOf(entries[best], subpath.slice(before.length, subpath.length - after.length));
}

function fits(pattern: string, subpath: string): boolean {
  const [before = "", after = ""] = pattern.split("*");
  return subpath.length >= pattern.length && subpath.startsWith(before) && subpath.endsWith(after);
}

function targetsOf(target: unknown, star: string): string[] {
  if (typeof target === "string") return target.startsWith("./") ? [target.replaceAll("*", () => star)] : [];
  if (Array.isArray(target)) return target.flatMap((each) => targetsOf(each, star));
  if (typeof target !== "object" || target === null) return [];
  const found = Object.entries(target).flatMap(([condition, value]) =>
    CONDITIONS.has(condition) || condition.startsWith("types@") ? targetsOf(value, star) : [],
  );
  return [...new Set(found)];
}
