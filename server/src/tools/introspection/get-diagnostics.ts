/** The tool `get_diagnostics`: the compiler's errors, warnings and suggestions for a file, a symbol, or everything. */
import {
  namedProblems,
  symbolProblems,
  workspaceProblems,
  type Problem,
  type Problems,
  type Severity,
} from "../../typescript/shapes/diagnostics.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { EditComparison } from "../../typescript/edits/check/edit-check.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import { untilAborted } from "../../base/abort.ts";
import { ToolFailure, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { toldEdits, triedEditsSchema, type TriedEdits } from "../edit-schema.ts";
import { explainResolution, groupedAnswer, pageOf, pageSchema, type Paging } from "../answers/answer-text.ts";
import { defineQuestion } from "./define-question.ts";
import type { TurnBaselines } from "./turn-baselines.ts";
import { editDiagnostics, turnDiagnostics } from "./turn-diagnostics.ts";
import { cut, groupedLines } from "../answers/grouped-lines.ts";
import { diagnosticOf, entryTexts, positionsOf } from "../answers/rendered/problem-text.ts";
import { readCursor } from "../answers/read-cursor.ts";
import { plural } from "../../base/plural.ts";

const SEVERITIES = ["error", "warning", "suggestion"] as const;

const input = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: "Only this file, folder, package or tsconfig." },
    symbol: {
      type: "string",
      minLength: 1,
      description: "Only what lies in the declaration of this symbol: name, Outer.member, src/file.ts#Outer.member.",
    },
    severity: {
      enum: SEVERITIES,
      description:
        "The least severe kind to report. Default: suggestion (unused, deprecated, unreachable code) for a file or symbol, warning for the whole workspace.",
    },
    since: {
      enum: ["turn"],
      description:
        "Only what is new since this turn began, and what is gone: errors in the files that changed and in those that use them. Without path, symbol and severity.",
    },
    edits: triedEditsSchema,
    code: { type: "integer", minimum: 1, description: "Only this code, e.g. 2322." },
    ...pageSchema,
  },
  additionalProperties: false,
} as const;

/** A large workspace is checked in full before the first answer. */
const TIMEOUT_MS = 300_000;
const MAX_FILES_LISTED = 20;
const MANY = 40;
/** From here on a list without a limit answers with totals alone. */
const BROKEN = 300;
const MAX_CODES_LISTED = 12;
const MAX_EXAMPLE = 160;

interface Query extends Paging {
  readonly path?: string | undefined;
  readonly symbol?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly code?: number | undefined;
}

interface Checked {
  readonly problems: Problems;
  readonly what: string;
  readonly least: Severity;
}

export interface ComparingPorts {
  readonly baselines: Pick<TurnBaselines, "of">;
  /** What the `edits` of a call would bring and take, or why that is not known; throws for edits that do not fit. */
  readonly checkEdits: (edits: TriedEdits, context: ToolContext) => Promise<EditComparison | string>;
}

/** Without `ports` the errors of now are compared with nothing. */
export function createGetDiagnostics(service: TypeScriptService, ports?: ComparingPorts): Tool {
  return defineQuestion(service, {
    name: "get_diagnostics",
    description:
      "The compiler's errors, warnings and suggestions, in all or in a file, folder, tsconfig or symbol; or what `edits` would break and mend in all files.",
    input,
    told: {
      path: { type: "string" },
      symbol: { type: "string" },
      severity: { enum: SEVERITIES, description: "The least severe to report." },
      since: { enum: ["turn"], description: "What is new or gone since this turn began." },
      edits: toldEdits,
      code: { type: "integer" },
    },
    timeoutMs: TIMEOUT_MS,
    ready: async (args, context) => {
      const how = (["edits", "since"] as const).find((name) => args[name] !== undefined);
      if (how === undefined) return undefined;
      const other = (["since", "path", "symbol", "severity"] as const).find(
        (name) => name !== how && args[name] !== undefined,
      );
      if (other !== undefined)
        throw new ToolFailure(`\`${how}\` looks at all files that use what changes: leave out \`${other}\`.`);
      if (args.edits !== undefined && ports !== undefined)
        return { tried: await ports.checkEdits(args.edits, context) };
      if (context.sessionId === undefined || ports === undefined) throw new ToolFailure(NO_TURN);
      return { began: await untilAborted(ports.baselines.of(context.sessionId), context.signal) };
    },
    answer: async (view, args, _context, compared) => {
      if (compared?.tried !== undefined) return editDiagnostics(view, compared.tried, args.code);
      if (compared !== undefined) return turnDiagnostics(view, compared.began, args.code);
      const checked = await check(view, args);
      if ("content" in checked) return checked;
      return report(view, args.code === undefined ? checked : withCode(checked, args.code), args);
    },
  });
}

const NO_TURN = "`since` is for a conversation: no turn has begun here.";

function withCode({ problems, what, least }: Checked, code: number): Checked {
  const own = problems.problems.filter((problem) => problem.code === code);
  return { problems: { ...problems, problems: own }, what: `${what} with code TS${code}`, least };
}

async function check(view: View, { path, symbol, severity }: Query): Promise<Checked | ToolAnswer> {
  if (symbol?.trim() === "" || path?.trim() === "") throw new ToolFailure("Name a path or symbol, or leave both out.");
  if (symbol !== undefined) {
    const least = severity ?? "suggestion";
    const resolution = await resolveSymbol(view, symbol, path);
    if (resolution.kind === "module") return check(view, { path: view.paths.show(resolution.file), severity });
    if (resolution.kind !== "found") return explainResolution(view, symbol, resolution);
    const { target } = resolution;
    return { problems: await symbolProblems(view, target, { least }), what: target.address, least };
  }
  if (path === undefined) {
    const least = severity ?? "warning";
    return { problems: await workspaceProblems(view, { least }), what: "the workspace", least };
  }
  const least = severity ?? "suggestion";
  const problems = await namedProblems(view, path, { least });
  if (problems === undefined) return unknownFile(view, path);
  const [only, ...others] = problems.filesChecked;
  const what = only !== undefined && others.length === 0 ? view.paths.show(only) : path.trim();
  if (only !== undefined && others.length === 0 && problems.notChecked.length === 0) view.onlyFile = only;
  return { problems, what, least };
}

