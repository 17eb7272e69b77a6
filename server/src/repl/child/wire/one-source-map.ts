/** The source map of a script that was compiled from one file. A bundle has several sources, and no map here. */
import { dirname, resolve } from "node:path";

export interface OneSourceMap {
  /** The path of the source. */
  readonly source: string;
  readonly mappings: string;
}

/** `url` is what the script says of its map; `read` reads a file. Undefined also for a map that is missing or broken. */
export function oneSourceMap(path: string, url: string, read: (path: string) => string): OneSourceMap | undefined {
  if (url === "") return undefined;
  try {
    const [, data] = /^data:application\/json[^,]*;base64,(.*)$/s.exec(url) ?? [];
    const file = resolve(dirname(path), decodeURIComponent(url.replace(/^file:\/\//, "")));
    const text = data === undefined ? read(file) : Buffer.from(data, "base64").toString();
    const { sources, sourceRoot, mappings } = JSON.parse(text) as Partial<Record<string, unknown>>;
    const [source, ...others] = Array.isArray(sources) ? (sources as readonly unknown[]) : [];
    if (typeof source !== "string" || others.length > 0 || typeof mappings !== "string") return undefined;
    const root = typeof sourceRoot === "string" ? sourceRoot : "";
    return { source: resolve(dirname(path), root, decodeURIComponent(source.replace(/^file:\/\//, ""))), mappings };
  } catch {
    return undefined;
  }
}
