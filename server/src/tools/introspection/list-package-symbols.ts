/** The tool `list_package_symbols`: what a file, package, namespace or project exports, and on request what it hides. */
import { isBuiltin } from "node:module";
import { fileExports, type FileExport } from "../../typescript/shapes/file-exports.ts";
import {
  packageSymbols,
  placesCalled,
  type ModuleSymbols,
  type PackageSymbols,
} from "../../typescript/shapes/package-symbols.ts";
import type { Declaration } from "../../typescript/names/tree/declaration.ts";
import type { Resolution } from "../../typescript/names/resolve-symbol.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { mapLimited } from "../../typescript/yielding.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import {
  explainResolution,
  groupedAnswer,
  listAnswer,
  pageOf,
  pageSchema,
  place,
  type Paging,
} from "../answers/answer-text.ts";
import { defineQuestion } from "./define-question.ts";
import { unusedExports } from "../../typescript/shapes/unused-exports.ts";
import { cut, groupedLines, type GroupedEntry } from "../answers/grouped-lines.ts";
import { readCursor } from "../answers/read-cursor.ts";
import { syntaxWarning } from "../answers/rendered/syntax-warning.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    path: {
      type: "string",
      description:
        "A file (src/a.ts), a package or a path it offers (kit, kit/files, node:fs with @types/node), a namespace (src/a.ts#Tools), a folder, or a tsconfig.",
    },
    include_internal: { type: "boolean", description: "Also what is declared there and not exported. Default false." },
    unused: {
      type: "boolean",
      description: "Only exports that no other file of the workspace uses, or only tests do. Default false.",
    },
    ...pageSchema,
  },
  required: ["path"],
  additionalProperties: false,
} as const;

const MAX_LINE = 130;
const MAX_NEAR = 5;
/** The beginning of a long type tells little. */
const MAX_TYPE = 90;
/** More exports than fit into one answer. */
const WINDOW = 150;

interface Query extends Paging {
  readonly path: string;
  readonly include_internal?: boolean | undefined;
  readonly unused?: boolean | undefined;
}

export function createListPackageSymbols(service: TypeScriptService): Tool {
  return defineQuestion(service, {
    name: "list_package_symbols",
    description:
      "What can be imported from a file, package or namespace, or what every file of a folder or tsconfig exports.",
    input,
    told: {
      path: {
        type: "string",
        description: "src/a.ts, kit, kit/files, node:fs, src/a.ts#Namespace, a folder, a tsconfig.",
      },
      include_internal: { type: "boolean", description: "Also what is not exported." },
      unused: { type: "boolean", description: "Only exports that no other file uses." },
    },
    categories: ["packages"],
    answer: async (view, args) => {
      if (args.path.trim() === "") throw new ToolFailure("Name a file, package, namespace, folder or tsconfig.");
      const first = readCursor(args.cursor);
      const window = { first, count: Math.min(args.limit ?? WINDOW, WINDOW) };
      const includeInternal = args.include_internal ?? false;
      return answer(view, await packageSymbols(view, args.path, { includeInternal, window }), args);
    },
  });
}

function answer(view: View, found: PackageSymbols, query: Query): ToolAnswer | Promise<ToolAnswer> {
  switch (found.kind) {
    case "module":
      if (query.unused === true) return listUnused(view, found.title, [found.file], query);
      return listModule(view, found, query);
    case "files":
      if (query.unused === true) return listUnused(view, found.title, found.files, query);
      return listFiles(view, found.title, found.files, query);
    case "nothing":
      return { content: found.reason };
    case "unresolved":
      return unresolved(view, query.path, found.resolution);
    default:
      return found satisfies never;
  }
}

function unresolved(view: View, name: string, resolution: Resolution): ToolAnswer {
  if (resolution.kind === "found") return { content: "" };
  if (resolution.kind !== "unknown" || name.includes("#")) return explainResolution(view, name, resolution);
  const isOther = /\.\w+$/.test(name) && !/\.[cm]?[jt]sx?$/.test(name);
  if (isBuiltin(name)) {
    const why = "its types are not installed here (npm install --save-dev @types/node), or no tsconfig includes them";
    return { content: `${name} is a module of Node itself; the compiler does not know it: ${why}.` };
  }
  const reason = isOther
    ? `${name} is not a TypeScript or JavaScript file of the loaded projects.`
    : `"${name}" is no file, installed package, namespace, folder or tsconfig of this workspace.`;
  const near = [...placesCalled(view, name), ...resolution.nearest];
  return explainResolution(view, name, { ...resolution, reason, nearest: [...new Set(near)].slice(0, MAX_NEAR) });
}

