/** The entries that a person accepted, put in their places by the server itself: no edit of an editor can say them. */
import { putEntry } from "../entries/put-entry.ts";
import { standsThere, type EntryChange } from "../entries/entry.ts";
import type { FileChangeType } from "vscode-languageserver-protocol";
import { raise } from "../hunk-state.ts";
import type { TrackedHunk } from "../proposal.ts";
import type { Look, LookPorts } from "./files-now.ts";

export interface PutPorts extends LookPorts {
  /** The server changed files, in the words of LSP's `didChangeWatchedFiles`. Contract: must not throw. */
  readonly onPut?: (changes: readonly { readonly uri: string; readonly type: FileChangeType }[]) => void;
}

const UNCONFIRMED = "it was accepted, but what stands there is neither the old nor the approved one.";
const GONE = "what was to be put there ended with another server.";

/** Where it cannot be done, the hunk is a conflict, and nothing of it has changed. Never rejects. */
export async function putEntries(hunks: readonly TrackedHunk[], ports: PutPorts, signal: AbortSignal): Promise<void> {
  const put: { uri: string; type: FileChangeType }[] = [];
  for (const hunk of hunks.toSorted(inOrder)) {
    const why = signal.aborted ? "the review was over." : await whyNotPut(hunk, ports, signal);
    if (why !== undefined) {
      raise(hunk, { is: "refused", why, kind: "changed" });
      continue;
    }
    raise(hunk, { is: "applied" });
    put.push({ uri: hunk.document.at.uri, type: typeOf(hunk.document.entry) });
  }
  if (put.length > 0) ports.onPut?.(put);
}

/** LSP's numbers for created, changed and deleted. */
function typeOf(entry: EntryChange | undefined): FileChangeType {
  if (entry?.before === null) return 1;
  return entry?.after === null ? 3 : 2;
}

/** Deletions come first, from the inside out; a new entry comes after the folder that holds it. */
function inOrder({ document: a }: TrackedHunk, { document: b }: TrackedHunk): number {
  const [aGoes, bGoes] = [a, b].map(({ entry }) => entry?.after === null);
  if (aGoes !== bGoes) return aGoes === true ? -1 : 1;
  const order = a.at.uri < b.at.uri ? -1 : 1;
  return aGoes === true ? -order : order;
}

async function whyNotPut(hunk: TrackedHunk, ports: PutPorts, signal: AbortSignal): Promise<string | undefined> {
  const { entry, at } = hunk.document;
  const place = ports.placeOf?.(at.uri) ?? "nobody can say where it stands.";
  if (typeof place === "string") return place;
  if (entry === undefined) return GONE;
  const problem = ports.whyNotLinked?.(place, entry.after) ?? (await unsavedText(at.uri, entry, ports));
  if (problem !== undefined) return problem;
  if (entry.after?.kind !== "folder") return putEntry(place, entry);
  return entry.after.moveIn === undefined ? GONE : entry.after.moveIn(signal);
}

/** What the editor holds would be lost, or would come back when it is saved. */
async function unsavedText(uri: string, { after }: EntryChange, { documents }: PutPorts): Promise<string | undefined> {
  const open = documents.readOpen(uri);
  if (open === undefined || (after?.kind === "file" && after.content === undefined)) return undefined;
  const onDisk = await documents.readDisk(uri);
  return onDisk === undefined || onDisk === open.text ? undefined : "the editor holds unsaved text of it.";
}

/** What became of entries that were accepted when another server ended. */
export function takeUpEntries(hunks: readonly TrackedHunk[], look: Look): void {
  for (const hunk of hunks) {
    const { entry, at } = hunk.document;
    if (hunk.kind !== "entry" || entry === undefined || hunk.now.is !== "accepted") continue;
    const now = look.entryOf?.(at.uri) ?? undefined;
    const isKnown = now !== "unknown";
    if (isKnown && standsThere(entry.before, now)) raise(hunk, { is: "notApplied" });
    else if (isKnown && standsThere(entry.after, now)) raise(hunk, { is: "applied" });
    else raise(hunk, { is: "refused", why: UNCONFIRMED, kind: "unconfirmed" });
  }
}

/** Looks again at an entry that was put in its place: somebody may have changed it since. */
export function lookAtEntry(hunk: TrackedHunk, look: Look): void {
  const { entry, at } = hunk.document;
  const now = look.entryOf?.(at.uri) ?? undefined;
  if (entry === undefined || (now !== "unknown" && standsThere(entry.after, now))) return;
  const later = now !== "unknown" && standsThere(entry.before, now) ? "undone" : "changed";
  raise(hunk, { is: "gone", later });
}
