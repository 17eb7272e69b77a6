/**
 * What a reader of a request believes of the documents: every statement about a line takes the place of the one before, and
 * a statement that something changed takes the belief away.
 */
import { bodyOf, type Result, type Told } from "./reading.ts";
import { Belief, CHANGED } from "./belief.ts";
import { applyEdits, type SaidEdit } from "./edit-beliefs.ts";

export class DocumentBeliefs {
  readonly #documents = new Map<string, Belief>();

  constructor(told: readonly Told[]) {
    for (const each of told) this.#hear(each);
  }

  of(path: string): Belief {
    const known = this.#documents.get(path) ?? new Belief();
    this.#documents.set(path, known);
    return known;
  }

  paths(): string[] {
    return [...this.#documents.keys()];
  }

  move(from: string, to: string): void {
    const moved = this.of(from);
    this.#documents.set(to, moved);
    this.#documents.delete(from);
    this.of(from).exists = false;
  }

  #hear(told: Told): void {
    switch (told.kind) {
      case "about":
        return this.#hearOpen(told.text);
      case "news":
        return this.#hearNews(told.text);
      case "said":
        return this.#hearAttached(told.text);
      case "rules":
        return;
      case "result":
        return this.#hearResult(told);
    }
  }

  /** `Open in the editor: src/a.ts, src/b.ts (not saved)`. */
  #hearOpen(text: string): void {
    const [, list = ""] = /^Open in the editor: (.*)$/m.exec(text) ?? [];
    for (const entry of list.split(", ").filter((each) => each !== "")) {
      const [path = ""] = entry.split(" ");
      this.of(path).isUnsaved = entry.endsWith("(not saved)");
    }
  }

  /** `Changed documents that you have seen: src/a.ts (lines 4, 12-13; not saved), src/b.ts (gone).` */
  #hearNews(text: string): void {
    const [, list = ""] = /Changed documents that you have seen: (.*?\))\./.exec(text) ?? [];
    for (const [, path = "", what = ""] of list.matchAll(/([^\s,]+) \(([^)]*)\)/g)) {
      const belief = this.of(path);
      if (what === "gone") {
        belief.exists = false;
        belief.forget();
        continue;
      }
      if (what !== "saved") hearChangedLines(belief, what);
      belief.isUnsaved = what.includes("not saved");
    }
  }

  /** `src/a.ts:5-7` or `src/a.ts (not saved)` above a fence. */
  #hearAttached(text: string): void {
    for (const [, head = "", , body = ""] of text.matchAll(/^(\S[^\n]*)\n(`{3,})\n([^]*?)\n\2$/gm)) {
      const label = /^([^\s:]+\.\w+)(?::(\d+)(?:-\d+)?)?( \(not saved\))?$/.exec(head);
      if (label === null) continue;
      const [, path = "", first = "1", unsaved] = label;
      const belief = this.of(path);
      belief.exists = true;
      belief.isUnsaved = unsaved !== undefined;
      for (const [index, line] of body.split("\n").entries()) belief.lines.set(Number(first) + index, line);
    }
  }

  #hearResult(result: Result): void {
    const body = bodyOf(result);
    const missing = /^(\S+) does not exist\./.exec(body);
    if (missing !== null) this.of(missing[1] ?? "").exists = false;
    if (result.isError) return;
    if (isProposal(result)) return this.#hearOutcome(result, body);
    this.#hearLines(body);
  }

  /** Numbered lines of `read_file` and `read_symbol` under their heads, lines that `search_text` found. */
  #hearLines(body: string): void {
    let at: Belief | undefined;
    for (const line of body.split("\n")) {
      const read = /^(\S+) \((on disk|open in the editor)(, not saved)?, \d+ lines?\)$/.exec(line);
      const symbol = /^(\S+\.\w+)#\S+ — /.exec(line);
      const group = /^([\w./-]+\.\w+)( \(unsaved\))?$/.exec(line);
      const named = read?.[1] ?? symbol?.[1] ?? group?.[1];
      const found =
        /^([\w./-]+\.\w+):(\d+)(?: \(unsaved\))?: (.*)$/.exec(line) ??
        /^ *([\w./-]+\.\w+):(\d+) \S+(?: — [a-z ]+)?: (.*)$/.exec(line);
      const numbered = /^ *(\d+)(?: {2}|: )(.*)$/.exec(line);
      if (named !== undefined) at = this.of(named);
      if (read !== null && at !== undefined) {
        at.exists = true;
        at.isUnsaved = read[3] !== undefined;
      }
      if (group !== null && at !== undefined) {
        at.exists = true;
        at.isUnsaved = group[2] !== undefined;
      }
      if (found !== null) this.of(found[1] ?? "").lines.set(Number(found[2]), found[3] ?? "");
      if (numbered !== null) at?.lines.set(Number(numbered[1]), numbered[2] ?? "");
    }
  }

  #hearOutcome({ call }: Result, body: string): void {
    const { edits } = call.input as { edits?: readonly SaidEdit[] };
    if (call.name === "rename_symbol") this.#hearRename(call.input, body);
    else applyEdits((path) => this.of(path), edits ?? [], body);
    for (const path of this.paths()) {
      const belief = this.of(path);
      if (body.includes(`\n${path}: saved to disk.`)) belief.isUnsaved = false;
      if (body.includes(`\n${path}: changed in the editor, not saved to disk yet.`)) belief.isUnsaved = true;
      if (body.includes(`\n${path}: deleted.`)) belief.exists = false;
      if (body.includes(`\n${path}: other places changed too since you read it.`)) belief.forget();
    }
    for (const [, to = "", from = ""] of body.matchAll(/^(\S+): moved from (\S+?)(?:\.$|, )/gm)) this.move(from, to);
    for (const [, list = ""] of body.matchAll(/^Imports that follow the move were proposed too: (.*)\.$/gm)) {
      for (const path of list.split(", ")) this.of(path).forget(/\bfrom "|\b(?:import|require)\(/);
    }
  }

  #hearRename({ symbol, new_name: name }: Result["call"]["input"], body: string): void {
    if (!body.includes("\nAPPLIED: all ")) return;
    const old = String(symbol).split("#").at(-1) ?? "";
    for (const belief of this.#documents.values()) {
      for (const [number, line] of belief.lines) {
        belief.lines.set(number, line.replaceAll(new RegExp(`\\b${old}\\b`, "g"), String(name)));
      }
    }
  }
}

function isProposal({ text }: Result): boolean {
  return /^(?:APPLIED|NOT APPLIED|PARTIALLY APPLIED|UNCERTAIN|WITHDRAWN): /m.test(text);
}

/** `line 4`, `lines 4, 12-13; lines below moved`. */
function hearChangedLines(belief: Belief, what: string): void {
  const [, list = ""] = /^lines? ([\d, -]+)/.exec(what) ?? [];
  const stretches = list.split(", ").map((stretch) => stretch.split("-").map(Number));
  const first = Math.min(...stretches.map(([from = 0]) => from));
  for (const number of belief.lines.keys()) {
    const isNamed = stretches.some(([from = 0, to = from]) => from <= number && number <= to);
    const isMoved = what.includes("; lines below moved") && number >= first;
    if (isNamed || isMoved || what.includes("…")) belief.lines.set(number, CHANGED);
  }
}