async function unknownFile(view: View, file: string): Promise<ToolAnswer> {
  if (/\.\w+$/.test(file) && !/\.(?:[cm]?[jt]sx?|json)$/.test(file)) {
    return { content: `${file} is not a TypeScript or JavaScript file: the compiler does not check it.` };
  }
  const resolution = await resolveSymbol(view, `${file}#`);
  return resolution.kind === "found" ? { content: "" } : explainResolution(view, file, resolution);
}

async function report(view: View, { problems, what, least }: Checked, paging: Query): Promise<ToolAnswer> {
  const notes = problems.notChecked.map(
    (file) => `${view.paths.show(file)} is part of no loaded project: not checked.`,
  );
  const checkedText = `${plural(problems.filesChecked.length, "file")} checked, unsaved text included`;
  if (problems.problems.length === 0) {
    const kinds =
      least === "error" ? "errors" : least === "warning" ? "errors or warnings" : "errors, warnings or suggestions";
    return { content: `No ${kinds} in ${what}: ${checkedText}.`, complete: notes.length === 0, notes };
  }
  const all = problems.problems;
  if (all.length > BROKEN && paging.cursor === undefined && paging.limit === undefined && paging.code === undefined) {
    return { ...totals(view, all, `${counts(all)} in ${what}; ${checkedText}.`), complete: notes.length === 0, notes };
  }
  // Only the shown problems get their places looked up; the length of a line hardly depends on its place.
  const first = readCursor(paging.cursor);
  const wanted = all.slice(first, first + Math.min(paging.limit ?? MAX_SHOWN, MAX_SHOWN));
  const positions = await positionsOf(view, wanted);
  const texts = entryTexts(view, wanted, positions);
  const entries = all.map((_problem, index) => texts[index - first] ?? "");
  const page = pageOf(entries, { ...paging, limit: wanted.length });
  const lines = [`${counts(all)} in ${what}; ${checkedText}.`];
  // A list that fits on one page shows these totals in its groups already.
  if (page.first === 0 && page.nextCursor !== undefined) lines.push(...byCode(all), ...byFile(view, all));
  const headed = all.map(({ file, project }, index) => {
    return { group: file === undefined ? project : view.paths.show(file), text: entries[index] ?? "" };
  });
  lines.push(...groupedLines(headed, page));
  const lists = (): Pick<ToolResult, "diagnostics"> => ({
    diagnostics: wanted.map((problem) => diagnosticOf(view, problem, positions)),
  });
  return { ...groupedAnswer(lines, page, all.length, "problems"), complete: notes.length === 0, notes, lists };
}

const MAX_SHOWN = 200;

/** So many problems have few causes: nobody reads the list before the causes are known. */
function totals(view: View, all: readonly Problem[], head: string): ToolAnswer {
  const [most] = [...Map.groupBy(all, ({ code }) => code)].toSorted(([, a], [, b]) => b.length - a.length);
  const advice = `Most often one cause stands behind many of them. code: ${most?.[0]} lists those of one code, file: those of one file or folder, cursor: "0" lists all.`;
  return { content: [head, ...byCode(all), ...byFile(view, all), advice].join("\n"), truncated: true, nextCursor: "0" };
}

function counts(problems: readonly Problem[]): string {
  return SEVERITIES.flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count === 0 ? [] : [plural(count, severity)];
  }).join(", ");
}

/** The most frequent error comes first: in a broken workspace it is the same one in all files. */
function byCode(problems: readonly Problem[]): string[] {
  const groups = [...Map.groupBy(problems, ({ code }) => code)].toSorted(([, a], [, b]) => b.length - a.length);
  if (problems.length < MANY || (groups.length < 2 && problems.length <= BROKEN)) return [];
  const listed = groups.slice(0, MAX_CODES_LISTED).map(([code, [first, ...others]]) => {
    return `  TS${code} ×${others.length + 1}, such as: ${cut(first?.message ?? "", MAX_EXAMPLE)}`;
  });
  const more = groups.length > listed.length ? [`  … and ${groups.length - listed.length} more codes`] : [];
  return [`By code (${groups.length}):`, ...listed, ...more];
}

/** Totals of the files with the most errors; nothing for a single file. */
function byFile(view: View, problems: readonly Problem[]): string[] {
  const groups = [
    ...Map.groupBy(problems, ({ file, project }) => (file === undefined ? project : view.paths.show(file))),
  ];
  if (groups.length < 2) return [];
  const errors = (group: readonly Problem[]): number => group.filter(({ severity }) => severity === "error").length;
  const sorted = groups.toSorted(([, a], [, b]) => errors(b) - errors(a) || b.length - a.length);
  const rest = sorted.slice(MAX_FILES_LISTED).flatMap(([, group]) => group);
  const more = rest.length === 0 ? [] : [`  … and ${counts(rest)} in ${sorted.length - MAX_FILES_LISTED} more files`];
  const listed = sorted.slice(0, MAX_FILES_LISTED).map(([name, group]) => `  ${name}: ${counts(group)}`);
  return [`By file (${groups.length}):`, ...listed, ...more];
}
