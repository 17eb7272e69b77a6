/** `rename_symbol`: the compiler's rename as one proposal over all files it touches. */
import { pathToFileURL } from "node:url";
import type { ProposalOutcome } from "../../proposals/proposal.ts";
import { formatAddress, parseAddress } from "../../typescript/names/address.ts";
import { moduleScope } from "../../typescript/names/tree/module-scope.ts";
import { nameThere } from "../../typescript/names/used-name.ts";
import { lineAddress } from "../../typescript/names/line-address.ts";
import { newNameProblem } from "../../typescript/edits/identifier.ts";
import { inspectDeclaration } from "../../typescript/names/tree/inspect-declaration.ts";
import { wordsIn, type LinesOfFile } from "../../typescript/edits/mentions.ts";
import { planRename, type RenamePlan } from "../../typescript/edits/rename/rename.ts";
import type { RenameConflict } from "../../typescript/edits/rename/rename-place.ts";
import { doubtUses } from "../../typescript/xref/references/unread-mentions.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { View } from "../../typescript/view.ts";
import { mapLimited } from "../../typescript/yielding.ts";
import { explainResolution, scopeSchema, place } from "../answers/answer-text.ts";
import { ToolFailure, type Tool } from "../tool.ts";
import { prepareEdit, type PreparedEdit } from "./compiler-edit.ts";
import { defineCompilerEdit } from "./define-compiler-edit.ts";
import type { EditPorts } from "./define-edit.ts";
import { withMentions } from "./mention-hunks.ts";
import { placesLeft } from "./places-left.ts";
import { plural } from "../../base/plural.ts";

interface Plan extends RenamePlan {
  readonly oldName: string;
  readonly edit: PreparedEdit;
  /** What the model reads before the outcome. */
  readonly summary: readonly string[];
}

const SHOWN = 10;
const MAX_READ = 3_000;

export function createRenameSymbol(ports: EditPorts): Tool {
  return defineCompilerEdit(ports, {
    name: "rename_symbol",
    description:
      "Rename a symbol everywhere the compiler knows it, as one proposal; the answer tells where the old name is left.",
    input: {
      type: "object",
      properties: {
        symbol: { type: "string", minLength: 1, description: "name, Outer.member, src/file.ts#Outer.member." },
        new_name: { type: "string", minLength: 1, description: "The new name alone, without Outer." },
        path: scopeSchema,
        also: {
          type: "array",
          items: { enum: ["comments", "strings", "docs"] },
          description: "Propose these mentions too, as hunks that the person has to take one by one.",
        },
      },
      required: ["symbol", "new_name"],
      additionalProperties: false,
    },
    told: {
      symbol: { type: "string" },
      new_name: { type: "string" },
      path: null,
      also: {
        type: "array",
        items: { enum: ["comments", "strings", "docs"] },
        description: "Propose these mentions too.",
      },
    },
    plan: async (view, args) => {
      const resolution = await resolveSymbol(view, args.symbol, args.path);
      if (resolution.kind === "module")
        throw new ToolFailure(
          "That is a file: propose_edits with op move renames a file, and imports follow. To rename a symbol, name the symbol.",
        );
      if (resolution.kind !== "found") return explainResolution(view, args.symbol, resolution);
      const target = underItsName(view, resolution.target);
      await doubtUses(view, target.declarations);
      const plan = await makePlan(ports, view, target, args);
      const { also = [] } = args;
      const edit = await withMentions(ports, plan, { newName: args.new_name, also });
      const summary = [...plan.summary, ...alsoLine(edit, plan.oldName, also)];
      return {
        title: `Rename ${plan.oldName} to ${args.new_name}`,
        why: (missing) => [...summary, ...missing].join(" "),
        edit,
        summary,
        left: (outcome) => leftLines({ ...plan, edit }, outcome),
        nothing: summary.join("\n"),
      };
    },
  });
}

/** `export { declared as asked }`: whoever asks for the exported name means that name, and not the declared one. */
function underItsName(view: View, target: SymbolTarget): SymbolTarget {
  const [declaration] = target.declarations;
  const { alias } = declaration;
  if (alias === undefined || alias.name === "default") return target;
  const address = formatAddress(view.paths.show(alias.file), alias.name);
  const own = { ...declaration, ...alias, path: alias.name };
  return { ...target, file: alias.file, path: alias.name, address, declarations: [own] };
}

