/** Whether a text can be a symbol's new name. */
import { isIdentifierText } from "typescript/unstable/ast";

/** Words that no binding can have in a module, which is always strict. */
const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);
/** Names that types cannot have. */
const TYPE_WORDS = new Set("any bigint boolean never number object string symbol undefined unknown void".split(" "));
const TYPE_KINDS = new Set(["class", "interface", "type", "enum"]);
const MEMBER_KINDS = new Set(["method", "property", "getter", "setter", "enum member"]);

/** Undefined when the name is fine, else why not, in a sentence. */
export function newNameProblem(rename: {
  readonly oldName: string;
  readonly newName: string;
  readonly kind: string;
}): string | undefined {
  const { oldName, newName, kind } = rename;
  if (kind === "constructor") return "a constructor has no name of its own; rename its class.";
  if (oldName === "default") return "the default export has no name; give it one by an edit first.";
  if (!isIdentifierText(oldName.replace(/^#/, ""))) return `${oldName} is no plain name; change it by an edit.`;
  if (newName === oldName) return `it is already called ${newName}.`;
  if (oldName.startsWith("#") !== newName.startsWith("#")) {
    return oldName.startsWith("#")
      ? `${oldName} is a private name, so the new one begins with # too.`
      : `only private names begin with #; ${oldName} is none, and a rename cannot make it one.`;
  }
  const bare = newName.replace(/^#/, "");
  if (!isIdentifierText(bare)) return `"${newName}" is no identifier.`;
  if (newName === "#constructor" || (kind === "method" && newName === "constructor")) {
    return `${newName} has a meaning of its own in a class.`;
  }
  if (newName.startsWith("#") || MEMBER_KINDS.has(kind)) return undefined;
  if (RESERVED.has(newName)) return `${newName} is a reserved word.`;
  if (TYPE_KINDS.has(kind) && TYPE_WORDS.has(newName)) return `${newName} is the name of a built-in type.`;
  return newName === "undefined" ? "undefined cannot be declared." : undefined;
}
