/** A new compiler process with all projects loaded, and what the editor hears of it. */
import { tmpdir } from "node:os";
import { statsOf } from "../files/file-stamps.ts";
import { startNative, untilGone } from "./native-process.ts";
import type { OpenDocuments } from "./open-documents.ts";
import type { Relay } from "../relay/language-relay.ts";
import { Session } from "./session.ts";
import type { WorkspaceFiles } from "../files/workspace-files.ts";

interface StartParts {
  readonly folders: readonly string[];
  readonly documents: OpenDocuments;
  readonly disk: WorkspaceFiles;
  readonly relay: Relay | undefined;
  readonly log: (message: string) => void;
  readonly nodePath?: string | undefined;
  /** Called once the process has its hands full with loading. */
  readonly onLoading: () => void;
}

/** The session's first requests are written within a few turns of the event loop. */
const REQUEST_ON_ITS_WAY_MS = 5;

/** Rejects with the reason when the process dies before it can answer. */
export async function startSession(parts: StartParts): Promise<Session> {
  const { folders, documents, disk, relay, log, nodePath } = parts;
  const starting = startNative({
    cwd: folders.find((folder) => statsOf(folder)?.isDirectory()) ?? tmpdir(),
    workspaceFolders: folders,
    log,
    nodePath,
    client: relay?.sideForNewProcess(),
  });
  const looked = disk.look();
  looked.catch(() => undefined);
  const native = await starting;
  const session = new Session({ native, documents, disk, folders, hasSettings: relay !== undefined });
  void native.exited.then((reason) => relay?.detach(native, reason));
  // The editor's requests need neither the disk's files nor a snapshot.
  relay?.attach(session);
  session.tellDocuments();
  await looked;
  const loaded = session.gate.enter(
    () => session.isStale(),
    () => session.update(),
  );
  setTimeout(parts.onLoading, REQUEST_ON_ITS_WAY_MS);
  try {
    await untilGone(loaded, native.exited);
  } catch (error) {
    // Nobody else would know of a process that still runs.
    void native.dispose();
    throw error;
  }
  session.gate.leave();
  return session;
}
