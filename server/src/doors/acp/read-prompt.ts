/** The blocks of an ACP prompt as the words of the person and what is attached to them. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Said } from "../../client/conversation.ts";
import type { ContextRef } from "../../protocol/shapes.ts";

const LINES = /^#L(\d+)(?:[:-]L?(\d+))?$/;

/** Blocks that were not announced, such as sound, are named in the text. */
export function readPrompt(blocks: readonly ContentBlock[], folder: string): Said & { readonly context: ContextRef[] } {
  const context: ContextRef[] = [];
  const words = blocks.map((block) => {
    switch (block.type) {
      case "text":
        return block.text;
      case "resource_link":
        return attach(context, block.uri, folder) ?? `[${block.name}](${block.uri})`;
      case "resource": {
        const { resource } = block;
        const name = attach(context, resource.uri, folder);
        if (name !== undefined) return name;
        if ("text" in resource) context.push({ kind: "text", text: resource.text, label: resource.uri });
        return resource.uri;
      }
      case "image":
      case "audio":
        return `(${block.type} that cannot be taken here)`;
    }
  });
  const text = words.reduce(
    (before, word, at) => before + between(before, word, blocks[at - 1], blocks[at]) + word,
    "",
  );
  return { text, context };
}

/** Clients send what a person attached, or said before a cancel, as blocks of their own, without a blank between them. */
function between(before: string, word: string, one?: ContentBlock, other?: ContentBlock): string {
  if (before === "" || /\s$/.test(before) || /^[\s.,;:)!?]/.test(word)) return "";
  return one?.type === "text" && other?.type === "text" ? "\n\n" : " ";
}

/** How the file is named in the text; undefined for what is no file. */
function attach(context: ContextRef[], uri: string, folder: string): string | undefined {
  try {
    const { hash, href } = new URL(uri);
    const plain = href.slice(0, href.length - hash.length).replace(/\?.*$/, "");
    const path = relative(folder, fileURLToPath(plain)).replaceAll("\\", "/");
    const [, first, last] = LINES.exec(hash) ?? [];
    if (first === undefined) {
      context.push({ kind: plain.endsWith("/") ? "folder" : "file", uri: plain });
      return path;
    }
    const start = { line: Number(first) - 1, character: 0 };
    const range = { start, end: { line: Number(last ?? first), character: 0 } };
    context.push({ kind: "file", uri: plain, range });
    return `${path}:${first}${last === undefined ? "" : `-${last}`}`;
  } catch {
    return undefined;
  }
}
