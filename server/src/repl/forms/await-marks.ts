/**
 * Makes a form say which of its own `await`s it comes to, so that one that is stopped while it waits can tell where. An
 * `await` inside a function is told by the one that called it.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import MagicString from "magic-string";
import { AWAITS_NOTHING } from "../child/wire/wire.ts";
import { mapperOf, positionAt, type Position, type PositionMapper } from "../source/source-position.ts";
import { walk, type SyntaxNode } from "../source/syntax.ts";

export interface MarkedAwaits {
  readonly code: string;
  /** From positions in `code` to those in the code as it was. */
  readonly mapper: PositionMapper;
  /** Where each of them begins in the code as it was, in the order of their numbers. */
  readonly positions: () => readonly Position[];
}

/** What `await using` waits for at the end of its block has no place of its own. */
const HAS_NO_PLACE = /\bawait\s+using\b/;

/** Undefined for a form, which the person wrote as `text`, that has none or may wait elsewhere too. */
export function markAwaits(
  code: string,
  body: readonly SyntaxNode[],
  number: number,
  text: string,
): MarkedAwaits | undefined {
  if (!code.includes("await") || HAS_NO_PLACE.test(text)) return undefined;
  const edited = new MagicString(code);
  const starts: number[] = [];
  const mark = (start: number, operand: SyntaxNode): number => {
    const index = starts.push(start) - 1;
    edited.appendLeft(operand.start, `${inKernel("come")}(`).appendLeft(operand.end, `,${number},${index})`);
    return index;
  };
  /** `loop`: the `for await` that the form waits at again when an `await` in its body is over. */
  const markIn = (node: SyntaxNode, loop: number): void => {
    walk(node, (inner) => {
      if (/Function/.test(inner.type)) return false;
      if (inner.type === "ForOfStatement" && inner["await"] === true) {
        const index = mark(inner.start, inner["right"] as SyntaxNode);
        for (const part of ["left", "right"] as const) markIn(inner[part] as SyntaxNode, loop);
        markIn(inner["body"] as SyntaxNode, index);
        return false;
      }
      if (inner.type !== "AwaitExpression") return true;
      mark(inner.start, inner["argument"] as SyntaxNode);
      edited.appendRight(inner.start, `${inKernel("come")}(`).appendLeft(inner.end, `,${number},${loop})`);
      return true;
    });
  };
  for (const statement of body) markIn(statement, AWAITS_NOTHING);
  if (starts.length === 0) return undefined;
  let made: PositionMapper | undefined;
  return {
    code: edited.toString(),
    mapper: (position) => {
      made ??= mapperOf(edited.generateMap({ hires: "boundary" }));
      return made(position);
    },
    positions: () => starts.map((start) => positionAt(code, start)),
  };
}
