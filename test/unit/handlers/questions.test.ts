import { expect, it } from "vitest";
import { createQuestions } from "../../../server/src/handlers/questions.ts";

const never = new AbortController().signal;

it("gives up a question that the client leaves lying, and takes it back", async () => {
  let wasCancelled = false;
  const choose = createQuestions((_, token) => {
    token.onCancellationRequested(() => (wasCancelled = true));
    return new Promise(() => {});
  }, 30);
  expect(await choose("Really?", ["Yes", "No"], never)).toBeUndefined();
  expect(wasCancelled).toBe(true);
});

it("takes a question back when the asker does not wait any more", async () => {
  const asker = new AbortController();
  const choose = createQuestions(() => new Promise(() => {}));
  const asked = choose("Really?", ["Yes", "No"], asker.signal);
  asker.abort();
  expect(await asked).toBeUndefined();
});

it("tells an answer, a dismissal, and a client that cannot ask apart", async () => {
  const answered = createQuestions(async ({ actions }) => actions[1]);
  expect(await answered("Really?", ["Yes", "No"], never)).toBe("No");
  const dismissed = createQuestions(async () => null);
  expect(await dismissed("Really?", ["Yes", "No"], never)).toBeNull();
  const unable = createQuestions(async () => {
    throw new Error("Unhandled method");
  });
  expect(await unable("Really?", ["Yes", "No"], never)).toBeUndefined();
});
