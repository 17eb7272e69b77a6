/** What the person attached to a prompt, as text for the model. */
import type { ContextRef } from "../protocol/shapes.ts";

const MAX_ITEM = 50_000;

/** Contract: the current text of a document, undefined when it cannot or must not be read. */
export type ReadForContext = (uri: string) => Promise<{ path: string; text: string } | undefined>;

export async function promptText(text: string, context: readonly ContextRef[], read: ReadForContext): Promise<string> {
  if (context.length === 0) return text;
  const parts: string[] = [];
  for (const ref of context) parts.push(await describe(ref, read));
  return `## Context\n\n${parts.join("\n\n")}\n\n## Request\n\n${text}`;
}

async function describe(ref: ContextRef, read: ReadForContext): Promise<string> {
  const label = ref.label ?? ref.symbol ?? ref.uri ?? ref.kind;
  if (ref.text !== undefined) return fenced(label, ref.text);
  if (ref.uri === undefined) return `${ref.kind}: ${label}`;
  const document = await read(ref.uri);
  if (document === undefined) return `${ref.kind}: ${label} (could not be read)`;
  if (ref.range === undefined) return fenced(document.path, document.text);
  const lines = document.text.split("\n").slice(ref.range.start.line, ref.range.end.line + 1);
  return fenced(`${document.path}:${ref.range.start.line + 1}-${ref.range.end.line + 1}`, lines.join("\n"));
}

function fenced(label: string, text: string): string {
  const cut =
    text.length > MAX_ITEM ? `${text.slice(0, MAX_ITEM)}\n… cut: ${text.length - MAX_ITEM} more characters` : text;
  const fence = cut.includes("```") ? "~~~~" : "```";
  return `${label}\n${fence}\n${cut}\n${fence}`;
}
