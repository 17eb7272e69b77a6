/**
 * Makes a form report each of its own `await`s when it reaches it, so that the place of a stopped form is known. An
 * `await` inside of a function belongs to the caller's `await`.
 */
import { inKernel } from "../../child/wire/kernel-call.ts";
import MagicString from "magic-string";
import { AWAITS_NOTHING } from "../../child/wire/wire.ts";
import { mapperOf, positionAt, type Position, type PositionMapper } from "../../source/source-position.ts";
import type { Node } from "oxc-parser";
import { isFunction, type Body } from "../../source/syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";

export interface MarkedAwaits {
  readonly code: string;
  /** From positions in `code` to positions in the code before the marks. */
  readonly mapper: PositionMapper;
  /** The beginning of each `await` in the code before the marks, in the order of the numbers. */
  readonly positions: () => readonly Position[];
}

/** `await using` waits at the end of its block, a place that has no text. */
const HAS_NO_PLACE = /\bawait\s+using\b/;

/**
 * Undefined for a form without an `await`, or one that may also wait elsewhere. `text` is the form as it was written.
 */
export function markAwaits(code: string, body: Body, number: number, text: string): MarkedAwaits | undefined {
  if (!code.includes("await") || HAS_NO_PLACE.test(text)) return undefined;
  const edited = new MagicString(code);
  const starts: number[] = [];
  const mark = (start: number, operand: Node): number => {
    const index = starts.push(start) - 1;
    edited.appendLeft(operand.start, `${inKernel("come")}(`).appendLeft(operand.end, `,${number},${index})`);
    return index;
  };
  /** `loop`: the number of the `for await` at which the form waits again after an `await` in the loop's body. */
  const markIn = (node: Node, loop: number): void => {
    walk(node, (inner) => {
      if (isFunction(inner)) return false;
      if (inner.type === "ForOfStatement" && inner.await) {
        const index = mark(inner.start, inner.right);
        for (const part of [inner.left, inner.right]) markIn(part, loop);
        markIn(inner.body, index);
        return false;
      }
      if (inner.type !== "AwaitExpression") return true;
      mark(inner.start, inner.argument);
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
