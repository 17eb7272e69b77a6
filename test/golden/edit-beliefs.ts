/** What a proposal's answer makes of a reader's beliefs: the edits that the reader proposed, as far as the answer says applied. */
import { CHANGED, type Belief } from "./belief.ts";

export interface SaidEdit {
  readonly op: string;
  readonly path?: string;
  readonly original?: string;
  readonly modified?: string;
  readonly to?: string;
}

interface NotAsProposed {
  readonly path: string;
  readonly line: number;
  /** What stands there instead: the person's own lines; undefined where nothing was applied. */
  readonly instead: readonly string[] | undefined;
}

export function applyEdits(of: (path: string) => Belief, edits: readonly SaidEdit[], answer: string): void {
  if (/^(?:NOT APPLIED|WITHDRAWN: the turn)/m.test(answer)) return;
  const others = notAsProposed(answer);
  for (const { op, path = "", original = "", modified = "" } of edits) {
    const belief = of(path);
    const refused = others.filter((other) => other.path === path);
    switch (op) {
      case "replace":
      case "replace_all":
        replace(belief, { original, modified, isAll: op === "replace_all" }, refused);
        break;
      case "create":
      case "write":
        if (refused.length === 0) write(belief, modified);
        break;
      case "insert_at_start":
        if (refused.length === 0) write(belief, `${modified.replace(/\n$/, "")}\n${textOf(belief)}`);
        break;
    }
  }
}

/** `- hunk h2 (src/a.ts:2): NOT applied, …`, or applied with the person's own text, which stands below, quoted. */
function notAsProposed(answer: string): NotAsProposed[] {
  const lines = answer.split("\n");
  return lines.flatMap((line, index): NotAsProposed[] => {
    const found = /^- hunk \S+ \((?:create )?(\S+?)(?::(\d+))?\)(?:, a part of \S+)?: (.*)$/.exec(line);
    if (found === null) return [];
    const [, path = "", number = "1", what = ""] = found;
    const quoted = lines.slice(index + 1);
    const end = quoted.findIndex((each) => !/^ {4}[|@+-]/.test(each));
    const own = quoted.slice(0, end === -1 ? undefined : end).map((each) => each.slice(4));
    if (what.startsWith("applied with the person's own text")) {
      return [{ path, line: Number(number), instead: own.map((each) => each.replace(/^\| ?/, "")) }];
    }
    if (what.startsWith("applied with the person's changes")) {
      const added = own.filter((each) => each.startsWith("+")).map((each) => each.slice(1));
      return [{ path, line: Number(number), instead: added }];
    }
    return what === "applied" ? [] : [{ path, line: Number(number), instead: undefined }];
  });
}

function replace(
  belief: Belief,
  { original, modified, isAll }: { readonly original: string; readonly modified: string; readonly isAll: boolean },
  refused: readonly NotAsProposed[],
): void {
  const before = textOf(belief);
  const at = before.indexOf(original);
  if (at === -1) return;
  const first = before.slice(0, at).split("\n").length;
  const last = first + original.split("\n").length - 1;
  const other = refused.find(({ line }) => first <= line && line <= last);
  if (other === undefined) {
    write(belief, isAll ? before.replaceAll(original, modified) : before.replace(original, () => modified));
  } else if (other.instead !== undefined) {
    const lines = before.split("\n");
    lines.splice(first - 1, last - first + 1, ...other.instead);
    write(belief, lines.join("\n"));
  }
}

const GAP = "\u0000";

/** The lines as one text; what is not known is one sign, so that it matches nothing. */
function textOf(belief: Belief): string {
  const last = Math.max(0, ...belief.lines.keys());
  const lines = Array.from({ length: last }, (_, index) => belief.lines.get(index + 1) ?? GAP);
  return lines.map((line) => (line === CHANGED ? GAP + GAP : line)).join("\n");
}

function write(belief: Belief, text: string): void {
  belief.exists = true;
  belief.lines.clear();
  for (const [index, line] of text.split("\n").entries()) {
    if (line !== GAP) belief.lines.set(index + 1, line === GAP + GAP ? CHANGED : line);
  }
}
