/** The screen of a Neovim as it tells its user interface: each change is pushed, and kept here. */
import type { NeovimClient } from "neovim";

/** A text, its highlight (left out: that of the cell before) and how often it stands there (left out: once). */
type Cell = readonly [text: string, highlight?: number, times?: number];

type Resize = readonly [grid: number, columns: number, rows: number];
type Line = readonly [grid: number, row: number, first: number, cells: readonly Cell[]];
type Scroll = readonly [grid: number, top: number, bottom: number, left: number, right: number, by: number];

/** How cells look: 24 bit colours, each left out where the default one is meant. */
export interface Look {
  readonly foreground?: number;
  readonly background?: number;
  readonly reverse?: boolean;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
}

type Defined = readonly [id: number, look: Look];
type Defaults = readonly [foreground: number, background: number];

/** What stands in one place of the screen; the second place of a wide character has an empty text. */
interface Shown {
  readonly text: string;
  readonly highlight: number;
}

/** Texts that follow each other in a row and look alike. */
export interface Run {
  readonly text: string;
  readonly column: number;
  /** How many columns the text takes. */
  readonly columns: number;
  readonly look: Look;
}

const BLANK: Shown = { text: " ", highlight: 0 };

/** All changes of one kind since the last, as `:help ui-linegrid` has them; other kinds change nothing here. */
type Update =
  | readonly ["grid_resize", ...Resize[]]
  | readonly ["grid_line", ...Line[]]
  | readonly ["grid_scroll", ...Scroll[]]
  | readonly ["hl_attr_define", ...Defined[]]
  | readonly ["default_colors_set", ...Defaults[]]
  | readonly ["grid_clear" | "flush", ...unknown[]];

export class Screen {
  /** As it is being drawn; what a person sees is what was there at the last flush. */
  #rows: Shown[][] = [];
  #flushed: readonly (readonly Shown[])[] = [];
  readonly #looks = new Map<number, Look>();
  #defaults: Look = {};
  #drawn = Promise.withResolvers<void>();

  /** Has to be made before the user interface is attached. */
  constructor(client: NeovimClient) {
    client.on("notification", (method: string, updates: readonly Update[]) => {
      if (method === "redraw") for (const update of updates) this.#take(update);
    });
  }

  /** What is on the screen, row by row, without trailing blanks. */
  text(): string {
    return this.#flushed
      .map((row) =>
        row
          .map(({ text }) => text)
          .join("")
          .trimEnd(),
      )
      .join("\n");
  }

  /** How cells look that nothing colours. */
  get defaults(): Look {
    return this.#defaults;
  }

  /** What is on the screen, row by row, as runs of cells that look alike. */
  runs(): Run[][] {
    return this.#flushed.map((row) => {
      const runs: { text: string; column: number; columns: number; highlight: number }[] = [];
      for (const [column, { text, highlight }] of row.entries()) {
        const last = runs.at(-1);
        if (last?.highlight === highlight) Object.assign(last, { text: last.text + text, columns: last.columns + 1 });
        else runs.push({ text, column, columns: 1, highlight });
      }
      return runs.map(({ highlight, ...run }) => ({ ...run, look: this.#looks.get(highlight) ?? {} }));
    });
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
        this.#rows = this.#rows.map((row) => row.map(() => BLANK));
        break;
      case "hl_attr_define":
        for (const [id, look] of rest(update)) this.#looks.set(id, look);
        break;
      case "default_colors_set":
        for (const [foreground, background] of rest(update)) this.#defaults = { foreground, background };
        break;
      case "flush":
        this.#flushed = this.#rows.map((row) => [...row]);
        this.#drawn.resolve();
        this.#drawn = Promise.withResolvers();
        break;
    }
  }

  #resize([, columns, rows]: Resize): void {
    this.#rows = Array.from({ length: rows }, (_row, index) =>
      Array.from({ length: columns }, (_cell, column) => this.#rows[index]?.[column] ?? BLANK),
    );
  }

  #write([, row, first, cells]: Line): void {
    let current = BLANK.highlight;
    const shown = cells.flatMap(([text, highlight = current, times = 1]) => {
      current = highlight;
      return Array.from({ length: times }, () => ({ text, highlight }));
    });
    this.#rows[row]?.splice(first, shown.length, ...shown);
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
