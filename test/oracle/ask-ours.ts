/** What the engine answers about the sampled symbols, through the service and by their addresses alone. */
import type { UseKind } from "../../server/src/typescript/xref/references/classify-use.ts";
import { findCallers } from "../../server/src/typescript/xref/callers.ts";
import { classMembers } from "../../server/src/typescript/shapes/class-members.ts";
import { findImplementations } from "../../server/src/typescript/xref/hierarchy/implementations.ts";
import { findAllReferences } from "../../server/src/typescript/xref/references/references.ts";
import { resolveSymbol } from "../../server/src/typescript/names/resolve-symbol.ts";
import type { SymbolTarget } from "../../server/src/typescript/names/tree/declaration.ts";
import { createTypeScript } from "../../server/src/typescript/typescript-service.ts";
import { variableReferences } from "../../server/src/typescript/xref/references/variable-references.ts";
import type { View } from "../../server/src/typescript/view.ts";
import type { LspPosition } from "../../server/src/typescript/places.ts";
import { isAsked, type Answers, type Aspect } from "./aspects.ts";
import { memberItem } from "./items.ts";
import { placeOf, type Place } from "./places.ts";
import type { OracleSymbol } from "./symbols.ts";

export interface OurAnswer {
  readonly answers: Answers;
  /** Why an address did not lead to exactly one symbol, or what a question failed with. */
  readonly problems: readonly string[];
}

type AskedSymbol = Pick<OracleSymbol, "address" | "kind">;

/** By address. */
export async function askOurs(folder: string, symbols: readonly AskedSymbol[]): Promise<Map<string, OurAnswer>> {
  const service = createTypeScript({ workspaceFolders: [folder], onState: () => undefined, log: console.error });
  try {
    return await service.query(async (view) => {
      const found = new Map<string, OurAnswer>();
      for (const symbol of symbols) found.set(symbol.address, await askAbout({ view, folder }, symbol));
      return found;
    }, AbortSignal.timeout(1_800_000));
  } finally {
    await service.dispose();
  }
}

interface Asking {
  readonly view: View;
  readonly folder: string;
}

async function askAbout(asking: Asking, { address, kind }: AskedSymbol): Promise<OurAnswer> {
  const resolution = await resolveSymbol(asking.view, address);
  if (resolution.kind !== "found") {
    const more = resolution.kind === "ambiguous" ? resolution.candidates.map((each) => each.address).join(", ") : "";
    return { answers: { address: new Set() }, problems: [`the address is ${resolution.kind} ${more}`.trim()] };
  }
  const { target } = resolution;
  const answers: Partial<Record<Aspect, ReadonlySet<string>>> = {};
  const problems: string[] = [];
  for (const [aspect, ask] of QUESTIONS) {
    if (!isAsked(aspect, kind)) continue;
    try {
      answers[aspect] = new Set(await ask(asking, target));
    } catch (error) {
      problems.push(`${aspect}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { answers, problems };
}

const QUESTIONS: readonly (readonly [Aspect, (asking: Asking, target: SymbolTarget) => Promise<string[]>])[] = [
  ["address", async (asking, target) => target.declarations.map((each) => place(asking, each))],
  ["references", references],
  ["mentions", mentions],
  ["callers", callers],
  ["implementations", implementations],
  ["members", members],
];

async function references(asking: Asking, target: SymbolTarget): Promise<Place[]> {
  return (await findAllReferences(asking.view, target.declarations)).map((each) => place(asking, each));
}

/** What `who_references` lists: in the package's own files, closing tags left to their elements. */
async function mentions(asking: Asking, target: SymbolTarget): Promise<Place[]> {
  return (await variableReferences(asking.view, target)).map((each) => place(asking, each));
}

/** Being passed as a value and `.call` are left out: TypeScript 6 knows of calls only what the syntax makes one. */
const CALLS: ReadonlySet<UseKind> = new Set<UseKind>([
  "call",
  "new",
  "jsx",
  "tagged template",
  "decorator",
  "super call",
]);

async function callers(asking: Asking, target: SymbolTarget): Promise<Place[]> {
  const { sites } = await findCallers(asking.view, target);
  const plain = sites.filter(({ kind, detail }) => CALLS.has(kind) && detail?.startsWith("through .") !== true);
  return plain.map((each) => place(asking, each));
}

async function implementations(asking: Asking, target: SymbolTarget): Promise<Place[]> {
  const answer = await findImplementations(asking.view, target);
  return (answer?.found ?? []).filter(({ how }) => how !== "structural").map((each) => place(asking, each));
}

async function members(asking: Asking, target: SymbolTarget): Promise<string[]> {
  const answer = await classMembers(asking.view, target);
  if (answer === undefined) throw new Error("the declaration left the program");
  return [...answer.own, ...answer.inherited.flatMap((group) => group.members)].flatMap((each) =>
    memberItem(each.name, each.modifiers.includes("static"), place(asking, each)),
  );
}

function place({ folder }: Asking, { file, at }: { readonly file: string; readonly at: LspPosition }): Place {
  return placeOf(folder, file, at.line, at.character);
}
