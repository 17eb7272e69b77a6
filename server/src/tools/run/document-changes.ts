/** Tells the clock of changes what editors do to documents, and what changes on the disk. */
import type { KnownProposals } from "../../proposals/known-proposals.ts";
import { normalizeUri, sha256, type Documents } from "../../workspace/documents.ts";
import { uriOf } from "../../workspace/file-uri.ts";
import type { Changes } from "./changes.ts";

export function watchDocuments(
  changes: Changes,
  documents: Documents,
  proposals: Pick<KnownProposals, "applying">,
): void {
  /** A buffer that holds what the file holds changes nothing when it comes or goes. */
  const compare = async (uri: string, text: string): Promise<void> => {
    if ((await documents.readDisk(uri)) !== text) changes.documentChanged(uri);
  };
  documents.subscribe({
    didOpen: ({ uri, text }) => {
      changes.documentOpened(uri, sha256(text));
      void compare(uri, text);
    },
    didChange: ({ uri }) => changes.documentChanged(uri, proposals.applying(uri)),
    didClose: (uri, text) => void compare(uri, text),
  });
}

/** The buffer of an open document is its text, whatever the file on the disk says. */
export function fileChanged(changes: Changes, documents: Documents, file: string): void {
  const uri = normalizeUri(uriOf(file));
  if (documents.get(uri) === undefined) changes.documentChanged(uri);
}
