/** How a global is declared, by the text of the language's own declaration files: their trees are too large for one line. */
import { readRegularText } from "../../../workspace/regular-file.ts";
import { oneLine } from "../tree/inspect-declaration.ts";
import type { Declaration } from "../tree/declaration.ts";

/** Enough for what one line can show. */
const MAX_LINES = 8;
const WITH_BODY = /^(?:interface|class|abstract class|enum|namespace|module)\b/;

/** Files that are being read: a list often shows several names of one file. */
const reading = new Map<string, Promise<readonly string[]>>();

/** `interface Event`, `var name: string`, `function fetch(input: …): …`; its name alone when the file cannot be read. */
export async function libraryHeader({ file, name, at }: Declaration): Promise<string> {
  const lines = (await linesOf(file)).slice(at.line, at.line + MAX_LINES);
  const text = lines.join("\n").replace(/^\s*(?:export )?(?:declare )?/, "");
  if (!text.includes(name)) return name;
  const end = text.search(WITH_BODY.test(text) ? /\{|$(?![^])/ : /;\s*(?:\n|$(?![^]))/);
  return oneLine(end < 0 ? text : text.slice(0, end));
}

function linesOf(file: string): Promise<readonly string[]> {
  const known = reading.get(file);
  if (known !== undefined) return known;
  const lines = readRegularText(file, { lossy: true }).then(
    (text) => text.split("\n"),
    () => [],
  );
  reading.set(file, lines);
  void lines.then(() => setImmediate(() => reading.delete(file)));
  return lines;
}
