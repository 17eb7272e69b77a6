/** Classes that fit an interface without saying so: candidates by the names of their members, decided by the checker. */
import {
  isExpressionWithTypeArguments,
  isHeritageClause,
  isInterfaceDeclaration,
  isTypeReferenceNode,
  type Node,
} from "typescript/unstable/ast";
import { SymbolFlags, type Type } from "typescript/unstable/async";
import { candidatesFor, requiredNames } from "./structural-candidates.ts";
import { doubtUnread, wordsOf } from "../references/unread-mentions.ts";
import { oneLine } from "../../names/tree/inspect-declaration.ts";
import { memberNodes } from "../../names/tree/members.ts";
import { nameNodeOf } from "../../names/tree/qualified-name.ts";
import { classifyReferences, findReferences } from "../references/references.ts";
import { instanceType, type TypeEntry } from "./type-entry.ts";
import { extendable, findSubtypes, type Subtype, type Subtypes } from "./subtypes.ts";
import type { ProgramView, View } from "../../view.ts";
import { giveWay, mapLimited } from "../../yielding.ts";

export interface StructuralFit {
  readonly entry: TypeEntry;
  /** What it was found to be assignable to: `Store<string, number>`. */
  readonly text: string;
}

interface StructuralFits<Fit = StructuralFit> {
  readonly fits: readonly Fit[];
  /** False when classes were left out of the comparison. */
  readonly complete: boolean;
  readonly notes: readonly string[];
}

/** With everything that extends the class, which fits then too. */
interface FitWithSubtypes extends StructuralFit {
  readonly subtypes: Subtypes;
}

interface Form {
  readonly type: Type;
  readonly text: string;
}

const MAX_CANDIDATES = 300;
const MAX_FORMS = 8;

/** Has the texts read that tell who may fit, beside what the compiler is asked meanwhile. */
export function prepareFits(view: View, { nodes: [node] }: TypeEntry): void {
  if (!isInterfaceDeclaration(node)) return;
  // Requests are written in the next turn of the event loop. Whoever needs the texts hears of a failure.
  void giveWay()
    .then(() => view.state.words.filesWith(view, []))
    .catch(() => undefined);
}

/** The outermost classes that fit: a class that extends another of them is among that class's subtypes. */
export async function findFits(
  view: View,
  entry: TypeEntry,
  declared: Subtypes,
): Promise<StructuralFits<FitWithSubtypes>> {
  const found = await findStructuralFits(view, entry, declared.all);
  // What extends one of them in a file that the compiler does not read fits too.
  await doubtUnread(view, wordsOf(found.fits.map((fit) => fit.entry.declaration)));
  const extended = new Set(
    await extendable(
      view,
      found.fits.map((fit) => fit.entry),
    ),
  );
  const fits = await mapLimited(
    found.fits,
    async (fit) => ({ ...fit, subtypes: extended.has(fit.entry) ? await findSubtypes(view, fit.entry) : NO_SUBTYPES }),
    view.signal,
  );
  const below = new Set(fits.flatMap((fit) => fit.subtypes.all.map((each) => each.entry.key)));
  const left = fits.reduce((sum, fit) => sum + fit.subtypes.notFollowed, 0);
  const notes = left === 0 ? [] : [`The subtypes of ${left} classes that fit were not looked for.`];
  return {
    fits: fits.filter((fit) => !below.has(fit.entry.key)),
    complete: found.complete && left === 0,
    notes: [...found.notes, ...notes],
  };
}

const NO_SUBTYPES: Subtypes = { tree: [], all: [], below: new Map(), uses: new Map(), notFollowed: 0 };

