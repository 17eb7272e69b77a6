/** What an MCP server answered to a call, as text: nothing but text reaches the model. */
import { canonicalText } from "../canonical.ts";
import { inOneLine } from "../answers/quoted-text.ts";
import type { CallAnswer } from "./connection.ts";

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly blob?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly size?: unknown;
  readonly resource?: Block;
}

/** Longer texts are not compared with the structured content. */
const COMPARED = 200_000;

/** A shorter text may be in other texts by accident. */
const MIN_DATA = 64;

/** Empty for an answer without any content. */
export function answerText({ content, structuredContent }: CallAnswer): string {
  const blocks = blocksOf(content);
  const texts = blocks.map(blockText);
  if (structuredContent !== undefined && !texts.some((text) => says(text, structuredContent))) {
    texts.push(JSON.stringify(structuredContent));
  }
  const binary = blocks.flatMap(({ data, resource }) => [data, resource?.blob]);
  // The structured content, or a text, may have a picture once more.
  return binary
    .filter((each) => typeof each === "string" && each.length >= MIN_DATA)
    .reduce<string>((text, each) => text.replaceAll(each as string, "not shown"), texts.join("\n"));
}

/** Some servers answer with one block, or with the text itself. */
function blocksOf(content: unknown): readonly Block[] {
  const all: readonly unknown[] = Array.isArray(content) ? content : [content];
  return all.flatMap((block) => {
    if (typeof block === "string") return { type: "text", text: block };
    return typeof block === "object" && block !== null ? block : [];
  });
}

function blockText(block: Block): string {
  const { type, text, resource } = block;
  if (type === "text" && typeof text === "string") return text;
  if (type === "image" || type === "audio") return `[${type}, ${facts(block, block.data)}: not shown]`;
  if (type === "resource_link") {
    const about = [block.title, block.description, block.mimeType].filter((each) => typeof each === "string");
    const more = [...about.map(shown), ...(typeof block.size === "number" ? [`${block.size} bytes`] : [])];
    return `[link to ${shown(block.name ?? block.uri)}: ${[shown(block.uri), ...more].join(", ")}]`;
  }
  if (type === "resource" && resource !== undefined) {
    if (typeof resource.text === "string") return `${shown(resource.uri)}:\n${resource.text}`;
    return `[resource ${shown(resource.uri)}, ${facts(resource, resource.blob)}: not shown]`;
  }
  return `[${shown(type)}: not shown]`;
}

function facts({ mimeType }: Block, data: unknown): string {
  const bytes = typeof data === "string" ? Math.floor((data.length * 3) / 4) : 0;
  return `${shown(mimeType)}, ${bytes} bytes`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? inOneLine(value).slice(0, 300) : "without a name";
}

/** Servers say structured content a second time as text. */
function says(text: string, structured: unknown): boolean {
  const [only, ...more] = typeof structured === "object" && structured !== null ? Object.values(structured) : [];
  if (only === text && more.length === 0) return true;
  if (text.length > COMPARED || !/^\s*[[{"\d-ntf]/.test(text)) return false;
  try {
    return canonicalText(JSON.parse(text)) === canonicalText(structured);
  } catch {
    return false;
  }
}