/** How many lines of comments, strings and pages are proposed too. */
function alsoLine({ documents }: PreparedEdit, oldName: string, also: Also): string[] {
  if (also.length === 0) return [];
  const count = documents.reduce((sum, { apart = [] }) => sum + apart.length, 0);
  const where = also.join(", ").replace(/, (\w+)$/, " or $1");
  if (count === 0) return [`No other line of ${where} has ${oldName}.`];
  const are = count === 1 ? "is a hunk of its own" : "are hunks of their own";
  return [
    `${plural(count, "line")} of ${where} ${are}, left out unless the person takes ${count === 1 ? "it" : "them one by one"}.`,
  ];
}

type Also = readonly ("comments" | "strings" | "docs")[];

interface RenameArguments {
  readonly symbol: string;
  readonly new_name: string;
  readonly also?: Also;
}

async function makePlan(
  ports: EditPorts,
  view: View,
  target: SymbolTarget,
  { symbol: asked, new_name: newName, also = [] }: RenameArguments,
): Promise<Plan> {
  const refuse = (reason: string): ToolFailure => new ToolFailure(`NOT PROPOSED: ${reason}`);
  const [declaration] = target.declarations;
  const foreign = target.declarations.find(({ file }) => !view.paths.isOwn(file));
  if (foreign !== undefined) {
    throw refuse(`${target.address} is declared in ${view.paths.show(foreign.file)}, which is not the project's own.`);
  }
  const oldName = declaration.name;
  const detail = await inspectDeclaration(view, declaration);
  const problem = newNameProblem({ oldName, newName, kind: detail?.kind ?? declaration.kind });
  if (problem !== undefined) throw refuse(problem);
  const written = lineAddress(asked) === undefined ? parseAddress(asked).path.split(".").at(-1) : oldName;
  if (written !== oldName && oldName !== "default" && written !== "default") {
    throw refuse(`${asked} is another name for ${target.address}; name that one.`);
  }
  const other = await otherNameAt(view, asked, oldName);
  if (other !== undefined) {
    throw refuse(
      `${asked} is a use of ${other} inside of ${target.address}. Rename ${other} by ${asked}#${other}, or ${oldName} by its address.`,
    );
  }
  const found = await planRename(view, target, newName);
  if ("refused" in found) throw refuse(found.refused);
  if (found.conflicts.length > 0) {
    const lines = found.conflicts
      .slice(0, SHOWN)
      .map((conflict) => `- ${conflictLine(view, conflict, newName, oldName)}`);
    const more = found.conflicts.length > SHOWN ? [`- … ${found.conflicts.length - SHOWN} more`] : [];
    throw refuse([`renaming ${target.address} to ${newName} collides. Nothing changed.`, ...lines, ...more].join("\n"));
  }
  const edit = await prepareEdit(ports, view, found.files, await filesAtRisk(ports, view, target, found));
  return { ...found, oldName, edit, summary: summaryOf(view, target, { ...found, newName, also }) };
}

/** The name at the column of an address, where that is another one than the symbol's: a line alone means what is around. */
async function otherNameAt(view: View, asked: string, name: string): Promise<string | undefined> {
  const line = lineAddress(asked);
  const [file] = line === undefined ? [] : (moduleScope(view, line.file)?.files ?? []);
  if (line?.column === undefined || file === undefined) return undefined;
  const there = await nameThere(view, file, { ...line, column: line.column });
  return there === undefined || there.node.text === name ? undefined : there.node.text;
}

/**
 * Two types that happen to have a member in common are not related to each other, and a rename of a member of the one
 * breaks code that passes the one for the other. Such code spells the member's name.
 */
async function filesAtRisk(
  ports: EditPorts,
  view: View,
  { path, declarations: [{ name }] }: SymbolTarget,
  { files }: RenamePlan,
): Promise<string[]> {
  if (!path.includes(".")) return [];
  const touched = new Set(files.map(({ file }) => file));
  const others = view.ownFiles().filter((file) => !touched.has(file));
  const spelling = await mapLimited(
    others.slice(0, MAX_READ),
    async (file) => {
      const document = await ports.readDocument(pathToFileURL(file).href).catch(() => undefined);
      return document !== undefined && wordsIn(document.text, name).length > 0 ? [file] : [];
    },
    view.signal,
  );
  return spelling.flat();
}

