/** The part of the composition that starts the compiler, and the clock of changes that hears of the disk. */
import type { Parts } from "./parts.ts";
import { given } from "../base/given.ts";
import { compilerTeller } from "../handlers/compiler-teller.ts";
import { Changes } from "../tools/run/changes.ts";
import { fileChanged, watchDocuments } from "../tools/run/document-changes.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";

/** `peek` answers the compiler, undefined while nothing has asked for it. */
export function composeChanges(
  { documents, proposals }: Pick<Parts, "documents" | "proposals">,
  peek: () => TypeScriptService | undefined,
): Changes {
  const lookAtDisk: TypeScriptService["lookAtDisk"] = async (where) =>
    peek()
      ?.lookAtDisk(where)
      .catch(() => undefined);
  const changes = new Changes({
    look: () => lookAtDisk("everywhere"),
    glance: () => lookAtDisk("told"),
    sha256Of: async (uri) => (await documents.read(uri).catch(() => undefined))?.sha256,
  });
  watchDocuments(changes, documents, proposals.known);
  return changes;
}

export async function composeTypeScript({
  client,
  setup,
  documents,
  changes,
  onChange,
}: Pick<Parts, "client" | "setup" | "documents" | "changes" | "onChange">): Promise<TypeScriptService> {
  const { createTypeScript } = await import("../typescript/typescript-service.ts");
  const tell = compilerTeller(client, { showsLoading: setup.languageClient === undefined });
  const service = createTypeScript({
    workspaceFolders: setup.workspaceFolders,
    onState: (status) => {
      tell(status);
      onChange();
    },
    log: (message) => client.log("log", message),
    onDiskChange: (file) => fileChanged(changes, documents, file),
    ...given({ editor: setup.languageClient }),
  });
  documents.subscribe({
    didOpen: (document) => service.documents.didOpen(document),
    didChange: (document) => service.documents.didChange(document),
    didClose: (uri) => service.documents.didClose({ uri }),
  });
  return service;
}