async function listModule(view: View, found: ModuleSymbols, query: Query): Promise<ToolAnswer> {
  view.onlyFile = found.file;
  const { exports, internal } = found;
  const entries: Entry[] = [
    ...exports.map((each) => ({ group: groupName(each.kind), ...exportEntry(view, found, each) })),
    ...internal.map((declaration) => ({ group: "Not exported", text: internalLine(declaration) })),
  ];
  const page = pageOf(
    entries.map((entry) => entry.text),
    { ...query, limit: Math.min(query.limit ?? WINDOW, WINDOW) },
  );
  const source = await view.source(found.file);
  const warnings = source === undefined ? [] : await syntaxWarning(view, source);
  const head = [`${found.title} — ${counts(found, query)}`, ...origin(view, found), ...warnings];
  const lines = [...head, ...linesOf(entries.slice(page.first, page.first + page.lines.length))];
  return groupedAnswer(lines, page, entries.length, "names");
}

function counts({ exports, internal }: ModuleSymbols, { include_internal: all }: Query): string {
  const exported = exports.length === 0 ? "no exports" : plural(exports.length, "export");
  return all === true ? `${exported}, ${internal.length} not exported` : exported;
}

function origin(view: View, { title, file, installed, offered, isImported }: ModuleSymbols): string[] {
  const lines: string[] = [];
  const shown = view.paths.show(file);
  const version = installed?.version === undefined ? "" : ` (${installed.name} ${installed.version})`;
  if (installed !== undefined || (title !== shown && !title.startsWith("namespace ")))
    lines.push(`In ${shown}${version}`);
  if (installed?.typesFrom !== undefined) lines.push(`The types are those of ${installed.typesFrom}.`);
  if (installed !== undefined && /\.[cm]?jsx?$/.test(file))
    lines.push("The package has no type declarations: names are read from its JavaScript.");
  if (!isImported) lines.push("No loaded project imports it yet.");
  const others = offered.filter((each) => each !== title);
  if (others.length > 0)
    lines.push(
      `It also offers ${others.slice(0, 30).join(", ")}${others.length > 30 ? `, and ${others.length - 30} more` : ""}`,
    );
  return lines;
}

type Exported = ModuleSymbols["exports"][number];

interface Entry extends GroupedEntry {
  /** For a name that is declared in another file under the same name: that file as it is shown, and the line. */
  readonly from?: { readonly file: string; readonly line: string };
}

function exportEntry(view: View, { file }: ModuleSymbols, exported: Exported): Omit<Entry, "group"> {
  const { name, kind, detail, file: from } = exported;
  const typeOnly = detail?.typeOnly === true ? "type only" : "";
  // The heading says that it is a class, an interface or a type.
  const written = (detail?.text ?? name).replace(/^(?:interface|type|class) (?=\w)/, "").replace(/ = \| /, " = ");
  const header = cut(written, kind === "type" ? MAX_TYPE : MAX_LINE);
  const own = from === file && kind !== "module" ? detail?.origin : undefined;
  const facts = [typeOnly, whereFrom(view, file, exported)].filter((fact) => fact !== "").join(", ");
  const text = `  ${own === undefined ? "" : `${own.at.line + 1}: `}${header}${facts === "" ? "" : `  — ${facts}`}`;
  const declared = detail?.origin?.name.split(".").at(-1);
  if (from === undefined || from === file || kind === "module" || detail?.origin === undefined || declared !== name)
    return { text };
  const line = `${detail.origin.at.line + 1}: ${header}${typeOnly && "  — type only"}`;
  return { text, from: { file: view.paths.show(from), line } };
}

/** Names of one kind that come from one file are listed under that file's name. */
function linesOf(shown: readonly Entry[]): string[] {
  return [...Map.groupBy(shown, ({ group }) => group)].flatMap(([group, entries]) => {
    const files = Map.groupBy(entries, ({ from }) => from?.file);
    const told = [...files].flatMap(([file, own]) =>
      file === undefined || own.length < 2
        ? own.map(({ text }) => text)
        : [`  from ${file}`, ...own.map(({ from }) => `    ${from?.line}`)],
    );
    return ["", group, ...told];
  });
}

