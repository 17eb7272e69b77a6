/** Between the path of a file and its `file:` URI. */
import { fileURLToPath, pathToFileURL } from "node:url";

/** The file a `file:` URI names, or undefined for any other URI. */
export function fileOfUri(uri: string): string | undefined {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

export function uriOf(file: string): string {
  return pathToFileURL(file).href;
}
