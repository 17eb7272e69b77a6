/** The parts of a glob without braces. */

/** One character of the path is read by `takes`, which ends the part, or by `stays`, which does not. */
export interface GlobPart {
  readonly takes?: (character: string) => boolean;
  readonly stays?: (character: string) => boolean;
  readonly isOptional?: boolean;
  /** Any number of whole folders: the part may end where a name begins. */
  readonly isFolders?: boolean;
}

const FOLDERS: GlobPart = { isFolders: true, stays: () => true };
/** Everything below: at least one character. */
const REST: readonly GlobPart[] = [{ takes: () => true }, { isOptional: true, stays: () => true }];
const NAME: GlobPart = { isOptional: true, stays: isInName };

/** The parts, or what is wrong with the glob. */
export function readParts(glob: string): readonly GlobPart[] | string {
  const parts: GlobPart[] = [];
  const characters = Array.from(glob);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at];
    if (character === "*") {
      const stars = countStars(characters, at);
      const isWhole = stars === 2 && (at === 0 || characters[at - 1] === "/");
      at += stars - 1;
      if (isWhole && characters[at + 1] === "/") {
        parts.push(FOLDERS);
        at += 1;
      } else if (isWhole && at === characters.length - 1) parts.push(...REST);
      else parts.push(NAME);
    } else if (character === "?") parts.push({ takes: isInName });
    else if (character === "[") {
      const end = classEnd(characters, at);
      if (end === -1) return "a [ is not closed";
      parts.push({ takes: inClass(characters.slice(at + 1, end)) });
      at = end;
    } else {
      if (character === "\\") at += 1;
      const own = characters[at] ?? "\\";
      parts.push({ takes: (each) => each === own });
    }
  }
  return parts;
}

function isInName(character: string): boolean {
  return character !== "/";
}

function countStars(characters: readonly string[], from: number): number {
  let to = from;
  while (characters[to] === "*") to += 1;
  return to - from;
}

/** A `]` that comes first is one of the characters. */
function classEnd(characters: readonly string[], open: number): number {
  const negation = /[!^]/.test(characters[open + 1] ?? "") ? 1 : 0;
  return characters.indexOf("]", open + 2 + negation);
}

function inClass(inner: readonly string[]): (character: string) => boolean {
  const isNegated = /[!^]/.test(inner[0] ?? "");
  const members = isNegated ? inner.slice(1) : inner;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? "";
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  const isMember = (character: string): boolean => ranges.some(([from, to]) => from <= character && character <= to);
  return (character) => character !== "/" && isMember(character) !== isNegated;
}
