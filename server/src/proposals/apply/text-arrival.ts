/** The text that an edit made may still be on its way: text sync and the disk can be behind what the client says. */
import { setTimeout as pause } from "node:timers/promises";
import type { DocumentText } from "../../workspace/documents.ts";

/** What the client says a document is, after it applied an edit. */
export interface ToldDocument {
  readonly uri: string;
  readonly version?: number | null;
  readonly sha256?: string | null;
}

/** How long an edit may take from an editor to the server. */
export const ARRIVAL_MS = 1_000;
const PAUSE_MS = 20;

/** Reads until nothing is due any more, for `limitMs` at most. */
export async function untilTextCame<Texts>(
  read: () => Promise<Texts>,
  isSomethingDue: (texts: Texts) => boolean,
  limitMs: number,
): Promise<Texts> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const texts = await read();
    if (!isSomethingDue(texts) || performance.now() > deadline) return texts;
    await pause(PAUSE_MS);
  }
}

/** Whether another text, or for null no text, may come: not for a buffer whose text is as new as the client says. */
export function isDue(
  uri: string,
  now: Pick<DocumentText, "text" | "version"> | undefined,
  expected: string | null,
  told: readonly ToldDocument[],
): boolean {
  if ((now?.text ?? null) === expected) return false;
  const version = told.find((document) => document.uri === uri)?.version;
  if (typeof version !== "number") return true;
  return now === undefined || now.version === null || now.version < version;
}
