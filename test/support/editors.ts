import { describe, it } from "vitest";
import { findEditors } from "../../scripts/editors/find.ts";
import type { Editor } from "../../scripts/editors/find.ts";

export type { Editor };

/** The editors of one kind that a test can drive, or why there is none. */
export type AvailableEditors = { editors: [Editor, ...Editor[]] } | { editors: []; reason: string };

const names = { nvim: "Neovim", emacs: "Emacs" } as const;
const needs = { nvim: "Neovim 0.10 or newer", emacs: "Emacs 30.1 or newer" } as const;

export function availableEditors(kind: Editor["kind"]): AvailableEditors {
  const [first, ...rest] = findEditors([kind]);
  if (first === undefined) {
    return { editors: [], reason: `needs ${needs[kind]}; try \`npm run editors ${kind}\`` };
  }
  return { editors: [first, ...rest] };
}

/**
 * Describes the same behaviour once per editor at hand. Where there is none the tests are skipped with the reason in
 * their title; in CI that is a failure.
 */
export function describeEachEditor(kind: Editor["kind"], body: (editor: Editor) => void): void {
  const available = availableEditors(kind);
  for (const editor of available.editors) {
    describe(`in ${names[kind]} ${editor.version}`, () => {
      body(editor);
    });
  }
  if (!("reason" in available)) return;
  const title = `runs in ${names[kind]} (${available.reason})`;
  if (process.env["CI"] === "true") {
    it(title, () => {
      throw new Error(`CI ${available.reason}`);
    });
  } else {
    it.skip(title);
  }
}
