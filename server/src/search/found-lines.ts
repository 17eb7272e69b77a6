/** What a search has found: all of it counted, and of the lines no more kept than a page may show. */
import { comparePlaces, keyOf, type Place } from "./place.ts";

export interface FoundLine {
  /** Counted from 1. */
  readonly line: number;
  /** Without its end; the lines of a match over several are joined by "\n". */
  readonly text: string;
  /** False for a line beside a match. */
  readonly isMatch: boolean;
}

export interface FoundFile {
  readonly place: Place;
  readonly isUnsaved: boolean;
  /** How many matches there are, kept or not. */
  matches: number;
  /** How many of them are at or before the line from which the next page reads on. */
  passed: number;
  /** How many of them are in lines that are too long to be read. */
  unreadable: number;
  readonly lines: FoundLine[];
  /** How long the kept lines are. */
  length: number;
  /** Whether its bytes are no UTF-8. */
  isForeign: boolean;
}

export interface ReadFrom extends Place {
  /** The last line that was shown. */
  readonly line: number;
}

/** In characters: of one file more than a page can hold, and of all so much that the first file never has to go. */
const MAX_IN_FILE = 12_000;
const MAX_KEPT = 40_000;
const LINE_NUMBER = 8;

export class FoundLines {
  readonly #files = new Map<string, FoundFile>();
  readonly #from: ReadFrom | undefined;
  #kept = 0;
  /** Lines of files from here on are not kept. */
  #end: Place | undefined;

  constructor(from?: ReadFrom) {
    this.#from = from;
  }

  /** In the order in which they are told. */
  files(): FoundFile[] {
    return [...this.#files.values()].toSorted((one, other) => comparePlaces(one.place, other.place));
  }

  /** The file, with nothing found in it yet: a file that is searched twice is one file. */
  begin(place: Place, isUnsaved = false): FoundFile {
    const key = keyOf(place);
    if (this.#files.has(key)) this.drop(place);
    const file: FoundFile = {
      place,
      isUnsaved,
      matches: 0,
      passed: 0,
      unreadable: 0,
      length: 0,
      lines: [],
      isForeign: false,
    };
    this.#files.set(key, file);
    return file;
  }

  drop(place: Place): void {
    const known = this.#files.get(keyOf(place));
    this.#kept -= known?.length ?? 0;
    this.#files.delete(keyOf(place));
  }

  /** False where a line of the file would not be kept: it need not be read then. */
  keeps({ place, length }: FoundFile): boolean {
    if (length >= MAX_IN_FILE || (this.#end !== undefined && comparePlaces(place, this.#end) >= 0)) return false;
    return this.#from === undefined || comparePlaces(place, this.#from) >= 0;
  }

  keep(file: FoundFile, line: FoundLine): void {
    const from = this.#from;
    if (from !== undefined && comparePlaces(file.place, from) === 0 && line.line <= from.line) {
      if (line.isMatch) file.passed += 1;
      return;
    }
    file.lines.push(line);
    file.length += line.text.length + LINE_NUMBER;
    this.#kept += line.text.length + LINE_NUMBER;
    if (this.#kept > MAX_KEPT) this.#forget();
  }

  /** The lines of the last files, down to the half. */
  #forget(): void {
    const holding = [...this.#files.values()].filter(({ length }) => length > 0);
    for (const file of holding.toSorted((one, other) => comparePlaces(other.place, one.place))) {
      if (this.#kept <= MAX_KEPT / 2) return;
      this.#kept -= file.length;
      file.lines.length = 0;
      file.length = 0;
      this.#end = file.place;
    }
  }
}