function whereFrom(view: View, file: string, { kind, name, file: from, detail }: Exported): string {
  if (from === undefined) return "not found by the compiler";
  if (kind === "module") return `everything of ${view.paths.show(from)}`;
  if (detail?.origin === undefined) return `from ${view.paths.show(from)}`;
  const declared = detail.origin.name.split(".").at(-1) ?? name;
  const isRenamed = declared !== name && name !== "export =";
  if (from === file) return isRenamed ? `declared as ${detail.origin.name}` : "";
  return `from ${place(view, from, detail.origin.at)}${isRenamed ? ` as ${detail.origin.name}` : ""}`;
}

function internalLine({ name, kind, at }: Declaration): string {
  if (name === "global") return `  declare global, line ${at.line + 1}: adds to the global scope`;
  return `  ${name}  ${kind}, line ${at.line + 1}`;
}

function groupName(kind: string): string {
  const names: Readonly<Record<string, string>> = {
    class: "Classes",
    function: "Functions",
    variable: "Variables",
    enum: "Enums",
    interface: "Interfaces",
    type: "Types",
    namespace: "Namespaces",
    module: "Modules under a name",
  };
  return names[kind] ?? "Not found";
}

/** One line a file; only the files of the page are read. */
async function listFiles(view: View, title: string, files: readonly string[], query: Query): Promise<ToolAnswer> {
  const first = readCursor(query.cursor);
  const wanted = Math.min(query.limit ?? FILES_AT_ONCE, FILES_AT_ONCE);
  const shown = files.slice(first, first + wanted);
  const texts = await mapLimited(shown, (file) => fileLine(view, file, query.include_internal ?? false), view.signal);
  const entries = files.map((_file, index) => texts[index - first] ?? "");
  const page = pageOf(entries, { ...query, limit: wanted });
  return listAnswer([`${title} — ${plural(files.length, "file")}`, ...page.lines], page, files.length, "files");
}

/** Kind and line of each, by file. */
async function listUnused(view: View, title: string, files: readonly string[], query: Query): Promise<ToolAnswer> {
  const { unused, all } = await unusedExports(view, files);
  if (unused.length === 0) {
    return { content: `${title} — other files of the workspace use each of its ${plural(all, "export")}.` };
  }
  const entries = unused.map((each): GroupedEntry => {
    const tests = each.usedBy === "tests" ? ", used by tests only" : "";
    return { group: view.paths.show(each.file), text: `  ${each.line + 1}: ${each.kind} ${namedExport(each)}${tests}` };
  });
  const page = pageOf(
    entries.map(({ text }) => text),
    query,
  );
  const head = `${title} — no other file uses ${unused.length} of its ${plural(all, "export")}`;
  const doubt = "What a framework, a configuration or another workspace takes by its name is not known.";
  return groupedAnswer([head, ...groupedLines(entries, page), "", doubt], page, entries.length, "exports");
}

const FILES_AT_ONCE = 80;

/** A default export usually has another name where it is declared. */
function namedExport({ name, declared }: Pick<FileExport, "name" | "declared">): string {
  return name === "default" && declared !== undefined && declared !== name ? `default (${declared})` : name;
}

async function fileLine(view: View, file: string, includeInternal: boolean): Promise<string> {
  const { own, passedOn, internal, assigned, syntaxErrors } = await fileExports(view, file, includeInternal);
  const groups = Map.groupBy(own, ({ kind }) => kind);
  const parts = [...groups].map(([kind, group]) => `${kind} ${group.map(namedExport).join(", ")}`);
  if (assigned.length > 0) parts.push(`assigned, unknown to the compiler ${assigned.join(", ")}`);
  if (passedOn > 0) parts.push(`${plural(passedOn, "name")} passed on from elsewhere`);
  if (internal.length > 0) parts.push(`not exported ${internal.join(", ")}`);
  if (syntaxErrors > 0) parts.push(`${plural(syntaxErrors, "syntax error")}, so this may be misread`);
  return `  ${view.paths.show(file)}: ${parts.length === 0 ? "no exports" : parts.join("; ")}`;
}
