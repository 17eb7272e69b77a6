/** What the side compiler is told before a question: texts that are in no file, and what changed on disk. */
import { uriOf } from "../../workspace/file-uri.ts";
import { specifiersIn } from "../files/packages/specifiers.ts";
import type { NativeProcess } from "../session/native-process.ts";
import { secondChange } from "../session/open-documents.ts";
import type { ViewState } from "../view.ts";

export interface ToldProcess {
  readonly native: NativeProcess;
  /** The open texts that the process was told of, by file. */
  readonly told: Map<string, string>;
  version: number;
  /** The age of the first compiler's state up to which this process was told what changed on disk. */
  age: number;
}

/** Past this many changes one program made anew costs less than one made over for each. */
const MAX_ALONE = 10;

/** False when nobody knows any more what changed since: only another process sees the disk as it is. */
export async function tellDisk(running: ToldProcess, { age, changedSince }: ViewState): Promise<boolean> {
  if (age === running.age) return true;
  const changed = changedSince(running.age);
  if (changed === undefined) return false;
  const changes = changed.flatMap(({ file, type }) => (type === undefined ? [] : { uri: uriOf(file), type }));
  if (changes.length > 0) await running.native.notify("workspace/didChangeWatchedFiles", { changes });
  running.age = age;
  return true;
}

/**
 * Makes these the open texts. `take` has the process make a program of what it was told so far: 7.0.2 makes the program
 * over in milliseconds when one file has another text and imports the same, and anew when two have.
 */
export async function tellTexts(
  running: ToldProcess,
  wanted: ReadonlyMap<string, string>,
  take: () => Promise<void>,
): Promise<void> {
  const { native, told } = running;
  for (const open of told.keys()) {
    if (wanted.has(open)) continue;
    told.delete(open);
    await native.notify("textDocument/didClose", { textDocument: { uri: uriOf(open) } });
  }
  const changed = [...wanted].filter(([file, text]) => told.get(file) !== text);
  const alone = changed.filter(([file, text]) => {
    const before = told.get(file);
    return before !== undefined && importsSame(before, text);
  });
  const isOneByOne = alone.length <= MAX_ALONE;
  const together = isOneByOne ? changed.filter((change) => !alone.includes(change)) : changed;
  for (const [file, text] of together) await tellText(running, file, text);
  if (!isOneByOne) return;
  for (const [index, [file, text]] of alone.entries()) {
    if (index > 0 || together.length > 0) await take();
    await tellText(running, file, text);
  }
}

async function tellText(running: ToldProcess, file: string, text: string): Promise<void> {
  const { native, told } = running;
  running.version += 1;
  const document = { uri: uriOf(file), version: running.version };
  if (told.has(file)) {
    await native.notify("textDocument/didChange", { textDocument: document, contentChanges: [{ text }] });
    await native.notify("workspace/didChangeWatchedFiles", { changes: secondChange([file]) });
  } else {
    await native.notify("textDocument/didOpen", { textDocument: { ...document, languageId: languageOf(file), text } });
  }
  told.set(file, text);
}

function importsSame(a: string, b: string): boolean {
  const [own, other] = [specifiersIn(a), specifiersIn(b)];
  return own.length === other.length && own.every((specifier, index) => specifier === other[index]);
}

function languageOf(file: string): string {
  const kind = /\.[cm]?ts$|\.tsx$/.test(file) ? "typescript" : "javascript";
  return /\.[jt]sx$/.test(file) ? `${kind}react` : kind;
}
