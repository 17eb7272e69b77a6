/** Keeps the syntax of files that no answer may show from every question. */
import type { Project } from "typescript/unstable/async";
import { fileOfUri } from "../../../workspace/file-uri.ts";

/**
 * From here on no question gets the syntax of a hidden file, whichever way the checker leads there. Handles spell paths
 * as the disk does.
 */
export function withhold({ program }: Project, hidden: ReadonlySet<string>): void {
  const names = new Set([...hidden].map((file) => file.toLowerCase()));
  const read = program.getSourceFile.bind(program);
  program.getSourceFile = (file) => {
    const name = typeof file === "string" ? file : fileOfUri(file.uri);
    return name === undefined || names.has(name.toLowerCase()) ? Promise.resolve(undefined) : read(file);
  };
}
