/** A query whose every answer belongs to the text it began with, although the editor's own requests bring newer text. */
import { plainAnswer } from "./answer-shapes.ts";
import type { NativeProcess } from "./native-process.ts";
import type { Session } from "./session.ts";
import { View } from "../view.ts";

/** The text moved on while a query read: what it has read belongs to two different states, so it is run again. */
class TextMoved extends Error {
  override readonly name = "TextMoved";
}

/** A query under which the text moved this often keeps further changes back while it runs once more. */
const MAX_MOVES = 3;

/** `enter` brings the session up to date and enters its gate. */
export async function answerSteadily<Result>(
  session: Session,
  enter: () => Promise<void>,
  run: (view: View) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let moves = 0; ; moves += 1) {
    const release = moves < MAX_MOVES ? undefined : session.hold();
    try {
      await enter();
      const outcome = await answerOnce(session, run, signal).finally(() => session.gate.leave());
      if (outcome !== "moved") return outcome.answer;
    } finally {
      release?.();
    }
  }
}

async function answerOnce<Result>(
  session: Session,
  run: (view: View) => Promise<Result>,
  signal: AbortSignal,
): Promise<{ readonly answer: Result } | "moved"> {
  const native = steadyNative(session.native, () => session.hasMoved());
  try {
    const answer = await run(new View({ ...session.state(), native }, signal));
    return session.hasMoved() ? "moved" : { answer };
  } catch (error) {
    if (session.hasMoved() && !signal.aborted) return "moved";
    throw error;
  }
}

/** Requests fail with `TextMoved` once the compiler was told of newer text; also those that were under way by then. */
function steadyNative(native: NativeProcess, hasMoved: () => boolean): NativeProcess {
  const check = (): void => {
    if (hasMoved()) throw new TextMoved("the text changed while it was read");
  };
  return {
    ...native,
    request: async <Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result> => {
      check();
      const answer = await native.request<unknown>(method, params, signal);
      check();
      return plainAnswer(answer) as Result;
    },
  };
}
