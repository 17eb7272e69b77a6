/** The screen of a Neovim as it tells its user interface: each change is pushed, and kept here. */
import type { NeovimClient } from "neovim";

/** A text, its highlight (left out: that of the cell before) and how often it stands there (left out: once). */
type Cell = readonly [text: string, highlight?: number, times?: number];

type Resize = readonly [grid: number, columns: number, rows: number];
type Line = readonly [grid: number, row: number, first: number, cells: readonly Cell[]];
type Scroll = readonly [grid: number, top: number, bottom: number, left: number, right: number, by: number];

/** All changes of one kind since the last, as `:help ui-linegrid` has them; other kinds change no text. */
type Update =
  | readonly ["grid_resize", ...Resize[]]
  | readonly ["grid_line", ...Line[]]
  | readonly ["grid_scroll", ...Scroll[]]
  | readonly ["grid_clear" | "flush", ...unknown[]];

export class Screen {
  #rows: string[][] = [];
  #drawn = Promise.withResolvers<void>();

  /** Has to be made before the user interface is attached. */
  constructor(client: NeovimClient) {
    client.on("notification", (method: string, updates: readonly Update[]) => {
      if (method === "redraw") for (const update of updates) this.#take(update);
    });
  }

  /** What is on the screen, row by row, without trailing blanks. */
  text(): string {
    return this.#rows.map((row) => row.join("").trimEnd()).join("\n");
  }

  /** Waits until something was drawn, at most until the signal. Never rejects. */
  async untilDrawn(signal: AbortSignal): Promise<void> {
    const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([this.#drawn.promise, over]);
  }

  #take(update: Update): void {
    switch (update[0]) {
      case "grid_resize":
        for (const change of rest(update)) this.#resize(change);
        break;
      case "grid_line":
        for (const change of rest(update)) this.#write(change);
        break;
      case "grid_scroll":
        for (const change of rest(update)) this.#scroll(change);
        break;
      case "grid_clear":
        this.#rows = this.#rows.map((row) => row.map(() => " "));
        break;
      case "flush":
        this.#drawn.resolve();
        this.#drawn = Promise.withResolvers();
        break;
    }
  }

  #resize([, columns, rows]: Resize): void {
    this.#rows = Array.from({ length: rows }, (_row, index) =>
      Array.from({ length: columns }, (_cell, column) => this.#rows[index]?.[column] ?? " "),
    );
  }

  #write([, row, first, cells]: Line): void {
    const texts = cells.flatMap(([text, , times = 1]) => Array.from({ length: times }, () => text));
    this.#rows[row]?.splice(first, texts.length, ...texts);
  }

  #scroll([, top, bottom, left, right, by]: Scroll): void {
    const before = this.#rows.map((row) => row.slice(left, right));
    for (let row = top; row < bottom; row += 1) {
      const from = row + by;
      if (from >= top && from < bottom) this.#rows[row]?.splice(left, right - left, ...(before[from] ?? []));
    }
  }
}

function rest<Change>([, ...changes]: readonly [string, ...Change[]]): Change[] {
  return changes;
}
