/** A new compiler process with all projects loaded, and what the editor hears of it. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configCircle } from "../files/projects/config-circle.ts";
import { statsOf } from "../../workspace/file-names.ts";
import { startNative, untilGone } from "./native-process.ts";
import { compilerHome } from "./native-program.ts";
import type { OpenDocuments } from "./open-documents.ts";
import type { Relay } from "../relay/language-relay.ts";
import { Session } from "./session.ts";
import { untilStuck } from "./stuck.ts";
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
/** The largest projects load in a tenth of that. */
const LOADING_LIMIT_MS = 300_000;

/** Rejects with the reason when the process dies before it can answer. */
export async function startSession(parts: StartParts): Promise<Session> {
  const { folders, documents, disk, relay, log, nodePath } = parts;
  const configs = folders.flatMap((folder) => ["tsconfig.json", "jsconfig.json"].map((name) => join(folder, name)));
  const circle = configCircle([...configs, ...disk.configFiles()]);
  if (circle !== undefined) throw new Error(circle);
  const starting = startNative({
    cwd: folders.find((folder) => statsOf(folder)?.isDirectory()) ?? compilerHome(),
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
  const isLoaded = new AbortController();
  const stuck = Promise.race([untilStuck(native.pid, isLoaded.signal), tooLong(isLoaded.signal)]).then((why): never => {
    throw new Error(`${why} while it loaded the projects`);
  });
  try {
    await Promise.race([untilGone(loaded, native.exited), stuck]);
  } catch (error) {
    // Nobody else would know of a process that still runs.
    void native.dispose();
    throw error;
  } finally {
    isLoaded.abort();
    stuck.catch(() => undefined);
  }
  session.gate.leave();
  return session;
}

async function tooLong(signal: AbortSignal): Promise<string> {
  await sleep(LOADING_LIMIT_MS, undefined, { signal, ref: false });
  return `the TypeScript compiler was not done within ${LOADING_LIMIT_MS / 60_000} minutes`;
}
