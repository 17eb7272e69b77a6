/** From what a prompt mentions to what goes along with it. */
import type { ContextRef } from "../../protocol/shapes.ts";
import type { ContextPorts } from "./context-ports.ts";
import { mentionsIn, type Mention } from "./mentions.ts";

export interface Mentioned {
  readonly refs: readonly ContextRef[];
  /** Mentions that mean nothing, as sentences for the person. */
  readonly unknown: readonly string[];
}

const MAX_MENTIONS = 50;
const SYMBOL_LIMIT_MS = 30_000;

export async function mentionedIn(text: string, ports: ContextPorts): Promise<Mentioned> {
  const mentions = mentionsIn(text);
  const taken = await Promise.all(mentions.slice(0, MAX_MENTIONS).map((mention) => refOf(mention, ports)));
  const left = mentions.length - MAX_MENTIONS;
  return {
    refs: taken.filter((each) => typeof each === "object"),
    unknown: [
      ...taken.filter((each) => typeof each === "string"),
      ...(left > 0 ? [`Only the first ${MAX_MENTIONS} mentions went along; ${left} more did not.`] : []),
    ],
  };
}

/** Undefined for a word that means nothing by its sign. */
async function refOf(mention: Mention, ports: ContextPorts): Promise<ContextRef | string | undefined> {
  const { kind, name, written, isMeant } = mention;
  switch (kind) {
    case "diff":
      return { kind: "diff", label: "@diff" };
    case "buffer":
      return { kind: "buffer", symbol: name, label: written };
    case "symbol":
      if (await isSymbol(name, ports)) return { kind: "symbol", symbol: name, label: written };
      return isMeant ? `${written} is no symbol that the compiler knows: only the word was sent` : undefined;
    case "value": {
      const { success, error = "" } = await ports.look("inspect_object", { value: name });
      if (success) return { kind: "replValue", symbol: name, label: written };
      return isMeant ? `${written} is no value of the REPL: only the word was sent (${firstLine(error)})` : undefined;
    }
    case "file":
    case "folder":
    case "path":
      return placeRef(mention, ports);
    default:
      return kind satisfies never;
  }
}

/** What cannot be looked up is told by whoever reads the symbol. */
async function isSymbol(address: string, { symbolNames }: ContextPorts): Promise<boolean> {
  const signal = AbortSignal.timeout(SYMBOL_LIMIT_MS);
  const names = await symbolNames();
  return names.isKnown(address, signal).catch(() => true);
}

async function placeRef(
  { kind, name, written, lines, isMeant }: Mention,
  ports: ContextPorts,
): Promise<ContextRef | string | undefined> {
  const place = await ports.texts.placeAt(name);
  if (place === undefined || (kind !== "path" && "kind" in place && place.kind !== kind)) {
    const what = kind === "path" ? "file or folder" : kind;
    return isMeant || (await beginsWithFolder(name, ports))
      ? `${written}: there is no such ${what}; only the words were sent`
      : undefined;
  }
  if ("reason" in place) return isMeant ? `${written} was not read: ${place.reason}` : undefined;
  const { uri, path } = place;
  if (place.kind === "folder") return { kind: "folder", uri, label: `${path}/` };
  if (PICTURE.test(path)) return { kind: "image", uri };
  const range = lines && {
    start: { line: lines.first - 1, character: 0 },
    end: { line: lines.last, character: 0 },
  };
  return { kind: "file", uri, ...(range === undefined ? {} : { range }) };
}

/** `@src/typo` is meant as a path where there is a folder `src`; `@scope/name` is a word. */
async function beginsWithFolder(name: string, ports: ContextPorts): Promise<boolean> {
  const [first = "", ...more] = name.split("/");
  if (first === "" || more.length === 0) return false;
  const place = await ports.texts.placeAt(first);
  return place !== undefined && "kind" in place && place.kind === "folder";
}

const PICTURE = /\.(?:png|jpe?g|gif|webp)$/i;

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/\.$/, "");
}
