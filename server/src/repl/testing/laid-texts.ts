/** Unsaved texts that replace those of open buffers and of the disk, for one run or one form. */
import { readRegularText } from "../../workspace/regular-file.ts";
import type { ImageOptions } from "../image.ts";
import type { LaidTexts } from "./test-run.ts";

export type ReadSource = NonNullable<ImageOptions["readSource"]>;

export interface OpenSources {
  readonly readSource: ReadSource;
  /** The texts of all open documents, by absolute path. */
  readonly openTexts: () => Readonly<Record<string, string>>;
}

export function readingOver(readSource: ReadSource, texts: LaidTexts): ReadSource {
  return (path) => {
    const laid = texts.get(path);
    return laid === undefined ? readSource(path) : laid;
  };
}

export function laidOver(sources: OpenSources, texts: LaidTexts): OpenSources {
  return {
    readSource: readingOver(sources.readSource, texts),
    openTexts: () => {
      const all = new Map(Object.entries(sources.openTexts()));
      for (const [path, text] of texts) {
        if (text === null) all.delete(path);
        else all.set(path, text);
      }
      return Object.fromEntries(all);
    },
  };
}

export function absentIn(texts: LaidTexts): string[] {
  return [...texts].flatMap(([path, text]) => (text === null ? path : []));
}

/** The text that a run sees; undefined when the file does not exist. */
export async function sourceText(readSource: ReadSource, path: string): Promise<string | undefined> {
  const text = readSource(path);
  if (text !== undefined) return text ?? undefined;
  return readRegularText(path, { lossy: true }).catch(() => undefined);
}
