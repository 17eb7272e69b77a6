/** Texts of files as the compiler knows them, and facts that follow from each text alone. */
import { readRegularText, readRegularTextSync } from "../../workspace/regular-file.ts";
import { isFresh, stampFrom, type Stamp } from "./file-stamps.ts";
import { statsOf } from "../../workspace/file-names.ts";
import type { View } from "../view.ts";
import { forEachYielding } from "../yielding.ts";

/** The open document's text, else the disk's; "" for a file that is gone, and for one that no answer may show. */
export async function fileText(view: View, file: string): Promise<string> {
  if (view.state.shown.hides(file)) return "";
  return view.state.openTexts.get(file) ?? (await textOnDisk(file));
}

/**
 * Like `fileText`, without a promise, which takes a tenth of the time for thousands of files. Call it between slices
 * that give others their turn, and show nothing of the text itself.
 */
export function fileTextNow(view: View, file: string): string {
  const open = view.state.openTexts.get(file);
  if (open !== undefined) return open;
  try {
    return readRegularTextSync(file, { lossy: true });
  } catch {
    return "";
  }
}

/** A fact of each file's text, read once until the file changes; that of an open document is read each time. */
export class TextFacts<Fact> {
  readonly #read: (text: string) => Fact;
  readonly #known = new Map<string, { readonly stamp: Stamp; readonly fact: Fact }>();

  constructor(read: (text: string) => Fact) {
    this.#read = read;
  }

  /** Without a promise for each of thousands of files, in slices between which others get their turn. */
  async ofAll(view: View, files: Iterable<string>): Promise<Fact[]> {
    const facts: Fact[] = [];
    await forEachYielding(files, (file) => facts.push(this.#of(view, file)));
    return facts;
  }

  #of(view: View, file: string): Fact {
    if (view.state.shown.hides(file)) return this.#read("");
    if (view.state.openTexts.has(file)) return this.#read(fileTextNow(view, file));
    const lookedAt = Date.now();
    const stats = statsOf(file);
    const stamp = stats === undefined ? "" : stampFrom(stats);
    const known = this.#known.get(file);
    if (known?.stamp === stamp) return known.fact;
    const fact = this.#read(fileTextNow(view, file));
    if (stats === undefined || isFresh(stats, lookedAt)) this.#known.delete(file);
    else this.#known.set(file, { stamp, fact });
    return fact;
  }
}

function textOnDisk(file: string): Promise<string> {
  return readRegularText(file, { lossy: true }).catch(() => "");
}
