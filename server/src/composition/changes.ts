/** The part of the composition that tells the clock of changes what happens besides calls: typing, and the disk. */
import type { KnownProposals } from "../proposals/known-proposals.ts";
import { Changes } from "../tools/run/changes.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import { normalizeUri, sha256, type Documents } from "../workspace/documents.ts";
import { uriOf } from "../workspace/file-uri.ts";

interface ChangeParts {
  readonly documents: Documents;
  readonly known: Pick<KnownProposals, "applying">;
  /** Undefined while nothing has asked the compiler. */
  readonly typescript: () => TypeScriptService | undefined;
}

export function composeChanges({ documents, known, typescript }: ChangeParts): Changes {
  const changes = new Changes({
    look: async () =>
      typescript()
        ?.lookAtDisk("everywhere")
        .catch(() => undefined),
    glance: async () =>
      typescript()
        ?.lookAtDisk("told")
        .catch(() => undefined),
    sha256Of: async (uri) => (await documents.read(uri).catch(() => undefined))?.sha256,
  });
  /** A buffer that holds what the file holds changes nothing when it comes or goes. */
  const compare = async (uri: string, text: string): Promise<void> => {
    if ((await documents.readDisk(uri)) !== text) changes.documentChanged(uri);
  };
  documents.subscribe({
    didOpen: ({ uri, text }) => {
      changes.documentOpened(uri, sha256(text));
      void compare(uri, text);
    },
    didChange: ({ uri }) => changes.documentChanged(uri, known.applying(uri)),
    didClose: (uri, text) => void compare(uri, text),
  });
  return changes;
}

/** The buffer of an open document is its text, whatever the file on the disk says. */
export function diskChanged(documents: Documents, changes: Changes, file: string): void {
  const uri = normalizeUri(uriOf(file));
  if (documents.get(uri) === undefined) changes.documentChanged(uri);
}
