/** Lines that begin with places, told with each folder and each text once where many of them have the same. */

const FEWEST_ALIKE = 3;
const FEWEST_NEAR = 2;

/** A place with its words; or a file's own line, with the lines below it. */
interface Item {
  readonly indent: string;
  /** "src/parts/", or "" at the top. */
  readonly folder: string;
  /** "a.ts:12", or the rest of a file's own line. */
  readonly place: string;
  /** Undefined for a file's own line, which shares with no other. */
  readonly text: string | undefined;
  readonly below: readonly string[];
}

/** The lines as they are, but for places in one folder that follow each other, and places with the same words. */
export function foldPlaces(lines: readonly string[]): string[] {
  const folded: string[] = [];
  let block: Item[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const below = linesBelow(lines, at);
    const item = parse(line, below);
    if (item === undefined || (block.length > 0 && block[0]?.indent !== item.indent)) {
      folded.push(...foldBlock(block));
      block = [];
    }
    if (item === undefined) folded.push(line);
    else block.push(item);
    at += item === undefined ? 1 : 1 + below.length;
  }
  return [...folded, ...foldBlock(block)];
}

function linesBelow(lines: readonly string[], at: number): string[] {
  const depth = depthOf(lines[at]);
  const end = lines.findIndex((line, index) => index > at && (line === "" || depthOf(line) <= depth));
  return lines.slice(at + 1, end === -1 ? undefined : end);
}

function depthOf(line = ""): number {
  return line.length - line.trimStart().length;
}

function parse(line: string, below: readonly string[]): Item | undefined {
  const [, indent, folder = "", place, text] = /^(\s*)(\S*\/)?([^\s/]+:\d+) ([^\n]*)$/.exec(line) ?? [];
  if (indent !== undefined && place !== undefined) return { indent, folder, place, text, below };
  const [, depth, parent = "", file] = /^(\s*)(\S*\/)?([^\s/:]+\.[a-z]+(?: {2}\([^\n]*\))?)$/.exec(line) ?? [];
  return depth === undefined || file === undefined
    ? undefined
    : { indent: depth, folder: parent, place: file, text: undefined, below };
}

/** The groups of places with the same words come first. */
function foldBlock(block: readonly Item[]): string[] {
  const byText = Map.groupBy(block, ({ text }) => text);
  const groups = [...byText].filter(([text, own]) => text !== undefined && own.length >= FEWEST_ALIKE);
  const grouped = new Set(groups.flatMap(([, own]) => own));
  const folded = groups.flatMap(([text, own]) => {
    const indent = own[0]?.indent ?? "";
    return [`${indent}${text}`, ...byFolder(own, `${indent}  `)];
  });
  const others = block.filter((item) => !grouped.has(item));
  for (let at = 0; at < others.length;) {
    const near = runFrom(others, at);
    folded.push(...nearLines(near));
    at += near.length;
  }
  return folded;
}

function nearLines(near: readonly Item[]): string[] {
  const [first] = near;
  if (first === undefined) return [];
  const { indent, folder } = first;
  if (!isWorthHeading(folder, near.length)) return itemLines(near, folder, "");
  return [`${indent}${folder}`, ...itemLines(near, "", "  ")];
}

/** Places with the same words share a line. */
function itemLines(near: readonly Item[], folder: string, deeper: string): string[] {
  const groups = Map.groupBy(near, (item) => item.text ?? item);
  return [...groups.values()].flatMap(([first, ...same]) => {
    if (first === undefined) return [];
    const places = Map.groupBy([first, ...same], ({ place }) => place);
    const named = [...places].map(([place, { length }]) => `${folder}${place}${length > 1 ? ` ×${length}` : ""}`);
    const text = first.text === undefined ? "" : ` ${first.text}`;
    return [
      `${deeper}${first.indent}${named.join(", ")}${text}`,
      ...[first, ...same].flatMap(({ below }) => below.map((line) => `${deeper}${line}`)),
    ];
  });
}

/** The places that follow each other from there on in one folder. */
function runFrom(items: readonly Item[], at: number): Item[] {
  const folder = items[at]?.folder;
  const end = items.findIndex((each, index) => index >= at && each.folder !== folder);
  return items.slice(at, end === -1 ? undefined : end);
}

/** Whether a line with the folder is shorter than the folder in each line. */
function isWorthHeading(folder: string, lines: number): boolean {
  return lines >= FEWEST_NEAR && folder.length * (lines - 1) > 2 * lines + 4;
}

/** `src/parts/: a.ts:12,15, b.ts:3`, or `src/parts/*.ts: a:12,15, b:3, c:8` */
function byFolder(run: readonly Item[], indent: string): string[] {
  return [...Map.groupBy(run, ({ folder }) => folder)].map(([folder, items]) => {
    const files = Map.groupBy(items, ({ place }) => place.replace(/:.*$/, ""));
    const lineOf = ({ place }: Item): string => /:(\d+)/.exec(place)?.[1] ?? "";
    const [ending = "", ...endings] = new Set([...files.keys()].map((file) => /\.\w+$/.exec(file)?.[0] ?? ""));
    const common = endings.length === 0 && files.size >= FEWEST_ALIKE ? ending : "";
    const named = [...files].map(([file, own]) => {
      const lines = [...Map.groupBy(own, lineOf)];
      return `${common === "" ? file : file.slice(0, -common.length)}:${lines.map(([line, { length }]) => `${line}${length > 1 ? ` ×${length}` : ""}`).join(",")}`;
    });
    const where = `${folder}${common === "" ? "" : `*${common}`}`;
    if (named.length === 1) return `${indent}${folder}${named[0] ?? ""}`;
    return `${indent}${where === "" ? "" : `${where}: `}${named.join(", ")}`;
  });
}
