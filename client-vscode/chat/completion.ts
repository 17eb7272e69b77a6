/** The server's completion as the page lists it: what takes the place of the text from `start` to the cursor. */
import type { CompletionItem, CompletionList } from "vscode-languageserver-protocol";
import type { Candidate } from "./page-messages.ts";

const SIGNED_WORD = /[@#$/]\S*$/;

export function candidatesOf(text: string, list: CompletionList | null): Candidate[] {
  return (list?.items ?? []).toSorted(byOrder).map((item) => {
    const { label, detail = "", textEdit, insertText } = item;
    const insert = textEdit?.newText ?? insertText ?? label;
    return { label, detail, insert, start: startOf(text, item) };
  });
}

function startOf(text: string, { textEdit }: CompletionItem): number {
  if (textEdit === undefined) return text.search(SIGNED_WORD);
  const { start } = "range" in textEdit ? textEdit.range : textEdit.replace;
  const before = text.split("\n").slice(0, start.line);
  return before.reduce((sum, line) => sum + line.length + 1, 0) + start.character;
}

function byOrder(one: CompletionItem, other: CompletionItem): number {
  const [first, second] = [one.sortText ?? one.label, other.sortText ?? other.label];
  return first < second ? -1 : Number(first > second);
}
