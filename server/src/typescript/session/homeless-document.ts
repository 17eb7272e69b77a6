import type { DisplayPaths } from "../files/display-paths.ts";
import { isTypeScriptSource } from "../files/tracked-names.ts";
import type { OpenDocuments } from "./open-documents.ts";
import type { Programs } from "./program-views.ts";

/** An open document that the last change left without a project: 7.0.2 gives it another only when it is opened. */
export function homelessDocument(
  documents: OpenDocuments,
  paths: DisplayPaths,
  { programs, inferredRoots, hidden }: Programs,
): string | undefined {
  const roots = new Set(inferredRoots);
  return documents
    .files()
    .find(
      (file) =>
        isTypeScriptSource(file) &&
        paths.isOwn(file) &&
        !roots.has(file) &&
        !hidden.has(file) &&
        !programs.some(({ files }) => files.has(file)),
    );
}
