/** The file of a REPL notebook: readable JSON of the module in whose scope the cells run, and of the cells without their outputs. */
import { isObject } from "../../server/src/base/is-object.ts";

export interface NotebookText {
  /** Relative to the workspace's first folder, or a URI; absent for the REPL's own scope. */
  readonly module?: string;
  readonly cells: readonly { readonly kind: "form" | "text"; readonly value: string }[];
}

export function writeNotebook({ module, cells }: NotebookText): string {
  const shown = cells.map(({ kind, value }) => ({ kind, value: value.includes("\n") ? value.split("\n") : value }));
  return `${JSON.stringify({ ...(module === undefined ? {} : { module }), cells: shown }, undefined, 2)}\n`;
}

/** Throws a sentence where the text is no notebook, so that VS Code opens none and overwrites nothing. */
export function readNotebook(text: string): NotebookText {
  if (text.trim() === "") return { cells: [] };
  const given: unknown = JSON.parse(text);
  if (!isObject(given) || !Array.isArray(given["cells"]))
    throw new Error("This is no notebook of Agent-Q: it has no list of cells.");
  const cells = given["cells"].map((cell: unknown, index) => {
    const { kind, value } = isObject(cell) ? cell : {};
    const lines = Array.isArray(value) && value.every((line) => typeof line === "string") ? value.join("\n") : value;
    if ((kind !== "form" && kind !== "text") || typeof lines !== "string")
      throw new Error(`Cell ${index + 1} of the notebook has no kind “form” or “text” with a value.`);
    return { kind, value: lines } as const;
  });
  const { module } = given;
  return { ...(typeof module === "string" ? { module } : {}), cells };
}
