/** Gathers what several runs of ripgrep find. */
import { FoundLines, type FoundFile, type FoundLine, type ReadFrom } from "./found-lines.ts";
import type { MatchListener } from "./match-events.ts";
import type { Place } from "./place.ts";

export class Finding {
  readonly #found: FoundLines;
  readonly binary: Place[] = [];
  readonly tooLong = new Set<Place>();

  constructor(from: ReadFrom | undefined) {
    this.#found = new FoundLines(from);
  }

  /** In the order in which they are told. */
  files(): FoundFile[] {
    return this.#found.files().filter(({ matches }) => matches > 0);
  }

  /** For the matches of files. `placeOf` answers undefined for a file of which nothing is told. */
  listener(placeOf: (path: string) => Place | undefined): MatchListener {
    let file: FoundFile | undefined;
    return {
      begin: (path) => {
        const place = placeOf(path);
        file = place && this.#found.begin(place);
        return file !== undefined;
      },
      wants: () => file !== undefined && this.#found.keeps(file),
      line: (line, isForeign) => {
        if (file !== undefined) this.#take(file, line, isForeign);
      },
      count: (isTooLong) => {
        if (file === undefined) return;
        file.matches += 1;
        if (!isTooLong) return;
        file.unreadable += 1;
        this.tooLong.add(file.place);
      },
      end: (isBinary) => {
        if (file === undefined || !isBinary) return;
        this.binary.push(file.place);
        this.#found.drop(file.place);
      },
    };
  }

  /** What was found in a text that is not on the disk, in the order of its lines. */
  text(place: Place, lines: readonly FoundLine[]): void {
    const file = this.#found.begin(place, true);
    for (const line of lines) this.#take(file, line, false);
  }

  #take(file: FoundFile, line: FoundLine, isForeign: boolean): void {
    if (line.isMatch) file.matches += 1;
    file.isForeign ||= isForeign;
    if (this.#found.keeps(file)) this.#found.keep(file, line);
  }
}
