/**
 * Makes a form report which of its own `await`s it comes to, so that the place is known when a waiting form is
 * stopped. An `await` inside a function is reported as the `await` of the caller.
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
  /** From positions in `code` to positions in the code as it was. */
  readonly mapper: PositionMapper;
  /** Where each `await` begins in the code as it was, in the order of the numbers. */
  readonly positions: () => readonly Position[];
}

/** What `await using` waits for at the end of its block has no place of its own. */
const HAS_NO_PLACE = /\bawait\s+using\b/;

/**
 * Undefined for a form without an `await`, or one that may wait elsewhere too. `text` is the form as it was written.
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
  /** `loop`: the `for await` at which the form waits again when an `await` in the loop's body is over. */
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