async function findStructuralFits(view: View, entry: TypeEntry, declared: readonly Subtype[]): Promise<StructuralFits> {
  if (!isInterfaceDeclaration(entry.nodes[0])) return { fits: [], complete: true, notes: [] };
  const required = await requiredNames(entry);
  if (required.length === 0) {
    if (hasSignatures(entry)) return { fits: [], complete: true, notes: [] };
    const note = "The type asks for no member, so nearly every class fits: only declared ones are listed.";
    return { fits: [], complete: true, notes: [note] };
  }
  const candidates = await candidatesFor(view, entry, required, declared);
  const compared = candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate) => ({ candidate, program: sharedProgram(view, entry, candidate) }));
  const forms = new Map<ProgramView, readonly Form[]>();
  for (const { program } of compared) {
    if (!forms.has(program)) forms.set(program, await formsIn(view, entry, program));
  }
  const apart = compared.filter(({ program }) => forms.get(program)?.length === 0).length;
  const fits = await mapLimited(
    compared,
    async ({ candidate, program }) => {
      const form = await firstFit({ ...candidate, program }, forms.get(program) ?? []);
      return form === undefined ? [] : [{ entry: candidate, text: form.text }];
    },
    view.signal,
  );
  const left = candidates.length - compared.length;
  const why = isGeneric(entry)
    ? "the projects of those classes use no form of the type"
    : "their projects do not know the type";
  const notes = [
    ...(left > 0 ? [`${left} classes with members of these names were not compared with the type.`] : []),
    ...(apart > 0
      ? [`Not compared with the type: ${apart} of the classes with members of these names, because ${why}.`]
      : []),
  ];
  return { fits: fits.flat(), complete: left <= 0 && apart === 0, notes };
}

/** A project that sees both, so that the two types can be compared; the class's own when there is none. */
function sharedProgram(view: View, entry: TypeEntry, candidate: TypeEntry): ProgramView {
  const files = [entry, candidate].map(({ declaration }) => declaration.file);
  return view.programs.find((program) => files.every((file) => program.files.has(file))) ?? candidate.program;
}

function isGeneric({ nodes: [node] }: TypeEntry): boolean {
  return (node.typeParameters?.length ?? 0) > 0;
}

/** What can be called or indexed is no class. */
function hasSignatures({ nodes }: TypeEntry): boolean {
  return nodes.some((node) => memberNodes(node).some((member) => nameNodeOf(member) === undefined));
}

async function firstFit(candidate: TypeEntry, forms: readonly Form[]): Promise<Form | undefined> {
  const type = await instanceType(candidate);
  if (type === undefined) return undefined;
  for (const form of forms) {
    if (await candidate.program.project.checker.isTypeAssignableTo(type, form.type)) return form;
  }
  return undefined;
}

/** The type itself, or for a generic one the forms in which the program uses it. */
async function formsIn(view: View, entry: TypeEntry, program: ProgramView): Promise<readonly Form[]> {
  const [node] = entry.nodes;
  if (!isGeneric(entry)) {
    const isThere = program.files.has(node.getSourceFile().fileName);
    const type = isThere ? await instanceType({ ...entry, program }) : await importedType(view, entry, program);
    return type === undefined ? [] : [{ type, text: entry.path }];
  }
  const uses = await classifyReferences(view, await findReferences(view, entry.declaration));
  const forms = new Map<string, Form>();
  const written = uses.flatMap((use) => (program.files.has(use.file) ? (writtenForm(use.node) ?? []) : []));
  for (const form of written) {
    if (forms.size >= MAX_FORMS) break;
    const type = await program.project.checker.getTypeAtLocation(form);
    if (type === undefined || type.isErrorType()) continue;
    const text = oneLine(await program.project.checker.typeToString(type));
    forms.set(text, { type, text });
  }
  return [...forms.values()];
}

/** The type as seen by a program that only knows the declarations built from the type's source. */
async function importedType(view: View, entry: TypeEntry, program: ProgramView): Promise<Type | undefined> {
  const uses = await classifyReferences(view, await findReferences(view, entry.declaration));
  const use = uses.find((each) => program.files.has(each.file));
  const { checker } = program.project;
  const symbol = use === undefined ? undefined : await checker.getSymbolAtLocation(use.node);
  if (symbol === undefined) return undefined;
  const own = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : await checker.getAliasedSymbol(symbol);
  return checker.getDeclaredTypeOfSymbol(own);
}

/** `Store<string, number>` around the name, in a type or in a heritage clause. */
function writtenForm(name: Node): Node | undefined {
  const { parent } = name;
  if (isTypeReferenceNode(parent)) return parent;
  return isExpressionWithTypeArguments(parent) && isHeritageClause(parent.parent) ? parent : undefined;
}
