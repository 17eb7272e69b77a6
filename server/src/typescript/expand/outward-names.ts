/**
 * A text that somebody wrote for the compiler may name any file: a text that names a file no answer may show is refused
 * before it is answered.
 */
import type { Node } from "typescript/unstable/ast";
import type { Project } from "typescript/unstable/async";
import { withhold } from "../files/projects/withhold.ts";
import type { ViewState } from "../view.ts";

/** A text for the compiler: the file that holds it, and where it starts there. */
export interface AskedText {
  readonly file: string;
  readonly start: number;
}

/** The text names a file that no answer may show. */
export class OutwardName extends Error {
  constructor(shown: string, why: string) {
    super(`The form names ${shown}, which ${why}: the compiler is not asked about it.`);
  }
}

/**
 * Throws `OutwardName` for a text that names a file no answer may show; else hides the syntax of such files from here
 * on.
 */
export async function refuseOutwardNames(
  project: Project,
  state: ViewState,
  texts: readonly AskedText[],
): Promise<void> {
  const { shown, paths, openTexts } = state;
  const typed = new Set([...openTexts.keys(), ...texts.map(({ file }) => file)]);
  const hidden = await shown.hiddenAmong(await project.program.getSourceFileNames(), (file) => typed.has(file));
  if (hidden.size === 0) return;
  const added = [...hidden].find((file) => shown.hides(file) && !state.hidden.has(file));
  // The project may read such a file by itself; the text may still not name it.
  const named = added ?? (await firstNamed(project, texts, hidden));
  if (named !== undefined) {
    const isOut = shown.hides(named);
    const why = isOut ? "stands outside the workspace folders or may hold secrets" : "is not on the disk any more";
    throw new OutwardName(paths.show(named), why);
  }
  withhold(project, hidden);
}

async function firstNamed(
  { program, checker }: Project,
  texts: readonly AskedText[],
  hidden: ReadonlySet<string>,
): Promise<string | undefined> {
  const names = new Map([...hidden].map((file) => [file.toLowerCase(), file]));
  for (const { file, start } of texts) {
    const source = await program.getSourceFile(file);
    if (source === undefined) continue;
    for (const node of quotedIn(source, start)) {
      const symbol = await checker.getSymbolAtLocation(node);
      const found = symbol?.declarations.find(({ path }) => names.has(path.toLowerCase()));
      if (found !== undefined) return names.get(found.path.toLowerCase());
    }
  }
  return undefined;
}

/** Whatever names a module is quoted. */
function quotedIn(source: Node & { readonly text: string }, start: number): Node[] {
  const quoted: Node[] = [];
  const visit = (node: Node): undefined => {
    if (node.end <= start) return;
    if (/^["'`]/.test(source.text.slice(node.end - 1, node.end))) quoted.push(node);
    node.forEachChild(visit);
  };
  visit(source);
  return quoted;
}
