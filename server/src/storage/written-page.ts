/** Pages that a person has written out of a conversation, which only they can read. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ownPlace } from "../process/own-place.ts";
import { stateFolder, thisMachine, type Machine } from "./state-folder.ts";

/** Answers the path of the page; rejects with what to do where others could write there. */
export async function writePage(variables: Machine["variables"], name: string, text: string): Promise<string> {
  const exports = ownPlace(join(stateFolder(thisMachine(variables)), "exports"));
  if ("problem" in exports) throw new Error(exports.problem);
  const file = join(exports.folder, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
