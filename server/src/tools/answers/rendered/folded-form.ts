/** A type written out over many lines, cut down to its first and last where an answer lists its members anyway. */

/** Shorter types are read faster as they are. */
const MOST_LINES = 12;
/** `const a: {`, indented lines, `}`: one literal and nothing beside it. */
const ONE_LITERAL = /^([^\n]*\{)\n((?:[ \t]+[^\n]*\n)+)(\}[^\n]*)$/;

export function foldedForm(form: string, members: number): string {
  if (members === 0) return form;
  const [whole, first = "", inside = "", last = ""] = ONE_LITERAL.exec(form) ?? [];
  if (whole === undefined || inside.split("\n").length - 1 <= MOST_LINES) return form;
  return `${first} … ${last}`;
}
