import { afterAll, describe, it } from "vitest";
import { areOutdated, findEditors } from "../../scripts/editors/find.ts";
import type { Editor } from "../../scripts/editors/find.ts";
import { versionsToRun } from "./extent.ts";

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
 * Describes the same behaviour in the newest editor at hand, and with `AGENTQ_TESTS=all` in every one. Where there is
 * none the tests are skipped with the reason in their title; in CI that is a failure, and where the checkout has prepared ones
 * that do not run here.
 */
export function describeEachEditor(kind: Editor["kind"], body: (editor: Editor) => void): void {
  describeIn(kind, versionsToRun(availableEditors(kind).editors), body);
}

/** Describes in every editor at hand what an older one must be able to do, however few versions the other tests run in. */
export function describeContract(kind: Editor["kind"], body: (editor: Editor, isNewest: boolean) => void): void {
  const { editors } = availableEditors(kind);
  describeIn(kind, editors, (editor) => body(editor, editor === editors.at(-1)));
}

/** Describes in the newest editor at hand, whatever `AGENTQ_TESTS` says. */
export function describeNewestEditor(kind: Editor["kind"], body: (editor: Editor) => void): void {
  describeIn(kind, availableEditors(kind).editors.slice(-1), body);
}

const ends: (() => Promise<void>)[] = [];

/** What is kept from one test to the next ends with the tests of a file, the first that says so last. */
export function whenEditorsEnd(end: () => Promise<void>): void {
  ends.unshift(end);
}

function describeIn(kind: Editor["kind"], editors: readonly Editor[], body: (editor: Editor) => void): void {
  afterAll(async () => {
    for (const end of ends) await end();
  });
  for (const editor of editors) {
    describe(`in ${names[kind]} ${editor.version}`, () => body(editor));
  }
  if (areOutdated(kind)) {
    it(`runs in each prepared ${names[kind]}`, () => {
      throw new Error(`.cache/editors was copied, or is old: \`npm run editors ${kind}\` prepares it anew`);
    });
  }
  const available = availableEditors(kind);
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
