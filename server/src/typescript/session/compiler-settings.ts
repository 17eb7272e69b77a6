/** What the compiler was told of settings, and how it is told the indentation of the file that it writes code for. */
import { memberAt } from "./editor-port.ts";

/** How many columns a level of code takes, and what they are made of. */
export interface Indentation {
  readonly size: number;
  readonly isTabs: boolean;
}

type Sections = Readonly<Record<string, unknown>>;
/** Those that 7.0.2 reads, for a client that was never asked. */
const NAMES = ["js/ts", "typescript", "javascript", "editor"];

export class CompilerSettings {
  readonly #tell: (settings: Sections) => Promise<void>;
  readonly #isShared: boolean;
  #sections: Sections = Object.fromEntries(NAMES.map((name) => [name, null]));
  #told: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** `isShared`: the compiler writes code for an editor too, which has settings of its own. */
  constructor(tell: (settings: Sections) => Promise<void>, isShared: boolean) {
    this.#tell = tell;
    this.#isShared = isShared;
  }

  /** The compiler asked for settings and was answered. */
  answered(params: unknown, values: readonly unknown[]): void {
    const items = memberAt(params, "items") as readonly unknown[];
    const names = items.map((item) => String(memberAt(item, "section")));
    this.#sections = Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
    this.#told = undefined;
  }

  /** The compiler was told other settings. */
  changed(params: unknown): void {
    const settings = memberAt(params, "settings");
    if (typeof settings === "object" && settings !== null) this.#sections = settings as Sections;
    this.#told = undefined;
  }

  /** Runs the work while the compiler writes code with that indentation; one such work after the other. */
  indented<Result>(indentation: Indentation, work: () => Promise<Result>): Promise<Result> {
    const run = async (): Promise<Result> => {
      const wanted = JSON.stringify(indentation);
      if (this.#told !== wanted) await this.#tell(withIndentation(this.#sections, indentation));
      this.#told = wanted;
      try {
        return await work();
      } finally {
        if (this.#isShared) {
          this.#told = undefined;
          await this.#tell(this.#sections);
        }
      }
    };
    const result = this.#turn.then(run);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

function withIndentation(sections: Sections, { size, isTabs }: Indentation): Sections {
  const format = { tabSize: size, indentSize: size, convertTabsToSpaces: !isTabs };
  return Object.fromEntries(
    Object.entries(sections).map(([name, section]) => {
      const own = typeof section === "object" ? section : {};
      const more = name === "editor" ? { tabSize: size, indentSize: size, insertSpaces: !isTabs } : {};
      return [name, { ...own, ...more, format: { ...(memberAt(own, "format") as object | undefined), ...format } }];
    }),
  );
}