function summaryOf(
  view: View,
  target: SymbolTarget,
  plan: RenamePlan & { readonly newName: string; readonly also: Also },
): string[] {
  const { places, files, mentions, newName, also } = plan;
  const inTests = places.filter(({ isTest }) => isTest).length;
  const tests = inTests === 0 ? "" : `, ${inTests} of them in tests`;
  const isOverload = target.overload !== undefined && target.declarations[0].isOneOfTwins !== true;
  const overloads = !isOverload ? "" : " All overloads are renamed: they are one name.";
  const lines = [
    `Rename ${target.address} to ${newName}: ${plural(places.length, "place")} in ${plural(files.length, "file")}${tests}.${overloads}`,
  ];
  if (plan.reExportedFrom.length > 0) {
    const from = plan.reExportedFrom.map((file) => view.paths.show(file)).join(", ");
    lines.push(`The name exported from ${from} changes too: users outside this workspace are not seen here.`);
  }
  if (plan.outdated.length > 0) {
    const built = plan.outdated.map((file) => view.paths.show(file)).join(", ");
    lines.push(`The old name stands in ${built} until the next build: importers have errors up to then.`);
  }
  if (plan.missed.length > 0) {
    const missed = plan.missed.slice(0, SHOWN).map(({ file, at }) => place(view, file, at));
    const more = plan.missed.length > SHOWN ? ` and ${plan.missed.length - SHOWN} more` : "";
    lines.push(
      `WARNING: the compiler's rename leaves out ${missed.join(", ")}${more}, which refer to the symbol too: check them.`,
    );
  }
  const words = mentions.flatMap(({ file, comments, strings }) => [
    ...(also.includes("comments") ? [] : comments.map((at) => `${place(view, file, at)} (comment)`)),
    ...(also.includes("strings") ? [] : strings.map((at) => `${place(view, file, at)} (string)`)),
  ]);
  if (words.length > 0) {
    const more = words.length > SHOWN ? ` and ${words.length - SHOWN} more` : "";
    lines.push(`Left alone in comments and strings of these files: ${words.slice(0, SHOWN).join(", ")}${more}.`);
  }
  if (plan.unsearched.length > 0) {
    lines.push(
      `WARNING: not renamed in files that were not searched, which may break: ${spelledAt(view, plan.unsearched)}.`,
    );
  }
  if (plan.prose.length > 0 && !also.includes("docs"))
    lines.push(`Left alone in documentation: ${spelledAt(view, plan.prose)}.`);
  return lines;
}

/** `11 places in 2 files that spell the name: docs/a.md:3, …` */
function spelledAt(view: View, found: readonly LinesOfFile[]): string {
  const places = found.flatMap(({ file, lines }) => lines.map((line) => `${view.paths.show(file)}:${line}`));
  const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : "";
  const where = `${plural(places.length, "place")} in ${plural(found.length, "file")} that ${places.length === 1 ? "spells" : "spell"}`;
  return `${where} the name: ${places.slice(0, SHOWN).join(", ")}${more}`;
}

function conflictLine(view: View, conflict: RenameConflict, newName: string, oldName: string): string {
  const at = place(view, conflict.place.file, conflict.place.at);
  const other = conflict.other === undefined ? "" : ` (${place(view, conflict.other.file, conflict.other.at)})`;
  switch (conflict.kind) {
    case "declared":
      return `${at}: ${newName} is already declared in the same scope${other}`;
    case "member":
      return `${at}: the type already has a member ${newName}${other}`;
    case "hidden":
      return `${at}: here ${newName} means something else${other}`;
    case "intrinsic":
      return `${at}: a JSX element whose name begins with a small letter is one of the language's own`;
    case "captured":
      return `${at}: ${newName} means something else here${other}, and would mean the renamed ${oldName}`;
    default:
      return conflict.kind satisfies never;
  }
}

function leftLines(plan: Plan, outcome: ProposalOutcome): string[] {
  if (!outcome.hunks.some((hunk) => hunk.applied)) return [];
  const left = placesLeft(plan.edit, outcome, plan.places, plan.oldName);
  if (left.length === 0) return [];
  const shown = left.slice(0, SHOWN * 2);
  const more = left.length > shown.length ? `, and ${left.length - shown.length} more` : "";
  return [`STILL ${plan.oldName} at ${plural(left.length, "place")}: ${shown.join(", ")}${more}.`];
}
