/** Where a history can be cut, and how much of it a model is to keep. Pure. */
import type { ModelMessage } from "../../model/model-port.ts";

/** In characters: about what a picture costs in tokens, at four characters each. */
const PICTURE = 6_000;

/**
 * The indexes at which the rest of a history may begin: nowhere between a call and its result, as the message of the
 * results belongs to the one of the calls. The end of the history is one of them when no call waits for its result.
 */
export function cutPoints(history: readonly ModelMessage[]): number[] {
  const points = history.flatMap((message, index) => (hasResults(message) ? [] : [index]));
  const last = history.at(-1);
  return last?.content.some(({ kind }) => kind === "toolUse") === true ? points : [...points, history.length];
}

/** The indexes of the messages with which the person's turns began. */
export function turnStarts(history: readonly ModelMessage[]): number[] {
  return history.flatMap((message, index) => (message.role === "user" && !hasResults(message) ? [index] : []));
}

/** The turn in which one of these calls was made first; undefined when there is none. */
export function turnOfCalls(history: readonly ModelMessage[], ids: ReadonlySet<string>): number | undefined {
  if (ids.size === 0) return undefined;
  const made = history.findIndex(({ content }) =>
    content.some((block) => block.kind === "toolUse" && ids.has(block.id)),
  );
  return made === -1 ? undefined : (turnStarts(history).findLast((start) => start <= made) ?? 0);
}

/** In characters, near enough to compare. */
export function sizeOf(messages: readonly ModelMessage[]): number {
  let size = 0;
  for (const { content } of messages) for (const block of content) size += blockSize(block);
  return size;
}

function blockSize(block: ModelMessage["content"][number]): number {
  switch (block.kind) {
    case "text":
      return block.text.length;
    case "image":
      return PICTURE;
    case "toolResult":
      return block.content.length;
    case "toolUse":
      return block.name.length + JSON.stringify(block.arguments).length;
    case "opaque":
      return JSON.stringify(block.value).length;
  }
}

function hasResults({ content }: ModelMessage): boolean {
  return content.some(({ kind }) => kind === "toolResult");
}
