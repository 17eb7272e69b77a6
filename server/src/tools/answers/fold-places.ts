/** Lines that begin with places, told with each folder and each text once where many of them have the same. */

const FEWEST = 3;

interface PlaceLine {
  readonly indent: string;
  /** "src/parts/", or "" at the top. */
  readonly folder: string;
  /** "a.ts:12:3" */
  readonly place: string;
  readonly text: string;
}

/** The lines as they are, but for places in one folder that follow each other, and places of which the same is said. */
export function foldPlaces(lines: readonly string[]): string[] {
  const folded: string[] = [];
  let block: PlaceLine[] = [];
  for (const line of lines) {
    const place = parse(line);
    if (place !== undefined && (block.length === 0 || block[0]?.indent === place.indent)) {
      block.push(place);
      continue;
    }
    folded.push(...foldBlock(block));
    block = place === undefined ? [] : [place];
    if (place === undefined) folded.push(line);
  }
  return [...folded, ...foldBlock(block)];
}

function foldBlock(block: readonly PlaceLine[]): string[] {
  const folded: string[] = [];
  const byText = Map.groupBy(block, ({ text }) => text);
  const alike = (text: string): readonly PlaceLine[] => byText.get(text) ?? [];
  for (let at = 0; at < block.length;) {
    const first = block[at];
    if (first === undefined) break;
    const { indent, folder, place, text } = first;
    const same = alike(text);
    const near = runFrom(block, at, (each) => each.folder === folder && alike(each.text).length < FEWEST);
    if (same.length >= FEWEST) {
      // The whole group stands where its first place stands.
      if (same[0] === first) folded.push(`${indent}${text}`, ...byFolder(same, `${indent}  `));
      at += 1;
    } else if (isWorthHeading(folder, near.length)) {
      folded.push(`${indent}${folder}`, ...near.map((each) => `${indent}  ${each.place} ${each.text}`));
      at += near.length;
    } else {
      folded.push(`${indent}${folder}${place} ${text}`);
      at += 1;
    }
  }
  return folded;
}

function parse(line: string): PlaceLine | undefined {
  const [, indent, folder = "", place, text = ""] =
    /^(\s*)(\S*\/)?([^\s/]+:\d+(?::[\d,]+)?) ([^\n]*)$/.exec(line) ?? [];
  return indent === undefined || place === undefined ? undefined : { indent, folder, place, text };
}

/** The places that follow each other from there on, as long as they belong together. */
function runFrom(block: readonly PlaceLine[], at: number, belongs: (place: PlaceLine) => boolean): PlaceLine[] {
  const end = block.findIndex((each, index) => index >= at && !belongs(each));
  return block.slice(at, end === -1 ? undefined : end);
}

/** Whether a line with the folder is shorter than the folder in each line. */
function isWorthHeading(folder: string, lines: number): boolean {
  return lines >= FEWEST && folder.length * (lines - 1) > 2 * lines + 4;
}

/** `src/parts/ a.ts:12,15, b.ts:3`: the column is where the name stands in the text. */
function byFolder(run: readonly PlaceLine[], indent: string): string[] {
  return [...Map.groupBy(run, ({ folder }) => folder)].map(([folder, places]) => {
    const files = Map.groupBy(places, ({ place }) => place.replace(/:.*$/, ""));
    const lineOf = ({ place }: PlaceLine): string => /:(\d+)/.exec(place)?.[1] ?? "";
    const named = [...files].map(([file, own]) => `${file}:${[...new Set(own.map(lineOf))].join(",")}`);
    return `${indent}${folder === "" ? "" : `${folder} `}${named.join(", ")}`;
  });
}
