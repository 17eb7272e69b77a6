/** A text without a word: models' servers refuse one, and with it every later request of its conversation. */
import { InvalidParamsError } from "./errors.ts";

/** Some servers take more characters for white space than JavaScript does. */
// oxlint-disable-next-line no-control-regex -- they are those characters
const BLANK = /^[\s\u001C-\u001F\u0085]*$/;

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Throws `InvalidParamsError` for a prompt that says nothing. */
export function refuseBlank(text: string): void {
  if (isBlank(text)) throw new InvalidParamsError([{ path: "/text", expected: "at least a word", received: text }]);
}
