/**
 * What went wrong, for the user's screen.
 *
 * @param {unknown} error
 */
export function errorText(error) {
  return error instanceof Error ? error.message : String(error);
}
